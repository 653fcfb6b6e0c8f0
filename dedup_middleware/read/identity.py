"""Identity: what a page says it is, in title, main heading, language, URLs and metadata."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from dedup_middleware import core

from .decode import utf8

LONGEST = 1_000  # characters of a name that are kept
LONGEST_URL = 4_000  # a longer one names nothing
_LONGEST_VALUE = 4 * LONGEST  # characters that are looked at
_PLAIN = re.compile(r"https?://[a-z0-9.-]+(?::[0-9]+)?(?:/[\w.~%+,=&:@/-]*)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Identity:
    """What names a page. Nothing of it is checked, and all of it is cut to a bounded length."""

    title: str = ""
    heading: str = ""
    """The main heading: the first of rank 1 in the main text, else the first of any rank."""
    language: str = ""
    canonical: str | None = None
    og_url: str | None = None
    og_title: str = ""
    headline: str = ""
    """Of the first article in JSON-LD."""

    @property
    def address(self) -> str | None:
        """What the page says its URL is."""
        return self.canonical or self.og_url


class Declared(NamedTuple):
    """What a page declares about itself; names are bounded, URLs and JSON as they were found."""

    title: str = ""
    language: str = ""
    canonical: str = ""
    base: str = ""
    og_url: str = ""
    og_title: str = ""
    headlines: tuple[str, ...] = ()
    """In JSON."""

    def identity(self, url: str, heading: str) -> Identity:
        """Return the identity of the page at a URL with a main heading."""
        canonical, og_url = self._absolute(url, self.canonical), self._absolute(url, self.og_url)
        headline = bounded(next(filter(None, map(_from_json, self.headlines)), ""))
        names = self.title, heading, self.language, canonical, og_url, self.og_title, headline
        return Identity(*names)

    def _absolute(self, url: str, target: str) -> str | None:
        target = target.strip()
        if not target or len(target) > LONGEST_URL:
            return None
        if not self.base and _PLAIN.fullmatch(target) and _PLAIN.fullmatch(url):
            return target  # as nearly all are: absolute, with nothing to change
        try:
            target = urljoin(urljoin(url, self.base.strip()), target)
            valid = urlsplit(target).scheme in ("http", "https") and len(target) <= LONGEST_URL
        except ValueError:
            return None
        return target if valid else None


def title_parts(title: str) -> list[str]:
    """Split a title at what usually divides the name of a page from that of its site.

    >>> title_parts("Tides - The Sea | Example.org")
    ['Tides', 'The Sea', 'Example.org']
    """
    found = core.call("title_parts", utf8(title)).decode() if title else ""
    return found.split("\n") if found else []


def _from_json(text: str) -> str:
    try:
        return str(json.loads(text, strict=False))
    except ValueError:
        return ""


def bounded(text: str) -> str:
    """Fold the white space of a name, and cut it."""
    return " ".join(text[:_LONGEST_VALUE].split())[:LONGEST].rstrip()
