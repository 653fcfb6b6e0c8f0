"""Archives without what they have twice: what is left out, what stays, and who can read it."""

from __future__ import annotations

import gzip
import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from dedup_middleware.errors import DedupError
from tests.support.archives import BODY, OTHER, Archive, chunked
from tests.support.commands import call

ZIPPED = gzip.compress(BODY, mtime=0)
HEADERS = ("WARC-Refers-To", "WARC-Refers-To-Target-URI", "WARC-Refers-To-Date")


def filled(*, compressed: bool) -> Archive:
    """Return pages that are alike in many ways, each with what becomes of it."""
    near = OTHER.replace(b"A page", b"A  page")
    return (
        Archive(compressed=compressed)
        .add("https://a.example/response", X_Fetched="first")
        .add("https://a.example/picture", b"GIF", Content_Type="image/gif")
        .add("https://a.example/picture/again", b"GIF", Content_Type="image/gif")
        .add("https://a.example/revisit", X_Fetched="second")
        .add("https://a.example/response", X_Fetched="third")  # a revisit, of the same URL
        .add("https://a.example/zipped", ZIPPED, Content_Encoding="gzip")
        .add("https://a.example/other", OTHER)
        .add("https://a.example/spaces", near)
        .add("https://a.example/chunks", chunked(BODY), Transfer_Encoding="chunked")
        .revisit("https://a.example/before")
    )


def records(data: bytes) -> list[tuple[str, str, bytes]]:
    """Return type, URL and block of each record."""
    found = ArchiveIterator(io.BytesIO(data), no_record_parse=True)
    return [
        (one.rec_type, one.rec_headers.get_header("WARC-Target-URI"), one.raw_stream.read())
        for one in found
    ]


def spans(data: bytes) -> list[bytes]:
    """Return each record as it is on the disk."""
    found, begin, parts = ArchiveIterator(io.BytesIO(data)), 0, []
    for _ in found:
        found.read_to_end()
        parts.append(data[begin : found.offset])
        begin = found.offset
    return parts


def kinds_of_copy(archive: Archive) -> list[str]:
    Path("in.warc").write_bytes(archive.data)
    assert call("scan", "in.warc", "--warc", "out.warc") == 0
    return [kind for kind, _, _ in records(Path("out.warc").read_bytes())]


@pytest.mark.parametrize("name", ["in.warc", "in.warc.gz"])
def test_pages_that_are_there_already_become_revisits(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    before = filled(compressed=name.endswith("gz")).data
    Path(name).write_bytes(before)
    out = name.replace("in", "out")
    assert call("scan", name, "--warc", out) == 0
    summary = f"Archive      {out}: 11 records, 2 made revisits; 3 redundant pages left as they"
    assert summary in capsys.readouterr().out
    after = Path(out).read_bytes()
    changed = [
        number
        for number, pair in enumerate(zip(spans(before), spans(after), strict=True))
        if pair[0] != pair[1]
    ]
    assert changed == [4, 5]
    was, now = records(before), records(after)
    for number in changed:
        assert now[number][:2] == ("revisit", was[number][1])
        assert was[number][2] == now[number][2] + BODY  # the head is kept as it was
    assert not list(tmp_path.glob(".*warc*"))


def test_revisits_say_what_they_repeat_and_can_be_checked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("in.warc.gz").write_bytes(filled(compressed=True).data)
    assert call("scan", "in.warc.gz", "--warc", "out.warc.gz") == 0
    found = ArchiveIterator(Path("out.warc.gz").open("rb"), check_digests="raise")  # noqa: SIM115  # read to its end below
    with found.fh:
        known = {}
        for record in found:
            head = record.rec_headers
            record.content_stream().read()
            known[head.get_header("WARC-Record-ID")] = head
            if not head.get_header("WARC-Profile", "").startswith(
                "http://netpreserve.org/warc/1.1"
            ):
                continue
            assert head.protocol == "WARC/1.1"
            assert record.http_headers.get_header("X-Fetched") in ("second", "third")
            original = known[head.get_header("WARC-Refers-To")]
            assert original.get_header("WARC-Type") == "response"
            names = ("WARC-Record-ID", "WARC-Target-URI", "WARC-Date")
            refers = [head.get_header(name) for name in HEADERS]
            assert refers == [original.get_header(name) for name in names]
            digest = "WARC-Payload-Digest"
            assert head.get_header(digest) == original.get_header(digest)
            assert head.get_header("WARC-Truncated") == "length"
    # and once more there is nothing to do
    assert call("scan", "out.warc.gz", "--warc", "again.warc.gz") == 0
    assert Path("again.warc.gz").read_bytes() == Path("out.warc.gz").read_bytes()


def test_several_archives_are_copied_into_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one = Archive().add("https://a.example/1").add("https://a.example/2", OTHER)
    Path("1.warc").write_bytes(one.data)
    Path("1.html").write_bytes(OTHER)  # a page, but of no archive
    Path("2.warc").write_bytes(Archive().add("https://a.example/3").data + b"junk\r\n")
    assert call("scan", ".", "--warc", "out.warc") == 0
    after = Path("out.warc").read_bytes()
    assert after.startswith(one.data)
    kinds = [kind for kind, _, _ in records(after)]
    assert kinds == ["warcinfo", "response", "response", "warcinfo", "revisit"]


def test_records_that_are_compressed_together_are_left_out(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("1.warc.gz").write_bytes(gzip.compress(filled(compressed=False).data))
    other = Archive(compressed=True).add("https://a.example/1").data
    Path("2.warc.gz").write_bytes(other)
    assert call("scan", ".", "--warc", "out.warc.gz") == 0
    assert Path("out.warc.gz").read_bytes() == other
    told = "1.warc.gz: from byte 0 on, records are damaged, or not compressed one by one; "
    assert told in capsys.readouterr().err


def damaged(data: bytes) -> bytes:
    return data[:-150] + b"x" * 40 + data[-110:]


@pytest.mark.parametrize(
    ("name", "damage", "left"),
    [
        ("warc", lambda data: data[:-200], 2),
        ("warc", lambda data: data[:-4], 3),
        ("warc", lambda data: data[:-3], 3),
        ("warc", lambda data: data[:-4] + b"junk", 2),
        ("warc", lambda data: data + b"junk", 3),
        ("warc", lambda data: data + gzip.compress(data), 3),
        ("warc", lambda data: data + b"WARC/1.1\r\nWARC-Type: response\r\n\r\nHTTP/1.1 200 OK", 3),
        ("warc.gz", lambda data: data[:-60], 2),
        ("warc.gz", lambda data: data + b"junk", 3),
        ("warc.gz", lambda data: data + gzip.compress(b"junk"), 3),
        ("warc.gz", lambda data: data + Archive().data, 3),
        ("warc.gz", lambda data: gzip.compress(gzip.decompress(data))[:-60], 0),
        ("warc.gz", damaged, 2),
    ],
)
def test_damage_does_not_reach_the_next_archive(tmp_path, monkeypatch, capsys, name, damage, left):
    monkeypatch.chdir(tmp_path)
    first, second = (Archive(compressed=name.endswith("gz")) for _ in "12")
    before = first.add("https://a.example/1").add("https://a.example/2", OTHER).data
    bad = damage(before)
    Path(f"1.{name}").write_bytes(bad)
    Path(f"2.{name}").write_bytes(second.add("https://a.example/3", OTHER + b"<p>more").data)
    assert call("scan", ".", "--warc", f"out.{name}") == 0
    after, told = Path(f"out.{name}").read_bytes(), capsys.readouterr().err
    whole = b"".join(spans(before)[:left])
    assert after == whole + second.data
    assert len(records(after)) == left + 2
    equal = [one == other for one, other in zip(whole, bad, strict=False)]
    kept = [*equal, False].index(False)
    if kept < len(bad):
        assert f"1.{name}: from byte {kept:,} on, records are damaged" in told
        assert f"; {len(bad) - kept:,} bytes are left out of the copy" in told


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["in.warc", "--warc", "in.warc"], "in.warc: there is such a file already"),
        (["in.warc", "--warc", "out.warc.gz"], "in.warc: can't be copied to a file that is named"),
        (["in.warc", "--warc", "out.zip"], "out.zip: a web archive is named .warc or .warc.gz"),
    ],
)
def test_what_is_asked_for_in_vain(tmp_path, monkeypatch, capsys, args, message):
    monkeypatch.chdir(tmp_path)
    Path("in.warc").write_bytes(Archive().data)
    with pytest.raises(SystemExit):
        call("scan", *args)
    assert message in capsys.readouterr().err
    assert not Path(".scrapy").exists()


@pytest.mark.parametrize("compressed", [True, False])
def test_names_that_say_something_else(tmp_path, monkeypatch, capsys, compressed):
    monkeypatch.chdir(tmp_path)
    suffix = ".warc" if compressed else ".warc.gz"
    Path(f"1{suffix}").write_bytes(Archive(compressed=compressed).data)
    other = Archive(compressed=not compressed).add("https://a.example/1").data
    Path(f"2{suffix}").write_bytes(other)
    assert call("scan", ".", "--warc", f"out{suffix}") == 0
    assert Path(f"out{suffix}").read_bytes() == other
    assert f"1{suffix}: from byte 0 on, records are damaged, or " in capsys.readouterr().err


def test_an_archive_that_can_not_be_opened_is_left_out(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    data = Archive().add("https://a.example/1").data
    Path("in.warc").write_bytes(data)
    Path("gone.warc").symlink_to("nowhere")
    assert call("scan", ".", "--warc", "out.warc") == 0
    assert Path("out.warc").read_bytes() == data
    assert "gone.warc: left out of the copy: No such file" in capsys.readouterr().err


def test_where_nothing_can_be_written_the_summary_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("in.warc").write_bytes(filled(compressed=False).data)
    with pytest.raises(DedupError, match=r"Can't write gone/out\.warc: No such file"):
        call("scan", "in.warc", "--warc", "gone/out.warc")
    assert "Archive      gone/out.warc was not written" in capsys.readouterr().out


def test_a_kill_leaves_no_half_archive(tmp_path):
    archive = Archive()
    for number in range(400):
        archive.add(f"https://a.example/{number}", BODY + b"<p>%d" % (number % 300))
    (tmp_path / "in.warc").write_bytes(archive.data)
    out, command = tmp_path / "out.warc", [sys.executable, "-m", "scrapy", "dedup", "scan"]
    process = subprocess.Popen(
        [*command, "in.warc", "--warc", out.name],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while process.poll() is None:
        if any(path.stat().st_size for path in tmp_path.glob(".out.warc.*")):
            os.kill(process.pid, signal.SIGKILL)
            break
        time.sleep(0.001)
    process.wait()
    if process.returncode == 0:  # it was faster
        assert len(records(out.read_bytes())) == 401
    else:
        assert not out.exists()


def test_chunks_of_other_sizes_are_other_payloads(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    archive = Archive()
    for number, size in enumerate((1000, 1000, 700)):
        body = chunked(BODY, size)
        archive.add(f"https://a.example/{number}", body, Transfer_Encoding="chunked")
    assert kinds_of_copy(archive) == ["warcinfo", "response", "revisit", "response"]


@pytest.mark.parametrize(
    "headers",
    [
        {"WARC_Record_ID": "<urn:uuid:9ed49bcd-f2ab-4b6d-9b1a-6ea4ba3ba2e2>"},  # of both
        {"WARC_Segment_Number": "1"},
    ],
)
def test_records_that_are_never_revisits(tmp_path, monkeypatch, headers):
    monkeypatch.chdir(tmp_path)
    archive = Archive()
    for number in (1, 2):
        archive.add(f"https://a.example/{number}", **headers)
    assert kinds_of_copy(archive) == ["warcinfo", "response", "response"]


def test_broken_chunks_are_never_revisits(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    archive = Archive()
    for end in (b"AB", b"CD"):  # in the place of a line's end, where readers skip it
        body = b"%x\r\n%s%s<p>more" % (len(BODY), BODY, end)
        archive.add(f"https://{end.decode()}.example/", body, Transfer_Encoding="chunked")
    assert kinds_of_copy(archive) == ["warcinfo", "response", "response"]


def test_what_a_response_referred_to_is_replaced(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [name.replace("-", "_") for name in HEADERS]
    archive = Archive().add("https://a.example/1")
    archive.add("https://a.example/2", **dict.fromkeys(names, "elsewhere"))
    assert kinds_of_copy(archive) == ["warcinfo", "response", "revisit"]
    assert b"elsewhere" not in Path("out.warc").read_bytes()


def test_a_record_without_length_is_damage(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    parts = spans(Archive().add("https://a.example/1").add("https://a.example/2").data)
    before, _, after = parts[2].partition(b"Content-Length: ")
    parts[2] = before + after.partition(b"\r\n")[2]
    members = [gzip.compress(part, mtime=0) for part in parts]
    Path("in.warc.gz").write_bytes(b"".join(members))
    assert call("scan", "in.warc.gz", "--warc", "out.warc.gz") == 0
    kept = b"".join(members[:2])
    assert Path("out.warc.gz").read_bytes() == kept
    assert f"from byte {len(kept):,} on, records are damaged" in capsys.readouterr().err
