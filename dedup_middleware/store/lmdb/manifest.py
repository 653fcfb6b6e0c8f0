"""The manifest: which segments of postings there are, and which of them are being compacted."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from functools import lru_cache

LEVELS_MERGE = 4
"""So many segments of a level become one of the next."""


@dataclass(frozen=True, slots=True)
class Segment:
    """The postings of pages with neighbouring numbers, sorted and cut into parts."""

    number: int
    level: int
    first: int
    """Its first page."""
    last: int
    parts: int
    postings: int


@dataclass(frozen=True, slots=True)
class Compaction:
    """Segments that become one, a few parts at a time."""

    inputs: tuple[int, ...]
    output: Segment
    done: int = 0
    """Parts that are written."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """All segments of a store, by ascending pages; together they hold all pages up to a number."""

    upto: int = 0
    next_segment: int = 1
    segments: tuple[Segment, ...] = ()
    compactions: tuple[Compaction, ...] = ()
    old: tuple[Segment, ...] = ()
    """Segments that were compacted; of each the first `parts` are still there."""

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
            next_segment=facts["next_segment"],
            segments=tuple(Segment(**one) for one in facts["segments"]),
            compactions=tuple(
                Compaction(tuple(one["inputs"]), Segment(**one["output"]), one["done"])
                for one in facts["compactions"]
            ),
            old=tuple(Segment(**one) for one in facts["old"]),
        )

    def with_segment(
        self, level: int, upto: int, parts: int, postings: int
    ) -> tuple[Manifest, Segment]:
        """Add a segment of all pages after those of the others."""
        segment = Segment(self.next_segment, level, self.upto + 1, upto, parts, postings)
        segments = (*self.segments, segment)
        return replace(
            self, upto=upto, next_segment=self.next_segment + 1, segments=segments
        ), segment

    def inputs(self, compaction: Compaction) -> list[Segment]:
        return [segment for segment in self.segments if segment.number in compaction.inputs]

    def ripe(self, most_pages: int) -> list[list[Segment]]:
        """Return the segments that should be compacted and are not yet, oldest first."""
        busy = {number for compaction in self.compactions for number in compaction.inputs}
        groups = []
        for level in {segment.level for segment in self.segments}:
            free = [
                segment
                for segment in self.segments
                if segment.level == level and segment.number not in busy
            ]
            group = free[:LEVELS_MERGE]
            if len(group) == LEVELS_MERGE and group[-1].last - group[0].first < most_pages:
                groups.append(group)
        return groups

    def begin(self, inputs: list[Segment], parts: int) -> Manifest:
        """Begin to compact some segments."""
        output = Segment(
            self.next_segment,
            inputs[0].level + 1,
            inputs[0].first,
            inputs[-1].last,
            parts,
            sum(segment.postings for segment in inputs),
        )
        compaction = Compaction(tuple(segment.number for segment in inputs), output)
        return replace(
            self, next_segment=self.next_segment + 1, compactions=(*self.compactions, compaction)
        )

    def advanced(self, compaction: Compaction, postings: int) -> Manifest:
        """Note one more part of a compaction, of so many postings fewer than its inputs have."""
        output = replace(compaction.output, postings=compaction.output.postings - postings)
        further = replace(compaction, done=compaction.done + 1, output=output)
        compactions = tuple(further if one == compaction else one for one in self.compactions)
        if further.done < output.parts:
            return replace(self, compactions=compactions)
        gone = self.inputs(compaction)
        segments = [
            output if segment == gone[0] else segment
            for segment in self.segments
            if segment not in gone[1:]
        ]
        return replace(
            self,
            segments=tuple(segments),
            compactions=tuple(one for one in compactions if one != further),
            old=(*self.old, *gone),
        )

    def swept(self, parts: int) -> tuple[Manifest, list[tuple[int, int]]]:
        """Return the parts of old segments to be deleted now, at most so many."""
        if not self.old:
            return self, []
        first, *others = self.old
        few = range(max(0, first.parts - parts), first.parts)
        rest = [replace(first, parts=few.start)] if few.start else []
        return replace(self, old=(*rest, *others)), [(first.number, part) for part in few]
