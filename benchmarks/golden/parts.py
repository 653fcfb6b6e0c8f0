"""Parts: the pages that answers are frozen for, each in a golden file of its own.

Some are pages of open sets, which are not part of the project. The project makes the others itself:
those of the demo web, and random ones.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from crawler.demo import PAGES, build
from dedup_middleware import Deduplicator, Page
from lab.accuracy.sets import batches_of, find_sets
from lab.html5 import cases, encodings
from lab.rows import existing, page_problem, read_rows

from . import adapter
from .files import Golden, Item
from .inputs import Dice, edited, random_page

if TYPE_CHECKING:
    from pathlib import Path

    from crawler.demo import Resource
    from lab.accuracy.sets import PageSet, Row

Items = Callable[[list[str]], Iterable[Item]]
"""What yields the items of a part; malformed lines are added to the list."""

CORE, VERDICTS = "core", "verdicts"
KINDS = (CORE, VERDICTS)
TESTS_BLOCK, RANDOM_BLOCK = 8, 20
RANDOM_PARTS = (range(2_000), *(range(at, at + 14_000) for at in range(2_000, 100_000, 14_000)))
RANDOM_JUDGED = range(1_000)
SHORT_TEXT, EACH = 500, 8  # characters; of each such random page no more is read
DEMO_SEED = 7
# as in a crawl, in which only ports distinguish hosts
DEMO_HOSTS = ("http://127.0.0.1:8000", "http://127.0.0.1:8001")
# any bytes are valid in it, so that no encoding is guessed: guesses depend on installed packages
ANY_BYTES = "koi8-r"


@dataclass(frozen=True)
class Part:
    """Pages, and what is asked about them."""

    kind: str
    name: str
    items: Items
    block: int = 1
    """How many items share a line of the golden file."""

    @property
    def title(self) -> str:
        return f"{self.kind}/{self.name}"

    def path(self, folder: Path) -> Path:
        """Return where its golden file is."""
        return folder / self.kind / f"{self.name}.txt"

    def frozen(self, folder: Path) -> Golden | None:
        path = self.path(folder)
        return Golden.read(path) if path.is_file() else None


def all_parts(data: Path | None, problems: list[str]) -> list[Part]:
    """Return the parts that the project makes, and those of a folder of open sets."""
    return [*(_open_parts(data, problems) if data else ()), *own_parts()]


def own_parts() -> Iterator[Part]:
    """Yield the parts that need no data."""
    for numbers in reversed(RANDOM_PARTS):  # the long ones first
        yield Part(
            CORE, f"random-{numbers.start:05}", partial(_random_items, numbers), RANDOM_BLOCK
        )
    yield Part(CORE, "demo", lambda _: _core_items(_demo_pages()))
    yield Part(VERDICTS, "demo", lambda _: _judged([_demo_pages()]))
    yield Part(VERDICTS, "random", lambda _: _judged([_random_pages(RANDOM_JUDGED)]))


def _open_parts(data: Path, problems: list[str]) -> Iterator[Part]:
    """Yield the parts of open sets, the large ones first."""
    found = [(one.name, existing(one, "pages")) for one in data.iterdir() if one.is_dir()]
    files = {name: path for name, path in [*found, ("pages", existing(data, "pages"))] if path}
    for name in sorted(files, key=lambda name: -files[name].stat().st_size):
        yield Part(CORE, name, partial(_file_items, files[name]))
    labelled = [one for one in data.iterdir() if (one / "meta.json").is_file()]
    sets = find_sets(labelled, problems)
    for page_set in sorted(sets, key=lambda one: -one.pages.stat().st_size):
        yield Part(VERDICTS, page_set.name, partial(_set_items, page_set))
    tests = data / "html5lib-tests"
    if tests.is_dir():
        folder = tests / "tokenizer"
        yield Part(CORE, "html5lib-tokenizer", lambda _: _tokenizer_items(folder), TESTS_BLOCK)
        yield Part(CORE, "html5lib-encoding", lambda _: _encoding_items(tests / "encoding"))


def _file_items(path: Path, problems: list[str]) -> Iterator[Item]:
    rows = read_rows(path, page_problem, problems)
    return _core_items(_page(row) for row in rows if row is not None)


def _set_items(page_set: PageSet, problems: list[str]) -> Iterator[Item]:
    return _judged(map(_page, batch) for batch in batches_of(page_set, problems))


def _page(row: Row) -> Page:
    body = row["html"].encode("utf-8", "surrogatepass")
    return Page(url=row["url"], html=body, encoding="utf-8")


def _judged(batches: Iterable[Iterable[Page]]) -> Iterator[Item]:
    """Judge pages in order; those of a batch share a store."""
    for batch in batches:
        with (
            tempfile.TemporaryDirectory(prefix="golden-") as folder,
            Deduplicator(f"{folder}/store") as dedup,
        ):
            for page in batch:
                answer = adapter.verdict_answer(dedup.process(page))
                yield Item(page.url, page.body, {"verdict": answer})


def _core_items(pages: Iterable[Page]) -> Iterator[Item]:
    """Read pages, and compare each with an edited copy of it and with the page before it."""
    before = None
    for number, page in enumerate(pages):
        read, copy = adapter.read(page), adapter.read(_edited(number, page))
        answers = {
            "reading": adapter.reading(read),
            "fingerprint": adapter.fingerprint(read),
            "comparison": [
                adapter.comparison(read, known) if known else None for known in (copy, before)
            ],
        }
        yield Item(page.url, page.body, answers)
        before = read


def _random_items(numbers: Iterable[int], _: list[str]) -> Iterator[Item]:
    """Read random pages and edited copies of them, and compare the two in all ways."""
    for number in numbers:
        page = _random_page(number)
        most = adapter.MAX_TEXT if number % EACH else SHORT_TEXT
        both = [adapter.read(one, most) for one in (page, _edited(number, page))]
        answers = {
            "reading": [adapter.reading(one) for one in both],
            "fingerprint": [adapter.fingerprint(one) for one in both],
            "comparison": adapter.comparison(*both),
            "other_test": (adapter.by_overlap if number % 4 else adapter.without_numbers)(*both),
        }
        yield Item(f"random page {number}", page.body, answers)


def _random_pages(numbers: Iterable[int]) -> Iterator[Page]:
    for number in numbers:
        page = _random_page(number)
        yield page
        yield _edited(number, page)


def _random_page(number: int) -> Page:
    url = f"https://host{number % 20}.example/{number}"
    return Page(url=url, html=random_page(number), encoding=ANY_BYTES)


def _edited(number: int, page: Page) -> Page:
    html = edited(number, page.body.decode("utf-8", "replace"))
    return Page(url=f"{page.url}?copy", html=html.encode(), encoding="utf-8")


def _demo_pages() -> Iterator[Page]:
    """Yield all pages of a demo web in random order, then those that are fetched again."""
    web = build(DEMO_SEED, PAGES, *DEMO_HOSTS)
    resources = [one for one in web.resources if one.judged]
    for resource in Dice(DEMO_SEED).shuffled(resources):
        yield _demo_page(resource, 0)
    for resource in resources:
        for version in range(1, len(resource.versions)):
            yield _demo_page(resource, version)


def _demo_page(resource: Resource, version: int) -> Page:
    encoding = resource.content_type.partition("charset=")[2]
    return Page(url=resource.url, html=resource.versions[version].body, encoding=encoding or None)


def _tokenizer_items(folder: Path) -> Iterator[Item]:
    for case in cases.read_cases(folder):
        html = case.html
        page = Page(url="https://html5.example/", html=html)
        answers = {
            "tokens": adapter.tokens(html),
            "elements": adapter.elements(html),
            "reading": adapter.reading(adapter.read(page)),
        }
        name = f"{case.file}, {case.description}, {case.state}"
        yield Item(name, html.encode("utf-8", "surrogatepass"), answers)


def _encoding_items(folder: Path) -> Iterator[Item]:
    for number, case in enumerate(encodings.read_cases(folder)):
        # a text behind it shows how it was decoded
        page = Page(
            url="https://html5.example/",
            html=case.data + b"\n" + case.probe.encode(case.encoding),
        )
        answers = {"reading": adapter.reading(adapter.read(page))}
        yield Item(f"{case.file}, test {number}", page.body, answers)
