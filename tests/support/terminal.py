"""Commands on a terminal, in a process of their own."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from pathlib import Path

from . import forking
from .commands import command_line
from .patience import PATIENCE


class Terminal:
    """A command with somebody who types."""

    def __init__(self, *args: str | Path, cwd: Path, columns: int = 80) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
        self.process = forking.Popen(
            command_line(*args),
            cwd=cwd,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "PAGER": "cat", "PYTHONIOENCODING": "utf-8", "TERM": "xterm"},
            start_new_session=True,
        )
        os.close(theirs)
        self.seen = ""

    def wait_for(self, text: str) -> str:
        """Read until a text is shown; return all up to it."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.seen:
            assert time.monotonic() < deadline, self.seen
            if select.select([self._ours], [], [], 1)[0]:
                try:
                    self.seen += os.read(self._ours, 65536).decode()
                except OSError:  # the other end is closed
                    break
        before, found, self.seen = self.seen.partition(text)
        assert found, before
        return before + found

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def close(self) -> int:
        code = self.process.wait(timeout=PATIENCE)
        os.close(self._ours)
        return code


def with_bar(place: Path, *args: str) -> tuple[bytes, bytes]:
    """Run a command with stderr on a terminal; return its output, and what is shown there."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    process = forking.Popen(
        command_line(*args),
        cwd=place,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 65536):
            shown += piece
    except OSError:  # the other end is closed
        pass
    out, _ = process.communicate(timeout=PATIENCE)
    os.close(ours)
    assert process.returncode == 0
    return out, shown
