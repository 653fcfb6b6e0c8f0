"""CoDet: containment by a corpus tree of sentences, rare words first (Varol's thesis)."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dedup_middleware.fingerprint.hashing import word_hashes
from dedup_middleware.settings import choice, flag, ranged

from .corpus_tree import CorpusTree, Steps, steps
from .detector import IndexedDetector, Match
from .idf import WordCounts
from .refined import shortened

if TYPE_CHECKING:
    from dedup_middleware.fingerprint.hashing import Hashes

    from .corpus_tree import Floats, Ints
    from .document import Document

_SCORE = struct.Struct(">d")
_POWERS = 2 ** np.arange(33)


@dataclass
class CoDet(IndexedDetector):
    """Distinct sentences, their distinct words sorted by idf, and what begins alike in them.

    Two sentences that begin with the same words w1, w2, … score the sum of k^power · idf(w_k); two
    documents score the sum over all pairs of sentences. A document is contained in another if
    their score is a sufficient share of its score with itself.

    The thesis takes idf from a reference collection. Here it is made of the documents that were
    known when the earlier of the two documents came, as `WordCounts` keeps them by stages: so two
    documents are weighed and sorted by the same figures, and those of a known document never
    change.

    >>> from dedup_middleware.detectors import Document
    >>> codet = CoDet()
    >>> codet.add(Document.of_text("a", "Nasdaq starts day with increase. Shares gain 2%."))
    >>> codet.candidates(Document.of_text("b", "Shares gain 2%."))
    [Match(name='a', forward=1.0, backward=0.375)]
    """

    # the thesis does not publish its own; with this one, F1 over open sets of article versions,
    # excerpts, manuals and pages judged by people was best in sum
    threshold: float = ranged(
        0.65, "Share of its score with itself from which a document is contained.", 0.0, 1.0
    )
    depth: int = ranged(5, "Words of a sentence that count.", 1, 60)
    suffixes: int = ranged(
        1, "Paths of a sentence: itself, itself less its first word, and so on.", 1, 60
    )
    sorting: bool = flag(True, "Sort the words of a sentence by idf, rarest first.")
    power: float = ranged(1.0, "To which power the depth of a word counts.", 0.0, 4.0)
    stemming: str = choice(
        "first5",
        "What is left of a word: its first five characters, its stem, or all.",
        "first5",
        "stems",
        "none",
    )
    plus_one: bool = flag(True, "Add 1 to idf, so that words of all documents count, too.")
    most_visitors: int = ranged(
        500, "Documents from which on a node of the tree says nothing any more.", 1, 1_000_000
    )
    window: int = ranged(
        0, "How many of the last documents are known; 0 if all are.", 0, 1_000_000_000
    )

    def add(self, document: Document) -> None:
        paths, tree = self._paths(document, latest=True), self._tree
        number = self._enter(document.name, _SCORE.pack(*paths.own))
        tree.visit(paths.steps.keys, number, paths.steps.times)
        WordCounts(self.tables).count(paths.hashes)

    def candidates(self, document: Document) -> list[Match]:
        paths = self._paths(document)
        visits = self._tree.visits(paths.steps.keys)
        # each earlier document is met on the paths that its own idf makes
        met, steps_ = paths.steps.at(visits.nodes, _stages(visits.documents))
        scores = paths.steps.times[steps_] * visits.times[met] * paths.values[steps_]
        numbers, inverse = np.unique(visits.documents[met], return_inverse=True)
        total = np.bincount(inverse, scores, len(numbers))
        found = []
        for number, score, own in zip(numbers, total, paths.own[_stages(numbers)], strict=True):
            if score > 0:
                name, data = self._entry(int(number))
                shares = score / own, score / _SCORE.unpack(data)[0]
                found.append(Match(name, *(min(1.0, float(share)) for share in shares)))
        return found

    @property
    def _tree(self) -> CorpusTree:
        gone = max(0, self._documents - self.window) if self.window else 0
        return CorpusTree(self.tables, most=self.most_visitors, gone=gone)

    def _paths(self, document: Document, *, latest: bool = False) -> _Paths:
        """Make the paths of a document as each stage of idf has them, or the latest only."""
        sentences = shortened(document, self.stemming)
        indices = {word: at for at, word in enumerate(dict.fromkeys(chain(*sentences)))}
        hashes = word_hashes(indices)
        counts = WordCounts(self.tables)
        idf = counts.idf_by_stage(hashes, plus_one=self.plus_one, included=True)
        if latest:
            idf = idf[-1:]
        ranks = [np.argsort(np.lexsort((hashes, -row))) if self.sorting else row * 0 for row in idf]
        found = steps(
            [[indices[word] for word in sentence] for sentence in sentences],
            hashes,
            np.array(ranks),
            depth=self.depth,
            suffixes=self.suffixes,
        )
        return _Paths(hashes, found, found.depths**self.power * idf[found.order, found.words])


class _Paths(NamedTuple):
    """The paths of a document, at each of some stages of idf."""

    hashes: Hashes
    """Of its words."""
    steps: Steps
    values: Floats
    """What each step is worth."""

    @property
    def own(self) -> Floats:
        """The score of the document with itself, at each stage."""
        scores = self.steps.times**2 * self.values
        total = np.bincount(self.steps.order, scores, self.steps.orders)
        return total.astype(np.float64)  # whole numbers if there are no steps


def _stages(numbers: Ints) -> Ints:
    """Tell at which stage of idf documents were added, by their numbers.

    >>> _stages(np.array([1, 2, 3, 4, 5, 8, 9])).tolist()
    [0, 1, 2, 2, 3, 3, 4]
    """
    return np.searchsorted(_POWERS, numbers - 1, "right")
