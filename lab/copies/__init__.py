"""Copies of pages that say the same in other words, or something else in the same words.

`make_copies` makes them from the main text of pages, each in a whole page of another site, with its
label: a `reworded` or `revised` copy repeats its page, a `negated` one and one with another phone
number or price (`one-fact`) must not be taken for it. `other` pages have only the site in common.
"""

from __future__ import annotations

from .copy import KINDS, OTHER, REWORDED, Copy, CopyPlan, make_copies
from .wordnet import FOLDER, Lexicon, load

__all__ = [
    "FOLDER",
    "KINDS",
    "OTHER",
    "REWORDED",
    "Copy",
    "CopyPlan",
    "Lexicon",
    "load",
    "make_copies",
]
