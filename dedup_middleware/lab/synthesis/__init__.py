r"""Documents with known shares of others, to measure what recognises copies.

Random paragraphs of each source are taken until its share is reached, edited if that is wanted, and
shuffled into a new document. What was done is known, so the expected similarity is, too:

>>> from random import Random
>>> from dedup_middleware import Page
>>> from dedup_middleware.lab.synthesis import Plan, source_of, synthesize
>>> tea = source_of(Page(url="tea", text="Boil fresh water.\n\nWarm the pot.\n\nPour and wait."))
>>> rum = source_of(Page(url="rum", html="<h1>Find a glass</h1><p>Open the bottle.<p>Pour it all."))
>>> made = synthesize([tea, rum], Plan(shares=(0.6, 0.2)), Random(1))
>>> [(one.url, one.taken, round(one.of_source, 2)) for one in made.truth.sources]
[('tea', 6, 0.67), ('rum', 3, 0.33)]
>>> made.truth.terms, len(made.text.split())
(9, 9)

`Plan` has own text, word edits and reordering as well. `make_series` makes many documents from a
pool of sources, with labels; `scrapy dedup synthesize` writes them into a folder, whose manifest
`read_manifest` reads back.
"""

from __future__ import annotations

from .edits import Edits
from .files import read_manifest
from .make import Generated, HeldOut, Made, synthesize
from .plan import Plan, Range
from .series import Labelled, Order, label_sources, make_series
from .sources import Paragraph, Source, count_terms, source_of
from .truth import Label, Overlap, Taken, Truth

__all__ = [
    "Edits",
    "Generated",
    "HeldOut",
    "Label",
    "Labelled",
    "Made",
    "Order",
    "Overlap",
    "Paragraph",
    "Plan",
    "Range",
    "Source",
    "Taken",
    "Truth",
    "count_terms",
    "label_sources",
    "make_series",
    "read_manifest",
    "source_of",
    "synthesize",
]
