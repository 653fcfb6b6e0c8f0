"""The routes of the server and their responses."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from .http import HTTPError, Response
from .report_page import About, live_page
from .rows import rows_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from dedup_middleware.inspect.decisions import Decision
    from dedup_middleware.inspect.runs import RunEnd

    from .evidence import EvidenceCache
    from .feedback import Feedback
    from .http import Request
    from .live_decisions import LiveDecisions
    from .rows import RunThresholds

_POLICY = re.compile('http-equiv="Content-Security-Policy" content="([^"]*)"')
_NUMBER = re.compile(r"\d{1,15}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Route:
    method: str
    respond: Callable[[Request], Response]
    slow: bool = False
    """Whether a response may take seconds."""


@dataclass(frozen=True, slots=True)
class Api:
    """Responds to requests; the routes may be called in any thread."""

    decisions: LiveDecisions
    evidence: EvidenceCache
    feedback: Feedback
    thresholds: RunThresholds
    ends: Callable[[], dict[str, RunEnd]]
    """Returns what became of the runs."""
    sites: Callable[[], dict[str, Any]]
    """Returns what is known of whole sites."""
    token: str
    title: str
    command: str
    store: str
    dry_runs: tuple[str, ...] = ()

    def route(self, request: Request) -> Route:
        match request.path:
            case ("",):
                route = Route("GET", self._page)
            case ("api", "rows"):
                route = Route("GET", self._rows)
            case ("api", "sites"):
                route = Route("GET", self._sites, slow=True)
            case ("api", "evidence", _, _):
                route = Route("GET", self._evidence, slow=True)
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
        about = About(
            title=self.title,
            command=self.command,
            store=self.store,
            made=datetime.now(UTC).isoformat(timespec="seconds"),
            problems=tuple(self._problems()),
            dry_runs=self.dry_runs,
        )
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
        return Response.of_json({"html": self.evidence.get(decision)})

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
