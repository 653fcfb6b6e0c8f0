"""What the demo web is made of: sheets that are served, and what each of them holds."""

from __future__ import annotations

from dataclasses import dataclass, field

HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Version:
    """What a sheet shows when it is fetched.

    `holds` names the pieces of text in it: of two sheets with the same pieces one is a copy of the
    other; the sheet with more of them contains the other one. `look` stands for all that is
    visible: sheets with the same pieces and the same look are exact copies. Without a look, what is
    visible is up to the reader: encodings that lie, broken markup.
    """

    body: bytes
    holds: frozenset[str] = frozenset()
    look: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Something under a URL."""

    url: str
    what: str
    versions: tuple[Version, ...]
    """The first is served first, the last from then on."""
    label: str = ""
    """The words of the link to it; not linked if empty."""
    status: int = 200
    content_type: str = HTML
    location: str = ""
    """Where it redirects to."""
    judged: bool = True
    """Whether it is a page of HTML that a crawl should bring home."""


@dataclass(frozen=True, slots=True)
class Web:
    """All sheets of two hosts."""

    seed: int
    main: str
    mirror: str
    sheets: tuple[Sheet, ...] = field(repr=False)
