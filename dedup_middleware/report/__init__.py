"""Pages shown: two that were compared, and all that was decided in a crawl."""

from .compared import Compared
from .dotplot import dotplot
from .drawing import Drawing, stacked
from .evidence import evidence
from .overview import About, live_page, report_page
from .page import comparison_page
from .png import to_png
from .rows import rows_of
from .svg import to_svg
from .thresholds import Thresholds
from .trees import trees

__all__ = [
    "About",
    "Compared",
    "Drawing",
    "Thresholds",
    "comparison_page",
    "dotplot",
    "evidence",
    "live_page",
    "report_page",
    "rows_of",
    "stacked",
    "to_png",
    "to_svg",
    "trees",
]
