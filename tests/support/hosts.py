"""Memories of hosts that nobody had to crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.fingerprint.site import SiteMemory, pack_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping


def memory(
    units: Mapping[int, int], *, names: int = 4, shared_names: frozenset[int] = frozenset()
) -> SiteMemory:
    """Return the memory of a host, given on how many of its pages units stand."""
    keys = sorted(units)
    counts = np.array([units[key] for key in keys], np.uint16)
    return SiteMemory(1, names, pack_numbers(np.array(keys, np.uint64), counts), shared_names)
