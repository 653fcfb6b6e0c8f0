"""The base of all peers."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar

from dedup_middleware.methods import Match, Method
from dedup_middleware.verdict import Kind

if TYPE_CHECKING:
    from dedup_middleware.methods import Document


class MissingPeer(Exception):
    """A peer that is unknown or not installed."""


@dataclass
class Peer(Method):
    """A library whose index decides by itself what is alike, at the threshold it was built for.

    So another threshold takes another index; the `sample` of a document fits all of them. What the
    index finds is near; the score says which of several finds is best.
    """

    label: ClassVar[str]
    package: ClassVar[str] = ""
    """What must be installed; empty if nothing must be."""
    about: ClassVar[str]
    """What its input and its default are, for the report."""
    knob: ClassVar[str] = "threshold"
    """What the library calls its threshold."""
    grid: ClassVar[tuple[float, ...]]
    """The thresholds that are tried, the strictest last."""

    @classmethod
    def check(cls) -> None:
        """Raise MissingPeer unless the library is installed."""
        if cls.package and find_spec(cls.package) is None:
            raise MissingPeer(
                f"{cls.label} is not installed: pip install {cls.package}, "
                "or all peers with pip install '.[peers]'"
            )

    @classmethod
    def release(cls) -> str:
        """Return the version of the library; empty if it is our own code."""
        try:
            return version(cls.package) if cls.package else ""
        except PackageNotFoundError:  # found on the path, but never installed
            return "of unknown version"

    @abstractmethod
    def sample(self, document: Document) -> Any:
        """Return what the index takes of a document, whatever the threshold is."""

    @abstractmethod
    def insert(self, name: str, sample: Any) -> None:
        """Add a sample to the index."""

    @abstractmethod
    def query(self, sample: Any) -> list[Match]:
        """Return what the index takes for duplicates."""

    def add(self, document: Document) -> None:
        self.insert(document.name, self.sample(document))

    def candidates(self, document: Document) -> list[Match]:
        return self.query(self.sample(document))

    def kind(self, match: Match) -> Kind | None:  # noqa: ARG002 - the index has decided
        return Kind.NEAR


def scored(name: str, score: float) -> Match:
    """Return a match for a symmetric score."""
    return Match(name, score, score)
