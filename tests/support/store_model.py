"""A store so simple that it is obviously right: what the real ones are compared with.

Everything is kept in lists and dicts that are searched from end to end. Of the package it uses the
look-up keys of a fingerprint and the values of the protocol, and nothing else.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from dedup_middleware.fingerprint import Fingerprint
from dedup_middleware.fingerprint.scheme import SHINGLE, SIMHASH, lookup_keys
from dedup_middleware.read import Outline
from dedup_middleware.store import Change, Committed, Conflict, Copy, Registration, Seen, UrlRecord


@dataclass
class ModelRun:
    name: str
    commit: str
    is_alive: bool = True
    is_finished: bool = False
    ended_well: bool = False
    is_committed: bool = False
    is_discarded: bool = False


@dataclass
class ModelPage:
    number: int
    url: str
    key: bytes
    fingerprint: Fingerprint
    outline: Outline
    listed: list[int]
    """The look-up keys under which it is found."""
    run: int
    delivered: bool
    superseded: bool = False
    seen_again: bool = False


@dataclass
class Model:
    runs: list[ModelRun] = field(default_factory=list)
    pages: dict[int, ModelPage] = field(default_factory=dict)
    urls: dict[bytes, UrlRecord] = field(default_factory=dict)
    kept: dict[bytes, Outline] = field(default_factory=dict)
    decisions: list[bytes] = field(default_factory=list)
    last_page: int = 0

    # runs

    def open_run(self, name: str, commit: str) -> int:
        self.runs.append(ModelRun(name, commit))
        self.commit_runs()
        for run in self.runs:
            if run.commit == "finish" and not (run.is_alive or run.is_committed or run.ended_well):
                run.is_discarded = True
        dead = []
        for page in self.pages.values():
            run = self.runs[page.run - 1]
            if run.is_discarded or not (run.is_alive or page.delivered):
                dead.append(page.number)
        self.withdraw(dead)
        return len(self.runs)

    def end_run(self, number: int, *, how: str) -> None:
        run = self.runs[number - 1]
        run.is_alive = False
        run.is_finished = how != "killed"
        run.ended_well = how == "well"
        if run.is_finished:
            self.commit_runs()

    def commit_runs(self) -> None:
        alive = {run.name for run in self.runs if run.is_alive and run.commit == "finish"}
        for run in self.runs:
            if run.commit == "finish" and run.ended_well and run.name not in alive:
                run.is_committed = True

    def dead_runs(self) -> list[str]:
        alive = {run.name for run in self.runs if run.is_alive}
        unfinished = [run.name for run in self.runs if not run.is_finished]
        return [name for name in dict.fromkeys(unfinished) if name not in alive]

    # look-ups

    def may_be_original(self, page: ModelPage, viewer: int) -> bool:
        """Return True if a page may be an original in a run."""
        run = self.runs[page.run - 1]
        if page.run == viewer:
            return True
        if run.commit == "finish" and not run.is_committed:
            same = run.name == self.runs[viewer - 1].name and not run.is_discarded
            return same and (run.is_alive or (run.ended_well and page.delivered))
        return page.delivered or (run.is_alive and run.commit == "page")

    def originals(self, viewer: int) -> list[int]:
        pages = self.pages.values()
        return [page.number for page in pages if self.may_be_original(page, viewer)]

    def listed_under(self, key: int) -> list[int]:
        return [page.number for page in self.pages.values() if key in page.listed]

    def same_digest(self, fingerprint: Fingerprint) -> list[int]:
        key = int(lookup_keys(fingerprint, alike=False)[0])
        return self.listed_under(key)

    def alike(self, fingerprint: Fingerprint, most: int) -> list[int]:
        """Return, of each kind of key, the pages that share the rarest."""
        best: set[int] = set()
        for kind in (SIMHASH, SHINGLE):
            weight: dict[int, float] = {}
            for key in lookup_keys(fingerprint, alike=True).tolist():
                if key >> 56 == kind:
                    listed = self.listed_under(key)
                    for number in listed:
                        weight[number] = weight.get(number, 0.0) + 1 / len(listed)
            by_rarity = sorted(weight, key=lambda number: (-weight[number], number))
            best.update(by_rarity[:most])
        return sorted(best)

    def shown_at(self, key: bytes, *, own: bool) -> Outline | None:
        if key in self.kept:
            return self.kept[key]
        known = self.urls.get(key)
        if known is None or known.number not in self.pages or (own and known.alias):
            return None
        return self.pages[known.number].outline

    # changes

    def commit(self, run: int, change: Change, seen: Seen) -> Committed | Conflict:
        if self.urls.get(change.key) != seen.url:
            return Conflict()
        if seen.original is not None and seen.original not in self.originals(run):
            return Conflict()
        new = []
        for page in self.pages.values():
            watched = seen.any_page or (
                seen.keys is not None and any(key in page.listed for key in seen.keys.tolist())
            )
            if page.number > seen.last_page and watched:
                new.append(page.number)
        if new:
            return Conflict(tuple(new))
        number = None
        if isinstance(change.page, Registration):
            number = self._register(run, change.key, change.page)
        if isinstance(change.page, Copy):
            self._note_copy(change.key, change.page)
        if change.supersedes is not None:
            self._supersede(change.supersedes, change.key)
        if change.decision is None:
            return Committed(number)
        sequence = len(self.decisions) + 1
        line = json.dumps({**change.decision, "seq": sequence}, separators=(",", ":")).encode()
        self.decisions.append(line)
        return Committed(number, line, sequence)

    def settle(
        self, delivered: set[int], withdrawn: set[int], seen_again: set[int], superseded: set[int]
    ) -> None:
        for page in self.pages.values():
            page.delivered |= page.number in delivered
            page.seen_again |= page.number in seen_again
            page.superseded |= page.number in superseded
        self.withdraw(withdrawn)

    def withdraw(self, numbers: set[int] | list[int]) -> None:
        for number in numbers:
            page = self.pages.pop(number, None)
            if page is not None:
                del self.urls[page.key]

    def _register(self, run: int, key: bytes, page: Registration) -> int:
        self._withdraw_own_page(key)
        self.last_page += 1
        self.pages[self.last_page] = ModelPage(
            self.last_page,
            page.url,
            key,
            page.fingerprint,
            page.outline,
            page.keys.tolist(),
            run,
            page.delivered,
        )
        self.urls[key] = UrlRecord(
            alias=False, number=self.last_page, digest=page.fingerprint.digest
        )
        self.kept.pop(key, None)
        return self.last_page

    def _note_copy(self, key: bytes, copy: Copy) -> None:
        self._withdraw_own_page(key)
        before = self.urls.get(key)
        if copy.outline is not None:
            self.kept[key] = copy.outline
        elif before is None or before.digest != copy.digest:  # it shows another text now
            self.kept.pop(key, None)
        self.urls[key] = UrlRecord(alias=True, number=copy.original, digest=copy.digest)

    def _supersede(self, number: int, key: bytes) -> None:
        place, successor = self.pages.get(number), self.pages.get(self._own_number(key))
        if place is not None and successor is not None and place is not successor:
            digest = place.fingerprint.digest
            same = digest == successor.fingerprint.digest
            outline = None if same else place.outline
            self._note_copy(place.key, Copy(digest, successor.number, outline))

    def _own_number(self, key: bytes) -> int:
        known = self.urls.get(key)
        return 0 if known is None or known.alias else known.number

    def _withdraw_own_page(self, key: bytes) -> None:
        known = self.urls.get(key)
        if known is not None and not known.alias:
            self.withdraw([known.number])
