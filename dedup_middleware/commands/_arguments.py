"""Command-line arguments that several sub-commands share, and the files that they name."""

from __future__ import annotations

import argparse
import getpass
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dedup_middleware.batch.sources import COMPRESSED, FEEDS, PAGES, TABLES
from dedup_middleware.batch.warc import WARCS, WETS
from dedup_middleware.errors import DedupError, StoreError
from dedup_middleware.files import write_atomically
from dedup_middleware.inspect.stored_decisions import Filter
from dedup_middleware.text import parse_duration
from dedup_middleware.urls import is_url, named_host
from dedup_middleware.verdict import Action, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import timedelta

    from dedup_middleware.page import Page
    from dedup_middleware.read import Outline
    from dedup_middleware.settings import Settings


def add_paths(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    parser.add_argument(
        "paths",
        nargs="+" if required else "*",
        type=Path,
        metavar="PATH",
        help=f"pages ({' '.join(PAGES)}), feeds ({' '.join(FEEDS)}; objects with url and html, "
        f"or url and text), web archives ({' '.join(WARCS)}; HTML in them; {' '.join(WETS)}), "
        f"each also with {' or '.join(COMPRESSED)}, tables ({' '.join(TABLES)}; columns as in "
        "feeds), or folders of them; hidden folders are skipped",
    )


def check_paths(paths: Iterable[Path]) -> None:
    """Raise an error that names the first path that can't be read."""
    for path in paths:
        try:
            path.stat()
        except OSError as error:
            raise DedupError(f"{path}: {error.strerror}") from error


def add_store(
    parser: argparse.ArgumentParser, what: str = "folder of the store (default: the one used last)"
) -> None:
    parser.add_argument(
        "--store", type=_place, metavar="DIR|URL", help=f"{what}, or URL of the server that has it"
    )


def _place(text: str) -> Path | str:
    try:
        return text if is_url(text) else Path(text)
    except StoreError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_runs(parser: argparse.ArgumentParser) -> None:
    runs = parser.add_mutually_exclusive_group()
    runs.add_argument("--run", metavar="RUN", help="a run of the store (default: the newest)")
    runs.add_argument("--all-runs", action="store_true", help="all runs of the store")


def add_filters(parser: argparse.ArgumentParser, action: Action | None = None) -> None:
    """Add the arguments of lists of decisions, of all actions by default."""
    add_store(parser)
    add_runs(parser)
    parser.add_argument(
        "--verdict",
        type=lambda text: _some(text, Kind),
        metavar="KIND,…",
        help=f"any of {_listed(Kind)}, or all (default)",
    )
    parser.add_argument(
        "--action",
        dest="actions",
        type=lambda text: _some(text, Action),
        default=[str(action)] if action else [],
        metavar="ACTION,…",
        help=f"any of {_listed(Action)}, or all (default: {action or 'all'})",
    )
    parser.add_argument("--host", type=host, help="pages of this host and its sub-domains")
    parser.add_argument(
        "--original", metavar="URL", help="decisions whose original's URL has this in it"
    )


def filter_of(opts: argparse.Namespace) -> Filter:
    return Filter(
        verdicts=frozenset(opts.verdict or ()),
        actions=frozenset(opts.actions),
        host=opts.host or "",
        original=opts.original or "",
    )


def age(text: str) -> timedelta:
    """Parse a duration, such as 30d."""
    found = parse_duration(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time; write it as 30d, 12h or 2w")
    return found


def add_json(parser: argparse._ActionsContainer, what: str = "print one JSON object") -> None:
    parser.add_argument("--json", action="store_true", help=what)


def add_formats(parser: argparse.ArgumentParser, what: str = "print each as a JSON line") -> None:
    """Add the formats of a list."""
    formats = parser.add_mutually_exclusive_group()
    add_json(formats, what)
    formats.add_argument("--csv", action="store_true", help="print CSV, for spreadsheets")


def add_limit(parser: argparse.ArgumentParser, what: str, default: int | str) -> None:
    """Add the option --limit; a default that is not a number only describes what happens."""
    parser.add_argument(
        "--limit",
        type=positive,
        default=default if isinstance(default, int) else None,
        metavar="N",
        help=f"list only the first N {what} (default: {default})",
    )


def positive(text: str) -> int:
    """Parse a number of things to show."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return int(text)


def login_name(default: str = "") -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # no login name, as in some containers
        return default


def _some(text: str, known: type[Kind | Action]) -> list[str]:
    """Parse words of an enumeration; none stands for all of them."""
    words = [word.strip() for word in text.lower().split(",") if word.strip()]
    if words == ["all"]:
        return []
    unknown = [word for word in words if word not in list(known)]
    if unknown or not words:
        raise argparse.ArgumentTypeError(
            f"{', '.join(unknown) or 'nothing'}: name some of {_listed(known)}"
        )
    return words


def _listed(words: type[Kind | Action]) -> str:
    return ", ".join(str(word) for word in words)


def host(text: str) -> str:
    host = named_host(text)
    if not host:
        raise argparse.ArgumentTypeError(f"{text!r} names no host; write it as example.org")
    return host


def page_in_file(name: str, settings: Settings) -> Page:
    """Return the page in a file, at its own name."""
    from dedup_middleware.page import Page

    try:
        with Path(name).open("rb") as file:
            data = file.read(settings.max_html + 1)
    except OSError as error:
        raise DedupError(f"{name}: {error.strerror}") from error
    if name.lower().endswith(".txt"):
        return Page(url=name, text=data.decode("utf-8", "replace"))
    return Page(url=name, html=data)


def outline_of(page: Page, settings: Settings) -> Outline:
    """Read a page."""
    from dedup_middleware.read import UnreadablePage, read

    try:
        return read(page, max_html=settings.max_html, max_text=settings.max_text)
    except UnreadablePage as error:
        raise DedupError(f"{page.url}: can't be read as HTML") from error


def check_output(path: Path, sources: Iterable[str | Path] = ()) -> None:
    """Raise an error if a file can't be written, or is one of those that are read."""
    if path.is_dir():
        raise DedupError(f"{path} is a folder; name a file in it")
    if not path.absolute().parent.is_dir():
        raise DedupError(f"Can't write {path}: there is no folder {path.absolute().parent}")
    for source in sources:
        with suppress(OSError, ValueError):  # it may be gone, or be a URL
            if path.samefile(source):
                raise DedupError(f"{path} is a file that is read; name another one")


def write_output(path: Path, content: str | bytes) -> int:
    """Write a file, as a whole or not at all; return its size."""
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    try:
        if path.exists() and not path.is_file():  # /dev/stdout and the like
            path.write_bytes(data)
        else:
            write_atomically(path, data)
    except OSError as error:
        raise DedupError(f"Can't write {path}: {error.strerror}") from error
    return len(data)
