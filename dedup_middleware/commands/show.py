"""`scrapy dedup show`: explain the decision about a page: its scores, and the first difference."""

from __future__ import annotations

import re
import shlex
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import DedupError
from dedup_middleware.inspect.decisions import SCORES, STAGES, VERDICTS, known_shares
from dedup_middleware.inspect.stored_decisions import FEW, UnknownPage, look_up_page, possible_urls
from dedup_middleware.settings import Settings
from dedup_middleware.text import beginning, escape, quantity, scrapy_command, warn, wrapped
from dedup_middleware.urls import same_site
from dedup_middleware.verdict import REDUNDANT, Action

from . import _arguments, _stores
from ._arguments import outline_of, page_in_file, write_output
from ._screen import VERDICT_STYLES, screen

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Sequence

    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.decisions import Decision
    from dedup_middleware.inspect.stored_decisions import Known
    from dedup_middleware.inspect.texts import Difference, Piece

    from ._screen import Facts, Screen

_KEPT = re.compile(r"(?:^|\. )([^.]*), so it is kept")
"""What the reason says of a page that is redundant and not dropped."""
_SENTENCE = 600
_MARKS = {
    "own": ("", ""),
    "repeated": ("R", "yellow"),
    "boilerplate": ("B", "dim"),
    "comment": ("C", "cyan"),
    "volatile": ("V", "green"),
    "hidden": ("H", "magenta"),
}
"""The mark and the style of a block of text, by what it counted as."""
_MARGIN = 3


@dataclass(frozen=True, slots=True)
class _Texts:
    """What a store has of the texts of two pages: the one judged, and the one compared with it."""

    title: str | None
    """None if it is not kept."""
    other_title: str | None
    difference: Difference | None = None
    complete: bool = True
    """Whether both texts are there."""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "url",
        metavar="URL",
        help="the page's URL, its path or another part that no other has, or a scanned file",
    )
    parser.add_argument("--measures", action="store_true", help="print all measures")
    parser.add_argument(
        "--text",
        action="store_true",
        help="print the page's text instead: what counted as its own, as repeated by its host, as "
        "boilerplate, as hidden",
    )
    parser.add_argument(
        "--page",
        type=Path,
        metavar="FILE",
        help="with --text: the page as it was fetched, to see what is hidden, too",
    )
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="with --text: write it in colours as an HTML file"
    )
    _arguments.add_store(parser)
    _arguments.add_output(parser)


def run(opts: Namespace, settings: BaseSettings) -> int:
    chosen = Settings.from_scrapy(settings)
    with screen(opts) as out:
        found = _stores.decisions_of(opts, out)
        skipped = found.skipped(possible_urls(opts.url))
        try:
            with _stores.reading(found):
                known = look_up_page(found, opts.url)
        except UnknownPage:
            if not skipped:
                raise
            facts: dict[str, Any] = {"url": skipped[-1]["url"], "skipped": skipped[::-1]}
            lines = _skipped(skipped[-1], out)
        else:
            newest = known.decisions[-1]
            if opts.text or opts.page or opts.html:
                pieces = _counted_pieces(known.url, found.place, opts, chosen)
                facts, lines = _text_facts(known.url, pieces), _text_lines(known.url, pieces, out)
            else:
                texts = _texts(newest, found.place, chosen)
                facts = _facts(known, texts)
                is_dry, doubt = newest.run in found.dry_runs, found.doubt(newest)
                lines = _explained(known, texts, doubt, out, opts, is_dry=is_dry)
        out.answer(facts, lines)
    return 0


def _skipped(line: dict[str, Any], out: Screen) -> Iterator[str]:
    """Yield why a URL was not requested; nothing was judged there."""
    yield out.paint(escape(line["url"]), "bold")
    yield from out.facts(
        [
            ("action", "skip: the request was not sent"),
            ("original", line["original"] or "none"),
            ("reason", line["reason"]),
            ("rule", line["rule"]),
            ("time", line["time"]),
            ("run", " of ".join(filter(None, (line["run"], line["spider"])))),
        ],
    )


def _texts(decision: Decision, store: Path | str, settings: Settings) -> _Texts:
    """Look the texts up in the store."""
    from dedup_middleware.inspect.texts import Texts, first_difference  # imports numpy and lmdb

    other = decision.original or decision.closest
    with Texts(store, settings.map_size) as texts:
        page = texts.outline(decision.url)
        titles = texts.title(decision.url), texts.title(other) if other else None
        known = texts.outline(other) if other else None
    if not (page and known):
        return _Texts(*titles, complete=bool(page and (known or not other)))
    return _Texts(*titles, first_difference(page, known))


def _facts(known: Known, texts: _Texts) -> dict[str, Any]:
    return {
        "url": known.url,
        "decisions": [decision.entry for decision in reversed(known.decisions)],
        "titles": {"page": texts.title, "other": texts.other_title},
        "difference": asdict(texts.difference) if texts.difference else None,
        "superseded_by": known.superseded_by,
        "dropped_in_favour": {
            "count": known.replaced_count,
            "first": [decision.url for decision in known.replaced],
        },
    }


def _explained(
    known: Known, texts: _Texts, doubt: float, out: Screen, opts: Namespace, *, is_dry: bool
) -> Iterator[str]:
    """Yield lines: wrapped on a terminal, elsewhere one for each fact."""
    *earlier, newest = known.decisions
    yield out.paint(escape(known.url), "bold")
    if known.superseded_by:
        yield from out.facts([("superseded", f"by {known.superseded_by}")], {"superseded": "bold"})
    styles = {
        "verdict": VERDICT_STYLES.get(newest.verdict, ""),
        "action": "bold" if newest.action == Action.DROP else "",
    }
    yield from out.facts(_rows(newest, texts, doubt, is_dry=is_dry), styles)
    measures = {name: value for name, value in newest.scores.items() if name != "changed"}
    if measures and opts.measures:
        other = newest.original or newest.closest or "another page"
        yield ""
        yield from out.labelled("", f"Compared with {escape(other)}:")
        for name, value in measures.items():
            number = f"{escape(name):<17} {escape(_number(value)):>12}"
            yield from out.labelled(f"  {number}   ", SCORES.get(name, ""))
    if earlier:
        times = "once" if len(earlier) == 1 else f"{len(earlier):,} times"
        yield from ("", f"Decided {times} before, last:")
        for one in reversed(earlier[-FEW:]):
            yield escape(f"  {one.entry.get('time')}  {one.verdict} ({one.action})")
    yield from _next(newest, opts, out)
    yield from ("", f"Dropped in favour of it: {known.replaced_count:,}")
    for one in known.replaced:
        yield from out.labelled(f"  {escape(one.verdict):<9}  ", escape(one.url))
    more = known.replaced_count - len(known.replaced)
    if more:
        yield from _command(
            out, f"  and {more:,} more:", "drops", "--all-runs", "--original", known.url
        )


def _rows(decision: Decision, texts: _Texts, doubt: float, *, is_dry: bool) -> Facts:
    entry = decision.entry
    return [
        ("verdict", _with_meaning(decision.verdict, VERDICTS)),
        ("action", _action(decision, is_dry=is_dry)),
        ("original", decision.original or "none"),
        *_if_any("supersedes", decision.supersedes),
        *_if_any("closest", decision.closest),
        ("reason", decision.reason),
        *_lost_rows(decision),
        *_change_rows(decision),
        *_text_rows(decision, texts),
        *_known_rows(decision, doubt),
        ("stage", _with_meaning(decision.stage, STAGES)),
        *_if_any("class", entry.get("level")),
        ("time", f"{entry.get('time')}, in {entry.get('ms')} ms"),
        ("run", " of ".join(filter(None, (decision.run, decision.spider)))),
        *(("note", note) for note in entry.get("notes") or ()),
        *(("swallowed", url) for url in entry.get("swallowed") or ()),
    ]


def _if_any(name: str, value: object) -> Facts:
    return [(name, str(value))] if value else []


def _action(decision: Decision, *, is_dry: bool) -> str:
    """Say what was done with a page, and why a redundant one was kept."""
    action, original = decision.action, decision.original
    if is_dry and action == Action.DROP:
        return f"{action}, in a real run; this was a dry run, which drops nothing"
    if action == Action.DROP or decision.verdict not in REDUNDANT or original is None:
        return action
    if kept := _KEPT.search(decision.reason):
        setting = " (DEDUP_CONTAINED_RATIO)" if "small part" in kept[1] else ""
        return f"{action}: {kept[1][:1].lower()}{kept[1][1:]}{setting}"
    if not same_site(decision.url, original):
        return f"{action}: the original is on another site (DEDUP_CROSS_HOST)"
    return f"{action}: by DEDUP_ACTIONS, by the request, or by `scrapy dedup restore`"


def _lost_rows(decision: Decision) -> Facts:
    """Return what dropping it would lose: sentences, facts that differ, and what moved."""
    lost = decision.lost
    if lost is None:
        return []
    most = "" if lost.bound is None else f", at most {lost.bound:.1%} may be"
    words = f"{lost.words:,} of {quantity(lost.of, 'word')}; by weight {lost.share:.1%}{most}"
    rows = [("lost", words), *(("", f"only here: {_sentence(one)}") for one in lost.sentences)]
    for number, fact in enumerate(lost.facts):
        rows += _both("" if number else "facts", *fact)
    return rows + [
        ("" if number else "moved", _sentence(text)) for number, text in enumerate(lost.moved)
    ]


def _change_rows(decision: Decision) -> Facts:
    """Return how much changed since the URL was last seen, of what class, and the sentences."""
    if not decision.changes:
        return []
    classes = ", ".join(decision.change_classes)
    share = f"{decision.changed:.1%} of the main text{': ' * bool(classes)}{classes}"
    return [
        ("changed", share),
        *(
            ("", f"{'gone:' if name == 'removed' else 'new: '} {_sentence(sentence)}")
            for name, sentences in decision.changes.items()
            for sentence in sentences
        ),
    ]


def _known_rows(decision: Decision, doubt: float) -> Facts:
    """Return what decided: how much of each page the other has, and how doubtful that is."""
    known = known_shares(decision)
    if known is None:
        return []
    here, there = (f"{share:.0%}" for share in known)
    return [
        ("known", f"{here} of this page from the other, {there} of the other from this one"),
        ("doubt", f"{doubt:.2f} of 1 (all measures: --measures)"),
    ]


def _text_rows(decision: Decision, texts: _Texts) -> Facts:
    """Return the titles of both pages, and the first sentence that differs."""
    other, differs = decision.original or decision.closest, texts.difference
    if not other or other == decision.url:
        return [("title", _sentence(_title(texts.title)))]
    titles = _both("titles", *map(_title, (texts.title, texts.other_title)))
    if not texts.complete:
        return [*titles, ("differs", "unknown: the store no longer has one of the texts")]
    if differs is None:
        return [*titles, ("differs", "in no sentence")]
    sentences = (one or "(nothing)" for one in (differs.first, differs.second))
    return titles + _both("differs", *sentences)


def _next(decision: Decision, opts: Namespace, out: Screen) -> Iterator[str]:
    """Suggest commands that look closer at a drop, or take it back."""
    url, original = decision.url, decision.original
    if decision.action != Action.DROP or not original or url == original:
        return
    if not (url + original + opts.url).isprintable():  # as printed here, they would name others
        return
    yield ""
    where = ["--store", _stores.name_of(opts.store, brief=False)] if opts.store else []
    if decision.scores:
        yield from _command(out, "Side by side:", "compare", opts.url, *where)
    yield from _command(out, "If it is wrong:", "restore", url, *where)


def _command(out: Screen, what: str, *words: str) -> Iterator[str]:
    r"""Yield a command to copy; if it does not fit a terminal, broken with `\` at its arguments."""
    *lines, line = "", f"{what} {scrapy_command()} dedup {words[0]}"
    for word in map(shlex.quote, map(escape, words[1:])):
        if out.room and len(f"{line} {word} \\") > out.room:
            lines.append(f"{line} \\")
            line = f"    {word}"
        else:
            line = f"{line} {word}"
    yield from [*lines[1:], line]


def _counted_pieces(
    url: str, store: Path | str, opts: Namespace, settings: Settings
) -> Sequence[Piece]:
    """Return what counted of a page, as it was kept or as it is in a file; write it if asked to."""
    from dedup_middleware.inspect.texts import Texts, pieces_of  # imports numpy and lmdb

    page = page_in_file(opts.page, settings, url) if opts.page else None
    with Texts(store, settings.map_size) as texts:
        outline = outline_of(page, settings) if page else texts.outline(url)
        own = texts.on_host(outline, url) if outline else None
    if outline is None or own is None:
        raise DedupError(
            f"The store {store} does not have the text of {url}: name a file that has the page "
            "with --page FILE"
        )
    pieces = pieces_of(outline, own, page, settings.max_text)
    if opts.html:
        from dedup_middleware.viewer.evidence import counted_page

        write_output(opts.html, counted_page(url, outline, pieces))
        warn(f"Written: {opts.html}")
    return pieces


def _text_facts(url: str, pieces: Sequence[Piece]) -> dict[str, Any]:
    from dedup_middleware.inspect.texts import words_of

    return {
        "url": url,
        "words": {str(counted): words for counted, words in words_of(pieces).items()},
        "blocks": [
            {"counted": str(piece.counted), "kind": piece.block.kind, "text": piece.block.plain()}
            for piece in pieces
        ],
    }


def _text_lines(url: str, pieces: Sequence[Piece], out: Screen) -> Iterator[str]:
    """Yield the blocks of a page with a mark for those that are not its own, below a legend."""
    from dedup_middleware.inspect.texts import MEANINGS, words_of
    from dedup_middleware.read.blocks import is_next_line

    yield out.paint(out.fit(escape(url)), "bold")
    for counted, words in words_of(pieces).items():
        mark, style = _MARKS[counted]
        text = f"{mark:<{_MARGIN}}{quantity(words, 'word')} {MEANINGS[counted]}"
        yield out.paint(text, style)
    if any(piece.is_beginning for piece in pieces):
        yield f"{'':<{_MARGIN}}hidden text is kept in part: --page FILE names a file with the page"
    before: Piece | None = None
    for piece in pieces:
        if not (before and is_next_line(piece.block, before.block)):
            yield ""
        before = piece
        mark, style = _MARKS[piece.counted]
        for line in map(escape, piece.block.markdown().split("\n")):
            indent = len(line) - len(line.lstrip())
            for row in wrapped(line, out.room - _MARGIN, indent) if out.room else [line]:
                yield (f"{mark:<{_MARGIN}}" + out.paint(row, style)).rstrip()


def _both(name: str, here: str, there: str) -> Facts:
    return [(name, f"here:  {_sentence(here)}"), ("", f"there: {_sentence(there)}")]


def _title(title: str | None) -> str:
    return "(not kept)" if title is None else title or "(none)"


def _sentence(text: str) -> str:
    return beginning(text, _SENTENCE)


def _with_meaning(word: str, meanings: dict[str, str]) -> str:
    return f"{word}: {meanings[word]}" if word in meanings else word


def _number(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(_number, value))
    return f"{value:.2f}" if isinstance(value, float) else str(value)
