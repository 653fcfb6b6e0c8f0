"""What is checked of an input: no failure inside of the core, no answer other than the twin's."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from dedup_middleware.read.elements import elements
from dedup_middleware.read.hiding.hidden import hide
from dedup_middleware.read.reading import reading
from dedup_middleware.read.tokens import tokens
from dedup_middleware.read.tree import tree

from dedup_middleware import core
from dedup_middleware.errors import CoreError
from dedup_middleware.fingerprint import compiled as prints
from dedup_middleware.fingerprint.hashing import word_hashes
from dedup_middleware.fingerprint.scheme import main_text, text_digest
from dedup_middleware.fingerprint.site import block_hash, main_heading
from dedup_middleware.read import compiled
from dedup_middleware.read.decode import to_utf8, utf8
from dedup_middleware.read.identity import Identity
from dedup_middleware.read.outline import Outline
from dedup_middleware.read.words import composed, fold, words
from dedup_middleware.similarity import SentenceTest, pair
from dedup_middleware.similarity import compiled as measures
from dedup_middleware.similarity.prepared import Prepared

from .inputs import broken

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from dedup_middleware.fingerprint.compiled import MainText
    from dedup_middleware.read.reading import Reading

PACKED = (
    *("page", "main_shingles", "distinct_hashes", "shared_hashes", "english_stems"),
    *("compare_words", "compare_sentences", "estimates"),
)
TEXTS = ("word_hashes", "fingerprint", "block_hashes", "fold", "nfc", "tokens", "elements")
MOST_HTML, MOST_TEXT = 8 << 20, 2_000_000


class Difference(Exception):
    """The core and a twin disagree."""


def check(random: Random, data: bytes) -> float:
    """Raise if something is wrong with what is made of a page; return the time of the core."""
    source = data.decode("utf-8", "replace").encode()
    if random.random() < 0.5:
        source, _ = to_utf8(data, random.choice((None, "utf-8", "shift_jis", "gb18030")), MOST_HTML)
    start = time.process_time()
    for name in TEXTS:
        core.call(name, source)
    core.call("reading", source, MOST_TEXT << 3 | random.randrange(4))
    core.call("hidden", source, random.randrange(2))
    elapsed = time.process_time() - start
    _refused(random, data)
    _compare_readers(random, source)
    found = _compare_readings(random, source)
    text = "\n".join(found.texts) if random.random() < 0.8 else source.decode()
    _compare_texts(text)
    _compare_pages(random, found)
    return elapsed


def _refused(random: Random, data: bytes) -> None:
    for name in (*PACKED, *TEXTS):
        _never_fails(name, data)
        _never_fails(name, random.randbytes(4) + data[:200])
    _never_fails("candidates", data, random.randrange(50), random.randrange(40))


def _never_fails(name: str, data: bytes, *options: int) -> None:
    try:
        core.call(name, data, *options)
    except CoreError as error:
        if "please report" in str(error):
            raise


def _compare_readers(random: Random, source: bytes) -> None:
    html, styles = source.decode(), random.random() < 0.8
    _same("tokens", compiled.tokens(html).events, tokens(html).events)
    _same("elements", compiled.elements(html).events, elements(html).events)
    _same("hidden", compiled.hidden(html, styles=styles)[0], hide(tree(html), styles=styles))


def _compare_readings(random: Random, source: bytes) -> Reading:
    most = random.choice((MOST_TEXT, MOST_TEXT, random.randrange(2000)))
    styles, scripts = random.random() < 0.8, random.random() < 0.8
    packed = compiled.reading(source, most, styles=styles, scripts=scripts)
    found = packed.unpacked()
    _same("reading", found, reading(source, most, styles=styles, scripts=scripts))
    outline = Outline(Identity(), found.kinds, found.parents, found.marks, found.texts)
    _same_values(prints.unpacked(packed.data, packed.fingerprint), outline.main)
    _same("digest", packed.digest, text_digest(outline, b""))
    hashes = [block_hash(text).to_bytes(8, "little") for text in found.texts]
    _same("blocks", packed.blocks, b"".join(hashes))
    _same("first heading", packed.first_heading, main_heading(outline))
    return found


def _compare_texts(text: str) -> None:
    _same_values(prints.main_text(text), text)
    _same("fold", core.call("fold", utf8(text)).decode(), fold(text))
    _same("nfc", core.call("nfc", utf8(text)), utf8(composed(text)))
    _same("word hashes", prints.text_hashes(text).tolist(), word_hashes(words(text)).tolist())
    lines = text.split("\n")
    _same("block hashes", prints.block_hashes(lines), list(map(block_hash, lines)))


def _same_values(found: MainText, text: str) -> None:
    expected = main_text(word_hashes(words(text)))
    _same("words", (found.words, found.simhash), (expected.words, expected.simhash))
    _same("limit", found.sample.limit, expected.sample.limit)
    _same("sketch", found.sketch, expected.sketch)
    for name, one, other in (
        ("sample", found.sample.hashes, expected.sample.hashes),
        ("pairs", found.pairs, expected.pairs),
        ("keys", found.keys, expected.keys),
        ("shingles", found.shingles, expected.shingles),
    ):
        _same(name, one.tolist(), other.tolist())


def _compare_pages(random: Random, found: Reading) -> None:
    """Compare a page with a copy that was changed, and break what the core gets of the two."""
    other = list(found.texts)
    for _ in range(random.randrange(5) if other else 0):
        at = random.randrange(len(other))
        other[at : at + 1] = random.choice(
            ([], [other[at]] * 2, [" ".join(reversed(other[at].split()))], [random.choice(other)])
        )
        other = other or [""]
    numbers = random.random() < 0.8
    page, copy = (Prepared(_outline(texts), numbers) for texts in (found.texts, other))
    test = random.choice((SentenceTest(), SentenceTest("overlap")))
    _same("words", measures.measure_words(page, copy), pair.measure_words(page, copy))
    _same(
        "sentences",
        measures.measure_sentences(page, copy, test),
        pair.measure_sentences(page, copy, test),
    )
    packed: tuple[tuple[str, Callable[[], bytes]], ...] = (
        ("compare_words", lambda: measures.packed_words(page, copy)),
        ("compare_sentences", lambda: measures.packed_sentences(page, copy, test)),
    )
    for name, make in packed:
        data = make()
        for _ in range(5):
            _never_fails(name, broken(random, data))


def _outline(texts: list[str] | tuple[str, ...]) -> Outline:
    count = len(texts)
    return Outline(Identity(language="en"), bytes(count), (-1,) * count, bytes(count), tuple(texts))


def _same(what: str, found: object, expected: object) -> None:
    if found != expected:
        raise Difference(
            f"{what}: the core says {str(found)[:300]}, the twin {str(expected)[:300]}"
        )
