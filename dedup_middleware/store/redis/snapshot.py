"""A store on a server, as it was a moment ago."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from dedup_middleware.fingerprint.scheme import lookup_keys
from dedup_middleware.store.engine import AT_ONCE, NUMBER, TableSize, number_of, portions
from dedup_middleware.store.hosts import SITES_VERSION, revisits_of
from dedup_middleware.store.packing import PAGE_IN_URL
from dedup_middleware.store.runs import RUNS_VERSION

from .connection import KEPT_TOKENS, KEYS, pairs, unpacked_numbers
from .postings import ENTRY, Buckets, mixed, search

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dedup_middleware.fingerprint.scheme import Keys
    from dedup_middleware.store.engine import Found, Wanted

    from .engine import RedisEngine
    from .postings import Known

FEW_RECORDS, FEW_OUTLINES = 16, 4
"""Of pages that share most keys with a page: they are fetched before anybody asks for them."""
MOST_ENTRIES = 20_000
MANY_KEYS = 4  # texts of pages that share fewer are rarely asked for
SAMPLES = 1000  # entries of a table from which the server estimates its size
_COUNTING = {"log": "LLEN", "withdrawn": "STRLEN", "buckets": "STRLEN"}
_META = (b"id", b"version", b"page", b"sequence", RUNS_VERSION, SITES_VERSION, b"header")
_NOTHING: Found = np.empty((0, 2), np.uint32)


class RedisSnapshot:
    """What one round trip has fetched; what it lacks is fetched when it is asked for."""

    def __init__(self, engine: RedisEngine, wanted: Sequence[Wanted] = ()) -> None:
        self._engine = engine
        self._server = engine.server
        self._is_judging = bool(wanted)
        self._entries: dict[tuple[str, bytes], bytes | None] = {}
        self._looked_up: dict[int, tuple[Keys, Found]] = {}
        """Keys and what they lead to, by the first key."""
        keys = [lookup_keys(one.fingerprint, alike=one.alike) for one in wanted]
        before, also = engine.seen, dict[tuple[str, bytes], None]()
        for one in wanted:
            also |= dict.fromkeys(("urls", url) for url in one.urls)
            text = one.host + one.fingerprint.digest[:8]
            also |= {("site_pages", one.host): None, ("site_texts", text): None}
            also["site_pages", revisits_of(one.host)] = None
        facts = (*_META, b"token", b"token %d" % (before[0] % KEPT_TOKENS))
        if wanted:
            all_keys = np.concatenate(keys)
            meta, known, in_buckets = self._look(all_keys, list(also), facts)
        else:
            meta = self._server.call("HMGET", self._server.names["meta"], *facts)
        *meta, token, known_token = meta
        engine.note(meta[0] or b"", int(meta[1] or 0), token or b"", before, known_token or b"")
        self.version: int | None = int(meta[1] or 0)
        self.last_page, self.last_sequence = number_of(meta[2]), number_of(meta[3])
        self._entries |= {("meta", name): data for name, data in zip(_META, meta, strict=True)}
        self._likely: list[bytes] = []
        self._nearest: list[bytes] = []
        if wanted:
            found, start = self._all(all_keys, known, in_buckets), 0
            for one, some in zip(wanted, keys, strict=True):
                first, end = found[:, 0].searchsorted((start, start + len(some)))
                own = found[first:end] - np.array((start, 0), np.uint32)
                self._looked_up[int(some[0])] = some, own
                self._expect(one, own)
                start += len(some)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Hold nothing."""

    def get(self, table: str, keys: Sequence[bytes]) -> list[bytes | None]:
        entries = self._bounded()
        missing = [key for key in keys if (table, key) not in entries]
        if missing and self._is_judging and table == "outlines":
            missing = self._uncached(table, missing)
        elif missing and self._is_judging and table == "pending":
            more, self._likely = [*missing, *self._likely], []
            missing = self._uncached("pages", dict.fromkeys(more))  # whose pages are delivered
            entries |= {(table, key): None for key in more if key not in missing}
        if missing:
            self._fetch(table, missing)
        return [entries[table, key] for key in keys]

    def _fetch(self, table: str, keys: Sequence[bytes]) -> None:
        """Fetch entries; with the marks of pending pages come their records, and likely texts."""
        wanted = {table: keys}
        if table == "pending":
            nearest, self._nearest = self._uncached("outlines", self._nearest), []
            wanted |= {"pages": keys, "outlines": nearest}
        names, entries = self._server.names, self._entries
        commands = [
            ("HMGET", names[one], *part) for one, some in wanted.items() for part in portions(some)
        ]
        answers = iter(value for answer in self._server.calls(commands) for value in answer)
        for one, some in wanted.items():
            entries |= {(one, key): next(answers) for key in some}
        texts = wanted.get("outlines", ())
        self._engine.outlines.add(texts, [entries["outlines", key] for key in texts])
        if table == "pending" and self._is_judging:
            delivered = [key for key in keys if entries[table, key] is None]
            self._engine.records.add(delivered, [entries["pages", key] for key in delivered])

    def scan(self, table: str, first: bytes = b"") -> Iterator[tuple[bytes, bytes | None]]:
        if table in ("pages", "decisions"):
            last = self.last_page if table == "pages" else self.last_sequence
            for start in range(max(1, number_of(first)), last + 1, AT_ONCE):
                keys = [NUMBER.pack(n) for n in range(start, min(start + AT_ONCE, last + 1))]
                found = self._server.many(table, keys)
                yield from ((key, data) for key, data in zip(keys, found, strict=True) if data)
        elif table in ("runs", "pending"):
            found = self._server.call("HGETALL", self._server.names[table])
            yield from sorted(entry for entry in pairs(found) if entry[0] >= first)
        else:
            yield from self._server.entries(table)

    def search(self, keys: Keys) -> Found:
        if not len(keys):
            return _NOTHING
        known_keys, found = self._looked_up.get(int(keys[0]), (keys[:0], _NOTHING))
        if len(keys) <= len(known_keys) and np.array_equal(keys, known_keys[: len(keys)]):
            return found[found[:, 0] < len(keys)]
        _, known, in_buckets = self._look(keys, [], _META)
        return self._all(keys, known, in_buckets)

    def sizes(self) -> dict[str, TableSize]:
        names = self._server.names
        counts = self._server.calls([(_COUNTING.get(key, "HLEN"), names[key]) for key in KEYS])
        sizes = self._server.calls(
            [("MEMORY", "USAGE", names[key], "SAMPLES", SAMPLES) for key in KEYS]
        )
        return {
            key: TableSize(count // NUMBER.size if key == "withdrawn" else count, size or 0)
            for key, count, size in zip(KEYS, counts, sizes, strict=True)
        }

    def unreadable_index(self) -> Iterator[str]:
        for key, entries in self._server.entries("postings"):
            if len(entries) % ENTRY.itemsize:
                yield f"bucket {key.hex()}"

    def _look(
        self, keys: Keys, also: Sequence[tuple[str, bytes]], facts: Sequence[bytes]
    ) -> tuple[list[bytes | None], Known, Found]:
        """Fetch counters and some entries, follow the log, and find keys in buckets."""
        engine, names, hashes = self._engine, self._server.names, mixed(keys)
        log = engine.log
        while True:
            buckets, start, end = log.known.buckets, log.last, engine.withdrawn_end
            wanted = list(map(NUMBER.pack, buckets.of(hashes).tolist()))
            commands: list[tuple[Any, ...]] = [
                ("HMGET", names["meta"], *facts),
                ("GET", names["buckets"]),
                ("GETRANGE", names["withdrawn"], end, -1),
                ("LRANGE", names["log"], start - buckets.folded, -1),
                *(("HGET", names[table], key) for table, key in also),
                *(("HMGET", names["postings"], *part) for part in portions(wanted)),
            ]
            meta, state, gone, entries, *answers = self._server.at_once(commands)
            now = Buckets.unpack(state or b"")
            if gone:
                engine.withdrawn.add(unpacked_numbers(gone))
                engine.withdrawn_end = max(engine.withdrawn_end, end + len(gone))
            if now.folded == buckets.folded:
                known = log.follow(buckets, entries, start + 1)
                if known.buckets.folded == now.folded:  # else another thread has gone on
                    break
                continue
            # it was compacted meanwhile; what of the log is not known here is fetched again
            start = max(start, now.folded)
            log.follow(now, [], start + 1)
        self._entries |= dict(zip(also, answers, strict=False))
        values = [value for part in answers[len(also) :] for value in part]
        return meta, known, search(hashes, buckets, values) if values else _NOTHING

    def _bounded(self) -> dict[tuple[str, bytes], bytes | None]:
        """Return what was fetched; forget it first if there is too much, as after whole tables."""
        if len(self._entries) > MOST_ENTRIES:
            self._entries.clear()
        return self._entries

    def _uncached(self, table: str, keys: Iterable[bytes]) -> list[bytes]:
        """Take what is remembered of pages; return the keys of the others."""
        cache = self._engine.records if table == "pages" else self._engine.outlines
        gone, entries, missing = self._engine.withdrawn, self._entries, []
        for key in keys:
            data = cache.get(key)
            if data is None or number_of(key) in gone:
                missing.append(key)
            else:
                entries[table, key] = data
        return missing

    def _all(self, keys: Keys, known: Known, in_buckets: Found) -> Found:
        """Return the postings of keys in buckets and in the log, as far as they count."""
        found = np.concatenate((in_buckets, known.search(keys)))
        found = found[found[:, 1] <= self.last_page]
        if self._engine.withdrawn_end and len(found):
            found = found[~self._engine.withdrawn.has(found[:, 1])]
        return found[found[:, 0].argsort(kind="stable")]

    def _expect(self, wanted: Wanted, found: Found) -> None:
        """Note what will be asked for: the page of the URL, then those that share most keys."""
        for url in wanted.urls:
            at_url = self._entries["urls", url]
            if at_url:
                self._likely.append(at_url[PAGE_IN_URL : PAGE_IN_URL + NUMBER.size])
        if len(found):
            pages, counts = np.unique(found[:, 1], return_counts=True)
            order = np.argsort(-counts, kind="stable")[:FEW_RECORDS]
            near = pages[order[counts[order] >= MANY_KEYS]][:FEW_OUTLINES]
            self._likely += map(NUMBER.pack, pages[order].tolist())
            self._nearest += map(NUMBER.pack, near.tolist())
