"""`scrapy dedup train`: learn from pages which words go together, for comparing sentences."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import DedupError
from dedup_middleware.settings import Settings
from dedup_middleware.text import safe

from ._sources import FEEDS, PAGES, Sources

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from scrapy.settings import BaseSettings

    from dedup_middleware.lab.training import Trainer
    from dedup_middleware.read import Outline
    from dedup_middleware.similarity.model import Model
    from dedup_middleware.store.lmdb.environment import Environment

_AT_ONCE = 64  # pages that are taken out of a store together
_EXAMPLES = 4
_LEAST_NEIGHBOURS = 3


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="*",
        type=Path,
        metavar="PATH",
        help=f"pages ({' '.join(PAGES)}), feeds ({' '.join(FEEDS)}; objects with url and html, "
        "or url and text), each also with .gz, or folders of them; hidden folders are left out",
    )
    parser.add_argument(
        "--store", type=Path, metavar="DIR", help="learn from the pages of this store, too"
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        required=True,
        help="write the model here; a model that is there already is replaced",
    )
    parser.add_argument("--json", action="store_true", help="print the summary as a JSON object")


def run(opts: Namespace, settings: BaseSettings) -> int:
    chosen = Settings.from_scrapy(settings)
    if not (opts.paths or opts.store):
        opts.parser.error("name what to learn from: PATH…, --store DIR, or both")
    for path in opts.paths:
        try:
            path.stat()
        except OSError as error:
            raise DedupError(f"{path}: {error.strerror}") from error
    # numpy, lmdb and their kind: not before they are needed
    from dedup_middleware.lab.training import Trainer
    from dedup_middleware.similarity.model import save

    number = _next_number(opts.output)
    training = _Training(opts, chosen, Trainer())
    training.run()
    model = training.model(number)
    save(model, opts.output)
    if opts.json:
        sys.stdout.write(f"{json.dumps(training.facts(model))}\n")
    else:
        sys.stdout.write(training.summary(model))
    return 0


class _Training:
    def __init__(self, opts: Namespace, settings: Settings, trainer: Trainer) -> None:
        self._paths: list[Path] = opts.paths
        self._store: Path | None = opts.store
        self._output: Path = opts.output
        self._settings = settings
        self._trainer = trainer
        self._unreadable = 0
        self._started = time.monotonic()
        self._bar: Any = None

    def run(self) -> None:
        try:
            if self._store:
                self._learn_from_store(self._store)
            if self._paths:
                self._learn_from_paths()
        finally:
            self._close_bar()

    def model(self, number: int) -> Model:
        """Give what was learned, if that is anything."""
        if not self._trainer.used:
            raise DedupError("No page with words was found; there is nothing to learn from")
        model = self._trainer.model(number)
        if not model.words:
            raise DedupError(
                f"No word stands in enough of the {model.documents:,} different pages; "
                "learn from some hundred or more"
            )
        return model

    def facts(self, model: Model) -> dict[str, Any]:
        trainer = self._trainer
        return {
            "model": model.number,
            "output": str(self._output),
            "bytes": self._output.stat().st_size,
            "seconds": round(time.monotonic() - self._started, 3),
            "documents": model.documents,
            "duplicate": trainer.duplicates,
            "spare": trainer.spare,
            "empty": trainer.empty,
            "unreadable": self._unreadable,
            "words": len(model.words),
            "pairs": len(model.neighbours) // 2,
        }

    def summary(self, model: Model) -> str:
        trainer, output = self._trainer, self._output
        seconds = time.monotonic() - self._started
        size = output.stat().st_size / 1024
        rows = [
            ("Model", f"{model.number:,}, {size:,.0f} KiB in {output}, after {seconds:.1f} s"),
            ("Documents", f"{model.documents:,} learned from"),
            ("  duplicate", f"{trainer.duplicates:,} left out"),
            ("  spare", f"{trainer.spare:,} left out of the sample"),
            ("  empty", f"{trainer.empty:,} without words"),
            ("  unreadable", f"{self._unreadable:,}{', told on stderr' * bool(self._unreadable)}"),
            ("Words", f"{len(model.words):,}"),
            ("Pairs", f"{len(model.neighbours) // 2:,}"),
            *(("  such as", example) for example in _examples(model)),
            ("Next", f"DEDUP_MODEL = {json.dumps(str(output), ensure_ascii=False)} in settings"),
        ]
        return "".join(f"{name:<12} {safe(value)}\n" for name, value in rows)

    def _learn_from_store(self, path: Path) -> None:
        from dedup_middleware.store import open_reader
        from dedup_middleware.store.lmdb.environment import acquire, release, translated

        size = self._settings.map_size
        with ExitStack() as stack:
            stack.enter_context(open_reader(path, map_size=size))
            environment = acquire(path, size)  # the one that the store has open
            stack.callback(release, environment)
            stack.enter_context(translated(str(path)))
            pages = _Pages(environment)
            self._open_bar(len(pages), unit=" pages")
            for done, outline in enumerate(pages, 1):
                self._learn(outline, done)
        self._close_bar()

    def _learn_from_paths(self) -> None:
        from dedup_middleware.read import UnreadablePage, read

        limits = {"max_html": self._settings.max_html, "max_text": self._settings.max_text}
        sources = Sources(
            self._paths,
            complain=self._complain,
            max_html=self._settings.max_html,
            leave_out=[self._store] if self._store else [],
        )
        if sys.stderr.isatty():
            self._open_bar(sources.size(), unit="B", unit_scale=True, unit_divisor=1024)
        for page in sources:
            try:
                self._learn(read(page, **limits), sources.bytes_read)
            except UnreadablePage:
                self._unreadable += 1
                self._complain(f"{page.url}: can't be read as HTML; skipped")
        self._unreadable += sources.problems

    def _learn(self, outline: Outline, done: int) -> None:
        self._trainer.add(_sentences(outline, self._settings))
        if self._bar is not None:
            self._bar.set_postfix_str(f"{self._trainer.used:,} documents", refresh=False)
            self._bar.update(done - self._bar.n)

    def _complain(self, text: str) -> None:
        if self._bar is not None:
            self._bar.write(safe(text), file=sys.stderr)
        else:
            sys.stderr.write(f"{safe(text)}\n")

    def _open_bar(self, total: int, **options: Any) -> None:
        if sys.stderr.isatty():
            from tqdm import tqdm  # only where somebody watches

            self._bar = tqdm(total=total, leave=False, **options)

    def _close_bar(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class _Pages:
    """The outlines of all pages of a store, in the order of arrival.

    Some are taken at a time: a long snapshot would keep the store from reusing its space.
    """

    def __init__(self, environment: Environment) -> None:
        self._environment = environment

    def __len__(self) -> int:
        with self._environment.begin() as txn:
            return int(txn.stat(self._environment.db["outlines"])["entries"])

    def __iter__(self) -> Iterator[Outline]:
        from dedup_middleware.store import packing

        last = b""
        while True:
            with (
                self._environment.begin() as txn,
                txn.cursor(self._environment.db["outlines"]) as cursor,
            ):
                if not cursor.set_range(last + b"\0"):  # the first key behind it
                    return
                found = [(bytes(key), bytes(value)) for key, value in islice(cursor, _AT_ONCE)]
            yield from (packing.unpack(packed) for _, packed in found)
            last = found[-1][0]


def _sentences(outline: Outline, settings: Settings) -> list[tuple[str, ...]]:
    from dedup_middleware.similarity.prepared import Prepared

    return [sentence.words for sentence in Prepared(outline, settings.numbers).sentences]


def _next_number(output: Path) -> int:
    """Number a new model after the one that it replaces; nothing else is replaced."""
    from dedup_middleware.similarity.model import load

    if output.exists():
        try:
            return load(output).number + 1
        except DedupError as error:
            raise DedupError(
                f"{output} is there already and can't be read as a model; "
                "delete it, or name another file"
            ) from error
    if not os.access(output.parent, os.W_OK | os.X_OK):
        raise DedupError(f"Can't write {output}: no folder {output.parent} that may be written to")
    return 1


def _examples(model: Model) -> Iterator[str]:
    """Show what goes together with frequent words; those that stand everywhere say least."""
    words = sorted(model.words, key=lambda word: model.frequency(word) * 10 > model.documents)
    lists = ((word, model.closest(word, _LEAST_NEIGHBOURS)) for word in words)
    known = ((word, closest) for word, closest in lists if len(closest) == _LEAST_NEIGHBOURS)
    for word, closest in islice(known, _EXAMPLES):
        yield f"{word}: {', '.join(f'{other} {factor:.2f}' for other, factor in closest)}"
