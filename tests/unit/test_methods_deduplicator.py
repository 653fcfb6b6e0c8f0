"""Methods instead of the cascade: in a deduplicator, across runs, in a crawl."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from lxml.html import document_fromstring as fromstring

from dedup_middleware import Deduplicator, Page, SchemeMismatch, SettingError, Verdict
from dedup_middleware.methods import Document, make_method, method_class, method_names
from tests.support.commands import scrapy
from tests.support.crawling import Job, Web, crawl
from tests.support.decisions import unpack
from tests.support.texts import article, html

A, B, C, D = (f"https://{host}.example/" for host in "abcd")
OTHERS = [name for name in method_names() if name != "cascade"]
COPY = html(article(1), site="news")  # the same text in another template: not exact


def process(dedup: Deduplicator, url: str, source: str) -> Verdict:
    return dedup.process(Page(url=url, html=source))


def fill(dedup: Deduplicator) -> None:
    """Add some pages: methods that weigh words by rarity need a corpus."""
    process(dedup, A, html(article(1)))
    for seed in range(2, 8):
        process(dedup, f"https://example.org/{seed}", html(article(seed)))


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
        other = process(dedup, C, html(article(30)))
        verdict = process(dedup, B, COPY)
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
        verdict = process(dedup, B, COPY)
        assert (verdict.kind, verdict.original) == ("near", A)


@pytest.mark.parametrize("name", OTHERS)
def test_withdrawn_and_replaced_pages_match_no_more(name: str, tmp_path: Path) -> None:
    with Deduplicator(tmp_path / "s", method=name) as dedup:
        lost = dedup.judge(Page(url=A, html=html(article(1))))
        fill_others = [
            process(dedup, f"https://example.org/{n}", html(article(n))) for n in (2, 3, 4)
        ]
        dedup.settle(withdrawn=[lost.number])
        assert process(dedup, B, COPY).kind == "unique"
        assert process(dedup, B, html(article(50))).kind == "updated"
        assert process(dedup, C, html(article(1))).kind == "unique"
        assert all(verdict.kind == "unique" for verdict in fill_others)


@pytest.mark.parametrize("name", OTHERS)
def test_short_pages_match_only_if_they_are_equal(name: str, tmp_path: Path) -> None:
    with Deduplicator(tmp_path / "s", method=name) as dedup:
        process(dedup, A, "<p>Please enable JavaScript to go on.</p>")
        verdict = process(dedup, B, "<p>Please enable JavaScript to go on.</p><!-- b -->")
        assert verdict.kind == "unique"
        assert (
            process(dedup, C, "<p>Please enable JavaScript to go on, or leave.</p>").kind
            == "unique"
        )


@pytest.mark.parametrize("name", OTHERS)
def test_probing_leaves_no_trace(name: str, tmp_path: Path) -> None:
    with Deduplicator(tmp_path / "s", method=name) as dedup:
        fill(dedup)
        for _ in range(2):
            assert dedup.probe(Page(url=B, html=COPY)).original == A
            assert dedup.probe(Page(url=C, html=html(article(30)))).kind == "unique"
        assert process(dedup, C, html(article(30))).kind == "unique"


def test_the_reason_of_a_symmetric_method_has_no_shares(tmp_path: Path) -> None:
    parts = article(1, 600)
    for name, expected in (("minhash", "are 6"), ("fingerprints", "% of its text also appears in")):
        with Deduplicator(tmp_path / name, method=name) as dedup:
            process(dedup, A, html(parts))
            verdict = process(dedup, B, html(parts[: len(parts) * 65 // 100]))
        assert verdict.original == A
        assert expected in verdict.reason
        scores = verdict.evidence.scores
        assert (scores.resemblance is None) == (scores.containment is not None)


def test_a_store_belongs_to_its_method(tmp_path: Path) -> None:
    with Deduplicator(tmp_path / "s", method="shingles", method_options={"width": 5}) as dedup:
        process(dedup, A, html(article(1)))
    with pytest.raises(SchemeMismatch, match=r'by the method shingles \{"width": 5\}, not by casc'):
        Deduplicator(tmp_path / "s")
    with pytest.raises(SchemeMismatch):
        Deduplicator(tmp_path / "s", method="shingles")
    stricter = {"width": 5, "threshold": 0.9}  # what is stored does not depend on it
    with Deduplicator(tmp_path / "s", method="shingles", method_options=stricter) as dedup:
        assert process(dedup, B, COPY).original == A
    with Deduplicator(tmp_path / "t") as dedup:
        process(dedup, A, html(article(1)))
    with pytest.raises(SchemeMismatch, match="by the method cascade, not by shingles"):
        Deduplicator(tmp_path / "t", method="shingles")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        (
            "shingels",
            {},
            "DEDUP_METHOD: There is no method 'shingels'; choose one of cascade, characters",
        ),
        ("shingles", {"widht": 4}, "no option 'widht'; it has threshold, width"),
        ("shingles", {"width": "wide"}, "'width' of the method shingles must be a whole number"),
        ("shingles", {"threshold": 7}, "'threshold' of the method shingles must be from 0 to 1"),
        ("shingles", ["width"], "DEDUP_METHOD_OPTIONS must map"),
        ("shingles", {"tables": None}, "no option 'tables'"),
        ("cascade", {"threshold": 0.5}, "DEDUP_METHOD_OPTIONS of the cascade are sentences"),
    ],
)
def test_bad_options_are_named(tmp_path: Path, name, options, message) -> None:
    with pytest.raises(SettingError, match=message):
        Deduplicator(tmp_path / "s", method=name, method_options=options)
    assert not (tmp_path / "s").exists()


EDITED = {
    "shingles": {},
    "characters": {},
    "minhash": {},
    "simhash": {"threshold": 0.9},
    "dsc": {"modulus": 5},
    "fingerprints": {},
    "imatch": {},
}


@pytest.mark.parametrize("name", EDITED)
def test_an_edited_copy_is_near_before_and_after_the_store_is_opened_again(
    name: str, tmp_path: Path
) -> None:
    url = "https://example.org/{}".format
    parts = article(1, 400)
    edited = [*parts[:-1], parts[-1] + " Filed under the same heading as before."]
    for visit in range(2):
        with Deduplicator(tmp_path / "s", method=name, method_options=EDITED[name]) as dedup:
            if not visit:
                for seed in range(8):
                    page = Page(url=url(seed), html=html(article(seed, 400)))
                    assert dedup.process(page).kind == "unique"
            copy = dedup.process(Page(url=url(f"copy-{visit}"), html=html(edited, site="news")))
            assert (copy.kind, copy.original) == ("near", url(1))
            other = dedup.process(Page(url=url(f"new-{visit}"), html=html(article(20 + visit))))
            assert (other.kind, other.original) == ("unique", None)


@pytest.mark.parametrize("name", ["shingles", "characters", "dsc", "fingerprints"])
def test_excerpts_and_collections_by_containment(name: str, tmp_path: Path) -> None:
    options = {"containment": True, "threshold": 0.7} | EDITED[name]
    one, two, three = article(1, 400), article(2, 400), article(3, 400)
    with Deduplicator(tmp_path / "s", method=name, method_options=options) as dedup:

        def judged(url: str, parts: list[str]) -> tuple[str, str | None]:
            verdict = dedup.process(Page(url=f"https://example.org/{url}", html=html(parts)))
            return str(verdict.kind), verdict.original

        assert judged("one", one) == ("unique", None)
        assert judged("part", one[: len(one) // 2]) == ("contained", "https://example.org/one")
        assert judged("all", [*one, *two, *three])[0] == "contains"
        assert judged("two", two) == ("contained", "https://example.org/all")


def reworded(parts: list[str]) -> list[str]:
    """Edit a page: a sentence more at its beginning, two words changed in its middle."""
    first, *rest = parts
    middle = len(rest) // 2
    words = rest[middle].split()
    words[3], words[-2] = "otherwise", "elsewhere"
    return [f"{first} It was edited.", *rest[:middle], " ".join(words), *rest[middle + 1 :]]


@pytest.mark.parametrize("name", ["patricia", "fourgrams", "fuzzy"])
def test_copies_and_excerpts_are_found_and_known_when_the_store_is_opened_again(name, tmp_path):
    whole = article(1, 1200)
    with Deduplicator(tmp_path / "store", method=name) as dedup:
        assert process(dedup, A, html(whole)).kind == "unique"
        for seed in (40, 41, 42):
            assert process(dedup, f"{D}{seed}", html(article(seed, 600))).kind == "unique"
        copy = process(dedup, B, html(reworded(whole), site="news"))
        assert (copy.kind, copy.original) == ("near", A)
        assert 0.6 < copy.score < 1
        assert name in copy.reason
    with Deduplicator(tmp_path / "store", method=name) as dedup:
        excerpt = process(dedup, C, html(whole[2 : len(whole) // 2], site="news"))
        assert (excerpt.kind, excerpt.original) == ("contained", A)
        other = process(dedup, f"{D}other", html(article(60, 600)))
        assert other.kind == "unique"
        larger = process(dedup, f"{D}larger", html([*article(60, 600), *article(80, 900)]))
        assert (larger.kind, larger.original) == ("contains", f"{D}other")


@pytest.mark.parametrize(
    ("name", "options", "added"), [("codet", {}, 500), ("oscds", {"threshold": 0.8}, 300)]
)
def test_methods_by_sentences_name_the_kind(
    name: str, options: dict[str, object], added: int, tmp_path: Path
) -> None:
    parts = article(1, 400)
    edited = [part.replace(" is ", " was ") for part in parts[1:]] + ["One more line, of my own."]
    pages = {
        "original": html(parts, "Original", "news"),
        "edited": html(edited, "Edited"),
        "excerpt": html(parts[: len(parts) // 3], "Excerpt"),
        "other": html(article(40, 400), "Other", "news"),
    }
    url = "https://example.org/{}".format
    with Deduplicator(tmp_path / "s", method=name, method_options=options) as dedup:
        verdicts = {one: process(dedup, url(one), body) for one, body in pages.items()}
    assert {one: str(verdict.kind) for one, verdict in verdicts.items()} == {
        "original": "unique",
        "edited": "near",
        "excerpt": "contained",
        "other": "unique",
    }
    assert {verdicts[one].original for one in ("edited", "excerpt")} == {url("original")}
    with Deduplicator(tmp_path / "s", method=name, method_options=options) as dedup:
        again = process(dedup, url("again"), pages["edited"] + "<p>And this.")
        wider = html([*article(80, added), *article(40, 400)], "Wider")
        around = process(dedup, url("around"), wider)
    assert (str(again.kind), again.original) == ("near", url("original"))
    assert (str(around.kind), around.original) == ("contains", url("other"))


@pytest.mark.parametrize("name", ["shingles", "fuzzy"])
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
    assert any(f"compared by {name}; index in the store" in text for _, text in done.log)


def test_a_crawl_with_oscds_tells_the_class(tmp_path: Path) -> None:
    whole = article(1, 400)
    with Web() as web:
        web.put("/a", html(whole))
        web.put("/copy", html(whole, site="news"))
        web.put("/half", html([*whole[: len(whole) * 2 // 3], *article(90, 150)], site="news"))
        steps = {"steps": [[web.url(path)] for path in ("/a", "/copy", "/half")]}
        (done,) = crawl(tmp_path, Job("components:Pages", steps, {"DEDUP_METHOD": "oscds"}))
        found = {web.path(line["url"]): line for line in done.journal}
    assert [found[path].get("level") for path in ("/a", "/copy", "/half")] == [
        None,
        "exact",
        "high",
    ]
    assert found["/copy"]["reason"].endswith("Found by the method oscds, as exact copy.")
    store = (done.folder / done.stats["dedup/journal"]).parents[1]
    made = scrapy("report", "--store", store, "--output", "report.html", cwd=tmp_path)
    assert made.returncode == 0
    page = fromstring((tmp_path / "report.html").read_text("utf-8"))
    rows: Any = unpack(page.get_element_by_id("packed-rows").text)
    reasons = " ".join(rows["reasons"])
    assert "as exact copy" in reasons
    assert "as high copy" in reasons
