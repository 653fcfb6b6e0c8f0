"""Files that are replaced as a whole, and files that only their owner may read."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO, cast

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def open_private(path: Path, mode: str, *, buffering: int = -1) -> BinaryIO:
    """Open a file; if it is made now, for its owner alone. A symbolic link is refused."""

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)

    file = open(path, mode, buffering=buffering, opener=opener)  # noqa: SIM115 - the caller closes it
    return cast("BinaryIO", file)


def make_private_folder(path: Path) -> None:
    """Make a folder for its owner alone, unless it is there."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)


def write_atomically(path: Path, data: bytes | Iterable[bytes], *, private: bool = False) -> None:
    """Replace a file in one step; readers see the old one or the new one, also after a crash."""
    new = path.with_name(f".{path.name}.{secrets.token_hex(4)}")  # several may write at once
    try:
        with open_private(new, "xb") if private else new.open("xb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise
