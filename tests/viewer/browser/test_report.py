"""The file that `scrapy dedup report` writes, in Chromium."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from copy import deepcopy

import pytest
from selenium.webdriver.common.keys import Keys

from dedup_middleware.inspect.decisions import Decision
from dedup_middleware.inspect.doubt import doubt
from dedup_middleware.settings import STRICTNESS
from dedup_middleware.verdict import Lost
from tests.support.patience import wait_until
from tests.support.texts import article, html

from .chromium import counted, listed, open_drop, opened, sort_by
from .pages import ARTICLES, EDITED, NEW, crawl, scan, write_report

DOUBTFUL = 0.25  # as in doubtful.js


def search(page, text, count):
    page.fill("#search", text)
    counted(page, count)


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


def test_a_filter_scrolls_to_its_list_and_is_named(page, decisions):
    total = len(decisions)

    def in_view():
        page.wait(
            "const { top } = document.getElementById('decisions').getBoundingClientRect();"
            "return scrollY > 0 && top < innerHeight / 3"
        )

    page.click("#verdicts [data-kind=near]")
    in_view()
    page.run("scrollTo(0, 0)")
    page.click("#verdicts [data-kind=exact]")
    in_view()
    assert page.texts("#chips button") == ["near ×", "exact ×", "all filters ×"]
    page.run("scrollTo(0, 0)")
    page.click("#hosts .host")
    in_view()
    (host,) = page.texts("#chips button")
    assert host.startswith("on ")
    assert page.find("#host").get_attribute("value") == host[3:-2]
    assert page.texts("[aria-pressed=true][data-kind]") == []
    page.click("#chips button")
    counted(page, f"{total} decisions")
    assert page.find("#host").get_attribute("value") == ""


def test_nothing_is_requested_from_the_network(page, address):
    open_drop(page, EDITED)
    requested = [url for url in page.requests() if not url.startswith("about:")]
    assert requested == [address]


def test_search(page, decisions):
    total = len(decisions)
    search(page, "/EDITED", f"{ARTICLES} of {total} decisions")
    assert {one["url"].rpartition("/")[2] for one in listed(page)} == {"edited"}
    search(page, "sub.b.example/2 edited", f"1 of {total} decisions")
    search(page, ".*", f"0 of {total} decisions")
    assert listed(page) == []
    both = sum("reworded" in one["reason"] for one in decisions)
    search(page, "reworded", f"{both} of {total} decisions")
    page.press(Keys.ESCAPE)
    counted(page, f"{total} decisions")


@pytest.mark.parametrize(
    ("head", "key"),
    [
        ("url", lambda one: one["url"]),
        ("other", lambda one: one["other"] or "\uffff"),
        ("share", lambda one: float(one["share"] or 2)),
    ],
)
def test_sort(page, head, key):
    for direction in ("ascending", "descending"):
        before = [one["url"] for one in listed(page)]
        page.click(f"[data-sort={head}] button")
        assert page.find(f"[data-sort={head}]").get_attribute("aria-sort") == direction
        assert page.count("[aria-sort]") == 1
        wait_until(lambda before=before: [one["url"] for one in listed(page)] != before)
        keys = [key(one) for one in listed(page)]
        assert len(keys) >= 10
        assert keys == sorted(keys, reverse=direction == "descending")


def test_filters(page, decisions):
    total = len(decisions)

    def are(**wanted):
        fitting = [one for one in decisions if all(one[key] == wanted[key] for key in wanted)]
        counted(page, f"{len(fitting)} of {total} decisions")
        assert fitting
        urls = [one["url"] for one in listed(page)]
        assert urls == [one["url"] for one in fitting[: len(urls)]]

    sort_by(page, "order")
    near = "#verdicts [data-kind=near]"
    page.click(near)
    assert page.find(near).get_attribute("aria-pressed") == "true"
    are(verdict="near")
    page.click(near)
    page.find("#action").send_keys("dropped")
    are(action="drop")
    page.click("#verdicts [data-kind=exact]")
    are(action="drop", verdict="exact")
    page.click("#verdicts [data-kind=exact]")
    page.find("#action").send_keys("any")
    counted(page, f"{total} decisions")
    page.find("#host").send_keys("b.example")
    hosts = sum("b.example/" in one["url"] for one in decisions)
    counted(page, f"{hosts} of {total} decisions")  # with those of sub.b.example
    page.find("#host").clear()
    page.find("#low").send_keys("0.5")
    page.find("#high").send_keys("0.9")
    page.wait("return /^\\d+ of/.test(document.getElementById('count').textContent)")
    page.wait(
        "return [...document.querySelectorAll('#rows .row:not([hidden]) .c-share')]"
        ".every((one) => Number(one.textContent) >= 0.5 && Number(one.textContent) <= 0.9)"
    )
    assert listed(page)


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


@pytest.mark.parametrize(
    ("crawled", "strictness"), [("balanced", "strict"), ("strict", "balanced")]
)
def test_another_strictness_changes_what_another_crawl_would(
    chromium, tmp_path, crawled, strictness
):
    kinds = {"near", "contained", "contains", "unique"}
    names = {"drop": "dropped", "tag": "tagged"}
    decisions, again = (
        scan(tmp_path, crawl(), "-s", f"DEDUP_STRICTNESS={name}", store=store)
        for name, store in ((crawled, "store"), (strictness, "again"))
    )
    chromium.open(write_report(tmp_path).as_uri())
    page = chromium
    assert page.text("#flips-count") == "Nothing was changed"
    assert page.find("#strictness").get_attribute("value") == crawled
    page.find("#strictness").send_keys(strictness)
    for name, value in STRICTNESS[strictness]._asdict().items():
        assert float(page.text(f"[data-threshold={name}] output")) == value
    changed = {}
    for before, after in zip(decisions, again, strict=True):
        assert before["url"] == after["url"]
        if before["verdict"] != after["verdict"]:
            assert {before["verdict"], after["verdict"]} <= kinds
            changed[before["url"]] = f"{before['verdict']} to {after['verdict']}"
        elif before["action"] != after["action"]:
            changed[before["url"]] = f"{names[before['action']]} to {names[after['action']]}"
    shown = f"{len(changed)} decision{'s' * (len(changed) != 1)} would change"
    assert page.text("#flips-count") == shown
    assert len(Counter(changed.values())) >= 3  # near to unique, near to contains, another action
    counts = page.run("""
        return [...document.querySelectorAll("#flips-kinds li")].map((one) => [
          [...one.querySelectorAll(".badge, .action-name")]
            .map((badge) => badge.textContent.replace(/^[^a-z]*/, "")).join(" to "),
          Number(one.querySelector("b").textContent)]);
    """)
    assert dict(counts) == Counter(changed.values())
    assert page.text("#flips-settings code") == f'DEDUP_STRICTNESS = "{strictness}"'
    page.click("#flips-show")
    counted(page, f"{len(changed)} of {len(decisions)} decisions")
    assert {one["url"] for one in listed(page)} == changed.keys()
    page.click("#flips-reset")
    assert page.text("#flips-count") == "Nothing was changed"
    assert page.count("#flips-settings code") == 0


def lossy(decisions):
    """Give the near pages of a journal something that they would lose; return them."""
    near = [one for one in decisions if one["verdict"] == "near" and one["action"] == "drop"]
    for number, one in enumerate(near):
        lost = Lost(0.004 * (number + 1), 3 * number + 300, number + 1, 50 * number + 400)
        one["lost"] = lost.as_json()
    near[0]["action"] = "tag"
    near[0]["lost"]["share"] = 0.2
    near[-1]["lost"] |= {"sentences": [NEW], "facts": [["5 mg", "9 mg"]], "moved": ["Terms & more"]}
    return near


def test_what_would_be_lost(chromium, decisions, crawl_folder, tmp_path):
    decisions = deepcopy(decisions)
    near = lossy(decisions)
    shutil.copytree(crawl_folder / "store", tmp_path / "store")
    journal = f"store/journal/{near[0]['run']}.jsonl"
    (tmp_path / journal).write_text("".join(f"{json.dumps(one)}\n" for one in decisions))
    chromium.open(write_report(tmp_path, "--journal", journal).as_uri())
    drops = [one for one in decisions if one["action"] == "drop" and "lost" in one]
    words, of = (sum(one["lost"][name] for one in drops) for name in ("words", "of"))
    tiles = dict(zip(chromium.texts("#tiles dt"), chromium.texts("#tiles dd"), strict=True))
    assert tiles["Words lost"] == f"{words:,}of {of:,} in the pages dropped"
    chromium.click("[data-sort=lost] button")
    assert chromium.find("[data-sort=lost]").get_attribute("aria-sort") == "descending"
    wait_until(lambda: listed(chromium)[0]["url"] == near[-1]["url"])
    shown = [one["lost"] for one in listed(chromium)[: len(near)]]
    assert shown == [str(one["lost"]["words"]) for one in reversed(near)]
    # at a lower bound pages are kept, at a higher one others are dropped
    slider = chromium.find("#max_loss")
    slider.send_keys(Keys.ARROW_LEFT * 4)
    kept = [one for one in near[1:] if one["lost"]["share"] > 0.03]
    assert len(kept) > 1
    assert chromium.text("#flips-count") == f"{len(kept)} decisions would change"
    assert chromium.text("#flips-kinds") == f"{len(kept)} dropped→tagged"
    assert chromium.text("#flips-settings code").endswith("DEDUP_MAX_LOSS = 0.03")
    slider.send_keys(Keys.END)
    dropped = [
        one
        for one in decisions
        if one["action"] == "tag" and one["verdict"] == "near" and not one["lost"].get("facts")
    ]
    assert near[0] in dropped
    assert chromium.text("#flips-kinds") == f"{len(dropped)} tagged→dropped"
    chromium.click("#flips-show")
    counted(chromium, f"{len(dropped)} of {len(decisions)} decisions")
    chromium.press(Keys.ESCAPE)
    counted(chromium, f"{len(decisions)} decisions")
    text = open_drop(chromium, near[-1]["url"])
    lost = near[-1]["lost"]
    assert f"{lost['words']} of {lost['of']} words" in chromium.text("#decision")
    assert "What would be lost" in text
    assert chromium.texts("#evidence .lost-sentences li")[0] == NEW
    assert chromium.texts("#evidence .lost-facts td") == ["5 mg", "9 mg"]
    assert chromium.texts("#evidence .lost-moved li") == ["Terms & more"]


def test_keys_work_from_anywhere(page, decisions):
    urls = [one["url"] for one in listed(page)]

    def current():
        return [one["at"] for one in listed(page) if one["selected"] == "true"]

    def position():
        return int(page.text("#detail-position").split()[0])

    page.press(Keys.ENTER)  # nothing has the focus
    opened(page)
    assert page.text("#detail-title").endswith(urls[0])
    page.press(Keys.ESCAPE)
    page.run("document.querySelector('#hosts button').focus()")
    page.press("j", "j", "k")
    assert current() == [1]
    assert page.run("return document.activeElement.id") == "grid"
    page.press(Keys.ENTER)
    opened(page)
    assert page.text("#detail-title").endswith(urls[1])
    page.press("j")
    opened(page)
    assert (position(), page.text("#detail-title").split(": ")[1]) == (3, urls[2])
    page.press("k", "k", "k")
    assert position() == 1
    assert page.text("#announcement") == "This is the first one"
    page.press("j", "?")
    assert page.run("return document.getElementById('help').open")
    page.press("j", Keys.ESCAPE)
    assert not page.run("return document.getElementById('help').open")
    assert position() == 2
    page.press("/")  # from within a decision
    page.wait("return document.activeElement.id === 'search'")
    assert not page.run("return document.getElementById('detail').open")
    page.press("j", "d", "s", "?")
    counted(page, f"0 of {len(decisions)} decisions")
    assert page.find("#search").get_attribute("value") == "jds?"
    page.press(Keys.ESCAPE)
    counted(page, f"{len(decisions)} decisions")
    assert page.find("#search").get_attribute("value") == ""
    page.run("document.querySelector('#verdicts button').focus()")
    page.press(Keys.ENTER)  # the button's own
    page.wait("return document.querySelector('#chips button')")
    assert not page.run("return document.getElementById('detail').open")
    page.press(Keys.ESCAPE)
    counted(page, f"{len(decisions)} decisions")


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
