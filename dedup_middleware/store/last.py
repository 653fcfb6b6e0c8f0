"""The store that was used last, as a project notes it for its commands."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from dedup_middleware.address import Address, is_url
from dedup_middleware.files import make_private_folder, write_atomically

NAME = "last-store"


def note_last_store(project: Path, store: Path | str) -> None:
    """Note which store is used now, in the folder in which a project keeps its stores.

    A folder is named from there, so that the project can be moved; a server without its password.
    """
    if is_url(store):
        name = Address.parse(str(store)).name
    else:
        name = str(Path(store).absolute())
        with suppress(ValueError):  # another drive of Windows
            name = os.path.relpath(name, project.absolute())
    with suppress(OSError):  # no reason not to crawl
        make_private_folder(project)
        write_atomically(project / NAME, f"{name}\n".encode(errors="surrogateescape"), private=True)


def last_store(project: Path) -> Path | str | None:
    """Return the store that was used last; None if none was noted."""
    try:
        name = (project / NAME).read_bytes().decode(errors="surrogateescape").rstrip("\n")
    except OSError:
        return None
    if is_url(name):
        return name
    return Path(os.path.normpath(project / name))
