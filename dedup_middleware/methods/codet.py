"""CoDet (Varol's thesis): containment of documents through a tree of their sorted sentences."""

from __future__ import annotations

import struct
from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dedup_middleware.fingerprint.hashing import shingle_hashes, word_hashes
from dedup_middleware.read.words import words
from dedup_middleware.settings import choice, flag, ranged
from dedup_middleware.similarity.sentences import STOP_WORDS, stems_of

from ._index import WeightedMethod, WordCounts, packed_keys
from .base import Document, Match, distinct_sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dedup_middleware.fingerprint.hashing import Hashes
    from dedup_middleware.store.tables import Tables

    from .base import Refined

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

MOST_VISITS = 500_000
"""Visits that are read for one document; only pages made of what all pages share have more."""
_NODE = b"node:"
_VISIT = struct.Struct(">II")  # document, times
_DEACTIVATED = b"-"  # no list of visits has this length
_SCORE = struct.Struct(">d")
_POWERS = 2 ** np.arange(33)
_FIRST_CHARACTERS = 5
_LEAD = 3


@dataclass
class CoDet(WeightedMethod):
    """Distinct sentences, their distinct words sorted by idf, compared by how they begin.

    Two sentences that begin with the same words w1, w2, … score the sum of k^power · idf(w_k); two
    documents score the sum over all pairs of sentences. A document is contained in another if
    their score is a sufficient share of its score with itself.

    The thesis takes idf from a reference collection (`refer_to`). Without one it comes from the
    documents that were known when the earlier of the two documents was added, by the stages of
    `WordCounts`: so both documents are weighed and sorted by the same figures, and those of a known
    document never change.

    >>> from dedup_middleware.methods import Document
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
        "What is kept of a word: its first five characters, its stem, or all.",
        "first5",
        "stems",
        "none",
    )
    stop_words: bool = flag(True, "Leave out words that every text has.")
    weights: str = choice(
        "idf",
        "What sorts and weighs words: their rarity (idf), how often the document has them (tf), or "
        "both (tf-idf).",
        "idf",
        "tf",
        "tf-idf",
    )
    repeats: bool = flag(False, "Keep repeated words of a sentence, as the thesis does.")
    title: int = ranged(0, "How often the title counts as a sentence.", 0, 20)
    lead: int = ranged(1, "How often each of the first three sentences counts.", 1, 20)
    least_sentences: int = ranged(
        1, "Documents that share fewer sentences share no more than advertising.", 1, 20
    )
    plus_one: bool = flag(True, "Add 1 to idf, so that words of all documents count, too.")
    most_visitors: int = ranged(
        500, "Documents from which on a node of the tree is ignored.", 1, 1_000_000
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
        # each known document is met on the paths that its own idf makes
        last = paths.steps.orders - 1  # the only one if idf is that of a reference collection
        met, steps_ = paths.steps.at(visits.nodes, np.minimum(_stages(visits.documents), last))
        scores = paths.steps.times[steps_] * visits.times[met] * paths.values[steps_]
        numbers, inverse = np.unique(visits.documents[met], return_inverse=True)
        total = np.bincount(inverse, scores, len(numbers))
        if self.least_sentences > 1:
            # a sentence that begins as one of the other document passes a node at depth 1
            begun = np.bincount(inverse, paths.steps.depths[steps_] == 1, len(numbers))
            total[begun < self.least_sentences] = 0
        found = []
        mine = paths.own[np.minimum(_stages(numbers), last)]
        for number, score, own in zip(numbers, total, mine, strict=True):
            if score > 0:
                name, data = self._entry(int(number))
                shares = score / own, score / _SCORE.unpack(data)[0]
                found.append(Match(name, *(min(1.0, float(share)) for share in shares)))
        return found

    @property
    def _tree(self) -> CorpusTree:
        gone = max(0, self._documents - self.window) if self.window else 0
        return CorpusTree(self.tables, most=self.most_visitors, gone=gone)

    def _sentences(self, document: Document) -> list[Refined]:
        """Return the sentences, each as often as it counts."""
        options = {"stop_words": self.stop_words, "repeats": self.repeats}
        found = shortened(document, self.stemming, **options)
        title: list[Refined] = []
        if self.title and document.outline.title:
            named = Document.of_text(document.name, document.outline.title)
            title = shortened(named, self.stemming, **options)
        return found + found[:_LEAD] * (self.lead - 1) + title * self.title

    def _weighed(self, document: Document) -> Hashes:
        return word_hashes(dict.fromkeys(chain(*self._sentences(document))))

    def _paths(self, document: Document, *, latest: bool = False) -> _Paths:
        """Return the paths of a document at each stage of idf, or at the latest only."""
        sentences = self._sentences(document)
        indices = {word: at for at, word in enumerate(dict.fromkeys(chain(*sentences)))}
        hashes = word_hashes(indices)
        counts = WordCounts(self.tables)
        idf = counts.idf_by_stage(hashes, plus_one=self.plus_one, included=True)
        if self.weights != "idf":
            times = Counter(chain(*sentences))
            tf = np.array([times[word] for word in indices], np.float64) / max(1, times.total())
            idf = np.tile(tf, (len(idf), 1)) if self.weights == "tf" else tf * idf
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
    """The score of each step."""

    @property
    def own(self) -> Floats:
        """The score of the document with itself, at each stage."""
        scores = self.steps.times**2 * self.values
        total = np.bincount(self.steps.order, scores, self.steps.orders)
        return total.astype(np.float64)  # whole numbers if there are no steps


def _stages(numbers: Ints) -> Ints:
    """Return the stage of idf at which documents were added, by their numbers.

    >>> _stages(np.array([1, 2, 3, 4, 5, 8, 9])).tolist()
    [0, 1, 2, 2, 3, 3, 4]
    """
    return np.searchsorted(_POWERS, numbers - 1, "right")


def shortened(
    document: Document, stemming: str, *, stop_words: bool = True, repeats: bool = False
) -> list[Refined]:
    """Return the distinct sentences of a document as CoDet sees them (2.1 of the thesis).

    What remains of each are its words in order, each once unless they may repeat, without stop
    words: by `stemming`, their first five characters (`first5`), their stems (`stems`), or all of
    them (`none`).

    >>> from dedup_middleware.methods import Document
    >>> document = Document.of_text("a", "The harbours of Norway. The harbour of the Norwegians.")
    >>> shortened(document, "first5")
    [('harbo', 'norwa'), ('harbo', 'norwe')]
    >>> shortened(document, "stems")
    [('harbour', 'norway'), ('harbour', 'norwegian')]
    """
    stopped = STOP_WORDS.get(document.language, frozenset()) if stop_words else frozenset()
    found = (words(sentence.text) for sentence in document.sentences)
    content = (([word for word in some if word not in stopped] or some) for some in found)
    if stemming == "stems":
        content = (_stemmed(some, document.language) for some in content)
    size = _FIRST_CHARACTERS if stemming == "first5" else None
    return distinct_sentences(([word[:size] for word in some] for some in content), repeats=repeats)


def _stemmed(some: Sequence[str], language: str) -> list[str]:
    """Return the stems of words; stop words, which have none, stay as they are."""
    stems = stems_of(some, language, numbers=True)
    return [stem or word for word, stem in zip(some, stems, strict=True)]


@dataclass(frozen=True, slots=True)
class Steps:
    """The nodes on the paths of a document, under each of some orders of its words."""

    orders: int
    keys: Hashes
    """All nodes, ascending, each once."""
    places: Ints
    """For each step its node and its order in one number, ascending: node · orders + order."""
    words: Ints
    """The word of the node, by its index."""
    depths: Ints
    times: Ints
    """How many paths of the document take the step."""

    @property
    def order(self) -> Ints:
        return self.places % self.orders

    def at(self, nodes: Ints, orders: Ints) -> tuple[Ints, Ints]:
        """Return which of some steps exist, and their indices."""
        wanted = nodes * self.orders + orders
        indices = np.searchsorted(self.places, wanted)
        found = np.flatnonzero(self.places.take(indices, mode="clip") == wanted)
        return found, indices[found]


def steps(
    sentences: Sequence[Sequence[int]], hashes: Hashes, ranks: Ints, *, depth: int, suffixes: int
) -> Steps:
    """Turn sentences, given as the indices of their words, into paths of up to `depth` nodes.

    Each row of `ranks` is an order by which the words of every sentence are sorted; words of equal
    rank keep their order. With `suffixes` above 1, a sentence without its first word, its first
    two, … is a path, too.

    >>> from dedup_middleware.fingerprint.hashing import word_hashes
    >>> shares = word_hashes(["shares", "gain", "lose"])
    >>> found = steps([[0, 1], [2, 0]], shares, np.array([[0, 1, 2]]), depth=5, suffixes=1)
    >>> sorted(zip(found.words.tolist(), found.depths.tolist(), found.times.tolist()))
    [(0, 1, 2), (1, 2, 1), (2, 2, 1)]
    """
    orders, count = len(ranks), len(sentences)
    flat = np.array([word for sentence in sentences for word in sentence], np.int64)
    sizes = np.tile(np.array([len(sentence) for sentence in sentences], np.int64), orders)
    rows = np.repeat(np.arange(orders * count), sizes)
    words = np.tile(flat, orders)[np.lexsort((ranks[:, flat].ravel(), rows))]
    firsts = np.cumsum(sizes) - sizes
    none = np.zeros(0, np.int64)
    found: list[tuple[NDArray[np.generic], ...]] = [(none.astype(np.uint64), none, none, none)]
    for start in range(suffixes):
        keys = np.zeros(orders * count, np.uint64)
        for level in range(depth):
            on = np.flatnonzero(sizes > start + level)
            if not len(on):
                break
            at = words[firsts[on] + start + level]
            keys[on] = shingle_hashes(np.stack((keys[on], hashes[at])), 2)[0]
            found.append((keys[on], on // count, at, np.full(len(on), level + 1)))
    all_keys, order, word, level_ = map(np.concatenate, zip(*found, strict=True))
    nodes, node = np.unique(all_keys, return_inverse=True)
    places, first, times = np.unique(node * orders + order, return_index=True, return_counts=True)
    return Steps(orders, nodes, places, word[first], level_[first], times)


class Visits(NamedTuple):
    """Which documents visited which nodes, by the index of the node."""

    nodes: Ints
    documents: Ints
    times: Ints


class CorpusTree:
    """The corpus tree: sentences as paths of words, with the documents that visited each node.

    A node is identified by a hash of the words that lead to it, so the tree needs no pointers. A
    node that more than `most` documents have visited is deactivated, as it distinguishes nothing.
    Documents up to number `gone` have left.
    """

    def __init__(self, tables: Tables, *, most: int, gone: int) -> None:
        self._tables = tables
        self._most = most
        self._gone = gone

    def visits(self, keys: Hashes) -> Visits:
        """Return the earlier visits to those nodes that one more document does not deactivate."""
        found, left = [], MOST_VISITS * _VISIT.size
        for key in packed_keys(_NODE, keys):
            known = self._present(self._tables.get(key) or b"")
            found.append(b"" if known == _DEACTIVATED or self._is_full(known) else known)
            left -= len(known)
            if left < 0:  # nodes are in the order of their hashes: what was read is a fair sample
                break
        documents, times = np.frombuffer(b"".join(found), ">u4").astype(np.int64).reshape(-1, 2).T
        sizes = [len(known) // _VISIT.size for known in found]
        return Visits(np.repeat(np.arange(len(found)), sizes), documents, times)

    def visit(self, keys: Hashes, document: int, times: Ints) -> None:
        """Add the visits of a document; remove those of documents that have left."""
        for key, count in zip(packed_keys(_NODE, keys), times.tolist(), strict=True):
            known = self._present(self._tables.get(key) or b"")
            if known != _DEACTIVATED:
                new = _DEACTIVATED if self._is_full(known) else known + _VISIT.pack(document, count)
                self._tables.put(key, new)

    def _is_full(self, known: bytes) -> bool:
        return len(known) >= self._most * _VISIT.size

    def _present(self, known: bytes) -> bytes:
        """Remove the visits of documents that have left; numbers ascend."""
        start, gone = 0, self._gone
        while len(known) - start >= _VISIT.size and _VISIT.unpack_from(known, start)[0] <= gone:
            start += _VISIT.size
        return known[start:]
