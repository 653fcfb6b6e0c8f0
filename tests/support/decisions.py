"""Decisions as journals hold them, pages to show for them, and hostile text."""

from __future__ import annotations

import json
from typing import Any

from dedup_middleware import Page
from dedup_middleware.inspect.decisions import Decision
from dedup_middleware.read import Outline, read

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


class Pages:
    """A source of page texts by URL."""

    def __init__(self, **pages: str) -> None:
        self._pages = {
            f"https://{name}.example/": read(Page(url="", html=text))
            for name, text in pages.items()
        }

    def outline(self, url: str) -> Outline | None:
        return self._pages.get(url)
