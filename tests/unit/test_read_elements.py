"""What broken HTML means, by worked examples."""

from __future__ import annotations

from itertools import zip_longest

import pytest
from hypothesis import given

from dedup_middleware.read.core_reading import END, START, TEXT, elements, tokens
from tests.support.markup import MARKUP, damaged_pages, written

MAX_DEPTH = 512


@pytest.mark.parametrize(
    ("html", "result"),
    [
        ("<p>a<p>b", "<p>a</p><p>b</p>"),
        ("<p>a<div>b</p>c", "<p>a</p><div>b<p></p>c</div>"),
        ("<p><button><p>a", "<p><button><p>a</p></button></p>"),
        ("<b><p>a</b>b</p>c", "<b><p>ab</p></b>c"),
        ("<h3>More <p>a</p>b</h3>c", "<h3>More <p>a</p>b</h3>c"),
        ("<h2>a<h3>b</h2>c", "<h2>a</h2><h3>b</h3>c"),
        ("<ul><li>a<li><div>b<li>c</ul>d", "<ul><li>a</li><li><div>b</div></li><li>c</li></ul>d"),
        ("<li>a<ul><li>b</ul><li>c", "<li>a<ul><li>b</li></ul></li><li>c</li>"),
        ("<dl><dt>a<dd>b<dt>c</dl>", "<dl><dt>a</dt><dd>b</dd><dt>c</dt></dl>"),
        (
            "<table><tr><td>a<td>b<tr><th>c<tbody><tr><td>d",
            (
                "<table><tr><td>a</td><td>b</td></tr><tr><th>c</th></tr>"
                "<tbody><tr><td>d</td></tr></tbody></table>"
            ),
        ),
        (
            "<table><tr><td><table><td>a</table>b</table>c",
            "<table><tr><td><table><td>a</td></table>b</td></tr></table>c",
        ),
        (
            "<table><caption>a<colgroup><col><col><tr><td>b",
            (
                "<table><caption>a</caption><colgroup><col></col><col></col></colgroup>"
                "<tr><td>b</td></tr></table>"
            ),
        ),
        (
            "<select><option>a<option>b<optgroup><option>c<optgroup>d</select>e",
            (
                "<select><option>a</option><option>b</option><optgroup><option>c</option></optgroup>"
                "<optgroup>d</optgroup></select>e"
            ),
        ),
        ("<ruby>a<rp>b<rt>c</ruby>", "<ruby>a<rp>b</rp><rt>c</rt></ruby>"),
        ("<b>a<i>b</b>c</i>d", "<b>a<i>b</i></b>cd"),
        ("<b><table><td></b>a</table>b", "<b><table><td>a</td></table>b</b>"),
        ("<a>a<a>b</a>c", "<a>a</a><a>b</a>c"),
        ("<a><div>a<a>b</a>c</div>d", "<a><div>a<a>b</a>c</div></a>d"),
        ("a</i>b</p>c</br>d</img>e", "ab<p></p>c<br></br>de"),
        ("<br>a<img/>b<div/>c", "<br></br>a<img></img>b<div>c</div>"),
        ("<svg><g/><path>a</svg>b", "<svg><g></g><path>a</path></svg>b"),
        ("<svg><g><p>a", "<svg><g></g></svg><p>a</p>"),
        ("<head><title>a</title> b<p>", "<head><title>a</title> </head>b<p></p>"),
        ("<head><meta><div>a</head>", "<head><meta></meta></head><div>a</div>"),
        (
            "<html><head></head><body>a</body></html>b<body><html>",
            "<html><head></head><body>ab</body></html>",
        ),
        ("<p>a\0b\0", "<p>ab</p>"),
        ("<x-y>a<p>b</x-y>c</p>d", "<x-y>a<p>bc</p></x-y>d"),
    ],
)
def test_broken_html(html, result):
    assert written(elements(html).events) == result


def test_what_is_too_deep_is_flat():
    depth = MAX_DEPTH + 100
    result = written(elements("<div>" * depth + "a" + "</div>" * 100 + "b" + "</div>" + "c").events)
    flat = "<div></div>" * 100
    outer = MAX_DEPTH - 1
    assert result == f"{'<div>' * MAX_DEPTH}{flat}a{flat}b</div>c{'</div>' * outer}"


def test_ends_of_flat_elements_are_forgotten_with_what_they_are_in():
    outer = MAX_DEPTH - 1
    html = "<div>" * outer + "<li>" + "<i>" * 5 + "<li>a</li>b"
    flat = "<i></i>" * 5
    assert written(elements(html).events).endswith(f"<li>{flat}</li><li>a</li>b{'</div>' * outer}")


@given(MARKUP | damaged_pages())
def test_every_start_has_its_end_and_no_text_is_lost(html):
    open_names: list[str] = []
    events = elements(html).events
    for event, following in zip_longest(events, events[1:]):
        if event.kind == START:
            open_names.append(event.text)
        elif event.kind == END:
            assert open_names.pop() == event.text
        else:
            assert event.kind == TEXT
            assert event.text
            assert following is None or following.kind != TEXT
        assert len(open_names) <= MAX_DEPTH + 1
    assert open_names == []
    kept = "".join(event.text for event in tokens(html).events if event.kind == TEXT)
    assert "".join(event.text for event in events if event.kind == TEXT) == kept.replace("\0", "")
