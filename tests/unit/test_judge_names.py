"""What names a page, and whether two pages have names of their own."""

from __future__ import annotations

from dedup_middleware import Deduplicator, Page
from dedup_middleware.fingerprint.site import UNKNOWN_SITE, SiteMemory, block_hash
from dedup_middleware.judge.names import Names, name_each_other
from dedup_middleware.read import Identity, read
from dedup_middleware.store.memory import MemoryStore
from tests.support.texts import article, html

TEXT = "<p>The tide came in and lifted the boats that lay on the sand.</p>"


def names(source: str, site: SiteMemory = UNKNOWN_SITE) -> Names:
    return Names(read(Page(url="https://a.example/", html=source)), site)


def test_title_without_the_site_and_main_heading() -> None:
    page = f"<title>High water - The Sea</title><h1>High water in May</h1>{TEXT}"
    assert names(page).names == {"high water", "high water in may"}
    assert names(page, SiteMemory(1)).names == {"high water the sea", "high water in may"}
    known = SiteMemory(1, shared_names=frozenset({block_hash("High water")}))
    assert names(page, known).names == {"the sea", "high water in may"}


def test_a_heading_that_could_stand_on_any_page_is_no_name() -> None:
    assert names(f"<title>git-diff(1)</title><h1>Synopsis</h1>{TEXT}").names == {"git diff 1"}
    assert names(f"<h1>Synopsis</h1>{TEXT}").names == {"synopsis"}


def test_a_name_that_is_cut_from_the_text_is_none() -> None:
    title = "The tide came in and lifted"
    assert names(f"<title>{title}</title><h1>{title}</h1>{TEXT}").names == frozenset()


def test_a_name_that_the_text_explains_is_one() -> None:
    explained = "<p>DROP VIEW — remove a view</p>"
    page = f"<title>DROP VIEW</title><h2>DROP VIEW</h2>{explained}{TEXT}"
    assert names(page).names == {"drop view"}


def test_a_title_that_is_shown_names_a_page_before_a_heading_of_the_site() -> None:
    heads = "<h1>Manual of the sea 3</h1><h2>Notes on the tides of May</h2>"
    page = f"<title>Notes on the tides of May — Manual of the sea 3</title>{heads}{TEXT}"
    assert names(page).names == {"notes on the tides of may"}


def test_a_page_shows_another_where_its_name_is_a_block() -> None:
    post = names(f"<title>Boats of the north | Sea</title>{TEXT}")
    archive = names(f"<title>May | Sea</title><div><b>Boats of the north</b></div>{TEXT}")
    mention = names(f"<title>May | Sea</title><p>See Boats of the north, in May.</p>{TEXT}")
    assert archive.shows(post)
    assert not mention.shows(post)


def test_a_tag_in_a_tag_cloud_is_not_the_page_of_that_tag() -> None:
    tag = names(f"<title>Boats | Sea</title>{TEXT}")
    cloud = "<ul><li>Boats</li><li>Tides</li></ul>"
    assert not names(f"<title>Tides | Sea</title>{TEXT}{cloud}").shows(tag)


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
    assert name_each_other(a, Identity(), b, first)
    assert name_each_other(b, second, a, Identity())
    assert name_each_other(b, first, "https://a.example/x", second)
    assert not name_each_other(a, home, b, home)
    assert not name_each_other(a, first, b, Identity())


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
