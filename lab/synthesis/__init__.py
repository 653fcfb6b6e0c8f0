r"""Synthesis of documents that hold known shares of others, to measure how copies are found.

Random paragraphs of each source are taken until its share is reached, edited if wanted, and
shuffled into a new document. So the expected similarity is known:

>>> from random import Random
>>> from dedup_middleware import Page
>>> from lab.synthesis import Plan, source_of, synthesize
>>> tea = source_of(Page(url="tea", text="Boil fresh water.\n\nWarm the pot.\n\nPour and wait."))
>>> rum = source_of(Page(url="rum", html="<h1>Find a glass</h1><p>Open the bottle.<p>Pour it all."))
>>> made = synthesize([tea, rum], Plan(shares=(0.6, 0.2)), Random(1))
>>> [(one.url, one.taken, round(one.of_source, 2)) for one in made.truth.sources]
[('tea', 6, 0.67), ('rum', 3, 0.33)]
>>> made.truth.terms, len(made.text.split())
(9, 9)

`Plan` has own text, word edits and reordering as well. `make_series` makes many documents from
some sources, with labels; `python -m lab.synthesize` writes them into a folder, whose manifest
`read_manifest` reads back.
"""

from __future__ import annotations

from lab.labels import Label

from .document import Generated, HeldOut, MadeDocument, synthesize
from .plan import Plan, Range, SeriesPlan
from .series import Labelled, label_sources, make_series
from .set_folder import SetFolder, read_manifest
from .sources import Paragraph, Source, SourceCollection, source_of, source_of_outline
from .terms import Edits, count_terms
from .truth import Overlap, Taken, Truth

__all__ = [
    "Edits",
    "Generated",
    "HeldOut",
    "Label",
    "Labelled",
    "MadeDocument",
    "Overlap",
    "Paragraph",
    "Plan",
    "Range",
    "SeriesPlan",
    "SetFolder",
    "Source",
    "SourceCollection",
    "Taken",
    "Truth",
    "count_terms",
    "label_sources",
    "make_series",
    "read_manifest",
    "source_of",
    "source_of_outline",
    "synthesize",
]
