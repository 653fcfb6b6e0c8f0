"""Pictures as values: shapes, the width of their text, SVG, and PNG painted with Pillow."""

from __future__ import annotations

import io
import unicodedata
from dataclasses import dataclass, field
from functools import cache
from html import escape
from typing import TYPE_CHECKING

from dedup_middleware.errors import DedupError
from dedup_middleware.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from PIL import Image, ImageFont

    Font = ImageFont.FreeTypeFont | ImageFont.ImageFont
    Colour = tuple[int, int, int, int]


# Safe for all kinds of colour vision (after Okabe and Ito); each name is also a class in the SVG,
# so that a page can set other colours for dark mode.
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
    """A text that browsers show on hover, and screen readers read out."""
    data: Mapping[str, str | int] = field(default_factory=dict)
    """Values for scripts, written as `data-…` attributes."""


@dataclass(frozen=True, slots=True)
class Rect(Shape):
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Circle(Shape):
    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class Curve(Shape):
    """A band that starts and ends horizontally."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, slots=True)
class Text(Shape):
    """One line of text; x and y are the start, centre or end of its base line."""

    x: float
    y: float
    text: str
    size: float = 13.0
    anchor: str = "start"
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Drawing:
    title: str
    width: float
    height: float
    shapes: tuple[Shape, ...]
    caption: str = ""


_ELLIPSIS = "…"
_MOST_LETTERS = 4  # an em; combining marks have no width, and there may be any number of them
_NARROW, _PLAIN, _CAPITAL, _BROAD, _SQUARE = 0.36, 0.6, 0.7, 0.95, 1.05
_WIDTHS = {
    **dict.fromkeys(" iljtfrI.,:;'|!()[]{}’‘·-/", _NARROW),
    **dict.fromkeys("mwMW@%—…", _BROAD),
}


def line(x1: float, y1: float, x2: float, y2: float) -> Rect:
    """Return a thin line, across or down."""
    return Rect(x1 - 0.5, y1 - 0.5, x2 - x1 + 1, y2 - y1 + 1, fill="faint")


def text_width(text: str, size: float) -> float:
    """Estimate the width of a text in a common sans serif; rather too wide than too narrow."""
    return size * sum(map(_letter_width, text))


def truncate(text: str, width: float, size: float) -> str:
    """Cut a text at its end to a width.

    >>> truncate("A long sentence about nothing", 100, 12)
    'A long senten…'
    """
    most = int(_MOST_LETTERS * width / size)
    text = clean(text[: 2 * most + 1])
    room = width - size * _letter_width(_ELLIPSIS)
    used = 0.0
    end = 0
    for at, letter in enumerate(text):
        used += size * _letter_width(letter)
        if used <= room:
            end = at + 1
        if used > width or at >= most:
            return text[:end].rstrip() + _ELLIPSIS
    return text


def truncate_name(name: str, width: float, size: float) -> str:
    """Cut the middle out of a URL or file name: pages of a site may differ at either end."""
    name = clean(name)
    if text_width(name, size) <= width:
        return name
    head = truncate(name, width / 2, size)
    tail = truncate(name[: -len(head) - 1 : -1], width / 2, size)
    return head + tail[-2::-1]


def _letter_width(letter: str) -> float:
    if letter in _WIDTHS:
        return _WIDTHS[letter]
    if letter.isascii():
        return _CAPITAL if letter.isupper() else _PLAIN
    if unicodedata.category(letter) in {"Mn", "Me", "Cf"}:
        return 0.0
    if unicodedata.east_asian_width(letter) in {"W", "F"}:
        return _SQUARE
    return _CAPITAL


_FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"


def to_svg(drawing: Drawing) -> str:
    """Write a drawing as an SVG element without scripts or styles."""
    width, height = _number(drawing.width), _number(drawing.height)
    root = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": f"0 0 {width} {height}",
        "width": width,
        "height": height,
        "role": "group",
        "aria-label": clean(drawing.title),
        "font-family": _FONTS,
    }
    paper = Rect(0, 0, drawing.width, drawing.height, fill="paper")
    elements = map(_element, (paper, *drawing.shapes))
    return f"<svg{_attributes(root)}>{''.join(elements)}</svg>"


def _element(shape: Shape) -> str:
    name, geometry = _geometry(shape)
    attributes = {**geometry, **dict(_paint(shape))}
    attributes |= {f"data-{key}": clean(str(value)) for key, value in shape.data.items()}
    title = f"<title>{escape(clean(shape.label))}</title>" if shape.label else ""
    text = escape(clean(shape.text)) if isinstance(shape, Text) else ""
    return f"<{name}{_attributes(attributes)}>{title}{text}</{name}>"


def _geometry(shape: Shape) -> tuple[str, dict[str, str]]:
    match shape:
        case Rect(x=x, y=y, width=width, height=height):
            return "rect", _numbers({"x": x, "y": y, "width": width, "height": height})
        case Circle(x=x, y=y, radius=radius):
            return "circle", _numbers({"cx": x, "cy": y, "r": radius})
        case Curve(x1=x1, y1=y1, x2=x2, y2=y2):
            middle = _number((x1 + x2) / 2)
            start, end = _number(y1), _number(y2)
            path = f"M{_number(x1)} {start}C{middle} {start} {middle} {end} {_number(x2)} {end}"
            return "path", {"d": path}
        case Text():
            return "text", _text_attributes(shape)
        case _:
            raise TypeError(f"can't write a {type(shape).__name__} as SVG")


def _text_attributes(text: Text) -> dict[str, str]:
    attributes = _numbers({"x": text.x, "y": text.y, "font-size": text.size})
    if text.anchor != "start":
        attributes["text-anchor"] = text.anchor
    if text.bold:
        attributes["font-weight"] = "600"
    return attributes


def _paint(shape: Shape) -> Iterator[tuple[str, str]]:
    yield "fill", PALETTE[shape.fill] if shape.fill else "none"
    if shape.stroke:
        yield "stroke", PALETTE[shape.stroke]
        yield "stroke-width", _number(shape.stroke_width)
    if shape.opacity < 1:
        yield "opacity", _number(shape.opacity)
    colours = ("fill", shape.fill), ("stroke", shape.stroke)
    classes = [f"{use}-{name}" for use, name in colours if name]
    if classes:
        yield "class", " ".join(classes)


def _attributes(values: dict[str, str]) -> str:
    return "".join(f' {name}="{escape(value)}"' for name, value in values.items())


def _numbers(values: dict[str, float]) -> dict[str, str]:
    return {name: _number(value) for name, value in values.items()}


def _number(value: float) -> str:
    return f"{value:.6g}"


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
                # not see-through: its parts would darken each other where they overlap
                colour = _blended(shape.stroke, shape.opacity)
                self._draw.line(self._points(shape), colour, stroke, "curve")
            case Text():
                self._text(shape)

    def _box(
        self, left: float, top: float, right: float, bottom: float, half: float
    ) -> tuple[float, float, float, float]:
        """Return a box in pixels, with the outer half of its stroke."""
        left, top, right, bottom = (self._scale * side for side in (left, top, right, bottom))
        return left - half, top - half, max(left, right + half - 1), max(top, bottom + half - 1)

    def _points(self, curve: Curve) -> list[tuple[float, float]]:
        points = []
        for step in range(_STEPS + 1):
            t = step / _STEPS
            u = 1 - t
            x = curve.x1 + (curve.x2 - curve.x1) * (1.5 * u * t + t**3)
            y = curve.y1 + (curve.y2 - curve.y1) * (3 * u * t * t + t**3)
            points.append((x * self._scale, y * self._scale))
        return points

    def _text(self, shape: Text) -> None:
        font = _font(round(shape.size * self._scale), shape.bold)
        place = shape.x * self._scale, shape.y * self._scale
        colour = _colour(shape.fill, shape.opacity)
        self._draw.text(place, clean(shape.text), colour, font, _ANCHORS[shape.anchor])


def _colour(name: str, opacity: float) -> Colour | None:
    if not name:
        return None
    red, green, blue = bytes.fromhex(PALETTE[name][1:])
    return red, green, blue, round(255 * opacity)


def _blended(name: str, opacity: float) -> Colour:
    """Return the colour that one with an opacity has on paper."""
    red, green, blue = (
        round(255 - (255 - one) * opacity) for one in bytes.fromhex(PALETTE[name][1:])
    )
    return red, green, blue, 255


@cache
def _font(size: int, bold: bool) -> Font:
    from PIL import ImageFont

    for file in _BOLD if bold else _REGULAR:
        try:
            return ImageFont.truetype(file, size)
        except OSError:  # not on this machine
            continue
    return ImageFont.load_default(size)
