"""HTML → Outline: the semantic hierarchy of a page, main text separated from boilerplate."""

from __future__ import annotations

from .outline import KINDS, Identity, Node, Outline
from .reader import UnreadablePage, read

__all__ = ["KINDS", "Identity", "Node", "Outline", "UnreadablePage", "read"]
