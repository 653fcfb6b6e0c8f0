"""How long tests wait for what must happen.

Tests wait for events and count work: no clock decides whether they pass, as a machine may be busy
with other things. What never happens must not hang them for ever, so there is an end to waiting;
it is far beyond what a machine takes that is ten times as busy as usual. Timings are in benchmarks.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE = 1200.0  # seconds
_PAUSE = 0.01


def wait_until(condition: Callable[[], object], what: str = "") -> None:
    """Return when a condition holds; fail if it never does."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, what or "it never came true"
        time.sleep(_PAUSE)
