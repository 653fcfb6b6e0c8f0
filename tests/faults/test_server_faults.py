"""A server that fails while crawls use the store on it: every page is in the output of one of them.

It is killed and started again, put back to an older snapshot, paused, and cut off.
"""

from __future__ import annotations

import random
import shutil
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.changing import TEXTS, Site, titles
from tests.support.crawling import Job, Web, start
from tests.support.faults import SEED, number_of_faults, report
from tests.support.patience import PATIENCE, wait_until
from tests.support.servers import ServerProcess, any_program

FAULTS = number_of_faults(1)
SECONDS = 0.8  # until a fault, and for how long, at most
KEEPS = ("--appendonly", "yes", "--appendfsync", "always")


class Relay:
    """Stands between crawls and the server, and can cut all connections."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self.is_cut = False
        self.url = f"redis://127.0.0.1:{self._listening.getsockname()[1]}/0"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._relay, args=(client,), daemon=True).start()

    def _relay(self, client: socket.socket) -> None:
        with suppress(OSError), client:
            if self.is_cut:
                return
            with socket.create_connection(("127.0.0.1", self._port)) as server:
                self._open |= {client, server}
                back = threading.Thread(target=self._pass_on, args=(server, client), daemon=True)
                back.start()
                self._pass_on(client, server)
                back.join()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                target.sendall(data)
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def cut(self, seconds: float) -> None:
        self.is_cut = True
        for one in [*self._open]:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        self._open.clear()
        time.sleep(seconds)
        self.is_cut = False

    def close(self) -> None:
        self._listening.close()


class Faults:
    """A server with all that can happen to it."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._server = ServerProcess(any_program(), *(KEEPS if kind == "killed" else ()))
        self._relay = Relay(self._server.port)
        self.url = self._relay.url

    def snapshot(self) -> None:
        if self._kind == "restored":
            self._server.call("SAVE")

    def happen(self, seconds: float) -> None:
        if self._kind == "paused":
            self._server.process.send_signal(signal.SIGSTOP)
            time.sleep(seconds)
            self._server.process.send_signal(signal.SIGCONT)
        elif self._kind == "cut off":
            self._relay.cut(seconds)
        else:
            self._server.stop(kill=True)
            time.sleep(seconds)
            self._server.start()

    def close(self) -> None:
        self._relay.close()
        self._server.close()


@pytest.fixture
def make_faults() -> Iterator[Callable[[str], Faults]]:
    made: list[Faults] = []

    def make(kind: str) -> Faults:
        made.append(Faults(kind))
        return made[-1]

    yield make
    for one in made:
        one.close()


def crawl(folder: Path, site: Site, settings: dict[str, object], during: Callable[[], None]) -> set:
    """Crawl all of a site while something happens; return what the feed holds."""
    feed = folder / "feed"
    shutil.rmtree(folder / "servers", ignore_errors=True)
    feed.unlink(missing_ok=True)
    settings = {**settings, "FEEDS": {str(feed): {"format": "jsonlines"}}}
    with start(folder, Job("items:Titles", {"steps": site.steps()}, settings)) as process:
        wait_until(lambda: feed.exists() or process.poll() is not None)
        during()
        output, _ = process.communicate(timeout=PATIENCE)
    text = output.decode()
    assert process.returncode == 0, text
    assert "Traceback" not in text, text
    return titles(feed)


@pytest.mark.parametrize("kind", ["killed", "restored", "paused", "cut off"])
def test_no_page_is_lost_by_what_happens_to_a_server(web: Web, tmp_path, make_faults, kind):
    rng = random.Random(f"{SEED} {kind}")
    site, faults = Site(web, rng), make_faults(kind)
    delivered: set[str] = set()

    def fault() -> None:
        time.sleep(SECONDS * rng.random())
        faults.happen(SECONDS * rng.random())

    for number in range(FAULTS):
        settings = {"DEDUP_SCOPE": faults.url, "DEDUP_COMMIT": rng.choice(("page", "finish"))}
        delivered |= crawl(tmp_path, site, settings, fault)
        delivered |= crawl(tmp_path, site, settings, faults.snapshot)
        missing = {*site.titles} - delivered
        assert not missing, f"after fault {number + 1}"
        site.change(rng.sample(range(TEXTS), TEXTS // 4), number + 1)
    report(**{kind.replace(" ", "_"): FAULTS}, pages=FAULTS * TEXTS)
