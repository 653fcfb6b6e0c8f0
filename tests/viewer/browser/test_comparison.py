"""The page that `scrapy dedup compare --html` writes: on any width, by pointer, in both schemes."""

from __future__ import annotations

import pytest

from dedup_middleware import Page, compare
from tests.support.texts import article

from .accessibility import check_accessibility

LETTER = "The harbour master wrote a long letter about the tide tables of that year."
REWORDED = LETTER.replace("long", "short")
OPTION = "--a-name_of_one_hundred_letters_without_any_place_where_it_could_be_broken_into_two_parts"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A page about two pages with sections, of which a sentence has moved and was reworded."""
    parts = article(5, 900)
    half = len(parts) // 2
    first = f"<h2>Letters</h2><p>{LETTER}<h3>Boats</h3><p>{'<p>'.join(parts[:half])}"
    second = f"<h2>Letters</h2><h3>Boats</h3><p>{'<p>'.join(parts[:half])}"
    rest = f"<h3>Options</h3><p>{OPTION}<p>{'<p>'.join(parts[half:])}"
    path = tmp_path_factory.mktemp("compared") / "both.html"
    pages = [
        Page(url=f"https://a.example/{OPTION}/{name}", html=f"<main><h1>A guide</h1>{body}</main>")
        for name, body in (("1", first + rest), ("2", f"{second}{rest}<p>{REWORDED}"))
    ]
    path.write_text(compare(*pages).to_html())
    return path.as_uri()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 400, 1400])
def test_it_fits_any_width(chromium, address, width, scheme):
    chromium.size(width)
    chromium.scheme(scheme)
    chromium.driver.get(address)
    assert any("reworded" in note and "in the other" in note for note in chromium.texts(".note"))
    assert chromium.run("return document.documentElement.scrollWidth <= innerWidth")
    chromium.run("document.getElementById('differing').click()")
    assert chromium.run("return document.documentElement.scrollWidth <= innerWidth")
    check_accessibility(chromium)


def test_differences_are_under_their_headings(chromium, address):
    chromium.driver.get(address)
    visible = (
        "return [...document.querySelectorAll('.line .cell:first-child .sentence-text')]"
        ".filter((one) => one.getClientRects().length).map((one) => one.textContent)"
    )
    assert chromium.run(visible)[:3] == ["A guide", "Letters", LETTER]
    assert "Boats" not in chromium.run(visible)  # the pages differ in nothing below it


def test_a_dot_shows_its_pair(chromium, address):
    chromium.driver.get(address)
    chromium.run("document.querySelector('circle.stroke-reworded[data-first]').focus()")
    assert chromium.texts("#pair .one, #pair .two") == [LETTER, REWORDED]
