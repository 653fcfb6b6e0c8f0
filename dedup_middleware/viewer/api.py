"""What can be asked of the server."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from .http import Answered, Refused
from .live import Unknown
from .overview import About, live_page
from .rows import rows_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from dedup_middleware.inspect.decisions import Decision

    from .evidence_cache import Evidences
    from .http import Asked
    from .live import Live
    from .opinions import Opinions
    from .rows import Thresholds

MALFORMED, NOT_FOUND, WRONG_METHOD, CONFLICT = 400, 404, 405, 409
_POLICY = re.compile('http-equiv="Content-Security-Policy" content="([^"]*)"')
_NUMBER = re.compile(r"\d{1,15}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Route:
    """Something that is done for those who ask for it."""

    method: str
    work: Callable[[Asked], Answered]
    slow: bool = False
    """Whether it may take seconds."""


@dataclass(frozen=True, slots=True)
class Api:
    """Answers requests; `work` of the routes may run in any thread."""

    live: Live
    evidences: Evidences
    opinions: Opinions
    thresholds: Thresholds
    token: str
    title: str
    command: str
    store: str | None

    def route(self, asked: Asked) -> Route:
        """Find what is asked for."""
        match asked.path:
            case ("",):
                route = Route("GET", self.page)
            case ("api", "rows"):
                route = Route("GET", self.rows)
            case ("api", "evidence", _, _):
                route = Route("GET", self.evidence, slow=True)
            case ("api", "restore"):
                route = Route("POST", self.restore)
            case ("api", "answer"):
                route = Route("POST", self.answer)
            case _:
                raise Refused(NOT_FOUND, "There is nothing of that name here")
        wanted = "GET" if asked.method == "HEAD" else asked.method
        if wanted != route.method:
            allowed = "GET, HEAD" if route.method == "GET" else route.method
            raise Refused(WRONG_METHOD, f"This takes {allowed} only", allow=allowed)
        return route

    def page(self, _: Asked) -> Answered:
        about = About(
            title=self.title,
            command=self.command,
            store=self.store,
            made=datetime.now(timezone.utc).isoformat(timespec="seconds"),
            problems=tuple(self._problems()),
        )
        html = live_page(self.token, about)
        policy = _POLICY.search(html)
        return Answered(
            html.encode("utf-8", "replace"),
            "text/html; charset=utf-8",
            policy=policy[1] if policy else "default-src 'none'",
        )

    def rows(self, asked: Asked) -> Answered:
        """Give the decisions that whoever asks does not have yet."""
        try:
            fresh = self.live.fresh(_after(asked.query.get("after", "")))
        except Unknown as error:
            raise Refused(
                CONFLICT,
                f"Nothing is known here of {str(error)[:100]!r}; if the server was started anew, "
                "reload the page",
            ) from error
        rows = rows_of(
            fresh.decisions,
            self.thresholds,
            restored=self.opinions.restored(),
            answers=self.opinions.answered(),
        )
        more = {"last": fresh.last, "more": fresh.more, "problems": self._problems()}
        return Answered.of(rows | more)

    def evidence(self, asked: Asked) -> Answered:
        _, _, run, sequence = asked.path
        if not _NUMBER.fullmatch(sequence):
            raise _unknown()
        return Answered.of({"html": self.evidences.of(self._decision(run, int(sequence)))})

    def restore(self, asked: Asked) -> Answered:
        decision, _ = self._said(asked)
        return Answered.of({"said": self.opinions.restore(decision)})

    def answer(self, asked: Asked) -> Answered:
        decision, data = self._said(asked)
        answer = data.get("answer")
        if not isinstance(answer, str):
            raise Refused(MALFORMED, 'Say what the answer is: {"run": …, "seq": …, "answer": …}')
        return Answered.of({"said": self.opinions.answer(decision, answer)})

    def _said(self, asked: Asked) -> tuple[Decision, dict[str, Any]]:
        """Read which decision something is said about, and what."""
        try:
            data = json.loads(asked.body or b"")
        except (ValueError, RecursionError) as error:
            raise Refused(MALFORMED, "That is not JSON") from error
        run, sequence = (
            (data.get("run"), data.get("seq")) if isinstance(data, dict) else (None, None)
        )
        if not isinstance(run, str) or type(sequence) is not int:
            raise Refused(
                MALFORMED, 'Say which decision is meant: {"run": "its run", "seq": its number}'
            )
        return self._decision(run, sequence), data

    def _decision(self, run: str, sequence: int) -> Decision:
        decision = self.live.decision(run, sequence)
        if decision is None:
            raise _unknown()
        return decision

    def _problems(self) -> list[str]:
        return [*self.live.problems, *self.opinions.problems]


def _unknown() -> Refused:
    return Refused(NOT_FOUND, "There is no such decision in the journals that are served")


def _after(text: str) -> dict[str, int]:
    """Read what somebody has already.

    >>> _after("a%3Ab:7,c:8"), _after("")
    ({'a:b': 7, 'c': 8}, {})
    """
    found = {}
    for part in filter(None, text.split(",")):
        name, colon, number = part.rpartition(":")
        if not (colon and _NUMBER.fullmatch(number)):
            raise Refused(MALFORMED, "Write `after` as NAME:NUMBER,…, as it stands in `last`")
        found[unquote(name)] = int(number)
    return found
