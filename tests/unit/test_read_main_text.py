"""Main text by structure: what no name, role or class says."""

from __future__ import annotations

import pytest

from dedup_middleware.page import Page
from dedup_middleware.read import read

SENTENCES = [
    f"Sentence {number} of the article is about one thing, and it is long enough to count."
    for number in range(40)
]
ARTICLE = "".join(f"<p>{sentence}</p>" for sentence in SENTENCES[:20])
SHORT = f"<p>{SENTENCES[20]}</p>"


def outline(html):
    return read(Page(url="https://example.org/", html=html))


def main(html):
    return [node.text for node in outline(html).nodes if node.text and not node.boilerplate]


def card(number):
    return f"<div><h3><a href=/{number}>Other article {number}</a></h3><p>A word on it.</p></div>"


CARDS = "".join(map(card, range(6)))


def test_teasers_below_an_article_are_boilerplate_with_their_heading():
    html = f"<h1>T</h1>{ARTICLE}<div><h2>Read on</h2><div>{CARDS}</div></div>"
    assert main(html) == ["T", *SENTENCES[:20]]


def test_teasers_are_what_an_index_page_is_about():
    assert len(main(f"<h1>T</h1>{SHORT}<div>{CARDS}</div>")) == 14
    many = "".join(map(card, range(200)))
    assert len(main(f"<h1>T</h1>{ARTICLE}<div>{many}</div>")) == 421


def test_sections_whose_headings_are_no_links_are_no_teasers():
    sections = "".join(
        f"<div><h3>Feature {n}</h3><p>What it does.</p><p><a href=/{n}>More</a></p></div>"
        for n in range(6)
    )
    assert "Feature 5" in main(f"<h1>T</h1>{ARTICLE}<div>{sections}</div>")


def test_menu_in_plain_elements():
    menu = "".join(f"<div><div><a href=/{n}>Place {n}</a></div></div>" for n in range(8))
    assert main(f"<div>{menu}</div><h2>T</h2>{ARTICLE}") == ["T", *SENTENCES[:20]]


def test_what_is_beside_the_main_element():
    html = f"<div>Cookies are used here.</div><main>{ARTICLE}</main><p>Chat with us</p>"
    assert main(html) == SENTENCES[:20]


def test_a_main_element_with_little_in_it_says_nothing():
    assert main(f"<main><p>Loading</p></main>{ARTICLE}")[-20:] == SENTENCES[:20]


def test_what_is_above_the_heading_that_names_the_page():
    page = (
        f"<title>Tides | Site</title><p>Image 1 of 5</p><h1>Tides</h1>{ARTICLE}<footer>x</footer>"
    )
    assert main(page) == ["Tides", *SENTENCES[:20]]
    assert main(page.replace("<title>Tides", "<title>Waves"))[0] == "Image 1 of 5"
    long = f"<title>Tides</title>{ARTICLE}<h1>Tides</h1>{SHORT}<footer>x</footer>"
    assert main(long)[:20] == SENTENCES[:20]


def test_a_run_of_texts_that_is_repeated_counts_once():
    html = f"<div>{ARTICLE}</div><h2>For small screens</h2><div>{ARTICLE}</div><footer>x</footer>"
    assert main(html) == SENTENCES[:20]
    plain = "\n\n".join(SENTENCES[:20] * 2)
    assert not any(read(Page(url="https://example.org/", text=plain)).boilerplate)


def test_a_few_repeated_words_count_each_time():
    rows = "".join(f"<p>Price</p><p>{n} euros</p>" for n in range(30))
    assert main(rows).count("Price") == 30
    assert main(f"{ARTICLE}<p>{SENTENCES[3]}</p>").count(SENTENCES[3]) == 2


@pytest.mark.parametrize("label", ["comments", "comment-list", "product-reviews", "disqus_thread"])
def test_comments_are_a_part_of_their_own(label):
    found = outline(
        f"<h1>T</h1>{ARTICLE}<div class={label}><h2>Say it</h2><p>{'Nice. ' * 50}</div>"
    )
    assert found.main == " ".join(["T", *SENTENCES[:20]])
    assert found.comments == "Say it " + ("Nice. " * 50).strip()
    assert found.text == f"{found.main} {found.comments}"
    assert found.nodes[-1].boilerplate


def comment(author: str, date: str, number: int) -> str:
    return f"<div><p><b>{author}</b></p><p>{date}</p><p>{SENTENCES[number]}</p></div>"


COMMENTS = "".join(
    comment(*one, number)
    for number, one in enumerate(
        [("Anna", "3 May 2021 at 5:00"), ("Bert", "2 days ago"), ("Cleo", "2021-05-03")], 30
    )
)


def test_comments_are_known_by_their_authors_and_dates():
    menu = "<nav><a href=/>Home</a></nav>"
    found = outline(f"{menu}<h1>T</h1><div>{ARTICLE}</div><div><h2>Answers</h2>{COMMENTS}</div>")
    assert found.main == " ".join(["T", *SENTENCES[:20]])
    assert found.comments.startswith("Answers Anna 3 May 2021 at 5:00 ")
    assert found.comments.endswith(SENTENCES[32])


def test_posts_of_a_forum_are_no_comments_though_the_first_is_long():
    first = f"<div><p><b>Dora</b></p><p>1 May 2021</p>{ARTICLE}</div>"
    found = outline(f"<nav><a href=/>Home</a></nav><h1>T</h1><div>{first}{COMMENTS}</div>")
    assert found.comments == ""
    assert SENTENCES[31] in found.main


def test_posts_of_a_forum_are_main_text_whatever_their_class():
    post = f"<div class=comment>{ARTICLE}</div>"
    reply = (
        f"<div class=comment><p>{SENTENCES[30]}</p><p>{SENTENCES[31]}</p><p>{SENTENCES[32]}</div>"
    )
    found = outline(f"<h1>T</h1><div id=comments>{post}{reply}</div>")
    assert found.comments == ""
    assert SENTENCES[31] in found.main


def test_comments_that_are_nearly_all_of_a_page_are_what_it_is_about():
    much = "".join(f"<p>{sentence}</p>" for sentence in SENTENCES)
    found = outline(f"<h1>T</h1><p>{SENTENCES[0]}</p><p>{SENTENCES[1]}</p><div id=reviews>{much}")
    assert found.comments == ""


def test_a_class_that_holds_most_of_a_page_says_nothing():
    widgets = "".join(f"<div class=x-widget><p>{s}</p></div>" for s in SENTENCES[:20])
    assert main(f"<h1>T</h1>{widgets}") == ["T", *SENTENCES[:20]]


def test_sidebars_with_more_text_than_a_short_post_stay_boilerplate():
    bars = f"<div id=sidebar>{ARTICLE}</div><div id=sidebar2>{ARTICLE}</div>"
    assert main(f"<h2>T</h2>{SHORT}{bars}<p>Posted</p>") == ["T", SENTENCES[20], "Posted"]


def test_what_holds_the_heading_that_names_the_page_is_no_boilerplate():
    box = f"<div class=promo-box><h1>Tides</h1>{SHORT}</div>"
    page = f"<title>All about Tides - Site</title>{box}<div>{ARTICLE}</div>"
    assert main(page)[:2] == ["Tides", SENTENCES[20]]
    assert main(page.replace("Tides - ", "waves - "))[0] == SENTENCES[0]
    assert main(page.replace("div class=promo-box", "aside"))[:2] == ["Tides", SENTENCES[20]]
    assert main(f"<form><h1>Tides</h1>{SHORT}<button>Buy</button></form>{ARTICLE}")[:2] == [
        "Tides",
        SENTENCES[20],
    ]


def test_a_header_repeated_in_every_item_is_no_part_of_the_page():
    items = "".join(
        f"<div><div class=header>Item {n}</div><p>{SENTENCES[n]}</p></div>" for n in range(9)
    )
    assert "Item 3" in main(items)
    assert "Item 0" not in main(f"<div class=header>Item 0</div>{ARTICLE}")


def test_headers_of_articles_keep_headings_and_sentences():
    article = f"<article><header><h2>T</h2>{SHORT}<p>by me</p></header>{ARTICLE}</article>"
    assert main(article) == ["T", SENTENCES[20], *SENTENCES[:20]]


def test_navigation_that_was_never_closed():
    assert main(f"<nav><a href=/>Home</a><div><h1>T</h1>{ARTICLE}") == [
        "Home",
        "T",
        *SENTENCES[:20],
    ]


def test_a_page_made_up_by_scripts_shows_what_it_has_without_them():
    shell = f"<p>Loading</p><noscript><h1>T</h1>{ARTICLE}</noscript>"
    assert main(shell) == ["Loading", "T", *SENTENCES[:20]]
    assert (
        main(f"{ARTICLE}<noscript><p>Please enable scripts{SHORT * 9}</noscript>") == SENTENCES[:20]
    )


def test_parts_that_react_streams():
    late = f'<div id="S:0" hidden>{ARTICLE}</div>'
    assert main(f'<p>Top</p><template id="B:0"></template>{late}') == ["Top", *SENTENCES[:20]]
    assert main(f"<p>Top</p>{late}") == ["Top"]
