"""The work folder of a batch job: what its stages made, used again by a job of the same pages."""

from __future__ import annotations

import hashlib
import json
import shutil
from typing import TYPE_CHECKING

from dedup_middleware.files import write_atomically
from dedup_middleware.fingerprint import SCHEME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from dedup_middleware.settings import Settings

VERSION = 1


class WorkFolder:
    """Stages and their manifests: a stage with a manifest of this very job is whole."""

    def __init__(self, folder: Path, job: str, tell: Callable[[str], object]) -> None:
        self._folder = folder
        self._job = job
        self.tell = tell

    def path(self, stage: str) -> str:
        return str(self._folder / stage)

    def has(self, stage: str) -> bool:
        """Return True if a stage need not be done again."""
        try:
            return self._manifest(stage).read_bytes() == self._job.encode()
        except OSError:
            return False

    def finish(self, stage: str) -> None:
        """Note that a stage is whole."""
        write_atomically(self._manifest(stage), self._job.encode())

    def remove(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _manifest(self, stage: str) -> Path:
        return self._folder / f"{stage}.manifest"


def job_name(files: Iterable[Path], settings: Settings, overrides: Path | None) -> str:
    """Return a hash of all that verdicts depend on: files as they are now, settings, overrides."""
    lines = [f"{VERSION} {SCHEME}", repr(settings)]
    for path in files:
        status = path.stat() if path.exists() else None
        lines.append(json.dumps([str(path), status and (status.st_size, status.st_mtime_ns)]))
    data = "\n".join(lines).encode("utf-8", "surrogatepass")
    if overrides and overrides.exists():
        data += overrides.read_bytes()
    return hashlib.blake2b(data, digest_size=16).hexdigest()
