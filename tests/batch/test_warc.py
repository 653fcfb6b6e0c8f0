"""Web archives, written with warcio and read as sources of pages."""

from __future__ import annotations

import gzip
import io
import random
import sys
import tracemalloc
import zlib
from pathlib import Path

import pytest
import zstandard

from dedup_middleware.batch.sources import Sources
from dedup_middleware.batch.warc import decoded, page_of, records, unchunked
from tests.support.archives import BODY, OTHER, Archive, chunked
from tests.support.commands import call

ZIPPED = gzip.compress(BODY)


def pages(path: Path, data: bytes, **options) -> tuple[list, list[str], Sources]:
    path.write_bytes(data)
    told: list[str] = []
    sources = Sources([path], told.append, **{"max_html": 1 << 20, **options})
    return list(sources), told, sources


@pytest.mark.parametrize("name", ["a.warc", "a.WARC.gz", "one-stream.warc.gz"])
def test_html_responses_are_pages(tmp_path, name):
    archive = (
        Archive(compressed=name == "a.WARC.gz")
        .add("https://a.example/1")
        .add("https://a.example/missing", status="404 Not Found")
        .add("https://a.example/picture", Content_Type="image/png")
        .add("https://a.example/xhtml", Content_Type="application/xhtml+xml")
        .add("https://a.example/none", Content_Type="")
    )
    data = gzip.compress(archive.data) if name.startswith("one") else archive.data
    found, told, sources = pages(tmp_path / name, data)
    assert [(page.url, page.html, page.encoding) for page in found] == [
        ("https://a.example/1", BODY, "cp1252"),
        ("https://a.example/xhtml", BODY, None),
    ]
    assert (told, sources.skipped, sources.problems) == ([], 0, 0)
    assert sources.bytes_read == sources.size() == len(data)


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (ZIPPED, {"Content_Encoding": "gzip"}),
        (zlib.compress(BODY), {"Content_Encoding": "deflate"}),
        (zstandard.compress(BODY), {"Content_Encoding": "zstd"}),
        (zlib.compress(BODY)[2:-4], {"Content_Encoding": "Deflate"}),
        (BODY, {"Content_Encoding": "gzip"}),  # kept decoded, as some archives do
        (BODY, {"Content_Encoding": "identity"}),
        (chunked(BODY), {"Transfer_Encoding": "chunked"}),
        (
            chunked(gzip.compress(BODY)),
            {"Transfer_Encoding": "chunked", "Content_Encoding": "gzip"},
        ),
    ],
)
def test_bodies_are_decoded(tmp_path, body, headers):
    archive = (
        Archive().add("https://a.example/1", body, **headers).add("https://a.example/2", OTHER)
    )
    found, told, _ = pages(tmp_path / "a.warc", archive.data)
    assert [page.html for page in found] == [BODY, OTHER]
    assert told == []


@pytest.mark.parametrize(
    ("body", "headers", "why"),
    [
        (BODY, {"WARC_Truncated": "length"}, "is truncated, as the archive says"),
        (ZIPPED[:-30], {"Content_Encoding": "gzip"}, "breaks off"),
        (ZIPPED[:40] + b"x" * 99, {"Content_Encoding": "gzip"}, "can't be decoded: "),
        (zstandard.compress(BODY)[:-9], {"Content_Encoding": "zstd"}, "can't be decoded: incom"),
        (BODY, {"Content_Encoding": "zstd"}, "can't be decoded: "),
        (BODY, {"Content_Encoding": "compress"}, "is encoded as compress, which can't be read"),
        (BODY, {"Content_Encoding": "gzip, br"}, "is encoded as gzip, br, which can't be read"),
    ],
)
def test_damaged_records_are_told_once_and_passed_over(tmp_path, body, headers, why):
    archive = Archive()
    for number in (1, 2):
        archive.add(f"https://a.example/{number}", body, **headers)
    archive.add("https://a.example/3", OTHER)
    path = tmp_path / "a.warc"
    found, told, _ = pages(path, archive.data)
    assert [page.html for page in found] == [OTHER]
    assert len(told) == 1
    assert told[0].startswith(f"{path}: https://a.example/1 {why}")
    assert told[0].endswith(", and 1 more records; skipped")


@pytest.mark.parametrize("dictionary", ["", "plain", "compressed"])
def test_archives_compressed_by_zstd(tmp_path, dictionary):
    parts = [Archive().add(f"https://a.example/{number}").data for number in range(200)]
    data, known = b"", None
    if dictionary:
        known = zstandard.train_dictionary(4096, parts)
        shown = known.as_bytes()
        shown = zstandard.compress(shown) if dictionary == "compressed" else shown
        data = b"\x5d\x2a\x4d\x18" + len(shown).to_bytes(4, "little") + shown
    packer = zstandard.ZstdCompressor(dict_data=known)
    data += b"".join(map(packer.compress, parts))
    path = tmp_path / "a.warc.zst"
    found, told, sources = pages(path, data)
    assert ([page.html for page in found], told) == ([BODY] * 200, [])
    assert sources.bytes_read == sources.size() == len(data)
    found, told, _ = pages(path, data[:-2])
    assert {page.html for page in found} <= {BODY}
    assert told[0].startswith(f"{path}: damaged, or no web archive, from ")
    assert told[0].endswith("incomplete frame; the rest is skipped")


def test_revisits_are_counted_and_have_no_page(tmp_path):
    archive = Archive().add("https://a.example/1").revisit("https://a.example/2")
    found, told, sources = pages(tmp_path / "a.warc", archive.data)
    assert ([page.url for page in found], told) == (["https://a.example/1"], [])
    assert sources.revisits == 1


def test_bodies_of_brotli(tmp_path):
    brotli = pytest.importorskip("brotli")
    packed = brotli.compress(BODY)
    archive = Archive()
    for number, body in enumerate((packed, packed[:-9], b"\xff" * 99)):
        archive.add(f"https://a.example/{number}", body, Content_Encoding="br")
    found, told, _ = pages(tmp_path / "a.warc", archive.data)
    assert [page.html for page in found] == [BODY]
    assert told[0].startswith(f"{tmp_path / 'a.warc'}: https://a.example/1 can't be decoded: ")
    assert told[0].endswith(", and 1 more records; skipped")
    assert len(told) == 1


def test_a_file_that_breaks_off(tmp_path):
    whole = Archive().add("https://a.example/1").add("https://a.example/2", OTHER).data
    path = tmp_path / "a.warc"
    found, told, _ = pages(path, whole[:-100])
    assert [page.html for page in found] == [BODY]
    assert told == [f"{path}: https://a.example/2 breaks off; skipped"]
    path = tmp_path / "a.warc.gz"
    whole = Archive(compressed=True).add("https://a.example/1").add("https://a.example/2").data
    found, told, _ = pages(path, whole[:-100])
    assert [page.html for page in found] == [BODY]
    assert told == [f"{path}: https://a.example/2 breaks off; skipped"]


def test_what_is_no_archive(tmp_path, capfd):
    found, told, _ = pages(tmp_path / "a.warc", b"\x1b[2J<html>\n" * 9)
    assert found == []
    assert told[0].startswith(f"{tmp_path / 'a.warc'}: damaged, or no web archive, from its begin")
    assert pages(tmp_path / "empty.warc", b"")[:2] == ([], [])
    assert capfd.readouterr() == ("", "")


def test_only_so_much_of_a_page_is_unpacked(tmp_path):
    bomb = gzip.compress(b"a" * (50 << 20))
    archive = Archive().add("https://a.example/1", bomb, Content_Encoding="gzip")
    found, told, _ = pages(tmp_path / "a.warc", archive.data, max_html=1000)
    assert ([len(page.html) for page in found], told) == ([1001], [])
    packed = zstandard.compress(b"a" * (50 << 20))
    for body, coding in ((bomb, "gzip"), (packed, "zstd"), (b"a" * 9999, "")):
        assert decoded(body, {"Content-Encoding": coding}, 10) == b"a" * 10


def test_only_so_much_of_a_chunk_is_read(tmp_path):
    body = b"<p>" + b"a " * (8 << 20)
    archive = Archive().add(
        "https://a.example/1", chunked(body, len(body)), Transfer_Encoding="chunked"
    )
    path = tmp_path / "a.warc"
    path.write_bytes(archive.data)
    tracemalloc.start()
    try:
        found = [len(page.html) for page in Sources([path], print, max_html=1000)]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == [1001]
    assert peak < 4 << 20


@pytest.mark.parametrize(
    ("body", "joined"),
    [
        (b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n", b"abcde"),
        (b"<p>not in chunks", b"<p>not in chunks"),
        (b"3\r\nabcde and more", b"abcde and more"),
        (b"3\r\nab", b"ab"),
        (b"3\r\nabc\r\n", b"abc"),
        (b"3\r\nabc\r\n0\r\nX: trailer\r\n\r\n", b"abcX: trailer\r\n\r\n"),
        (b"7fffffffffffffff\r\nab", b"ab"),
    ],
)
def test_chunks_are_joined(body, joined):
    assert unchunked(body) == joined


def test_a_response_without_url_is_reported_and_passed_over(tmp_path):
    data = Archive().add("https://a.example/1").add("https://a.example/2", OTHER).data
    data = data.replace(b"WARC-Target-URI: https://a.example/1\r\n", b"")
    found, told, _ = pages(tmp_path / "a.warc", data)
    assert [page.url for page in found] == ["https://a.example/2"]
    assert told == [f"{tmp_path / 'a.warc'}: a response has no WARC-Target-URI; skipped"]


LONG = "a" * (8 << 20)
MANY = "\r\n".join(["x", *("X: y",) * 500_000])


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz", "one-stream.warc.gz"])
@pytest.mark.parametrize(("header", "value"), [("X_Long", LONG), ("X_Many", MANY)])
def test_headers_that_are_too_long_cost_their_record(tmp_path, name, header, value):
    archive = Archive(compressed=name == "a.warc.gz").add("https://a.example/1")
    archive.add("https://a.example/2", **{header: value}).add("https://a.example/3", OTHER)
    data = gzip.compress(archive.data) if name.startswith("one") else archive.data
    found, told, _ = pages(tmp_path / name, data)
    assert [page.url for page in found] == ["https://a.example/1", "https://a.example/3"]
    assert told == [
        f"{tmp_path / name}: https://a.example/2 has a header that is too long; skipped"
    ]


@pytest.mark.parametrize(("header", "value"), [("WARC_Long", LONG), ("WARC_Many", MANY)])
def test_an_archive_ends_at_a_record_whose_own_header_is_too_long(tmp_path, header, value):
    archive = Archive().add("https://a.example/1")
    archive.add("https://a.example/2", **{header: value}).add("https://a.example/3", OTHER)
    found, told, _ = pages(tmp_path / "a.warc", archive.data)
    assert [page.url for page in found] == ["https://a.example/1"]
    assert told[0].endswith("Maximum header length exceeded.; the rest is skipped")


@pytest.mark.parametrize("begin", [b"", Archive().add("https://a.example/1").data])
def test_a_line_without_end_is_not_kept(tmp_path, begin):
    path = tmp_path / "a.warc.gz"
    path.write_bytes(gzip.compress(begin + LONG.encode()))
    told: list[str] = []
    tracemalloc.start()
    try:
        found = [page.url for page in Sources([path], told.append, max_html=1 << 20)]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == ["https://a.example/1"] * bool(begin)
    assert "damaged, or no web archive, from " in told[0]
    assert len(told[0]) < 500
    assert peak < 2 << 20


def test_no_damage_ends_in_anything_but_words(capfd):
    plain = Archive().add("https://a.example/1").add("https://a.example/2", chunked(BODY))
    whole = plain.add("https://a.example/3", gzip.compress(OTHER), Content_Encoding="gzip").data
    rng = random.Random(1)
    ended = 0
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(data) - 99)
            data[at : at + rng.randrange(40)] = rng.randbytes(rng.randrange(20))
        told: list[str] = []
        try:
            for record in records(io.BytesIO(data)):
                try:
                    page = page_of(record, 1000)
                except ValueError as error:
                    told.append(str(error))
                else:
                    assert page is None or len(page.html) <= 1001
        except ValueError as error:
            told.append(str(error))
            ended += 1
        assert not any("\n" in text for text in told)
    assert ended
    assert capfd.readouterr() == ("", "")


def test_scan_without_warcio_names_the_extra(tmp_path, monkeypatch, capsys):
    (tmp_path / "a.warc").write_bytes(Archive().add("https://a.example/1").data)
    (tmp_path / "b.html").write_bytes(BODY)
    monkeypatch.setitem(sys.modules, "fastwarc.warc", None)
    monkeypatch.chdir(tmp_path)
    out, err = call("scan", "a.warc", "b.html"), capsys.readouterr()
    assert out == 0
    assert "a.warc: web archives are read with fastwarc, the extra `warc`: pip install" in err.err


def test_scan_of_an_archive(tmp_path, monkeypatch, capsys):
    archive = Archive().add("https://a.example/1").add("https://b.example/2")
    (tmp_path / "a.warc").write_bytes(archive.data)
    monkeypatch.chdir(tmp_path)
    assert call("scan", "a.warc") == 0
    out = capsys.readouterr().out
    row = out.splitlines()[1].split("\t")
    assert row[:5] == ["exact", "drop", "1.00", "https://b.example/2", "https://a.example/1"]
    assert "Next " in out
    (tmp_path / "c.html").write_bytes(OTHER)
    assert call("scan", "c.html") == 0
    assert "Next " not in capsys.readouterr().out  # there is nothing to look at
