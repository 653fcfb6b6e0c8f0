from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.read.words import composed, fold, words


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
        ("ملزومات ٢٠٢٤", ["ملزومات", "٢٠٢٤"]),
        ("สวัสดี", ["สว", "วั", "ัส", "สด", "ดี"]),
        ("ລາວ", ["ລາ", "າວ"]),
        ("ខ្មែរ", ["ខ្", "្ម", "មែ", "ែរ"]),
        ("မြန်", ["မြ", "ြန", "န်"]),
        ("कि की", ["कि", "की"]),
        ("", []),
        (" \n\t\u00a0", []),
    ],
)
def test_words_of_many_scripts(text: str, expected: list[str]) -> None:
    assert words(text) == [unicodedata.normalize("NFC", word) for word in expected]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ещё ЁЛКА", "еще елка"),
        ("е\u0308лка", "елка"),
        ("ＡＢＣ　１２３", "abc 123"),
        ("\uff76\uff9e\uff97\uff7d", "ガラス"),
        ("\u064a\u0643", "\u06cc\u06a9"),  # Arabic and Persian yeh and kaf
        ("\u0649", "\u064a"),
        ("\u0623\u0625\u0622\u0671", "\u0627" * 4),  # alef
        ("\u0627\u0653", "\u0627"),
        ("\u0643\u064e\u062a\u064e\u0628\u064e", "\u0643\u062a\u0628"),  # with vowels
        ("\u0643\u0640\u0640\u062a", "\u0643\u062a"),  # lengthened
        ("\ufef3\ufefb", "\u064a\u0644\u0627"),  # forms
        ("٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹"),
        ("שָׁלוֹם", "שלום"),
        ("\ufb2a", "\u05e9"),
        ("Maße", "MASSE"),
        ("İstanbul", "i\u0307stanbul"),
        ("각", "\u1100\u1161\u11a8"),
    ],
)
def test_what_is_written_differently_in_the_same_words(one: str, other: str) -> None:
    assert words(one) == words(other)


@pytest.mark.parametrize(
    ("one", "other"), [("й", "и"), ("は", "ば"), ("ä", "a"), ("ñ", "n"), ("ک", "گ"), ("ש", "ס")]
)
def test_other_letters_stay_different(one: str, other: str) -> None:
    assert fold(one) != fold(other)


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


@given(
    st.text(
        st.sampled_from(
            "\u0435\u0451\u0308\u0301\u0627\u0622\u0653\u0654\u0610\u064e\u0640\u05e9\u05c1"
        )
        | st.characters(min_codepoint=0xFB00, max_codepoint=0xFFEF)
    )
)
def test_folded_text_stays_as_it_is(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\U0001e290b", ["a", "b"]),  # a letter since Unicode 14
        ("\u0cf3", ["\ufffd"]),  # a mark since 15
        ("\U0001fae8!", ["\ufffd", "!"]),  # an emoji since 15
        ("\ud83d\ude00", ["\U0001f600"]),  # halves of a character
        ("\ud83d \ude00", ["\ufffd", "\ufffd"]),
    ],
)
def test_what_is_newer_than_unicode_13_or_no_character_is_no_word(text, expected):
    assert words(text) == expected


def test_no_version_of_unicode_changes_a_text():
    # U+11938 came with Unicode 13, the composition of U+113C2 with Unicode 16
    assert composed("e\u0301\U00011935\U00011930") == "\u00e9\U00011938"
    assert composed("e\u0301\U000113c2\U000113c2") == "\u00e9\U000113c2\U000113c2"


@given(st.text(st.sampled_from("ae\u0301\u0316\u0327\u0344\u0f73\u200d\U00011930"), min_size=40))
def test_marks_are_put_in_order_as_unicode_has_it(text):
    assert composed(text) == unicodedata.normalize("NFC", text)
    assert fold(text) == unicodedata.normalize("NFC", text).casefold()


def test_a_long_run_of_marks():
    count = 200_000
    acute, below = "\u0301", "\u0316"
    expected = "\u00e1" + below * count + acute * (count - 1)
    assert fold("a" + (acute + below) * count) == expected
    assert words("a" + (acute + "\u00ad" + below) * count) == [expected]
