"""The file that `scrapy dedup report` writes, in Chromium."""

from __future__ import annotations

import json
from collections import Counter

from selenium.webdriver.common.keys import Keys

from dedup_middleware.inspect.decisions import Decision, doubt
from tests.support.texts import article, html

from .chromium import counted, listed, open_drop, opened
from .pages import EDITED, NEW, scan, write_report

DOUBTFUL = 0.25  # as in doubtful.js


def test_the_summary_is_that_of_the_journal(page, decisions):
    actions = Counter(one["action"] for one in decisions)
    tiles = dict(zip(page.texts("#tiles dt"), page.texts("#tiles b"), strict=True))
    assert tiles["Pages judged"] == str(len(decisions))
    assert tiles["Dropped"] == str(actions["drop"])
    assert tiles["Passed"] == str(actions["pass"] + actions["tag"])
    buttons = page.run("""
        return [...document.querySelectorAll("#verdicts button")]
          .map((one) => [one.dataset.kind,
            parseInt(one.querySelector(".verdict-count").textContent)]);
    """)
    assert dict(buttons) == Counter(one["verdict"] for one in decisions)
    assert len(buttons) >= 6
    counted(page, f"{len(decisions)} decisions")
    spared = sum(one["bytes"] for one in decisions if one["action"] == "drop")
    assert tiles["Not stored or processed"] == f"{int(spared / 1024 + 0.5)} KiB"  # half up
    assert page.text("#live") == "the run has ended"


def doubts_of(decisions):
    """Return the doubt of each page; of a URL that comes twice, the first one."""
    return {one["url"]: doubt(Decision.of(one)) for one in reversed(decisions)}


def test_it_opens_on_the_doubtful_drops(page, decisions):
    dropped = [one for one in decisions if one["action"] == "drop"]
    doubts = doubts_of(decisions)
    ranked = sorted(dropped, key=lambda one: -doubts[one["url"]])
    doubtful = [one for one in ranked if doubts[one["url"]] >= DOUBTFUL]
    assert 0 < len(doubtful) <= len(dropped)
    shown = page.texts("#doubtful-rows .pair-of-pages > bdi")
    assert len(shown) == min(8, len(doubtful))
    top = page.find("#doubtful").rect
    assert top["y"] + top["height"] < 900  # without scrolling
    assert [one["url"] for one in listed(page)][: len(doubtful)] == [one["url"] for one in doubtful]
    page.click("#doubtful-rows button")
    opened(page)
    assert page.text("#detail-title").endswith(doubtful[0]["url"])
    page.press("j")
    assert page.text("#detail-position") == f"2 of {len(decisions)}"
    page.press(Keys.ESCAPE)
    page.click("#doubtful-more button")
    counted(page, f"{len(dropped)} of {len(decisions)} decisions")
    assert page.texts("#chips button") == ["dropped ×"]


def test_clusters_list_the_copies_of_a_page(page, decisions):
    copies = {}
    for one in decisions:
        if one["action"] == "drop" and one["original"] != one["url"]:
            copies.setdefault(one["original"], set()).add(one["url"])
    most = max(map(len, copies.values()))
    assert page.text("#clusters summary .copies") == f"{most} copies"
    page.run("document.querySelector('#clusters summary').focus()")
    page.press(Keys.ENTER)
    page.wait("return document.querySelector('#clusters details[open] li')")
    original = page.run("return document.querySelector('#clusters details').dataset.original")
    titles = "return [...document.querySelectorAll('#clusters details[open] li bdi')]"
    assert set(page.run(f"{titles}.map((one) => one.title)")) == copies[original]
    page.click("#clusters details[open] .actions button")
    counted(page, f"{most} of {len(decisions)} decisions")
    assert {one["url"] for one in listed(page)} == copies[original]
    assert page.texts("#chips button") == [f"copies of {original} ×"]


def test_nothing_is_requested_from_the_network(page, address):
    open_drop(page, EDITED)
    requested = [url for url in page.requests() if not url.startswith("about:")]
    assert requested == [address]


def test_evidence_of_a_drop(page, decisions):
    text = open_drop(page, EDITED)
    (entry,) = (one for one in decisions if one["url"] == EDITED)
    assert NEW in text
    decision = page.text("#decision")
    assert entry["reason"].replace(entry["original"], "the original") in decision
    for share in entry["scores"]["known"]:
        assert f"{share:.2f}" in decision
    links = page.run("return [...document.querySelectorAll('#decision a')].map((one) => one.href)")
    assert links == [EDITED, entry["original"]]
    titles = "#evidence .identities tbody tr:first-child td"
    assert page.texts(titles) == ["Article number 0 (edited)", "Article number 0"]
    assert page.texts(f"{titles} mark") == ["(edited)"]
    assert page.texts("#evidence .changes li")[0].startswith("one → the")
    first, second = page.texts("#evidence .line:nth-child(2) .cell")
    assert len(first) > 40
    assert len(second) > 40
    assert page.count("#evidence .sentence.same") >= 2
    assert page.count("#evidence .sentence.reworded mark") >= 2
    assert NEW in page.texts("#evidence .sentence.only .sentence-text")
    compare = f"dedup compare --store store --html compared.html {EDITED} {entry['original']}"
    assert page.text("#evidence .command code").endswith(compare)  # for the pictures
    page.press(Keys.ESCAPE)
    page.wait("return !document.getElementById('detail').open")


def test_pairs_are_shown_on_focus(page):
    open_drop(page, EDITED)
    page.point_away()
    page.run("document.querySelector('#evidence .sentence.reworded a.number').focus()")
    page.wait("return !document.getElementById('pair').hidden")
    assert (page.text("#pair .one"), page.text("#pair .two")) == (
        "Article number 0 (edited)",
        "Article number 0",
    )
    page.press(Keys.ESCAPE)
    page.wait("return document.getElementById('pair').hidden")
    assert page.run("return document.getElementById('detail').open")


def test_a_url_opens_a_decision(chromium, address, decisions):
    (entry,) = (one for one in decisions if one["url"] == EDITED)
    chromium.open(f"{address}#{entry['run']}/{entry['seq']}")
    assert NEW in opened(chromium)


def test_a_file_hides_what_it_cannot_do(page):
    open_drop(page, EDITED)
    assert page.count("[data-answer]") == 0
    page.press("s", "d")
    assert page.count(".prompt *") == 0
    page.press("r")
    assert page.text(".prompt code").endswith(f"dedup restore --store store {EDITED}")
    page.press(Keys.ESCAPE, Keys.ESCAPE, "?")
    keys = page.run(
        "return [...document.querySelectorAll('#help dt')]"
        ".filter((one) => one.checkVisibility()).map((one) => one.textContent)"
    )
    assert keys == ["j k", "Enter", "r", "/", "Esc", "?"]
    page.press(Keys.ESCAPE)


def test_whose_pages_were_dropped_for_whose(chromium, page, tmp_path):
    assert not page.find("#other-hosts").is_displayed()  # none were
    copies = []
    for number in range(3):
        for host in ("source.example", "scraper.example", "mirror.example")[: number + 1]:
            text = html(article(number * 3), f"Article number {number}")
            copies.append({"url": f"https://{host}/{number}", "html": text})
    scan(tmp_path, "".join(f"{json.dumps(one)}\n" for one in copies))
    chromium.open(write_report(tmp_path).as_uri())
    cells = chromium.texts("#other-hosts tbody :is(th, td)")
    assert cells[:4] == ["scraper.example", "source.example", "2", "2"]
    assert cells[4:] == ["mirror.example", "source.example", "1", "1"]
    chromium.click("#other-hosts tbody button")
    counted(chromium, "2 of 6 decisions")
