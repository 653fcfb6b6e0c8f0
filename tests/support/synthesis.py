"""Sources, plans and strategies for tests of synthesis."""

from __future__ import annotations

from hypothesis import strategies as st

from dedup_middleware import Page
from lab.synthesis import Plan, Range, Source, source_of
from lab.synthesis.sources import paragraph_of
from tests.support.texts import article, html

SAME_ORDER = Plan(shares=Range(1.0, 1.0), reorder="nothing")


def source(name: str, *lengths: int) -> Source:
    """Make a page of paragraphs of so many words, each of which stands in no other place."""
    lines = [
        " ".join(f"{name}{number}x{place}" for place in range(length))
        for number, length in enumerate(lengths)
    ]
    return Source(name, tuple(map(paragraph_of, lines)))


def numbered(seed: int, size: int = 300) -> Source:
    return source_of(Page(url=f"https://a.example/{seed}", html=html(article(seed, size))))


LENGTHS = st.lists(st.integers(1, 30), min_size=1, max_size=12)
SOURCES = st.lists(LENGTHS, min_size=1, max_size=4).map(
    lambda found: [source(f"s{number}q", *lengths) for number, lengths in enumerate(found)]
)
# strangers' text: scripts with and without spaces, signs, marks, markup
ALPHABET = st.sampled_from(
    "aB1 .,-'<>&\"中文字ไทยกำé\u0301\u200b\u200d\xad♥\x07\ufdd0\U0001f600。?!\n"
)
STRANGE = st.lists(st.text(ALPHABET, max_size=60), min_size=1, max_size=6).map(
    lambda lines: Source("strange", tuple(one for one in map(paragraph_of, lines) if one.terms))
)
RANGES = st.tuples(st.floats(0, 0.6), st.floats(0, 0.6)).map(lambda ends: Range(*sorted(ends)))
PLANS = st.builds(
    Plan,
    shares=st.tuples(st.floats(0.01, 1), st.floats(0.01, 1)).map(lambda two: Range(*sorted(two))),
    own=RANGES,
    edits=RANGES,
    edit_kinds=st.sets(st.sampled_from(["replace", "insert", "delete"]), min_size=1).map(
        lambda kinds: tuple(sorted(kinds))
    ),
    reorder=st.sampled_from(["paragraphs", "sentences", "nothing"]),
)
SEEDS = st.integers(0, 1000)
POOL = [numbered(seed) for seed in range(12)]
