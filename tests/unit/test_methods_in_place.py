"""Methods in the place of the cascade: over the store, across runs, in a crawl."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from dedup_middleware import Deduplicator, Page, SchemeMismatch, SettingError, Verdict
from dedup_middleware.methods import Document, make_method, method_class, method_names
from tests.support.crawling import Job, Web, crawl
from tests.support.texts import article, html

A, B, C, D = (f"https://{host}.example/" for host in "abcd")
OTHERS = [name for name in method_names() if name != "cascade"]
COPY = html(article(1), site="news")  # the same text in another template: not exact


def see(dedup: Deduplicator, url: str, source: str) -> Verdict:
    return dedup.process(Page(url=url, html=source))


def fill(dedup: Deduplicator) -> None:
    """Make some pages known: methods that weigh words by rarity need a corpus."""
    see(dedup, A, html(article(1)))
    for seed in range(2, 8):
        see(dedup, f"https://example.org/{seed}", html(article(seed)))


@pytest.mark.parametrize("name", method_names())
def test_options_say_what_they_mean(name: str) -> None:
    options = [one for one in fields(method_class(name)) if one.init and one.name != "tables"]
    assert options
    assert all(one.metadata["help"].endswith(".") for one in options)
    made = make_method(name)
    assert made.candidates(Document.of_text("a", "Nothing is known yet.")) == []


@pytest.mark.parametrize("name", OTHERS)
def test_a_copy_is_found_and_another_page_is_not(name: str, tmp_path: Path) -> None:
    with Deduplicator(tmp_path / "s", method=name) as dedup:
        fill(dedup)
        other = see(dedup, C, html(article(30)))
        verdict = see(dedup, B, COPY)
    assert (other.kind, other.original) == ("unique", None)
    assert (verdict.kind, verdict.original) == ("near", A)
    assert verdict.score > 0.9
    assert verdict.evidence.stage == "method"
    assert name in verdict.reason


@pytest.mark.parametrize("name", OTHERS)
def test_a_store_that_is_opened_again_knows_its_pages(name: str, tmp_path: Path) -> None:
    with Deduplicator(tmp_path / "s", method=name) as dedup:
        fill(dedup)
    with Deduplicator(tmp_path / "s", method=name) as dedup:
        verdict = see(dedup, B, COPY)
        assert (verdict.kind, verdict.original) == ("near", A)


@pytest.mark.parametrize("name", OTHERS)
def test_what_was_withdrawn_or_replaced_matches_no_more(name: str, tmp_path: Path) -> None:
    with Deduplicator(tmp_path / "s", method=name) as dedup:
        lost = dedup.receive(Page(url=A, html=html(article(1))))
        fill_others = [see(dedup, f"https://example.org/{n}", html(article(n))) for n in (2, 3, 4)]
        dedup.settle(withdrawn=[lost.number])
        assert see(dedup, B, COPY).kind == "unique"
        assert see(dedup, B, html(article(50))).kind == "updated"
        assert see(dedup, C, html(article(1))).kind == "unique"
        assert all(verdict.kind == "unique" for verdict in fill_others)


@pytest.mark.parametrize("name", OTHERS)
def test_short_pages_match_only_if_they_are_equal(name: str, tmp_path: Path) -> None:
    with Deduplicator(tmp_path / "s", method=name) as dedup:
        see(dedup, A, "<p>Please enable JavaScript to go on.</p>")
        verdict = see(dedup, B, "<p>Please enable JavaScript to go on.</p><!-- b -->")
        assert verdict.kind == "unique"
        assert see(dedup, C, "<p>Please enable JavaScript to go on, or leave.</p>").kind == "unique"


@pytest.mark.parametrize("name", OTHERS)
def test_probing_leaves_no_trace(name: str, tmp_path: Path) -> None:
    with Deduplicator(tmp_path / "s", method=name) as dedup:
        fill(dedup)
        for _ in range(2):
            assert dedup.probe(Page(url=B, html=COPY)).original == A
            assert dedup.probe(Page(url=C, html=html(article(30)))).kind == "unique"
        assert see(dedup, C, html(article(30))).kind == "unique"


def test_a_method_without_direction_does_not_speak_of_shares(tmp_path: Path) -> None:
    parts = article(1, 600)
    for name, expected in (("minhash", "are 6"), ("fingerprints", "% of its text also appears in")):
        with Deduplicator(tmp_path / name, method=name) as dedup:
            see(dedup, A, html(parts))
            verdict = see(dedup, B, html(parts[: len(parts) * 65 // 100]))
        assert verdict.original == A
        assert expected in verdict.reason
        scores = verdict.evidence.scores
        assert (scores.resemblance is None) == (scores.containment is not None)


def test_a_store_belongs_to_its_method(tmp_path: Path) -> None:
    with Deduplicator(tmp_path / "s", method="shingles", method_options={"width": 5}) as dedup:
        see(dedup, A, html(article(1)))
    with pytest.raises(SchemeMismatch, match=r'by the method shingles \{"width": 5\}, not by casc'):
        Deduplicator(tmp_path / "s")
    with pytest.raises(SchemeMismatch):
        Deduplicator(tmp_path / "s", method="shingles")
    stricter = {"width": 5, "threshold": 0.9}  # what is stored does not depend on it
    with Deduplicator(tmp_path / "s", method="shingles", method_options=stricter) as dedup:
        assert see(dedup, B, COPY).original == A
    with Deduplicator(tmp_path / "t") as dedup:
        see(dedup, A, html(article(1)))
    with pytest.raises(SchemeMismatch, match="by the method cascade, not by shingles"):
        Deduplicator(tmp_path / "t", method="shingles")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("shingels", {}, "DEDUP_METHOD: There is no method 'shingels'"),
        ("shingles", {"widht": 4}, "no option 'widht'; it has threshold, width"),
        ("shingles", {"width": "wide"}, "'width' of the method shingles must be a whole number"),
        ("shingles", {"threshold": 7}, "'threshold' of the method shingles must be from 0 to 1"),
        ("shingles", ["width"], "DEDUP_METHOD_OPTIONS must map"),
        ("shingles", {"tables": None}, "no option 'tables'"),
        ("cascade", {"threshold": 0.5}, "DEDUP_METHOD_OPTIONS are not for the cascade"),
    ],
)
def test_bad_options_are_named(tmp_path: Path, name, options, message) -> None:
    with pytest.raises(SettingError, match=message):
        Deduplicator(tmp_path / "s", method=name, method_options=options)
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("name", ["shingles", "patricia"])  # index in the store, in memory
def test_a_crawl_with_another_method(name: str, tmp_path: Path) -> None:
    with Web() as web:
        web.put("/a", html(article(1)))
        web.put("/a-news", COPY)
        web.put("/b", html(article(30)))
        steps = {"steps": [[web.url(path)] for path in ("/a", "/a-news", "/b")]}
        settings = {"DEDUP_METHOD": name, "DEDUP_METHOD_OPTIONS": '{"threshold": 0.6}'}
        (done,) = crawl(tmp_path, Job("components:Pages", steps, settings))
    assert [web.path(dropped["url"]) for dropped in done.dropped] == ["/a-news"]
    assert done.dedup["verdict/near"] == 1
    assert done.dedup["verdict/unique"] == 2
    assert done.dedup["stage/method"] >= 1
    place = "store" if name == "shingles" else "memory"
    assert any(f"compared by {name}; index in" in text and place in text for _, text in done.log)
