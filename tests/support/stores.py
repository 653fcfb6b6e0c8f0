"""The stores that one test suite runs against, and pages made up for them."""

from __future__ import annotations

import hashlib
import random
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.fuzz import definitions
from dedup_middleware.fingerprint import Fingerprint
from dedup_middleware.fingerprint.scheme import Sample, Sketch
from dedup_middleware.page import Page
from dedup_middleware.read import Outline
from dedup_middleware.store import (
    Change,
    Committed,
    Reader,
    Registration,
    Seen,
    Store,
    open_reader,
    open_store,
)
from dedup_middleware.store.memory import Memory, MemoryEngine, MemoryStore
from dedup_middleware.store.verify import Damage
from dedup_middleware.urls import url_key
from tests.support.servers import shared_server

NO_TEXT = Outline()


class Stores(ABC):
    """A kind of store, as tests use it: add a class here to run all of them against it."""

    has_folder: bool
    """Whether journals are kept beside the store."""
    share = 1.0
    """Of the steps that long tests take."""

    def __init__(self, new_folder: Callable[[], Path]) -> None:
        self._new_folder = new_folder

    @abstractmethod
    def new_place(self) -> Any:
        """Make room for a store that several runs may share."""

    @abstractmethod
    def open(
        self, place: Any, *, run: str | None = None, spider: str = "", commit: str = "page"
    ) -> Store:
        """Start a run."""

    @staticmethod
    @abstractmethod
    def kill(store: Any) -> None:
        """End a run without closing it, as a crash does."""

    @abstractmethod
    def damages(self, place: Any) -> set[Damage]:
        """Return what is inconsistent in a store that no run uses any more."""


class LmdbStores(Stores):
    has_folder = True
    is_sole = False

    def new_place(self) -> Path:
        return self._new_folder() / "s"

    def open(
        self, place: Path, *, run: str | None = None, spider: str = "", commit: str = "page"
    ) -> Store:
        return open_store(place, run=run, spider=spider, is_sole=self.is_sole, commit=commit)

    @staticmethod
    def kill(store: Store) -> None:
        engine = store.engine
        engine.environment.writer.buffer.lines.clear()  # those the journal lacks
        engine.flush()  # as if it were killed a moment later
        engine.lock._file.close()  # what the kernel does; the file of the lock stays
        engine.lock = None
        engine.close()

    def damages(self, place: Path) -> set[Damage]:
        with open_reader(place) as reader:
            return {*reader.verify(lambda _: None).found}


class SoleLmdbStores(LmdbStores):
    """Runs of one process, whose changes are written together."""

    is_sole = True


class MemoryStores(Stores):
    has_folder = False

    def new_place(self) -> Memory:
        return Memory()

    def open(
        self, place: Memory, *, run: str | None = None, spider: str = "", commit: str = "page"
    ) -> MemoryStore:
        return MemoryStore(place, run=run, spider=spider, commit=commit)

    @staticmethod
    def kill(store: MemoryStore) -> None:
        store.engine.release_lease()

    def damages(self, place: Memory) -> set[Damage]:
        with Reader(MemoryEngine(place)) as reader:
            return {*reader.verify(lambda _: None).found}


class RedisStores(Stores):
    """Runs over a server; each place is a prefix of its own."""

    has_folder = False
    share = 0.25  # each look is a round trip

    def new_place(self) -> str:
        return f"{shared_server().url}?prefix=p{secrets.token_hex(4)}"

    def open(
        self, place: str, *, run: str | None = None, spider: str = "", commit: str = "page"
    ) -> Store:
        return open_store(place, run=run, spider=spider, commit=commit)

    @staticmethod
    def kill(store: Store) -> None:
        store.engine.lease.close()  # nobody renews it
        store.engine.server.call("DEL", store.engine.lease.key)
        store.engine.server.close()

    def damages(self, place: str) -> set[Damage]:
        with open_reader(place) as reader:
            return {*reader.verify(lambda _: None).found}


KINDS = {
    "lmdb": LmdbStores,
    "sole": SoleLmdbStores,
    "memory": MemoryStores,
    "redis": RedisStores,
}


def made_up(simhash: int, shingles: list[int]) -> Fingerprint:
    """Return the fingerprint of a page that nobody has to read."""
    digest = hashlib.blake2b(f"{simhash} {shingles}".encode(), digest_size=32).digest()
    hashes, limit = definitions.sample(shingles)
    few = np.array(hashes, np.uint64)
    return Fingerprint(
        digest,
        b"",
        len(shingles),
        simhash,
        Sample(few, limit),
        np.empty(0, np.uint64),
        Sketch(
            np.array([limit >> 32, len(few), len(few), *(few >> np.uint64(32))], "<u4").tobytes()
        ),
        np.array(definitions.keys(simhash, hashes, []), np.uint64),
    )


def register(store: Store, url: str, page: Fingerprint, *, cap: int = 64) -> int:
    """Enter a page as delivered; return its number."""
    with store.snapshot() as view:
        found = view.candidates(page, alike=True, cap=cap, most=32)
        seen = Seen(view.last_page, view.url(url_key(url)))
    new = Registration(url, page, NO_TEXT, found.keys[~found.full], delivered=True)
    done = store.commit(Change(url_key(url), new), seen)
    assert isinstance(done, Committed)
    return done.number


def short_page(seed: int) -> Page:
    """Return a page that is like no other, at a URL of its own."""
    return Page(url=f"https://{seed}.example/", text=invented(seed))


def invented(seed: int) -> str:
    """Return a text of 400 numbers that shares next to nothing with those of other seeds."""
    rng = random.Random(seed)
    return " ".join(str(rng.randrange(10**6)) for _ in range(400))
