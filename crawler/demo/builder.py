"""Building of a demo web: how many resources of each kind, their URLs, and links to them."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from itertools import count, islice
from typing import TYPE_CHECKING

from . import articles as families
from . import corners, rearranged, special_pages
from .articles import Article, Inputs
from .templates import DESIGNS, Link, PageData, Site, link_html, links_html
from .texts import NotEnoughText, draw_texts
from .web import Resource, Version, Web

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .texts import Text

PAGES = 300
FEWEST = 100
_SHORTEST, _LONGEST = 150, 450
_NOTE = range(22, 80)
_ITEM = range(40, 90)

# For each family: how many articles it takes, how many pages it makes of them, its weight.
_FAMILIES: dict[families.Family, tuple[int, int, int]] = {
    families.single: (1, 1, 5),
    families.addresses: (1, 3, 4),
    families.mirrors: (1, 2, 4),
    families.designs: (1, 2, 4),
    families.prints: (1, 2, 3),
    families.edits: (1, 2, 5),
    families.excerpts: (1, 2, 4),
    families.collections: (4, 6, 2),
    families.encodings: (1, 3, 4),
    families.broken_markup: (1, 2, 3),
    families.quotations: (2, 2, 3),
    rearranged.questions: (2, 2, 1),
    rearranged.tables: (2, 2, 1),
    rearranged.lists: (1, 2, 1),
    rearranged.moved_sections: (2, 2, 1),
    rearranged.prices: (1, 2, 1),
    rearranged.other_words: (1, 2, 0),
    rearranged.grown: (2, 2, 1),
}
_TOPICS = "Archive Basics Data Files Network Numbers Systems Tools".split()
_NAMES = "Aldine Beacon Cobalt Dovetail Ember Fathom Gazette Harbour Lantern Meridian".split()
_AUTHORS = "Ada Brown, Carl Diaz, Eve Fox, Gus Hill, Ines Jung, Kai Lund".split(", ")
_MONTHS = "January February March April June July August September October".split()


def build(seed: int, pages: int, main: str, mirror: str, *, corners: bool = False) -> Web:
    """Build a web of about so many pages; the same arguments give the same web.

    Corners where requests are wasted are added to them.
    """
    if pages < FEWEST:
        raise ValueError(f"A demo web has at least {FEWEST} pages, not {pages}")
    return _Builder(seed, pages, main, mirror).build(corners=corners)


class _Builder:
    def __init__(self, seed: int, pages: int, main: str, mirror: str) -> None:
        self._seed, self._pages, self._main, self._mirror = seed, pages, main, mirror
        self._scale = max(1, pages // 100)
        self._rng = rng = random.Random(seed)  # noqa: S311 - nothing is secret here
        self._numbers = count()
        self._texts = iter(draw_texts(rng, _SHORTEST, _LONGEST))
        topics = [(topic, f"/{topic.lower()}/") for topic in _TOPICS]
        name = f"The {rng.choice(_NAMES)} {rng.choice(('Review', 'Post', 'Notes'))}"
        self._site = Site(name, (("Start", "/"), *topics, ("More", "/more/")), f"{main}/")

    def build(self, *, corners: bool) -> Web:
        special = list(self._special_resources())
        chosen = self._families(self._pages - len(special) - len(_TOPICS) - 2 * self._scale - 8)
        articles = self._articles(sum(_FAMILIES[family][0] for family in chosen))
        groups = [
            list(
                family(
                    Inputs(list(islice(articles, _FAMILIES[family][0])), self._rng, self._mirror)
                )
            )
            for family in chosen
        ]
        resources = [resource for group in groups for resource in group]
        special += self._other_resources()
        topics = {topic: groups[number :: len(_TOPICS)] for number, topic in enumerate(_TOPICS)}
        resources += special
        resources += [self._list_resource(topic, listed) for topic, listed in topics.items()]
        resources += [
            self._list_resource("More", [[resource] for resource in special if resource.label])
        ]
        index = self._index([("Corners", "/corners/")] if corners else [])
        if corners:
            added = list(self._corners())
            listed = [[resource] for resource in added if resource.label]
            resources += [*added, self._list_resource("Corners", listed)]
        resources += [index, *special_pages.robots_files(resources, self._main)]
        return Web(self._seed, self._main, self._mirror, tuple(resources))

    def _families(self, pages: int) -> list[families.Family]:
        """Choose families for so many pages, each at least once."""
        chosen = list(_FAMILIES)
        weights = [weight for _, _, weight in _FAMILIES.values()]
        while sum(_FAMILIES[family][1] for family in chosen) < pages:
            chosen += self._rng.choices(list(_FAMILIES), weights)
        self._rng.shuffle(chosen)
        return chosen

    def _articles(self, number: int) -> Iterator[Article]:
        """Yield texts with a URL, a date, a design, and links to each other."""
        rng, texts = self._rng, [self._text() for _ in range(number)]
        paths = [_path(text, rng) for text in texts]
        links = [(text.title, path) for text, path in zip(texts, paths, strict=True)]
        for text, path in zip(texts, paths, strict=True):
            data = replace(
                self._page_data(text.title),
                related=tuple(rng.sample(links, min(6, len(links)))),
                above=rng.choice(_TOPICS),
            )
            key, design = f"t{next(self._numbers)}", rng.choice(list(DESIGNS))
            yield Article(key, text, f"{self._main}{path}", design, data, self._site)

    def _page_data(self, title: str) -> PageData:
        rng = self._rng
        return PageData(
            title,
            "",
            date=f"{rng.randint(1, 28)} {rng.choice(_MONTHS)} 2026",
            readers=rng.randint(9, 99_999),
            byline=rng.choice(_AUTHORS),
            related=tuple(rng.sample(self._site.menu, 5)),
        )

    def _text(self) -> Text:
        try:
            return next(self._texts)
        except StopIteration:
            raise NotEnoughText(
                f"The documentation of this Python is too short for {self._pages} pages"
            ) from None

    def _special_resources(self) -> Iterator[Resource]:
        scale, main, site = self._scale, self._main, self._site
        sections = iter([one for _ in range(6 * scale) for one in self._text().sections])
        noted = islice((one for one in sections if one.words in _NOTE), 4 * scale + 2)
        yield from special_pages.notes(
            [(one, self._page_data(one.name)) for one in noted], site, main
        )
        yield from special_pages.shorts(list(islice(sections, scale + 1)), main)
        yield from special_pages.shells(list(islice(sections, 2 * scale + 1)), main)
        yield from special_pages.soft_404s(
            [self._page_data("") for _ in range(2 * scale + 1)], site, main
        )
        yield from special_pages.empty(main)

    def _other_resources(self) -> list[Resource]:
        """Return what changes, what redirects, and an article that only the site map names."""
        turning, target, *others = self._articles(2 * self._scale + 5)
        (orphan,) = self._articles(1)  # by itself: no other article links to it
        redirects = [target.path, *(path for _, path in self._site.menu[1:3])]
        return [
            *special_pages.changing(others, self._rng),
            special_pages.turning(turning, target),
            *families.originals([target]),
            *(replace(one, label="", what="orphan") for one in families.originals([orphan])),
            *special_pages.unjudged(redirects, orphan.html().encode(), self._main),
        ]

    def _list_resource(self, topic: str, groups: list[list[Resource]]) -> Resource:
        entries = [
            " ".join(link_html((resource.label, resource.url)) for resource in group)
            for group in groups
        ]
        content = (
            f"<p>All our texts about {topic.lower()}, in no order: {len(groups)} of them. Some "
            "come with a print view or a revised edition; none goes as long as it is read.</p>"
        )
        content += "".join(f"\n<li>{entry}</li>" for entry in entries).join(("<ul>", "</ul>"))
        return self._own_page(f"/{topic.lower()}/", "list", topic, content)

    def _corners(self) -> Iterator[Resource]:
        inputs = Inputs(list(self._articles(corners.ARTICLES)), self._rng, self._mirror)
        sections = (one for text in iter(self._text, None) for one in text.sections)
        items = list(islice((one for one in sections if one.words in _ITEM), corners.ITEMS))
        yield from corners.corners(inputs, items, self._page_data(""))

    def _index(self, more: list[Link]) -> Resource:
        content = f"<p>Welcome. These are our topics:</p>{links_html([*self._site.menu, *more])}"
        return self._own_page("/", "index", self._site.name, content)

    def _own_page(self, path: str, what: str, title: str, content: str) -> Resource:
        data = replace(self._page_data(title), content=content, byline="")
        html = DESIGNS["journal"](self._site, data)
        return Resource(f"{self._main}{path}", what, (Version(html.encode()),))


def _path(text: Text, rng: random.Random) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", text.title.lower()).strip("-")
    folder = rng.choice(("texts", "read", "library"))
    return f"/{folder}/{slug}{rng.choice(('/', '.html'))}"
