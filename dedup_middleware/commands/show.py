"""`scrapy dedup show`: tell what was decided about a URL, with all that speaks for it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import DedupError
from dedup_middleware.review.decisions import Journals
from dedup_middleware.review.lookup import closest, look_up, meant
from dedup_middleware.settings import Settings

from . import journals
from .screen import add_arguments as add_output_arguments
from .screen import screen
from .telling import told

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from pathlib import Path

    from scrapy.settings import BaseSettings

    from dedup_middleware.review.decisions import Decision
    from dedup_middleware.review.lookup import Known
    from dedup_middleware.review.texts import Difference

    from .screen import Screen


@dataclass(frozen=True, slots=True)
class Beside:
    """What two pages say: the one that was judged, and the one that it was compared with."""

    page: str | None
    """Its title; None if the store has it no more."""
    other: str | None
    difference: Difference | None = None
    complete: bool = True
    """Whether both texts are there."""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "url", metavar="URL", help="the page's address, also without https://, or a scanned file"
    )
    journals.add_arguments(parser)
    add_output_arguments(parser)


def run(opts: Namespace, settings: BaseSettings) -> int:
    paths = journals.find(opts)
    with screen(opts) as out:
        found = Journals(paths, out.complain)
        known = _find(found, opts.url, out)
        if known is None:
            return 1
        beside = _beside(known.decisions[-1], journals.store_of(paths[-1]), settings, out)
        if opts.json:
            out.write(f"{json.dumps(_as_json(known, beside))}\n")
        else:
            out.write("".join(f"{line}\n" for line in told(known, beside, out, opts.store)))
    return 0


def _find(found: Journals, url: str, out: Screen) -> Known | None:
    """Look a URL up as it is, as it may be meant, and as it is canonicalised."""
    urls = meant(url)
    known = look_up(found, urls)
    if not known.decisions:
        same, alike = closest(found, urls)
        if same is None:
            out.complain(f"Nothing was decided about {url}")
            if alike:
                out.complain("The closest URLs are:")
            for other in alike:
                out.complain(f"  {other}")
            return None
        known = look_up(found, [same])
    if known.url != url:
        out.complain(f"As {known.url}:")
    return known


def _beside(
    decision: Decision, store: Path | None, settings: BaseSettings, out: Screen
) -> Beside | None:
    """Look into the store for what the pages said; say so if that can't be done."""
    other = decision.original or decision.closest
    if store is None:
        out.complain("The store is not there, only its journal: titles and texts are not shown")
        return None
    from dedup_middleware.review.texts import Texts, first_difference  # brings numpy and its kind

    try:
        with Texts(store, Settings.from_scrapy(settings).map_size) as texts:
            page = texts.outline(decision.url)
            titles = texts.title(decision.url), texts.title(other) if other else None
            known = texts.outline(other) if other else None
    except DedupError as error:
        out.complain(f"Titles and texts are not shown: {error}")
        return None
    if not (page and known):
        return Beside(*titles, complete=bool(page and (known or not other)))
    return Beside(*titles, first_difference(page, known))


def _as_json(known: Known, beside: Beside | None) -> dict[str, Any]:
    return {
        "url": known.url,
        "decisions": [decision.entry for decision in reversed(known.decisions)],
        "titles": {"page": beside.page, "other": beside.other} if beside else None,
        "difference": asdict(beside.difference) if beside and beside.difference else None,
        "dropped_in_favour": {
            "count": known.replaced_count,
            "first": [decision.url for decision in known.replaced],
        },
    }
