"""Pages compared unit by unit, for the tests of what would be lost."""

from __future__ import annotations

import struct

import numpy as np

from dedup_middleware import Deduplicator, Page, Verdict
from dedup_middleware.fingerprint.site import pack_numbers
from dedup_middleware.read import Outline, read
from dedup_middleware.similarity import Loss
from dedup_middleware.similarity.loss import Units, compare_units, told, units_of
from dedup_middleware.store.memory import MemoryStore
from tests.support.texts import article

UNIT = struct.Struct("<4Q4I4B")  # its key comes first
OLD, NEW = "https://a.example/old", "https://a.example/new"
TEXT = [part.replace("&", "&amp;").replace("<", "&lt;") for part in article(7, 700)]
TIDES = (
    "The tide comes in twice a day along this coast.",
    "Boats leave the small harbour before the water is gone.",
    "The keeper of the lighthouse writes down what he sees.",
)


def units(html: str) -> Units:
    return units_of(read(Page(url=OLD, html=html)))


def compare(page: str | Units, other: str | Units) -> Loss:
    one, two = (units(each) if isinstance(each, str) else each for each in (page, other))
    (loss,) = compare_units(one, [two])
    return loss


def became(page: str, other: str) -> set[tuple[str, str]]:
    """Return what became of units of the first page: why, and their text."""
    one, two = units(page), units(other)
    return {(each.why, each.text) for each in told(compare(one, two).mine, one, two)}


def paragraphs(*texts: str) -> str:
    return "".join(f"<p>{text}</p>" for text in texts)


def judged(page: str, other: str, title: str = "Tides", other_title: str = "Tides") -> Verdict:
    """Return the verdict on a page after another, both on a host with much text in common."""
    with Deduplicator(MemoryStore()) as dedup:
        for url, text, name in ((OLD, other, other_title), (NEW, page, title)):
            body = f"<title>{name}</title><h1>{name}</h1>{paragraphs(*TEXT)}{text}"
            verdict = dedup.process(Page(url=url, html=body))
    return verdict


def sections(*pairs: tuple[str, str], form: str = "h2") -> str:
    """Put texts below their headings: of a section, a list of terms, or in bold."""
    if form == "dl":
        return "<dl>" + "".join(f"<dt>{name}<dd>{text}" for name, text in pairs) + "</dl>"
    if form == "bold":
        return "".join(f"<p><b>{name}</b></p><p>{text}</p>" for name, text in pairs)
    return "".join(f"<h2>{name}</h2><p>{text}</p>" for name, text in pairs)


NAMES = ("Low water", "High water", "Storms")


def table(*rows: str, head: str = "") -> str:
    heads = "<tr>" + "".join(f"<th>{cell}" for cell in head.split()) if head else ""
    cells = ("".join(f"<td>{cell}" for cell in row.split()) for row in rows)
    return f"<table>{heads}{''.join(f'<tr>{row}' for row in cells)}</table>"


def on_host(page: str, names: int, count: int) -> Units:
    """Return the units of a page, all of which stand on so many pages of its host."""
    return of_host(read(Page(url=OLD, html=page)), names, count)


def of_host(page: Outline, names: int, count: int) -> Units:
    found = units_of(page)
    keys = sorted({key for key, *_ in UNIT.iter_unpack(found.packed)})
    rarity = pack_numbers(np.array(keys, np.uint64), np.full(len(keys), count))
    return found._replace(names=names.to_bytes(4, "little"), rarity=rarity)
