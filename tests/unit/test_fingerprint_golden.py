"""Values of the scheme. If one changes, stored fingerprints no longer mean the same.

Raise VERSION in dedup_middleware/fingerprint/scheme.py with any change here.
"""

from __future__ import annotations

from dedup_middleware.fingerprint import SCHEME, fingerprint
from dedup_middleware.fingerprint.hashing import shingle_hashes, text_hashes, word_hash
from dedup_middleware.page import Page
from dedup_middleware.read import read

HTML = (
    "<html lang=en><title>Tides</title><body><nav><a href=/>Home</a></nav><h1>Tides</h1>"
    "<p>The sea rises and falls twice a day, because the Moon draws the water that is nearest to "
    "it more than the Earth beneath.</p><p>Größe 中文字符 — 3.50&nbsp;m</p></body></html>"
)
GOLDEN_WORD = 622920118163341721
GOLDEN_SHINGLES = [17048172507148901367, 6301113812915620310]
GOLDEN_FOLDED = [8745148615374291456, 13864243967203874691, 10875441490539655474]
GOLDEN_DIGEST = "85968c6e0188ca4a7fc119ca61a974b6b2ac8daf4d4f7d3004c30f5257db7f10"
GOLDEN_SIMHASH = "89a9cc2d690a398e"
GOLDEN_WORDS = 32
GOLDEN_LIMIT = 4120133436195111668
GOLDEN_SAMPLE = [962248659604574944, 1478858223034916948, 1981347714110045005]


def test_scheme_has_a_name() -> None:
    assert SCHEME == "dedup-5/blake2b-256/mmh3-x64/simhash-64/shingles-4"


def test_word_and_shingle_values() -> None:
    assert word_hash(b"sea") == GOLDEN_WORD
    assert text_hashes("Sea, SEA").tolist() == [GOLDEN_WORD] * 2
    assert shingle_hashes(text_hashes("the sea rises and falls"), 4).tolist() == GOLDEN_SHINGLES


def test_folded_letters_have_the_values_of_plain_ones() -> None:
    text = "\u0451\u043b\u043a\u0430 \uff12\uff10 \u06a9\u0650\u062a"
    assert text_hashes(text).tolist() == GOLDEN_FOLDED


def test_page_values() -> None:
    page = Page(url="https://a.example/", html=HTML)
    made = fingerprint(page, read(page))
    assert made.digest.hex() == GOLDEN_DIGEST
    assert f"{made.simhash:016x}" == GOLDEN_SIMHASH
    assert made.words == GOLDEN_WORDS
    assert made.sample.limit == GOLDEN_LIMIT
    assert made.sample.hashes[:3].tolist() == GOLDEN_SAMPLE
