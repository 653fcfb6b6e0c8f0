"""Pools of pairs, drawn from what methods say."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware import Page
from dedup_middleware.methods import Document, make_method
from dedup_middleware.read import read
from dedup_middleware.settings import Settings
from lab.judge import Pair
from lab.judge.pool import (
    MOST_A_PAGE,
    PoolBuilder,
    PoolPages,
    Stratum,
    count_alike,
    draw_pairs,
    quotas,
)
from tests.support.texts import article


def documents(count: int = 30) -> list[Document]:
    """Texts of which every third shares much or little with the one before."""
    made = []
    for number in range(count):
        parts = article(number, 120)
        if number % 3 == 1:
            parts = article(number - 1, 120)[: 1 + number % 4] + parts[number % 4 :]
        made.append(Document.of_text(f"https://a.example/{number}", "\n\n".join(parts)))
    return made


def pooling(wanted: tuple[Pair, ...] = (), seed: int = 1) -> PoolBuilder:
    methods = {
        "strict": make_method("shingles", threshold=0.8),
        "loose": make_method("shingles", threshold=0.1),
        "looser": make_method("shingles", width=2, threshold=0.05),
    }
    made = PoolBuilder(methods, seed, wanted)
    for document in documents():
        made.add(document)
    return made


def resemblance(one: Document, other: Document, width: int) -> float:
    first, second = (
        {tuple(words[at : at + width]) for at in range(len(words) - width + 1)}
        for words in (one.words, other.words)
    )
    return len(first & second) / len(first | second)


def test_pairs_are_nominated_as_methods_see_them():
    found = {one.pair: one for one in pooling().nominated}
    texts = documents()
    alike = set()
    for one, other in combinations(texts, 2):
        shares = {
            "strict": resemblance(one, other, 4) >= 0.8,
            "loose": resemblance(one, other, 4) >= 0.1,
            "looser": resemblance(one, other, 2) >= 0.05,
        }
        pair = Pair(one.name, other.name)
        if any(shares.values()):
            alike.add(pair)
        if pair in found:
            said = {name: kind is not None for name, kind in found[pair].verdicts.items()}
            assert said == shares
            assert found[pair].votes == sum(shares.values())
    assert alike
    assert alike <= set(found)
    assert {one.stratum for one in found.values()} >= {Stratum.DISPUTED, Stratum.APART}
    last = {pair.second for pair in found}
    assert last == {one.name for one in texts[1:]}  # each has at least one page drawn at random
    assert len(found) == len(pooling().nominated)


def test_a_pool_is_the_same_again_and_grows():
    nominated = pooling().nominated
    small, large = draw_pairs(nominated, 10, 1), draw_pairs(pooling().nominated, 25, 1)
    assert small == draw_pairs(pooling().nominated, 10, 1)
    assert {one.pair for one in small} < {one.pair for one in large}
    assert len(small) == 10
    assert draw_pairs(random.Random(3).sample(nominated, len(nominated)), 10, 1) == small
    assert draw_pairs(nominated, 10, 2) != small
    order = [one.votes for one in large]
    assert order != sorted(order)
    assert order != sorted(order, reverse=True)


def test_a_pool_holds_what_was_answered_already():
    urls = [one.name for one in documents()]
    answered = (Pair(urls[20], urls[3]), Pair(urls[5], "https://gone.example/"))
    found = draw_pairs(pooling(answered).nominated, 8, 1, answered)
    assert [one.pair for one in found if not one.drawn] == [Pair(urls[3], urls[20])]
    assert len(found) == 9
    without = draw_pairs(pooling().nominated, 8, 1)
    assert {one.pair for one in without} == {one.pair for one in found if one.drawn}


def test_a_site_full_of_copies_does_not_fill_the_memory():
    made = PoolBuilder({"shingles": make_method("shingles"), "again": make_method("shingles")}, 1)
    words = [f"word{number}" for number in range(90)]
    for number in range(40):
        made.add(Document.of_text(str(number), " ".join([*words, f"edit{number}"])))
    most = Counter(one.pair.second for one in made.nominated)
    assert most["39"] <= MOST_A_PAGE + 1
    counts = count_alike(made.nominated, ("shingles", "again"))
    assert counts["shingles"] == counts["again"] == {"2": len(made.nominated)}


@given(
    st.dictionaries(st.integers(0, 5), st.integers(1, 60), min_size=1),
    st.integers(1, 200),
)
def test_all_places_of_a_pool_are_given(sizes, most):
    given_ = quotas(sizes, 5, most)
    assert given_.keys() == sizes.keys()
    assert all(0 <= given_[votes] <= sizes[votes] for votes in sizes)
    assert sum(given_.values()) == min(most, sum(sizes.values()))
    disputed = [votes for votes in sizes if 0 < votes < 5]
    for one, other in combinations(disputed, 2):  # even, as far as there are enough
        if given_[one] < sizes[one] and given_[other] < sizes[other]:
            assert abs(given_[one] - given_[other]) <= 1


def test_pages_that_need_no_judge_are_left_out():
    gathering = PoolPages(Settings(), most=3)
    texts = [" ".join(article(number, 60)) for number in range(5)]
    pages = {
        "https://a.example/1": texts[0],
        "https://A.example/1#top": texts[1],
        "https://a.example/2": texts[0],
        "https://a.example/3": "Too short to be compare_judges.",
        "https://a.example/4": texts[2],
        "https://a.example/5": texts[3],
        "https://a.example/6": texts[4],
    }
    for url, text in pages.items():
        gathering.add(url, read(Page(url=url, text=text)))
    assert [document.name for document in gathering] == [
        "https://a.example/1",
        "https://a.example/4",
        "https://a.example/5",
    ]
    assert gathering.outline("https://a.example/4").text == texts[2]
    assert gathering.left_out == {
        "met again": 1,
        "exact copies": 1,
        "too short or cut": 1,
        "beyond the limit": 1,
    }
    other = PoolPages(Settings(), most=3)
    assert other.digest != gathering.digest
    for document in gathering:
        other.add(document.name, document.outline)
    assert other.digest == gathering.digest
