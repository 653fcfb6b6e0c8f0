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
_TIGHT = 8.0  # pixels between letters, if negative
_HALF = 50  # percent that is clipped from each side
_EM = 16.0
_SAME_COLOUR = 24  # the greatest difference of two colours that can't be told apart

_LENGTH = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+))(px|r?em|ex|ch|pt|pc|cm|mm|in|v[whi]|%)?")
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
_FLAT = re.compile(r"scale(?:3d|[xy])?\(\s*0*(?:\.0\d*)?\s*[,)]|rotate[xy]\(\s*-?90deg")
_MOVED = re.compile(r"translate[xyz3d]*\([^)]*\)")
_FILTER = re.compile(r"(opacity|blur)\(([^()]*)\)")
_SHOWN_MASK = re.compile(r"black|white|#|rgb|hsl|red|currentcolor")
_NO_ALPHA = re.compile(
    r"transparent|(?:rgb|hsl)a?\([^()]*[,/]\s*0?(?:\.0\d*|0+%?)?\s*\)"
    r"|#[0-9a-f]{3}0|#[0-9a-f]{6}0[0-9a-f]"
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

_HELPERS = ("--", "overflow", "position", "padding", "background", "text-shadow", "-webkit-back")
_SIZES = ("height", "max-height", "width", "max-width", "line-height")
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


def hides(found: Declarations) -> bool:
    """Return True if declarations hide all that is inside an element."""
    get = found.get
    cut_off = re.search("hidden|clip", "".join(get(f"overflow{axis}", "") for axis in _AXES))
    padded = any(_most(get(f"padding{side}", "")) > _TINY for side in ("", "-bottom", "-top"))
    fixed = get("position") in ("absolute", "fixed")
    moved = fixed or get("position") == "relative"
    return bool(
        _is_not_there(get("display", ""))
        or get("content-visibility") == "hidden"
        or (cut_off and not padded and any(_is_small(get(name, "")) for name in _SIZES))
        or (moved and any(_is_far(get(name, "")) for name in _SIDES))
        or any(_is_far(_from_left_and_top(get(name, ""))) for name in _MARGINS)
        or (fixed and _is_clipped(get("clip", "")))
        or _is_cut_out(get("clip-path", ""))
        or any(_is_masked(get(name, "")) for name in _MASKS)
        or _is_transformed(get("transform", ""))
        or _is_transformed(f"scale({get('scale', '1')})")
        or _is_far(get("translate", ""))
        or _is_far(get("text-indent", ""))
        or _is_tight(get("letter-spacing", ""))
    )


_AXES = ("", "-x", "-y")
_MASKS = ("mask", "mask-image", "-webkit-mask-image")


def opacity(found: Declarations) -> float:
    """Return how much is seen of an element.

    >>> opacity({"opacity": "30%", "filter": "opacity(.5)"})
    0.15
    """
    seen = min(1.0, _least(found.get("opacity", "1"), percent=0.01))
    for name, value in _FILTER.findall(found.get("filter", "")):
        amount = _least(value, percent=0.01)
        seen *= min(1.0, amount) if name == "opacity" else amount < _BLURRED
    return seen


def is_invisible(found: Declarations) -> bool:
    """Return True if text is not painted."""
    return found.get("visibility") in ("hidden", "collapse")


def font_size(found: Declarations, around: float) -> float | None:
    """Return the size of letters in pixels, given that of the text around; None if not said."""
    value = found.get("font-size") or found.get("font", "").partition("/")[0]
    lengths = [one for one in _LENGTH.finditer(value) if one[2] or not float(one[1])]
    if not lengths or "calc" in value:
        return None
    last = lengths[-1]
    if last[2] in ("em", "%"):
        return float(last[1]) * around / (100 if last[2] == "%" else 1)
    return _pixels(last)


def is_tiny(size: float) -> bool:
    """Return True if letters of that size can't be read."""
    return size <= _TINY


def text_colour(found: Declarations) -> str:
    """Return the colour of text as it is declared."""
    value = found.get("-webkit-text-fill-color") or found.get("color", "")
    return "" if value in ("inherit", "currentcolor") else value


def ground(found: Declarations) -> str:
    """Return what is declared to be behind the text."""
    image = found.get("background-image", "none")
    own = found.get("background-color") or found.get("background", "")
    return ("" if own in ("none", "transparent", "inherit") else own) if image == "none" else image


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
    """Return a colour that can be known; None for gradients, pictures and rare names."""
    if "url(" in value or "gradient" in value:
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
    return float(text) if text.count(".") <= 1 and text != "." else 0.0


def _is_not_there(display: str) -> bool:
    return display in ("none", "table-column", "table-column-group")


def _is_small(value: str) -> bool:
    lengths = [_pixels(one) for one in _LENGTH.finditer(value)]
    return bool(lengths) and "calc" not in value and max(lengths) <= _TINY


def _is_far(value: str) -> bool:
    """Return True if a value moves something out of sight."""
    far = _least(value, default=0) <= -_FAR
    return far or ("calc" in value and "-" in value and _most(value) >= _FAR)


def _from_left_and_top(margin: str) -> str:
    parts = margin.split()
    return margin if "(" in margin else " ".join(parts[:1] + parts[3:])


def _is_clipped(value: str) -> bool:
    sides = [_pixels(one) for one in _LENGTH.finditer(value)]
    if not value.startswith("rect") or len(sides) != len(("top", "right", "bottom", "left")):
        return False
    return sides[2] - sides[0] <= _TINY or sides[1] - sides[3] <= _TINY


def _is_cut_out(path: str) -> bool:
    if path.startswith("inset"):
        sides = [float(one[1]) for one in _LENGTH.finditer(path) if one[2] == "%"]
        return max(sides, default=0) >= _HALF
    if path.startswith(("circle", "ellipse")):
        return _least(path.partition(" at ")[0], default=_EM) <= _TINY
    return path.startswith("polygon") and _most(path) <= _TINY


def _is_masked(mask: str) -> bool:
    return "gradient" in mask and not _SHOWN_MASK.search(mask)


def _is_transformed(value: str) -> bool:
    moved = _MOVED.search(value)
    return bool(_FLAT.search(value)) or bool(
        moved and (_is_far(moved[0]) or _most(moved[0]) >= _FAR)
    )


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


def _most(value: str) -> float:
    return max(map(_pixels, _LENGTH.finditer(value)), default=0.0)


_SUSPICIOUS: Mapping[str, Callable[[str], bool]] = {
    "display": _is_not_there,
    "visibility": ("hidden", "collapse").__contains__,
    "content-visibility": "hidden".__eq__,
    "opacity": lambda value: opacity({"opacity": value}) < 1,
    "filter": lambda value: opacity({"filter": value}) < 1,
    **dict.fromkeys(_SIZES, _is_small),
    **dict.fromkeys(_SIDES, _is_far),
    **dict.fromkeys(_MARGINS, _is_far),
    "clip": _is_clipped,
    "clip-path": _is_cut_out,
    **dict.fromkeys(_MASKS, _is_masked),
    "transform": _is_transformed,
    "scale": lambda value: _is_transformed(f"scale({value})"),
    "translate": _is_far,
    "text-indent": _is_far,
    "letter-spacing": _is_tight,
    "font-size": lambda value: _is_half(font_size({"font-size": value}, _EM)),
    "font": lambda value: _is_half(font_size({"font": value}, _EM)),
    "color": lambda value: bool(_NO_ALPHA.fullmatch(value)),
    "-webkit-text-fill-color": lambda value: bool(_NO_ALPHA.fullmatch(value)),
}
