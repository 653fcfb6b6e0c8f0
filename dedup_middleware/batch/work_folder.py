"""The output folder of a batch job, and in it what its stages made, for a job of the same pages."""

from __future__ import annotations

import hashlib
import json
import shutil
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from dedup_middleware import core
from dedup_middleware.errors import DedupError
from dedup_middleware.files import write_atomically
from dedup_middleware.fingerprint import SCHEME
from dedup_middleware.judge.overrides import NAME as OVERRIDES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dedup_middleware.settings import Settings

VERSION = 1
MARKER = ".dedup-job"
Stage = Literal[
    "read", "sites", "copies", "candidates", "components", "compare", "parts", "resolve"
]


def check_output(output: Path, inputs: Iterable[Path]) -> None:
    """Raise DedupError if a job would write where anything else may be."""
    place = output.resolve()
    for path in inputs:
        one = path.resolve()
        if place.is_relative_to(one) or one.is_relative_to(place):
            raise DedupError(f"The output {output} and the input {path} must not hold each other")
    try:
        is_foreign = any(place.iterdir()) and not (place / MARKER).is_file()
    except FileNotFoundError:
        return
    except OSError as error:
        raise DedupError(f"Can't write into {output}: {error.strerror}") from error
    if is_foreign:
        raise DedupError(
            f"{output} is not empty and not from a batch job, which would replace files there: "
            "choose another folder for the output"
        )


def mark_output(output: Path) -> None:
    """Make a folder one that batch jobs write into."""
    try:
        output.mkdir(parents=True, exist_ok=True)
        (output / MARKER).touch()
    except OSError as error:
        raise DedupError(f"Can't write into {output}: {error.strerror}") from error


class WorkFolder:
    """Stages and their manifests: a stage with a manifest of this very job is whole."""

    def __init__(self, folder: Path, job: str, tell: Callable[[str], object]) -> None:
        self._folder = folder
        self._job = job
        self._overrides = folder / OVERRIDES
        self.tell = tell

    def path(self, stage: Stage) -> str:
        return str(self._folder / stage)

    def has(self, stage: Stage) -> bool:
        """Return True if a stage need not be done again."""
        try:
            return self._manifest(stage).read_bytes() == self._job.encode()
        except OSError:
            return False

    def begin(self, stage: Stage) -> None:
        """Note that a stage is not whole: what another job noted must not vouch for it."""
        self._manifest(stage).unlink(missing_ok=True)

    def finish(self, stage: Stage) -> None:
        """Note that a stage is whole."""
        write_atomically(self._manifest(stage), self._job.encode())

    def share(self, overrides: Path) -> Path | None:
        """Copy a list of restored pages to where all machines see it; None if there is none."""
        if not overrides.is_file():
            return None
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self._overrides, overrides.read_bytes())
        return self._overrides

    def remove(self) -> None:
        """Remove what stages made, and the folder if nothing else is in it."""
        for stage in get_args(Stage):
            self.begin(stage)
            shutil.rmtree(self.path(stage), ignore_errors=True)
        self._overrides.unlink(missing_ok=True)
        with suppress(OSError):
            self._folder.rmdir()

    def _manifest(self, stage: Stage) -> Path:
        return self._folder / f"{stage}.manifest"


def job_name(files: Iterable[Path], settings: Settings, overrides: Path | None) -> str:
    """Return a hash of all that verdicts depend on: code, settings, and files as they are now."""
    lines = [
        f"{VERSION} {SCHEME} {version('scrapy-dedup')} {core.VERSION}",
        repr(settings),
        _digest(overrides),
        _digest(Path(settings.model) if settings.model else None),
    ]
    for path in files:
        status = path.stat() if path.exists() else None
        lines.append(json.dumps([str(path), status and (status.st_size, status.st_mtime_ns)]))
    return _hash("\n".join(lines).encode("utf-8", "surrogatepass"))


def _digest(path: Path | None) -> str:
    return _hash(path.read_bytes()) if path and path.is_file() else ""


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
