"""Who can read the file that `scrapy dedup report` writes: any width, colours, screen readers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from .accessibility import check_accessibility
from .chromium import open_drop, opened
from .pages import EDITED


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1400])
def test_axe_has_no_serious_finding(chromium, address, decisions, width, scheme):
    chromium.size(width)
    chromium.scheme(scheme)
    (entry,) = (one for one in decisions if one["url"] == EDITED)
    chromium.open(f"{address}#{entry['run']}/{entry['seq']}")
    opened(chromium)
    check_accessibility(chromium)
    chromium.press(Keys.ESCAPE)
    chromium.run("document.querySelector('#clusters summary').click()")
    chromium.run("document.querySelector('#verdicts button').click()")
    chromium.run("document.querySelector('.as-table summary').click()")
    chromium.wait(
        "return document.querySelector('#clusters li') && document.querySelector('.chip')"
    )
    check_accessibility(chromium)


@pytest.mark.parametrize("width", [360, 768, 3840])
def test_no_width_makes_the_page_scroll_sideways(page, width):
    page.size(width, 740)

    def fits():
        return page.wait(
            "return document.documentElement.scrollWidth <= innerWidth"
            " && innerWidth === arguments[0]",
            width,
        )

    fits()
    page.run("document.getElementById('help').showModal()")
    fits()
    box = page.find("#help").rect
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    page.press(Keys.ESCAPE)
    open_drop(page, EDITED)
    fits()
    box = page.find("#detail").rect
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    assert page.run(
        "const body = document.getElementById('detail-body');"
        "return body.scrollWidth <= body.clientWidth"
    )
    targets = page.run("""
        return [...document.querySelectorAll("#detail button")]
          .map((one) => one.getBoundingClientRect())
          .filter((box) => box.width && (box.left < 0 || box.right > innerWidth)).length;
    """)
    assert targets == 0


CONTRASTS = (Path(__file__).parent / "contrasts.js").read_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_texts_have_enough_contrast(chromium, address, scheme):
    chromium.scheme(scheme)
    chromium.open(address)
    ground = chromium.run("return getComputedStyle(document.body).backgroundColor")
    seen, poor = chromium.run(CONTRASTS, "body")
    assert seen > 100
    assert poor == []
    open_drop(chromium, EDITED)
    seen, poor = chromium.run(CONTRASTS, "#detail")
    assert seen > 60
    assert poor == []
    chromium.scheme("light" if scheme == "dark" else "dark")
    assert chromium.run("return getComputedStyle(document.body).backgroundColor") != ground


NAMED = {"button", "link", "textbox", "searchbox", "combobox", "slider", "spinbutton", "checkbox"}


def test_the_accessibility_tree(page, decisions):
    tree = page.tree()
    assert [one for one in tree if one["role"] in NAMED and not one["name"].strip()] == []
    roles = Counter(one["role"] for one in tree)
    assert roles["main"] == 1
    assert roles["search"] == 1
    assert roles["slider"] == 1
    assert roles["columnheader"] == 8
    (grid,) = (one for one in tree if one["role"] == "grid")
    assert grid["name"] == "Decisions"
    assert page.find("#grid").get_attribute("aria-rowcount") == str(len(decisions) + 1)
    indexes = page.run(
        "return [...document.querySelectorAll('#rows .row:not([hidden])')]"
        ".map((row) => Number(row.getAttribute('aria-rowindex'))).sort((a, b) => a - b)"
    )
    assert indexes == [*range(2, 2 + len(indexes))]
    pictures = [one for one in tree if one["role"] in {"image", "img", "graphics-document"}]
    assert pictures
    assert all(one["name"] for one in pictures)
    open_drop(page, EDITED)
    tree = page.tree()
    assert [one for one in tree if one["role"] in NAMED and not one["name"].strip()] == []
    (dialog,) = (one for one in tree if one["role"] == "dialog")
    assert dialog["name"] == f"near: {EDITED}"
    # screen readers learn which row is selected
    page.press(Keys.ESCAPE)
    active = page.find("#grid").get_attribute("aria-activedescendant")
    assert page.find(f"#{active}").get_attribute("aria-selected") == "true"
