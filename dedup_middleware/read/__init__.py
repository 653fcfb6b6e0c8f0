"""HTML → Outline: the semantic hierarchy of a page, its main text told from its boilerplate."""

from __future__ import annotations

from .outline import KINDS, Node, Outline
from .reader import UnreadablePage, read

__all__ = ["KINDS", "Node", "Outline", "UnreadablePage", "read"]
