"""The kinds of torture: what each runs for one seed, and how much of it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
OUTPUT = Path("output/torture")
CHECKED = "-C debug-assertions -C overflow-checks"


@dataclass(frozen=True)
class Work:
    """What one seed does: a command, where, and with what in its environment."""

    command: list[str]
    folder: Path
    environment: dict[str, str]


def tests(selected: str, amount: int) -> Callable[[int], Work]:
    """Return what runs tests of faults with so many faults each."""

    def work(seed: int) -> Work:
        command = [sys.executable, "-m", "pytest", "-x", "-n0", "-p", "no:cacheprovider"]
        command += [f"--hypothesis-seed={seed}", *selected.split()]
        return Work(command, ROOT, {"FAULTS": str(amount), "FAULTS_SEED": str(seed)})

    return work


def fuzz(seed: int) -> Work:
    """Return what fuzzes a core that was built with checks, in a copy of the package."""
    copy = (OUTPUT / "checked").absolute()
    target = (OUTPUT / "target").absolute()
    manifest = str(ROOT / "native" / "Cargo.toml")
    build = ["cargo", "build", "--release", "--offline", "--locked", "--manifest-path", manifest]
    environment = {**os.environ, "RUSTFLAGS": CHECKED, "CARGO_TARGET_DIR": str(target)}
    subprocess.run(build, env=environment, check=True, capture_output=True)
    for name in ("dedup_middleware", "benchmarks"):
        ignored = shutil.ignore_patterns("__pycache__", "*dedup_core.*")
        shutil.copytree(ROOT / name, copy / name, ignore=ignored, dirs_exist_ok=True)
    for library in (target / "release").glob("*dedup_core.*"):
        if library.suffix in {".so", ".dylib", ".dll"}:
            shutil.copy(library, copy / "dedup_middleware")
    command = [
        sys.executable,
        "-m",
        "benchmarks.fuzz",
        "--minutes",
        "10",
        "--seed",
        str(seed),
    ]
    return Work([*command, "--output", str(OUTPUT.absolute() / "fuzz")], copy, {})


def soak(seed: int) -> Work:
    """Return what crawls many generated pages in one process."""
    return Work([sys.executable, "-m", "benchmarks.torture.soak", "--seed", str(seed)], ROOT, {})


def fuzz_figures(output: str) -> dict[str, int]:
    """Read what a run of the fuzzer printed of itself."""
    found = re.findall(r"([\d,]+) runs, ([\d,]+) bytes, (\d+) s of CPU", output)
    rows = [[int(number.replace(",", "")) for number in row] for row in found]
    names = ("inputs", "bytes", "cpu_seconds")
    return {name: sum(row[at] for row in rows) for at, name in enumerate(names)}


_MODEL = "tests/store/test_against_model.py::test_a_store_does_what_the_model_does"
KINDS: dict[str, Callable[[int], Work]] = {
    "fuzz": fuzz,
    "kills": tests("tests/faults/test_kills.py", 1),
    "killed-commands": tests("tests/faults/test_killed_commands.py", 5),
    "killed-scans": tests("tests/faults/test_killed_scans.py", 10),
    "damage": tests("tests/faults/test_damage.py", 20),
    "server": tests("tests/faults/test_server_faults.py", 4),
    "model-lmdb": tests(f"{_MODEL}[lmdb]", 20_000),
    "model-sole": tests(f"{_MODEL}[sole]", 20_000),
    "model-memory": tests(f"{_MODEL}[memory]", 20_000),
    "model-redis": tests(f"{_MODEL}[redis]", 20_000),
    "soak": soak,
}
