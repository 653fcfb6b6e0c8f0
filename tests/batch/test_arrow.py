"""Batches of Arrow whose columns or rows are not what they should be."""

from __future__ import annotations

import pyarrow as pa
import pytest

from dedup_middleware.batch.arrow import verdicts

TEXT = "The tide rises twice a day, and the moon has its share in it. " * 5
URLS = ["https://a.example/", "https://b.example/"]
BYTES = pa.array([TEXT.encode()] * 2)


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"url": URLS, "text": BYTES}, "column text must be text, but its type is binary"),
        ({"url": BYTES, "text": URLS}, "column url must be text, but its type is binary"),
        ({"url": URLS, "html": [1, 2]}, "column html must be text or bytes, .* is int64"),
        ({"url": URLS, "html": BYTES.dictionary_encode(), "text": [1, 2]}, "text must be text"),
    ],
)
def test_columns_of_other_types_are_told_before_anything_is_judged(columns, told):
    with pytest.raises(ValueError, match=told):
        verdicts(pa.table(columns))


def test_a_column_that_is_there_twice_is_told():
    table = pa.Table.from_arrays([pa.array(URLS)] * 3, names=["url", "html", "html"])
    with pytest.raises(ValueError, match="more than one column html"):
        verdicts(table)


@pytest.mark.parametrize(
    "values",
    [
        pa.array([TEXT] * 2, pa.large_string()),
        pa.array([TEXT] * 2, pa.string_view()),
        pa.array([TEXT] * 2).dictionary_encode(),
        pa.array([TEXT.encode()] * 2, pa.large_binary()),
        pa.array([TEXT.encode()] * 2, pa.binary(len(TEXT))),
    ],
    ids=lambda values: str(values.type),
)
def test_text_and_bytes_are_read_in_all_their_forms(values):
    found = verdicts(pa.table({"url": URLS, "html": values})).read_all()
    assert found["kind"].to_pylist() == ["unique", "exact"]


@pytest.mark.parametrize("bad", ["url", "html"])
def test_a_row_that_is_not_utf_8_is_not_judged_and_the_others_are(bad):
    rows = {
        "url": [b"https://a.example/", b"https://b.example/", b"https://c.example/"],
        "html": [TEXT.encode()] * 3,
    }
    rows[bad][1] += b"\xff"
    columns = {
        name: pa.Array.from_buffers(pa.string(), 3, pa.array(values).buffers())
        for name, values in rows.items()
    }
    found = verdicts(pa.table(columns)).read_all()
    assert found["kind"].to_pylist() == ["unique", None, "exact"]
    assert "not UTF-8" in found["reason"][1].as_py()
