"""Two compared pages shown: as pictures, and as a page to read."""

from .compared import Compared
from .dotplot import dotplot
from .drawing import Drawing, stacked
from .page import comparison_page
from .png import to_png
from .svg import to_svg
from .trees import trees

__all__ = [
    "Compared",
    "Drawing",
    "comparison_page",
    "dotplot",
    "stacked",
    "to_png",
    "to_svg",
    "trees",
]
