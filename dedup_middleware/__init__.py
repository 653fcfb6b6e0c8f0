"""Recognise, while a crawl runs, pages that are already known."""

from importlib import import_module
from typing import TYPE_CHECKING

__all__ = [
    "Action",
    "Addon",
    "ContainedDuplicate",
    "ContainingPage",
    "CoreError",
    "DedupDownloaderMiddleware",
    "DedupError",
    "DedupLogStats",
    "DedupPipeline",
    "DedupSpiderMiddleware",
    "Deduplicator",
    "DroppedPage",
    "Evidence",
    "ExactDuplicate",
    "Kind",
    "Lost",
    "MainText",
    "NearDuplicate",
    "NotAStore",
    "Page",
    "PageComparison",
    "SchemeMismatch",
    "Scores",
    "Section",
    "SettingError",
    "SkippedRequest",
    "StoreError",
    "StoreFull",
    "UnchangedPage",
    "UniquePage",
    "UpdatedPage",
    "Verdict",
    "compare",
    "main_text",
    "sentence_similarity",
    "signals",
]

if TYPE_CHECKING:
    __version__: str
    from .deduplicator import Deduplicator
    from .errors import (
        CoreError,
        DedupError,
        NotAStore,
        SchemeMismatch,
        SettingError,
        StoreError,
        StoreFull,
    )
    from .page import Page
    from .plugin import signals
    from .plugin.addon import Addon
    from .plugin.exceptions import (
        ContainedDuplicate,
        ContainingPage,
        DroppedPage,
        ExactDuplicate,
        NearDuplicate,
        SkippedRequest,
        UnchangedPage,
        UniquePage,
        UpdatedPage,
    )
    from .plugin.middleware import DedupDownloaderMiddleware, DedupSpiderMiddleware
    from .plugin.pipeline import DedupPipeline
    from .plugin.reading import main_text
    from .plugin.report import DedupLogStats
    from .read.main_text import MainText, Section
    from .similarity.matching import sentence_similarity
    from .verdict import Action, Evidence, Kind, Lost, Scores, Verdict
    from .viewer.comparison import PageComparison, compare
else:
    # `scrapy` imports this package on every call to find its command: nothing heavy before use
    _HOMES = {
        "plugin.addon": ("Addon",),
        "similarity.matching": ("sentence_similarity",),
        "viewer.comparison": ("PageComparison", "compare"),
        "deduplicator": ("Deduplicator",),
        "errors": (
            "CoreError",
            "DedupError",
            "NotAStore",
            "SchemeMismatch",
            "SettingError",
            "StoreError",
            "StoreFull",
        ),
        "page": ("Page",),
        "plugin.exceptions": (
            "ContainedDuplicate",
            "ContainingPage",
            "DroppedPage",
            "ExactDuplicate",
            "NearDuplicate",
            "SkippedRequest",
            "UnchangedPage",
            "UniquePage",
            "UpdatedPage",
        ),
        "plugin.reading": ("main_text",),
        "plugin.report": ("DedupLogStats",),
        "read.main_text": ("MainText", "Section"),
        "plugin.pipeline": ("DedupPipeline",),
        "plugin.signals": ("signals",),
        "plugin.middleware": ("DedupDownloaderMiddleware", "DedupSpiderMiddleware"),
        "verdict": ("Action", "Evidence", "Kind", "Lost", "Scores", "Verdict"),
    }

    def __getattr__(name: str) -> object:
        if name == "__version__":
            return import_module("importlib.metadata").version("scrapy-dedup")
        for module, names in _HOMES.items():
            if name in names:
                home = import_module(f".{module}", __name__)
                value = home if module.endswith(f".{name}") else getattr(home, name)
                globals()[name] = value
                return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
