"""What is boilerplate and what is main text."""

from __future__ import annotations

import pytest

from dedup_middleware.page import Page
from dedup_middleware.read import read

PROSE = "This is a paragraph of the article, long enough to count as its main text. " * 3


def split(html):
    """Return main text and boilerplate."""
    nodes = [node for node in read(Page(url="https://example.org/", html=html)).nodes if node.text]
    main = [node.text for node in nodes if not node.boilerplate]
    return main, [node.text for node in nodes if node.boilerplate]


def links(*names):
    return " ".join(f"<a href=/{name}>{name}</a>" for name in names)


@pytest.mark.parametrize(
    "element",
    [
        "<nav>x</nav>",
        "<footer>x</footer>",
        "<aside>x</aside>",
        "<header>x</header>",
        "<search>x</search>",
        "<div role=navigation>x</div>",
        "<div role=banner>x</div>",
        "<div role=contentinfo>x</div>",
        "<section role=search>x</section>",
        "<form>x</form>",
        "<button>x</button>",
        "<label>x</label>",
        "<select><option>x</select>",
        "<div id=sidebar>x</div>",
        "<div class='main-nav dark'>x</div>",
        "<div class=mainMenu>x</div>",
        "<p class=post_meta>x</p>",
        "<div class=breadcrumbs>x</div>",
        "<div id=foot>x</div>",
        "<div id=head>x</div>",
        "<div class=navfooter>x</div>",
        "<div class=cookie-notice>x</div>",
        "<td class=leftnav>x</td>",
        "<div id=jump>x</div>",
    ],
)
def test_by_structure_and_names(element):
    if element.startswith("<td"):
        element = f"<table><tr>{element}</table>"
    main, boilerplate = split(f"{element}<p>{PROSE}")
    assert boilerplate == ["x"]
    assert main == [PROSE.strip()]


@pytest.mark.parametrize(
    "label",
    [
        *("content", "entry-header", "post-title", "footnotes", "has-sidebar", "navy", "address"),
        *("thumbnail", "advice", "sharepoint", "headline", "article-body", "metal"),
    ],
)
def test_names_that_only_look_like_boilerplate(label):
    assert split(f"<div class={label}>x</div><p>{PROSE}") == (["x", PROSE.strip()], [])


def test_ids_of_chapters_are_no_names_of_boilerplate():
    for chapter in ("section id=cookies", "div class=section id=search-paths"):
        assert split(f"<p>{PROSE}</p><{chapter}>x") == ([PROSE.strip(), "x"], [])
    assert split(f"<p>{PROSE}</p><div id=cookies>x") == ([PROSE.strip()], ["x"])


@pytest.mark.parametrize(
    "wrapper", ["body class=nav-open", "div class='header-fixed page'", "form"]
)
def test_a_name_on_what_holds_the_page(wrapper):
    main, boilerplate = split(f"<{wrapper}><p>{PROSE}</p><nav>x</nav>")
    assert main == [PROSE.strip()]
    assert boilerplate == ["x"]


def test_title_in_an_article_header():
    html = f"<article><header><h1>T</h1><p>by me</p></header><p>{PROSE}</article>"
    assert split(html) == (["T", PROSE.strip()], ["by me"])


def test_title_in_a_page_header():
    html = f"<title>T | Site</title><header><p>Site</p><h1>T</h1></header><p>{PROSE}"
    assert split(html) == (["T", PROSE.strip()], ["Site"])
    html = f"<title>T | Site</title><header><h1>Site</h1></header><h1>T</h1><p>{PROSE}"
    assert split(html) == (["T", PROSE.strip()], ["Site"])


@pytest.mark.parametrize(
    ("title", "heading", "is_named"),
    [
        ("ls(1)", "ls(1) Manual Page", True),
        ("Tea", "Tea: a handbook", True),
        ("Tea - Kitchen", "Tea at home", True),
        ("Tea - Kitchen", "Teapots", False),
        ("", "ls(1) Manual Page", False),
    ],
)
def test_a_heading_that_begins_with_the_title_names_its_page(title, heading, is_named):
    header = f"<h1>{heading}</h1><h2>NAME</h2><p>ls - list what a folder has</p>"
    main, _ = split(f"<title>{title}</title><div id=header>{header}</div><p>{PROSE}</p>")
    assert ("ls - list what a folder has" in main) == is_named


def test_list_of_links_with_its_heading():
    items = "".join(f"<li>{links(name)}" for name in ("One", "Two", "Three"))
    main, boilerplate = split(f"<h1>T</h1><p>{PROSE}</p><h3>Recent posts</h3><ul>{items}</ul>")
    assert boilerplate == ["Recent posts", "One", "Two", "Three"]
    assert main == ["T", PROSE.strip()]


def test_bar_of_links():
    assert split(f"<p>{links('Home', 'About', 'Feed')}</p><p>{PROSE}")[1] == ["Home About Feed"]


def test_links_in_prose_are_main_text():
    html = f"<p>See {links('one', 'two', 'three')} and <a href=/>{'much more of it ' * 5}</a>.</p>"
    assert split(html + f"<p>{PROSE}")[1] == []


def test_enumeration_of_links_is_main_text():
    html = "<p><a href=/a>git-a(1)</a>, <a href=/b>git-b(1)</a>, <a href=/c>git-c(1)</a></p>"
    assert split(html + f"<p>{PROSE}")[1] == []


def test_reference_table_is_main_text():
    rows = "".join(f"<tr><td>{links(f'get{i}')}<td>Returns the value of {i}." for i in range(9))
    assert split(f"<p>{PROSE}</p><table>{rows}</table>")[1] == []


def test_footnotes_in_asides_are_main_text():
    assert split(f"<p>{PROSE}</p><aside class='footnote brackets'>note</aside>")[1] == []


def test_index_page_keeps_its_links():
    items = "".join(f"<li>{links(f'Article{i}')}" for i in range(30))
    main, boilerplate = split(f"<nav>{links('Home', 'About')}</nav><h1>All</h1><ul>{items}</ul>")
    assert len(main) == 31
    assert boilerplate == ["Home About"]


def test_nothing_but_boilerplate_is_kept_as_main():
    assert split("<nav>x</nav><footer>y</footer>") == (["x", "y"], [])


def test_footer_stays_boilerplate_beside_little_text():
    assert split("<p>Hi.</p><footer>" + PROSE + "</footer>") == (["Hi."], [PROSE.strip()])


def test_whole_template():
    html = f"""<title>Storm | Courier</title><div id=page><div id=head><h1>{links("Courier")}</h1>
    <p>All the news</p><div class=menu>{links("Home", "World")}</div></div><div id=main>
    <div class=post><h2>Storm</h2><div class=entry><p>{PROSE}</p></div>
    <p class=postmeta>Filed under</div><div id=respond><h3>Reply</h3><form><label>Name</label>
    <input></form></div></div><div id=side><h3>Recent</h3><ul><li>{links("Bread")}</ul></div>
    <div id=foot>Powered by Press.</div></div>"""
    assert split(html)[0] == ["Storm", PROSE.strip()]
