"""The tables of a published method on a server: read there, written with the commit of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dedup_middleware.store.tables import Postings

from .layout import NUMBER, unpacked_numbers

if TYPE_CHECKING:
    from dedup_middleware.fingerprint.hashing import Hashes

    from .connection import Server


class RedisTables:
    """Tables as they are now, with what is written here on top; nothing of it is sent."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._values: dict[bytes, bytes | None] = {}
        self._posted: dict[bytes, list[int]] = {}

    def get(self, key: bytes) -> bytes | None:
        if key in self._values:
            return self._values[key]
        value: bytes | None = self._server.call("HGET", self._server.tables["index"], key)
        return value

    def put(self, key: bytes, value: bytes) -> None:
        self._values[key] = value

    def delete(self, key: bytes) -> None:
        self._values[key] = None

    def postings(self, keys: Hashes) -> Postings:
        wanted = np.unique(keys)
        if not len(wanted):
            return Postings(wanted, np.empty(0, np.int64))
        fields = [key.tobytes() for key in wanted.astype(">u8")]
        table = self._server.tables["index_postings"]
        known = self._server.call("HMGET", table, *fields)
        found = [
            [*unpacked_numbers(data or b""), *self._posted.get(field, ())]
            for field, data in zip(fields, known, strict=True)
        ]
        return Postings(
            np.repeat(wanted, [len(numbers) for numbers in found]),
            np.array([number for numbers in found for number in numbers], np.int64),
        )

    def post(self, keys: Hashes, number: int) -> None:
        for key in keys.astype(">u8"):
            numbers = self._posted.setdefault(key.tobytes(), [])
            if number not in numbers[-1:]:
                numbers.append(number)

    def writes(self) -> list[bytes]:
        """Return what was written, as the commit script wants it: what, key and value in turns."""
        found: list[bytes] = []
        for key, value in self._values.items():
            found += (b"delete", key, b"") if value is None else (b"put", key, value)
        for key, numbers in self._posted.items():
            for number in numbers:
                found += (b"post", key, NUMBER.pack(number))
        return found
