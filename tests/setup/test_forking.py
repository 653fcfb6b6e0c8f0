"""Processes that tests fork are like new ones."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import forking
from tests.support.patience import PATIENCE

SCRIPT = """
import atexit, json, os, signal, sys, threading, warnings
print(json.dumps({
    "argv": sys.argv,
    "path": sys.path,
    "folder": os.getcwd(),
    "environment": dict(os.environ),
    "warnings": sys.warnoptions,
    "filters": [[str(part) for part in one] for one in warnings.filters],
    "streams": [
        [one.encoding, one.errors, one.line_buffering]
        for one in (sys.stdin, sys.stdout, sys.stderr)
    ],
    "signals": [str(signal.getsignal(one)) for one in (signal.SIGINT, signal.SIGCHLD)],
    "threads": len(threading.enumerate()),
    "files": len(os.listdir("/dev/fd")),
    "main": [__name__, sys.modules["__main__"].__dict__ is globals()],
    "given": sys.stdin.read(),
}))
atexit.register(print, "at the end")
"""
WAYS = [("-m", "program"), ("-c", SCRIPT), ("program.py",)]


def both(*command: str, folder: Path, **options) -> list[subprocess.CompletedProcess]:
    environment = {**os.environ, "PYTHONPATH": str(folder / "more"), "PYTHONIOENCODING": "utf-8"}
    options |= {"cwd": folder, "env": environment, "timeout": PATIENCE}
    command = (sys.executable, *command)
    options |= {"capture_output": True, "text": True}
    return [run(command, **options) for run in (subprocess.run, forking.run)]


@pytest.mark.parametrize("way", WAYS)
def test_they_begin_alike(way, tmp_path):
    (tmp_path / "program.py").write_text(SCRIPT)
    rules = ("-Werror", "-W", "ignore:some words:ResourceWarning")
    new, forked = both(*rules, *way, "one", "ø", folder=tmp_path, input="a line\n")
    assert forked.stderr == new.stderr == ""
    assert forked.stdout.splitlines()[1:] == new.stdout.splitlines()[1:] == ["at the end"]
    mine, theirs = (json.loads(done.stdout.splitlines()[0]) for done in (forked, new))
    assert mine == theirs


@pytest.mark.parametrize(
    "end", ["pass", "raise SystemExit(3)", "raise SystemExit('why')", "1 / 0", "os.abort()"]
)
def test_they_end_alike(end, tmp_path):
    (tmp_path / "program.py").write_text(f"import os\n{end}\n")
    new, forked = both("-m", "program", folder=tmp_path)
    assert forked.returncode == new.returncode
    assert forked.stderr.splitlines()[-1:] == new.stderr.splitlines()[-1:]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_they_are_killed_alike(number, tmp_path):
    (tmp_path / "program.py").write_text("import time\nprint(flush=True)\ntime.sleep(10_000)\n")
    codes = []
    for start in (subprocess.Popen, forking.Popen):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        with start([sys.executable, "program.py"], cwd=tmp_path, **options) as process:
            process.stdout.readline()
            assert process.poll() is None
            process.send_signal(number)
            codes.append(process.wait(PATIENCE))
    assert codes == [-number, -number]
