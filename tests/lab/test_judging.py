"""Judging by people: agreement, answers, pools, labels, and pages that are kept for it."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.accuracy.scoring import Judgement, score
from benchmarks.accuracy.sets import batches_of, find_sets, labels_of
from dedup_middleware import Deduplicator, Page
from dedup_middleware.errors import DedupError
from dedup_middleware.lab import Answer, Answers, JudgingFolder, Pair, Pool, agreement
from dedup_middleware.lab.folder import render
from dedup_middleware.lab.pool import (
    MOST_A_PAGE,
    Gathering,
    Nominated,
    Pooling,
    Stratum,
    called_alike,
    choose,
    quotas,
)
from dedup_middleware.lab.status import (
    Gold,
    Sampled,
    compared,
    conflicts,
    gold_of,
    in_conflict,
    measured,
    precision,
    settled,
    status,
    wilson,
)
from dedup_middleware.methods import Document, make_method
from dedup_middleware.read import read
from dedup_middleware.settings import Settings
from tests.support.texts import article, html

ANSWERS = st.sampled_from(list(Answer))
NAMES = st.sampled_from("abc")


# kappa


def table(both: int, only_first: int, only_second: int, neither: int) -> list[tuple[bool, bool]]:
    cells = {
        (True, True): both,
        (True, False): only_first,
        (False, True): only_second,
        (False, False): neither,
    }
    return [answers for answers, count in cells.items() for _ in range(count)]


def test_kappa_of_the_worked_example():
    found = agreement(table(40, 20, 10, 30))
    assert found == (100, 0.7, 0.5, 0.4)
    assert found.reading == "fair"
    assert agreement(table(40, 10, 20, 30)) == found


@given(st.lists(st.tuples(ANSWERS, ANSWERS), min_size=1))
def test_kappa_is_what_its_definition_says(answers):
    found = agreement(answers)
    total = len(answers)
    observed = Fraction(sum(one is other for one, other in answers), total)
    chance = sum(
        Fraction(sum(one is answer for one, _ in answers), total)
        * Fraction(sum(other is answer for _, other in answers), total)
        for answer in Answer
    )
    assert found.observed == pytest.approx(float(observed))
    assert found.chance == pytest.approx(float(chance))
    if chance == 1:
        assert found.kappa is None
    else:
        assert found.kappa == pytest.approx(float((observed - chance) / (1 - chance)))
        assert found.kappa <= 1
    assert found.reading


@given(st.lists(st.tuples(ANSWERS, ANSWERS), min_size=1))
def test_kappa_does_not_ask_who_is_first(answers):
    assert agreement(answers) == agreement([(other, one) for one, other in answers])


@given(st.lists(ANSWERS, min_size=1))
def test_kappa_of_equal_answers_is_one_or_undefined(answers):
    found = agreement([(answer, answer) for answer in answers])
    assert found.observed == 1
    assert found.kappa == (1 if len(set(answers)) > 1 else None)


def test_kappa_where_there_is_nothing_to_tell():
    assert agreement([]) is None
    assert agreement(table(0, 5, 0, 0)).kappa == 0
    assert agreement(table(0, 5, 5, 0)).kappa == -1
    assert agreement(table(0, 5, 5, 0)).reading == "less than by chance"
    assert agreement(table(9, 0, 0, 0)).reading.startswith("undefined")
    assert agreement(table(9, 0, 0, 9)).reading == "almost perfect"


# answers


@settings(max_examples=30)  # each answer waits for the disk
@given(
    said=st.lists(
        st.tuples(NAMES, NAMES, st.sampled_from(["ann", "ben"]), ANSWERS, st.booleans()),
        max_size=12,
    )
)
def test_the_last_answer_of_a_judge_counts_whichever_way_round(tmp_path_factory, said):
    path = tmp_path_factory.mktemp("answers") / "answers.jsonl"
    answers = Answers(path)
    by_judge: dict[tuple[str, str, str], Answer] = {}
    resolved: dict[tuple[str, str], Answer] = {}
    for first, second, judge, answer, resolves in said:
        answers.record(Pair(first, second), judge, answer, resolves=resolves)
        for one, other, turned in ((first, second, False), (second, first, True)):
            seen = answer.turned if turned and first != second else answer
            if resolves:
                resolved[one, other] = seen
            else:
                by_judge[one, other, judge] = seen
    for kept in (answers, Answers(path)):
        assert kept.damaged == []
        for first in "abc":
            for second in "abc":
                expected = {
                    judge: by_judge[first, second, judge]
                    for judge in ("ann", "ben")
                    if (first, second, judge) in by_judge
                }
                assert kept.of(Pair(first, second)) == expected
                assert kept.resolution(Pair(first, second)) == resolved.get((first, second))


def test_answers_survive_torn_and_strange_lines(tmp_path):
    path = tmp_path / "answers.jsonl"
    answers = Answers(path)
    strange = Pair("https://a.example/\x1b[2J\n\ud800", "ü")
    answers.record(strange, "ann", Answer.SAME)
    whole = path.read_bytes()
    assert whole.count(b"\n") == 1
    assert whole.isascii()
    answer = {"judge": "x", "first": "a", "second": "b", "answer": "same"}
    bad = [b"[1]", b"3", b'{"judge":', json.dumps({**answer, "answer": "maybe"}).encode()]
    bad += [json.dumps({**answer, "first": 3}).encode(), b"\xff", b"[" * 10_000]
    path.write_bytes(whole + b"\n".join(bad) + b"\n" + whole[:-20])
    again = Answers(path)
    assert again.damaged == [2, 3, 4, 5, 6, 7, 8, 9]
    assert again.of(strange) == {"ann": Answer.SAME}
    again.record(Pair("c", "d"), "ben", Answer.OPEN)  # behind the torn line, not in it
    assert Answers(path).of(Pair("c", "d")) == {"ben": Answer.OPEN}
    assert Answers(path).judges == {"ann": 1, "ben": 1}


def test_answers_that_cannot_be_kept(tmp_path):
    answers = Answers(tmp_path / "absent" / "answers.jsonl")
    with pytest.raises(DedupError, match=r"Can't keep the answer in .*: No such file"):
        answers.record(Pair("a", "b"), "ann", Answer.SAME)
    assert answers.of(Pair("a", "b")) == {}
    with pytest.raises(DedupError, match="Can't read"):
        Answers(tmp_path)


# pools


def documents(count: int = 30) -> list[Document]:
    """Texts of which every third shares much or little with the one before."""
    made = []
    for number in range(count):
        parts = article(number, 120)
        if number % 3 == 1:
            parts = article(number - 1, 120)[: 1 + number % 4] + parts[number % 4 :]
        made.append(Document.of_text(f"https://a.example/{number}", "\n\n".join(parts)))
    return made


def pooling(wanted: tuple[Pair, ...] = (), seed: int = 1) -> Pooling:
    methods = {
        "strict": make_method("shingles", threshold=0.8),
        "loose": make_method("shingles", threshold=0.1),
        "looser": make_method("shingles", width=2, threshold=0.05),
    }
    made = Pooling(methods, seed, wanted)
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
            said = {name: kind is not None for name, kind in found[pair].said.items()}
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
    small, large = choose(nominated, 10, 1), choose(pooling().nominated, 25, 1)
    assert small == choose(pooling().nominated, 10, 1)
    assert {one.pair for one in small} < {one.pair for one in large}
    assert len(small) == 10
    assert choose(random.Random(3).sample(nominated, len(nominated)), 10, 1) == small
    assert choose(nominated, 10, 2) != small
    order = [one.votes for one in large]
    assert order != sorted(order)
    assert order != sorted(order, reverse=True)


def test_a_pool_holds_what_was_answered_already():
    urls = [one.name for one in documents()]
    answered = (Pair(urls[20], urls[3]), Pair(urls[5], "https://gone.example/"))
    found = choose(pooling(answered).nominated, 8, 1, answered)
    assert [one.pair for one in found if not one.drawn] == [Pair(urls[3], urls[20])]
    assert len(found) == 9
    without = choose(pooling().nominated, 8, 1)
    assert {one.pair for one in without} == {one.pair for one in found if one.drawn}


def test_a_site_full_of_copies_does_not_fill_the_memory():
    made = Pooling({"shingles": make_method("shingles"), "again": make_method("shingles")}, 1)
    words = [f"word{number}" for number in range(90)]
    for number in range(40):
        made.add(Document.of_text(str(number), " ".join([*words, f"edit{number}"])))
    most = Counter(one.pair.second for one in made.nominated)
    assert most["39"] <= MOST_A_PAGE + 1
    counts = called_alike(made.nominated, ("shingles", "again"))
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
    gathering = Gathering(Settings(), most=3)
    texts = [" ".join(article(number, 60)) for number in range(5)]
    pages = {
        "https://a.example/1": texts[0],
        "https://A.example/1#top": texts[1],
        "https://a.example/2": texts[0],
        "https://a.example/3": "Too short to be compared.",
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
    other = Gathering(Settings(), most=3)
    assert other.digest != gathering.digest
    for document in gathering:
        other.add(document.name, document.outline)
    assert other.digest == gathering.digest


# labels


@pytest.mark.parametrize(
    ("answers", "gold"),
    [
        ("", Gold("ignore")),
        ("open", Gold("ignore")),
        ("same", Gold("positive", ("exact", "near"))),
        ("same same", Gold("positive", ("exact", "near"))),
        ("first-in-second", Gold("positive", ("contains",))),
        ("second-in-first", Gold("positive", ("contained",))),
        ("second-in-first same", Gold("positive", ("exact", "near", "contained"))),
        ("first-in-second second-in-first", Gold("positive", ("contains", "contained"))),
        ("different", Gold("negative")),
        ("different open", Gold("negative")),
        ("different same", Gold("ignore")),
        ("different second-in-first same", Gold("ignore")),
    ],
)
def test_what_answers_add_up_to(answers, gold):
    assert gold_of([Answer(answer) for answer in answers.split()]) == gold


def test_a_resolution_stands_above_the_judges(tmp_path):
    answers, pair = Answers(tmp_path / "answers.jsonl"), Pair("a", "b")
    answers.record(pair, "ann", Answer.SAME)
    assert not in_conflict(pair, answers)
    answers.record(pair, "ben", Answer.OPEN)
    assert not in_conflict(pair, answers)
    answers.record(pair, "ben", Answer.DIFFERENT)
    assert in_conflict(pair, answers)
    assert settled(pair, answers) == Gold("ignore")
    answers.record(pair.turned, "cat", Answer.FIRST_IN_SECOND, resolves=True)
    assert settled(pair, answers) == Gold("positive", ("contained",))
    answers.record(pair, "dan", Answer.OPEN, resolves=True)
    assert settled(pair, answers) == Gold("ignore")


# precision


def test_wilson_of_known_figures():
    assert wilson(0.9, 10) == pytest.approx((0.5958, 0.9821), abs=1e-4)
    assert wilson(1, 20) == pytest.approx((0.8389, 1), abs=1e-4)
    assert wilson(0, 20) == pytest.approx((0, 0.1611), abs=1e-4)


@given(st.integers(1, 500), st.data())
def test_precision_of_one_sample_is_its_share(judged, data):
    right = data.draw(st.integers(0, judged))
    found = precision([Sampled(judged * 3, judged, judged, right), Sampled(0, 0, 0, 0)])
    assert found.share == pytest.approx(right / judged)
    assert 0 <= found.low <= found.share <= found.high <= 1
    assert found[1:] == pytest.approx(wilson(right / judged, judged))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), max_size=6))
def test_precision_is_exact_when_all_is_judged(strata):
    """Each stratum with its right, wrong and open pairs."""
    right, wrong, _ = (sum(column) for column in zip((0, 0, 0), *strata, strict=True))
    sampled = [
        Sampled(good + bad + left, good + bad + left, good + bad, good)
        for good, bad, left in strata
    ]
    found = precision(sampled)
    if right + wrong:
        assert found.share == pytest.approx(right / (right + wrong))
    else:
        assert found is None


def test_precision_counts_strata_by_their_size():
    found = precision([Sampled(900, 10, 10, 10), Sampled(100, 50, 50, 0)])
    assert found.share == pytest.approx(0.9)
    even = precision([Sampled(1000, 60, 60, 54)])
    assert found.high - found.low > even.high - even.low
    open_ones = precision([Sampled(100, 10, 10, 10), Sampled(100, 50, 5, 0)])
    assert open_ones.share == pytest.approx(100 / 110)
    neighbours = [Sampled(30, 0, 0, 0), Sampled(70, 7, 7, 7), Sampled(100, 5, 5, 0)]
    assert precision(neighbours).share == pytest.approx(0.5)
    assert precision([*neighbours, Sampled(100, 0, 0, 0)]).share == pytest.approx(1 / 3)
    assert precision([Sampled(9, 0, 0, 0)]) is None
    assert precision([]) is None


# pages that are kept


def same_outline(first, second) -> None:
    assert second.texts == first.texts
    assert second.boilerplate == first.boilerplate
    assert second.kinds == first.kinds
    assert second.parents == first.parents
    assert (second.title, second.language) == (first.title, first.language)


BLOCKS = "p h1 h2 h3 li td dt dd blockquote pre address figcaption nav footer div section".split()
BLOCKS += "article ul ol dl table aside header form".split()


@st.composite
def markup(draw, depth: int = 3) -> str:
    """HTML of nested blocks, boilerplate among them, some of it in odd places."""
    parts = []
    for _ in range(draw(st.integers(1, 4))):
        tag = draw(st.sampled_from(BLOCKS))
        word = f"{draw(st.sampled_from('tide boat harbour ice'.split()))} &lt;i> &amp; word."
        inner = draw(markup(depth - 1)) if depth and draw(st.booleans()) else ""
        parts.append(f"<{tag}>{word * draw(st.integers(0, 2))}{inner}</{tag}>")
    return "".join(parts)


@given(markup())
def test_a_page_reads_the_same_when_it_was_rendered(body):
    outline = read(Page(url="a", html=f"<title>T</title><main>{body}</main><p>Some main text."))
    again = read(Page(url="a", html=render(outline)))
    assert again.text == outline.text
    assert again.main == outline.main


@given(st.lists(st.text(st.characters(exclude_categories=("Cc", "Cn", "Cs")), max_size=30)))
def test_a_text_has_the_same_words_when_it_was_rendered(parts):
    document = Document.of_text("a", "\n\n".join(parts))
    again = Document.of(Page(url="a", html=render(document.outline)))
    assert again.words == document.words


@pytest.mark.parametrize("site", ["plain", "news"])
def test_a_real_page_is_rendered_with_its_boilerplate(site):
    parts = article(7)
    source = html(parts, "Seven <i>&amp;</i> 8", site).replace(
        "</p>", "</p><ul><li>One<ul><li>One and a half</ul><li>Two</ul><pre>x &lt; y</pre>", 2
    )
    outline = read(Page(url="a", html=source))
    assert any(outline.boilerplate) == (site == "news")
    same_outline(outline, read(Page(url="a", html=render(outline))))


def test_more_text_of_an_item_stays_before_its_list():
    source = "<ul><li>One<p>more of one<ul><li>inner</ul>after<li>Two</ul><p>End of it."
    outline = read(Page(url="a", html=source))
    same_outline(outline, read(Page(url="a", html=render(outline))))


def test_hostile_text_does_not_become_markup():
    bad = "</p><script>x()</script><!-- \x1b[2J \u202e \x00 \ufdd0p\ufdd1 \ud800 \x9b --> &lt; ok"
    outline = replace(
        read(Page(url="a", text=f"{bad}\n\nAnother paragraph.")),
        title=f"</title>{bad}",
        language='en"><b>',
    )
    source = render(outline)
    assert "<script" not in source
    assert "<b>" not in source
    again = read(Page(url="a", html=source))
    assert again.texts[0].startswith("</p><script>x()</script><!-- ")
    assert again.texts[-1] == "Another paragraph."
    assert again.language == 'en"><b>'
    json.loads(json.dumps(source))


def test_a_page_that_is_deep_keeps_its_words():
    source = "<ul><li>item " * 600 + "<h2>end</h2>"
    outline = read(Page(url="a", html=source))
    again = read(Page(url="a", html=render(outline)))
    assert again.text.split() == outline.text.split()


# the folder, which is a set


def pool_of(nominated: list[Nominated], methods: tuple[str, ...], **changes) -> Pool:
    values = {
        "pairs": tuple(nominated),
        "methods": methods,
        "seed": 1,
        "store": None,
        "paths": ("pages",),
        "pages": 30,
        "digest": "d",
        "left_out": {"too short or cut": 1},
        "strata": {"disputed": 1},
        "called": called_alike(nominated, methods),
        "made": "2026-01-01T00:00:00+00:00",
    }
    return Pool(**{**values, **changes})


@pytest.fixture
def folder(tmp_path) -> JudgingFolder:
    """A folder with six pairs of a page and another: edited, contained, or something else."""
    made, outlines = [], {}
    for number in range(6):
        parts = article(40 + number, 200)
        other = [*parts, "And one sentence more."] if number < 4 else article(70 + number)
        pair = Pair(f"https://a.example/{number}", f"https://b.example/{number}?q=1")
        for url, text in zip(pair, (parts, other), strict=True):
            outlines[url] = read(Page(url=url, html=html(text, f"Page {number}", "news")))
        said = {"cascade": "near" if number < 4 else None, "shingles": "near" if number else None}
        made.append(Nominated(pair, said))
    found = JudgingFolder(tmp_path / "judged")
    assert found.pool is None
    found.save(pool_of(made, ("cascade", "shingles")), outlines)
    return found


def answer(folder: JudgingFolder, judge: str, said: str) -> None:
    keys = {"s": Answer.SAME, "1": Answer.FIRST_IN_SECOND, "2": Answer.SECOND_IN_FIRST}
    keys |= {"d": Answer.DIFFERENT, "?": Answer.OPEN}
    for one, letter in zip(folder.pool.pairs, said, strict=False):
        folder.answers.record(one.pair, judge, keys[letter])


def test_a_folder_is_found_again(folder):
    answer(folder, "ann", "s2d")
    again = JudgingFolder(folder.path)
    assert again.pool == folder.pool
    assert again.answers.of(folder.pool.pairs[1].pair) == {"ann": Answer.SECOND_IN_FIRST}
    first, second = again.outlines(2)
    assert first.title == second.title == "Page 2 | News"
    assert any(first.boilerplate)


def test_the_benchmark_reads_the_set(folder):
    answer(folder, "ann", "s21dd?")
    assert folder.export() == {"skip": 6, "positive": 3, "negative": 2, "ignore": 1}
    problems: list[str] = []
    (found,) = find_sets([folder.path], problems)
    labels = labels_of(found, problems)
    assert (found.name, found.mode, found.size) == ("judged", "pairs", 12)
    assert [label.gold for label in labels[1::2]] == [
        *("positive", "positive", "positive", "negative", "negative", "ignore")
    ]
    assert {label.gold for label in labels[::2]} == {"skip"}
    assert [sorted(*label.positives.values()) for label in labels[1:6:2]] == [
        ["exact", "near"],
        ["contained"],
        ["contains"],
    ]
    assert len({label.url for label in labels}) == 12
    said = {}
    for number, rows in enumerate(batches_of(found, problems)):
        with Deduplicator(folder.path / "stores" / str(number)) as dedup:
            for row in rows:
                verdict = dedup.process(Page(url=row["url"], html=row["html"]))
                said[row["url"]] = Judgement(str(verdict.kind), verdict.original)
    assert problems == []
    total = score(labels, said)
    assert (total.positives, total.negatives) == (3, 2)
    assert (total.finds, total.wrong_originals, total.alarms) == (3, 0, 1)  # the fourth is alike


def test_a_page_may_stand_in_many_pairs(folder):
    pairs = [replace(one, pair=folder.pool.pairs[0].pair) for one in folder.pool.pairs]
    folder.pool = replace(folder.pool, pairs=tuple(pairs))
    folder.export()
    (found,) = find_sets([folder.path], [])
    assert len({label.url for label in labels_of(found, [])}) == 12


def test_two_judges_and_one_who_resolves(folder):
    answer(folder, "ann", "ssdd1?")
    answer(folder, "ben", "sdds2s")
    (two,) = compared(folder.pool, folder.answers)
    assert two.judges == ("ann", "ben")
    assert two.table == (2, 1, 1, 1)
    assert two.sides.pairs == 5
    assert two.sides.observed == pytest.approx(0.6)
    assert two.answers.pairs == 6
    assert two.answers.observed == pytest.approx(2 / 6)
    assert conflicts(folder.pool, folder.answers) == [1, 3, 4]
    assert folder.export()["ignore"] == 2  # kinds of likeness are no reason to leave a pair out
    folder.answers.record(folder.pool.pairs[1].pair, "cat", Answer.SAME, resolves=True)
    folder.answers.record(folder.pool.pairs[3].pair, "cat", Answer.DIFFERENT, resolves=True)
    assert conflicts(folder.pool, folder.answers) == [4]
    told = status(folder.pool, folder.answers)
    assert (told["conflicts"], told["unresolved"]) == (3, 1)
    assert told["gold"] == {"positive": 4, "negative": 2, "ignore": 0}
    assert told["answered"] == {"ann": 6, "ben": 6}
    assert compared(folder.pool, folder.answers) == [two]
    json.dumps(told)


def test_methods_are_measured_on_what_is_settled(folder):
    answer(folder, "ann", "ss?dsd")
    found = measured(folder.pool, folder.answers)
    cascade, shingles = found["cascade"], found["shingles"]
    assert cascade[:5] == (4, 3, 2, 2, 3)
    assert shingles[:5] == (5, 4, 2, 2, 3)
    # one vote: the first pair alone; two votes: three pairs, one right, one wrong, one left open
    assert cascade.precision.share == pytest.approx((1 * 1 + 2 * 1 / 2) / 3)
    pairs = (*folder.pool.pairs[:5], replace(folder.pool.pairs[5], drawn=False))
    found = measured(replace(folder.pool, pairs=pairs), folder.answers)
    assert found["shingles"][:3] == (5, 3, 2)


def test_a_pool_grows_in_its_folder(folder):
    before = [folder.outlines(place) for place in range(6)]
    new = Nominated(Pair("https://c.example/", "https://d.example/"), {"cascade": None})
    outlines = dict(zip(new.pair, before[0], strict=True))
    folder.save(replace(folder.pool, pairs=(*folder.pool.pairs, new)), outlines)
    again = JudgingFolder(folder.path)
    assert [again.outlines(place) for place in range(7)] == [*before, before[0]]


def test_an_interrupted_start_is_begun_anew(folder):
    (folder.path / "pool.jsonl").unlink()  # it comes last
    assert JudgingFolder(folder.path).pool is None


@pytest.mark.parametrize("name", ["pages.jsonl.gz", "labels.jsonl.gz", "meta.json"])
def test_other_sets_are_left_alone(tmp_path, name):
    (tmp_path / name).write_bytes(b"mine")
    with pytest.raises(DedupError, match=rf"not made by judging \({name}, but no pool.jsonl\)"):
        JudgingFolder(tmp_path)


@pytest.mark.parametrize("bad", [b"", b"[]\n", b"{}\n", b'{"v": 1}\n', b'{"v": 1', b"\xff\n"])
def test_a_damaged_pool_is_told(folder, bad):
    (folder.path / "pool.jsonl").write_bytes(bad)
    with pytest.raises(DedupError, match=r"pool.jsonl is damaged .* copy of .*answers.jsonl"):
        JudgingFolder(folder.path)


def test_a_pool_of_another_version_is_told(folder):
    (folder.path / "pool.jsonl").write_bytes(b'{"v": 2}\n')
    with pytest.raises(DedupError, match="another version"):
        JudgingFolder(folder.path)


@pytest.mark.parametrize("kept", [0, 50, None])
def test_damaged_pages_are_told(folder, kept):
    path = folder.path / "pages.jsonl.gz"
    if kept is None:
        path.write_bytes(gzip.compress(b'{"html": "one"}\n'))
    else:
        path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(DedupError, match=r"pages.jsonl.gz is damaged"):
        JudgingFolder(folder.path).outlines(0)


def test_a_folder_that_cannot_be_written(folder, tmp_path):
    (tmp_path / "file").write_text("")
    other = JudgingFolder(folder.path)
    other.path = tmp_path / "file" / "inner"
    with pytest.raises(DedupError, match="Can't write"):
        other.export()
    assert not list(Path(folder.path).glob(".*"))
