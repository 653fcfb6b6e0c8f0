"""Hostile text in URLs, titles, texts and reasons: it is shown, and never run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from tests.support.decisions import add_decisions
from tests.support.serving import Server
from tests.support.texts import article

from .chromium import opened, sort_by
from .pages import journal, scan, write_report
from .payloads import ADDRESSES, PAYLOADS

KINDS = ("unique", "near", "exact", "contained")
SPREAD = 7
"""Payloads in a page."""
CHECK, WALK, FRAMES = (
    (Path(__file__).parent / f"{name}.js").read_text() for name in ("oddities", "walk", "frames")
)


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def harmless(chromium) -> None:
    assert chromium.run(f"{CHECK} return oddities()") == []


def feed() -> str:
    """Return articles with all payloads as JSON lines, each with a later version."""
    lines = []
    for number, start in enumerate(range(0, len(PAYLOADS), SPREAD)):
        some = PAYLOADS[start : start + SPREAD]
        parts = [escaped(part) for part in article(number * 5, 120)]
        quotes = [f"Somebody wrote {escaped(one)} here, and left." for one in some]
        for version in ("", "edited"):
            title = escaped(some[len(version) % len(some)])
            texts = [*parts, *(one.replace("left", "went") if version else one for one in quotes)]
            body = "".join(f"<p>{text}</p>" for text in texts)
            page = f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{body}"
            url = f"https://a.example/{number}/{version}?{some[0]}#{some[-1]}"
            lines.append({"url": url, "html": page})
    return "".join(f"{json.dumps(one)}\n" for one in lines)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A folder with a store of such pages, and of hostile decisions."""
    folder = tmp_path_factory.mktemp("hostile")
    decisions = scan(folder, feed())
    more = []
    for number, payload in enumerate((*PAYLOADS, *ADDRESSES)):
        url = payload if payload in ADDRESSES else f"https://a.example/{payload}"
        entry = decisions[1] | {
            "spider": payload,
            "url": url,
            "original": payload if number % 2 else None,
            "closest": payload,
            "verdict": payload if number % 9 == 0 else KINDS[number % len(KINDS)],
            "action": payload if number % 10 == 0 else "drop",
            "stage": payload if number % 11 == 0 else "sentences",
            "reason": f"It is {payload}, they say.",
            "notes": [payload],
            "swallowed": [payload, url],
        }
        more.append(entry)
    add_decisions(folder / "store", *more)
    return folder


def walk(chromium, count, most=1000):
    """Open decisions, one after the other; return what they show."""
    harmless(chromium)
    sort_by(chromium, "order")
    chromium.run("document.getElementById('grid').focus()")
    chromium.press(Keys.HOME, Keys.ENTER)
    opened(chromium)
    shown = chromium.run(f"return (async (most) => {{ {CHECK}\n{WALK} }})(arguments[0])", most)
    positions = [f"{at + 1} of {count}" for at in range(min(count, most))]
    assert [one["position"] for one in shown] == positions
    assert [one["odd"] for one in shown if one["odd"]] == []
    chromium.press(Keys.ESCAPE)
    return shown


def test_payloads_run_without_escaping(browser, tmp_path):
    """So the tests below can fail."""
    assert len({*PAYLOADS, *ADDRESSES}) == len(PAYLOADS) + len(ADDRESSES) >= 40
    (tmp_path / "unescaped.html").write_text("<!doctype html><title>unescaped</title><body>")
    browser.driver.get((tmp_path / "unescaped.html").as_uri())
    enough = 25
    script = f"return (async (...given) => {{ {FRAMES} }})(...arguments)"
    assert browser.run(script, PAYLOADS, enough) >= enough
    assert len(browser.run(f"{CHECK} return oddities()")) >= len(PAYLOADS)
    browser.driver.get("about:blank")


def test_a_report_only_shows_them(chromium, hostile):
    decisions = journal(hostile / "store")
    chromium.open(write_report(hostile).as_uri())
    count = int(chromium.text("#tiles b"))
    assert count == len(decisions)
    shown = walk(chromium, count)
    text = "\n".join(one["text"] for one in shown)
    for payload in PAYLOADS:  # as text, all are there
        if payload.isascii() and "\t" not in payload:
            assert payload in text
    for decision, one in zip(decisions, shown, strict=True):
        web = [
            url
            for url in (decision["url"], decision["original"] or decision.get("closest"))
            if url and url.startswith("https://") and url.isprintable()
        ]
        assert set(one["links"]) <= set(web)
        if not decision["spider"]:  # as the scan has judged it
            assert one["links"] == web
    for kind in ("near", "exact", "other"):
        chromium.click(f"#verdicts [data-kind={kind}]")
        harmless(chromium)
    for payload in PAYLOADS[:: len(PAYLOADS) // 6]:
        chromium.fill("#search", payload.replace("\t", " "))
        harmless(chromium)
    requested = [url for url in chromium.requests() if not url.startswith(("about:", "file:"))]
    assert requested == []


def test_the_server_only_shows_them(chromium, hostile):
    server = Server(hostile, "--store", "store")
    try:
        chromium.open(server.info["url"])
        walk(chromium, int(chromium.text("#tiles b")), 40)  # those with texts, and some more
        requested = [url for url in chromium.requests() if not url.startswith("about:")]
        assert all(url.startswith(server.base) for url in requested)
        assert chromium.run("return window.__violations") == []
        chromium.driver.get("about:blank")  # it would keep polling
    finally:
        server.stop()
