"""A machine as it is before anything is set up: a PATH with a few tools, and programs that pretend.

Programs that are missing here are missing for what runs in it, such as Rust.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tests.support.documentation import ROOT

TOOLS = ("bash", "dirname", "sed", "sort")


class Machine:
    """What a PATH has, and what was run of it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "bin"
        self.ran = folder / "ran"
        self.path.mkdir()
        self.ran.touch()
        for tool in TOOLS:
            (self.path / tool).symlink_to(shutil.which(tool))

    def add(self, name: str, lines: str) -> None:
        """Add a program in the language of the shell."""
        program = self.path / name
        program.write_text(f'#!/bin/sh\necho "{name} $*" >>"{self.ran}"\n{lines}\n')
        program.chmod(0o755)

    def add_rust(self, version: str, *, cargo: str = "exit 1") -> None:
        self.add("cargo", cargo)
        self.add("rustc", f'echo "rustc {version} (a date)"')

    def add_apt(self, *, user: int = 0, **packages: str) -> None:
        """Add what installs packages: `rustc` and `rustc_web` in these versions."""
        known = [f"{name.replace('_', '-')}) echo Version: {one}" for name, one in packages.items()]
        cases = "\n;;".join((*known, "*) exit 100"))
        self.add("id", f"echo {user}")
        self.add("apt-cache", f'case "$3" in {cases}\nesac')
        newest = list(packages.values())[-1].partition("+")[0]
        made = f'#!/bin/sh\\necho "rustc {newest}"\\n'
        self.add(
            "apt-get",
            'case "$1" in install) cd "${0%/*}" && '
            f"printf '{made}' >cargo && printf '{made}' >rustc && /bin/chmod +x cargo rustc\nesac",
        )

    def run(self, *command: str) -> tuple[int, str, str]:
        done = subprocess.run(
            command,
            env={**os.environ, "PATH": str(self.path), "RUSTC": "rustc"},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def set_up(self) -> tuple[int, str, str]:
        """Do what `make setup` does first."""
        return self.run(str(self.path / "bash"), str(ROOT / ".ci" / "rust"))

    def installed(self) -> list[str]:
        lines = self.ran.read_text().splitlines()
        return [line for line in lines if line.startswith("apt-get install")]
