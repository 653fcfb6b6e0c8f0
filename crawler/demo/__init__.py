"""A demo web of a few hundred pages, served on this machine, with known duplicates."""

from .builder import PAGES, build
from .scoring import Score, score
from .server import Server
from .texts import NotEnoughText
from .web import Manifest, Relation, Resource, Truth, Version, Web, manifest_of

__all__ = [
    "PAGES",
    "Manifest",
    "NotEnoughText",
    "Relation",
    "Resource",
    "Score",
    "Server",
    "Truth",
    "Version",
    "Web",
    "build",
    "manifest_of",
    "score",
]
