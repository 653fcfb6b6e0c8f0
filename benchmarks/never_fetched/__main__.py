"""Command: `python -m benchmarks.never_fetched DATA`, real sites with added corners, crawled."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab.rows import existing, read_rows
from lab.table import table

from . import scoring
from .scoring import Crawled
from .server import Server
from .web import Web, read_pages

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parents[2]
ALONE, RIVAL, FIRST, SECOND = (
    "Scrapy alone",
    "duplicate-url-discarder",
    "first crawl",
    "second crawl",
)
PLAIN_OFF, PLAIN_ON = "no corners, skip off", "no corners, skip on"
RUNS = (ALONE, RIVAL, FIRST, SECOND, PLAIN_OFF, PLAIN_ON)
HEAD = (
    "crawl",
    "requests",
    "redundant sent",
    "not sent",
    "new pages missed",
    "in the trap",
    "CPU ms/request",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Crawl the web in each way, and print the figures; return 1 if something was left out."""
    options = _parser().parse_args(arguments)
    problems: list[str] = []
    folders = [options.data / name for name in options.sets.split(",")]
    pages = read_pages(folders, options.most, problems)
    for problem in problems:
        print(problem, file=sys.stderr)
    if not pages:
        return 1
    named = options.run or RUNS
    runs = [run for run in named if run != RIVAL or find_spec("duplicate_url_discarder")]
    if len(runs) < len(named):
        problems.append(f"{RIVAL} is not installed: pip install '.[peers]'")
        print(problems[-1], file=sys.stderr)
    done = _crawled(pages, runs, options)
    print("\n\n".join(_tables(done, scoring.copied_hosts(_positives(folders)), options.errors)))
    return 1 if problems else 0


def _crawled(
    pages: dict[str, str], runs: Sequence[str], options: argparse.Namespace
) -> list[tuple[Web, Crawled]]:
    """Crawl in each way; the second crawl has the store of the first, and other session ids."""
    done = []
    with tempfile.TemporaryDirectory() as folder:
        for run in runs:
            plain = run in (PLAIN_OFF, PLAIN_ON)
            number = 2 if run == SECOND else 1
            web = Web(pages, added=not plain, seed=options.seed, crawl=number, trap=options.trap)
            with Server(web) as server:
                store = Path(folder, run if plain else "shared")
                figures = _crawl(web, server.port, _settings(run, store), Path(folder))
                fetched = list(server.fetched)
            done.append((web, _result(run, fetched, figures)))
    return done


def _settings(run: str, store: Path) -> dict[str, Any]:
    if run == ALONE:
        return {}
    if run == RIVAL:
        return {"ADDONS": {"duplicate_url_discarder.Addon": 500}}
    skip = "off" if run == PLAIN_OFF else "on"
    addons = {"dedup_middleware.Addon": 500}
    return {"ADDONS": addons, "DEDUP_SCOPE": str(store), "DEDUP_SKIP": skip}


def _crawl(web: Web, port: int, settings: dict[str, Any], folder: Path) -> dict[str, Any]:
    task = {"port": port, "starts": web.starts, "hosts": web.hosts, "settings": settings}
    file = folder / "task.json"
    file.write_text(json.dumps(task))
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-m", f"{__package__}.crawl", str(file)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{done.stderr}A crawl ended with {done.returncode}")
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def _result(run: str, fetched: list[str], figures: dict[str, Any]) -> Crawled:
    mirrors = tuple(scoring.Finding(*one) for one in figures.get("mirrors", ()))
    walls = tuple((tuple(urls), pages) for urls, pages in figures.get("walls", ()))
    return Crawled(run, fetched, figures["cpu"], mirrors, walls, figures.get("sites_ms", 0.0))


def _tables(
    done: Sequence[tuple[Web, Crawled]], copies: set[frozenset[str]], errors: int
) -> list[str]:
    rows, by_kind, missed = [], {}, []
    for web, crawled in done:
        score = scoring.requests(web, crawled)
        share = f"{score.saved / score.redundant:.1%}" if score.redundant else ""
        lost = len(score.missed)
        rows.append(
            [
                crawled.name,
                len(crawled.fetched),
                score.redundant - score.saved,
                share,
                f"{lost} ({lost / score.pages:.2%})",
                scoring.in_trap(web, crawled),
                f"{crawled.cpu_ms:.2f}",
            ]
        )
        missed += [f"{crawled.name}: missed {url}" for url in score.missed[:errors]]
        missed += [
            f"{crawled.name}: no wall, {pages} pages: {' '.join(urls)}"
            for urls, pages in scoring.false_walls(web, crawled)[:errors]
        ]
        by_kind[crawled.name] = scoring.not_sent_by_kind(web, crawled)
    kinds = dict.fromkeys(kind for rates in by_kind.values() for kind in rates)
    shown = {name: rates for name, rates in by_kind.items() if rates}
    tables = [table(HEAD, rows)]
    if shown:
        lines = [[kind, *(f"{rates[kind]:.1%}" for rates in shown.values())] for kind in kinds]
        tables.append(table(["not sent, by kind", *shown], lines))
    tables += [_findings(done, copies), "\n".join(missed)]
    return list(filter(None, tables))


def _findings(done: Sequence[tuple[Web, Crawled]], copies: set[frozenset[str]]) -> str:
    head = ("found", "mirrors", "of", "after", "false", "walls: precision", "recall", "ms/page")
    rows = []
    for web, crawled in done:
        if crawled.name not in (FIRST, SECOND, PLAIN_ON):
            continue
        wrong = scoring.false_mirrors(web, crawled, copies)
        precision, recall = scoring.wall_rates(web, crawled)
        right = {one.host: one.after for one in crawled.mirrors if one.host in web.mirrors}
        after = max(right.values(), default=0)
        rates = (f"{precision:.3f}", f"{recall:.3f}", f"{crawled.sites_ms:.3f}")
        rows.append([crawled.name, len(right), len(web.mirrors), after, len(wrong), *rates])
    return table(head, rows) if rows else ""


def _positives(folders: Sequence[Path]) -> list[tuple[str, list[str]]]:
    """Return pages that are copies by their labels, with their originals."""
    paths = [path for folder in folders if (path := existing(folder, "labels"))]
    rows = [row for path in paths for row in read_rows(path, lambda _: None, [])]
    return [(row["url"], list(row["positives"])) for row in rows if row and row.get("positives")]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.never_fetched", description=__doc__)
    parser.add_argument("data", type=Path, help="a folder of sets: pages.jsonl.gz with url, html")
    parser.add_argument("--sets", default="sites,references,manuals", help="names, with commas")
    parser.add_argument("--most", type=int, default=60, help="pages of a host (60)")
    parser.add_argument("--trap", type=int, default=10_000, help="pages of the trap (10000)")
    parser.add_argument("--seed", type=int, default=1, help="another one makes other corners")
    parser.add_argument("--run", action="append", choices=RUNS, help="only this crawl")
    parser.add_argument(
        "--errors", type=int, default=0, help="list so many missed pages and false walls"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
