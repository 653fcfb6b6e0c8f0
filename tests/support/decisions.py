"""Decisions as journals hold them, pages to show for them, and hostile text."""

from __future__ import annotations

import base64
import gzip
import json
from contextlib import closing
from pathlib import Path
from typing import Any

from dedup_middleware import Page
from dedup_middleware.inspect.decisions import Decision
from dedup_middleware.journal import journal_path, lines_of_run
from dedup_middleware.read import Outline, read
from dedup_middleware.store import Change, Committed, Seen, open_reader, open_store

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]><img src=x onerror=alert(1)>",
    "\"><img src=x onerror='alert(1)'>",
    "' onmouseover='alert(1)",
    "</title><svg onload=alert(1)>",
    "</style><iframe src=javascript:alert(1)>",
    "javascript:alert(1)",
    "&lt;b&gt; &#60;i&#62; &amp",
    "{{constructor.constructor('alert(1)')()}}",
    "null\x00 bell\x07 turn\u202e line\u2028 para\u2029 half\ud800 none\uffff",
)


def decision(**entry: Any) -> Decision:
    """Return a decision as it would be read from a journal."""
    line = {"seq": 1, "run": "r", "url": "https://a.example/", "verdict": "unique"}
    line |= {"action": "pass", "stage": "lookup", "time": "2026-11-16T08:30:00.000+00:00"}
    found = Decision.parse(json.dumps({**line, **entry}).encode())
    assert found
    return found


def near(url: str, known: tuple[float, float], **entry: Any) -> Decision:
    given = {"verdict": "near", "action": "drop", "stage": "sentences"}
    given |= {"original": "https://a.example/first", "scores": {"known": list(known)}}
    return decision(url=url, **{**given, **entry})


def add_decisions(place: str | Path, *entries: dict[str, Any], run: str | None = None) -> None:
    """Enter decisions into a store, as a crawl of another process does; each gets its number."""
    key = b"k" * 16
    with closing(open_store(place, map_size=1 << 30, run=run)) as store:
        for entry in entries:
            with store.snapshot() as view:
                seen = Seen(view.last_page, view.url(key))
            own = {"seq": None} | ({"run": run} if run else {})
            change = Change(key, decision=entry | own)
            assert isinstance(store.commit(change, seen), Committed)


def assert_journals_agree(place: Path) -> None:
    """Check that the journals of all ended runs of a store have its lines, and no others."""
    with open_reader(place, map_size=1 << 30) as reader, reader.snapshot() as view:
        for run in {run["run"] for run in view.runs()}.difference(reader.live_runs()):
            path, lines = journal_path(place, run), list(lines_of_run(view, run))
            assert path.read_bytes().splitlines() == lines


class Pages:
    """A source of page texts by URL."""

    def __init__(self, **pages: str) -> None:
        self._pages = {
            f"https://{name}.example/": read(Page(url="", html=text))
            for name, text in pages.items()
        }

    def outline(self, url: str) -> Outline | None:
        return self._pages.get(url)

    own = outline


def unpack(text: str) -> Any:
    """Return the data that a report has packed."""
    return json.loads(gzip.decompress(base64.b64decode(text, validate=True)))
