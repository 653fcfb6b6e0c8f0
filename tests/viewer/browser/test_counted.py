"""What counted of a page, in the report: marked, legible, on any width."""

from __future__ import annotations

import json

import pytest

from .accessibility import check_accessibility
from .chromium import open_drop, opened
from .pages import EDITED, HOSTS, scan, write_report

OFFER = "Our spring sale has begun, and whoever buys two of anything pays for one of them."
URL = f"https://{HOSTS[0]}/9"


def page_of(number: int) -> str:
    text = "".join(f"<p>Boat {number} has {number + part} sails and a name." for part in range(9))
    return (
        f"<title>Boat {number}</title><nav><a href=/>Home</a></nav><main><h1>Boat {number}</h1>"
        f"{text}<p>{OFFER}<p hidden>Cheap watches {number}</main>"
    )


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder with a report."""
    folder = tmp_path_factory.mktemp("counted")
    pages = [{"url": f"https://{HOSTS[0]}/{n}", "html": page_of(n)} for n in range(12)]
    scan(folder, "".join(f"{json.dumps(page)}\n" for page in pages))
    write_report(folder)
    return folder


@pytest.mark.parametrize("width", [360, 1400])
def test_in_the_report(chromium, written, width):
    chromium.size(width)
    chromium.open((written / "report.html").as_uri())
    open_drop(chromium, URL)
    chromium.run("document.querySelector('.counted').open = true")
    assert chromium.texts(".piece.repeated .block") == [OFFER]
    assert chromium.texts(".piece.hidden .block") == ["Cheap watches 9"]
    edges = chromium.run("""
        return ["own", "repeated", "boilerplate", "hidden"].map((name) =>
          getComputedStyle(document.querySelector(`.piece.${name}`)).borderLeftColor);
    """)
    assert len(set(edges)) == 4
    check_accessibility(chromium)


def test_the_legend_of_the_comparison_keeps_its_colours(page):
    open_drop(page, EDITED)
    opened(page)
    bars = page.run("""
        return [...document.querySelectorAll(".legend > li:not(.plain)")]
          .map((one) => getComputedStyle(one).borderLeftColor);
    """)
    assert len(set(bars)) == len(bars) > 2
