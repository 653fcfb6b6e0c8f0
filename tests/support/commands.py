"""Commands for tests: in this process, in one of their own, on a terminal."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import struct
import subprocess
import sys
import termios
import time
from argparse import ArgumentParser
from importlib import import_module
from pathlib import Path
from typing import Any

from scrapy.settings import Settings

from . import forking
from .patience import PATIENCE

HOSTILE = "https://a.example/\x1b[2Jcleared\n\u202egnp.exe"
BAD = ("\x1b", "\u202e", "\x07", "\x9b")
LAB = {"judge": "lab.judge.__main__", "synthesize": "lab.synthesize", "train": "lab.train"}


def command_line(name: str, *args: str | Path) -> list[str]:
    """Return how a sub-command of `scrapy dedup`, or a command of the laboratory, is started."""
    command = [f"lab.{name}"] if name in LAB else ["scrapy", "dedup", name]
    return [sys.executable, "-m", *command, *map(str, args)]


def scrapy(*args: str | Path, cwd: Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run `scrapy dedup` in a process of its own."""
    return _run([sys.executable, "-m", "scrapy", "dedup", *map(str, args)], cwd, **options)


def lab(
    name: str, *args: str | Path, cwd: Path, **options: Any
) -> subprocess.CompletedProcess[bytes]:
    """Run a command of the laboratory in a process of its own."""
    return _run(command_line(name, *args), cwd, **options)


def _run(command: list[str], cwd: Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "80"}
    return forking.run(
        command,
        cwd=cwd,
        env=environment,
        capture_output=True,
        timeout=PATIENCE,
        **options,
    )


def texts(done: subprocess.CompletedProcess[bytes]) -> tuple[str, str]:
    """Return what a command printed, after a look for what must never be printed."""
    out, err = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in err
    assert not any(mark in out + err for mark in BAD)
    return out, err


def call(name: str, *args: str | Path) -> int:
    """Run a sub-command in this process: to start one takes longest."""
    module = import_module(LAB.get(name, f"dedup_middleware.commands.{name}"))
    parser = ArgumentParser(prog=name)
    module.add_arguments(parser)
    parser.set_defaults(parser=parser)
    options = parser.parse_args([str(one) for one in args])
    options.subcommand = name
    code: int = module.run(options, Settings({"DEDUP_MAP_SIZE": 1 << 30}))
    return code


def table_rows(out: str) -> list[list[str]]:
    """Split what was printed without a terminal into rows and cells."""
    return [line.split("\t") for line in out.splitlines() if "\t" in line]


class FakeTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_terminal(
    place: Path, *args: str, columns: int = 90, command: str = "dedup", **environment: str
) -> tuple[str, int]:
    """Run `scrapy dedup` on a terminal of its own; return what it shows, and its exit code."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    variables = {**os.environ, "TERM": "xterm", "PYTHONIOENCODING": "utf-8", **environment}
    for name in ("COLUMNS", "LESS", *(() if "NO_COLOR" in environment else ("NO_COLOR",))):
        variables.pop(name, None)
    process = forking.Popen(
        [sys.executable, "-m", "scrapy", command, *args],
        cwd=place,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=variables,
    )
    os.close(theirs)
    shown = b""
    deadline = time.monotonic() + PATIENCE
    try:
        while time.monotonic() < deadline and (piece := os.read(ours, 1 << 16)):
            shown += piece
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    return shown.decode(errors="replace"), process.wait(timeout=PATIENCE)
