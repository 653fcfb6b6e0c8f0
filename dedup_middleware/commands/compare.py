"""`scrapy dedup compare`: show two pages side by side, with what they share and what differs."""

from __future__ import annotations

import json
import re
import shutil
import sys
import textwrap
from functools import cached_property
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import DedupError
from dedup_middleware.inspect.stored_decisions import (
    StoredDecisions,
    UnknownPage,
    look_up,
    look_up_page,
)
from dedup_middleware.settings import Settings
from dedup_middleware.text import (
    beginning,
    escape,
    quantity,
    same_beginning,
    truncate,
    truncate_around,
    warn,
)
from dedup_middleware.verdict import Kind

from . import _arguments, _stores
from ._arguments import check_output, outline_of, page_in_file, write_output

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Sequence

    from rich.text import Text
    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.decisions import Decision
    from dedup_middleware.read import Outline
    from dedup_middleware.viewer.comparison import PageComparison
    from dedup_middleware.viewer.side_by_side import Line

MOST_LINES, MOST_LETTERS = 100, 300
FAR_LONGER = 2
_MARGIN, _NARROWEST, _WIDE = 4, 60, 80
_MOST_TOGETHER = 5
"""Sentences that are shown of a passage that the other page does not have, unless all are."""
_MARKS = {"same": "=", "moved": "^", "reworded": "~", "only": "!"}
_EQUAL = {
    "same": ("sentence is the same in both", "sentences are the same in both"),
    "moved": ("sentence is in both, in another place", "sentences are in both, in another place"),
}


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "first", metavar="A", help="a page: a file, or a URL in the store, or a part of one"
    )
    parser.add_argument(
        "second",
        metavar="B",
        nargs="?",
        help="the page to compare it with (default: what it was compared with in the crawl)",
    )
    _arguments.add_store(parser)
    parser.add_argument("--html", type=Path, metavar="FILE", help="write an HTML file")
    parser.add_argument(
        "--png", type=Path, metavar="FILE", help="write a picture of where they match"
    )
    parser.add_argument("--all", action="store_true", help="list all sentences, also equal ones")
    parser.add_argument("--measures", action="store_true", help="print all measures")
    _arguments.add_json(parser)


def run(opts: Namespace, settings: BaseSettings) -> int:
    from dedup_middleware.viewer.comparison import compare_outlines  # imports numpy

    chosen = Settings.from_scrapy(settings)
    pages = _Pages(opts, chosen)
    names, decided = pages.choose(opts.first, opts.second)
    is_update = decided is not None and opts.second is None and bool(decided.changes)
    if is_update and decided:
        first, second = (_version(decided, name, chosen) for name in decided.changes)
    else:
        first, second = (pages.outline(name) for name in names)
    comparison = compare_outlines(first, second, names=names, settings=chosen)
    for path, make in ((opts.html, comparison.to_html), (opts.png, comparison.to_png)):
        if path:
            check_output(path, names)
            write_output(path, make())
            warn(f"Written: {path}")
    if opts.json:
        sys.stdout.write(f"{json.dumps(_as_json(comparison))}\n")
    else:
        lines = _as_text(comparison, decided, opts, is_update=is_update)
        sys.stdout.writelines(f"{line}\n" for line in lines)
    return 0


class _Pages:
    """Pages from files, and from a store that is opened when one of them is there."""

    def __init__(self, opts: Namespace, settings: Settings) -> None:
        self._opts = opts
        self._settings = settings

    @cached_property
    def _store(self) -> Path | str:
        return _stores.store_of_options(self._opts)

    @cached_property
    def _recorded(self) -> StoredDecisions:
        return StoredDecisions(self._store)

    def choose(self, first: str, second: str | None) -> tuple[tuple[str, str], Decision | None]:
        """Return the files or whole URLs of two pages, and what was decided for the second.

        The journal names the second by default. If the text at a URL has changed, both are that
        URL, and the decision says what changed.
        """
        one = self._name(first)
        decisions = [] if _is_file(one) else look_up(self._recorded, one).decisions
        if second is None and decisions and decisions[-1].changes:
            return (one, one), decisions[-1]
        named = [other for each in decisions if (other := each.original or each.closest)]
        if second is None and not named:
            raise DedupError(f"{one} was compared with no page; name the other one")
        other = named[-1] if second is None else self._name(second)
        about = [each for each in decisions if other in (each.original, each.closest)]
        return (one, other), about[-1] if about else None

    def outline(self, name: str) -> Outline:
        if _is_file(name):
            return outline_of(page_in_file(name, self._settings), self._settings)
        outline = self._kept(name)
        if outline is None:
            raise DedupError(f"The store {self._store} no longer has the text of {name}")
        return outline

    def _name(self, text: str) -> str:
        if _is_file(text) or self._kept(text):
            return text
        try:
            return look_up_page(self._recorded, text).url
        except UnknownPage as error:
            headline, *others = error.args
            if error.is_unknown:
                headline = (
                    f"{text} is neither a file nor a URL in the store {self._store}; name another "
                    "store with --store DIR"
                )
            raise DedupError(headline, *others) from None

    def _kept(self, url: str) -> Outline | None:
        from dedup_middleware.inspect.texts import Texts  # imports numpy and lmdb

        with Texts(self._store, self._settings.map_size) as texts:
            return texts.outline(url)


def _version(updated: Decision, name: str, settings: Settings) -> Outline:
    """Return the sentences that only one version of a page has: those that the journal keeps."""
    from dedup_middleware.page import Page

    text = "\n\n".join(updated.changes[name])
    return outline_of(Page(url=updated.url, text=text), settings)


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # a URL may not be a valid file name
        return False


def _as_json(comparison: PageComparison) -> dict[str, Any]:
    deep = comparison.deep
    first, second = comparison.sentences
    return {
        "pages": list(comparison.names),
        "titles": [side.outline.title for side in (comparison.first, comparison.second)],
        "verdict": str(comparison.kind) if comparison.kind else None,
        "known": list(comparison.known),
        "sentences": [counts._asdict() for counts in deep.counts],
        "rs": list(comparison.rs),
        "odds_ratio": comparison.odds_ratio,
        "tree": list(deep.tree),
        "overlap": list(comparison.overlap),
        "best_match": list(deep.sentence_share),
        "in_order": list(comparison.in_order),
        "covered": list(deep.covered),
        "aligned": list(deep.aligned),
        "swapped": deep.swapped,
        "subject": deep.subject,
        "replaced": deep.replaced,
        "pairs": [
            {**pair._asdict(), "texts": [first[pair.first].text, second[pair.second].text]}
            for pair in comparison.pairs
        ],
        "new": [
            [one.text for one, partner in zip(side, partners, strict=True) if partner.place < 0]
            for side, partners in ((first, deep.matching.first), (second, deep.matching.second))
        ],
        "cut": list(comparison.cut),
        "summary": comparison.summary,
    }


def _as_text(
    comparison: PageComparison, decided: Decision | None, opts: Namespace, *, is_update: bool
) -> Iterator[str]:
    columns = Columns()
    if is_update and decided:
        yield from _changed(decided, columns.all)
    else:
        yield from _heading(comparison, decided, columns.all)
    yield ""
    if opts.measures:
        yield from textwrap.wrap(escape(comparison.summary), columns.all)
        yield ""
        label = max(map(len, comparison.measures))
        for name, value in comparison.measures.items():
            yield f"  {name:<{label}}  {value}"
        yield ""
    yield from columns.rows("  ", *((["Before"], ["Now"]) if is_update else (["A"], ["B"])))
    yield columns.rule
    rows = sentence_rows(comparison, columns, same=opts.all)
    yield from rows if opts.all else islice(rows, MOST_LINES)
    if next(rows, None) is not None:
        yield "  … and more: --all, or --html FILE"
    else:
        yield from columns.legend


def _heading(comparison: PageComparison, decided: Decision | None, room: int) -> Iterator[str]:
    """Yield titles and names of both pages, and the verdict in a line."""
    names = [escape(name) for name in comparison.names]
    place = same_beginning(*names)
    for mark, side, name in zip("AB", (comparison.first, comparison.second), names, strict=True):
        yield f"{mark}  {truncate(escape(side.outline.title or '(title not known)'), room - 3)}"
        yield f"   {truncate_around(name, room - 3, place)}"
    verdict = _verdict(comparison)
    if decided and decided.verdict != (comparison.kind or Kind.UNIQUE):  # more counted there
        verdict += f" (in the crawl: {escape(decided.verdict)})"
    yield from textwrap.wrap(verdict, room)
    if decided and decided.verdict == Kind.UNIQUE:
        yield from textwrap.wrap(
            f"B is the known page that was most similar to A. {escape(decided.reason)}", room
        )


def _changed(updated: Decision, room: int) -> Iterator[str]:
    yield truncate(escape(updated.url), room)
    yield f"updated: {updated.changed:.1%} of the main text changed since this URL was last seen"
    yield "Only sentences that changed are kept, the first few of each version."


def _lengths(comparison: PageComparison) -> str:
    """Say how much longer one page is, if that is why little of it is known from the other."""
    first, second = (max(1, sum(len(one.words) for one in side)) for side in comparison.sentences)
    longer, ratio = max(("A", first / second), ("B", second / first), key=lambda one: one[1])
    return f"; {longer} is {ratio:.0f} times as long" if ratio >= FAR_LONGER else ""


def _verdict(comparison: PageComparison) -> str:
    if comparison.kind is Kind.EXACT:
        return "exact: all visible text is the same"
    forward, backward = (f"{share:.0%}" for share in comparison.known)
    verdict = str(comparison.kind) if comparison.kind else "different"
    if not comparison.comparable:
        verdict = "too short to be compared in a crawl"
    return f"{verdict}: {forward} of A is in B, {backward} of B is in A{_lengths(comparison)}"


def sentence_rows(comparison: PageComparison, columns: Columns, *, same: bool) -> Iterator[str]:
    """Yield the sentences of both pages; without `same`, equal ones are only counted."""
    from dedup_middleware.viewer.side_by_side import around, lines_of

    is_equal = True
    for state, lines in groupby(lines_of(comparison), _state):
        is_equal &= state in _EQUAL
        if state in _EQUAL and not same:
            count = sum(max(len(line.first), len(line.second)) for line in lines)
            yield f"{_MARKS[state]} {quantity(count, *_EQUAL[state])}"
        else:
            most = None if same else _MOST_TOGETHER
            yield from (row for line in lines for row in columns.line(line, most))
    if is_equal and (pairs := around(comparison, _MOST_TOGETHER)):
        yield ""
        yield "  The main texts are the same. Around them:"
        for pair in pairs:
            texts = (beginning(escape(text), MOST_LETTERS) for text in pair)
            yield from columns.rows("! ", *([text] for text in texts))


def _state(line: Line) -> str:
    return "moved" if line.is_moved else line.state.value


class Columns:
    """Two columns as wide as the terminal, or 80 characters where there is none."""

    def __init__(self, *, colours: bool | None = None) -> None:
        from rich.console import Console

        tty = sys.stdout.isatty()
        self.all = max(_NARROWEST, shutil.get_terminal_size().columns if tty else _WIDE)
        self.width = (self.all - 2 * _MARGIN) // 2
        terminal = Console(force_terminal=tty)
        is_plain = terminal.no_color or terminal.color_system is None
        self._marked = tty and not is_plain if colours is None else colours
        self._console = Console(
            width=self.all,
            color_system="standard" if self._marked else None,
            force_terminal=self._marked,
        )
        words = "the marked words" if self._marked else "[the words]"
        legend = (
            f"  =  same   ^  moved   ~  reworded: {words} differ   "
            "!  not in the other page, or elsewhere in it"
        )
        self.legend = textwrap.wrap(legend, self.all, subsequent_indent="  ")
        """What the marks mean, wrapped."""

    @property
    def rule(self) -> str:
        return f"  {'-' * (self.all - _MARGIN)}"

    def line(self, line: Line, most: int | None = None) -> Iterator[str]:
        """Yield the rows of a line; of more sentences than `most` only how many they are."""
        if any(line.left_out):
            yield f"  … {line.left_out[0]} and {line.left_out[1]} sentences are left out"
            return
        sides: list[list[str | Text]] = []
        for side in (line.first, line.second):
            more = len(side) - len(side[:most])
            rest = [f"… {quantity(more, 'more sentence')}"] * bool(more)
            sides.append([*(self._sentence(one.pieces) for one in side[:most]), *rest])
        yield from self.rows(f"{_MARKS[_state(line)]} ", *sides)

    def rows(
        self, mark: str, first: Sequence[str | Text], second: Sequence[str | Text]
    ) -> Iterator[str]:
        """Yield what stands side by side, wrapped."""
        from rich.table import Table
        from rich.text import Text

        grid = Table.grid(padding=0)
        for width in (len(mark), self.width, _MARGIN, self.width):
            grid.add_column(width=width, overflow="fold")
        one, other = (
            Text("\n").join(text if isinstance(text, Text) else Text(text) for text in side)
            for side in (first, second)
        )
        grid.add_row(mark, one, "", other)
        with self._console.capture() as shown:
            self._console.print(grid)
        yield from (row.rstrip() for row in shown.get().splitlines())

    def _sentence(self, pieces: Sequence[str]) -> Text:
        """Return a sentence; each word of every second piece is marked."""
        from rich.text import Text

        text = Text()
        for place, piece in enumerate(map(escape, pieces)):
            for word in re.findall(r"\S+|\s+", piece):
                if place % 2 == 0 or word.isspace():
                    text.append(word)
                elif self._marked:
                    text.append(word, "reverse")
                else:
                    text.append(f"[{word}]")
        return text
