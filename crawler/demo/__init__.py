"""A demo web of a few hundred pages, served on this machine, with known duplicates."""

from .builder import PAGES, build
from .requests import RequestScore, pages_shown, score_requests
from .scoring import Score, score
from .server import Server
from .texts import NotEnoughText
from .web import Manifest, Relation, Resource, Truth, Version, Web, manifest_of

__all__ = [
    "PAGES",
    "Manifest",
    "NotEnoughText",
    "Relation",
    "RequestScore",
    "Resource",
    "Score",
    "Server",
    "Truth",
    "Version",
    "Web",
    "build",
    "manifest_of",
    "pages_shown",
    "score",
    "score_requests",
]
