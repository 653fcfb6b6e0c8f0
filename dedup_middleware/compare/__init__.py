"""Candidate by candidate: how much of a page stands in another."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .comparison import (
    Comparison,
    Deep,
    Pair,
    Words,
    compare_deeply,
    compare_hashes,
    compare_sentences,
    compare_shingles,
    compare_words,
    odds_ratio,
)
from .matching import Test
from .prepared import Prepared

if TYPE_CHECKING:
    from dedup_middleware.page import Page

    from .pages import PageComparison

__all__ = [
    "Comparison",
    "Deep",
    "Pair",
    "Prepared",
    "Test",
    "Words",
    "compare_deeply",
    "compare_hashes",
    "compare_sentences",
    "compare_shingles",
    "compare_words",
    "odds_ratio",
]


class _Callable(ModuleType):
    """Lets `from dedup_middleware import compare` name a function as well as this package."""

    def __call__(self, first: Page, second: Page, **settings: Any) -> PageComparison:
        from .pages import compare

        return compare(first, second, **settings)


sys.modules[__name__].__class__ = _Callable
