"""A process that has imported Scrapy and the package, and forks into the commands of tests.

A script: `forking.py` starts it, and sends it commands through a socket. A child does what
`python [-W rule …] (-m module | -c code | script) argument …` does in a new process, and ends
like it.
"""

from __future__ import annotations

import atexit
import builtins
import gc
import io
import json
import os
import pkgutil
import re
import runpy
import select
import signal
import socket
import struct
import sys
import threading
import warnings
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

NUMBER = struct.Struct("q")
# what crawls and commands import; nothing that chooses a reactor or starts a thread
SCRAPY = """
    scrapy.cmdline scrapy.commands.crawl scrapy.commands.shell scrapy.contracts scrapy.utils.test
    twisted.internet.asyncioreactor twisted.internet.selectreactor
""".split()
OTHERS = "PIL.Image encodings.idna nltk.stem.snowball redis rich.progress rich.table".split()
COMPONENT = re.compile(r"(scrapy\..+)\.\w+")
# Arrow, which batches import, starts threads; the core is loaded with ctypes
LEFT_OUT = ("dedup_middleware.batch.", "dedup_middleware.libdedup_core")


def main() -> None:
    paths = sys.path[1:]
    _preload()
    command = _serve(socket.socket(fileno=int(sys.argv[1])))
    if command:
        try:
            _become(command, paths)
        except SystemExit as end:
            if end.code is not None and not isinstance(end.code, int):
                raise
            _end(end.code or 0)
        _end(0)


def _preload() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in SCRAPY:
            import_module(name)
        for name in (*OTHERS, *_default_components()):
            # not everywhere is all installed that they need; some are deprecated, and not used
            with suppress(ImportError, DeprecationWarning):
                import_module(name)
        import dedup_middleware
        from dedup_middleware.urls import site_of

        for module in pkgutil.walk_packages(dedup_middleware.__path__, "dedup_middleware."):
            if not module.name.startswith(LEFT_OUT):
                import_module(module.name)
        site_of("a.example")  # reads the list of public suffixes
    assert "twisted.internet.reactor" not in sys.modules
    gc.collect()
    gc.freeze()  # so that collections in children leave these pages shared


def _default_components() -> set[str]:
    """Return the modules of what Scrapy's default settings name."""
    from scrapy.settings import default_settings

    named: list[Any] = []
    for value in vars(default_settings).values():
        named += [*value.keys(), *value.values()] if isinstance(value, dict) else [value]
    found = (COMPONENT.fullmatch(name) for name in named if isinstance(name, str))
    return {one[1] for one in found if one}


def _serve(requests: socket.socket) -> dict[str, Any] | None:
    """Fork for each command; return it in the child, and None when there are no more."""
    awake, wake = os.pipe()
    for end in (awake, wake):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # meant for the tests, or for a child
    told: dict[int, int] = {}  # where it is written how a child ended, by its id
    while True:
        ready, _, _ = select.select([requests, awake], [], [])
        if awake in ready:
            os.read(awake, 4096)
            _tell_ended(told)
            continue
        size, files, _, _ = socket.recv_fds(requests, NUMBER.size, 4)
        if not size:
            return None
        command = json.loads(requests.recv(*NUMBER.unpack(size), socket.MSG_WAITALL))
        child = os.fork()
        if not child:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            requests.close()
            for number, file in enumerate(files[:3]):
                os.dup2(file, number)
            for file in (awake, wake, *files, *told.values()):
                os.close(file)
            return command
        told[child] = files.pop()
        os.write(told[child], NUMBER.pack(child))
        for file in files:
            os.close(file)


def _tell_ended(told: dict[int, int]) -> None:
    with suppress(ChildProcessError):  # there is none any more
        while True:
            child, status = os.waitpid(-1, os.WNOHANG)
            if not child:
                return
            file = told.pop(child)
            with suppress(BrokenPipeError):  # nobody waits for it
                os.write(file, NUMBER.pack(status))
            os.close(file)


def _become(command: dict[str, Any], paths: list[str]) -> None:
    """Do in this process what a new one would do."""
    os.environ.clear()
    os.environ.update(command["environment"])
    os.chdir(command["folder"])
    if command["new_session"]:
        os.setsid()
    sys.stdin = sys.__stdin__ = _stream(0, "rb", "strict")
    sys.stdout = sys.__stdout__ = _stream(1, "wb", "strict")
    sys.stderr = sys.__stderr__ = _stream(2, "wb", "backslashreplace")
    for rule in command["warnings"]:
        action, text, category = (*rule.split(":"), "", "Warning")[:3]
        warnings.filterwarnings(action, re.escape(text), getattr(builtins, category or "Warning"))
    sys.warnoptions[:] = command["warnings"]
    if command["module"]:
        first = str(Path.cwd())
    else:
        first = "" if command["code"] else str(Path(command["script"]).resolve().parent)
    added = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:] = [first, *filter(None, added), *paths]
    sys.argv[:] = [command["script"], *command["arguments"]]
    if command["module"]:
        runpy.run_module(command["module"], run_name="__main__", alter_sys=True)
    elif command["code"]:
        main = sys.modules["__main__"] = ModuleType("__main__")
        exec(command["code"], vars(main))
    else:
        runpy.run_path(command["script"], run_name="__main__")


def _end(code: int) -> None:
    """End as interpreters do, but leave what they would take apart then to the system.

    To touch all that was imported takes longer than most commands. What this process has made and
    holds no more is finalised, and an error then is shown.
    """
    threading._shutdown()
    atexit._run_exitfuncs()
    gc.collect()
    with suppress(OSError):  # a pipe that nobody reads: the interpreter says so, and ends itself
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)
    sys.exit(code)


def _stream(number: int, mode: str, errors: str) -> io.TextIOWrapper:
    unbuffered = mode == "wb" and bool(os.environ.get("PYTHONUNBUFFERED"))
    file = os.fdopen(number, mode, 0 if unbuffered else -1, closefd=False)
    return io.TextIOWrapper(
        file,
        os.environ.get("PYTHONIOENCODING"),
        errors,
        line_buffering=not unbuffered and (number == 2 or file.isatty()),
        write_through=unbuffered,
    )


if __name__ == "__main__":
    main()
