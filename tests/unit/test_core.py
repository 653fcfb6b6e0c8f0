"""How the compiled core is found and called."""

from __future__ import annotations

import re
import runpy
import unicodedata
from pathlib import Path

import pytest

from dedup_middleware import Deduplicator, Page, core
from dedup_middleware.errors import CoreError
from dedup_middleware.read import read

NATIVE = Path(__file__).parents[2] / "native"


@pytest.fixture(autouse=True)
def fresh():
    """Load the core anew in each test, and once more afterwards."""
    for function in (core.load, core._function):
        function.cache_clear()
    yield
    for function in (core.load, core._function):
        function.cache_clear()


@pytest.fixture
def missing(monkeypatch, tmp_path):
    """As if the package had no core."""
    monkeypatch.setattr(core, "FOLDER", tmp_path)


@pytest.mark.usefixtures("missing")
def test_a_missing_core_says_what_to_do(tmp_path):
    for work in (core.load, lambda: core.call("tokens", b"")):
        with pytest.raises(CoreError, match=r"install the wheel for this platform, or Rust"):
            work()
    with pytest.raises(CoreError, match="is not in"):
        Deduplicator(tmp_path / "store")
    assert not (tmp_path / "store").exists()


@pytest.mark.usefixtures("missing")
def test_a_missing_core_is_no_page_that_cannot_be_read():
    with pytest.raises(CoreError, match="is not in"):
        read(Page(url="https://example.org/", html="<p>x"))


@pytest.mark.usefixtures("missing")
def test_no_library(tmp_path):
    (tmp_path / core.FILES[0]).write_text("not a library")
    with pytest.raises(CoreError, match="can't be loaded"):
        core.load()


def test_another_version(monkeypatch):
    monkeypatch.setattr(core, "VERSION", core.VERSION + 1)
    with pytest.raises(CoreError, match=f"has version {core.VERSION - 1}, but {core.VERSION} is"):
        core.load()


def test_calls_that_fail():
    with pytest.raises(
        core.InputError, match="can't do tokens for 2 bytes: the text is not valid UTF-8"
    ):
        core.call("tokens", b"a\xff")
    with pytest.raises(CoreError, match="no function nothing"):
        core.call("nothing", b"")
    assert core.call("tokens", b"")[8:] == b""


def test_both_sides_name_the_same_version():
    source = (NATIVE / "src" / "ffi.rs").read_text()
    found = re.search(r"const VERSION: u32 = (\d+);", source)
    assert found
    assert int(found[1]) == core.VERSION


def test_unsafe_code_is_in_one_module():
    unsafe = {
        path.name
        for path in NATIVE.glob("src/**/*.rs")
        if re.search(r"\bunsafe\b", path.read_text())
    }
    assert unsafe == {"ffi.rs"}
    assert "#![deny(unsafe_code)]" in (NATIVE / "src" / "lib.rs").read_text()


def test_generated_data_is_up_to_date():
    made = runpy.run_path(str(NATIVE / "generate.py"))
    for file, text in made["files"]().items():
        stale = (NATIVE.parent / file).read_text(encoding="utf-8") != text
        assert not stale, f"{file} is stale: run python native/generate.py"
    new = {code for code in range(0x110000) if unicodedata.category(chr(code)) in {"Cn", "Cs"}}
    assert new <= made["UNASSIGNED"]
