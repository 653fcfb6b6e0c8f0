"""Articles and their families: what becomes of a text on the web."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from .damage import ENCODINGS, broken
from .edits import edited, excerpt, typeset
from .model import Sheet, Version
from .templates import DESIGNS, OTHERS, Matter, Site, sections_html

if TYPE_CHECKING:
    import random

    from .texts import Section, Text


_QUOTED = 0.4  # of an article at most, if another one quotes it


@dataclass(frozen=True, slots=True)
class Article:
    """A text with a place on the web."""

    key: str
    text: Text
    url: str
    design: str
    matter: Matter
    site: Site
    part: tuple[Section, ...] = ()
    """What is quoted elsewhere."""

    @property
    def holds(self) -> frozenset[str]:
        return frozenset({f"{self.key}.part", f"{self.key}.rest"} if self.part else {self.key})

    @property
    def mirrored(self) -> str:
        """The path that it has on all hosts."""
        return "/" + self.url.split("/", 3)[3]

    def shown(self, design: str = "", text: Text | None = None, **changes: object) -> Version:
        """Show the article, in its own design and words if nothing else is said."""
        html = self.html(design, text, **changes).encode()
        look = f"{self.key}/{design or self.design}{'/edited' if text else ''}"
        return Version(html, self.holds, look)

    def html(self, design: str = "", text: Text | None = None, **changes: object) -> str:
        show = {**DESIGNS, **OTHERS}[design or self.design]
        matter = replace(
            self.matter,
            content=sections_html((text or self.text).sections),
            **changes,  # type: ignore[arg-type]  # names and types vary
        )
        return show(self.site, matter)


class Given(NamedTuple):
    """What a family is made of."""

    articles: list[Article]
    rng: random.Random
    mirror: str
    """The second host."""


Family = Callable[[Given], Iterator[Sheet]]
"""A way in which articles appear on the web."""


def alone(given: Given) -> Iterator[Sheet]:
    """Leave an article as it is."""
    yield from originals(given.articles)


def addresses(given: Given) -> Iterator[Sheet]:
    """Show an article under more than one address."""
    yield from originals(given.articles)
    for article in given.articles:
        url = article.url
        if url.endswith("/"):
            others = {"index.html": f"{url}index.html", "trailing slash": url.rstrip("/")}
        else:
            campaign = given.rng.choice(("letter", "spring", "social"))
            others = {
                "session id": f"{url}?sid={given.rng.getrandbits(64):016x}",
                "tracking": f"{url}?utm_medium=mail&utm_source={campaign}",
            }
        for what, other in others.items():
            session = other.partition("?sid=")[2]
            yield Sheet(other, what, (article.shown(session=session),), what)


def mirrors(given: Given) -> Iterator[Sheet]:
    """Show an article on a second host too."""
    yield from originals(given.articles)
    for article in given.articles:
        yield Sheet(f"{given.mirror}{article.mirrored}", "mirror", (article.shown(),), "mirror")


def designs(given: Given) -> Iterator[Sheet]:
    """Show an article in another design."""
    yield from originals(given.articles)
    for article in given.articles:
        design = given.rng.choice([*(one for one in DESIGNS if one != article.design), "mobile"])
        url = _beside(article, design)
        related = given.rng.sample(article.matter.related, len(article.matter.related))
        shown = article.shown(design, readers=given.rng.randint(9, 99_999), related=tuple(related))
        yield Sheet(url, "other design", (shown,), "classic view")


def prints(given: Given) -> Iterator[Sheet]:
    """Show an article for printers."""
    yield from originals(given.articles)
    for article in given.articles:
        yield Sheet(_beside(article, "print"), "print view", (article.shown("print"),), "print")


def edits(given: Given) -> Iterator[Sheet]:
    """Show an article with a few words changed."""
    yield from prints(given) if given.rng.random() < 1 / 3 else originals(given.articles)
    for article in given.articles:
        shown = article.shown(
            text=edited(article.text, given.rng),
            date=f"{given.rng.randint(1, 28)} May 2026",
            readers=given.rng.randint(9, 99_999),
        )
        yield Sheet(_beside(article, "revised"), "edited", (shown,), "revised edition")


def excerpts(given: Given) -> Iterator[Sheet]:
    """Show a part of an article on a page of its own."""
    quoted = [replace(one, part=excerpt(one.text, given.rng)) for one in given.articles]
    yield from (
        prints(given._replace(articles=quoted)) if given.rng.random() < 1 / 3 else originals(quoted)
    )
    for article in quoted:
        if not article.part:
            continue
        content = sections_html(article.part) + f'\n<p><a href="{article.url}">Read on</a></p>'
        matter = replace(article.matter, title=f"In short: {article.text.title}", content=content)
        html = DESIGNS[article.design](article.site, matter)
        shown = Version(html.encode(), frozenset({f"{article.key}.part"}), f"{article.key}/part")
        yield Sheet(_beside(article, "short"), "excerpt", (shown,), "excerpt")


def collections(given: Given) -> Iterator[Sheet]:
    """Show several whole articles on one page."""
    yield from prints(given._replace(articles=given.articles[:1]))
    yield from originals(given.articles[1:])
    first = given.articles[0]
    content = "\n".join(
        f"<h2>{one.text.title}</h2>\n{sections_html(one.text.sections)}" for one in given.articles
    )
    matter = replace(first.matter, title=f"Reader {first.key[1:]}", content=content)
    html = DESIGNS[first.design](first.site, matter)
    holds = frozenset[str]().union(*(one.holds for one in given.articles))
    shown = Version(html.encode(), holds, f"{first.key}/reader")
    yield Sheet(_beside(first, "reader"), "collection", (shown,), "reader")


def encodings(given: Given) -> Iterator[Sheet]:
    """Show an article with special characters in encodings that lie or are not told."""
    for article in given.articles:
        quotes = given.rng.choice(list(ENCODINGS))
        special = replace(
            article,
            text=typeset(article.text, quotes),
            matter=replace(article.matter, byline="Zoë Müller-Gärtner und François Lefèvre"),
        )
        yield from originals([special])
        html = special.html()
        for encoding in given.rng.sample(ENCODINGS[quotes], 2):
            shown = Version(encoding.encode(html), special.holds)
            yield Sheet(
                f"{special.url}?enc={encoding.name.replace(' ', '-')}",
                encoding.name,
                (shown,),
                "download edition",
                content_type=encoding.content_type,
            )


def breakages(given: Given) -> Iterator[Sheet]:
    """Show an article in markup that is broken."""
    yield from originals(given.articles)
    for article in given.articles:
        html = broken(article.html(given.rng.choice(list(DESIGNS))), given.rng)
        shown = Version(html.encode(), article.holds)
        yield Sheet(_beside(article, "old"), "broken HTML", (shown,), "old page")


def quotations(given: Given) -> Iterator[Sheet]:
    """Show an article that quotes another one at some length; it is no copy for that."""
    quoted, quoting = given.articles
    most = _QUOTED * min(quoted.text.words, quoting.text.words)
    quotes: tuple[Section, ...] = ()
    for section in quoted.text.sections:
        if sum(one.words for one in (*quotes, section)) <= most:
            quotes += (section,)
    text = replace(quoting.text, sections=quoting.text.sections + quotes)
    yield from originals([quoted])
    for sheet in originals([replace(quoting, text=text)]):
        yield replace(sheet, what="quotation")


def originals(articles: list[Article]) -> Iterator[Sheet]:
    for article in articles:
        yield Sheet(article.url, "article", (article.shown(),), article.text.title)


def _beside(article: Article, name: str) -> str:
    return f"{article.url.removesuffix('.html').rstrip('/')}-{name}.html"
