"""Copies of pages, by kind: reworded, revised or falsified."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import count, islice
from random import Random
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import SettingError
from dedup_middleware.similarity.sentences import split_sentences
from lab.labels import Label
from lab.synthesis.series import free_prefix
from lab.synthesis.sources import paragraph_of

from .falsify import falsify_fact, negate
from .revise import revise
from .reword import Rewriter
from .template import page_html

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lab.synthesis import Paragraph, Source

    from .wordnet import Lexicon

OTHER, REWORDED, REVISED, NEGATED, ONE_FACT = "other", "reworded", "revised", "negated", "one-fact"
# in the order of the set: a falsified copy that is kept must not be the original of a true one
KINDS = (OTHER, REWORDED, REVISED, NEGATED, ONE_FACT)
SAME = (REWORDED, REVISED)
_PROSE = re.compile(r"[A-Z\"“(].*[.!?:][)\"”]?")
_LEAST_WORDS = 5
_MONTHS = "January March April June August October".split()


@dataclass(frozen=True, slots=True)
class Copy:
    """A made page, its label, and how it differs from the page that it was made from."""

    html: str
    label: Label
    source: str
    changes: tuple[tuple[str, str], ...]
    """Paragraphs before and after."""

    def row(self) -> dict[str, Any]:
        return {
            "url": self.label.url,
            "kind": self.label.group,
            "source": self.source,
            "changes": [list(change) for change in self.changes],
        }


@dataclass(frozen=True, slots=True)
class CopyPlan:
    """Which copies are made."""

    kinds: tuple[str, ...]
    count: int = 100
    """Of each kind, at most."""
    seed: int = 1

    def __post_init__(self) -> None:
        if not self.kinds or not set(self.kinds) <= set(KINDS):
            raise SettingError(
                f"copies must be some of {', '.join(KINDS)}, not {', '.join(self.kinds)!r}"
            )


def make_copies(
    sources: Sequence[Source],
    plan: CopyPlan,
    lexicon: Lexicon | None = None,
    others: Sequence[Source] = (),
) -> Iterator[Copy]:
    """Yield the copies of each kind, of each page at most one; rewording needs a lexicon.

    A page without anything to change has no copy. Others are pages that are not sources: they
    are put into the same template as the copies, and repeat nothing.
    """
    prefix = free_prefix([*sources, *others])
    numbers = count(1)
    repeated: dict[str, list[str]] = defaultdict(list)
    for kind in (kind for kind in KINDS if kind in plan.kinds):
        pages = others if kind == OTHER else sources
        changed = ((page, _changed(page, kind, plan.seed, lexicon)) for page in pages)
        made = ((page, texts) for page, texts in changed if texts)
        for page, texts in islice(made, plan.count):
            url = f"{prefix}{plan.seed}/{next(numbers)}"  # without the kind: addresses are judged
            same = {page.url: ["near"]} | {one: ["near"] for one in repeated[page.url]}
            positives = same if kind in SAME else {}
            if positives:
                repeated[page.url].append(url)
            gold = "positive" if positives else "negative"
            yield Copy(
                page_html(texts, _date(url, plan.seed), page.language),
                Label(url, gold, positives, [], kind),
                page.url,
                _changes(page, texts),
            )


def _changed(page: Source, kind: str, seed: int, lexicon: Lexicon | None) -> list[Paragraph] | None:
    """Return the paragraphs of a copy; None if nothing in the page can be changed so."""
    rng = Random(f"{seed} {kind} {page.url}")
    texts = [one.text for one in page.paragraphs]
    prose = [place for place, one in enumerate(page.paragraphs) if is_prose(one)]
    if kind == REWORDED and lexicon is not None:
        rewriter = Rewriter(lexicon, rng)
        for place in prose:
            texts[place] = rewriter.paragraph(texts[place])
    elif kind == REVISED:
        texts = revise(texts, prose, rng)
    elif kind == NEGATED:
        for place in prose:
            texts[place] = " ".join(map(negate, split_sentences(texts[place])))
    elif kind == ONE_FACT:
        only_prose = [text if place in set(prose) else "" for place, text in enumerate(texts)]
        changed = falsify_fact(only_prose, rng)
        if changed:
            place = changed[0].paragraph
            texts[place] = changed[1][place]
    made = [
        paragraph_of(text, heading=one.heading)
        for text, one in zip(texts, page.paragraphs, strict=True)
    ]
    return made if kind == OTHER or made != list(page.paragraphs) else None


def is_prose(paragraph: Paragraph) -> bool:
    """Return True for sentences, False for headings, commands and cells.

    >>> is_prose(paragraph_of("The tide came in at noon.")), is_prose(paragraph_of("apt install"))
    (True, False)
    """
    text = paragraph.text
    long_enough = len(text.split()) >= _LEAST_WORDS
    return not paragraph.heading and long_enough and bool(_PROSE.fullmatch(text))


def _changes(page: Source, made: Sequence[Paragraph]) -> tuple[tuple[str, str], ...]:
    pairs = zip(page.paragraphs, made, strict=True)
    return tuple((old.text, new.text) for old, new in pairs if old.text != new.text)


def _date(url: str, seed: int) -> str:
    rng = Random(f"{seed} date {url}")
    return f"{rng.randint(1, 28)} {rng.choice(_MONTHS)} {rng.randint(2015, 2024)}"
