"""What is a page's own: pages of one template, changes around the text, text outside main text."""

from __future__ import annotations

import pytest

from dedup_middleware import Deduplicator, Page
from dedup_middleware.judge.match import YOUNG
from dedup_middleware.store.memory import MemoryStore
from tests.support.texts import paragraphs

WORDS = " ".join(paragraphs()).split()
PAGES = 30
HOST = "https://blog.example"


def words(count: int, place: int) -> str:
    start = place * 61 % (len(WORDS) - count)
    return " ".join(WORDS[start : start + count])


SHARED = words(264, 1)


def post(number: int, *, named: bool, tail: str = "") -> str:
    """Make a page with 40 words of its own beside 264 shared ones, all in plain divs."""
    own = words(40, 100 + 7 * number)
    title = words(4, 1000 + 5 * number) if named else "My site"
    return (
        f"<html><head><title>{title}</title></head><body><div><div>{own}</div>"
        f"<div>{SHARED}</div></div>{tail}</body></html>"
    )


@pytest.mark.parametrize("named", [True, False])
def test_pages_of_one_template_pass_and_their_copies_are_found(named: bool) -> None:
    """The first without names may be tagged near, for nobody knows yet what the host repeats."""
    with Deduplicator(MemoryStore()) as dedup:
        verdicts = [
            dedup.process(Page(url=f"{HOST}/{n}", html=post(n, named=named))) for n in range(PAGES)
        ]
        assert not any(one.action == "drop" for one in verdicts)
        assert {str(one.kind) for one in verdicts[0 if named else YOUNG :]} == {"unique"}
        for n in range(PAGES):
            printed = post(n, named=named, tail="<p>Printed version</p>")
            verdict = dedup.process(Page(url=f"{HOST}/print/{n}", html=printed))
            assert (verdict.kind, verdict.original) == ("near", f"{HOST}/{n}")
            assert verdict.evidence.generation > 0


def test_a_host_that_spoils_its_memory_spoils_no_other() -> None:
    victim = f"<title>Victim</title><p>{words(200, 50)}</p>"
    with Deduplicator(MemoryStore()) as dedup:
        for n in range(20):
            own = f"<title>{n}</title><p>{words(60, 300 + n)}</p><p>{words(200, 50)}</p>"
            dedup.process(Page(url=f"https://bad.example/{n}", html=own))
        page = Page(url="https://victim.example/", html=victim)
        assert dedup.process(page).kind in {"unique", "contained"}
        copy = Page(url="https://victim.example/2", html=victim + "<p>Printed version</p>")
        assert dedup.process(copy).original == "https://victim.example/"


def test_pages_with_few_words_of_their_own_match_only_byte_by_byte() -> None:
    def short(n: int) -> str:
        return (
            f"<title>{words(3, 1500 + n)}</title><div>{words(10, 700 + 3 * n)}</div>"
            f"<div>{SHARED}</div>"
        )

    with Deduplicator(MemoryStore()) as dedup:
        for n in range(12):
            assert not dedup.process(Page(url=f"{HOST}/{n}", html=short(n))).redundant
        last = dedup.process(Page(url=f"{HOST}/other", html=short(20)))
        assert "words of its own: too few to compare" in last.reason
        assert dedup.process(Page(url=f"{HOST}/again", html=short(3))).original == f"{HOST}/3"
        assert dedup.process(Page(url=f"{HOST}/tail", html=short(3) + "<p>x")).kind == "unique"


@pytest.mark.parametrize(
    "around",
    [
        "<footer>Today is {n}:{n}, page made in {n} ms</footer>",
        "<aside><p>Visitors: {n}</p></aside>",
        "<nav><a href=/{n}>Offer {n} of the day</a></nav>",
    ],
)
def test_a_change_around_the_main_text_is_no_update(around: str) -> None:
    text = f"<title>Tides</title><main><h1>Tides</h1><p>{words(120, 9)}</p></main>"
    with Deduplicator(MemoryStore()) as dedup:
        dedup.process(Page(url=HOST, html=text + around.format(n=1)))
        verdict = dedup.process(Page(url=HOST, html=text + around.format(n=2)))
        assert (verdict.kind, verdict.evidence.stage) == ("unchanged", "main")
        changed = text.replace(WORDS[9 * 61 + 5], "7,000", 1) + around.format(n=3)
        assert dedup.process(Page(url=HOST, html=changed)).kind == "updated"


def test_a_rotating_promotion_in_a_plain_div_is_no_update() -> None:
    promotions = [words(25, 2000 + n) for n in range(3)]

    def page(n: int, round_: int) -> str:
        promotion = promotions[(n + round_) % 3]
        return f"<title>Post {n}</title><div>{words(90, 400 + 3 * n)}</div><div>{promotion}</div>"

    with Deduplicator(MemoryStore()) as dedup:
        for n in range(32):
            assert dedup.process(Page(url=f"{HOST}/{n}", html=page(n, 0))).kind == "unique"
        again = (dedup.process(Page(url=f"{HOST}/{n}", html=page(n, 1))) for n in range(32))
        kinds = {str(verdict.kind) for verdict in again}
    assert kinds == {"unchanged"}


def test_an_article_outside_the_main_text_is_seen() -> None:
    """Main text is a guess: here it is a notice, and the article is in an aside."""
    notice = f"<main><p>{words(40, 5)}</p></main>"
    with Deduplicator(MemoryStore()) as dedup:
        for n in range(3):
            html = f"<title>Site</title>{notice}<aside><p>{words(300, 900 + 11 * n)}</p></aside>"
            verdict = dedup.process(Page(url=f"https://h{n}.example/", html=html))
            assert verdict.kind == "unique", verdict.reason
