"""A web of a few hundred pages about which the truth is known, served by this machine."""

from .manifest import Manifest, Relation, Truth, manifest_of
from .model import Sheet, Version, Web
from .plan import PAGES, build
from .scoring import Score, score
from .server import Server

__all__ = [
    "PAGES",
    "Manifest",
    "Relation",
    "Score",
    "Server",
    "Sheet",
    "Truth",
    "Version",
    "Web",
    "build",
    "manifest_of",
    "score",
]
