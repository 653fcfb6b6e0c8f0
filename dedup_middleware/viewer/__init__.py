"""Pages shown: two that were compared, and all that was decided in a crawl."""

from .comparison_page import Compared, comparison_page
from .dotplot import dotplot
from .drawing import Drawing, stacked, to_svg
from .evidence import evidence
from .overview import About, live_page, report_page
from .png import to_png
from .rows import Thresholds, rows_of
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
