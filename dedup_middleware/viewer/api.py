"""The routes of the server and their responses; decisions are read on while crawls make them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http import HTTPStatus
from itertools import islice
from threading import Semaphore
from typing import TYPE_CHECKING, Any, NamedTuple

from dedup_middleware.errors import StoreError
from dedup_middleware.inspect.decisions import Decision, key_of
from dedup_middleware.store import open_reader

from .report_page import About, live_page, rows_of
from .server import HTTPError, Response

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dedup_middleware.inspect.runs import RunEnd

    from .feedback import Feedback
    from .report_page import RunThresholds
    from .server import Request

_POLICY = re.compile('http-equiv="Content-Security-Policy" content="([^"]*)"')
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
            _, last = key_of(lines[MOST_ROWS - 1]) or ("", last)
        found = [one for line in lines[:MOST_ROWS] if (one := Decision.parse(line))]
        self.runs |= dict.fromkeys(one.run for one in found)
        overruled = {(one.run, one.overrules): None for one in found if one.overrules}
        holding = [one for one in found if (one.run, one.sequence) not in overruled]
        return NewDecisions(holding, max(last, number), more, list(overruled))

    def decision(self, run: str, sequence: int) -> Decision | None:
        """Return a decision; None if there is none."""
        with open_reader(self._store) as reader, reader.snapshot() as view:
            is_there = 0 < sequence <= view.last_sequence()
            line = next(view.decisions(after=sequence - 1), b"") if is_there else b""
        return Decision.parse(line) if key_of(line) == (run, sequence) else None


@dataclass(frozen=True, slots=True)
class Route:
    method: str
    respond: Callable[[Request], Response]


@dataclass(frozen=True, slots=True)
class Api:
    """Responds to requests; the routes may be called in any thread."""

    decisions: LiveDecisions
    evidence: Callable[[Decision], str]
    """Returns the evidence for a decision as HTML."""
    feedback: Feedback
    thresholds: RunThresholds
    ends: Callable[[], dict[str, RunEnd]]
    """Returns what became of the runs."""
    sites: Callable[[], dict[str, Any]]
    """Returns what is known of whole sites."""
    token: str
    about: About

    def route(self, request: Request) -> Route:
        match request.path:
            case ("",):
                route = Route("GET", self._page)
            case ("api", "rows"):
                route = Route("GET", self._rows)
            case ("api", "sites"):
                route = Route("GET", self._sites)
            case ("api", "evidence", _, _):
                route = Route("GET", self._evidence)
            case ("api", "restore"):
                route = Route("POST", self._restore)
            case ("api", "answer"):
                route = Route("POST", self._answer)
            case _:
                raise HTTPError(HTTPStatus.NOT_FOUND, "There is nothing of that name here")
        method = "GET" if request.method == "HEAD" else request.method
        if method != route.method:
            allowed = "GET, HEAD" if route.method == "GET" else route.method
            raise HTTPError(
                HTTPStatus.METHOD_NOT_ALLOWED, f"This takes {allowed} only", allow=allowed
            )
        return route

    def _page(self, _: Request) -> Response:
        made = datetime.now(UTC).isoformat(timespec="seconds")
        about = replace(self.about, made=made, problems=tuple(self._problems()))
        html = live_page(self.token, about)
        policy = _POLICY.search(html)
        return Response(
            html.encode("utf-8", "replace"),
            "text/html; charset=utf-8",
            policy=policy[1] if policy else "default-src 'none'",
        )

    def _rows(self, request: Request) -> Response:
        after = request.query.get("after", "0")
        if not _NUMBER.fullmatch(after):
            raise HTTPError(HTTPStatus.BAD_REQUEST, "`after` is a number, as given in `last`")
        new = self.decisions.after(int(after))
        rows = rows_of(
            new.decisions,
            self.thresholds,
            restored=self.feedback.restored(),
            answers=self.feedback.answers(),
        )
        return Response.of_json(
            rows
            | {
                "last": new.last,
                "more": new.more,
                "overruled": new.overruled,
                "ends": self.ends(),
                "problems": self._problems(),
            }
        )

    def _sites(self, _: Request) -> Response:
        return Response.of_json(self.sites())

    def _evidence(self, request: Request) -> Response:
        _, _, run, sequence = request.path
        if not _NUMBER.fullmatch(sequence):
            raise _no_decision()
        decision = self._decision(run, int(sequence))
        with _COMPARING:
            return Response.of_json({"html": self.evidence(decision)})

    def _restore(self, request: Request) -> Response:
        decision, _ = self._posted(request)
        return Response.of_json({"message": self.feedback.restore(decision)})

    def _answer(self, request: Request) -> Response:
        decision, data = self._posted(request)
        answer = data.get("answer")
        if not isinstance(answer, str):
            raise HTTPError(
                HTTPStatus.BAD_REQUEST, 'Send an answer: {"run": …, "seq": …, "answer": …}'
            )
        return Response.of_json({"message": self.feedback.answer(decision, answer)})

    def _posted(self, request: Request) -> tuple[Decision, dict[str, Any]]:
        """Return the decision that a request is about, and all its data."""
        try:
            data = json.loads(request.body or b"")
        except (ValueError, RecursionError) as error:
            raise HTTPError(HTTPStatus.BAD_REQUEST, "The body is not JSON") from error
        run, sequence = (
            (data.get("run"), data.get("seq")) if isinstance(data, dict) else (None, None)
        )
        if not isinstance(run, str) or type(sequence) is not int:
            raise HTTPError(
                HTTPStatus.BAD_REQUEST, 'Name a decision: {"run": "its run", "seq": its number}'
            )
        return self._decision(run, sequence), data

    def _decision(self, run: str, sequence: int) -> Decision:
        decision = self.decisions.decision(run, sequence)
        if decision is None:
            raise _no_decision()
        return decision

    def _problems(self) -> list[str]:
        return [*self.decisions.problems, *self.feedback.problems]


def _no_decision() -> HTTPError:
    return HTTPError(HTTPStatus.NOT_FOUND, "There is no such decision in these journals")
