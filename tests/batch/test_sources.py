"""Pages from files and feeds."""

from __future__ import annotations

import gzip
import os
from typing import TYPE_CHECKING

from dedup_middleware.batch.sources import Sources

if TYPE_CHECKING:
    from pathlib import Path


def _sources(*paths: Path, **options) -> tuple[Sources, list[str]]:
    told: list[str] = []
    return Sources(paths, told.append, **{"max_html": 1000, **options}), told


def test_a_huge_line_of_a_compressed_feed_is_told_and_passed_over(tmp_path, monkeypatch):
    monkeypatch.setattr("dedup_middleware.batch.sources.LONGEST_LINE", 1 << 20)
    path = tmp_path / "feed.NDJSON.gz"
    with gzip.open(path, "wb") as feed:
        feed.write(b"\xef\xbb\xbf" + b'{"url":"u1","text":"one"}\r\n\n{"url":"u2","html":"')
        for _ in range(8):
            feed.write(b"a" * (1 << 20))
        feed.write(b'"}\n{"url":"u3","html":null,"text":"three"}')
    sources, told = _sources(path)
    assert [(page.url, page.text) for page in sources] == [("u1", "one"), ("u3", "three")]
    assert told == [f"{path}:3: longer than 1 MiB; skipped"]
    assert sources.bytes_read == sources.size() == path.stat().st_size


def test_a_folder_is_read_in_order_and_without_the_store(tmp_path):
    for name in ("b/2.html", "b/1.xhtml", "a/z.HTM", "c.html", "store/x.html", ".git/x.html"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x" * 5000)
    (tmp_path / "loop.html").symlink_to("loop.html")
    os.mkfifo(tmp_path / "pipe.html")
    sources, told = _sources(tmp_path, leave_out=[tmp_path / "b/.." / "store"])
    pages = list(sources)
    root = tmp_path.resolve().as_uri()
    names = [page.url.removeprefix(f"{root}/") for page in pages]
    assert names == ["c.html", "a/z.HTM", "b/1.xhtml", "b/2.html"]
    assert {len(page.html) for page in pages} == {1001}
    assert (sources.skipped, sources.problems) == (1, 1)
    assert told[0].startswith(f"{tmp_path / 'loop.html'}: ")


def test_a_file_is_read_once_though_links_lead_to_it_and_progress_ends_at_the_end(tmp_path):
    pages = tmp_path / "pages"
    (pages / "deeper").mkdir(parents=True)
    (pages / "tides.html").write_text("<p>The tide turned twice.")
    (pages / "deeper" / "a-link.html").symlink_to(pages / "tides.html")
    (pages / "a-link.html").symlink_to("tides.html")
    (pages / "picture.png").write_bytes(bytes(5000))
    (tmp_path / "linked").symlink_to(pages)
    sources = Sources([pages, tmp_path / "linked", pages / "tides.html"], print, max_html=1 << 20)
    assert [page.url for page in sources] == [(pages / "tides.html").as_uri()]
    assert (sources.skipped, sources.bytes_read) == (1, sources.size())
