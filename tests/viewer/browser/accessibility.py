"""axe-core on a page that is open in the browser."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .chromium import Chromium

AXE = Path(sys.prefix) / "axe" / "node_modules" / "axe-core" / "axe.min.js"
SERIOUS = ("serious", "critical")
RUN = """
return window.axe.run(document, { resultTypes: ["violations"] }).then(({ violations, passes }) => [
  passes.length,
  violations.filter((one) => arguments[0].includes(one.impact))
    .map((one) => [one.id, one.help, ...one.nodes.map((node) => node.html.slice(0, 200))]),
]);
"""


def check_accessibility(chromium: Chromium) -> None:
    """Fail if axe-core has a serious or critical finding on the page as it is shown."""
    assert AXE.is_file(), f"There is no {AXE}: make axe"
    if not chromium.run("return Boolean(window.axe)"):
        chromium.run(AXE.read_text("utf-8"))
    passed, found = chromium.run(RUN, SERIOUS)
    assert passed > 10  # rules that had something to look at
    assert not found, found
