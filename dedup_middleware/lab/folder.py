"""Outline → HTML that reads as the same outline: pages that outlive the crawl they were met in."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import zlib
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, fields
from html import escape
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import DedupError
from dedup_middleware.page import Page
from dedup_middleware.read import UnreadablePage, read

from .answers import Answers, Pair
from .pool import Nominated
from .status import names_of, rows, settled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from dedup_middleware.read import Outline


_Around = tuple[str, str]
_TAGS: dict[str, _Around] = {
    kind: (f"<{tag}>", f"</{tag}>")
    for kind, tag in {
        "heading": "h1",  # all of one rank: sections tell what hangs under what
        "text": "p",
        "item": "li",
        "cell": "td",
        "term": "dt",
        "definition": "dd",
        "address": "address",
        "quote": "blockquote",
        "caption": "figcaption",
        "control": "label",
        "list": "ul",
        "table": "table",
    }.items()
} | {"code": ("<div><pre>", "</pre></div>")}  # at <pre>, libxml2 ends the list that is around it
# the surest sign of boilerplate that does not end the section of a heading inside
_BOILERPLATE = ('<div role="navigation">', "</div>")
_NOTHING = ("", "")
# what HTML can't carry, and what the reader uses for marks
_UNFIT = re.compile("[\x00-\x08\x0b\x0e-\x1f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def render(outline: Outline) -> str:
    """Write an outline as HTML; no byte of its text becomes markup.

    >>> from dedup_middleware import Page
    >>> from dedup_middleware.read import read
    >>> html = "<nav>All</nav><h1>Tea</h1><p>Boil &lt;b>water.<ul><li>Pour it.</ul>"
    >>> print(render(read(Page(url="tea", html=html))))
    <!doctype html>
    <html lang=""><meta charset="utf-8">
    <title></title><body>
    <div role="navigation"><p>All</p></div>
    <section><h1>Tea</h1>
    <p>Boil &lt;b&gt;water.</p>
    <ul>
    <li>Pour it.</li></ul></section>
    </body></html>
    """
    parts = [
        "<!doctype html>",
        f'<html lang="{_text(outline.language)}"><meta charset="utf-8">',
        f"<title>{_text(outline.title)}</title><body>",
    ]
    wholly = _wholly_boilerplate(outline)
    last_child = {parent: index for index, parent in enumerate(outline.parents)}
    around: list[tuple[int, str]] = []  # the nodes that are open, each with what closes it
    for index, (kind, parent, boilerplate, text) in enumerate(outline.nodes):
        # a list that hangs under an item may come after more text of the same item
        while around and around[-1][0] != parent and last_child.get(around[-1][0], -1) < index:
            parts[-1] += around.pop()[1]
        inside = around[-1][0] if around else -1
        marks = _BOILERPLATE if boilerplate and not (inside >= 0 and wholly[inside]) else _NOTHING
        if kind == "item" and inside != parent:
            kind = "text"  # noqa: PLW2901 - in an item, more text is of its kind
        elif kind == "control" and not boilerplate:
            kind = "text"  # noqa: PLW2901 - the reader takes labels of forms for boilerplate
        begin, end = _markup(kind, _text(text), marks, wholly=wholly[index])
        parts.append(begin)
        around.append((index, end))
    for _, end in reversed(around):
        parts[-1] += end
    return "\n".join((*parts, "</body></html>"))


def _markup(kind: str, text: str, marks: _Around, *, wholly: bool) -> _Around:
    """Write what stands before and after the nodes that hang under a node."""
    # of a list or table that holds some main text, the mark is lost; it has no text of its own
    outer, inner = (marks, _NOTHING) if wholly else (_NOTHING, marks if text else _NOTHING)
    begin, end = _TAGS[kind]
    if kind == "heading":  # its section goes on behind it
        return f"{outer[0]}<section>{inner[0]}{begin}{text}{end}{inner[1]}", f"</section>{outer[1]}"
    return f"{outer[0]}{begin}{inner[0]}{text}{inner[1]}", f"{end}{outer[1]}"


def _wholly_boilerplate(outline: Outline) -> list[bool]:
    """Tell for each node whether it and all that hangs under it is boilerplate."""
    wholly = [bool(one) for one in outline.boilerplate]
    for index in range(len(wholly) - 1, -1, -1):  # what hangs under a node stands behind it
        parent = outline.parents[index]
        if parent >= 0 and not wholly[index]:
            wholly[parent] = False
    return wholly


def _text(text: str) -> str:
    return escape(_UNFIT.sub("\N{REPLACEMENT CHARACTER}", text))


VERSION = 1
POOL, ANSWERS = "pool.jsonl", "answers.jsonl"
PAGES, LABELS, META = "pages.jsonl.gz", "labels.jsonl.gz", "meta.json"


@dataclass(frozen=True, slots=True)
class Pool:
    """The pairs to judge, and what they were drawn from."""

    pairs: tuple[Nominated, ...]
    methods: tuple[str, ...]
    seed: int
    store: str | None
    paths: tuple[str, ...]
    pages: int
    digest: str
    """Of the pages: whether a pool was drawn from the same ones."""
    left_out: Mapping[str, int]
    strata: Mapping[str, int]
    """How many pairs were nominated."""
    called: Mapping[str, Mapping[str, int]]
    """How many of them each method calls alike, by how many methods do."""
    made: str


_HEAD = tuple(one.name for one in fields(Pool) if one.name != "pairs")


class JudgingFolder:
    """One folder, which is a set for benchmarks too.

    The pool comes last, so that where it is, its pages are. Labels follow from the answers, and are
    only as fresh as the last `export`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.pool = self._pool()
        self.answers = Answers(path / ANSWERS)
        self._html: list[str] | None = None

    def save(self, pool: Pool, outlines: Mapping[str, Outline]) -> None:
        """Keep a pool and the text of its pages; one that was there must be its beginning."""
        known = self._pages() if self.pool else []
        html = [
            known[place] if place < len(known) else render(outlines[url])
            for place, url in enumerate(url for one in pool.pairs for url in one.pair)
        ]
        names = [name for at, one in enumerate(pool.pairs, 1) for name in names_of(at, one.pair)]
        if not self.answers.path.exists():  # the sign that the files of the set are ours
            self._write(ANSWERS, b"")
        pages = ({"url": name, "html": one} for name, one in zip(names, html, strict=True))
        self._write(PAGES, _packed(pages))
        head = {"v": VERSION} | {name: getattr(pool, name) for name in _HEAD}
        lines = (
            {"first": one.pair.first, "second": one.pair.second, "said": one.said}
            | ({} if one.drawn else {"drawn": False})
            for one in pool.pairs
        )
        self._write(POOL, _lines((head, *lines)))
        self.pool, self._html = pool, html

    def outlines(self, place: int) -> tuple[Outline, Outline]:
        """Read the two pages of a pair again."""
        assert self.pool  # noqa: S101 - nobody asks for a pair without one
        pages = self._pages()
        first, second = (
            self._read(url, pages[2 * place + side])
            for side, url in enumerate(self.pool.pairs[place].pair)
        )
        return first, second

    def export(self) -> Counter[str]:
        """Write the labels that follow from the answers; count them."""
        assert self.pool  # noqa: S101 - see above
        gold = [settled(one.pair, self.answers) for one in self.pool.pairs]
        labels = [
            row
            for number, (one, held) in enumerate(zip(self.pool.pairs, gold, strict=True), 1)
            for row in rows(number, one, held)
        ]
        counts = Counter(label["gold"] for label in labels)
        self._write(LABELS, _packed(labels))
        meta = {
            "mode": "pairs",
            "pages": len(labels),
            "gold": dict(counts),
            "made_by": "scrapy dedup judge",
            "store": self.pool.store,
            "paths": self.pool.paths,
            "judges": dict(sorted(self.answers.judges.items())),
        }
        self._write(META, json.dumps(meta, indent=1).encode() + b"\n")
        return counts

    def _read(self, url: str, html: str) -> Outline:
        try:
            return read(Page(url=url, html=html))
        except UnreadablePage as error:
            raise self._broken(PAGES) from error

    def _pool(self) -> Pool | None:
        path = self.path / POOL
        try:
            head, *lines = map(json.loads, path.read_bytes().splitlines())
            if head.pop("v") != VERSION:
                raise DedupError(f"{path} was made by another version; name another folder")
            head |= {name: tuple(head[name]) for name in ("methods", "paths")}
            pairs = tuple(
                Nominated(
                    Pair(line["first"], line["second"]), line["said"], line.get("drawn", True)
                )
                for line in lines
            )
            return Pool(pairs=pairs, **head)
        except FileNotFoundError:
            self._refuse_strangers()
            return None
        except OSError as error:
            raise DedupError(f"Can't read {path}: {error.strerror}") from error
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise self._broken(POOL) from error

    def _pages(self) -> list[str]:
        if self._html is None:
            path = self.path / PAGES
            try:
                with gzip.open(path) as file:
                    self._html = [json.loads(line)["html"] for line in file]
            except (OSError, EOFError, zlib.error, ValueError, TypeError, LookupError) as error:
                raise self._broken(PAGES) from error
            if len(self._html) < 2 * len(self.pool.pairs if self.pool else ()):
                raise self._broken(PAGES)
        return self._html

    def _broken(self, name: str) -> DedupError:
        return DedupError(
            f"{self.path / name} is damaged or not there; make a new pool in another folder, with "
            f"a copy of {self.path / ANSWERS} in it"
        )

    def _refuse_strangers(self) -> None:
        for name in (PAGES, LABELS, META):
            if (self.path / name).exists() and not (self.path / ANSWERS).exists():
                raise DedupError(
                    f"{self.path} holds a set that was not made by judging ({name}, but no "
                    f"{POOL}); name another folder"
                )

    def _write(self, name: str, data: bytes) -> None:
        """Put a file in place of what was there, in one step."""
        path, new = self.path / name, self.path / f".{name}.new"
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with new.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            new.replace(path)
        except OSError as error:
            with suppress(OSError):
                new.unlink()
            raise DedupError(f"Can't write {path}: {error.strerror}") from error


def _lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def _packed(rows: Iterable[Mapping[str, Any]]) -> bytes:
    buffer = io.BytesIO()
    with gzip.GzipFile("", "wb", 6, buffer, mtime=0) as file:  # the same labels, the same bytes
        for row in rows:
            file.write(f"{json.dumps(row)}\n".encode())
    return buffer.getvalue()
