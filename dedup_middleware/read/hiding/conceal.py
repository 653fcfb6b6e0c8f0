"""What CSS declarations do to text: whether a visitor can see it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .colours import is_clear
from .lengths import EM, least, lengths, most, number, share
from .text import NUMBER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Declarations = Mapping[str, str]

_TINY = 2.0  # pixels
_BLURRED = 8.0
_FAR = 900.0  # pixels outside of the screen
_MOVED_FAR = 5_000.0  # the same by transformation, which sliders use
_TIGHT = 8.0  # pixels between letters, if negative
_ALL = 100.0  # percent that is clipped from two sides together
_FLAT = 0.1  # a scale

_SCALE = re.compile(rf"scale(?:3d|[xy])?\( ?({NUMBER}) ?[,)]")
_TURNED = re.compile(r"rotate[xy]\( ?-?90deg")
_MOVED = re.compile(r"translate[xyz3d]*\([^)]*\)")
_FILTER = re.compile(r"(opacity|blur)\(([^()]*)\)")
_BETWEEN = re.compile(r"[^ ,]+")
_STOP = re.compile(r"transparent|to|left|right|top|bottom|[0-9]+(?:%|deg)?")

_SIZES = ("height", "max-height", "width", "max-width")
_SIDES = ("left", "top", "right", "inset", "inset-inline-start")
_MARGINS = ("margin", "margin-left", "margin-top")
_MASKS = ("mask", "mask-image", "-webkit-mask-image")
_OVERFLOWS = ("overflow", "overflow-x", "overflow-y")
_PADDINGS = ("padding", "padding-bottom", "padding-top")
_GROWTHS = ("min-width", "min-height", "flex", "flex-grow")
_ANIMATIONS = ("animation", "animation-name", "-webkit-animation")
_RELATIVE = ("opacity", "filter", "font-size", "font")
SHORTHANDS = {
    "margin": ("margin-left", "margin-top"),
    "inset": ("left", "top", "right"),
    "font": ("font-size", "line-height"),
    "background": ("background-color", "background-image", "background-clip"),
    "overflow": ("overflow-x", "overflow-y"),
    "mask": ("mask-image",),
}
"""A later shorthand sets these anew."""


def may_hide(found: Declarations) -> bool:
    """Return True if declarations may hide text, with or without the help of others."""
    return any(
        name in _SUSPICIOUS and ("var(" in value or _SUSPICIOUS[name](value))
        for name, value in found.items()
    )


def hides(found: Declarations, tag: str = "") -> bool:
    """Return True if declarations hide all that is inside an element."""
    get = found.get
    fixed = get("position") in ("absolute", "fixed")
    moved = fixed or get("position") == "relative"
    return (
        _is_not_there(get("display", ""))
        or get("content-visibility") == "hidden"
        or _is_shut(found, tag)
        or (moved and any(_is_far(get(name, "")) for name in _SIDES))
        or any(_is_far(_from_left_and_top(get(name, ""))) for name in _MARGINS)
        or (fixed and _is_clipped(get("clip", "")))
        or _is_cut_out(get("clip-path", ""))
        or any(_is_masked(get(name, "")) for name in _MASKS)
        or _is_transformed(get("transform", ""))
        or _is_scaled(get("scale", ""))
        or _is_translated(get("translate", ""))
        or _is_far(get("text-indent", ""))
        or _is_tight(get("letter-spacing", ""))
    )


def _is_shut(found: Declarations, tag: str) -> bool:
    """Return True if an element has next to no size, and cuts off what does not fit."""
    overflows = [found.get(name, "") for name in _OVERFLOWS]
    if not any("hidden" in value or "clip" in value for value in overflows):
        return False
    grows = any(name in found for name in _GROWTHS)
    padded = any(most(found.get(name, "")) > _TINY for name in _PADDINGS)
    if grows or padded or tag in ("td", "th"):
        return False
    line = number(found.get("line-height", ""))
    flat = line is not None and line.number == 0
    return flat or any(_is_small(found.get(name, "")) for name in _SIZES)


def opacity(found: Declarations) -> float:
    """Return how much is seen of an element.

    >>> opacity({"opacity": "30%", "filter": "opacity(.5)"})
    0.15
    """
    if is_animated(found):
        return 1.0
    own = share(found.get("opacity", ""))
    seen = 1.0 if own is None else min(1.0, own)
    for name, value in _FILTER.findall(found.get("filter", "")):
        amount = least(value, percent=0.01)
        if name == "opacity":
            seen *= max(0.0, min(1.0, amount))
        elif amount >= _BLURRED:
            seen = 0.0
    return seen


def is_animated(found: Declarations) -> bool:
    """Return True if what is hidden at first will show."""
    return any(found.get(name, "none") != "none" for name in _ANIMATIONS)


def is_relative(found: Declarations) -> bool:
    """Return True if it depends on the elements around what declarations do."""
    return any(name in found for name in _RELATIVE)


def is_invisible(found: Declarations) -> bool:
    """Return True if text is not painted."""
    return not is_animated(found) and _is_not_painted(found.get("visibility", ""))


def font_size(found: Declarations, around: float) -> float | None:
    """Return the size of letters in pixels, given that of the text around; None if not said."""
    value = found.get("font-size") or found.get("font", "").partition("/")[0]
    sizes = [one for one in lengths(value) if one.unit or not one.number]
    if not sizes or "calc" in value:
        return None
    last = sizes[-1]
    if last.unit == "em":
        return last.number * around
    if last.unit == "%":
        return last.number * around / 100.0
    if last.unit == "rem" and last.number:
        return None  # the size of the root may be anything
    return last.pixels


def is_tiny(size: float) -> bool:
    """Return True if letters of that size can't be read."""
    return size <= _TINY


def text_colour(found: Declarations) -> str:
    """Return the colour of text as it is declared."""
    value = found.get("-webkit-text-fill-color") or found.get("color", "")
    return "" if value in ("inherit", "currentcolor") else value


def ground(found: Declarations) -> str:
    """Return what is declared to be behind the text; empty if nothing is."""
    image = found.get("background-image", "none")
    own = found.get("background-color") or found.get("background", "")
    if image != "none":
        return image
    return "" if own in ("none", "inherit", "initial", "0") or is_clear(own) else own


def is_transparent(found: Declarations) -> bool:
    """Return True if text is, and its ground does not show through the letters."""
    clip = found.get("background-clip", found.get("-webkit-background-clip", ""))
    seen = "text" in clip or "text-shadow" in found
    return not seen and is_clear(text_colour(found))


def _is_not_there(display: str) -> bool:
    return display in ("none", "table-column", "table-column-group")


def _is_not_painted(visibility: str) -> bool:
    return visibility in ("hidden", "collapse")


def _is_small(value: str) -> bool:
    pixels = [one.pixels for one in lengths(value)]
    return bool(pixels) and "calc" not in value and max(pixels) <= _TINY


def _is_far(value: str) -> bool:
    """Return True if a value moves something out of sight; a percentage may mean anything."""
    far = least(value, percent=0.0, default=0.0) <= -_FAR
    return far or ("calc" in value and "-" in value and most(value, percent=0.0) >= _FAR)


def _from_left_and_top(margin: str) -> str:
    parts = margin.split(" ")
    return margin if "(" in margin else " ".join(parts[:1] + parts[3:])


def _is_clipped(value: str) -> bool:
    sides = [one.pixels for one in lengths(value)]
    if not value.startswith("rect") or len(sides) != len(("top", "right", "bottom", "left")):
        return False
    return sides[2] - sides[0] <= _TINY or sides[1] - sides[3] <= _TINY


_ORDER = ((0,), (1, 0), (2, 0), (3, 1, 0))  # where top, right, bottom and left stand, if anywhere


def _is_cut_out(path: str) -> bool:
    if path.startswith("inset"):
        sides = [one.number if one.unit == "%" else 0.0 for one in lengths(path)]
        top, right, bottom, left = (
            next((sides[at] for at in places if at < len(sides)), 0.0) for places in _ORDER
        )
        return top + bottom >= _ALL or left + right >= _ALL
    if path.startswith(("circle", "ellipse")):
        return least(path.partition(" at ")[0], default=EM) <= _TINY
    return path.startswith("polygon") and most(path) <= _TINY


def _is_masked(mask: str) -> bool:
    """Return True if a mask is a gradient from nothing to nothing."""
    head, _, stops = mask.partition("(")
    return (
        "transparent" in stops
        and head.endswith("gradient")
        and " " not in head
        and stops.endswith(")")
        and all(map(_STOP.fullmatch, _BETWEEN.findall(stops[:-1])))
    )


def _is_transformed(value: str) -> bool:
    flat = any(float(one) < _FLAT for one in _SCALE.findall(value))
    if flat or _TURNED.search(value):
        return True
    moved = _MOVED.search(value)
    if not moved:
        return False
    return max(-least(moved[0], percent=0.0), most(moved[0], percent=0.0)) >= _MOVED_FAR


def _is_scaled(value: str) -> bool:
    return _is_transformed(f"scale({value})")


def _is_translated(value: str) -> bool:
    return _is_transformed(f"translate({value})")


def _is_tight(value: str) -> bool:
    return least(value, default=0.0) <= -_TIGHT


def _is_half(size: float | None) -> bool:
    return size is not None and size <= EM / 2


_SUSPICIOUS: Mapping[str, Callable[[str], bool]] = {
    "display": _is_not_there,
    "visibility": _is_not_painted,
    "content-visibility": "hidden".__eq__,
    "opacity": lambda value: opacity({"opacity": value}) < 1,
    "filter": lambda value: opacity({"filter": value}) < 1,
    **dict.fromkeys((*_SIZES, "line-height"), _is_small),
    **dict.fromkeys(_SIDES, _is_far),
    **dict.fromkeys(_MARGINS, _is_far),
    "clip": _is_clipped,
    "clip-path": _is_cut_out,
    **dict.fromkeys(_MASKS, _is_masked),
    "transform": _is_transformed,
    "scale": _is_scaled,
    "translate": _is_translated,
    "text-indent": _is_far,
    "letter-spacing": _is_tight,
    "font-size": lambda value: _is_half(font_size({"font-size": value}, EM)),
    "font": lambda value: _is_half(font_size({"font": value}, EM)),
    "color": is_clear,
    "-webkit-text-fill-color": is_clear,
}
_HELPERS = (
    *("position", *_OVERFLOWS, *_PADDINGS, *_GROWTHS, *_ANIMATIONS, "text-shadow"),
    *("background", "background-color", "background-image", "background-clip"),
    "-webkit-background-clip",
)
PROPERTIES = (*_SUSPICIOUS, *_HELPERS)
"""Those that have a say in whether text is seen."""
