"""Line-based files: blocks of whole lines, lines that are too long, lines with needles."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.files import blocks, bounded_lines, lines_of, lines_with


def test_a_line_beyond_the_limit_is_skipped():
    file = io.BytesIO(b"a" * 10 + b"\n" + b"b" * (3 << 20) + b"\nlast")
    assert list(bounded_lines(file, 10)) == [(1, b"a" * 10 + b"\n"), (2, None), (3, b"last")]


@given(
    st.lists(st.binary(max_size=12).map(lambda text: text.replace(b"\n", b"")), max_size=12),
    st.booleans(),
    st.integers(1, 9),
    st.integers(1, 9),
)
def test_blocks_hold_every_line_that_is_not_too_long(texts, ends, size, limit):
    data = b"\n".join(texts) + b"\n" * ends
    found: list[bytes | None] = []
    for block in blocks(io.BytesIO(data), limit, size):
        found += [block[start:end] for start, end in lines_of(block)] if block else [None]
    every = data.splitlines(keepends=True) if b"\r" not in data else data.split(b"\n")
    if b"\r" in data:
        every = [*(one + b"\n" for one in every[:-1]), *([every[-1]] if every[-1] else [])]
    assert len(found) == len(every)
    for one, whole in zip(found, every, strict=True):
        assert one == whole or (one is None and len(whole) > limit)


@given(
    st.lists(st.text("abA", max_size=5), max_size=8),
    st.lists(st.text("ab", min_size=1, max_size=2), min_size=1, max_size=3),
)
def test_lines_with_needles(texts, needles):
    block = "\n".join(texts).encode()
    found = [
        block[start:end] for start, end in lines_with(block, [one.encode() for one in needles])
    ]
    every = [block[start:end] for start, end in lines_of(block)]
    assert found == [one for one in every if any(text.encode() in one for text in needles)]
