"""Commands to be suggested, as they can be typed here."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path


def scrapy_command() -> str:
    """Name the command that started this, by its path if it is not the one on the search path."""
    own = Path(sys.executable).with_name("scrapy")
    found = shutil.which("scrapy")
    if not own.exists() or (found and Path(found).resolve() == own.resolve()):
        return "scrapy"
    return shlex.quote(short_path(own))


def short_path(path: str | Path) -> str:
    """Name a place as seen from here, if it is below.

    >>> short_path("/nowhere/near"), short_path(Path.cwd() / "jobs" / "1")
    ('/nowhere/near', 'jobs/1')
    """
    try:
        return str(Path(path).absolute().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
