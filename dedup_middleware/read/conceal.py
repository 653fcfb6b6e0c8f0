"""What CSS declarations do to text: whether a visitor can see it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Declarations = Mapping[str, str]
    Colour = tuple[int, int, int]

FAINT = 0.1  # opacity
_TINY = 2.0  # pixels
_BLURRED = 8.0
_FAR = 900.0  # pixels outside of the screen
_MOVED_FAR = 5_000.0  # the same by transformation, which sliders use
_TIGHT = 8.0  # pixels between letters, if negative
_ALL = 100  # percent that is clipped from two sides together
_EM = 16.0
_SAME_COLOUR = 24  # the greatest difference of two colours that can't be told apart

_LENGTH = re.compile(
    r"([-+]?(?:\d{1,9}\.?\d{0,9}|\.\d{1,9}))\d*(px|r?em|ex|ch|pt|pc|cm|mm|in|v[whi]|%)?(?![a-z\d])"
)
_NUMBER = re.compile(r"(?:\d{1,9}\.?\d{0,9}|\.\d{1,9})%?")
_PIXELS = {
    "": 1,
    "px": 1,
    "em": _EM,
    "rem": _EM,
    "ex": 8,
    "ch": 8,
    "pt": 1.33,
    "pc": 16,
    "cm": 38,
    "mm": 3.8,
    "in": 96,
    "vw": 12.8,
    "vh": 8,
    "vi": 12.8,
    "%": 12.8,
}
_FLAT = re.compile(r"scale(?:3d|[xy])?\( ?(?:0+(?:\.0\d*)?|\.0\d*) ?[,)]|rotate[xy]\( ?-?90deg")
_MOVED = re.compile(r"translate[xyz3d]*\([^)]*\)")
_FILTER = re.compile(r"(opacity|blur)\(([^()]*)\)")
_CLEAR_MASK = re.compile(
    r"[a-z-]*gradient\((?:transparent|to|left|right|top|bottom|\d+%?|deg|[ ,])*\)"
)
_ZERO = r" ?(?:0(?:\.0\d{0,8})?|\.0\d{0,8})%? ?\)"
_NO_ALPHA = re.compile(
    rf"transparent|(?:rgb|hsl)a?\((?:[^(),/]*,){{3}}{_ZERO}|(?:rgb|hsl)a?\([^()/]*/{_ZERO}"
    r"|#[0-9a-f]{3}0|#[0-9a-f]{6}0[0-9a-f]"
)
# pictures, variables, and colours with an alpha below 1
_UNKNOWN_COLOUR = re.compile(
    r"url\(|gradient|var\(|image|\b(?:rgb|hsl)a?\([^()]*(?:/|,[^,()]*,[^,()]*,)(?! ?(?:1|100%) ?\))"
    r"|#[0-9a-f]{3}[0-9a-e]\b|#[0-9a-f]{6}(?!ff)[0-9a-f]{2}\b"
)
_HEX = re.compile(r"#([0-9a-f]{3,8})\b")
_RGB = re.compile(r"rgba?\(\s*([\d.]+%?)[\s,]+([\d.]+%?)[\s,]+([\d.]+%?)")
_GREY = re.compile(r"hsla?\(\s*[\d.]+(?:deg)?[\s,]+(?:0%[\s,]+([\d.]+)|[\d.]+%[\s,]+(0|100))%")
_LONG_HEX = 6
NAMED_COLOURS: Mapping[str, Colour] = {
    "white": (255, 255, 255),
    "black": (0, 0, 0),
    "silver": (192, 192, 192),
    "gray": (128, 128, 128),
    "grey": (128, 128, 128),
    "red": (255, 0, 0),
    "green": (0, 128, 0),
    "blue": (0, 0, 255),
    "yellow": (255, 255, 0),
    "snow": (255, 250, 250),
    "ivory": (255, 255, 240),
    "whitesmoke": (245, 245, 245),
}

_HELPERS = (
    *("--", "overflow", "position", "padding", "background", "text-shadow", "-webkit-back", "min-"),
    *("flex", "bottom", "animation", "-webkit-anim"),
)
SHORTHANDS = {
    "margin": ("margin-left", "margin-top"),
    "inset": ("left", "top", "right"),
    "font": ("font-size", "line-height"),
    "background": ("background-color", "background-image", "background-clip"),
    "overflow": ("overflow-x", "overflow-y"),
    "mask": ("mask-image",),
}
"""A later shorthand sets these anew."""
_SIZES = ("height", "max-height", "width", "max-width")
_SIDES = ("left", "top", "right", "inset", "inset-inline-start")
_MARGINS = ("margin", "margin-left", "margin-top")


def matters(name: str) -> bool:
    """Return True if a property has a say in whether text is seen."""
    return name in _SUSPICIOUS or name.startswith(_HELPERS)


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
        or _is_transformed(f"scale({get('scale', '1')})")
        or _is_transformed(f"translate({get('translate', '')})")
        or _is_far(get("text-indent", ""))
        or _is_tight(get("letter-spacing", ""))
    )


def _is_shut(found: Declarations, tag: str) -> bool:
    """Return True if an element has next to no size, and cuts off what does not fit."""
    overflow = "".join(found.get(f"overflow{axis}", "") for axis in _AXES)
    if "hidden" not in overflow and "clip" not in overflow:
        return False
    grows = any(name in found for name in ("min-width", "min-height", "flex", "flex-grow"))
    padded = any(_most(found.get(f"padding{side}", "")) > _TINY for side in _PADDINGS)
    if grows or padded or tag in ("td", "th"):
        return False
    flat = _NUMBER.fullmatch(found.get("line-height", "1")) is not None
    flat = flat and not float(found.get("line-height", "1").rstrip("%"))
    return flat or any(_is_small(found.get(name, "")) for name in _SIZES)


_AXES = ("", "-x", "-y")
_PADDINGS = ("", "-bottom", "-top")
_MASKS = ("mask", "mask-image", "-webkit-mask-image")


def opacity(found: Declarations) -> float:
    """Return how much is seen of an element.

    >>> opacity({"opacity": "30%", "filter": "opacity(.5)"})
    0.15
    """
    if is_animated(found):
        return 1.0
    own = found.get("opacity", "1")
    seen = min(1.0, _least(own, percent=0.01)) if _NUMBER.fullmatch(own) else 1.0
    for name, value in _FILTER.findall(found.get("filter", "")):
        amount = _least(value, percent=0.01)
        seen *= min(1.0, amount) if name == "opacity" else amount < _BLURRED
    return seen


def is_animated(found: Declarations) -> bool:
    """Return True if what is hidden at first will show."""
    return any(
        found.get(name, "none") != "none"
        for name in ("animation", "animation-name", "-webkit-animation")
    )


def is_relative(found: Declarations) -> bool:
    """Return True if it depends on the elements around what declarations do."""
    return not _RELATIVE.isdisjoint(found)


_RELATIVE = frozenset({"opacity", "filter", "font-size", "font"})


def is_invisible(found: Declarations) -> bool:
    """Return True if text is not painted."""
    return not is_animated(found) and found.get("visibility") in ("hidden", "collapse")


def font_size(found: Declarations, around: float) -> float | None:
    """Return the size of letters in pixels, given that of the text around; None if not said."""
    value = found.get("font-size") or found.get("font", "").partition("/")[0]
    lengths = [one for one in _LENGTH.finditer(value) if one[2] or not float(one[1])]
    if not lengths or "calc" in value:
        return None
    last = lengths[-1]
    if last[2] in ("em", "%"):
        return float(last[1]) * around / (100 if last[2] == "%" else 1)
    if last[2] == "rem" and float(last[1]):
        return None  # the size of the root may be anything
    return _pixels(last)


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
    return "" if own in ("none", "inherit", "initial", "0") or _NO_ALPHA.fullmatch(own) else own


def is_transparent(found: Declarations) -> bool:
    """Return True if text is, and its ground does not show through the letters."""
    clip = found.get("background-clip", found.get("-webkit-background-clip", ""))
    seen = "text" in clip or "text-shadow" in found
    return not seen and bool(_NO_ALPHA.fullmatch(text_colour(found)))


def can_not_be_told(text: str, behind: str) -> bool:
    """Return True if text can't be told from what is behind it.

    >>> can_not_be_told("#fefefe", "white"), can_not_be_told("white", "url(dark.png)")
    (True, False)
    """
    one, other = _colour(text), _colour(behind)
    if one is None or other is None:
        return False
    return all(abs(a - b) <= _SAME_COLOUR for a, b in zip(one, other, strict=True))


def _colour(value: str) -> Colour | None:
    """Return a colour that can be known; None for what shines through, pictures and rare names."""
    if _UNKNOWN_COLOUR.search(value):
        return None
    found = _HEX.search(value)
    if found:
        digits = found[1] if len(found[1]) >= _LONG_HEX else "".join(2 * x for x in found[1][:3])
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)
    found = _RGB.search(value)
    if found:
        red, green, blue = (
            round(2.55 * _number(one[:-1])) if one.endswith("%") else round(_number(one))
            for one in found.groups()
        )
        return red, green, blue
    found = _GREY.search(value)
    if found:
        grey = round(2.55 * _number(found[1] or found[2]))
        return grey, grey, grey
    return next((NAMED_COLOURS[word] for word in value.split() if word in NAMED_COLOURS), None)


def _number(text: str) -> float:
    return min(1_000.0, float(text[:9])) if text.count(".") <= 1 and text != "." else 0.0


def _is_not_there(display: str) -> bool:
    return display in ("none", "table-column", "table-column-group")


def _is_small(value: str) -> bool:
    lengths = [_pixels(one) for one in _LENGTH.finditer(value)]
    return bool(lengths) and "calc" not in value and max(lengths) <= _TINY


def _is_far(value: str) -> bool:
    """Return True if a value moves something out of sight; a percentage may mean anything."""
    far = _least(value, percent=0, default=0) <= -_FAR
    return far or ("calc" in value and "-" in value and _most(value, percent=0) >= _FAR)


def _from_left_and_top(margin: str) -> str:
    parts = margin.split()
    return margin if "(" in margin else " ".join(parts[:1] + parts[3:])


def _is_clipped(value: str) -> bool:
    sides = [_pixels(one) for one in _LENGTH.finditer(value)]
    if not value.startswith("rect") or len(sides) != len(("top", "right", "bottom", "left")):
        return False
    return sides[2] - sides[0] <= _TINY or sides[1] - sides[3] <= _TINY


_ORDER = ((0,), (1, 0), (2, 0), (3, 1, 0))  # where top, right, bottom and left stand, if anywhere


def _is_cut_out(path: str) -> bool:
    if path.startswith("inset"):
        sides = [float(one[1]) if one[2] == "%" else 0.0 for one in _LENGTH.finditer(path)]
        top, right, bottom, left = (
            next((sides[at] for at in places if at < len(sides)), 0.0) for places in _ORDER
        )
        return top + bottom >= _ALL or left + right >= _ALL
    if path.startswith(("circle", "ellipse")):
        return _least(path.partition(" at ")[0], default=_EM) <= _TINY
    return path.startswith("polygon") and _most(path) <= _TINY


def _is_masked(mask: str) -> bool:
    return "transparent" in mask and bool(_CLEAR_MASK.fullmatch(mask))


def _is_transformed(value: str) -> bool:
    moved = _MOVED.search(value)
    far = moved and max(-_least(moved[0], percent=0), _most(moved[0], percent=0)) >= _MOVED_FAR
    return bool(_FLAT.search(value)) or bool(far)


def _is_tight(value: str) -> bool:
    return _least(value, default=0) <= -_TIGHT


def _is_half(size: float | None) -> bool:
    return size is not None and size <= _EM / 2


def _pixels(length: re.Match[str]) -> float:
    return float(length[1]) * _PIXELS[length[2] or ""]


def _least(value: str, percent: float = 12.8, default: float = 1) -> float:
    lengths = _LENGTH.finditer(value)
    pixels = (float(one[1]) * percent if one[2] == "%" else _pixels(one) for one in lengths)
    return min(pixels, default=default)


def _most(value: str, percent: float = 12.8) -> float:
    lengths = _LENGTH.finditer(value)
    pixels = (float(one[1]) * percent if one[2] == "%" else _pixels(one) for one in lengths)
    return max(pixels, default=0.0)


_SUSPICIOUS: Mapping[str, Callable[[str], bool]] = {
    "display": _is_not_there,
    "visibility": ("hidden", "collapse").__contains__,
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
    "scale": lambda value: _is_transformed(f"scale({value})"),
    "translate": lambda value: _is_transformed(f"translate({value})"),
    "text-indent": _is_far,
    "letter-spacing": _is_tight,
    "font-size": lambda value: _is_half(font_size({"font-size": value}, _EM)),
    "font": lambda value: _is_half(font_size({"font": value}, _EM)),
    "color": lambda value: bool(_NO_ALPHA.fullmatch(value)),
    "-webkit-text-fill-color": lambda value: bool(_NO_ALPHA.fullmatch(value)),
}
