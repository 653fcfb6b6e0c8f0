"""What all peers have in common."""

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
    """A peer that is not there: unknown, or not installed."""


@dataclass
class Peer(Method):
    """A library whose index decides by itself what is alike, at the threshold it was built for.

    So another threshold takes another index; `sample` is what all of them share of a document.
    What the index finds is near; the score says which of several finds is best.
    """

    label: ClassVar[str]
    package: ClassVar[str] = ""
    """What must be installed; empty if nothing must be."""
    about: ClassVar[str]
    """What it is fed and what its default is, for the report."""
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
        """Give the version of the library; empty where it is ours."""
        try:
            return version(cls.package) if cls.package else ""
        except PackageNotFoundError:  # found on the path, but never installed
            return "of unknown version"

    @abstractmethod
    def sample(self, document: Document) -> Any:
        """Make of a document what the index is given, whatever the threshold is."""

    @abstractmethod
    def insert(self, name: str, sample: Any) -> None:
        """Make a sample known."""

    @abstractmethod
    def query(self, sample: Any) -> list[Match]:
        """Give what the index takes for a duplicate."""

    def add(self, document: Document) -> None:
        self.insert(document.name, self.sample(document))

    def candidates(self, document: Document) -> list[Match]:
        return self.query(self.sample(document))

    def kind(self, match: Match) -> Kind | None:  # noqa: ARG002 - the index has decided
        return Kind.NEAR


def scored(name: str, score: float) -> Match:
    """Make a match of a score without direction."""
    return Match(name, score, score)
