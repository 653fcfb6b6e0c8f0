"""Text for people."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.text import (
    escape,
    head,
    parse_duration,
    printable,
    spreadsheet_cell,
    truncate,
    width,
)


@pytest.mark.parametrize(
    "text", ["\x1b]0;title\x07", "a\nb\r", "\u202eabc\u2066", "\x9b31m", "\u200b\ud800\x7f\u2028"]
)
def test_what_controls_a_terminal_is_escaped(text):
    assert escape(text).isprintable()
    assert escape(f"é 漢 {text}").startswith("é 漢 ")


def test_texts_are_fitted_by_cells():
    assert truncate("漢字漢字漢字", 7) == "漢字…字"
    assert truncate("short", 5) == "short"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r=", " =", "\n@", "＝", "\u00a0="])
def test_no_cell_is_a_formula(start):
    shown = str(spreadsheet_cell(f"{start}1+1"))
    assert shown.startswith("'")
    assert shown.isprintable()


def test_an_unprintable_url_is_percent_encoded_as_utf8():
    url = "https://a.example/é?\x1b[2J\n\u202e\ud800"
    assert printable(url) == "https://a.example/é?%1B[2J%0A%E2%80%AE%ED%A0%80"


@given(st.text(st.sampled_from("ab漢字é e\u0301"), max_size=12), st.integers(1, 12))
def test_what_is_fitted_is_never_too_wide(text, columns):
    assert width(truncate(text, columns)) <= columns
    assert text.startswith(head(text, columns))
    assert width(head(text, columns)) <= columns


@pytest.mark.parametrize(
    ("text", "days"),
    [("30d", 30), ("12h", 0.5), ("2w", 14), (" 1.5 D ", 1.5), ("0s", 0), ("90m", 0.0625)],
)
def test_durations(text, days):
    assert parse_duration(text).total_seconds() == days * 24 * 3600


@pytest.mark.parametrize(
    "text", ["", "30", "d", "-1d", "1y", "1d2h", "1e3d", "\u0663d", "9" * 99 + "w"]
)
def test_what_is_not_a_duration(text):
    assert parse_duration(text) is None
