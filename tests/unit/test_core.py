"""How the compiled core is found, chosen and called."""

from __future__ import annotations

import logging
import re
import runpy
import unicodedata
from pathlib import Path

import pytest

from dedup_middleware import core
from dedup_middleware.errors import CoreError, SettingError
from tests.support.markup import needs_core

NATIVE = Path(__file__).parents[2] / "native"


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Load the core anew in each test, and once more afterwards."""
    monkeypatch.delenv(core.VARIABLE, raising=False)
    for function in (core._chosen, core._library, core._function):
        function.cache_clear()
    yield
    for function in (core._chosen, core._library, core._function):
        function.cache_clear()


def test_python_is_chosen(monkeypatch, caplog):
    monkeypatch.setenv(core.VARIABLE, "python")
    with caplog.at_level(logging.INFO):
        assert not core.available()
    assert core.version() is None
    assert not caplog.records
    with pytest.raises(CoreError, match="tokens needs the compiled core"):
        core.call("tokens", b"")


def test_native_is_chosen_and_missing(monkeypatch, tmp_path):
    monkeypatch.setattr(core, "FOLDER", tmp_path)
    monkeypatch.setenv(core.VARIABLE, "native")
    with pytest.raises(CoreError, match=r"DEDUP_CORE is 'native', but there is no .*cargo"):
        core.available()


def test_missing_is_said_once(monkeypatch, tmp_path, caplog):
    monkeypatch.setattr(core, "FOLDER", tmp_path)
    with caplog.at_level(logging.INFO):
        assert [core.available() for _ in range(3)] == [False] * 3
    assert len(caplog.records) == 1
    assert "Running without the compiled core" in caplog.text


def test_no_library(monkeypatch, tmp_path, caplog):
    (tmp_path / core.FILES[0]).write_text("not a library")
    monkeypatch.setattr(core, "FOLDER", tmp_path)
    with caplog.at_level(logging.INFO):
        assert not core.available()
    assert "can't be loaded" in caplog.text


def test_unknown_choice(monkeypatch):
    monkeypatch.setenv(core.VARIABLE, "rust")
    with pytest.raises(SettingError, match="DEDUP_CORE is 'rust'; it can be 'python', 'native'"):
        core.available()


@needs_core
def test_another_version(monkeypatch, caplog):
    monkeypatch.setattr(core, "VERSION", core.VERSION + 1)
    with caplog.at_level(logging.INFO):
        assert not core.available()
    assert f"has version {core.VERSION - 1}, but {core.VERSION} is needed" in caplog.text


@needs_core
def test_calls_that_fail():
    with pytest.raises(CoreError, match="can't do tokens for 2 bytes: the text is not valid UTF-8"):
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
        path.name for path in NATIVE.glob("src/*.rs") if re.search(r"\bunsafe\b", path.read_text())
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
