"""URLs taken apart: their shape, their normal form, and what could be removed from them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple
from zlib import crc32

from dedup_middleware.urls import canonical_url, plain_host

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .values import RuleKind

LONGEST_URL, MOST_PARAMETERS, MOST_SEGMENTS = 2048, 64, 64
"""A URL with more has no shape and follows no rule."""
LONGEST_SHAPE, LONGEST_NAME = 200, 100
SCHEME, WWW, PORT, SLASH, INDEX, CASE, AMP, PRINT = (1 << bit for bit in range(8))
TOGGLES: dict[RuleKind, int] = {
    "scheme": SCHEME,
    "www": WWW,
    "port": PORT,
    "slash": SLASH,
    "index": INDEX,
    "case": CASE,
    "amp": AMP,
    "print": PRINT,
}
"""Kinds of rules about what a URL can be written with or without, as bits."""
ALL = (1 << len(TOGGLES)) - 1
_DETAILED = INDEX | CASE | AMP | PRINT
_DEFAULT_PORTS = {"http": 80, "https": 443}
_LAST_PORT = 65535
_TIMES_REPEATED = 3

_URL = re.compile(r"(https?)://([^/?#]+)(/[^?#]*)(?:\?([^#]*))?(?:#.*)?", re.DOTALL)
_INDEX = re.compile(
    r"/(?:index|default)\.(?:[sx]?html?|php[3-8]?|aspx?|jsp|cgi)$", re.IGNORECASE | re.ASCII
)
_AMP = re.compile(r"/amp(?=/?$)|^/amp(?=/.)|\.amp(?=\.html?$)|\.amp$", re.IGNORECASE)
_PRINT = re.compile(
    r"/print(?:able|er|version)?(?=/?$)|^/print(?=/.)|[.-]print(?=\.html?$)", re.IGNORECASE
)
_SESSION_PARAMETER = re.compile(r";[A-Za-z_]*(?:sess|sid)[A-Za-z_]*=[^/;]*", re.IGNORECASE)
_SESSION = re.compile(
    r"\((?:[A-Z]\([^()/]+\))+\)|[0-9a-f]{16,64}|(?=[^/]*[0-9])(?=[^/]*[A-Za-z])[A-Za-z0-9]{20,64}"
)
_SCRIPT = re.compile(r"\.(?:php\d?|aspx?|jsp|cgi|pl|py|do|dll|exe)$", re.IGNORECASE | re.ASCII)
_DIGIT = re.compile(r"\d", re.ASCII)
_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
_HASH = r"(?<![A-Za-z0-9])(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{8,}(?![A-Za-z0-9])"
_MIXED = (
    r"(?<![A-Za-z0-9])(?=[A-Za-z]*[0-9])(?=[0-9a-z]*[A-Z]|[0-9A-Z]*[a-z])"
    r"[A-Za-z0-9]{16,}(?![A-Za-z0-9])"
)
_VARYING = re.compile(
    rf"(?P<uuid>{_UUID})|(?P<hash>{_HASH})|(?P<id>{_MIXED})"
    r"|(?P<date>(?<!\d)(?:19|20)\d\d[-_.](?:0?[1-9]|1[0-2])(?:[-_.](?:0?[1-9]|[12]\d|3[01]))?(?!\d))"
    r"|(?P<number>\d+)",
    re.ASCII,
)


class Variant(NamedTuple):
    """How a URL is written: which of the toggles it has, and what exactly they stand for."""

    flags: int
    port: int
    detail: int
    """A checksum of the path, where flags alone do not say how it is written."""


class Thing(NamedTuple):
    """One thing that could be removed from a URL."""

    kind: Literal["parameter", "session"]
    name: str
    value: str
    rest: str
    """The normal form of the URL without it."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A URL that is short enough to be looked at."""

    url: str
    """In canonical form, as Scrapy's request fingerprinter writes it."""
    host: str
    """Without a leading `www.`."""
    origin: str
    path: str
    parameters: tuple[tuple[str, str], ...]
    """By name; all values of a name that is repeated are one."""
    shape: str
    normal_path: str
    variant: Variant

    @property
    def part(self) -> str:
        """Its part of the site: what the shapes of a folder have in common, or a script."""
        pattern, _, names = self.shape.partition("?")
        return f"{_folder(pattern)}?{names}"

    @property
    def scope(self) -> int:
        """A hash of its part of the site."""
        return crc32(self.part.encode("utf-8", "surrogatepass"))

    @property
    def normal(self) -> str:
        """The form that it shares with URLs that differ in toggles only."""
        return f"{self.normal_path}?{_query(self.parameters)}"

    @property
    def page_path(self) -> str:
        """The path without folders that look like session ids, which many pages may share."""
        path = self.path
        folders = [name for name, _ in sessions(path) if name != str(path.count("/"))]
        for name in reversed(folders):
            path = without_session(path, name)
        return normal_path(path, ALL)[0]

    def things(self, raw: Parsed) -> Iterator[Thing]:
        """Yield what could be removed from this URL, which rules have made of a raw one."""
        for name, value in raw.parameters:
            if len(name) <= LONGEST_NAME:
                yield Thing("parameter", name, value, self.without(name))
        for name, value in sessions(raw.path):
            path, _ = normal_path(without_session(self.path, name), ALL)
            yield Thing("session", name, value, f"{path}?{_query(self.parameters)}")

    def without(self, name: str) -> str:
        """Return the normal form without a parameter."""
        return f"{self.normal_path}?{_query(one for one in self.parameters if one[0] != name)}"


@lru_cache(maxsize=4096)  # a URL is asked for when it is found, sent and fetched
def parse(url: str) -> Parsed | None:
    """Take a URL apart; None if it is no web address, or too long to be looked at.

    >>> parse("https://www.a.example/news/2026-11-18/17.html?b=1&a=").shape
    '/news/<date>/<number>.html?a&b'
    >>> parse("mailto:a@a.example")
    """
    if len(url) > LONGEST_URL:
        return None
    found = _URL.fullmatch(canonical_url(url))
    if found is None:
        return None
    url = found[0]
    scheme, netloc, path, query = found.groups()
    host, _, digits = netloc.rpartition("@")[2].partition(":")
    if digits and not digits.isdecimal():  # also an IPv6 address, of which there are few
        return None
    host, port = plain_host(host), int(digits or 0)
    is_host = bool(host) and host.isascii() and port <= _LAST_PORT
    if not is_host or len(url) > LONGEST_URL:
        return None
    pairs = [part.partition("=")[::2] for part in query.split("&")] if query else []
    if len(pairs) > MOST_PARAMETERS or path.count("/") > MOST_SEGMENTS:
        return None
    if port == _DEFAULT_PORTS[scheme]:
        port = 0
    values: dict[str, str] = {}
    for name, value in pairs:
        values[name] = f"{values[name]}&{name}={value}" if name in values else value
    parameters = tuple(sorted(values.items()))
    bare = host.removeprefix("www.")
    normal, flags = normal_path(path, ALL)
    shorter = path
    for name, _ in reversed([*sessions(path)]):  # how an id is written says nothing of the path
        shorter = without_session(shorter, name)
    if shorter != path:
        flags = normal_path(shorter, ALL)[1]
    flags |= SCHEME * (scheme == "http") | WWW * (bare != host) | PORT * bool(port)
    detail = crc32(shorter.encode("utf-8", "surrogatepass")) if flags & _DETAILED else 0
    pattern, names = _pattern(path), "&".join(values)
    where = f":{port}" if port else ""
    return Parsed(
        url,
        bare or host,
        f"{scheme}://{netloc}",
        path,
        parameters,
        f"{where}{pattern}{f'?{names}' if names else ''}"[:LONGEST_SHAPE],
        normal,
        Variant(flags, port, detail),
    )


def normal_path(path: str, toggles: int) -> tuple[str, int]:
    """Return a path without what some toggles stand for, and which of them it had.

    >>> normal_path("/A/index.html", ALL)[0], normal_path("/A/", SLASH)[0]
    ('/a', '/A')
    """
    had, lower = 0, path.lower()
    for bit, pattern, word in ((PRINT, _PRINT, "print"), (AMP, _AMP, "amp")):
        if word in lower and toggles & bit and (found := pattern.search(path)):
            path, had = path[: found.start()] + path[found.end() :] or "/", had | bit
    if toggles & INDEX and (found := _INDEX.search(path)):
        path, had = path[: found.start() + 1], had | INDEX
    if toggles & SLASH and path.endswith("/") and path != "/":
        path, had = path.rstrip("/") or "/", had | SLASH
    if toggles & CASE and path != (lower := path.lower()):
        path, had = lower, had | CASE
    return path, had


def sessions(path: str) -> Iterator[tuple[str, str]]:
    """Yield the places and values of what may be session ids in a path.

    >>> list(sessions("/a/(S(x1y2))/b;jsessionid=7F?"))
    [('2', '(S(x1y2))'), (';', ';jsessionid=7F?')]
    """
    if len(path) > len("/(S())"):
        for place, segment in enumerate(path.split("/")):
            if is_session(segment):
                yield str(place), segment
        if ";" in path and (found := _SESSION_PARAMETER.search(path)):
            yield ";", found[0]


def is_session(segment: str) -> bool:
    """Return True if a folder of a path looks like a session id."""
    return bool(_SESSION.fullmatch(segment))


def without_session(path: str, name: str) -> str:
    """Return a path without the session id in a place; as it is, if there is none.

    >>> without_session("/a/(S(x1y2))/b", "2"), without_session("/b;sid=3", ";")
    ('/a/b', '/b')
    """
    if name == ";":
        return _SESSION_PARAMETER.sub("", path)
    segments = path.split("/")
    place = int(name)
    if place < len(segments) and is_session(segments[place]):
        del segments[place]
    return "/".join(segments)


def _query(parameters: tuple[tuple[str, str], ...] | Iterator[tuple[str, str]]) -> str:
    return "&".join([f"{name}={value}" for name, value in parameters])


def _pattern(path: str) -> str:
    """Replace what varies in a path, and segments that are repeated again and again.

    >>> _pattern("/a/b/a/b/a/b/7"), _pattern("/1/2/3/4/5"), _pattern("/2026/11/18/x")
    ('/a/b/<repeated>/<number>', '/<number>/<repeated>', '/<number>/<number>/<number>/x')
    """
    has_digit = _DIGIT.search(path)  # so has all that varies
    replaced = _VARYING.sub(lambda found: f"<{found.lastgroup}>", path) if has_digit else path
    segments = replaced.split("/")
    if len(segments) <= _TIMES_REPEATED:
        return replaced
    if all(
        segments.count(segment) < _TIMES_REPEATED + segment.startswith("<")
        for segment in {*segments}
    ):
        return replaced
    kept: list[str] = []
    for segment in segments:
        if segment not in kept:
            kept.append(segment)
        elif kept[-1] != "<repeated>":
            if "<repeated>" in kept:
                kept.remove("<repeated>")
            kept.append("<repeated>")
    return "/".join(kept)


def _folder(pattern: str) -> str:
    """Return a pattern in which the last segment stands for all of its folder, but for scripts.

    >>> _folder("/news/a-long-title"), _folder("/item.php")
    ('/news/*', '/item.php')
    """
    if _SCRIPT.search(pattern):
        return pattern
    pattern = pattern.rstrip("/")
    return f"{pattern[: pattern.rfind('/')]}/*"
