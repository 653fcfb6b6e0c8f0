"""The process beside a crawl in which its pages are judged; `worker` starts it."""

from __future__ import annotations

import ctypes
import gc
import logging
import pickle
import signal
import struct
import sys
import threading
from typing import TYPE_CHECKING, Any, BinaryIO

from dedup_middleware.deduplicator import Deduplicator
from dedup_middleware.fingerprint import fingerprint
from dedup_middleware.page import Page
from dedup_middleware.read import read
from dedup_middleware.similarity.refine import refine

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dedup_middleware.deduplicator import Receipt
    from dedup_middleware.verdict import Action, Kind

_SET_DEATH_SIGNAL = 1  # of Linux's prctl
_SIZE = struct.Struct("<Q")


class Service:
    """The jobs that can be sent, by the name of the method."""

    def __init__(self, keywords: dict[str, Any]) -> None:
        self._dedup = Deduplicator(**keywords)

    def judge(
        self, page: Page, wishes: Mapping[Kind, Action], overrules: int | None = None
    ) -> Receipt:
        return self._dedup.receive(page, wishes=wishes, overrules=overrules)

    def take_back(self, page: Page, receipt: Receipt, reason: str) -> Receipt:
        return self._dedup.take_back(page.url, receipt, reason, page.size)

    def status(self, number: int) -> str:
        return self._dedup.status(number)

    def settle(self, delivered: list[int], withdrawn: list[int]) -> None:
        self._dedup.settle(delivered=delivered, withdrawn=withdrawn)

    def places(self) -> tuple[str, str]:
        return str(self._dedup.store.path), str(self._dedup.journal.path)

    def close(self) -> dict[str, float]:
        self._dedup.close()
        return {**self._dedup.counts, "seconds": round(self._dedup.seconds, 3)}


def read_frame(stream: BinaryIO) -> bytes | None:
    """Read a message; None at the end, or where it breaks off."""
    head = stream.read(_SIZE.size)
    if len(head) < _SIZE.size:
        return None
    (size,) = _SIZE.unpack(head)
    frame = stream.read(size)
    return frame if len(frame) == size else None


def write_frame(stream: BinaryIO, frame: bytes) -> None:
    stream.write(_SIZE.pack(len(frame)))
    stream.write(frame)
    stream.flush()


def main() -> None:
    """Answer requests, one after the other, until there are no more."""
    _die_with_parent()
    logging.basicConfig(format="%(asctime)s [%(name)s] %(levelname)s: %(message)s")
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # nothing but answers may go there
    # outlines are many small objects without cycles: looking for some after each 700 is a waste
    gc.set_threshold(50_000, 20, 20)
    service: Service | None = None
    while True:
        frame = read_frame(requests)
        if frame is None:
            break
        name = ""
        try:
            name, args = pickle.loads(frame)  # noqa: S301 - from the crawl itself
            if service is None:
                service = Service(*args)
                answer = service.places()
            else:
                answer = getattr(service, name)(*args)
            message = pickle.dumps((True, answer), pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # noqa: BLE001 - whatever it is, the crawl must know
            message = _error_message(error)
        write_frame(answers, message)
        if service is None or name == "close":
            break  # not at the end of the input: others may have inherited the other end
        if name == "open":
            _warm_up()


def _warm_up() -> None:
    """Load and make what the first pages would have to wait for, while they are fetched."""
    page = Page(url="", html="<p>warm")
    fingerprint(page, read(page))
    # loads nltk, which takes more than a second; pages are judged meanwhile
    threading.Thread(target=refine, args=(["warm"], "en"), daemon=True).start()


def _error_message(error: Exception) -> bytes:
    try:
        message = pickle.dumps((False, error), pickle.HIGHEST_PROTOCOL)
        pickle.loads(message)  # noqa: S301 - some errors can be written, but not read
    except Exception:  # noqa: BLE001 - then its words must do
        return pickle.dumps((False, RuntimeError(repr(error))), pickle.HIGHEST_PROTOCOL)
    return message


def _die_with_parent() -> None:
    """End at once when the crawl is killed: its run must not look alive."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
