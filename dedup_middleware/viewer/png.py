"""Drawings as PNG, painted with Pillow."""

from __future__ import annotations

import io
from functools import cache
from itertools import pairwise
from math import hypot
from typing import TYPE_CHECKING

from dedup_middleware.errors import DedupError
from dedup_middleware.text import clean

from .drawing import PALETTE, Circle, Curve, Rect, Text

if TYPE_CHECKING:
    from PIL import Image, ImageFont

    from .drawing import Drawing, Shape

    Font = ImageFont.FreeTypeFont | ImageFont.ImageFont
    Colour = tuple[int, int, int, int]

_OVERSAMPLING = 2  # scaled down afterwards, for smooth edges
_STEPS = 48  # of a curve
_REGULAR = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "LiberationSans-Regular.ttf")
_BOLD = ("DejaVuSans-Bold.ttf", "NotoSans-Bold.ttf", "LiberationSans-Bold.ttf")
_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}


def to_png(*drawings: Drawing, scale: float = 2) -> bytes:
    """Paint drawings, one below the other, with so many pixels to a unit."""
    try:
        from PIL import Image
    except ImportError as error:
        raise DedupError("PNG pictures need Pillow: pip install 'scrapy-dedup[report]'") from error
    painted = [_painted(drawing, scale) for drawing in drawings]
    size = max(one.width for one in painted), sum(one.height for one in painted)
    picture, top = Image.new("RGB", size, PALETTE["paper"]), 0
    for one in painted:
        picture.paste(one, (0, top))
        top += one.height
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=True)
    return out.getvalue()


def _painted(drawing: Drawing, scale: float) -> Image.Image:
    from PIL import Image

    width, height = round(drawing.width * scale), round(drawing.height * scale)
    size = (width * _OVERSAMPLING, height * _OVERSAMPLING)
    brush = _Brush(Image.new("RGB", size, PALETTE["paper"]), scale * _OVERSAMPLING)
    for shape in drawing.shapes:
        brush.paint(shape)
    return brush.image.reduce(_OVERSAMPLING)


class _Brush:
    def __init__(self, image: Image.Image, scale: float) -> None:
        from PIL import ImageDraw

        self.image = image
        self._draw = ImageDraw.Draw(image, "RGBA")
        self._scale = scale

    def paint(self, shape: Shape) -> None:
        stroke = max(1, round(shape.stroke_width * self._scale)) if shape.stroke else 0
        colours = _colour(shape.fill, shape.opacity), _colour(shape.stroke, shape.opacity)
        match shape:
            case Rect(x=x, y=y, width=width, height=height):
                box = self._box(x, y, x + width, y + height, stroke / 2)
                self._draw.rectangle(box, *colours, stroke)
            case Circle(x=x, y=y, radius=radius):
                box = self._box(x - radius, y - radius, x + radius, y + radius, stroke / 2)
                self._draw.ellipse(box, *colours, stroke)
            case Curve():
                self._draw.polygon(self._band(shape), colours[1])
            case Text():
                self._text(shape)

    def _box(
        self, left: float, top: float, right: float, bottom: float, half: float
    ) -> tuple[float, float, float, float]:
        """Return a box in pixels, with the outer half of its stroke."""
        left, top, right, bottom = (self._scale * side for side in (left, top, right, bottom))
        return left - half, top - half, max(left, right + half - 1), max(top, bottom + half - 1)

    def _band(self, curve: Curve) -> list[tuple[float, float]]:
        """Return a curve as an area: strokes that overlap would darken each other."""
        points = []
        for step in range(_STEPS + 1):
            t = step / _STEPS
            u = 1 - t
            x = curve.x1 + (curve.x2 - curve.x1) * (1.5 * u * t + t**3)
            y = curve.y1 + (curve.y2 - curve.y1) * (3 * u * t * t + t**3)
            points.append((x * self._scale, y * self._scale))
        points.append((points[-1][0] + 1, points[-1][1]))  # it ends horizontally
        upper, lower = [], []
        for (x, y), (next_x, next_y) in pairwise(points):
            part = curve.stroke_width * self._scale / 2 / hypot(next_x - x, next_y - y)
            across = part * (next_y - y), part * (next_x - x)
            upper.append((x + across[0], y - across[1]))
            lower.append((x - across[0], y + across[1]))
        return upper + lower[::-1]

    def _text(self, shape: Text) -> None:
        from PIL import Image, ImageDraw

        text = clean(shape.text)
        font = _font(round(shape.size * self._scale), shape.bold)
        colour = _colour(shape.fill, shape.opacity)
        x, y = shape.x * self._scale, shape.y * self._scale
        if not shape.upward:
            self._draw.text((x, y), text, colour, font, _ANCHORS[shape.anchor])
            return
        left, top, right, bottom = map(round, font.getbbox(text, anchor=_ANCHORS[shape.anchor]))
        mask = Image.new("L", (max(1, right - left), max(1, bottom - top)))
        ImageDraw.Draw(mask).text((-left, -top), text, 255, font, _ANCHORS[shape.anchor])
        corner = (round(x) + top, round(y) - right)
        self.image.paste(
            colour or PALETTE["ink"], corner, mask.transpose(Image.Transpose.ROTATE_90)
        )


def _colour(name: str, opacity: float) -> Colour | None:
    if not name:
        return None
    red, green, blue = bytes.fromhex(PALETTE[name][1:])
    return red, green, blue, round(255 * opacity)


@cache
def _font(size: int, bold: bool) -> Font:
    from PIL import ImageFont

    for file in _BOLD if bold else _REGULAR:
        try:
            return ImageFont.truetype(file, size)
        except OSError:  # not on this machine
            continue
    return ImageFont.load_default(size)
