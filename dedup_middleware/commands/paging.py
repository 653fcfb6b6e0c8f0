"""Long output goes to a pager, as git does it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

# R: colours and nothing else that steers; F: no pager for what fits; X: leave it on the screen
_LESS = "FRX"


@contextmanager
def pager() -> Iterator[IO[str] | None]:
    """Start the user's pager and give its input; None if there is none to be used."""
    command = _command()
    if not command:
        yield None
        return
    environment = {"LESS": _LESS, "LV": "-c", **os.environ}
    try:
        process = subprocess.Popen(  # noqa: S603  # what the user has named
            command,
            stdin=subprocess.PIPE,
            env=environment,
            text=True,
            encoding="utf-8",
            errors="backslashreplace",
        )
    except OSError:
        yield None
        return
    assert process.stdin  # noqa: S101  # asked for above
    try:
        yield process.stdin
    except (BrokenPipeError, KeyboardInterrupt):  # seen enough
        pass
    finally:
        with suppress(BrokenPipeError):
            process.stdin.close()
        _wait(process)


def _wait(process: subprocess.Popen[str]) -> None:
    while True:
        try:
            process.wait()
        except KeyboardInterrupt:  # is for the pager, which stops a search
            continue
        return


def _command() -> list[str]:
    if os.environ.get("TERM", "dumb") == "dumb" or not sys.stdin.isatty():
        return []
    named = os.environ.get("PAGER")
    try:
        words = shlex.split("less" if named is None else named)
    except ValueError:
        return []
    if not words or words == ["cat"] or not shutil.which(words[0]):
        return []
    return words
