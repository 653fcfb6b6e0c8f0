"""Canvases of a picture: SVG for pages, and PNG, which Pillow paints."""

from __future__ import annotations

import io
from contextlib import suppress
from html import escape
from typing import Any

from dedup_middleware.errors import DedupError
from dedup_middleware.text import clean

# Safe for all kinds of colour vision (after Okabe and Ito); each name is also a class in the SVG,
# so that a page can set other colours for dark mode.
PALETTE = {
    "paper": "#ffffff",
    "ink": "#1d2330",
    "muted": "#5f6878",
    "faint": "#dde1e8",
    "same": "#0072b2",
    "reworded": "#b65200",
}
_FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
_FILES = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "LiberationSans-Regular.ttf")
_SIZE, _STROKE = 12, 1.5  # of letters and lines
_OVERSAMPLING = 2  # scaled down afterwards, for smooth edges
_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}


class Svg:
    """A picture as an SVG element without scripts or styles; colours are names of the palette."""

    def __init__(self, width: float, height: float, title: str) -> None:
        root = {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {width:.6g} {height:.6g}",
            "width": width,
            "height": height,
            "role": "group",
            "aria-label": clean(title),
            "font-family": _FONTS,
        }
        self._parts = [f"<svg{_attributes(root)}>"]
        self.rect(0, 0, width, height, fill="paper")

    def rect(
        self, x: float, y: float, width: float, height: float, *, fill: str = "", stroke: str = ""
    ) -> None:
        place = {"x": x, "y": y, "width": width, "height": height}
        self._add("rect", place, fill, stroke)

    def circle(
        self,
        x: float,
        y: float,
        radius: float,
        *,
        fill: str = "",
        stroke: str = "",
        label: str = "",
        **data: int,
    ) -> None:
        """Draw a circle; a label is shown on hover and read out, `data` is for scripts."""
        place = {"cx": x, "cy": y, "r": radius}
        place |= {f"data-{name}": value for name, value in data.items()}
        title = f"<title>{escape(clean(label))}</title>" if label else ""
        self._add("circle", place, fill, stroke, title)

    def text(self, x: float, y: float, text: str, *, fill: str, anchor: str = "start") -> None:
        """Write one line; x and y are the start, centre or end of its base line."""
        place = {"x": x, "y": y, "font-size": _SIZE, "text-anchor": anchor}
        self._add("text", place, fill, "", escape(clean(text)))

    def _add(
        self, name: str, place: dict[str, Any], fill: str, stroke: str, content: str = ""
    ) -> None:
        colours = {"fill": PALETTE.get(fill, "none")}
        if stroke:
            colours |= {"stroke": PALETTE[stroke], "stroke-width": f"{_STROKE}"}
        classes = [f"{use}-{one}" for use, one in (("fill", fill), ("stroke", stroke)) if one]
        attributes = _attributes({**place, **colours, "class": " ".join(classes)})
        self._parts.append(f"<{name}{attributes}>{content}</{name}>")

    def __str__(self) -> str:
        return "".join((*self._parts, "</svg>"))


def _attributes(values: dict[str, Any]) -> str:
    texts = {name: one if isinstance(one, str) else f"{one:.6g}" for name, one in values.items()}
    return "".join(f' {name}="{escape(text)}"' for name, text in texts.items())


class Png:
    """The same picture as PNG, with so many pixels to a unit."""

    def __init__(self, width: float, height: float, scale: float = 2) -> None:
        try:
            from PIL import Image, ImageDraw
        except ImportError as error:
            raise DedupError(
                "PNG pictures need Pillow: pip install 'scrapy-dedup[report]'"
            ) from error
        self._unit = scale * _OVERSAMPLING
        pixels = round(width * scale) * _OVERSAMPLING, round(height * scale) * _OVERSAMPLING
        self._image = Image.new("RGB", pixels, PALETTE["paper"])
        self._draw = ImageDraw.Draw(self._image)
        self._font = _font(_SIZE * self._unit)

    def rect(
        self, x: float, y: float, width: float, height: float, *, fill: str = "", stroke: str = ""
    ) -> None:
        box = self._box((x, y, x + width, y + height), stroke)
        self._draw.rectangle(box, *self._paint(fill, stroke))

    def circle(
        self, x: float, y: float, radius: float, *, fill: str = "", stroke: str = "", **_: object
    ) -> None:
        box = self._box((x - radius, y - radius, x + radius, y + radius), stroke)
        self._draw.ellipse(box, *self._paint(fill, stroke))

    def text(self, x: float, y: float, text: str, *, fill: str, anchor: str = "start") -> None:
        place = x * self._unit, y * self._unit
        self._draw.text(place, clean(text), PALETTE[fill], self._font, _ANCHORS[anchor])

    def _box(
        self, sides: tuple[float, float, float, float], stroke: str
    ) -> tuple[float, float, float, float]:
        """Return a box in pixels, with the outer half of its stroke."""
        left, top, right, bottom = (side * self._unit for side in sides)
        half = _STROKE * self._unit / 2 if stroke else 0
        right, bottom = max(left, right + half - 1), max(top, bottom + half - 1)
        return left - half, top - half, right, bottom

    def _paint(self, fill: str, stroke: str) -> tuple[str | None, str | None, int]:
        return PALETTE.get(fill), PALETTE.get(stroke), round(_STROKE * self._unit)

    def __bytes__(self) -> bytes:
        out = io.BytesIO()
        self._image.reduce(_OVERSAMPLING).save(out, "PNG", optimize=True)
        return out.getvalue()


def _font(size: float) -> Any:
    """Return a font of this machine that has many scripts, or else Pillow's own of Latin ones."""
    from PIL import ImageFont

    for file in _FILES:
        with suppress(OSError):  # it is not on this machine
            return ImageFont.truetype(file, size)
    return ImageFont.load_default(size)
