"""Pages in tables: Parquet files, and batches of Arrow."""

from __future__ import annotations

from datetime import date

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dedup_middleware import Page
from dedup_middleware.batch.arrow import verdicts
from dedup_middleware.batch.sources import Sources
from dedup_middleware.settings import Settings
from tests.support.archives import Archive
from tests.support.batch import archive, in_order


def _read(path):
    told: list[str] = []
    return list(Sources([path], told.append, max_html=1 << 20)), told


def test_a_table_has_pages_as_text_or_bytes(tmp_path):
    rows = {
        "id": [1, 2, 3],
        "url": ["https://a.example/", None, "https://b.example/"],
        "html": [b"<p>One", b"<p>Two", None],
        "text": [None, None, "Three"],
    }
    pq.write_table(pa.table(rows), tmp_path / "pages.parquet")
    pages, told = _read(tmp_path / "pages.parquet")
    assert pages == [
        Page(url="https://a.example/", html=b"<p>One"),
        Page(url="https://b.example/", text="Three"),
    ]
    assert told == [f"{tmp_path}/pages.parquet:2: no url; skipped"]


def test_what_only_looks_like_a_table_is_told(tmp_path):
    (tmp_path / "pages.parquet").write_bytes(b"PAR1 no table at all")
    pages, (told,) = _read(tmp_path / "pages.parquet")
    assert not pages
    assert told.startswith(f"{tmp_path}/pages.parquet: ")


def test_archives_of_text_have_pages_without_markup(tmp_path):
    text = "Ebb und Flut an der Küste"
    archived = Archive(compressed=True).add("https://a.example/").text("https://b.example/", text)
    (tmp_path / "one.warc.wet.gz").write_bytes(archived.data)
    pages, told = _read(tmp_path / "one.warc.wet.gz")
    assert pages == [Page(url="https://b.example/", text=text)]
    assert not told


@pytest.mark.parametrize("as_batches", [True, False], ids=["batches", "a table"])
def test_batches_of_pages_become_batches_of_verdicts(as_batches):
    pages = archive(5, 60)
    table = pa.table(
        {
            "url": [page.url for page in pages],
            "html": [page.html for page in pages],
            "date": [date(2026, 1, 1)] * len(pages),
            "other": list(range(len(pages))),
        }
    )
    source = table.to_reader(max_chunksize=7) if as_batches else table
    found = verdicts(source, min_words=8).read_all()
    assert found.schema.names[:4] == ["url", "date", "kind", "action"]
    expected = in_order(pages, Settings.of(min_words=8))
    assert found.select(["kind", "action", "original", "score", "reason"]).to_pylist() == [
        {
            "kind": str(one.kind),
            "action": str(one.action),
            "original": one.original,
            "score": one.score,
            "reason": one.reason,
        }
        for one in expected
    ]


def test_rows_without_a_page_are_not_judged():
    rows = pa.table({"url": ["https://a.example/", None], "text": [None, "Ebb and flow"]})
    assert verdicts(rows).read_all()["kind"].to_pylist() == [None, None]


def test_columns_that_are_missing_are_named():
    with pytest.raises(ValueError, match="need url, and html or text; there are link, html"):
        verdicts(pa.table({"link": ["https://a.example/"], "html": ["<p>One"]}))
