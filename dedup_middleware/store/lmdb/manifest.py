"""Which sorted runs of postings there are, and which of them are being merged."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from functools import lru_cache

LEVELS_MERGE = 4
"""So many runs of a level become one of the next."""


@dataclass(frozen=True, slots=True)
class Run:
    """The postings of pages with neighbouring numbers, sorted and cut into parts."""

    number: int
    level: int
    first: int
    """Its first page."""
    last: int
    parts: int
    postings: int


@dataclass(frozen=True, slots=True)
class Merge:
    """Runs that become one, a few parts at a time."""

    inputs: tuple[int, ...]
    output: Run
    done: int = 0
    """Parts that are written."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """All runs of a store, by ascending pages; together they hold all pages up to a number."""

    upto: int = 0
    next_run: int = 1
    runs: tuple[Run, ...] = ()
    merges: tuple[Merge, ...] = ()
    old: tuple[Run, ...] = ()
    """Runs that were merged; of each the first `parts` are still there."""

    def pack(self) -> bytes:
        return json.dumps(asdict(self), separators=(",", ":")).encode()

    @staticmethod
    @lru_cache(maxsize=4)
    def unpack(data: bytes | None) -> Manifest:
        if data is None:
            return Manifest()
        facts = json.loads(data)
        return Manifest(
            upto=facts["upto"],
            next_run=facts["next_run"],
            runs=tuple(Run(**one) for one in facts["runs"]),
            merges=tuple(
                Merge(tuple(one["inputs"]), Run(**one["output"]), one["done"])
                for one in facts["merges"]
            ),
            old=tuple(Run(**one) for one in facts["old"]),
        )

    def with_run(self, level: int, upto: int, parts: int, postings: int) -> tuple[Manifest, Run]:
        """Add a run of all pages after those of the others."""
        run = Run(self.next_run, level, self.upto + 1, upto, parts, postings)
        runs = (*self.runs, run)
        return replace(self, upto=upto, next_run=self.next_run + 1, runs=runs), run

    def inputs(self, merge: Merge) -> list[Run]:
        return [run for run in self.runs if run.number in merge.inputs]

    def ripe(self, most_pages: int) -> list[list[Run]]:
        """Return the runs that should be merged and are not yet, oldest first."""
        busy = {number for merge in self.merges for number in merge.inputs}
        groups = []
        for level in {run.level for run in self.runs}:
            free = [run for run in self.runs if run.level == level and run.number not in busy]
            group = free[:LEVELS_MERGE]
            if len(group) == LEVELS_MERGE and group[-1].last - group[0].first < most_pages:
                groups.append(group)
        return groups

    def begin(self, inputs: list[Run], parts: int) -> Manifest:
        """Begin to merge some runs."""
        output = Run(
            self.next_run,
            inputs[0].level + 1,
            inputs[0].first,
            inputs[-1].last,
            parts,
            sum(run.postings for run in inputs),
        )
        merge = Merge(tuple(run.number for run in inputs), output)
        return replace(self, next_run=self.next_run + 1, merges=(*self.merges, merge))

    def advanced(self, merge: Merge, postings: int) -> Manifest:
        """Note one more part of a merge, of so many postings fewer than its inputs have."""
        output = replace(merge.output, postings=merge.output.postings - postings)
        further = replace(merge, done=merge.done + 1, output=output)
        merges = tuple(further if one == merge else one for one in self.merges)
        if further.done < output.parts:
            return replace(self, merges=merges)
        gone = self.inputs(merge)
        runs = [output if run == gone[0] else run for run in self.runs if run not in gone[1:]]
        return replace(
            self,
            runs=tuple(runs),
            merges=tuple(one for one in merges if one != further),
            old=(*self.old, *gone),
        )

    def swept(self, parts: int) -> tuple[Manifest, list[tuple[int, int]]]:
        """Return the parts of old runs to be deleted now, at most so many."""
        if not self.old:
            return self, []
        first, *others = self.old
        few = range(max(0, first.parts - parts), first.parts)
        rest = [replace(first, parts=few.start)] if few.start else []
        return replace(self, old=(*rest, *others)), [(first.number, part) for part in few]
