"""Whether the source has hidden elements whose attributes are not always read."""

from __future__ import annotations

import pytest

from dedup_middleware.read.reader import may_hide


@pytest.mark.parametrize(
    "element",
    [
        "<span style='display:none'>",
        '<li class="a" style="color: red; Display : None">',
        "<a href=/ style=visibility:hidden>",
        "<span hidden>",
        "<h2 id=x hidden=''>",
        "<li\nhidden\n>",
        '<b title="a > b" hidden>',
        "<my-tag hidden/>",
    ],
)
def test_found(element):
    assert may_hide(f"<body>{element}")
    assert may_hide(f"<body>{element}".encode())
    assert may_hide(f"<BODY>{element.upper()}")
    assert may_hide(f"<body>{element}".encode("utf-16"))


@pytest.mark.parametrize(
    "element",
    [
        "<div style='display:none' hidden>",  # always read
        "<input type=hidden><input type='hidden'>",
        "<span aria-hidden=true>",
        "<span style='color: red'>none",
        "<style>.a{overflow:hidden}</style>",
        "<img style='display:none'>",
    ],
)
def test_not_found(element):
    assert not may_hide(f"<body>{element}")
