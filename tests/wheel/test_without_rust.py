"""A build from source where Rust is missing, too old or fails: one sentence, and no wheel."""

from __future__ import annotations

import sys
import tarfile
from pathlib import Path

import pytest

from tests.support.machine import Machine


@pytest.fixture
def source(sdist, tmp_path) -> Path:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / sdist.name.removesuffix(".tar.gz")


@pytest.fixture
def machine(tmp_path) -> Machine:
    return Machine(tmp_path)


def failed_build(source: Path, machine: Machine) -> str:
    """Build a wheel as pip does; return what is printed when it fails."""
    made = source.with_name("made")
    pip = (sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation")
    code, _, error = machine.run(*pip, "--wheel-dir", str(made), str(source))
    assert code != 0
    assert list(made.glob("*.whl")) == []
    assert "Traceback" not in error
    return error


def sentence_of_setup(machine: Machine) -> str:
    code, _, error = machine.set_up()
    assert code == 1
    return error.strip()


def test_no_cargo(source, machine):
    machine.add("id", "echo 1000")
    sentence = sentence_of_setup(machine)
    assert sentence.startswith("There is no cargo on the PATH: to build scrapy-dedup, install Rust")
    assert sentence in failed_build(source, machine)


def test_a_compiler_that_is_too_old(source, machine):
    machine.add_rust("1.63.0")
    sentence = sentence_of_setup(machine)
    assert sentence.startswith("rustc 1.63.0 is too old: to build scrapy-dedup, install Rust 1.")
    assert sentence in failed_build(source, machine)


def test_a_compiler_that_does_not_run(source, machine):
    machine.add_rust("1.99.0")
    machine.add("rustc", "exit 1")
    sentence = sentence_of_setup(machine)
    assert sentence.startswith("There is no rustc that runs: to build scrapy-dedup, install Rust")
    assert sentence in failed_build(source, machine)


def test_cargo_that_fails_says_why(source, machine):
    lines = "Compiling\\nerror: no linker\\nerror: more\\n"
    machine.add_rust("1.99.0", cargo=f"printf '{lines}' >&2; exit 101")
    told = failed_build(source, machine)
    assert "cargo could not compile the core of scrapy-dedup: error: no linker\n" in told
    assert "error: more" not in told
