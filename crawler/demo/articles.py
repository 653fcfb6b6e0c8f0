"""Articles, and families of pages made of them: copies, editions, excerpts, collections."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from .templates import DESIGNS, OTHERS, PageData, Site, sections_html
from .transforms import ENCODINGS, break_markup, edit, excerpt, typeset
from .web import Resource, Version

if TYPE_CHECKING:
    import random

    from .texts import Section, Text

_QUOTED = 0.4  # of an article at most, if another one quotes it


@dataclass(frozen=True, slots=True)
class Article:
    """A text with a URL and a design."""

    key: str
    text: Text
    url: str
    design: str
    data: PageData
    site: Site
    part: tuple[Section, ...] = ()
    """What another page shows as an excerpt."""

    @property
    def pieces(self) -> frozenset[str]:
        return frozenset({f"{self.key}.part", f"{self.key}.rest"} if self.part else {self.key})

    @property
    def path(self) -> str:
        """The path of its URL, which is the same on the mirror."""
        return "/" + self.url.split("/", 3)[3]

    def version(self, design: str = "", text: Text | None = None, **changes: object) -> Version:
        """Return the article as a version, by default in its own design and words."""
        html = self.html(design, text, **changes).encode()
        look = f"{self.key}/{design or self.design}{'/edited' if text else ''}"
        return Version(html, self.pieces, look)

    def html(self, design: str = "", text: Text | None = None, **changes: object) -> str:
        template = {**DESIGNS, **OTHERS}[design or self.design]
        data = replace(
            self.data,
            content=sections_html((text or self.text).sections),
            **changes,  # type: ignore[arg-type]  # names and types vary
        )
        return template(self.site, data)


class Inputs(NamedTuple):
    """What a family of pages is made from."""

    articles: list[Article]
    rng: random.Random
    mirror: str
    """The second host."""


Family = Callable[[Inputs], Iterator[Resource]]
"""A way to make pages from articles."""


def single(inputs: Inputs) -> Iterator[Resource]:
    """Yield an article without copies."""
    yield from originals(inputs.articles)


def addresses(inputs: Inputs) -> Iterator[Resource]:
    """Yield an article under more than one URL."""
    yield from originals(inputs.articles)
    for article in inputs.articles:
        url = article.url
        if url.endswith("/"):
            others = {"index.html": f"{url}index.html", "trailing slash": url.rstrip("/")}
        else:
            campaign = inputs.rng.choice(("letter", "spring", "social"))
            others = {
                "session id": f"{url}?sid={inputs.rng.getrandbits(64):016x}",
                "tracking": f"{url}?utm_medium=mail&utm_source={campaign}",
            }
        for what, other in others.items():
            session = other.partition("?sid=")[2]
            yield Resource(other, what, (article.version(session=session),), what, shows=url)


def mirrors(inputs: Inputs) -> Iterator[Resource]:
    """Yield an article on both hosts."""
    yield from originals(inputs.articles)
    for article in inputs.articles:
        url, versions = f"{inputs.mirror}{article.path}", (article.version(),)
        yield Resource(url, "mirror", versions, "mirror", shows=article.url)


def designs(inputs: Inputs) -> Iterator[Resource]:
    """Yield an article in two designs."""
    yield from originals(inputs.articles)
    for article in inputs.articles:
        design = inputs.rng.choice([*(one for one in DESIGNS if one != article.design), "mobile"])
        url = sibling_url(article, design)
        related = inputs.rng.sample(article.data.related, len(article.data.related))
        readers = inputs.rng.randint(9, 99_999)
        version = article.version(design, readers=readers, related=tuple(related))
        yield Resource(url, "other design", (version,), "classic view", shows=article.url)


def prints(inputs: Inputs) -> Iterator[Resource]:
    """Yield an article and its print view."""
    yield from originals(inputs.articles)
    for article in inputs.articles:
        url = sibling_url(article, "print")
        yield Resource(url, "print view", (article.version("print"),), "print", shows=article.url)


def edits(inputs: Inputs) -> Iterator[Resource]:
    """Yield an article and a copy with a few words changed."""
    yield from prints(inputs) if inputs.rng.random() < 1 / 3 else originals(inputs.articles)
    for article in inputs.articles:
        version = article.version(
            text=edit(article.text, inputs.rng),
            date=f"{inputs.rng.randint(1, 28)} May 2026",
            readers=inputs.rng.randint(9, 99_999),
        )
        yield Resource(sibling_url(article, "revised"), "edited", (version,), "revised edition")


def excerpts(inputs: Inputs) -> Iterator[Resource]:
    """Yield an article and a page with a part of it."""
    quoted = [replace(one, part=excerpt(one.text, inputs.rng)) for one in inputs.articles]
    with_print = inputs.rng.random() < 1 / 3
    yield from prints(inputs._replace(articles=quoted)) if with_print else originals(quoted)
    for article in quoted:
        if not article.part:
            continue
        content = sections_html(article.part) + f'\n<p><a href="{article.url}">Read on</a></p>'
        data = replace(article.data, title=f"In short: {article.text.title}", content=content)
        html = DESIGNS[article.design](article.site, data)
        version = Version(html.encode(), frozenset({f"{article.key}.part"}), f"{article.key}/part")
        yield Resource(sibling_url(article, "short"), "excerpt", (version,), "excerpt")


def collections(inputs: Inputs) -> Iterator[Resource]:
    """Yield several articles and a page with all of them."""
    yield from prints(inputs._replace(articles=inputs.articles[:1]))
    yield from originals(inputs.articles[1:])
    first = inputs.articles[0]
    content = "\n".join(
        f"<h2>{one.text.title}</h2>\n{sections_html(one.text.sections)}" for one in inputs.articles
    )
    data = replace(first.data, title=f"Reader {first.key[1:]}", content=content)
    html = DESIGNS[first.design](first.site, data)
    pieces = frozenset[str]().union(*(one.pieces for one in inputs.articles))
    version = Version(html.encode(), pieces, f"{first.key}/reader")
    yield Resource(sibling_url(first, "reader"), "collection", (version,), "reader")


def encodings(inputs: Inputs) -> Iterator[Resource]:
    """Yield an article with special characters, and copies with wrong or missing charsets."""
    for article in inputs.articles:
        quotes = inputs.rng.choice(list(ENCODINGS))
        special = replace(
            article,
            text=typeset(article.text, quotes),
            data=replace(article.data, byline="Zoë Müller-Gärtner und François Lefèvre"),
        )
        yield from originals([special])
        html = special.html()
        for encoding in inputs.rng.sample(ENCODINGS[quotes], 2):
            version = Version(encoding.encode(html), special.pieces)
            yield Resource(
                f"{special.url}?enc={encoding.name.replace(' ', '-')}",
                encoding.name,
                (version,),
                "download edition",
                content_type=encoding.content_type,
                shows=special.url,
            )


def broken_markup(inputs: Inputs) -> Iterator[Resource]:
    """Yield an article and a copy with broken markup."""
    yield from originals(inputs.articles)
    for article in inputs.articles:
        html = break_markup(article.html(inputs.rng.choice(list(DESIGNS))), inputs.rng)
        version = Version(html.encode(), article.pieces)
        url = sibling_url(article, "old")
        yield Resource(url, "broken HTML", (version,), "old page", shows=article.url)


def quotations(inputs: Inputs) -> Iterator[Resource]:
    """Yield an article and another that quotes it at some length, but is no copy."""
    quoted, quoting = inputs.articles
    most = _QUOTED * min(quoted.text.words, quoting.text.words)
    quotes: tuple[Section, ...] = ()
    for section in quoted.text.sections:
        if sum(one.words for one in (*quotes, section)) <= most:
            quotes += (section,)
    text = replace(quoting.text, sections=quoting.text.sections + quotes)
    yield from originals([quoted])
    for resource in originals([replace(quoting, text=text)]):
        yield replace(resource, what="quotation")


def originals(articles: Sequence[Article]) -> Iterator[Resource]:
    for article in articles:
        yield Resource(article.url, "article", (article.version(),), article.text.title)


def sibling_url(article: Article, name: str) -> str:
    """Return the URL of another page that is made of an article."""
    return f"{article.url.removesuffix('.html').rstrip('/')}-{name}.html"
