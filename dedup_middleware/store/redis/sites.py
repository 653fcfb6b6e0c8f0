"""What is learned of hosts: arrivals wait on the server until a generation is due."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dedup_middleware.fingerprint.site import Arrival, SiteCounts, SiteMemory

from .layout import NUMBER

if TYPE_CHECKING:
    from .connection import Server


def next_generation(
    server: Server, host: bytes, arrival: Arrival, pages: int
) -> tuple[bytes, bytes, bytes]:
    """Return a number of pages, and memory and counts of their host, of which an arrival is last.

    The commit script takes them if it finds as many pages.
    """
    tables = server.tables
    counted, memory = server.calls(
        [("HGET", tables["site_counts"], host), ("HGET", tables["sites"], host)]
    )
    counts = SiteCounts.unpack(counted) if counted else SiteCounts()
    fields = [host + NUMBER.pack(number) for number in range(counts.pages + 1, pages)]
    waiting = server.call("HMGET", tables["arrivals"], *fields) if fields else []
    for packed in waiting:
        if packed:  # else somebody else was faster, and the script will find more pages
            counts.learn(Arrival.unpack(packed))
    counts.learn(arrival)
    before = SiteMemory.unpack(memory).generation if memory else 0
    return b"%d" % pages, counts.generation(before + 1).pack(), counts.pack()
