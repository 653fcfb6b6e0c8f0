"""The looks of the demo web: three designs, a mobile one and a print view."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .texts import Section

Links = "Sequence[tuple[str, str]]"
DESIGNS = ("journal", "portal", "manual")


@dataclass(frozen=True, slots=True)
class Site:
    """What all pages of a host have in common."""

    name: str
    menu: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Matter:
    """What a page is to show, whatever its design."""

    title: str
    content: str
    """HTML of the main text."""
    date: str = ""
    readers: int = 0
    related: tuple[tuple[str, str], ...] = ()
    path: tuple[str, ...] = ()
    """Names of the pages above it."""
    byline: str = ""


def sections_html(sections: Iterable[Section]) -> str:
    """Write sections as headings, paragraphs and examples."""
    lines: list[str] = []
    for section in sections:
        lines.append(f"<h2>{escape(section.name)}</h2>")
        for paragraph in section.paragraphs:
            tag = "pre" if paragraph.code else "p"
            lines.append(f"<{tag}>{escape(paragraph.text, quote=False)}</{tag}>")
    return "\n".join(lines)


def links_html(links: Iterable[tuple[str, str]], query: str = "") -> str:
    """Write a list of links; `query` is what some servers add to each."""
    items = (
        f'<li><a href="{escape(target + query)}">{escape(label)}</a></li>' for label, target in links
    )
    return f"<ul>\n{'\n'.join(items)}\n</ul>"
