"""The list of decisions in the file that `scrapy dedup report` writes: search, filters, keys."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.keys import Keys

from tests.support.patience import wait_until

from .chromium import counted, listed, opened, sort_by
from .pages import ARTICLES


def search(page, text, count):
    page.fill("#search", text)
    counted(page, count)


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
