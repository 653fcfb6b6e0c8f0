"""Work, counted: how many lines of the package run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dedup_middleware

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

_FOLDER = str(Path(dedup_middleware.__file__).parent)


def lines_run(function: Callable[[], object]) -> int:
    """Return how many lines of the package a call runs; time would depend on the machine."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace if frame.f_code.co_filename.startswith(_FOLDER) else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return count
