"""Other settings, tried in the file that `scrapy dedup report` writes, and what would be lost."""

from __future__ import annotations

import shutil
from collections import Counter
from copy import deepcopy

import pytest
from selenium.webdriver.common.keys import Keys

from dedup_middleware.settings import STRICTNESS
from dedup_middleware.verdict import Lost
from tests.support.decisions import add_decisions
from tests.support.patience import wait_until

from .chromium import counted, listed, open_drop
from .pages import NEW, crawl, scan, write_report


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
    assert page.text("#flips-count") == "These are the settings of the crawl"
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
    assert page.text("#flips-count") == "These are the settings of the crawl"
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
    add_decisions(tmp_path / "store", *decisions, run="lossy")
    chromium.open(write_report(tmp_path).as_uri())
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
