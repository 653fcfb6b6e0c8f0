"""Verdicts on near matches: copies that differ in little, and entries of one template."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from dedup_middleware import DedupError, Deduplicator, Scores, Verdict
from dedup_middleware.similarity.model import save
from lab.training import train
from tests.support.templates import TEMPLATES
from tests.support.texts import article, html

Judge = Callable[..., list[Verdict]]
TESTS = ("fuzzy", "thesis", "fourgrams", "overlap", "off")
THESIS = {"sentences": "thesis"}
A, B = "https://a.example/", "https://b.example/"


def dressed(parts: list[str], *, top: str = "", end: str = "") -> str:
    return html(parts).replace("</h1>", f"</h1>{top}").replace("</body>", f"{end}</body>")


def related(seed: int) -> str:
    names = (" ".join(text.split()[:6]) for text in article(seed, 300)[:5])
    items = "".join(f'<li><a href="/{seed}/{at}">{name}</a></li>' for at, name in enumerate(names))
    return f"<h2>Read also</h2><ul>{items}</ul>"


CHANGES = {
    "date": {"top": ("<p>Published on 4 May 2021</p>", "<p>Published on 12 June 2023</p>")},
    "counter": {"end": ("<p>It was read 1834 times.</p>", "<p>It was read 99120 times.</p>")},
    "session": {"end": ("<p>Session 8f3a77c0d1e2</p>", "<p>Session 11bc09aa7733</p>")},
    "links": {"end": (related(21), related(25))},
    "author": {"top": ("<p>By Ada Holm</p>", "<p>By Per Strand</p>")},
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("words", [100, 400])
def test_what_changes_from_visit_to_visit_makes_no_other_page(judge, change, words):
    parts = article(11, words)
    pages = (
        dressed(parts, **{place: texts[at] for place, texts in CHANGES[change].items()})
        for at in (0, 1)
    )
    _, verdict = judge(*pages)
    assert (verdict.kind, verdict.original) == ("near", A)
    assert verdict.score > 0.9
    assert verdict.evidence.scores.swapped == (change != "links")


def test_all_of_it_at_once_makes_no_other_page(judge):
    parts = article(11, 400)
    pages = (
        dressed(
            parts,
            top="".join(CHANGES[name]["top"][at] for name in ("date", "author")),
            end="".join(CHANGES[name]["end"][at] for name in ("counter", "session", "links")),
        )
        for at in (0, 1)
    )
    _, verdict = judge(*pages)
    assert (verdict.kind, verdict.original) == ("near", A)
    assert "numbers or names differ in" in verdict.reason


OTHER_WORDS = "entity routine quantity produce obtain employ permit demand ordinary further".split()


def reworded(parts: list[str], every: int = 12) -> list[str]:
    """Put another word in the place of one in so many."""
    since, texts = 0, []
    for part in parts:
        words = part.split()
        for at, word in enumerate(words):
            since += 1
            if since >= every and word.isalpha() and word.islower() and len(word) > 3:
                words[at] = OTHER_WORDS[at % len(OTHER_WORDS)]
                since = 0
        texts.append(" ".join(words))
    return texts


PATTERN = re.compile(
    r"(?P<same>\d+) of (?P<total>\d+) sentences(?: \((?P<share>\d+)%\))? also appears? in "
    r"(?P<url>\S+?)"
    r"(?P<order>| in the same order|, mostly in the same order|, in another order)"
    r"(?:; (?P<reworded>\d+) (?:was|were) reworded)?(?:; (?P<new>\d+) (?:is|are) new)?"
    r"(?:; title or main heading is the same)?"
    r"(?:; numbers or names differ in (?P<places>\d+) places?)?"
    r"(?:\. That page is [\d.]+ times as long)?(?:\. [\w ]+, so it is kept)?; (?P<lost>.+)\."
)


@pytest.mark.parametrize("seed", [1, 5, 11, 20])
def test_an_article_that_was_lightly_reworded_all_over_is_near(judge, seed):
    parts = article(seed, 400)
    _, verdict = judge(html(parts), html(reworded(parts)))
    assert (verdict.kind, verdict.original) == ("near", A)
    told = PATTERN.fullmatch(verdict.reason)
    assert told
    assert int(told["reworded"]) > int(told["same"])
    assert told["order"] == " in the same order"


def test_the_reason_counts_sentences(judge):
    sentences = [
        "The harbour froze over in the first week of January.",
        "Men with poles and saws cut a channel that closed again every night.",
        "Bread came over the ice on sledges.",
        "The daughter of the baker counted all the loaves by lamplight.",
        "Nobody could say how long the flour would have to last.",
        "When the thaw arrived it came from below.",
        "The whole sheet moved out to sea with a sledge and two buoys.",
        "Two fishermen found a straw hat on the beach in spring.",
    ]
    other = list(sentences)
    other[3] = "The daughter of the baker counted all the loaves by candlelight."
    other[5:6] = [sentences[5], "Gulls were heard again."]
    _, verdict = judge(*("".join(f"<p>{text}</p>" for text in page) for page in (sentences, other)))
    assert verdict.kind == "near"
    assert verdict.reason == (
        f"7 of 9 sentences (78%) also appear in {A} in the same order; 1 was reworded; 1 is new. "
        "A text of it is new, so it is kept; 4 of its 88 words are not in that page."
    )
    assert verdict.evidence.scores.rs == (0.8889, 1.0)


MORE = "Gulls were heard again over the harbour, where the ice had gone out to sea at last."


@pytest.mark.parametrize("seed", [1, 5, 11])
def test_the_reason_fits_the_scores(judge, seed):
    parts = article(seed, 500)
    pages = html(parts), html([*reworded(parts, 40), MORE])
    verdict = judge(*pages)[1]
    told = PATTERN.fullmatch(verdict.reason)
    assert told
    same, total, changed, new = (
        int(told[name] or 0) for name in ("same", "total", "reworded", "new")
    )
    assert same + changed + new == total
    assert int(told["share"]) == round(100 * same / total)
    assert told["url"] == A
    assert verdict.evidence.scores.rs is not None
    assert verdict.evidence.scores.rs[0] == pytest.approx((same + changed) / total, abs=1e-4)


def sections(seed: int, count: int) -> list[str]:
    return [
        f"<section><h2>{' '.join(text.split()[:3])}</h2><p>{text}</p></section>"
        for text in (part.replace("<", "&lt;") for part in article(seed, 60 * count))
    ][:count]


@pytest.mark.parametrize("seed", [1, 11])
def test_a_section_that_was_moved_leaves_a_near_copy(judge, seed):
    parts = sections(seed, 8)
    _, verdict = judge("".join(parts), "".join([*parts[1:], parts[0]]))
    assert (verdict.kind, verdict.original) == ("near", A)
    assert "order" in verdict.reason
    assert verdict.evidence.scores.rs == (1.0, 1.0)
    scores = verdict.evidence.scores
    assert scores.tree is not None
    assert scores.tree[0] < 1


def test_an_excerpt_is_contained_and_the_length_is_told(judge):
    parts = article(11, 600)
    excerpt = parts[: len(parts) * 6 // 10]
    _, verdict = judge(html(parts), html(excerpt))
    assert (verdict.kind, verdict.original, str(verdict.action)) == ("contained", A, "tag")
    told = re.search(r" That page is (\d\.\d) times as long; ", verdict.reason)
    assert told
    longer = sum(len(text.split()) for text in parts) / sum(len(text.split()) for text in excerpt)
    assert float(told[1]) == pytest.approx(longer, abs=0.11)
    little = judge(html(parts), html(parts[: len(parts) // 4]), store="other")[1]
    assert (little.kind, str(little.action)) == ("contained", "tag")


def test_a_collection_names_all_that_it_holds(judge):
    one, two, three = article(1), article(2), article(3)
    verdict = judge(
        html(one), html(two), html(three), html([*one, *two, *three, *article(60, 600)])
    )[3]
    assert verdict.kind == "contains"
    assert set(verdict.evidence.swallowed) == {A, B, "https://c.example/"}
    assert verdict.original in verdict.evidence.swallowed
    assert re.fullmatch(
        r"It contains (\d+) of the \1 sentences \(100%\) of \S+ and of 2 more known pages, "
        r"and much that is new\.",
        verdict.reason,
    )


def test_a_known_page_of_one_sentence_is_contained_by_a_share_of_its_text(judge):
    words = " ".join(article(1)).replace(".", ",").split()[:40]
    one = f"<main><p>{' '.join(words)}</main>"
    verdict = judge(one, one.replace("</main>", f"<p>{'<p>'.join(article(2))}</main>"))[1]
    assert verdict.kind == "contains"
    assert verdict.reason == f"It contains 100% of the text of {A}, and much that is new."


def journal(store: Path) -> list[dict]:
    (path,) = (store / "journal").glob("*.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_journal_has_all_scores(judge, tmp_path):
    parts = article(11, 400)
    verdict = judge(html(parts), html(reworded(parts)))[1]
    line = journal(tmp_path / "store")[1]
    assert line["stage"] == verdict.evidence.stage == "sentences"
    assert line["scores"].keys() == {*Scores.__slots__} - {"changed"}
    for name in ("rs", "tree", "covered", "aligned", "sentence_share", "known"):
        assert line["scores"][name] == list(getattr(verdict.evidence.scores, name))
        assert all(0 <= share <= 1 for share in line["scores"][name])
    assert line["scores"]["known"][0] >= verdict.score, "what was reworded is known, too"
    assert line["reason"] == verdict.reason


@pytest.mark.parametrize("name", TESTS)
def test_each_way_to_compare_sentences_gives_a_verdict(judge, name):
    parts = article(11, 500)
    pages = {
        "unique": html(parts),
        "near": html([text.replace(" the ", " that ", 1) for text in parts[:4]] + parts[4:]),
        "contained": html(parts[: len(parts) * 6 // 10]),
        "contains": html([*parts, *article(50, 500)]),
        "other": html(article(80)),
    }
    for kind, page in pages.items():
        found = judge(pages["unique"], page, store=kind, method_options={"sentences": name})[1]
        expected = {"unique": "exact", "other": "unique"}.get(kind, kind)
        assert found.kind == expected, kind
        deep = kind in {"near", "contained", "contains"} and name != "off"
        assert (found.evidence.scores.rs is not None) is deep


def test_a_model_is_named_in_evidence_and_journal(judge, tmp_path):
    model = train([[text.lower().split()] for text in article(30, 3000)], number=7)
    save(model, tmp_path / "words.model")
    parts = article(11, 400)
    pages = html(parts), html(reworded(parts))
    plain = judge(*pages, store="plain")[1]
    learned = judge(*pages, method_options=THESIS | {"model": tmp_path / "words.model"})[1]
    assert (learned.kind, learned.evidence.model) == ("near", 7)
    assert (plain.kind, plain.evidence.model) == ("near", 0)
    assert journal(tmp_path / "store")[1]["model"] == 7
    assert journal(tmp_path / "plain")[1]["model"] == 0


def test_a_model_that_is_not_there_is_told(tmp_path):
    with pytest.raises(DedupError, match=r"Can't read the model .*absent.*python -m lab.train"):
        Deduplicator(tmp_path / "store", method_options=THESIS | {"model": tmp_path / "absent"})
    (tmp_path / "junk").write_bytes(b"junk")
    with pytest.raises(DedupError, match="junk is not a model"):
        Deduplicator(tmp_path / "store", method_options=THESIS | {"model": str(tmp_path / "junk")})
    with pytest.raises(
        DedupError, match="only the sentence tests fourgrams and thesis use a model"
    ):
        Deduplicator(tmp_path / "store", method_options={"model": str(tmp_path / "junk")})
    assert not (tmp_path / "store").exists()


def test_the_same_pages_in_the_same_order_give_the_same_verdicts(judge):
    one, two = article(1, 400), article(2, 400)
    pages = [
        *(html(one), html(two), html(reworded(one)), html(reworded(two, 5)), html(one[:-3])),
        *(html([*one, *two]), *TEMPLATES["products"], *TEMPLATES["results"]),
    ]
    assert judge(*pages, store="once") == judge(*pages, store="twice")


def test_other_thresholds_give_other_verdicts(judge):
    parts = article(11, 400)
    pages = html(parts), html(parts[:-3])
    assert judge(*pages, store="a", strictness="eager")[1].kind == "near"
    assert judge(*pages, store="b", strictness="strict")[1].kind == "contained"


def test_only_so_many_near_matches_are_compared(judge):
    """Pages of one template that are not alike enough: a site of them must stay cheap."""
    shared = article(20, 150)
    *_, verdict = judge(*(html([*shared, *article(100 + n, 110)]) for n in range(14)))
    assert verdict.kind == "unique"
    (note,) = verdict.evidence.notes
    assert re.fullmatch(r"\d+ more near matches were not compared word by word", note)
