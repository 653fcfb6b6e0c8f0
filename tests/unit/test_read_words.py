from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.read.words import fold, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Cat's whiskers", ["the", "cat", "s", "whiskers"]),
        ("naïve Straße ÉCOLE", ["naïve", "strasse", "école"]),
        ("cafe\u0301 café", ["café", "café"]),
        ("co\u00adopera\u200btion", ["cooperation"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("Привет, МИР", ["привет", "мир"]),
        ("日本語です", ["日本", "本語", "語で", "です"]),
        ("ราคา 5", ["รา", "าค", "คา", "5"]),
        ("iPhone手机", ["iphone", "手机"]),
        ("中", ["中"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("→ ★", ["→", "★"]),
        ("", []),
        (" \n\t\u00a0", []),
    ],
)
def test_words_of_many_scripts(text: str, expected: list[str]) -> None:
    assert words(text) == [unicodedata.normalize("NFC", word) for word in expected]


@given(st.text())
def test_text_that_shows_something_has_words(text: str) -> None:
    visible = any(
        not character.isspace() and unicodedata.category(character)[0] in "LNPS"
        for character in text
    )
    assert bool(words(text)) or not visible


@given(st.text())
def test_words_do_not_depend_on_unicode_form_or_case(text: str) -> None:
    assert words(unicodedata.normalize("NFD", text)) == words(unicodedata.normalize("NFC", text))
    assert fold(fold(text)) == fold(text)
