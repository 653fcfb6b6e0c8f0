"""`python -m benchmarks.report.screenshots`: the pictures of the README, from the demo crawl."""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .browser import Browser

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
WIDTH, HEIGHT = 1280, 900
COLOURS, MOST_BYTES = 128, 300_000
READY = "return document.documentElement.dataset.ready"
SHOWN = """
const place = document.getElementById("evidence");
return place.getAttribute("aria-busy") === "false" && place.querySelector("svg");
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
        drop = telling(folder)
        with Browser(WIDTH, HEIGHT) as browser:
            look(browser, page.as_uri(), "light", READY)
            save(browser, output / "report.png")
            look(browser, f"{page.as_uri()}#{drop}", "dark", SHOWN)
            save(browser, output / "drop.png")


def crawl(folder: Path) -> Path:
    """Crawl the demo web, and write the report of it."""
    shutil.copy(ROOT / "scrapy.cfg", folder)
    for arguments in (["crawl", "demo"], ["dedup", "report", "--output", "report.html"]):
        subprocess.run(
            [sys.executable, "-m", "scrapy", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            check=True,
        )
    return folder / "report.html"


def telling(folder: Path) -> str:
    """Name a drop with something of everything in it: much that is known, reworded and new."""
    (path,) = folder.glob(".scrapy/dedup/**/journal/*.jsonl")
    entries = map(json.loads, path.read_text("ascii").splitlines())
    drops = [one for one in entries if one["verdict"] == "near" and "reworded" in one["reason"]]
    chosen = min(drops, key=lambda one: (abs(one["scores"]["known"][0] - 0.85), one["seq"]))
    return f"{chosen['run']}/{chosen['seq']}"


def look(browser: Browser, address: str, scheme: str, until: str) -> None:
    features = [
        {"name": "prefers-color-scheme", "value": scheme},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]
    browser.devtools("Emulation.setEmulatedMedia", features=features)
    browser.open("about:blank")  # an address that differs in its #part alone is not loaded anew
    browser.open(address)
    browser.until(until)
    browser.run("return new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")


def save(browser: Browser, path: Path) -> None:
    """Save what is seen, in few colours: README's pictures are loaded by everybody."""
    from PIL import Image

    browser.screenshot(path)
    with Image.open(io.BytesIO(path.read_bytes())) as picture:
        few = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
    if path.stat().st_size > MOST_BYTES:
        raise SystemExit(f"{path} has {path.stat().st_size:,} bytes, more than {MOST_BYTES:,}")
    print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
