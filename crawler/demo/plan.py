"""The plan of a demo web: how many of each, where they stand, what links to them."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from itertools import count, islice
from typing import TYPE_CHECKING

from . import articles as families
from . import odds
from .articles import Article, Given
from .model import Sheet, Version, Web
from .robots import maps
from .templates import DESIGNS, Matter, Site, link_html, links_html
from .texts import NoTexts, cut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .texts import Text

PAGES = 300
FEWEST = 100
_SHORTEST, _LONGEST = 150, 450
_NOTE = range(22, 80)

# Each family: how many articles it takes, how many pages it makes of them, its weight.
_FAMILIES: dict[families.Family, tuple[int, int, int]] = {
    families.alone: (1, 1, 5),
    families.addresses: (1, 3, 3),
    families.mirrors: (1, 2, 4),
    families.designs: (1, 2, 4),
    families.prints: (1, 2, 3),
    families.edits: (1, 2, 5),
    families.excerpts: (1, 2, 4),
    families.collections: (4, 6, 2),
    families.encodings: (1, 3, 3),
    families.breakages: (1, 2, 3),
    families.quotations: (2, 2, 3),
}
_TOPICS = "Archive Basics Data Files Network Numbers Systems Tools".split()
_NAMES = "Aldine Beacon Cobalt Dovetail Ember Fathom Gazette Harbour Lantern Meridian".split()
_AUTHORS = "Ada Brown, Carl Diaz, Eve Fox, Gus Hill, Ines Jung, Kai Lund".split(", ")
_MONTHS = "January February March April June July August September October".split()


def build(seed: int, pages: int, main: str, mirror: str) -> Web:
    """Build a web of about so many pages; the same arguments give the same web."""
    if pages < FEWEST:
        raise ValueError(f"A demo web has at least {FEWEST} pages, not {pages}")
    return _Builder(seed, pages, main, mirror).build()


class _Builder:
    def __init__(self, seed: int, pages: int, main: str, mirror: str) -> None:
        self._seed, self._pages, self._main, self._mirror = seed, pages, main, mirror
        self._scale = max(1, pages // 100)
        self._rng = rng = random.Random(seed)  # noqa: S311 - nothing is secret here
        self._numbers = count()
        self._texts = iter(cut(rng, _SHORTEST, _LONGEST))
        topics = [(topic, f"/{topic.lower()}/") for topic in _TOPICS]
        name = f"The {rng.choice(_NAMES)} {rng.choice(('Review', 'Post', 'Notes'))}"
        self._site = Site(name, (("Start", "/"), *topics, ("More", "/more/")), f"{main}/")

    def build(self) -> Web:
        odd = list(self._odd_sheets())
        chosen = self._families(self._pages - len(odd) - len(_TOPICS) - 2 * self._scale - 8)
        articles = self._articles(sum(_FAMILIES[family][0] for family in chosen))
        groups = [
            list(
                family(Given(list(islice(articles, _FAMILIES[family][0])), self._rng, self._mirror))
            )
            for family in chosen
        ]
        sheets = [sheet for group in groups for sheet in group]
        odd += self._restless_sheets()
        topics = {topic: groups[number :: len(_TOPICS)] for number, topic in enumerate(_TOPICS)}
        sheets += odd
        sheets += [self._list_sheet(topic, listed) for topic, listed in topics.items()]
        sheets += [self._list_sheet("More", [[sheet] for sheet in odd if sheet.label])]
        sheets += [self._index(), *maps(sheets, self._main)]
        return Web(self._seed, self._main, self._mirror, tuple(sheets))

    def _families(self, pages: int) -> list[families.Family]:
        """Choose families for so many pages, each at least once."""
        chosen = list(_FAMILIES)
        weights = [weight for _, _, weight in _FAMILIES.values()]
        while sum(_FAMILIES[family][1] for family in chosen) < pages:
            chosen += self._rng.choices(list(_FAMILIES), weights)
        self._rng.shuffle(chosen)
        return chosen

    def _articles(self, number: int) -> Iterator[Article]:
        """Give texts a place, a date, a design, and links to each other."""
        rng, texts = self._rng, [self._text() for _ in range(number)]
        places = [_place(text, rng) for text in texts]
        links = [(text.title, place) for text, place in zip(texts, places, strict=True)]
        for text, place in zip(texts, places, strict=True):
            matter = replace(
                self._matter(text.title),
                related=tuple(rng.sample(links, min(6, len(links)))),
                above=rng.choice(_TOPICS),
            )
            key, design = f"t{next(self._numbers)}", rng.choice(list(DESIGNS))
            yield Article(key, text, f"{self._main}{place}", design, matter, self._site)

    def _matter(self, title: str) -> Matter:
        rng = self._rng
        return Matter(
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
            raise NoTexts(
                f"The documentation of this Python is too short for {self._pages} pages"
            ) from None

    def _odd_sheets(self) -> Iterator[Sheet]:
        scale, main, site = self._scale, self._main, self._site
        sections = iter([one for _ in range(6 * scale) for one in self._text().sections])
        noted = islice((one for one in sections if one.words in _NOTE), 4 * scale + 2)
        yield from odds.notes([(one, self._matter(one.name)) for one in noted], site, main)
        yield from odds.shorts(list(islice(sections, scale + 1)), main)
        yield from odds.shells(list(islice(sections, 2 * scale + 1)), main)
        yield from odds.lost([self._matter("") for _ in range(2 * scale + 1)], site, main)
        yield from odds.empty(main)

    def _restless_sheets(self) -> list[Sheet]:
        """Make what changes, what redirects, and an article that only the site map knows."""
        turning, target, *others = self._articles(2 * self._scale + 5)
        (orphan,) = self._articles(1)  # by itself: no other article links to it
        redirects = [target.mirrored, *(path for _, path in self._site.menu[1:3])]
        return [
            *odds.changing(others, self._rng),
            odds.turning(turning, target),
            *families.originals([target]),
            *(replace(one, label="", what="orphan") for one in families.originals([orphan])),
            *odds.unjudged(redirects, orphan.html().encode(), self._main),
        ]

    def _list_sheet(self, topic: str, groups: list[list[Sheet]]) -> Sheet:
        entries = [
            " ".join(link_html((sheet.label, sheet.url)) for sheet in group) for group in groups
        ]
        content = (
            f"<p>All our texts about {topic.lower()}, in no order: {len(groups)} of them. Some "
            "come with a print view or a revised edition; none goes as long as it is read.</p>"
        )
        content += "".join(f"\n<li>{entry}</li>" for entry in entries).join(("<ul>", "</ul>"))
        return self._own_page(f"/{topic.lower()}/", "list", topic, content)

    def _index(self) -> Sheet:
        content = f"<p>Welcome. These are our topics:</p>{links_html(self._site.menu)}"
        return self._own_page("/", "index", self._site.name, content)

    def _own_page(self, path: str, what: str, title: str, content: str) -> Sheet:
        matter = replace(self._matter(title), content=content, byline="")
        html = DESIGNS["journal"](self._site, matter)
        return Sheet(f"{self._main}{path}", what, (Version(html.encode()),))


def _place(text: Text, rng: random.Random) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", text.title.lower()).strip("-")
    folder = rng.choice(("texts", "read", "library"))
    return f"/{folder}/{slug}{rng.choice(('/', '.html'))}"
