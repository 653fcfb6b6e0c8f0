"""`.ci/rust`, by which `make setup` begins, on machines with and without Rust."""

from __future__ import annotations

import pytest

from tests.support.machine import Machine

ADVICE = (
    "to build scrapy-dedup, install Rust 1.70 or newer (by rustup, or as the packages cargo and "
    "gcc; on Debian 12 cargo-web and gcc)\n"
)


@pytest.fixture
def machine(tmp_path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize("version", ["1.70.0", "1.85.1", "1.100.0", "2.0.0-nightly"])
def test_rust_that_is_there_is_taken(machine, version):
    machine.add_rust(version)
    machine.add_apt(rustc="1.99.0")
    assert machine.set_up() == (0, "", "")
    assert machine.installed() == []


def test_rust_that_is_too_old_stays(machine):
    machine.add_rust("1.63.0")
    machine.add_apt(rustc="1.99.0")
    assert machine.set_up() == (1, "", f"rustc 1.63.0 is too old: {ADVICE}")
    assert machine.installed() == []


def test_cargo_without_a_compiler(machine):
    machine.add("cargo", "exit 1")
    assert machine.set_up() == (1, "", f"There is no rustc that runs: {ADVICE}")
    machine.add("rustc", "echo no default toolchain >&2; exit 1")
    assert machine.set_up() == (1, "", f"There is no rustc that runs: {ADVICE}")


def test_no_apt(machine):
    machine.add("id", "echo 0")
    assert machine.set_up() == (1, "", f"There is no cargo on the PATH: {ADVICE}")


def test_not_root(machine):
    machine.add_apt(user=1000, rustc="1.85.0+dfsg3-1")
    assert machine.set_up() == (1, "", f"There is no cargo on the PATH: {ADVICE}")
    assert machine.installed() == []


@pytest.mark.parametrize(
    ("packages", "installed"),
    [
        pytest.param(
            {"rustc": "1.63.0+dfsg1-2", "rustc_web": "1.85.0+dfsg3-1~deb12u3"},
            "cargo-web gcc",
            id="Debian 12",
        ),
        pytest.param({"rustc": "1.85.0+dfsg3-1"}, "cargo gcc", id="Debian 13"),
        pytest.param({"rustc": "1.75.0+dfsg0ubuntu1-0ubuntu7"}, "cargo gcc", id="Ubuntu 24.04"),
    ],
)
def test_root_gets_the_packages_that_are_new_enough(machine, packages, installed):
    machine.add_apt(**packages)
    line = f"apt-get install --yes --no-install-recommends {installed}"
    assert machine.set_up() == (0, f"There is no cargo on the PATH, so: {line}\n", "")
    assert machine.installed() == [f"{line} -qq"]


def test_packages_that_are_all_too_old(machine):
    machine.add_apt(rustc="1.41.1+dfsg1-1")
    assert machine.set_up() == (1, "", f"There is no cargo on the PATH: {ADVICE}")
    assert machine.installed() == []


def test_an_installation_that_fails(machine):
    machine.add_apt(rustc="1.85.0+dfsg3-1")
    machine.add("apt-get", "echo E: no network >&2; exit 100")
    code, _, error = machine.set_up()
    assert code == 1
    assert error.endswith(f"E: no network\nThere is no cargo on the PATH: {ADVICE}")
