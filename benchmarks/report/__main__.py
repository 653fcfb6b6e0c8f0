"""`python -m benchmarks.report`: write the report of a large journal, and use it in Chromium."""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections import deque
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dedup_middleware import Page, compare
from dedup_middleware.inspect.decisions import Decision
from dedup_middleware.inspect.texts import Texts
from dedup_middleware.settings import Settings
from dedup_middleware.viewer.evidence import (
    SHOWN,
    gather,
)
from dedup_middleware.viewer.report_page import About, RunThresholds, report_page, rows_of

from .browser import Browser
from .journal import AllSites, decisions_of, judge_pages

if TYPE_CHECKING:
    from collections.abc import Iterator

READY = "return Number(document.documentElement.dataset.ready || 0)"
TASKS = """
window.long = 0;
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) window.long = Math.max(window.long, task.duration);
}).observe({ type: "longtask" });
"""
# as Lighthouse names them; what was buffered since the page began to load
OPENING = """
const entries = (type) => new Promise((done) => {
  new PerformanceObserver((list) => done(list.getEntries())).observe({ type, buffered: true });
  setTimeout(() => done([]), 300);
});
const types = ["paint", "longtask", "layout-shift"];
const [paint, tasks, shifts] = await Promise.all(types.map(entries));
const sum = (values) => values.reduce((all, one) => all + one, 0);
const first = paint.find((one) => one.name === "first-contentful-paint");
return {
  "first contentful paint, ms": Math.round(first ? first.startTime : NaN),
  "longest task while opening, ms": Math.round(Math.max(0, ...tasks.map((one) => one.duration))),
  "total blocking time, ms": Math.round(sum(tasks.map((one) => Math.max(0, one.duration - 50)))),
  "cumulative layout shift": Number(sum(shifts.map((one) => one.value)).toFixed(3)),
};
"""
# what a person does; each script returns the milliseconds until the page is done
STEPS = {
    "search, first matches": "type('sentences 12')",
    "search, all matches": "type('sentences 12', true)",
    "sort by page": "press('[data-sort=url] button')",
    "jump to the middle": "scroll(0.5)",
    "move a threshold": "slide('max_loss', 0.02)",
    "open evidence": "look()",
}
TOOLS = """
const $ = (id) => document.getElementById(id);
const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
const until = async (test) => { while (!test()) await new Promise((done) => setTimeout(done, 1)); };
const type = async (text, all) => {
  $("search").value = "";
  $("search").dispatchEvent(new Event("input"));
  await new Promise((done) => setTimeout(done, 600));
  const start = performance.now();
  const before = $("count").textContent;
  $("search").value = text;
  $("search").dispatchEvent(new Event("input"));
  const count = () => $("count").textContent;
  await until(() => count() !== before && !(all && count().includes("so far")));
  await painted();
  return performance.now() - start;
};
const press = async (what) => {
  $("search").value = "";
  $("search").dispatchEvent(new Event("input"));
  await new Promise((done) => setTimeout(done, 600));
  const start = performance.now();
  const before = document.querySelector("#rows .row").dataset.row;
  document.querySelector(what).click();
  await until(() => document.querySelector("#rows .row").dataset.row !== before);
  await painted();
  return performance.now() - start;
};
const scroll = async (share) => {
  const start = performance.now();
  $("grid").scrollTop = share * $("grid").scrollHeight;
  await painted();
  return performance.now() - start;
};
const slide = async (id, value) => {
  const start = performance.now();
  $(id).value = value;
  $(id).dispatchEvent(new Event("input"));
  await painted();
  return performance.now() - start;
};
const look = async () => {
  $("with-texts").click();
  await new Promise((go) => setTimeout(go, 800));
  const start = performance.now();
  document.querySelector("#rows .row").click();
  await until(() => document.querySelector("#evidence .evidence"));
  await painted();
  return performance.now() - start;
};
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__)
    parser.add_argument("--decisions", type=int, default=100_000, help="in the journal (100000)")
    parser.add_argument("--evidence", type=int, help="pairs with texts (as many as usual)")
    parser.add_argument("--repeat", type=int, default=5, help="times that it is opened (5)")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="keep the report here")
    parser.add_argument("--page", type=Path, metavar="FILE", help="open this report, make none")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        page = (options.keep or Path(folder) / "report.html").absolute()
        if options.page:
            page, figures = options.page.absolute(), {}
        else:
            figures = write(Path(folder), page, options.decisions, options.evidence)
        figures |= look(page, options.repeat)
    if options.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:<34} {value}")


def write(folder: Path, page: Path, count: int, evidence: int | None) -> dict[str, Any]:
    """Write a report, and return the CPU seconds of each step; reading alone is the yardstick."""
    pages = judge_pages(folder / "store")
    journal = folder / "journal.jsonl"
    with journal.open("w") as file:
        for one in decisions_of(pages, count):
            file.write(f"{json.dumps(one.entry, separators=(',', ':'))}\n")
    settings, clock = Settings(), time.process_time
    page_of_words = Page(url="", text="The tides turned. Boats swung.")
    compare(page_of_words, page_of_words)  # imports and word lists come once
    times = [clock()]
    deque(_decisions_in(journal), maxlen=0)
    times.append(clock())
    decisions = [*_decisions_in(journal)]
    numbered = {one.sequence: one for one in decisions}
    rows = rows_of(decisions, RunThresholds(settings.level))
    times.append(clock())
    most = SHOWN if evidence is None else evidence
    with Texts(folder / "store") as texts:
        found, forgotten = gather(
            rows, lambda _, number: numbered[number], AllSites(texts), settings, most=most
        )
    times.append(clock())
    page.write_text(report_page(rows, found, About("benchmark", store="store")), "utf-8")
    times.append(clock())
    reading, rowing, gathering, packing = (end - start for start, end in pairwise(times))
    return {
        "decisions": count,
        "with texts": len(found) - forgotten,
        "reading alone, CPU s": round(reading, 2),
        "reading and rows, CPU s": round(rowing, 2),
        "comparing, CPU s": round(gathering, 2),
        "packing and writing, CPU s": round(packing, 2),
        "all, as a multiple of reading": round((times[-1] - times[1]) / reading, 1),
        "file, MB": round(page.stat().st_size / 1e6, 2),
    }


def _decisions_in(journal: Path) -> Iterator[Decision]:
    with journal.open("rb") as lines:
        yield from filter(None, map(Decision.parse, lines))


def look(page: Path, repeat: int) -> dict[str, Any]:
    """Open the page several times, and use it once."""
    ready = []
    with Browser() as browser:
        for _ in range(repeat):
            browser.open("about:blank")
            browser.open(page.as_uri())
            ready.append(browser.until(READY))
        opening = browser.run(f"return (async () => {{ {OPENING} }})()")
        browser.run(TASKS)
        took = {
            f"{name}, ms": round(browser.run(f"{TOOLS} return {script};"))
            for name, script in STEPS.items()
        }
        browser.run("gc()")
        return {
            "ready, ms": f"{statistics.median(ready):.0f} ({', '.join(map(str, sorted(ready)))})",
            **opening,
            **took,
            "longest task in use, ms": round(browser.run("return window.long")),
            "JS heap, MB": round(browser.run("return performance.memory.usedJSHeapSize") / 1e6),
            "renderer, MB": renderer_memory(browser.pid),
        }


def renderer_memory(root: int) -> int:
    """Return the memory of the largest renderer below a process (proportional set size), in MB."""
    children: dict[int, list[int]] = {}
    renderers = set()
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            command = (path / "cmdline").read_bytes()
        except OSError:  # it has ended
            continue
        children.setdefault(parent, []).append(int(path.name))
        if b"--type=renderer" in command:
            renderers.add(int(path.name))
    below, waiting = set(), [root]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            below.add(child)
            waiting.append(child)
    sizes = [
        int(line.split()[1]) / 1000
        for pid in below & renderers
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        if line.startswith("Pss:")
    ]
    return round(max(sizes, default=0))


if __name__ == "__main__":
    main()
