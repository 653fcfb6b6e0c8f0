"""Time that does not depend on what else the machine does."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def cpu_timed(work: Callable[[], T]) -> tuple[float, T]:
    """Do something once; give the milliseconds of CPU time that it took and what came of it."""
    start = time.process_time()
    result = work()
    return 1000 * (time.process_time() - start), result
