"""What is checked of an input: no failure inside of the core, and answers that can be true.

The core answers the same each time, its columns fit together, and its counts are those of
`definitions`, which are slow and obviously right.
"""

from __future__ import annotations

import hashlib
import time
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware import core
from dedup_middleware.errors import CoreError
from dedup_middleware.fingerprint.hashing import text_hashes
from dedup_middleware.fingerprint.scheme import fingerprint_of, text_digest
from dedup_middleware.fingerprint.site import (
    FEWEST,
    SiteMemory,
    main_heading,
    pack_numbers,
    without,
)
from dedup_middleware.read import KINDS, Identity, Outline
from dedup_middleware.read.core_reading import (
    END,
    START,
    TEXT,
    Packed,
    elements,
    reading,
    tokens,
)
from dedup_middleware.read.outline import BY_MEMORY
from dedup_middleware.read.words import composed, fold, to_utf8, utf8, words
from dedup_middleware.similarity import Prepared, SentenceTest, compare_deeply
from dedup_middleware.similarity.loss import compare_units
from dedup_middleware.similarity.measures import (
    measure_words,
    sentence_parts,
    shared_hashes,
    word_parts,
)

from . import definitions
from .inputs import broken

if TYPE_CHECKING:
    from random import Random

    from dedup_middleware.fingerprint import Fingerprint

PACKED = ("distinct_hashes", "english_stems", "estimates")
PARTS = (
    *("arrival", "mark_shared", "revisit", "page", "main_shingles", "language", "shared_hashes"),
    *("units", "compare_units", "compare_words", "compare_sentences"),
)
TEXTS = (
    *("words", "word_hashes", "fingerprint", "block_hashes", "names", "fold", "nfc"),
    *("tokens", "elements"),
)
MOST_HTML, MOST_TEXT = 8 << 20, 2_000_000
MOST_DEFINED = 3_000  # words of a text for which definitions are asked


class Difference(Exception):
    """An answer of the core can't be true."""


def check(random: Random, data: bytes) -> float:
    """Raise if something is wrong with what is made of a page; return the time of the core."""
    source = data.decode("utf-8", "replace").encode()
    if random.random() < 0.5:
        source, _ = to_utf8(data, random.choice((None, "utf-8", "shift_jis", "gb18030")), MOST_HTML)
    start = time.process_time()
    for name in TEXTS:
        core.call(name, source)
    core.call("reading", source, MOST_TEXT << 3 | random.randrange(4))
    elapsed = time.process_time() - start
    _refused(random, data)
    _check_markup(source.decode())
    found = _check_reading(random, source)
    texts = found.lines.decode().split("\n") if found.kinds else []
    _check_text("\n".join(texts) if random.random() < 0.8 else source.decode())
    _check_pages(random, texts)
    return elapsed


def _refused(random: Random, data: bytes) -> None:
    for name in (*PACKED, *TEXTS):
        _never_fails(name, data)
        _never_fails(name, random.randbytes(4) + data[:200])
    _never_fails("candidates", data, random.randrange(50), random.randrange(40))
    for name in PARTS:
        cuts = sorted(random.randrange(len(data) + 1) for _ in range(random.randrange(9)))
        parts = [data[begin:end] for begin, end in pairwise((0, *cuts, len(data)))]
        _never_fails(name, parts)


def _never_fails(name: str, data: bytes | list[bytes], *options: int) -> None:
    try:
        if isinstance(data, list):
            core.call_parts(name, data)
        else:
            core.call(name, data, *options)
    except CoreError as error:
        if "please report" in str(error):
            raise


def _check_markup(html: str) -> None:
    """Check that each start has its end, and that elements hold all text of the tokens."""
    open_names: list[str] = []
    texts: list[str] = []
    for event in elements(html).events:
        if event.kind == START:
            open_names.append(event.text)
        elif event.kind == END:
            _same("end tag", event.text, open_names.pop())
        else:
            texts.append(event.text)
    _same("open elements", open_names, [])
    kept = "".join(event.text for event in tokens(html).events if event.kind == TEXT)
    _same("text", "".join(texts), kept.replace("\0", ""))


def _check_reading(random: Random, source: bytes) -> Packed:
    most = random.choice((MOST_TEXT, MOST_TEXT, random.randrange(2000)))
    styles, scripts = random.random() < 0.8, random.random() < 0.8
    found = reading(source, most, styles=styles, scripts=scripts)
    again = reading(source, most, styles=styles, scripts=scripts)
    _same("second reading", found.data, again.data)
    packed = Outline.of(found, Identity(), ())
    texts, parents = packed.texts, packed.parents
    names = "parents", "kinds", "boilerplate", "links", "grid"
    for name, column in ((name, getattr(packed, name)) for name in names):
        _same(f"number of {name}", len(column), len(texts))
    _true("parents", all(-1 <= parent < place for place, parent in enumerate(parents)))
    _true("kinds", all(kind < len(KINDS) for kind in found.kinds))
    _true("marks", set(found.marks) <= {0, 1, 3})
    _same("folded texts", list(texts), [" ".join(text.split()) for text in texts])
    _same("size", found.size, sum(map(len, texts)))
    _true("limit", found.size <= most)
    if not styles:
        _same("work", found.hidden.work, 0)
    columns = found.kinds, parents, found.marks, texts, (), found.links, found.grid
    outline = Outline.of_nodes(Identity(), *columns)
    _same(
        "fingerprint", _values(fingerprint_of(packed, b"")), _values(fingerprint_of(outline, b""))
    )
    _same("digest", found.digest, text_digest(outline, b""))
    text = utf8(composed(definitions.digested(outline)))
    _same("digest of the text", found.digest, hashlib.blake2b(text, digest_size=32).digest())
    keys, nodes = (np.frombuffer(*one) for one in zip(found.units, ("<u8", "<u4"), strict=True))
    _same("nodes with units", {*nodes.tolist()}, {at for at, text in enumerate(texts) if text})
    _same("units in order", nodes.tolist(), sorted(nodes.tolist()))
    _same("keys of units", len(keys), len(nodes))
    _same("first heading", found.first_heading, main_heading(outline))
    return found


def _values(made: Fingerprint) -> tuple[object, ...]:
    columns = (made.sample.hashes, made.pairs, made.keys, made.shingles)
    lists = [None if one is None else one.tolist() for one in columns]
    numbers = made.digest, made.words, made.simhash, made.sample.limit, made.sketch
    return *numbers, made.word_sample, *lists


def _check_text(text: str) -> None:
    folded = fold(text)
    _same("folded again", fold(folded), folded)
    _same("composed again", composed(composed(text)), composed(text))
    found = words(text)
    _same("word hashes", text_hashes(text).tolist(), definitions.word_hashes(found))
    _true("words without white space", not any(len(word.split()) > 1 for word in found))
    if len(found) <= MOST_DEFINED:
        _check_fingerprint(fingerprint_of(_outline([text]), b""), found)


def _check_fingerprint(made: Fingerprint, found: list[str]) -> None:
    hashes = definitions.word_hashes(found)
    shingles, pairs = definitions.shingle_hashes(hashes), definitions.pairs(hashes)
    _same("words", made.words, len(found))
    _same("SimHash", made.simhash, definitions.simhash(hashes))
    sampled = made.sample.hashes.tolist()
    _same("sample", (sampled, made.sample.limit), definitions.sample(shingles))
    _same("pairs", made.pairs.tolist(), pairs)
    sketch = made.sketch
    both = [*sketch.sample.tolist(), *sketch.pairs.tolist()]
    _same("sketch", (sketch.limit, sketch.sampled, both), definitions.sketch(shingles, pairs))
    _same("keys", made.keys.tolist(), definitions.keys(made.simhash, sampled, pairs))
    _same("sample of words", made.word_sample, definitions.word_sample(hashes))


def _check_pages(random: Random, texts: list[str]) -> None:
    """Compare a page with a copy that was changed, and break what the core gets of the two."""
    other = list(texts)
    for _ in range(random.randrange(5) if other else 0):
        at = random.randrange(len(other))
        other[at : at + 1] = random.choice(
            ([], [other[at]] * 2, [" ".join(reversed(other[at].split()))], [random.choice(other)])
        )
        other = other or [""]
    numbers = random.random() < 0.8
    page, copy = (Prepared(_outline(one), numbers) for one in (texts, other))
    test = random.choice((SentenceTest(), SentenceTest("overlap")))
    _check_pair(page, copy, test)
    _check_units(page, copy)
    _check_marks(random, page.outline)
    packed = (
        ("compare_units", [*page.units, *copy.units]),
        ("compare_words", word_parts((page, copy))),
        ("compare_sentences", sentence_parts((page, copy), test)),
    )
    for name, parts in packed:
        for _ in range(5):
            at = random.randrange(len(parts))
            _never_fails(name, [*parts[:at], broken(random, parts[at]), *parts[at + 1 :]])


def _check_units(page: Prepared, copy: Prepared) -> None:
    """Check that a page loses nothing to itself, and what is the same from both sides."""
    same, other = compare_units(page.units, [page.units, copy.units])
    (back,) = compare_units(copy.units, [page.units])
    _same("loss of itself", [(one.lost, one.reworded, one.facts) for one in same], [(0, 0, 0)] * 2)
    _same("loss from both sides", (other.mine, other.theirs), (back.theirs, back.mine))
    for side in other:
        _true(f"loss {side}", 0 <= side.lost <= side.weight + 1e-9 and side.reworded >= 0)


def _check_marks(random: Random, page: Outline) -> None:
    """Check what a host repeats against a set of it."""
    units = [_unit_keys(page, at) for at in range(len(page.texts))]
    shared = {key for keys in units for key in keys if random.random() < 0.3}
    columns = np.array(sorted(shared), np.uint64), np.full(len(shared), FEWEST)
    site = SiteMemory(1, 1, pack_numbers(*columns))
    marks = [BY_MEMORY * (bool(keys) and keys <= shared) for keys in units]
    _same("marks", list(without(page, site).boilerplate), marks)


def _unit_keys(page: Outline, at: int) -> set[int]:
    """Return the keys of the units of a node."""
    columns = page.kinds[at : at + 1], page.links[at : at + 1], utf8(page.texts[at])
    found = core.call_parts("arrival", (b"", b"", b"", b"", *columns))
    return {*np.frombuffer(found, "<u8", offset=12).tolist()}


def _check_pair(page: Prepared, copy: Prepared, test: SentenceTest) -> None:
    """Check that all shares are shares, and what is the same from both sides."""
    for one, other in ((page, copy), (copy, page)):
        deep = compare_deeply(one, other, test).deep
        assert deep  # sentences were compared
        names = ("common", "covered", "aligned", "facts", "sentence_share", "tree", "chain", "rs")
        for name in names:
            share = getattr(deep, name)
            _true(f"{name} {share}", all(0 <= one <= 1 + 1e-9 for one in share))
    first, same = measure_words(page, [copy, page])
    (second,) = measure_words(copy, [page])
    _same("shingles of both", first.shingles[2], second.shingles[2])
    _same("covered", first.covered, second.covered[::-1])
    _same("common", first.common, second.common)
    _same("subject", first.subject, second.subject)
    _same("facts", first.facts, second.facts[::-1])
    (there,), (back,) = shared_hashes(page, [copy]), shared_hashes(copy, [page])
    _same("hashes", there[2], back[2])
    count = page.word_count
    _same("itself, aligned", same.aligned, (count, count))
    _same("itself, common", same.common, count)
    _same("itself, differences", (same.swapped, same.replaced), (0, 0))


def _outline(texts: list[str]) -> Outline:
    folded = tuple(" ".join(text.split()) for text in texts)
    count = len(folded)
    return Outline.of_nodes(
        Identity(language="en"), bytes(count), (-1,) * count, bytes(count), folded
    )


def _true(what: str, is_true: bool) -> None:
    if not is_true:
        raise Difference(what)


def _same(what: str, found: object, expected: object) -> None:
    if found != expected:
        raise Difference(f"{what}: found {str(found)[:300]}, expected {str(expected)[:300]}")
