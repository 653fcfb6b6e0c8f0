"""Golden files: answers as hashes, and the first difference between two of them.

A file has a digest of all inputs and of all answers in each column, and then a line for each block
of answers, with a short hash for each column. Digests find any difference; the short hashes find
its place.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

FOLDER = Path(__file__).parent / "frozen"
NOTE = "# Written by python -m benchmarks.golden --freeze: see benchmarks/README.md"
INPUTS = "inputs"
_DIGEST, _SHORT = 16, 2  # bytes


class Item(NamedTuple):
    """An input, and what is answered to it, by column."""

    name: str
    source: bytes
    answers: Mapping[str, Any]


@dataclass(frozen=True)
class Golden:
    """The answers to the inputs of a part."""

    commit: str
    """Of the program that gave the answers."""
    items: int
    block: int
    """How many items share a line."""
    digests: Mapping[str, str]
    """Of the inputs and of each column."""
    lines: Sequence[str]

    @property
    def columns(self) -> list[str]:
        return [name for name in self.digests if name != INPUTS]

    def same_answers(self, other: Golden) -> bool:
        mine, theirs = ((one.items, dict(one.digests)) for one in (self, other))
        return mine == theirs

    def write(self, path: Path) -> None:
        head = [NOTE, f"commit {self.commit}", f"items {self.items}", f"block {self.block}"]
        head += [f"{name} {digest}" for name, digest in self.digests.items()]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join([*head, "", *self.lines, ""]), encoding="ascii")

    @classmethod
    def read(cls, path: Path) -> Golden:
        head, _, lines = path.read_text(encoding="ascii").partition("\n\n")
        values = dict(line.split(" ") for line in head.splitlines()[1:])
        commit, items, block = (values.pop(name) for name in ("commit", "items", "block"))
        return cls(commit, int(items), int(block), values, lines.splitlines())


@dataclass(frozen=True)
class Difference:
    """Where answers differ first from those that were frozen."""

    what: str
    line: int = -1
    """-1 if it has no place."""
    items: Sequence[Item] = ()
    """The items of the line, with what is answered now."""
    columns: Sequence[str] = ()
    """Those in which the line differs."""

    @property
    def shown(self) -> list[dict[str, Any]]:
        """The answers that differ; with a block of items, some of these are as frozen."""
        return [answers_of(item, self.columns) for item in self.items]

    @property
    def place(self) -> str:
        if not self.items:
            return ""
        names = dict.fromkeys(item.name for item in (self.items[0], self.items[-1]))
        return f"line {self.line}, {' to '.join(names)}"


class _Block:
    """Items that share a line."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.hashes: dict[str, hashlib.blake2b] = {}

    def add(self, item: Item, answers: Mapping[str, bytes]) -> None:
        self.items.append(item)
        for name, answer in answers.items():
            made = self.hashes.setdefault(name, hashlib.blake2b(digest_size=_SHORT))
            made.update(answer)

    @property
    def line(self) -> str:
        return " ".join(made.hexdigest() for made in self.hashes.values())


def compared(
    items: Iterable[Item], block: int, commit: str, frozen: Golden | None
) -> tuple[Golden, Difference | None]:
    """Hash answers, and compare them with those that were frozen, if there are any."""
    count, lines = 0, list[str]()
    digests = {INPUTS: hashlib.blake2b(digest_size=_DIGEST)}
    place: Difference | None = None
    for group in _grouped(items, block):
        made = _Block()
        for item in group:
            answers = {name: _sized(serialized(one)) for name, one in item.answers.items()}
            made.add(item, answers)
            name = item.name.encode("utf-8", "replace")
            digests[INPUTS].update(_sized(name) + _sized(item.source))
            for column, answer in answers.items():
                digest = digests.setdefault(column, hashlib.blake2b(digest_size=_DIGEST))
                digest.update(answer)
        count += len(made.items)
        lines.append(made.line)
        place = place or _difference_of_line(frozen, lines, made.items)
    values = {name: digest.hexdigest() for name, digest in digests.items()}
    found = Golden(commit, count, block, values, lines)
    return found, _difference(frozen, found, place) if frozen else None


def _grouped(items: Iterable[Item], size: int) -> Iterator[Iterator[Item]]:
    rest = iter(items)
    for first in rest:
        yield chain((first,), islice(rest, size - 1))


def answers_of(item: Item, columns: Iterable[str] = ()) -> dict[str, Any]:
    """Return the answers to an item by name; all of them, or those of some columns."""
    return {"name": item.name} | {name: item.answers[name] for name in columns or item.answers}


def serialized(answer: Any, indent: int | None = None) -> bytes:
    """Return an answer in JSON; equal answers give equal bytes."""
    return json.dumps(answer, sort_keys=True, indent=indent).encode()


def _difference(frozen: Golden, found: Golden, place: Difference | None) -> Difference | None:
    if frozen.same_answers(found):
        return None
    if frozen.columns != found.columns:
        return Difference(f"the columns were {frozen.columns}, and are {found.columns}")
    if frozen.digests[INPUTS] != found.digests[INPUTS]:
        return Difference(f"the inputs are others ({found.items:,}; frozen: {frozen.items:,})")
    if place:
        count = sum(map(str.__ne__, frozen.lines, found.lines))
        return replace(place, what=f"{place.what}; {count:,} of {len(found.lines):,} lines differ")
    names = [one for one in found.columns if found.digests[one] != frozen.digests[one]]
    return Difference(f"{', '.join(names)}: somewhere, but all short hashes are equal by chance")


def _difference_of_line(
    frozen: Golden | None, lines: Sequence[str], items: Sequence[Item]
) -> Difference | None:
    number = len(lines) - 1
    if frozen is None or number >= len(frozen.lines) or frozen.lines[number] == lines[number]:
        return None
    values = zip(
        items[0].answers, lines[number].split(), frozen.lines[number].split(), strict=False
    )
    names = [name for name, mine, theirs in values if mine != theirs]
    return Difference(f"{', '.join(names)} is not as frozen", number, tuple(items), names)


def _sized(data: bytes) -> bytes:
    return len(data).to_bytes(8, "little") + data
