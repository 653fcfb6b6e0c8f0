"""Comparison of two pages by the compiled core: equal to what the twins in Python give."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING

from dedup_middleware import core

from .languages import STOP_WORDS
from .matching import Matching
from .measures import Counts, SentenceMeasures, WordMeasures

if TYPE_CHECKING:
    from dedup_middleware.fingerprint.hashing import Hashes

    from .matching import SentenceTest
    from .prepared import Prepared

_LENGTH = Struct("<I")
_WORDS = Struct("<Q15I")  # cells, counts
_SENTENCES = Struct("<Qd5Id5I5I")  # steps; words and counts of each page; counts of both
_PARTNER_BYTES = 12
_NUMBERS, _FUZZY = 1, 2


def shared_hashes(mine: Hashes, theirs: Hashes) -> int:
    """Count the hashes that two ascending lists share."""
    first, second = mine.astype("<u8").tobytes(), theirs.astype("<u8").tobytes()
    data = core.call("shared_hashes", _LENGTH.pack(len(first)) + first + second)
    return int(_LENGTH.unpack(data)[0])


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
    parts: list[bytes] = []
    for one, other in ((page, known), (known, page)):
        table, classes = one.table, one.classes
        if other.language != one.language and other.language in STOP_WORDS:
            stop_words = STOP_WORDS[other.language]
            words = zip(classes, table.vocabulary, strict=True)
            classes = bytes(kind | (word in stop_words) for kind, word in words)
        parts += (_LENGTH.pack(len(table.packed)), table.packed, classes)
    return b"".join(parts)


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
        parts += (_LENGTH.pack(len(packed)), packed, one.classes, _LENGTH.pack(len(stems)), stems)
    return b"".join(parts)
