"""What golden answers need of the program: all that a later change of its inside has to adapt.

Answers are plain values under names that are written here, so that another layout of the core's
answers, or another name of an attribute, changes this file and no golden file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dedup_middleware import core
from dedup_middleware.errors import CoreError
from dedup_middleware.fingerprint.scheme import estimates
from dedup_middleware.fingerprint.subject import read_subject
from dedup_middleware.read import core_reading
from dedup_middleware.similarity import Prepared, SentenceTest
from dedup_middleware.similarity.measures import (
    measure_sentences,
    measure_words,
    shared_hashes,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dedup_middleware import Page, Verdict
    from dedup_middleware.fingerprint import subject
    from dedup_middleware.similarity.measures import SentenceMeasures

    Answer = dict[str, Any]

MAX_HTML, MAX_TEXT = 8 << 20, 2_000_000
SCORES = (
    *("simhash_distance", "resemblance", "containment", "contained_by", "rs", "odds_ratio"),
    *("tree", "covered", "aligned", "sentence_share", "swapped", "subject", "replaced", "words"),
    *("common", "facts", "numbers", "chain", "negated", "known", "changed"),
)


def missing_core() -> str:
    """Return why the compiled core can't answer; empty if it can."""
    try:
        core.load()
    except CoreError as error:
        return str(error)
    return ""


def verdict_answer(verdict: Verdict) -> Answer:
    """Return what is said of a page, without what depends on the run and on the store."""
    scores = {name: getattr(verdict.evidence.scores, name) for name in SCORES}
    return {
        "kind": str(verdict.kind),
        "action": str(verdict.action),
        "original": verdict.original,
        "score": _rounded(verdict.score),
        "scores": {name: _rounded(one) for name, one in scores.items() if one is not None},
        "reason": verdict.reason,
    }


@dataclass(frozen=True)
class Subject:
    """A page that was read: what questions are asked about."""

    page: subject.Subject
    prepared: Prepared
    """For comparisons; made once, as that takes longer than to compare."""


def read(page: Page, max_text: int = MAX_TEXT) -> Subject:
    """Read a page."""
    found = read_subject(page, max_html=MAX_HTML, max_text=max_text)
    return Subject(found, Prepared(found.outline, hashes=found.fingerprint.shingles))


def reading(subject: Subject) -> Answer:
    """Return the text of a page, the tree it forms, and what the page says it is."""
    outline = subject.page.outline
    identity = outline.identity
    return {
        "kinds": [node.kind for node in outline.nodes],
        "parents": list(outline.parents),
        "marks": list(outline.boilerplate),
        "links": list(outline.links),
        "grid": list(outline.grid),
        "texts": list(outline.texts),
        "title": identity.title,
        "heading": identity.heading,
        "language": identity.language,
        "canonical": identity.canonical,
        "og_url": identity.og_url,
        "og_title": identity.og_title,
        "headline": identity.headline,
        "cuts": len(outline.cut),
        "readable": subject.page.readable,
    }


def fingerprint(subject: Subject) -> Answer:
    """Return the hashes of a page: those by which it is found, and those its site counts."""
    made, arrival = subject.page.fingerprint, subject.page.arrival
    return {
        "digest": made.digest.hex(),
        "words": made.words,
        "simhash": made.simhash,
        "sample": made.sample.hashes.tolist(),
        "sample_limit": made.sample.limit,
        "pairs": made.pairs.tolist(),
        "sketch": np.sort(made.sketch.sample).tolist(),
        "sketch_pairs": np.sort(made.sketch.pairs).tolist(),
        "sketch_limit": made.sketch.limit,
        "keys": sorted(made.keys.tolist()),
        "shingles": [] if made.shingles is None else made.shingles.tolist(),
        "name": arrival.name,
        "blocks": _numbers(arrival.units),
        "title_parts": _numbers(arrival.title_parts),
    }


def comparison(page: Subject, known: Subject) -> Answer:
    """Return what is measured of two pages: by hashes, by words and by sentences."""
    mine, theirs = page.prepared, known.prepared
    (estimate,) = estimates(page.page.fingerprint.sketch, [known.page.fingerprint.sketch])
    (words,) = measure_words(mine, [theirs])
    (hashes,) = shared_hashes(mine, [theirs])
    return {
        "estimate": [estimate.shared, *estimate.sampled, estimate.pairs],
        "hashes": hashes,
        "languages": [mine.language, theirs.language],
        "word_counts": [mine.word_count, theirs.word_count],
        "identifying_numbers": [one.table.numbers for one in (mine, theirs)],
        "shingles": words.shingles,
        "covered": words.covered,
        "common": words.common,
        "aligned": words.aligned,
        "swapped": words.swapped,
        "subject": words.subject,
        "replaced": words.replaced,
        "facts": words.facts,
        **_sentences(mine, theirs, SentenceTest()),
    }


def by_overlap(page: Subject, known: Subject) -> Answer:
    """Return what is measured of sentences if only their overlap counts."""
    return _sentences(page.prepared, known.prepared, SentenceTest("overlap"))


def without_numbers(page: Subject, known: Subject) -> Answer:
    """Return what is measured of sentences if numbers are no words."""
    mine, theirs = (Prepared(one.page.outline, numbers=False) for one in (page, known))
    return _sentences(mine, theirs, SentenceTest())


def tokens(html: str) -> list[Any]:
    """Return the text and the tags of a page."""
    return [list(event) for event in core_reading.tokens(html).events]


def elements(html: str) -> list[Any]:
    """Return the text and the elements of a page, each start with its end."""
    return [list(event) for event in core_reading.elements(html).events]


def _sentences(page: Prepared, known: Prepared, test: SentenceTest) -> Answer:
    (found,) = measure_sentences(page, [known], test)
    return _measured(found)


def _measured(found: SentenceMeasures) -> Answer:
    matching = found.matching
    return {
        "partners": [
            [[one.place, _rounded(one.similarity)] for one in side]
            for side in (matching.first, matching.second)
        ],
        "cut": matching.cut,
        "sentences": [[one.total, one.same, one.reworded] for one in found.counts],
        "content": found.content,
        "matched": _rounded(found.matched),
        "tree": found.tree,
        "chain": found.chain,
        "negated": found.negated,
    }


def _numbers(packed: bytes) -> list[int]:
    found: Iterable[int] = np.frombuffer(packed, "<u8").tolist()
    return sorted(found)


def _rounded(value: Any) -> Any:
    """Round floats, whose last digits depend on the order in which they are added."""
    if isinstance(value, tuple):
        return [_rounded(one) for one in value]
    return round(value, 9) if isinstance(value, float) else value
