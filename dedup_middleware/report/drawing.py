"""A picture as values: a few shapes that can be written as SVG or painted as PNG."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# Safe for all kinds of colour vision (after Okabe and Ito), and each name is a class of the SVG,
# so that a page can set other colours for dark rooms.
PALETTE = {
    "paper": "#ffffff",
    "ink": "#1d2330",
    "muted": "#5f6878",
    "faint": "#dde1e8",
    "same": "#0072b2",
    "reworded": "#b65200",
    "only": "#97205c",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What all shapes have; colours are names of the palette, or empty for none."""

    fill: str = ""
    stroke: str = ""
    stroke_width: float = 1.0
    opacity: float = 1.0
    label: str = ""
    """Shown when pointed at, and read out."""
    data: Mapping[str, str | int] = field(default_factory=dict)
    """For scripts, as `data-…` attributes."""


@dataclass(frozen=True, slots=True)
class Rect(Shape):
    x: float
    y: float
    width: float
    height: float
    radius: float = 0.0


@dataclass(frozen=True, slots=True)
class Circle(Shape):
    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class Line(Shape):
    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, slots=True)
class Curve(Shape):
    """A band that leaves and arrives level."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, slots=True)
class Text(Shape):
    """One line of text; x and y are where its base line starts, is centred, or ends."""

    x: float
    y: float
    text: str
    size: float = 13.0
    anchor: str = "start"
    bold: bool = False
    upward: bool = False


@dataclass(frozen=True, slots=True)
class Drawing:
    title: str
    width: float
    height: float
    shapes: tuple[Shape, ...]


def stacked(title: str, *drawings: Drawing) -> Drawing:
    """Put drawings one below the other."""
    shapes: list[Shape] = []
    height = 0.0
    for drawing in drawings:
        shapes += (_lowered(shape, height) for shape in drawing.shapes)
        height += drawing.height
    return Drawing(title, max(drawing.width for drawing in drawings), height, tuple(shapes))


def _lowered(shape: Shape, down: float) -> Shape:
    heights = {name: getattr(shape, name) for name in ("y", "y1", "y2") if hasattr(shape, name)}
    return replace(shape, **{name: value + down for name, value in heights.items()})
