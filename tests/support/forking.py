"""Processes of their own for crawls and commands, forked from one that has imported Scrapy.

A new interpreter takes most of its time to import Scrapy and the package. What is tested here is
what commands do, so that they may start where these are imported already; they have memory, files,
signals and an end of their own as any process. What a start imports, and whether it works at all,
is tested in new interpreters: `subprocess` starts those.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from .fork_server import NUMBER
from .patience import PATIENCE

_SCRIPT = Path(__file__).with_name("fork_server.py")


class Popen(subprocess.Popen):
    """A process that `subprocess.Popen` would start; the command is Python with some options."""

    def _execute_child(self, args: Sequence[str | Path], *options: Any) -> None:
        # the rest of the parameters are those of Python 3.11 and later
        cwd, env = options[4:6]
        stdin, _, _, stdout, _, stderr = pipes = options[9:15]
        ours, theirs = os.pipe()
        files = [file if file >= 0 else own for own, file in enumerate((stdin, stdout, stderr))]
        _fork_server(os.getpid()).send(
            {
                **_parsed(list(map(str, args))),
                "folder": str(cwd or Path.cwd()),
                "environment": dict(os.environ if env is None else env),
                "new_session": bool(options[20]),
            },
            [*files, theirs],
        )
        os.close(theirs)
        self._status = ours
        self.pid = self._read_number()
        self._child_created = True
        self._close_pipe_fds(*pipes)

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        if wait_flags & os.WNOHANG and not select.select([self._status], [], [], 0)[0]:
            return 0, 0
        status = self._read_number()
        os.close(self._status)
        return self.pid, status

    def _internal_poll(self, _deadstate: int | None = None) -> int | None:
        if self.returncode is None and self._waitpid_lock.acquire(blocking=False):
            try:
                child, status = self._try_wait(os.WNOHANG)
                if child:
                    self._handle_exitstatus(status)
            finally:
                self._waitpid_lock.release()
        return self.returncode

    def _read_number(self) -> int:
        (number,) = NUMBER.unpack(os.read(self._status, NUMBER.size))
        return number


def run(
    command: Sequence[str | Path], *, timeout: float = PATIENCE, check: bool = False, **options: Any
) -> Any:
    """Do what `subprocess.run` does."""
    assert not check, "of no use yet"
    if options.pop("capture_output", False):
        options |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    given = options.pop("input", None)
    if given is not None:
        options["stdin"] = subprocess.PIPE
    with Popen(command, **options) as process:
        try:
            out, err = process.communicate(given, timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def _parsed(command: list[str]) -> dict[str, Any]:
    python, *rest = command
    assert python == sys.executable
    rules = []
    while rest[0].startswith("-W"):
        rules.append(rest.pop(0).removeprefix("-W") or rest.pop(0))
    module, code = (rest.pop(1) if rest[0] == option else "" for option in ("-m", "-c"))
    script, *arguments = rest
    assert module or code or not script.startswith("-"), command
    named = {"module": module, "code": code, "script": script}
    return {"warnings": rules, **named, "arguments": arguments}


class _ForkServer:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket, theirs = socket.socketpair()
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # what has threads cannot fork
        environment.pop("PYTHONPATH", None)
        self._process = subprocess.Popen(
            [sys.executable, _SCRIPT, str(theirs.fileno())],
            env=environment,
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )
        theirs.close()

    def send(self, command: dict[str, Any], files: list[int]) -> None:
        data = json.dumps(command).encode()
        with self._lock:
            socket.send_fds(self._socket, [NUMBER.pack(len(data))], files)
            self._socket.sendall(data)

    def close(self) -> None:
        self._socket.close()
        self._process.wait()


@cache
def _fork_server(owner: int) -> _ForkServer:
    """Return the server of a process; one that was forked gets its own."""
    server = _ForkServer()
    atexit.register(lambda: server.close() if os.getpid() == owner else None)
    return server
