"""What detectors that compare documents sentence by sentence have in common."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dedup_middleware.compare.modelfile import load
from dedup_middleware.errors import DedupError, SettingError
from dedup_middleware.settings import flag, ranged

from .detector import Detector
from .sayings import Sayings

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from dedup_middleware.compare.model import Model

    from .detector import Match
    from .document import Document
    from .sayings import Words


@dataclass
class SentenceDetector(Detector):
    """Compares documents by the share of their refined sentences that the other one has too.

    Which sentences are the same, each method says. The known sentences are in memory. Of the
    documents that have any of a document's, the best `max_candidates` are given.
    """

    model: str = field(
        default="",
        metadata={
            "help": "File with a model of words that `scrapy dedup train` has made; none if empty.",
            "choices": (),
            "optional": True,
        },
    )
    numbers: bool = flag(False, "Whether numbers count as words of sentences.")
    max_candidates: int = ranged(256, "Documents that are given for a document.", 1, 1_000_000)

    def __post_init__(self) -> None:
        self._sayings = Sayings()
        self._model: Model | None = None
        try:
            self._model = load(self.model) if self.model else None
        except DedupError as error:
            raise SettingError(f"Option 'model' of the detector: {error}") from error

    def add(self, document: Document) -> None:
        sentences = self._sentences(document)
        self._index(self._sayings.add(document.name, sentences), sentences)

    def candidates(self, document: Document) -> list[Match]:
        sentences = self._sentences(document)
        partners = self._partners(list(dict.fromkeys(sentences)))
        return self._sayings.matches(sentences, partners, self.max_candidates)

    def _sentences(self, document: Document) -> list[Words]:
        found = document.sentences if self.numbers else document.lettered_sentences
        return [sentence.words for sentence in found]

    @abstractmethod
    def _index(self, new: list[int], sentences: list[Words]) -> None:
        """Enter sentences that were not known, given by number, and count all of a document."""

    @abstractmethod
    def _partners(self, sentences: list[Words]) -> Mapping[Words, Collection[int]]:
        """Tell for distinct sentences, by number, which known ones say the same."""
