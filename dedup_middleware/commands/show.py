"""`scrapy dedup show`: explain the decision about a page, or show what of its text counted."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import DedupError
from dedup_middleware.inspect.decisions import STAGES, VERDICTS, known_shares
from dedup_middleware.inspect.stored_decisions import FEW, UnknownPage, look_up_page
from dedup_middleware.settings import Settings
from dedup_middleware.text import beginning, quantity, scrapy_command
from dedup_middleware.urls import same_site
from dedup_middleware.verdict import REDUNDANT, Action

from . import _arguments, _stores
from ._screen import VERDICT_STYLES, Screen

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy.settings import BaseSettings

    from dedup_middleware.inspect.decisions import Decision
    from dedup_middleware.inspect.stored_decisions import Known
    from dedup_middleware.inspect.texts import Piece

    from ._screen import Facts

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


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "url",
        metavar="URL",
        help="the page's URL, its path or another part that no other has, or a scanned file",
    )
    parser.add_argument(
        "--text",
        action="store_true",
        help="print the page's text instead: what counted as its own, as repeated by its host, as "
        "boilerplate, as hidden",
    )
    _arguments.add_store(parser)
    _arguments.add_json(parser, "print one JSON object, with all measures")


def run(opts: Namespace, settings: BaseSettings) -> int:
    out = Screen.of(opts)
    found = _stores.decisions_of(opts, out)
    try:
        with _stores.reading(found):
            known = look_up_page(found, opts.url)
    except UnknownPage:
        skipped = found.skipped(opts.url)
        if not skipped:
            raise
        _print_skipped(skipped, out)
        return 0
    if opts.text:
        chosen = Settings.from_scrapy(settings)
        _print_text(known.url, _counted_pieces(known.url, found.place, chosen), out)
        return 0
    newest = known.decisions[-1]
    if out.json:
        out.answer(_facts(known))
    else:
        is_dry = newest.run in found.dry_runs
        _print(known, _rows(newest, found.doubt(newest), is_dry=is_dry), opts, out)
    return 0


def _print_skipped(skipped: list[dict[str, Any]], out: Screen) -> None:
    """Print why a URL was not requested; nothing was judged there."""
    line = skipped[-1]
    if out.json:
        out.answer({"url": line["url"], "skipped": skipped[::-1]})
        return
    out.text(line["url"], "bold", is_whole=True)
    out.facts(
        [
            ("action", "skip: the request was not sent"),
            ("original", line["original"] or "none"),
            ("reason", line["reason"]),
            ("rule", line["rule"]),
            ("time", line["time"]),
            ("run", " of ".join(filter(None, (line["run"], line["spider"])))),
        ],
    )


def _facts(known: Known) -> dict[str, Any]:
    return {
        "url": known.url,
        "decisions": [decision.entry for decision in reversed(known.decisions)],
        "superseded_by": known.superseded_by,
        "dropped_in_favour": {
            "count": known.replaced_count,
            "first": [decision.url for decision in known.replaced],
        },
    }


def _print(known: Known, rows: Facts, opts: Namespace, out: Screen) -> None:
    *earlier, newest = known.decisions
    out.text(known.url, "bold", is_whole=True)
    if known.superseded_by:
        out.facts([("superseded", f"by {known.superseded_by}")], {"superseded": "bold"})
    styles = {
        "verdict": VERDICT_STYLES.get(newest.verdict, ""),
        "action": "bold" if newest.action == Action.DROP else "",
    }
    out.facts(rows, styles)
    if earlier:
        out.text()
        times = "once" if len(earlier) == 1 else f"{len(earlier):,} times"
        out.text(f"Decided {times} before, last:")
        for one in reversed(earlier[-FEW:]):
            out.text(f"  {one.entry.get('time')}  {one.verdict} ({one.action})")
    _suggest(newest, opts, out)
    out.text()
    out.text(f"Dropped in favour of it: {known.replaced_count:,}")
    out.facts([(one.verdict, one.url) for one in known.replaced])
    if more := known.replaced_count - len(known.replaced):
        _command(out, f"  and {more:,} more:", "drops", "--all-runs", "--original", known.url)


def _rows(decision: Decision, doubt: float, *, is_dry: bool) -> Facts:
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
    if "so it is kept" in decision.reason:
        return action
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
        ("doubt", f"{doubt:.2f} of 1 (all measures: --json)"),
    ]


def _suggest(decision: Decision, opts: Namespace, out: Screen) -> None:
    """Suggest commands that look closer at a drop, or take it back."""
    url, original = decision.url, decision.original
    if decision.action != Action.DROP or not original or url == original:
        return
    if not (url + original + opts.url).isprintable():  # as printed here, they would name others
        return
    out.text()
    where = ["--store", _stores.name_of(opts.store, brief=False)] if opts.store else []
    if decision.scores:
        _command(out, "Side by side:", "compare", opts.url, *where)
    _command(out, "If it is wrong:", "restore", url, *where)


def _command(out: Screen, what: str, *words: str) -> None:
    """Print a command to copy, on a line of its own."""
    out.text(what)
    out.text(f"  {scrapy_command()} dedup {shlex.join(words)}", is_whole=True)


def _counted_pieces(url: str, store: Path | str, settings: Settings) -> Sequence[Piece]:
    """Return what counted of a page, as it was kept."""
    from dedup_middleware.inspect.texts import Texts, pieces_of  # imports numpy and lmdb

    with Texts(store, settings.map_size) as texts:
        outline = texts.outline(url)
        own = texts.on_host(outline, url) if outline else None
    if outline is None or own is None:
        raise DedupError(f"The store {store} does not have the text of {url} any more")
    return pieces_of(outline, own)


def _print_text(url: str, pieces: Sequence[Piece], out: Screen) -> None:
    """Print the blocks of a page with a mark for those that are not its own, below a legend."""
    from dedup_middleware.inspect.texts import MEANINGS, words_of
    from dedup_middleware.read.blocks import is_next_line

    blocks = [
        {"counted": str(piece.counted), "kind": piece.block.kind, "text": piece.block.plain()}
        for piece in pieces
    ]
    counts = words_of(pieces)
    words = {str(counted): number for counted, number in counts.items()}
    if out.json:
        out.answer({"url": url, "words": words, "blocks": blocks})
        return
    out.text(url, "bold", is_whole=True)
    for counted, number in counts.items():
        mark, style = _MARKS[counted]
        out.marked(mark, f"{quantity(number, 'word')} {MEANINGS[counted]}", style)
    if any(piece.is_beginning for piece in pieces):
        out.marked("", "Of hidden text a store keeps the beginning.")
    before: Piece | None = None
    for piece in pieces:
        if not (before and is_next_line(piece.block, before.block)):
            out.text()
        before = piece
        mark, style = _MARKS[piece.counted]
        for line in piece.block.markdown().split("\n"):
            out.marked(mark, line, style)


def _both(name: str, here: str, there: str) -> Facts:
    return [(name, f"here:  {_sentence(here)}"), ("", f"there: {_sentence(there)}")]


def _sentence(text: str) -> str:
    return beginning(text, _SENTENCE)


def _with_meaning(word: str, meanings: dict[str, str]) -> str:
    return f"{word}: {meanings[word]}" if word in meanings else word
