"""Command: `python -m benchmarks.golden [DATA]`."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from pathlib import Path
from subprocess import CalledProcessError
from subprocess import run as run_command
from typing import TYPE_CHECKING, Any

from . import adapter
from .files import FOLDER, answers_of, serialized
from .parts import KINDS, all_parts
from .run import run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .files import Difference
    from .parts import Part
    from .run import Outcome

ROOT = Path(__file__).parents[2]
MOST_PRINTED = 4_000  # characters of an answer; a file has all of it


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare answers with those that were frozen, or freeze them; return 1 if any differ."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if adapter.missing_core():
        parser.error(adapter.missing_core())
    if options.data and not options.data.is_dir():
        parser.error(f"{options.data}: no such folder")
    problems: list[str] = []
    parts = [
        part
        for part in all_parts(options.data, problems)
        if options.only in (None, part.kind) and (not options.sets or part.name in options.sets)
    ]
    for name in set(options.sets) - {part.name for part in parts}:
        parser.error(f"there is no set {name!r}")
    if options.show is not None:
        if len(parts) != 1:
            parser.error("--show needs --only and --sets, so that one set is left")
        _show(parts[0], options.show)
        return 0
    try:
        commit = _commit() if options.freeze else ""
    except (OSError, CalledProcessError, ValueError) as error:
        parser.error(str(error))
    if options.data and not options.sets:
        problems += _without_pages(parts, options)
    print(*problems, sep="\n", end="\n" if problems else "", file=sys.stderr)
    return max(int(bool(problems)), _run_all(parts, options, commit))


def _run_all(parts: Sequence[Part], options: argparse.Namespace, commit: str) -> int:
    """Run each part in a process of its own, and print what became of it."""
    status = 0
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.jobs, mp_context=spawn) as pool:
        running = {
            pool.submit(run, part.title, options.data, options.folder, commit): part
            for part in parts
        }
        for number, future in enumerate(as_completed(running), 1):
            part = running[future]
            print(f"{number:2} of {len(parts)}  {part.title:24}", end="  ")
            try:
                outcome = future.result()
            except BrokenProcessPool as error:
                print(f"not finished: {error}", flush=True)
                status = 1
                continue
            finish = _freeze if options.freeze else _report
            status = max(status, finish(part, outcome, options))
    if not (status or options.freeze):
        print("all equal")
    return status


def _report(part: Part, outcome: Outcome, options: argparse.Namespace) -> int:
    """Print whether the answers of a part are the frozen ones; return 1 if not."""
    difference, found = outcome.difference, outcome.found
    frozen = part.frozen(options.folder)
    status = "DIFFERENT" if difference else "equal" if frozen else "NOT FROZEN"
    if found is None:
        status = "FAILED"
    print(f"{status}  {found.items if found else 0:,} items, {outcome.seconds:.0f} s")
    print(*outcome.problems, sep="\n", end="\n" if outcome.problems else "", flush=True)
    if difference and frozen:
        _print_difference(part, difference, frozen.commit, options.data)
    return int(status != "equal" or bool(outcome.problems))


def _print_difference(part: Part, difference: Difference, commit: str, data: Path | None) -> None:
    print(f"    {difference.place or part.title}: {difference.what}")
    if not difference.items:
        return
    path = Path("output/golden") / f"{part.kind}-{part.name}-{difference.line}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_json([answers_of(item) for item in difference.items]), encoding="ascii")
    answers = _json(difference.shown)
    cut = f"\n… {len(answers):,} characters in all" if len(answers) > MOST_PRINTED else ""
    print(f"Now, with all columns in {path}:\n{answers[:MOST_PRINTED]}{cut}")
    command = f"--only {part.kind} --sets {part.name} --show {difference.line}"
    print(
        f"Before: git worktree add FOLDER {commit}, and there, after make setup,\n"
        f"    python -m benchmarks.golden {f'{data} ' if data else ''}{command}",
        flush=True,
    )


def _freeze(part: Part, outcome: Outcome, options: argparse.Namespace) -> int:
    """Write the golden file of a part, unless its answers are there already."""
    found = outcome.found
    if found is None or outcome.problems:
        print("failed, not frozen", *outcome.problems, sep="\n", flush=True)
        return 1
    frozen = part.frozen(options.folder)
    is_known = frozen is not None and frozen.same_answers(found)
    if not is_known:
        found.write(part.path(options.folder))
    print(
        f"{'as before' if is_known else 'frozen'}  {found.items:,} items, {outcome.seconds:.0f} s",
        flush=True,
    )
    return 0


def _show(part: Part, line: int) -> None:
    begin = line * part.block
    items = islice(part.items([]), begin, begin + part.block)
    print(_json([answers_of(item) for item in items]), end="")


def _json(answers: Sequence[dict[str, Any]]) -> str:
    return serialized(answers, indent=1).decode() + "\n"


def _without_pages(parts: Sequence[Part], options: argparse.Namespace) -> list[str]:
    """Return which golden files have no pages in the data."""
    kinds = [options.only] if options.only else KINDS
    known = {part.path(options.folder) for part in parts}
    files = (path for kind in kinds for path in sorted((options.folder / kind).glob("*.txt")))
    return [f"{path}: its pages are not in the data" for path in files if path not in known]


def _commit() -> str:
    """Return the commit whose answers are frozen; raise ValueError if files differ from it."""
    if _git("status", "--porcelain", "--", ".", f":!{FOLDER.relative_to(ROOT)}"):
        raise ValueError("commit first: golden files name the commit they come from")
    return _git("rev-parse", "--short=12", "HEAD").strip()


def _git(*arguments: str) -> str:
    command = ["git", *arguments]
    return run_command(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m benchmarks.golden")
    parser.description = "Compare what is said of known pages with what was frozen."
    parser.add_argument("data", metavar="DATA", nargs="?", type=Path, help="a folder of open sets")
    parser.add_argument("--only", choices=KINDS, help="the answers of the core, or verdicts")
    parser.add_argument(
        "--sets", metavar="NAME,…", type=lambda text: text.split(","), default=[], help="these only"
    )
    parser.add_argument("--jobs", metavar="N", type=int, default=2, help="processes (%(default)s)")
    parser.add_argument(
        "--folder", metavar="DIR", type=Path, default=FOLDER, help="with golden files"
    )
    parser.add_argument("--freeze", action="store_true", help="write the golden files anew")
    parser.add_argument(
        "--show", metavar="LINE", type=int, help="print the answers of a line of a set, from 0 on"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
