"""Pages in Arrow record batches become verdicts in such, for any engine that speaks Arrow."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from dedup_middleware.deduplicator import Deduplicator
from dedup_middleware.page import Page
from dedup_middleware.store.memory import MemoryStore
from dedup_middleware.urls import url_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from dedup_middleware.store import Store
    from dedup_middleware.verdict import Verdict

_KEPT = "url", "date"
_NO_PAGE = {"reason": "The row has no url, or neither html nor text, or is not UTF-8."}
_TEXT = pa.string(), pa.large_string(), pa.string_view(), pa.null()
_BYTES = pa.binary(), pa.large_binary(), pa.binary_view()
_TYPES = {"url": _TEXT, "html": (*_TEXT, *_BYTES), "text": _TEXT}

VERDICT = [
    ("kind", pa.string()),
    ("action", pa.string()),
    ("original", pa.string()),
    ("score", pa.float64()),
    ("scores", pa.string()),  # JSON
    ("lost_share", pa.float64()),
    ("lost_words", pa.int64()),
    ("lost", pa.string()),  # JSON
    ("suspect", pa.string()),
    ("supersedes", pa.string()),  # the page whose place it takes: that is to be deleted
    ("reason", pa.string()),
    ("cluster", pa.string()),  # the URL of the page that all pages of a cluster repeat
]


def verdicts(
    pages: Any,
    store: str | Path | Store | None = None,
    **settings: Any,
) -> pa.RecordBatchReader:
    """Judge pages in the order in which they come; the verdicts come as a stream, too.

    `pages` is what has Arrow's stream interface, such as a table, a reader, or the relation of an
    engine. Columns are `url`, and `html` (text or bytes) or
    `text`; others but `date` are left out of the result. The store is in memory, unless a folder or
    URL names one that lasts. Settings are those of a `Deduplicator`.

    >>> text = "A page about the sea, its tides and the moon that draws them. " * 3
    >>> pages = pa.table({"url": ["https://a.example/", "https://b.example/"], "text": [text] * 2})
    >>> verdicts(pages).read_all().select(["url", "kind", "original"]).to_pylist()[1]
    {'url': 'https://b.example/', 'kind': 'exact', 'original': 'https://a.example/'}
    """
    source = pa.RecordBatchReader.from_stream(pages)
    _check(source.schema)
    kept = [source.schema.field(name) for name in _KEPT if name in source.schema.names]
    made = pa.schema([*kept, *(pa.field(*one) for one in VERDICT)])
    dedup = Deduplicator(MemoryStore() if store is None else store, **settings)
    return pa.RecordBatchReader.from_batches(made, _judged(source, made, dedup))


def _check(schema: pa.Schema) -> None:
    """Raise ValueError if columns are missing, are there twice, or have other types."""
    names = schema.names
    if "url" not in names or not {"html", "text"} & {*names}:
        raise ValueError(f"Pages need url, and html or text; there are {', '.join(names)}")
    for name in (*_TYPES, *_KEPT):
        if names.count(name) > 1:
            raise ValueError(f"There is more than one column {name}")
    for name in _TYPES.keys() & {*names}:
        given = schema.field(name).type
        plain = given.value_type if pa.types.is_dictionary(given) else given
        is_fixed = name == "html" and pa.types.is_fixed_size_binary(plain)
        if not (plain in _TYPES[name] or is_fixed):
            wanted = "text or bytes" if name == "html" else "text"
            raise ValueError(f"The column {name} must be {wanted}, but its type is {given}")


def _judged(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema, dedup: Deduplicator
) -> Iterator[pa.RecordBatch]:
    clusters = Clusters()
    with dedup:
        for batch in batches:
            rows = [_columns(page, dedup, clusters) for page in _pages(batch)]
            found = pa.RecordBatch.from_pylist(rows, pa.schema(list(schema)[-len(VERDICT) :]))
            kept = [batch.column(name) for name in schema.names if name in _KEPT]
            yield pa.RecordBatch.from_arrays([*kept, *found.columns], schema=schema)


def _pages(batch: pa.RecordBatch) -> Iterator[Page | None]:
    nothing = pa.nulls(len(batch))
    columns = [
        batch.column(name) if name in batch.schema.names else nothing
        for name in ("url", "html", "text")
    ]
    return map(_page, *columns)


def _page(*row: pa.Scalar) -> Page | None:
    try:
        url, html, text = (value.as_py() for value in row)
    except UnicodeDecodeError:  # Arrow does not check what is said to be text
        return None
    has_page = url and (html is not None or text is not None)
    return Page(url=url, html=html, text=text) if has_page else None


def _columns(page: Page | None, dedup: Deduplicator, clusters: Clusters) -> dict[str, Any]:
    return columns_of(page.url, dedup.process(page), clusters) if page else _NO_PAGE


class Clusters:
    """The first page of what repeats itself, by URL."""

    def __init__(self) -> None:
        self._firsts: dict[bytes, str] = {}

    def of(self, url: str, verdict: Verdict) -> str:
        """Return the page that a page repeats, directly or by way of others; or the page itself."""
        original = verdict.original if verdict.redundant else None
        first = url if original is None else self._firsts.get(url_key(original), original)
        self._firsts[url_key(url)] = first
        return first


def columns_of(url: str, verdict: Verdict, clusters: Clusters) -> dict[str, Any]:
    """Return a verdict as columns."""
    evidence, lost = verdict.evidence, verdict.lost
    texts = {
        "original": verdict.original,
        "suspect": evidence.suspect,
        "supersedes": evidence.supersedes,
        "reason": verdict.reason,
        "cluster": clusters.of(url, verdict),
    }
    return {
        "kind": str(verdict.kind),
        "action": str(verdict.action),
        "score": verdict.score,
        "scores": json.dumps(evidence.scores.measured(), separators=(",", ":")),
        "lost_share": lost.share if lost else None,
        "lost_words": lost.words if lost else None,
        "lost": json.dumps(lost.as_json(), separators=(",", ":")) if lost else None,
        **{name: encodable(text) for name, text in texts.items()},
    }


def encodable(text: str | None) -> str | None:
    """Return a text that Arrow takes: half a surrogate pair, which JSON can hold, is replaced."""
    if text is None or text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
