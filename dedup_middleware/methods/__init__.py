"""Published methods of duplicate detection behind one interface, and the cascade among them.

>>> from dedup_middleware.methods import Document, make_method
>>> shingles = make_method("shingles", width=2, threshold=0.4)
>>> shingles.add(Document.of_text("one", "The tide came in and the boats were lifted."))
>>> shingles.matches(Document.of_text("two", "The tide came in and the boats sank."))
[Match(name='one', forward=0.6666666666666666, backward=0.6666666666666666)]
"""

from __future__ import annotations

from dataclasses import fields
from importlib.metadata import entry_points
from typing import Any

from dedup_middleware.errors import SettingError
from dedup_middleware.setting_values import checked
from dedup_middleware.store.tables import Tables

from .base import Document, IndexedMethod, Match, Method

__all__ = [
    "Document",
    "IndexedMethod",
    "Match",
    "Method",
    "Tables",
    "make_method",
    "method_class",
    "method_names",
]

GROUP = "scrapy_dedup.methods"
"""The entry points by which packages offer methods."""


def method_names() -> list[str]:
    """Return the names of all installed methods, the cascade first."""
    names = {entry.name for entry in entry_points(group=GROUP)}
    return sorted(names, key=lambda name: (name != "cascade", name))


def method_class(name: str) -> type[Method]:
    """Return the class of a method.

    >>> method_class("minhash").__name__
    'Minhash'
    """
    for entry in entry_points(group=GROUP, name=name):
        loaded = entry.load()
        if not (isinstance(loaded, type) and issubclass(loaded, Method)):
            raise SettingError(
                f"The entry point {entry.value} of the method {name!r} is not a subclass of "
                f"{Method.__module__}.{Method.__name__}"
            )
        return loaded
    raise SettingError(f"There is no method {name!r}; choose one of {', '.join(method_names())}")


def make_method(name: str, **options: Any) -> Method:
    """Make a method; check its options by name, type and range."""
    made = method_class(name)
    known = {one.name: one for one in fields(made) if "help" in one.metadata}
    values: dict[str, Any] = {}
    for option, value in options.items():
        if option not in known:
            raise SettingError(
                f"The method {name} has no option {option!r}; it has {', '.join(known)}"
            )
        label, field = f"Option {option!r} of the method {name}", known[option]
        # a class where the module of the method evaluates its annotations
        type_name = getattr(field.type, "__name__", field.type)
        values[option] = checked(label, value, type_name, field.metadata)
    return made(**values)
