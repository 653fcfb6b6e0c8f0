"""Charts with matplotlib, which is imported when one is drawn."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from matplotlib.axes import Axes

FOLDER = "evaluation"
"""Where charts lie, as seen from the report that shows them."""
PUBLISHED = "#77736b"
OURS = "#1f6fb4"
SECOND = "#d9772b"
THIRD = "#3b8f5a"
FOURTH = "#8b5fb0"
_INK = "#33312d"
_FAINT = "#e4e1da"


def show(
    images: Path, name: str, about: str, draw: Callable[[Path], None], problems: list[str]
) -> str:
    """Draw a chart; return the Markdown that shows it, or nothing where it can't be drawn."""
    try:
        images.mkdir(parents=True, exist_ok=True)
        draw(images / f"{name}.png")
    except (ImportError, OSError) as error:
        hint = "; pip install 'scrapy-dedup[bench]' helps" * isinstance(error, ImportError)
        problems.append(f"{name}.png: not drawn: {error}{hint}")
        return ""
    return f"![{about}]({FOLDER}/{name}.png)"


@contextmanager
def panels(path: Path, count: int, *, columns: int = 0, size: float = 3.6) -> Iterator[list[Axes]]:
    """Yield empty panels side by side; what was drawn into them is then written to a file."""
    from matplotlib.figure import Figure

    columns = columns or count
    rows = -(-count // columns)
    drawing = Figure(figsize=(size * columns, 0.86 * size * rows), layout="constrained")
    found = drawing.subplots(rows, columns, squeeze=False).flat
    axes = list(found)
    for unused in axes[count:]:
        unused.set_axis_off()
    yield axes[:count]
    drawing.savefig(path, dpi=120, facecolor="white")


def dress(axes: Axes, title: str, across: str, up: str) -> None:
    """Label a panel and its axes, with a faint grid."""
    axes.set_title(title, loc="left", fontsize=10, fontweight="bold", color=_INK)
    axes.set_xlabel(across, fontsize=9, color=_INK)
    axes.set_ylabel(up, fontsize=9, color=_INK)
    axes.tick_params(labelsize=8, colors=_INK, length=0)
    axes.grid(color=_FAINT, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(_FAINT)


def legend(axes: Axes, *, outside: bool = False) -> None:
    """Add a legend where there is room in the panel, or to its right."""
    if outside:
        place = (1.0, 0.5)
        axes.legend(
            loc="center left", bbox_to_anchor=place, fontsize=8, frameon=False, labelcolor=_INK
        )
    else:
        axes.legend(loc="best", fontsize=8, frameon=False, labelcolor=_INK)
