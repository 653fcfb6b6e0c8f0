"""Comparison of two pages by the compiled core: equal to what the twins in Python give."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING

from dedup_middleware import core

from .languages import STOP_WORDS
from .matching import Matching
from .measures import Counts, SentenceMeasures, WordMeasures

if TYPE_CHECKING:
    from .matching import SentenceTest
    from .prepared import Prepared

_LENGTH = Struct("<I")
_WORDS = Struct("<Q15I")  # cells, counts
_SENTENCES = Struct("<Qd5Id5I5I")  # steps; words and counts of each page; counts of both
_PARTNER_BYTES = 12
_NUMBERS, _FUZZY = 1, 2
_LANGUAGES = {code: bytes((number,)) for number, code in enumerate(STOP_WORDS)}
_UNKNOWN = b"\xff"


def measure_words(page: Prepared, known: Prepared) -> WordMeasures:
    """Compare two pages word by word."""
    data = core.call("compare_words", packed_words(page, known))
    _, one, other, both, *found = _WORDS.unpack(data)
    return WordMeasures(
        (one, other, both),
        covered=(found[0], found[1]),
        common=found[2],
        aligned=(found[3], found[4]),
        swapped=found[5],
        subject=found[6],
        replaced=found[7],
        facts=((found[8], found[9]), (found[10], found[11])),
    )


def packed_words(page: Prepared, known: Prepared) -> bytes:
    """Return what the core needs to compare two pages word by word."""
    return b"".join(
        part
        for one in (page, known)
        for part in (_language(one), _LENGTH.pack(len(one.table.packed)), one.table.packed)
    )


def measure_sentences(page: Prepared, known: Prepared, test: SentenceTest) -> SentenceMeasures:
    """Compare two pages sentence by sentence and node by node, without a model."""
    data = core.call("compare_sentences", packed_sentences(page, known, test))
    _, *found = _SENTENCES.unpack_from(data)
    mine, total, same, paired, content, cut = found[:6]
    theirs, other_total, other_same, other_paired, other_content, other_cut = found[6:12]
    start = _SENTENCES.size
    middle = start + _PARTNER_BYTES * total
    return SentenceMeasures(
        Matching((data[start:middle], data[middle:]), (cut, other_cut)),
        (
            Counts(total, same, paired - same),
            Counts(other_total, other_same, other_paired - other_same),
        ),
        content=(content, other_content),
        matched=(mine, theirs),
        tree=(found[12], found[13]),
        chain=(found[14], found[15]),
        negated=found[16],
    )


def packed_sentences(page: Prepared, known: Prepared, test: SentenceTest) -> bytes:
    """Return what the core needs to compare two pages sentence by sentence."""
    options = (_NUMBERS if page.numbers else 0) | (_FUZZY if test.name == "fuzzy" else 0)
    parts = [bytes((options,))]
    for one in (page, known):
        packed, stems = one.table.packed, one.stems
        parts += (_language(one), _LENGTH.pack(len(packed)), packed)
        parts += (_LENGTH.pack(len(stems)), stems)
    return b"".join(parts)


def _language(page: Prepared) -> bytes:
    return _LANGUAGES.get(page.language, _UNKNOWN)
