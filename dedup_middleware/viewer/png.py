"""Drawings as PNG, painted with Pillow."""

from __future__ import annotations

import io
from functools import cache
from typing import TYPE_CHECKING

from dedup_middleware.errors import DedupError
from dedup_middleware.text import clean

from .drawing import PALETTE, Circle, Curve, Line, Rect, Text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL import Image, ImageDraw, ImageFont

    from .drawing import Drawing, Shape

    Font = ImageFont.FreeTypeFont | ImageFont.ImageFont
    Colour = tuple[int, int, int, int]
    Point = tuple[float, float]

_OVERSAMPLING = 3  # scaled down afterwards, for smooth edges
_BAND = 256  # pixel rows that are painted at once: a tall picture would fill memory
_STEPS = 48  # of a curve
_REGULAR = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "LiberationSans-Regular.ttf")
_BOLD = ("DejaVuSans-Bold.ttf", "NotoSans-Bold.ttf", "LiberationSans-Bold.ttf")
_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}


def to_png(drawing: Drawing, scale: float = 2) -> bytes:
    """Paint a drawing with so many pixels to a unit."""
    try:
        from PIL import Image
    except ImportError as error:
        raise DedupError("PNG pictures need Pillow: pip install 'scrapy-dedup[report]'") from error
    width, height = round(drawing.width * scale), round(drawing.height * scale)
    picture = Image.new("RGB", (width, height), PALETTE["paper"])
    for top in range(0, height, _BAND):
        picture.paste(_band(drawing, scale, top, min(_BAND, height - top)), (0, top))
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=True)
    return out.getvalue()


def _band(drawing: Drawing, scale: float, top: int, height: int) -> Image.Image:
    from PIL import Image, ImageDraw

    size = (round(drawing.width * scale) * _OVERSAMPLING, height * _OVERSAMPLING)
    image = Image.new("RGB", size, PALETTE["paper"])
    brush = _Brush(ImageDraw.Draw(image, "RGBA"), image, scale * _OVERSAMPLING, top / scale)
    bottom = (top + height) / scale
    for shape in drawing.shapes:
        low, high = _extent(shape)
        if high >= top / scale and low <= bottom:
            brush.paint(shape)
    return image.reduce(_OVERSAMPLING)


def _extent(shape: Shape) -> tuple[float, float]:
    """Return the highest and the lowest y that a shape can reach."""
    match shape:
        case Rect(y=y, height=height):
            low, high = y, y + height
        case Circle(y=y, radius=radius):
            low, high = y - radius, y + radius
        case Line(y1=y1, y2=y2) | Curve(y1=y1, y2=y2):
            low, high = min(y1, y2), max(y1, y2)
        case Text(y=y, text=text, size=size, upward=upward):
            reach = size * (len(text) if upward else 1)
            low, high = y - 2 * reach, y + 2 * reach
        case _:
            raise TypeError(f"can't paint a {type(shape).__name__}")
    return low - shape.stroke_width, high + shape.stroke_width


class _Brush:
    def __init__(
        self, draw: ImageDraw.ImageDraw, image: Image.Image, scale: float, top: float
    ) -> None:
        self._draw = draw
        self._image = image
        self._scale = scale
        self._top = top

    def paint(self, shape: Shape) -> None:
        match shape:
            case Rect():
                self._rect(shape)
            case Circle():
                self._circle(shape)
            case Line(x1=x1, y1=y1, x2=x2, y2=y2):
                ends = [self._point(x1, y1), self._point(x2, y2)]
                self._draw.line(ends, _colour(shape.stroke, shape.opacity), self._width(shape))
            case Curve():
                outline = [self._point(x, y) for x, y in _outline(shape)]
                self._draw.polygon(outline, _colour(shape.stroke, shape.opacity))
            case Text():
                self._text(shape)

    def _rect(self, shape: Rect) -> None:
        left, top = self._point(shape.x, shape.y)
        right, bottom = self._point(shape.x + shape.width, shape.y + shape.height)
        half = self._width(shape) / 2 if shape.stroke else 0
        box = (left - half, top - half, max(left, right + half - 1), max(top, bottom + half - 1))
        self._draw.rounded_rectangle(
            box,
            shape.radius * self._scale,
            _colour(shape.fill, shape.opacity),
            _colour(shape.stroke, shape.opacity),
            self._width(shape) if shape.stroke else 0,
        )

    def _circle(self, shape: Circle) -> None:
        x, y = self._point(shape.x, shape.y)
        reach = shape.radius * self._scale + (self._width(shape) / 2 if shape.stroke else 0)
        self._draw.ellipse(
            (x - reach, y - reach, x + reach, y + reach),
            _colour(shape.fill, shape.opacity),
            _colour(shape.stroke, shape.opacity),
            self._width(shape) if shape.stroke else 0,
        )

    def _text(self, shape: Text) -> None:
        from PIL import Image, ImageDraw

        text = clean(shape.text)
        font = _font(round(shape.size * self._scale), shape.bold)
        colour = _colour(shape.fill, shape.opacity)
        x, y = self._point(shape.x, shape.y)
        if not shape.upward:
            self._draw.text((x, y), text, colour, font, _ANCHORS[shape.anchor])
            return
        left, top, right, bottom = map(round, font.getbbox(text, anchor=_ANCHORS[shape.anchor]))
        mask = Image.new("L", (max(1, right - left), max(1, bottom - top)))
        ImageDraw.Draw(mask).text((-left, -top), text, 255, font, _ANCHORS[shape.anchor])
        corner = (round(x) + top, round(y) - right)
        self._image.paste(
            colour or PALETTE["ink"], corner, mask.transpose(Image.Transpose.ROTATE_90)
        )

    def _point(self, x: float, y: float) -> Point:
        return x * self._scale, (y - self._top) * self._scale

    def _width(self, shape: Shape) -> int:
        return max(1, round(shape.stroke_width * self._scale))


def _outline(curve: Curve) -> list[Point]:
    """Return the outline of a curve: overlapping strokes would darken each other."""
    upper, lower = [], []
    half = curve.stroke_width / 2
    for (x, y), (dx, dy) in _points(curve):
        length = (dx * dx + dy * dy) ** 0.5 or 1.0
        across = half * dy / length, half * dx / length
        upper.append((x + across[0], y - across[1]))
        lower.append((x - across[0], y + across[1]))
    return upper + lower[::-1]


def _points(curve: Curve) -> Iterator[tuple[Point, Point]]:
    """Yield points of a curve, each with its direction there."""
    wide, high = curve.x2 - curve.x1, curve.y2 - curve.y1
    for step in range(_STEPS + 1):
        t = step / _STEPS
        u = 1 - t
        x = 1.5 * u * u * t + 1.5 * u * t * t + t**3
        y = 3 * u * t * t + t**3
        slope = 1.5 * (u * u + t * t), 6 * u * t
        yield (curve.x1 + wide * x, curve.y1 + high * y), (wide * slope[0], high * slope[1])


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
