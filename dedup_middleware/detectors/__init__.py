"""Published methods, each in one file behind one interface, and the cascade beside them.

>>> from dedup_middleware.detectors import Document, detector
>>> shingles = detector("shingles", width=2, threshold=0.4)
>>> shingles.add(Document.of_text("one", "The tide came in and the boats were lifted."))
>>> shingles.matches(Document.of_text("two", "The tide came in and the boats sank."))
[Match(name='one', forward=0.6666666666666666, backward=0.6666666666666666)]
"""

from __future__ import annotations

from dataclasses import fields
from importlib import import_module
from typing import Any

from dedup_middleware.errors import SettingError
from dedup_middleware.settings import DETECTORS, checked

from .detector import Detector, IndexedDetector, Match
from .document import Document
from .tables import MemoryTables, Tables

__all__ = [
    "DETECTORS",
    "Detector",
    "Document",
    "IndexedDetector",
    "Match",
    "MemoryTables",
    "Tables",
    "detector",
    "detector_class",
]


def detector_class(name: str) -> type[Detector]:
    """Find the class of a detector: the only one in the module of its name."""
    if name not in DETECTORS:
        raise SettingError(f"There is no detector {name!r}; choose one of {', '.join(DETECTORS)}")
    module = import_module(f".{name}", __name__)
    return next(
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Detector)
        and value.__module__ == module.__name__
    )


def detector(name: str, **options: Any) -> Detector:
    """Make a detector, with its options checked by name, type and range."""
    made = detector_class(name)
    known = {one.name: one for one in fields(made) if "help" in one.metadata}
    values: dict[str, Any] = {}
    for option, value in options.items():
        if option not in known:
            raise SettingError(
                f"The detector {name} has no option {option!r}; it has {', '.join(known)}"
            )
        label = f"Option {option!r} of the detector {name}"
        values[option] = checked(label, value, known[option].type, known[option].metadata)
    return made(**values)
