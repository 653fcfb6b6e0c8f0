"""What is known of hosts.

Pages with a new text that arrive from a host are a log, by host and number. At fixed numbers of
arrivals a generation of the host's memory is published: a pure function of the arrivals up to that
number, so that whichever process gets there computes the same. What it has counted is kept for the
next generation, and the log up to there is deleted.
"""

from __future__ import annotations

import secrets
import struct
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING

from dedup_middleware.fingerprint.rarity import FIRST_GENERATION, LAST_PAGE, SiteCounts
from dedup_middleware.fingerprint.site import UNKNOWN_SITE, Arrival, SiteMemory

from .engine import NUMBER, number_of

if TYPE_CHECKING:
    from .engine import Batch, Snapshot

MOST_HOSTS = 64
"""Hosts whose counts are kept, so that their arrivals need not be read again."""
MOST_MEMORIES = 1024
SITES_VERSION = b"sites"
"""In `meta`: a random value that changes with every generation of a host."""
_TEXT = struct.Struct("<Q")


def generation_of(arrivals: int) -> int:
    """Return the generation that is published after so many arrivals.

    >>> [generation_of(arrivals) for arrivals in (3, 4, 7, 8, 16)]
    [0, 1, 1, 2, 3]
    """
    if arrivals < FIRST_GENERATION:
        return 0
    return arrivals.bit_length() - FIRST_GENERATION.bit_length() + 1


def end_of(generation: int) -> int:
    """Return the number of the arrival with which the next generation begins.

    >>> [end_of(generation) for generation in (0, 1, 2)]
    [4, 8, 16]
    """
    return FIRST_GENERATION << generation


def arrival_key(host: bytes, number: int) -> bytes:
    return host + NUMBER.pack(number)


class Hosts:
    """What a process remembers of hosts: memories of generations, and counts of arrivals."""

    def __init__(self) -> None:
        self._memories: dict[bytes, tuple[bytes | None, SiteMemory]] = {}
        self._counts: OrderedDict[bytes, SiteCounts] = OrderedDict()

    def memory(self, snapshot: Snapshot, host: bytes) -> SiteMemory:
        """Return what is known of a host, as of the generation that a snapshot shows."""
        version = snapshot.get("meta", (SITES_VERSION,))[0]
        known = self._memories.get(host)
        if known and known[0] == version:
            return known[1]
        memory = known[1] if known else UNKNOWN_SITE
        generation = generation_of(number_of(snapshot.get("site_pages", (host,))[0]))
        if memory.generation != generation:
            data = snapshot.get("sites", (host,))[0]
            memory = SiteMemory.unpack(data) if data else UNKNOWN_SITE
            if memory.generation != generation:  # it is damaged
                memory = replace(memory, generation=generation)
        if len(self._memories) >= MOST_MEMORIES:
            self._memories.clear()
        self._memories[host] = version, memory
        return memory

    def remembered(self, host: bytes) -> SiteMemory:
        """Return what was known of a host when a page of it was last judged here."""
        return self._memories.get(host, (None, UNKNOWN_SITE))[1]

    def add(
        self,
        batch: Batch,
        snapshot: Snapshot,
        host: bytes,
        arrival: Arrival,
        generation: int | None,
    ) -> bool:
        """Add what a page tells about its host to a batch.

        Return False if the host has come to another generation than the one that was seen; None:
        nothing has changed since.
        """
        arrivals = number_of(snapshot.get("site_pages", (host,))[0])
        known = generation_of(arrivals)
        if generation not in (None, known):
            return False
        end = end_of(known)
        batch.bound = host, end
        text = host + _TEXT.pack(arrival.text)
        if arrivals >= LAST_PAGE or snapshot.get("site_texts", (text,))[0] is not None:
            return True
        batch.expect.append(("site_texts", text, None))
        batch.puts.append(("site_texts", text, b""))
        if arrivals + 1 < end:
            batch.arrival = host, arrivals, arrival.pack()
        else:
            self._publish(batch, snapshot, host, arrival, arrivals)
        return True

    def note(self, batch: Batch, arrival: Arrival, number: int) -> None:
        """Count an arrival that was written under a number, if those before it were counted."""
        if batch.published:
            self._keep(*batch.published)
        elif batch.arrival:
            host, *_ = batch.arrival
            counts = self._counts.get(host) or (
                self._keep(host, SiteCounts()) if number == 1 else None
            )
            if counts and counts.pages == number - 1:
                counts.learn(arrival)

    def _publish(
        self, batch: Batch, snapshot: Snapshot, host: bytes, arrival: Arrival, arrivals: int
    ) -> None:
        """Add the next generation of a host to a batch, with the arrival that it begins with."""
        before = snapshot.get("site_counts", (host,))[0]
        folded = SiteCounts.packed_pages(before) if before else 0
        counts = self._counts.pop(host, None)
        if counts is None or counts.pages > arrivals:
            counts = SiteCounts.unpack(before) if before else SiteCounts()
        missing = [arrival_key(host, n) for n in range(counts.pages + 1, arrivals + 1)]
        for packed in snapshot.get("arrivals", missing):
            if packed is not None:  # else it is damaged
                counts.learn(Arrival.unpack(packed))
        counts.learn(arrival)
        memory = counts.generation(generation_of(arrivals + 1))
        batch.published = host, counts
        batch.expect.append(("site_pages", host, NUMBER.pack(arrivals) if arrivals else None))
        batch.puts += (
            ("site_pages", host, NUMBER.pack(arrivals + 1)),
            ("sites", host, memory.pack()),
            ("site_counts", host, counts.pack()),
            ("meta", SITES_VERSION, secrets.token_bytes(8)),
        )
        batch.deletes += (
            ("arrivals", arrival_key(host, n)) for n in range(folded + 1, arrivals + 1)
        )

    def _keep(self, host: bytes, counts: SiteCounts) -> SiteCounts:
        self._counts[host] = counts
        if len(self._counts) > MOST_HOSTS:
            self._counts.popitem(last=False)
        return counts
