"""Digests and versions of what figures come from: data, program, packages, machine."""

from __future__ import annotations

import gzip
import hashlib
import os
import platform
import subprocess
import zlib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

import dedup_middleware

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .accuracy.sets import PageSet

PACKAGES = ("scrapy-dedup", "Scrapy", "lxml", "numpy", "nltk", "lmdb", "mmh3")
SHORT = 12
_MEASURING = "ablation actions cascade methods passes scoring sets simulate tasks".split()
_NOT_MEASURED = {"commands", "inspect", "plugin", "viewer"}
_CHUNK = 1 << 20


def content_digest(paths: Iterable[Path]) -> str:
    """Digest the content of files; whether a file is packed makes no difference."""
    digest = hashlib.sha256()
    for path in paths:
        for chunk in _content(path):
            digest.update(chunk)
        digest.update(b"\0")
    return digest.hexdigest()


def set_digest(page_set: PageSet) -> str:
    """Digest the pages, the labels and the manifest of a set."""
    files = (page_set.pages, page_set.labels, page_set.manifest)
    mode = hashlib.sha256(page_set.mode.encode()).hexdigest()
    return hashlib.sha256((mode + content_digest(filter(None, files))).encode()).hexdigest()


def code_digest() -> str:
    """Digest the program that is measured and the program that measures."""
    package, here = Path(dedup_middleware.__file__).parent, Path(__file__).parent
    measured = [
        path
        for path in [*package.rglob("*.py"), *package.glob("*.so"), *package.rglob("*.model")]
        if path.relative_to(package).parts[0] not in _NOT_MEASURED
    ]
    measuring = [here / "accuracy" / f"{name}.py" for name in _MEASURING]
    return content_digest(sorted([*measured, *measuring, *here.glob("peers/*.py")]))


def commit() -> str:
    """Return the commit that is checked out, empty if it can't be told."""
    told = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return told.stdout.strip()


def versions(packages: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the versions of the packages that are installed, Python first."""
    yield "Python", platform.python_version()
    for package in dict.fromkeys(packages):
        try:
            yield package, version(package)
        except PackageNotFoundError:
            continue


def cores() -> int:
    return os.cpu_count() or 1


def _content(path: Path) -> Iterator[bytes]:
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                yield chunk
    except (OSError, EOFError, zlib.error):  # reported when it is read
        yield b"broken"
