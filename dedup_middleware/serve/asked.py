"""A request and what is answered, as plain values: what is done with them needs no network."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_BYTES = 1 << 14
"""Of the body of a request."""
NOTHING_ELSE = "default-src 'none'; base-uri 'none'; form-action 'none'; sandbox"
TOO_LARGE = 413


@dataclass(frozen=True, slots=True)
class Asked:
    """A request."""

    method: str
    target: str
    """Path and query, as they came."""
    headers: Mapping[str, tuple[str, ...]]
    """By names in lower case."""
    body: bytes | None = b""
    """None if there was too much of it."""

    @property
    def path(self) -> tuple[str, ...]:
        """The parts of the path, each decoded: what is a slash in one of them separates nothing.

        >>> Asked("GET", "/api/evidence/..%2Fetc/7?x", {}).path
        ('api', 'evidence', '../etc', '7')
        """
        slash, *parts = self.target.partition("?")[0].split("/")
        return () if slash else tuple(map(unquote, parts))

    @property
    def query(self) -> dict[str, str]:
        """What follows the question mark, not decoded yet."""
        pairs = self.target.partition("?")[2].split("&")
        return dict(pair.partition("=")[::2] for pair in pairs if pair)

    def header(self, name: str) -> str | None:
        """Give the only value of a header; None if there is none, or more than one."""
        values = self.headers.get(name, ())
        return values[0] if len(values) == 1 else None


@dataclass(frozen=True, slots=True)
class Answered:
    """A response."""

    body: bytes
    kind: str = "application/json"
    status: int = 200
    policy: str = NOTHING_ELSE
    """What a browser may do with it."""
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, data: Any, status: int = 200, **headers: str) -> Answered:
        """Answer with data."""
        text = json.dumps(data, separators=(",", ":"), allow_nan=False)
        return cls(text.encode("ascii"), status=status, headers=headers)


class Refused(Exception):
    """A request is not granted."""

    def __init__(self, status: int, text: str, **headers: str) -> None:
        super().__init__(text)
        self.status = status
        self.headers = headers

    @property
    def answered(self) -> Answered:
        return Answered.of({"error": str(self)}, self.status, **self.headers)
