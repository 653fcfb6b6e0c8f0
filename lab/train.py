"""`python -m lab.train`: train the word model for comparing sentences on your pages."""

from __future__ import annotations

import json
import os
import sys
import time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dedup_middleware.commands._arguments import add_paths, check_paths
from dedup_middleware.commands._screen import ProgressBar
from dedup_middleware.errors import DedupError
from dedup_middleware.settings import Settings
from dedup_middleware.similarity import SentenceTest
from dedup_middleware.similarity.model import load, save
from dedup_middleware.store import open_reader
from dedup_middleware.text import escape
from lab.command import main
from lab.page_reader import PageReader
from lab.training import Trainer

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from scrapy.settings import BaseSettings

    from dedup_middleware.read import Outline
    from dedup_middleware.similarity.model import Model
    from dedup_middleware.store import Reader

_AT_ONCE = 64  # pages: a long snapshot would keep the store from reusing its space
_EXAMPLES = 4
_LEAST_NEIGHBOURS = 3


def add_arguments(parser: ArgumentParser) -> None:
    add_paths(parser, required=False)
    parser.add_argument(
        "--store", type=Path, metavar="DIR", help="learn from the pages of this store, too"
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        required=True,
        help="write the model here, in place of an earlier one",
    )
    parser.add_argument("--json", action="store_true", help="print the summary as a JSON object")


def run(opts: Namespace, settings: BaseSettings) -> int:
    chosen = Settings.from_scrapy(settings)
    if not (opts.paths or opts.store):
        opts.parser.error("name what to learn from: PATH…, --store DIR, or both")
    check_paths(opts.paths)
    started = time.monotonic()
    number = _next_number(opts.output)
    trainer = Trainer()
    unreadable = _train(trainer, opts, chosen)
    model = _model(trainer, number)
    save(model, opts.output)
    facts = {
        "model": model.number,
        "output": str(opts.output),
        "bytes": opts.output.stat().st_size,
        "seconds": round(time.monotonic() - started, 3),
        "documents": model.documents,
        "duplicate": trainer.duplicates,
        "spare": trainer.spare,
        "empty": trainer.empty,
        "unreadable": unreadable,
        "words": len(model.words),
    }
    sys.stdout.write(f"{json.dumps(facts)}\n" if opts.json else _summary(facts, model))
    return 0


def _train(trainer: Trainer, opts: Namespace, settings: Settings) -> int:
    """Learn from the store and the paths; return the number of unreadable pages."""
    test = SentenceTest("thesis")  # which says what a word is

    def learn(outline: Outline) -> None:
        page = test.prepare(outline)
        trainer.add(sentence.words for sentence in page.sentences)

    def note() -> str:
        return f"{trainer.used:,} documents"

    if opts.store:
        with open_reader(opts.store, map_size=settings.map_size) as store:
            with store.snapshot() as view:
                total = sum(1 for _ in view.numbers())
            with ProgressBar(total, "Reading the store") as bar:
                for done, outline in enumerate(_stored_outlines(store), 1):
                    learn(outline)
                    bar.reach(done, note())
    reader = PageReader(opts.paths, settings, leave_out=[opts.store] if opts.store else [])
    for _, outline in reader.pages(note):
        learn(outline)
    return reader.problems


def _stored_outlines(store: Reader) -> Iterator[Outline]:
    """Yield the outlines of all registered pages, in order of arrival."""
    last = 0
    while True:
        with store.snapshot() as view:
            numbers = list(islice(view.numbers(after=last), _AT_ONCE))
            outlines = view.outlines(numbers)
        if not numbers:
            return
        yield from outlines
        last = numbers[-1]


def _model(trainer: Trainer, number: int) -> Model:
    """Return the model; raise an error if there was too little to learn from."""
    if not trainer.used:
        raise DedupError("No page with words was found; there is nothing to learn from")
    model = trainer.model(number)
    if not model.words:
        raise DedupError(
            f"No word occurs in enough of the {model.documents:,} different pages; "
            "learn from some hundred or more"
        )
    return model


def _summary(facts: dict[str, Any], model: Model) -> str:
    output, unreadable = facts["output"], facts["unreadable"]
    where = f"{facts['bytes'] / 1024:,.0f} KiB in {output}, after {facts['seconds']:.1f} s"
    options = {"sentences": "thesis", "model": output}
    rows = [
        ("Model", f"{model.number:,}, {where}"),
        ("Documents", f"{facts['documents']:,} learned from"),
        ("  duplicate", f"{facts['duplicate']:,} left out"),
        ("  spare", f"{facts['spare']:,} left out of the sample"),
        ("  empty", f"{facts['empty']:,} without words"),
        ("  unreadable", f"{unreadable:,}{', reported on stderr' if unreadable else ''}"),
        ("Words", f"{facts['words']:,}"),
        *(("  such as", example) for example in _examples(model)),
        ("Next", f"DEDUP_METHOD_OPTIONS = {json.dumps(options, ensure_ascii=False)}"),
    ]
    return "".join(f"{name:<12} {escape(value)}\n" for name, value in rows)


def _next_number(output: Path) -> int:
    """Return the number of the model to be written; only another model is replaced."""
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
    """Yield frequent words with their closest ones; words of many pages come last."""
    words = sorted(model.words, key=lambda word: model.frequency(word) * 10 > model.documents)
    lists = ((word, model.closest(word, _LEAST_NEIGHBOURS)) for word in words)
    known = ((word, closest) for word, closest in lists if len(closest) == _LEAST_NEIGHBOURS)
    for word, closest in islice(known, _EXAMPLES):
        yield f"{word}: {', '.join(f'{other} {factor:.2f}' for other, factor in closest)}"


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
