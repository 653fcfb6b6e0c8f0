"""What is in the wheel and in the sdist, and what they say of themselves."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

from dedup_middleware import core
from tests.support.documentation import ROOT

from .conftest import EXTRAS, HOME


def sources(folder: str) -> set[str]:
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return {*listed.stdout.splitlines()}


def metadata(wheel: Path):
    with ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("/METADATA")]
        return Parser().parsestr(archive.read(name).decode())


def test_the_wheel_holds_the_package_and_the_core_only(wheel):
    with ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    info = {name for name in names if ".dist-info/" in name}
    compiled = {f"dedup_middleware/{file}" for file in core.FILES} & names
    assert len(compiled) == 1
    assert names - info - compiled == sources("dedup_middleware")
    assert {name.partition("/")[2] for name in info} == {
        *("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"),
    }
    assert "dedup_middleware/py.typed" in names


def test_the_wheel_names_systems_that_it_runs_on(wheel):
    platform = re.fullmatch(r"scrapy_dedup-.+-py3-none-(.+)\.whl", wheel.name)[1]
    assert not platform.startswith("linux"), "registries refuse it"
    if sys.platform != "linux":
        return
    named = re.match(r"manylinux_(\d+)_(\d+)_", platform)
    with ZipFile(wheel) as archive:
        library = archive.read(f"dedup_middleware/{core.FILES[0]}")
    needed = {(int(one), int(two)) for one, two in re.findall(rb"GLIBC_(\d+)\.(\d+)", library)}
    assert (2, 2) < max(needed) <= (int(named[1]), int(named[2]))


def test_the_sdist_holds_all_sources_and_nothing_that_was_made(sdist):
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    kept = {name for name in sources(".") if not name.startswith((".github/", ".pre"))}
    assert names == {*kept, "PKG-INFO"}


def test_metadata(wheel, sdist):
    told = metadata(wheel)
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
    assert told["Version"] == newest
    assert {*EXTRAS} <= {*told.get_all("Provides-Extra")}
    assert "Typing :: Typed" in told.get_all("Classifier")
    assert told["License-Expression"] == "BSD-3-Clause"
    addresses = [line.partition(", ")[2] for line in told.get_all("Project-URL")]
    links = re.findall(r"\]\((.+?)\)", told.get_payload())
    assert min(len(addresses), len(links)) > 3
    assert all(link.startswith(HOME) for link in (*addresses, *links))
    check = [sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(sdist)]
    done = subprocess.run(check, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
