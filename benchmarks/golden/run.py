"""The run of one part, in a process of its own."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .files import compared
from .parts import all_parts

if TYPE_CHECKING:
    from pathlib import Path

    from .files import Difference, Golden


@dataclass(frozen=True)
class Outcome:
    """What became of a part."""

    found: Golden | None
    """None if it was not finished."""
    difference: Difference | None
    seconds: float
    problems: list[str] = field(default_factory=list)


def run(title: str, data: Path | None, folder: Path, commit: str) -> Outcome:
    """Get the answers of a part, and compare them with the frozen ones, if there are any."""
    started, problems = time.monotonic(), list[str]()
    part = next(one for one in all_parts(data, []) if one.title == title)
    try:
        items, frozen = part.items(problems), part.frozen(folder)
        found, difference = compared(items, part.block, commit, frozen)
    except Exception:  # noqa: BLE001 - whatever it is, the other parts go on
        return Outcome(None, None, time.monotonic() - started, [traceback.format_exc()])
    return Outcome(found, difference, time.monotonic() - started, problems)
