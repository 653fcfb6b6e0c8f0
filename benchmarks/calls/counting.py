"""Counts of what is called while a page is judged; they are the same on every machine."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter, defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple
from unittest.mock import patch

import dedup_middleware
from dedup_middleware import Deduplicator, Page, core

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import FrameType

PACKAGE = f"{Path(dedup_middleware.__file__).parent}/"
WARM_UP = "<p>What is loaded once belongs to no page."


@dataclass(slots=True)
class Calls:
    """What was called while one page was judged."""

    own: Counter[str] = field(default_factory=Counter)
    """Calls of Python functions of this package, by file and name."""
    other: int = 0
    """Calls of other Python functions."""
    compiled: int = 0
    """Calls of functions in C."""
    core: int = 0
    """Calls of the compiled core."""
    taken: int = 0
    """Bytes that the core was given."""
    given: int = 0
    """Bytes that it returned: they are copied."""

    @property
    def files(self) -> int:
        return len({name.partition(":")[0] for name in self.own})


class Row(NamedTuple):
    """The medians of all pages of a kind that were decided at a stage."""

    kind: str
    stage: str
    pages: int
    own: float
    other: float
    compiled: float
    files: float
    core: float
    copies: float
    """Bytes that the core returned, as a multiple of those of the page."""


def count(dedup: Deduplicator, page: Page) -> tuple[Calls, str, str]:
    """Judge a page; return what was called, the verdict, and the stage that decided."""
    calls = Calls()

    def called(frame: FrameType, event: str, _: object) -> None:
        if event == "c_call":
            calls.compiled += 1
        elif event == "call":
            path = frame.f_code.co_filename
            if path.startswith(PACKAGE):
                calls.own[f"{path.removeprefix(PACKAGE)}:{frame.f_code.co_name}"] += 1
            else:
                calls.other += 1

    with _counted_core(calls):
        sys.setprofile(called)
        try:
            verdict = dedup.process(page)
        finally:
            sys.setprofile(None)
    return calls, str(verdict.kind), verdict.evidence.stage


def rows(pages: Iterable[Page]) -> Iterator[Row]:
    """Judge pages in order, in a store of their own, and sum up what was called."""
    found: dict[tuple[str, str], list[tuple[Calls, int]]] = defaultdict(list)
    with (
        tempfile.TemporaryDirectory(prefix="calls-") as folder,
        Deduplicator(f"{folder}/store", is_sole=True) as dedup,
    ):
        dedup.process(Page(url="https://warm.example/", html=WARM_UP))
        for page in pages:
            calls, kind, stage = count(dedup, page)
            found[kind, stage].append((calls, page.size))
    for (kind, stage), counted in sorted(found.items()):
        every = [calls for calls, _ in counted]
        yield Row(
            kind,
            stage,
            len(counted),
            median(one.own.total() for one in every),
            median(one.other for one in every),
            median(one.compiled for one in every),
            median(one.files for one in every),
            median(one.core for one in every),
            median(calls.given / max(1, size) for calls, size in counted),
        )


@contextmanager
def _counted_core(calls: Calls) -> Iterator[None]:
    """Count the calls of the core in a block."""
    call, call_parts = core.call, core.call_parts

    def counted(name: str, data: bytes, *options: int) -> bytes:
        answer = call(name, data, *options)
        calls.core += 1
        calls.taken += len(data)
        calls.given += len(answer)
        return answer

    def counted_parts(name: str, parts: list[bytes]) -> bytes:
        answer = call_parts(name, parts)
        calls.core += 1
        calls.taken += sum(map(len, parts))
        calls.given += len(answer)
        return answer

    with patch.multiple(core, call=counted, call_parts=counted_parts):
        yield
