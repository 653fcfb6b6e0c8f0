"""`scrapy dedup compare`: show two pages side by side, with what they share and what differs."""

from __future__ import annotations

import json
import sys
import textwrap
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import DedupError
from dedup_middleware.settings import Settings
from dedup_middleware.text import complain, fit, safe

from . import _arguments, _journals
from ._side_by_side import Columns, sentence_rows

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from scrapy.settings import BaseSettings

    from dedup_middleware.read import Outline
    from dedup_middleware.store import View
    from dedup_middleware.viewer.comparison import PageComparison

MOST_LINES = 100


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("first", metavar="A", help="a page: a file, or a URL in the store")
    parser.add_argument("second", metavar="B", help="the page to compare it with")
    _arguments.add_store(
        parser, "folder of the store that has the URLs (default: the one used last)"
    )
    parser.add_argument("--html", type=Path, metavar="FILE", help="write an HTML file")
    parser.add_argument(
        "--png", type=Path, metavar="FILE", help="write a picture: dotplot and hierarchies"
    )
    parser.add_argument("--all", action="store_true", help="list all sentences, also equal ones")
    _arguments.add_json(parser)


def run(opts: Namespace, settings: BaseSettings) -> int:
    from dedup_middleware.viewer.comparison import compare_outlines  # imports numpy

    chosen = Settings.from_scrapy(settings)
    names = opts.first, opts.second
    first, second = _outlines(names, opts.store, chosen)
    comparison = compare_outlines(first, second, names=names, settings=chosen)
    for path, make in ((opts.html, comparison.to_html), (opts.png, comparison.to_png)):
        if path:
            if any(_is_file(name) and path.exists() and path.samefile(name) for name in names):
                raise DedupError(f"{path} is one of the pages; name another file")
            _write(path, make())
    if opts.json:
        sys.stdout.write(f"{json.dumps(_as_json(comparison))}\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in _as_text(comparison, everything=opts.all))
    return 0


def _outlines(
    names: tuple[str, str], store: Path | None, settings: Settings
) -> tuple[Outline, Outline]:
    """Read the pages, from files or from the store."""
    from dedup_middleware.store import open_reader

    files = [_is_file(name) for name in names]
    if all(files):
        first, second = (_from_file(name, settings) for name in names)
        return first, second
    path = store or _journals.newest_store()
    with open_reader(path, map_size=settings.map_size) as opened, opened.snapshot() as view:
        first, second = (
            _from_file(name, settings) if is_file else _from_store(name, view, path)
            for name, is_file in zip(names, files, strict=True)
        )
        return first, second


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # a URL may not be a valid file name
        return False


def _from_file(name: str, settings: Settings) -> Outline:
    from dedup_middleware.page import Page
    from dedup_middleware.read import UnreadablePage, read

    try:
        with Path(name).open("rb") as file:
            data = file.read(settings.max_html + 1)
    except OSError as error:
        raise DedupError(f"{name}: {error.strerror}") from error
    if name.lower().endswith(".txt"):
        page = Page(url=name, text=data.decode("utf-8", "replace"))
    else:
        page = Page(url=name, html=data)
    try:
        return read(page, max_html=settings.max_html, max_text=settings.max_text)
    except UnreadablePage as error:
        raise DedupError(f"{name}: can't be read as HTML") from error


def _from_store(url: str, view: View, store: Path) -> Outline:
    from dedup_middleware.urls import url_key

    outline = view.kept(url_key(url))
    if outline is None:
        raise DedupError(
            f"{url} is neither a file nor a URL in the store {store}; name another store with "
            "--store DIR, or list pages with `scrapy dedup drops`"
        )
    return outline


def _write(path: Path, content: str | bytes) -> None:
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    try:
        path.write_bytes(data)
    except OSError as error:
        raise DedupError(f"Can't write {path}: {error.strerror}") from error
    complain(f"Written: {path}")


def _as_json(comparison: PageComparison) -> dict[str, Any]:
    deep, found = comparison.deep, comparison.found
    first, second = comparison.sentences
    return {
        "pages": list(comparison.names),
        "verdict": str(comparison.kind) if comparison.kind else None,
        "known": list(comparison.known),
        "sentences": [counts._asdict() for counts in deep.counts],
        "rs": list(found.rs),
        "odds_ratio": found.odds_ratio,
        "tree": list(deep.tree),
        "overlap": list(found.overlap),
        "best_match": list(found.best_match),
        "in_order": list(found.in_order),
        "covered": list(deep.covered),
        "aligned": list(deep.aligned),
        "swapped": deep.swapped,
        "subject": deep.subject,
        "replaced": deep.replaced,
        "rarity": list(found.rarity),
        "pairs": [
            {**pair._asdict(), "texts": [first[pair.first].text, second[pair.second].text]}
            for pair in comparison.pairs
        ],
        "new": [
            [side[place].text for place in places]
            for side, places in zip((first, second), found.new, strict=True)
        ],
        "cut": list(deep.matching.cut),
        "summary": comparison.summary,
    }


def _as_text(comparison: PageComparison, *, everything: bool) -> Iterator[str]:
    columns = Columns()
    yield from textwrap.wrap(safe(comparison.summary), columns.all)
    yield ""
    label = max(map(len, comparison.measures))
    for name, value in comparison.measures.items():
        yield f"  {name:<{label}}  {value}"
    yield ""
    first, second = ([fit(safe(name), columns.width)] for name in comparison.names)
    yield from columns.rows("  ", first, second)
    yield columns.rule
    rows = sentence_rows(comparison, columns, same=everything)
    yield from rows if everything else islice(rows, MOST_LINES)
    if next(rows, None) is not None:
        yield "  … and more: --all, or --html FILE"
    else:
        yield from columns.legend
