"""Articles and their families: what becomes of a text on the web."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from .damage import ENCODINGS, broken
from .edits import edited, excerpt, typeset
from .model import Sheet, Version
from .templates import DESIGNS, OTHERS, Matter, Site, sections_html

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from .texts import Section, Text


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
            **changes,  # type: ignore[arg-type]
        )
        return show(self.site, matter)


class Family(Protocol):
    """A way in which articles appear on the web."""

    def __call__(
        self, articles: list[Article], rng: random.Random, mirror: str
    ) -> Iterator[Sheet]: ...


def alone(articles: list[Article], rng: random.Random, mirror: str) -> Iterator[Sheet]:
    """Leave an article as it is."""
    yield from originals(articles)


def addresses(articles: list[Article], rng: random.Random, mirror: str) -> Iterator[Sheet]:
    """Show an article under more than one address."""
    yield from originals(articles)
    for article in articles:
        url = article.url
        if url.endswith("/"):
            others = {"index.html": f"{url}index.html", "trailing slash": url.rstrip("/")}
        else:
            campaign = rng.choice(("letter", "spring", "social"))
            others = {
                "session id": f"{url}?sid={rng.getrandbits(64):016x}",
                "tracking": f"{url}?utm_medium=mail&utm_source={campaign}",
            }
        for what, other in others.items():
            query = "?" + other.partition("?")[2] if what == "session id" else ""
            yield Sheet(other, what, (article.shown(query=query),), what)


def mirrors(articles: list[Article], rng: random.Random, mirror: str) -> Iterator[Sheet]:
    """Show an article on a second host too."""
    yield from originals(articles)
    for article in articles:
        yield Sheet(f"{mirror}{article.mirrored}", "mirror", (article.shown(),), "mirror")


def designs(articles: list[Article], rng: random.Random, mirror: str) -> Iterator[Sheet]:
    """Show an article in another design."""
    yield from originals(articles)
    for article in articles:
        design = rng.choice([*(one for one in DESIGNS if one != article.design), "mobile"])
        url = _beside(article, design)
        related = rng.sample(article.matter.related, len(article.matter.related))
        shown = article.shown(design, readers=rng.randint(9, 99_999), related=tuple(related))
        yield Sheet(url, "other design", (shown,), "classic view")


def prints(articles: list[Article], rng: random.Random, mirror: str) -> Iterator[Sheet]:
    """Show an article for printers."""
    yield from originals(articles)
    for article in articles:
        yield Sheet(_beside(article, "print"), "print view", (article.shown("print"),), "print")


def edits(articles: list[Article], rng: random.Random, mirror: str) -> Iterator[Sheet]:
    """Show an article with a few words changed."""
    yield from prints(articles, rng, mirror) if rng.random() < 1 / 3 else originals(articles)
    for article in articles:
        shown = article.shown(
            text=edited(article.text, rng),
            date=f"{rng.randint(1, 28)} May 2026",
            readers=rng.randint(9, 99_999),
        )
        yield Sheet(_beside(article, "revised"), "edited", (shown,), "revised edition")


def excerpts(articles: list[Article], rng: random.Random, mirror: str) -> Iterator[Sheet]:
    """Show a part of an article on a page of its own."""
    quoted = [replace(one, part=excerpt(one.text, rng)) for one in articles]
    yield from prints(quoted, rng, mirror) if rng.random() < 1 / 3 else originals(quoted)
    for article in quoted:
        if not article.part:
            continue
        content = sections_html(article.part) + f'\n<p><a href="{article.url}">Read on</a></p>'
        matter = replace(article.matter, title=f"In short: {article.text.title}", content=content)
        html = DESIGNS[article.design](article.site, matter)
        shown = Version(html.encode(), frozenset({f"{article.key}.part"}), f"{article.key}/part")
        yield Sheet(_beside(article, "short"), "excerpt", (shown,), "excerpt")


def collections(articles: list[Article], rng: random.Random, mirror: str) -> Iterator[Sheet]:
    """Show several whole articles on one page."""
    yield from prints(articles[:1], rng, mirror)
    yield from originals(articles[1:])
    first = articles[0]
    content = "\n".join(
        f"<h2>{one.text.title}</h2>\n{sections_html(one.text.sections)}" for one in articles
    )
    matter = replace(first.matter, title=f"Reader {first.key[1:]}", content=content)
    html = DESIGNS[first.design](first.site, matter)
    holds = frozenset[str]().union(*(one.holds for one in articles))
    shown = Version(html.encode(), holds, f"{first.key}/reader")
    yield Sheet(_beside(first, "reader"), "collection", (shown,), "reader")


def encodings(articles: list[Article], rng: random.Random, mirror: str) -> Iterator[Sheet]:
    """Show an article with special characters in encodings that lie or are not told."""
    for article in articles:
        quotes = rng.choice(list(ENCODINGS))
        special = replace(
            article,
            text=typeset(article.text, quotes),
            matter=replace(article.matter, byline="Zoë Müller-Gärtner und François Lefèvre"),
        )
        yield from originals([special])
        html = special.html()
        for encoding in rng.sample(ENCODINGS[quotes], 2):
            shown = Version(encoding.encode(html), special.holds)
            yield Sheet(
                f"{special.url}?enc={encoding.name.replace(' ', '-')}",
                encoding.name,
                (shown,),
                "download edition",
                content_type=encoding.content_type,
            )


def breakages(articles: list[Article], rng: random.Random, mirror: str) -> Iterator[Sheet]:
    """Show an article in markup that is broken."""
    yield from originals(articles)
    for article in articles:
        html = broken(article.html(rng.choice(list(DESIGNS))), rng)
        shown = Version(html.encode(), article.holds)
        yield Sheet(_beside(article, "old"), "broken HTML", (shown,), "old page")


def originals(articles: list[Article]) -> Iterator[Sheet]:
    for article in articles:
        yield Sheet(article.url, "article", (article.shown(),), article.text.title)


def _beside(article: Article, name: str) -> str:
    return f"{article.url.removesuffix('.html').rstrip('/')}-{name}.html"
