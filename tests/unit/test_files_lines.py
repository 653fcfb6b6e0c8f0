"""Line-based files: lines that are too long."""

from __future__ import annotations

import io

from dedup_middleware.files import bounded_lines


def test_a_line_beyond_the_limit_is_skipped():
    file = io.BytesIO(b"a" * 10 + b"\n" + b"b" * (3 << 20) + b"\nlast")
    assert list(bounded_lines(file, 10)) == [(1, b"a" * 10 + b"\n"), (2, None), (3, b"last")]
