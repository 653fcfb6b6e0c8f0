"""Drawing → SVG: stands alone, or in a page that sets its colours by class."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from .drawing import PALETTE, Circle, Curve, Line, Rect, Text
from .lettering import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .drawing import Drawing, Shape

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
    name, place = _geometry(shape)
    attributes = {**place, **dict(_look(shape))}
    attributes |= {f"data-{key}": clean(str(value)) for key, value in shape.data.items()}
    title = f"<title>{escape(clean(shape.label))}</title>" if shape.label else ""
    text = escape(clean(shape.text)) if isinstance(shape, Text) else ""
    return f"<{name}{_attributes(attributes)}>{title}{text}</{name}>"


def _geometry(shape: Shape) -> tuple[str, dict[str, str]]:
    match shape:
        case Rect(x=x, y=y, width=width, height=height, radius=radius):
            box = {"x": x, "y": y, "width": width, "height": height}
            return "rect", _numbers(box | ({"rx": radius} if radius else {}))
        case Circle(x=x, y=y, radius=radius):
            return "circle", _numbers({"cx": x, "cy": y, "r": radius})
        case Line(x1=x1, y1=y1, x2=x2, y2=y2):
            return "line", _numbers({"x1": x1, "y1": y1, "x2": x2, "y2": y2})
        case Curve(x1=x1, y1=y1, x2=x2, y2=y2):
            middle = _number((x1 + x2) / 2)
            start, end = _number(y1), _number(y2)
            way = f"M{_number(x1)} {start}C{middle} {start} {middle} {end} {_number(x2)} {end}"
            return "path", {"d": way}
        case Text():
            return "text", _lettering(shape)
        case _:
            raise TypeError(f"can't write a {type(shape).__name__} as SVG")


def _lettering(text: Text) -> dict[str, str]:
    found = _numbers({"x": text.x, "y": text.y, "font-size": text.size})
    if text.anchor != "start":
        found["text-anchor"] = text.anchor
    if text.bold:
        found["font-weight"] = "600"
    if text.upward:
        found["transform"] = f"rotate(-90 {_number(text.x)} {_number(text.y)})"
    return found


def _look(shape: Shape) -> Iterator[tuple[str, str]]:
    yield "fill", PALETTE[shape.fill] if shape.fill else "none"
    if shape.stroke:
        yield "stroke", PALETTE[shape.stroke]
        yield "stroke-width", _number(shape.stroke_width)
    if shape.opacity < 1:
        yield "opacity", _number(shape.opacity)
    classes = [f"{use}-{name}" for use, name in _uses(shape) if name]
    if classes:
        yield "class", " ".join(classes)


def _uses(shape: Shape) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("fill", shape.fill), ("stroke", shape.stroke)


def _attributes(values: dict[str, str]) -> str:
    return "".join(f' {name}="{escape(value)}"' for name, value in values.items())


def _numbers(values: dict[str, float]) -> dict[str, str]:
    return {name: _number(value) for name, value in values.items()}


def _number(value: float) -> str:
    return f"{value:.6g}"
