"""What all sets made by `scrapy dedup synthesize` have in common: sources, numbers, a summary."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import SettingError
from dedup_middleware.text import safe, scrapy_command

if TYPE_CHECKING:
    from argparse import Namespace

    from dedup_middleware.lab.synthesis import SetFolder, Source, SourceCollection
    from dedup_middleware.page import Page
    from dedup_middleware.settings import Settings

MOST_DOCUMENTS = 1_000_000


def read_sources(
    opts: Namespace, settings: Settings, folder: SetFolder, *, hold_out: bool, seed: int
) -> tuple[SourceCollection, int]:
    """Write the sources into the folder; return them and the number of unreadable pages."""
    from dedup_middleware.lab.synthesis import SourceCollection, source_of_outline

    from ._reading import PageReader

    collection = SourceCollection(min_terms=settings.min_words, hold_out=hold_out, seed=seed)
    reader = PageReader(opts.paths, settings, leave_out=[opts.output])
    for page, outline in reader.pages(lambda: f"{len(collection.sources):,} sources"):
        source = source_of_outline(page.url, outline)
        if collection.add(source):
            folder.add_source(page.url, _html(page, source, settings.max_html))
    return collection, reader.problems


def _html(page: Page, source: Source, max_html: int) -> str:
    from dedup_middleware.lab.synthesis.document import to_html
    from dedup_middleware.read.decode import to_utf8

    if page.html is None:
        return to_html(source.paragraphs)
    return to_utf8(page.html, page.encoding, max_html)[0].decode()


def whole_number(name: str, text: str, low: int, high: int) -> int:
    try:
        value = int(text)
    except ValueError:
        raise SettingError(f"{name} must be a whole number, not {text!r}") from None
    if not low <= value <= high:
        raise SettingError(f"{name} must lie from {low:,} to {high:,}, not {value:,}")
    return value


def print_facts(
    opts: Namespace,
    made: dict[str, Any],
    collection: SourceCollection,
    folder: SetFolder,
    problems: int,
    seed: int,
    seconds: float,
) -> None:
    """Print what was made, as a table or as JSON."""
    facts = {
        **made,
        "gold": dict(folder.gold),
        "sources": len(collection.sources),
        "held_out": len(collection.held_out),
        "left_out": dict(collection.left_out),
        "problems": problems,
        "seed": seed,
        "seconds": round(seconds, 3),
        "output": str(folder.path),
    }
    sys.stdout.write(f"{json.dumps(facts)}\n" if opts.json else _table(facts))


def _table(facts: dict[str, Any]) -> str:
    left_out = ", ".join(f"{count:,} {reason}" for reason, count in facts["left_out"].items())
    held_out, problems = facts["held_out"], facts["problems"]
    pages = shlex.quote(str(Path(facts["output"], "pages.jsonl.gz")))
    copies = ", ".join(f"{count:,} {kind}" for kind, count in facts.get("copies", {}).items())
    made = (
        ("Copies", copies or "0") if "copies" in facts else ("Documents", f"{facts['documents']:,}")
    )
    rows = [
        (made[0], f"{made[1]} made in {facts['seconds']:.1f} s"),
        ("Sources", f"{facts['sources']:,} pages"),
        *(
            [("Held out", f"{held_out:,} pages, for {'other pages' if copies else 'own text'}")]
            if held_out
            else []
        ),
        ("Left out", left_out or "0"),
        ("Problems", f"{problems:,}{', reported on stderr' if problems else ''}"),
        ("Labels", ", ".join(f"{count:,} {gold}" for gold, count in facts["gold"].items())),
        ("Output", facts["output"]),
        ("Next", f"{scrapy_command()} dedup scan {pages}"),
    ]
    return "".join(f"{name:<12} {safe(value)}\n" for name, value in rows)
