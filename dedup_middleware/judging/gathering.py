"""The pages that a pool is drawn from: each text once, with words enough to be compared."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

from dedup_middleware.detectors import Document
from dedup_middleware.judge import is_comparable
from dedup_middleware.store import packing
from dedup_middleware.store.records import url_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dedup_middleware.read import Outline
    from dedup_middleware.settings import Settings

BEYOND = "beyond the limit"


class Gathering:
    """Pages in the order of arrival, packed; what needs no judge is left out and counted."""

    def __init__(self, settings: Settings, most: int) -> None:
        self.left_out: Counter[str] = Counter()
        self._settings = settings
        self._most = most
        self._packed: dict[str, bytes] = {}
        self._urls: set[bytes] = set()
        self._texts: set[bytes] = set()
        self._digest = hashlib.blake2b(digest_size=16)

    def __len__(self) -> int:
        return len(self._packed)

    def __iter__(self) -> Iterator[Document]:
        return (Document(url, packing.unpack(packed)) for url, packed in self._packed.items())

    @property
    def digest(self) -> str:
        """A name for exactly these pages."""
        return self._digest.hexdigest()

    def add(self, url: str, outline: Outline) -> None:
        reason = self._reason_against(url, outline)
        if reason:
            self.left_out[reason] += 1
            return
        self._packed[url] = packing.pack(outline)
        for text in (url, outline.text):
            self._digest.update(_hash(text))

    def outline(self, url: str) -> Outline:
        return packing.unpack(self._packed[url])

    def _reason_against(self, url: str, outline: Outline) -> str | None:
        key, text = url_key(url), _hash(outline.text)
        if key in self._urls:
            return "met again"
        self._urls.add(key)
        if not is_comparable(len(Document(url, outline).words), outline, self._settings):
            return "too short or cut"
        if text in self._texts:
            return "exact copies"
        self._texts.add(text)
        return BEYOND if len(self) >= self._most else None


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
