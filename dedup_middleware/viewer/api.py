"""The routes of the server and their responses; decisions are read on while crawls make them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from http import HTTPStatus
from itertools import islice
from threading import Lock, Semaphore
from typing import TYPE_CHECKING, Any, NamedTuple

from dedup_middleware.errors import StoreError
from dedup_middleware.inspect.decisions import Decision
from dedup_middleware.inspect.overrides import restore, restored_in
from dedup_middleware.inspect.runs import ends_of
from dedup_middleware.store import open_reader
from dedup_middleware.verdict import Action

from .evidence import evidence_in
from .report_page import RunThresholds, live_page, rows_of, sites_section
from .server import HTTPError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dedup_middleware.settings import Settings

    from .report_page import About
    from .server import Content, Request

_NUMBER = re.compile(r"\d{1,15}", re.ASCII)
_COMPARING = Semaphore(2)  # so that other requests need not wait for comparisons
MOST_ROWS = 25_000
"""Decisions that are returned at once: more would keep others waiting."""


class NewDecisions(NamedTuple):
    """Decisions after a sequence number."""

    decisions: list[Decision]
    last: int
    """The sequence number after which the next ones follow."""
    more: bool
    """Whether the store has more of them by now."""
    overruled: list[tuple[str, int]]
    """Run and number of the decisions that they overrule, which may have been given before."""


class LiveDecisions:
    """All decisions of a store, which is opened at each call; threads may share it."""

    def __init__(self, store: str | Path) -> None:
        self.runs: dict[str, None] = {}
        """The runs that have decisions, as far as they were read."""
        self.problems: list[str] = []
        """What could not be read at the last call of `after`."""
        self._store = store

    def after(self, number: int) -> NewDecisions:
        """Return the decisions above a sequence number, at most `MOST_ROWS` of them."""
        try:
            with open_reader(self._store) as reader, reader.snapshot() as view:
                lines = [*islice(filter(None, view.decisions(after=number)), MOST_ROWS + 1)]
                last = view.last_sequence()
        except StoreError as error:  # what was shown stays, and the store may come back
            self.problems = [str(error)]
            return NewDecisions([], number, False, [])
        is_new = last < number
        self.problems = ["The store was replaced by a new one; reload the page"] if is_new else []
        more = len(lines) > MOST_ROWS
        if more:
            last = json.loads(lines[MOST_ROWS - 1])["seq"]
        found = [*filter(None, map(Decision.parse, lines[:MOST_ROWS]))]
        self.runs |= dict.fromkeys(one.run for one in found)
        overruled = {(one.run, one.overrules): None for one in found if one.overrules}
        holding = [one for one in found if (one.run, one.sequence) not in overruled]
        return NewDecisions(holding, max(last, number), more, list(overruled))

    def decision(self, run: str, sequence: int) -> Decision | None:
        """Return a decision; None if there is none."""
        with open_reader(self._store) as reader, reader.snapshot() as view:
            is_there = 0 < sequence <= view.last_sequence()
            line = next(view.decisions(after=sequence - 1), None) if is_there else None
        found = Decision.parse(line) if line else None
        return found if found and (found.run, found.sequence) == (run, sequence) else None


class Api:
    """Responds to requests about one store; the routes may be called in any thread."""

    def __init__(
        self, store: Path | str, settings: Settings, person: str, token: str, about: About
    ) -> None:
        self.decisions = LiveDecisions(store)
        self._store = store
        self._settings = settings
        self._person = person
        self._token = token
        self._about = about
        self._thresholds = RunThresholds(settings.level)
        self._restoring = Lock()

    def route(self, request: Request) -> Callable[[Request], Content]:
        """Return what responds to a request; raise HTTPError if nothing does."""
        respond: Callable[[Request], Content]
        method = "GET"
        match request.path:
            case ("",):
                respond = self._page
            case ("api", "rows"):
                respond = self._rows
            case ("api", "sites"):
                respond = self._sites
            case ("api", "evidence", _, _):
                respond = self._evidence
            case ("api", "restore"):
                method, respond = "POST", self._restore
            case _:
                raise HTTPError(HTTPStatus.NOT_FOUND, "There is nothing of that name here")
        if method != ("GET" if request.method == "HEAD" else request.method):
            allowed = "GET, HEAD" if method == "GET" else method
            raise HTTPError(
                HTTPStatus.METHOD_NOT_ALLOWED, f"This takes {allowed} only", allow=allowed
            )
        return respond

    def _page(self, _: Request) -> str:
        made = datetime.now(UTC).isoformat(timespec="seconds")
        problems = *self.decisions.problems, *restored_in(self._store).damaged
        return live_page(self._token, replace(self._about, made=made, problems=problems))

    def _rows(self, request: Request) -> dict[str, Any]:
        after = request.query.get("after", "0")
        if not _NUMBER.fullmatch(after):
            raise HTTPError(HTTPStatus.BAD_REQUEST, "`after` is a number, as given in `last`")
        new = self.decisions.after(int(after))
        restored = restored_in(self._store)
        return {
            **rows_of(new.decisions, self._thresholds, restored=restored.all),
            "last": new.last,
            "more": new.more,
            "overruled": new.overruled,
            "ends": ends_of(self._store, self.decisions.runs),
            "problems": [*self.decisions.problems, *restored.damaged],
        }

    def _sites(self, _: Request) -> dict[str, Any]:
        return sites_section(self._store, self.decisions.runs)

    def _evidence(self, request: Request) -> dict[str, Any]:
        _, _, run, sequence = request.path
        decision = self._decision(run, int(sequence) if _NUMBER.fullmatch(sequence) else 0)
        with _COMPARING:
            return {"html": evidence_in(self._store, decision, self._settings)}

    def _restore(self, request: Request) -> dict[str, Any]:
        """Let a dropped page pass from now on."""
        try:
            data = json.loads(request.body or b"")
        except (ValueError, RecursionError) as error:
            raise HTTPError(HTTPStatus.BAD_REQUEST, "The body is not JSON") from error
        match data:
            case {"run": str(run), "seq": int(sequence)} if not isinstance(sequence, bool):
                decision = self._decision(run, sequence)
            case _:
                raise HTTPError(
                    HTTPStatus.BAD_REQUEST, 'Name a decision: {"run": "its run", "seq": its number}'
                )
        url, original = decision.url, decision.original
        if decision.action != Action.DROP:
            raise HTTPError(
                HTTPStatus.CONFLICT,
                f"It was not dropped: it is {decision.verdict}, and its action was "
                f"{decision.action}. There is nothing to restore",
            )
        if original is None:
            raise HTTPError(
                HTTPStatus.CONFLICT,
                f"All pages that are {decision.verdict} are dropped; change DEDUP_ACTIONS",
            )
        with self._restoring:
            is_new = restore(self._store, url, original, by=self._person) is not None
        if not is_new:
            message = f"{url} was restored before"
        elif url == original:
            message = f"{url} passes from now on, even if its text stays the same"
        else:
            message = f"{url} passes from now on, and never matches {original} again"
        return {"message": message}

    def _decision(self, run: str, sequence: int) -> Decision:
        decision = self.decisions.decision(run, sequence)
        if decision is None:
            raise HTTPError(HTTPStatus.NOT_FOUND, "There is no such decision in this store")
        return decision
