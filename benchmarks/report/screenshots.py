"""`python -m benchmarks.report.screenshots`: make the pictures of the README from a demo crawl."""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from .browser import Browser

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
WIDTH, OVERVIEW, OPENED = 1280, 1260, 1500
COLOURS, MOST_BYTES = 256, 300_000
REWORDED = 4
"""Sentences: enough to see the marks, and few enough for one picture."""
READY = "return document.documentElement.dataset.ready"
SHOWN = """
const place = document.getElementById("evidence");
return place.getAttribute("aria-busy") === "false" && place.querySelector(".lines");
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.report.screenshots", description=__doc__
    )
    parser.add_argument("--output", type=Path, default=IMAGES, help="folder (docs/images)")
    output = parser.parse_args().output
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        page = crawl(folder)
        drop = choose_drop(folder)
        with Browser() as browser:
            look(browser, page.as_uri(), OVERVIEW, "light", READY)
            save(browser, output / "report.png")
            look(browser, f"{page.as_uri()}#{drop}", OPENED, "dark", SHOWN)
            save(browser, output / "drop.png")


def crawl(folder: Path) -> Path:
    """Crawl the demo web, and write the report of it."""
    shutil.copy(ROOT / "scrapy.cfg", folder)
    # commands are shown as they are typed: scrapy, if that is found
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    report = ["dedup", "report", "--output", "report.html", "--evidence", "500"]
    for arguments in (["crawl", "demo"], report):
        subprocess.run(
            [sys.executable, "-m", "scrapy", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PATH": path},
            stdout=subprocess.DEVNULL,
            check=True,
        )
    return folder / "report.html"


def choose_drop(folder: Path) -> str:
    """Return the address of a drop with sentences of all states: same, reworded and new."""
    (path,) = folder.glob(".scrapy/dedup/**/journal/*.jsonl")
    entries = map(json.loads, path.read_text("ascii").splitlines())
    near = [one for one in entries if one["verdict"] == "near" and one["action"] == "drop"]
    chosen = max(near, key=_variety)
    return f"{chosen['run']}/{chosen['seq']}"


def _variety(entry: dict[str, Any]) -> tuple[bool, int, int]:
    reworded = re.search(r"(\d+) (?:was|were) reworded", entry["reason"])
    count = int(reworded[1]) if reworded else 0
    return " new" in entry["reason"], -abs(count - REWORDED), -entry["seq"]


def look(browser: Browser, address: str, height: int, scheme: str, until: str) -> None:
    browser.devtools(
        "Emulation.setDeviceMetricsOverride",
        width=WIDTH,
        height=height,
        deviceScaleFactor=1,
        mobile=False,
    )
    features = [
        {"name": "prefers-color-scheme", "value": scheme},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]
    browser.devtools("Emulation.setEmulatedMedia", features=features)
    browser.open("about:blank")  # a URL that differs only in its fragment is not loaded
    browser.open(address)
    browser.until(until)
    browser.run(
        "return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )


def save(browser: Browser, path: Path) -> None:
    """Save a screenshot, with few colours if it is large: the README loads it for everybody."""
    from PIL import Image

    browser.screenshot(path)
    with Image.open(io.BytesIO(path.read_bytes())) as picture:
        plain = picture.convert("RGB")
    plain.save(path, optimize=True)
    if path.stat().st_size > MOST_BYTES:
        plain.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    if path.stat().st_size > MOST_BYTES:
        raise SystemExit(f"{path} has {path.stat().st_size:,} bytes, more than {MOST_BYTES:,}")
    print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
