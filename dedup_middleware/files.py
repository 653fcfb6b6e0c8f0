"""Files that are replaced as a whole."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file in one step; readers see the old one or the new one, also after a crash."""
    new = path.with_name(f".{path.name}.{secrets.token_hex(4)}")  # several may write at once
    try:
        with new.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise
