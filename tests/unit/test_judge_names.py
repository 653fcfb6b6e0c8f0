"""What names a page, and whether two pages have names of their own."""

from __future__ import annotations

import pytest

from dedup_middleware import Deduplicator, Page
from dedup_middleware.fingerprint.site import UNKNOWN_SITE, SiteMemory, address_mark, block_hash
from dedup_middleware.judge.names import Names, name_each_other
from dedup_middleware.read import Identity, read
from dedup_middleware.store.memory import MemoryStore
from tests.support.hosts import memory
from tests.support.texts import article, html

TEXT = "<p>The tide came in and lifted the boats that lay on the sand.</p>"


def names(source: str, site: SiteMemory = UNKNOWN_SITE) -> Names:
    return Names(read(Page(url="https://a.example/", html=source)), site)


def test_parts_of_the_title_and_the_main_heading_name_a_page() -> None:
    page = f"<title>High water - The Sea</title><h1>High water in May</h1>{TEXT}"
    assert names(page).names == {"high water", "the sea", "high water in may"}
    known = SiteMemory(1, shared_names=frozenset({block_hash("The Sea")}))
    assert names(page, known).names == {"high water", "high water in may"}


def test_where_others_have_each_part_the_whole_title_is_the_name() -> None:
    known = SiteMemory(1, shared_names=frozenset(map(block_hash, ("Contents", "Notation"))))
    page = names(f"<title>Contents - Notation</title>{TEXT}", known)
    assert page.names == {"contents notation"}
    chapter = names(f"<title>Rests - Notation</title>{TEXT}", known)
    assert page.differ(chapter)


def test_signs_name_a_page() -> None:
    first, second = (names(f"<title>Index - {sign}</title>{TEXT}") for sign in "$/")
    assert first.differ(second)


def test_without_title_and_heading_the_first_block_names_a_page() -> None:
    assert names(f"<p>Members of TList</p>{TEXT}").names == {"members of tlist"}
    assert names(f"<p>{'so long that it is text ' * 8}</p>{TEXT}").names == frozenset()


def test_a_short_heading_names_a_page_where_all_titles_are_one() -> None:
    first, second = (names(f"<title>Shop</title><h1>{name}</h1>{TEXT}") for name in ("Saw", "Axe"))
    assert first.differ(second)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Bindings for C", "Bindings for C++"), ("operator+", "operator-"), ("Lens -5", "Lens +5")],
)
def test_signs_make_another_name(one: str, other: str) -> None:
    first, second = (names(f"<title>{name}</title>{TEXT}") for name in (one, other))
    assert first.differ(second)


def test_a_name_that_is_cut_from_the_text_is_none() -> None:
    title = "The tide came in and lifted"
    assert names(f"<title>{title}</title><h1>{title}</h1>{TEXT}").names == frozenset()


def test_a_name_that_the_text_explains_is_one() -> None:
    explained = "<p>DROP VIEW — remove a view</p>"
    page = f"<title>DROP VIEW</title><h2>DROP VIEW</h2>{explained}{TEXT}"
    assert names(page).names == {"drop view"}


def test_a_page_shows_another_where_its_name_is_title_or_heading() -> None:
    post = names(f"<title>Boats of the north | Sea</title>{TEXT}")
    shown = "<h2><a href=/boats>Boats of the north</a></h2>"
    archive = names(f"<title>May | Sea</title>{shown}{TEXT}")
    assert not post.differ(archive)
    assert not archive.differ(post)


@pytest.mark.parametrize(
    "shown",
    [
        "<ul><li><a href=/boats>Boats of the north</a></li><li>Tides</li></ul>",
        "<div><b>Boats of the north</b></div>",
        "<p>See Boats of the north, in May.</p>",
    ],
)
def test_other_blocks_show_no_name(shown: str) -> None:
    post = names(f"<title>Boats of the north | Sea</title>{TEXT}")
    assert post.differ(names(f"<title>May | Sea</title>{shown}{TEXT}"))


def test_a_name_with_something_more_is_no_other_name() -> None:
    page = names(f"<title>Tides | Sea</title>{TEXT}")
    assert not page.differ(names(f"<title>Tides (for print) | Sea</title>{TEXT}"))


def test_without_a_title_other_declarations_name_a_page() -> None:
    meta = '<meta property="og:title" content="High water">'
    data = '<script type="application/ld+json">{"headline": "Low water"}</script>'
    assert names(f"<head>{meta}{data}</head>{TEXT}").names == {"high water"}
    assert names(f"<head>{data}</head>{TEXT}").names == {"low water"}


def test_pages_that_declare_one_address() -> None:
    first = Identity(canonical="https://a.example/tides")
    second = Identity(og_url="https://a.example/tides")
    home = Identity(canonical="https://a.example/")
    a, b = "https://a.example/tides", "https://a.example/print?id=3"
    assert name_each_other(a, Identity(), b, first, UNKNOWN_SITE)
    assert name_each_other(b, second, a, Identity(), UNKNOWN_SITE)
    assert name_each_other(b, first, "https://a.example/x", second, UNKNOWN_SITE)
    assert not name_each_other(a, home, b, home, UNKNOWN_SITE)
    assert not name_each_other(a, first, b, Identity(), UNKNOWN_SITE)


def test_an_address_that_many_pages_declare_is_not_theirs() -> None:
    lie = Identity(canonical="https://a.example/index.html")
    known = memory({address_mark("https://a.example/index.html"): 4})
    a, b = "https://a.example/tides", "https://a.example/boats"
    assert name_each_other(a, lie, b, lie, UNKNOWN_SITE)
    assert not name_each_other(a, lie, b, lie, known)


def family(name: str, number: int) -> str:
    """Make a manual page of a family: its name, a little text of its own, and much common text."""
    own = article(20 + number, 40)[:2]
    return html([*own, *article(3, 400)], title=f"{name} - Manual")


def test_manual_pages_of_one_family_pass() -> None:
    with Deduplicator(MemoryStore()) as dedup:
        for number, name in enumerate(("git-show", "git-diff", "git-log", "git-blame")):
            page = Page(url=f"https://doc.example/{name}", html=family(name, number))
            verdict = dedup.process(page)
            assert verdict.kind == "unique", verdict.reason
        assert verdict.evidence.suspect
        assert "title, main heading or language are different" in verdict.reason


def test_a_sidebar_that_names_all_pages_does_not_make_them_one() -> None:
    """The sidebar is the longest part of these pages, and nothing marks it up as one."""
    names = [
        f"{word} of the {sea} sea"
        for word in ("Tides", "Boats")
        for sea in article(9)[0].split()[:20]
    ]
    sidebar = "<div>" + "".join(
        f"<div><a href=/{n}>{name}</a></div>" for n, name in enumerate(names)
    )
    with Deduplicator(MemoryStore(), min_words=10) as dedup:
        for number, name in enumerate(names[:12]):
            text = f"<h1>{name}</h1><p>{article(number, 16)[0]}</p>"
            page = f"<title>Manual: {name}</title>{text}{sidebar}</div>"
            verdict = dedup.process(Page(url=f"https://doc.example/{number}", html=page))
            assert verdict.action != "drop", verdict.reason


def test_a_long_page_with_another_name_is_kept_for_one_other_sentence() -> None:
    """Nothing is so long that its name would not count."""
    text = article(4, 3000)
    known = ("unique", "pass")
    with Deduplicator(MemoryStore()) as dedup:
        for name in ("add", "rotate", "multiply"):
            own = f"<p>Return the result of {name} for two frames, element by element.</p>"
            page = html([own, *text], title=f"frame.{name} - Manual")
            verdict = dedup.process(Page(url=f"https://doc.example/{name}", html=page))
            assert (verdict.kind, verdict.action) == known, verdict.reason
            known = ("near", "tag")


def test_a_page_with_another_name_and_nothing_else_of_its_own_is_near_and_kept() -> None:
    with Deduplicator(MemoryStore()) as dedup:
        for name in ("std", "core"):
            page = f"<title>{name}::hash</title><h1>{name}::hash</h1>" + "".join(article(4, 200))
            verdict = dedup.process(Page(url=f"https://doc.example/{name}", html=page))
    assert (verdict.kind, verdict.action) == ("near", "tag")
    assert "title, main heading or language is another, so it is kept" in verdict.reason


@pytest.mark.parametrize("host", ["doc.example", "www.doc.example"])
def test_names_count_between_hosts_of_one_site(host: str) -> None:
    with Deduplicator(MemoryStore()) as dedup:
        for name, where in (("add", "doc.example"), ("multiply", host)):
            own = f"<p>Return the result of {name} for two frames, element by element.</p>"
            page = html([own, *article(4, 400)], title=f"frame.{name} - Manual")
            verdict = dedup.process(Page(url=f"https://{where}/{name}", html=page))
    assert (verdict.kind, verdict.action) == ("near", "tag")
    assert "title, main heading or language is another" in verdict.reason


@pytest.mark.parametrize("beside", ["", "aside"])
def test_a_page_with_another_name_and_its_answers_in_other_places_is_kept(beside: str) -> None:
    """The blocks are the same, but not in the same order; or they differ beside the main text."""
    with Deduplicator(MemoryStore()) as dedup:
        for name, answers in (("Alpha", "yes no no yes"), ("Beta", "no yes yes no")):
            rows = zip(("Range", "Rain", "Night", "Frost"), answers.split(), strict=True)
            table = "".join(f"<tr><td>{what}</td><td>{answer}</td></tr>" for what, answer in rows)
            own = f"<table>{table}</table>"
            if beside:
                own = f"<aside class=buybox><p>EUR {len(name)}.20, article {name[0]}-7</p></aside>"
            text = "".join(f"<p>{part}</p>" for part in article(4, 300))
            page = f"<title>Model {name}</title><h1>Model {name}</h1>{text}{own}"
            verdict = dedup.process(Page(url=f"https://shop.example/{name}", html=page))
    assert verdict.action != "drop", verdict.reason


def reference(command: str, thing: str) -> str:
    """Make a page of a reference whose pages say the same of other things."""
    name = f"{command} {thing}".upper()
    head = f"<title>{name}</title><h2>{name}</h2><p>{name} — {command} a {thing}</p>"
    lines = (
        f"{name} removes a {thing} that was defined before from the current database.",
        f"To execute this command you must be the owner of the {thing} or its superuser.",
        f"Do not throw an error if the {thing} does not exist; a notice is issued in this case.",
        f"The name of an existing {thing}, optionally with that of the schema it belongs to.",
        f"Automatically drop objects that depend on the {thing}, and those that depend on them.",
        f"Refuse to drop the {thing} if any objects depend on it, which is the default.",
        "This command conforms to the standard, apart from one of its options that is new.",
    )
    return head + "".join(f"<p>{line}</p>" for line in lines)


def test_pages_of_a_reference_that_begin_with_their_names_are_not_reworded_ones() -> None:
    with Deduplicator(MemoryStore()) as dedup:
        for thing in ("view", "sequence", "domain", "trigger", "collation"):
            page = Page(url=f"https://doc.example/{thing}", html=reference("drop", thing))
            verdict = dedup.process(page)
            assert verdict.kind == "unique", verdict.reason


def test_the_same_page_of_another_site_under_another_name_is_near() -> None:
    """Names of other sites are their own matter: news are issued again under another headline."""
    with Deduplicator(MemoryStore()) as dedup:
        dedup.process(Page(url="https://a.example/", html=html(article(1), title="Tides")))
        again = html(article(1), title="What draws the sea", site="news")
        verdict = dedup.process(Page(url="https://b.example/", html=again))
    assert (verdict.kind, verdict.original) == ("near", "https://a.example/")


def test_an_equal_text_under_another_name_is_near_even_on_one_site() -> None:
    """It is evidence, not a rule: once the template is known, equal text says more."""
    with Deduplicator(MemoryStore()) as dedup:
        for n in range(4):
            page = html(article(n, 600), title=f"Tides of {n} seas")
            dedup.process(Page(url=f"https://a.example/{n}", html=page))
        page = Page(url="https://a.example/again", html=html(article(1, 600), title="Boats"))
        verdict = dedup.process(page)
    assert (verdict.kind, verdict.original) == ("near", "https://a.example/1")


def test_pages_of_one_heading_are_alike_on_a_young_host_and_kept() -> None:
    """Nobody knows yet that each of its titles ends with the name of the site."""
    body = f"<h1>Low tide</h1><p>{'<p>'.join(article(1, 200))}"
    first = f"<title>Low tide (print)</title>{body}"
    second = f"<title>The Coast: Low tide</title>{body}<p>By Ann Lee, who lives at the sea."
    with Deduplicator(MemoryStore()) as dedup:
        dedup.process(Page(url="https://a.example/print", html=first))
        verdict = dedup.process(Page(url="https://a.example/", html=second))
    assert (verdict.kind, verdict.action) == ("near", "tag")
    assert "title or main heading is the same" not in verdict.reason
    assert "Its title, main heading or language is another, so it is kept" in verdict.reason
