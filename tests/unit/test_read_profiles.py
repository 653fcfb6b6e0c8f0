"""Main text of pages that are more than one article: sidebars, items, products, dialogs, copies."""

from __future__ import annotations

import json

import pytest

from dedup_middleware.page import Page
from dedup_middleware.read import read

SENTENCES = [
    f"Sentence {number} of the page is about one thing, and it is long enough to count as prose."
    for number in range(40)
]
NAMES = [f"Event {number}" for number in range(60)]


def outline(html):
    return read(Page(url="https://example.org/", html=html))


def main(html):
    return [node.text for node in outline(html).nodes if node.text and not node.boilerplate]


def paragraphs(first, last):
    return "".join(f"<p>{sentence}</p>" for sentence in SENTENCES[first:last])


def entries(names):
    return (
        "<ul>" + "".join(f"<li><a href=/{n}>{name}</a>" for n, name in enumerate(names)) + "</ul>"
    )


def contents(names):
    return f"<p><a href=/>Back to the index</a></p><h4><a href=/>Events</a></h4>{entries(names)}"


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_list_of_links_that_has_the_page_as_an_entry_is_no_part_of_it(place):
    own = "<div><h3>Event 7</h3><p>A jump to another bar.</p></div>"
    sidebar = f"<div>{contents(NAMES)}</div>"
    html = sidebar + own if place == "before" else own + sidebar
    assert main(html) == ["Event 7", "A jump to another bar."]


def test_a_list_of_links_without_the_page_is_what_a_short_page_is_about():
    html = f"<div><h3>All events</h3><p>In order.</p></div><div>{entries(NAMES)}</div>"
    assert main(html) == ["All events", "In order.", *NAMES]


def test_a_page_that_is_a_list_of_links_keeps_it_though_it_is_an_entry():
    html = f"<h3>Event 7</h3><div>{entries(NAMES)}</div>"
    assert main(html) == ["Event 7", *NAMES]


def card(number, inside):
    return f"<li class=card><h3><a href=/{number}>Cup {number}</a></h3>{inside}</li>"


def test_controls_of_cards_are_boilerplate():
    inside = "<p>{0} euros</p><p><a href=/buy>Add to cart</a></p>"
    cards = "".join(card(n, inside.format(n)) for n in range(5))
    shown = [text for n in range(5) for text in (f"Cup {n}", f"{n} euros")]
    assert main(f"<h1>Cups</h1><ul>{cards}</ul>") == ["Cups", *shown]


@pytest.mark.parametrize("text", ["9 euros", "It holds tea.", "A word that only some of them have"])
def test_what_items_repeat_may_say_something(text):
    some = [f"<p>{text}</p>" if n < 5 or not text.startswith("A word") else "" for n in range(12)]
    cards = "".join(card(n, f"<p>Made in {n}</p>{inside}") for n, inside in enumerate(some))
    assert main(f"<h1>Cups</h1><ul>{cards}</ul>").count(text) == sum(map(bool, some))


def test_controls_leave_the_headings_of_items():
    cards = "".join(f"<li><h3>Cup {n}</h3><p><a href=/{n}>More</a></p></li>" for n in range(5))
    found = main(f"<h1>Cups</h1>{paragraphs(0, 2)}<ul>{cards}</ul>")
    assert found == ["Cups", *SENTENCES[:2], *(f"Cup {n}" for n in range(5))]


def test_a_card_that_is_one_link_is_no_menu():
    cards = "".join(
        f"<li><a href=/{n}><div>Cook {n}</div><div>Town {n}</div><div>Day {n}</div></a></li>"
        for n in range(3)
    )
    shown = [text for n in range(3) for text in (f"Cook {n}", f"Town {n}", f"Day {n}")]
    assert main(f"<h1>Jobs</h1><p>{SENTENCES[0]}</p><ul>{cards}</ul>") == [
        "Jobs",
        SENTENCES[0],
        *shown,
    ]


def test_what_follows_the_footer_is_boilerplate_if_it_is_little():
    dialog = "<div><h4>Your cart</h4><p>It is empty as yet.</p></div>"
    page = f"<h1>T</h1>{paragraphs(0, 5)}"
    assert main(f"{page}<footer>Imprint</footer>{dialog}") == ["T", *SENTENCES[:5]]
    long = paragraphs(5, 10)
    assert main(f"{page}<footer>Imprint</footer>{long}") == ["T", *SENTENCES[:10]]
    # the footer of a post ends no page
    post = f"<h1>T</h1><article>{paragraphs(0, 5)}<footer>by Ann</footer></article>{dialog}"
    assert "Your cart" in main(post)


def test_a_part_amid_the_prose_of_a_page_is_no_frame_whatever_its_class():
    part = f"<div class=follow-up>{paragraphs(5, 10)}</div>"
    around = paragraphs(0, 5), paragraphs(10, 15)
    assert main(f"<h1>T</h1>{around[0]}{part}{around[1]}") == ["T", *SENTENCES[:15]]
    assert main(f"<h1>T</h1>{around[0]}{around[1]}{part}") == [
        "T",
        *SENTENCES[:5],
        *SENTENCES[10:15],
    ]


def test_a_class_does_not_make_a_frame_of_most_of_the_main_element():
    menu = paragraphs(20, 40)  # of other pages, in plain elements
    html = f"<div>{menu}</div><main><p>Here.</p><div class=related>{paragraphs(0, 5)}</div></main>"
    assert set(SENTENCES[:5]) <= set(main(html))


def test_parts_of_one_class_that_are_most_of_a_page_are_the_page():
    parts = [f"<div class=widget>{paragraphs(3 * n, 3 * n + 3)}</div>" for n in range(3)]
    assert main(f"<h1>T</h1><p>Of three parts.</p>{''.join(parts)}") == [
        "T",
        "Of three parts.",
        *SENTENCES[:9],
    ]
    labels = "".join(f"<div class=widget><p>Tag {n}</p><p>No {n}</p></div>" for n in range(40))
    assert main(f"<h1>T</h1><p>A short post of six words.</p>{labels}") == [
        "T",
        "A short post of six words.",
    ]


def test_the_quote_of_a_post_above_counts_once():
    posts = f"<div><p>{SENTENCES[0]}</p></div><div><blockquote>{SENTENCES[0]}</blockquote>"
    html = f"<h1>T</h1>{posts}<p>I think so, too.</p></div><p><a href=/>All</a></p>"
    assert main(html) == ["T", SENTENCES[0], "I think so, too.", "All"]


def test_a_text_that_is_repeated_counts_once_under_one_heading():
    text, link = f"<p>{SENTENCES[0]}</p>", "<p><a href=/>All</a></p>"
    assert main(f"<h2>A</h2>{text}<p>x</p>{text}{link}").count(SENTENCES[0]) == 1
    assert main(f"<h2>A</h2>{text}<h2>B</h2>{text}{link}").count(SENTENCES[0]) == 2


def test_headings_that_repeat_a_table_of_contents_are_main_text():
    heading = "How a heading that is longer than most of them is read by everybody"
    html = f"<h1>T</h1><p><a href=#a>{heading}</a></p><h2>{heading}</h2>{paragraphs(0, 3)}"
    assert main(html).count(heading) == 2


def test_items_that_are_alike_each_belong_to_their_place():
    week = f"<ul><li>{SENTENCES[0]}</li></ul>"
    html = f"<h2>Week 1</h2>{week}<h2>Week 2</h2>{week}<p><a href=/>All</a></p>"
    assert main(html).count(SENTENCES[0]) == 2


@pytest.mark.parametrize(
    "question", ["<h3><button>{}</button></h3>", "<button><h3>{}</h3></button>"]
)
def test_a_heading_that_opens_what_is_below_it_is_a_heading(question):
    html = f"<h1>T</h1>{question.format('Is it so?')}<div><p>{SENTENCES[0]}</p></div>"
    nodes = [node for node in outline(html).nodes if not node.boilerplate]
    assert [(node.kind, node.text) for node in nodes] == [
        ("heading", "T"),
        ("heading", "Is it so?"),
        ("text", SENTENCES[0]),
    ]
    assert main(f"<h1>T</h1><button>Buy</button>{paragraphs(0, 1)}") == ["T", SENTENCES[0]]


def test_an_article_that_goes_on_after_teasers_has_them_as_a_part():
    cards = "".join(f"<div><h3><a href=/{n}>Project {n}</a></h3></div>" for n in range(6))
    names = [f"Project {n}" for n in range(6)]
    html = f"<article><h1>T</h1>{paragraphs(0, 20)}<div>{cards}</div>{{}}</article>{{}}"
    inside = main(html.format(paragraphs(20, 25), ""))
    assert inside == ["T", *SENTENCES[:20], *names, *SENTENCES[20:25]]
    outside = main(html.format("", paragraphs(20, 25)))
    assert outside == ["T", *SENTENCES[:25]]


def test_the_description_of_a_product_is_main_text_where_it_is_shown():
    def page(**data):
        block = f"<script type=application/ld+json>{json.dumps(data)}</script>"
        details = f"<div role=dialog><p>{about}</p><p>{SENTENCES[2]}</p></div>"
        return f"{block}<h1>Cup</h1><p>{SENTENCES[0]}</p>{details}"

    about = "White, round and made of clay from the hills, it keeps hot for an hour at least."

    product = {"@type": "Product", "description": f"<p>{about}</p> More of it."}
    assert main(page(**product)) == ["Cup", SENTENCES[0], about]
    assert main(page(**product | {"@type": "Article"})) == ["Cup", SENTENCES[0]]


def test_controls_of_groups_in_groups():
    cups = [f"A cup of clay {number}" for number in range(400)]
    items = [f"<div><p>{cup}</p><p>Buy</p></div>" for cup in cups]
    groups = ["<div>" + "".join(items[at : at + 4]) for at in range(0, 400, 4)]
    html = "".join(groups) + "</div>" * 100 + "<p><a href=/>All</a>"
    assert main(html) == [*cups, "All"]
