from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import BAD, call
from tests.support.two_runs import make_two_runs


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory) -> Path:
    """A folder with a store of two runs."""
    return make_two_runs(tmp_path_factory.mktemp("two_runs"))


@pytest.fixture
def run(two_runs, monkeypatch, capsys):
    """Call a sub-command in the folder with the store; return output, messages and exit code."""
    monkeypatch.chdir(two_runs)

    def run(name: str, *args: str | Path) -> tuple[str, str, int]:
        code = call(name, *args)
        out, err = capsys.readouterr()
        assert not any(mark in out + err for mark in BAD)
        return out, err, code

    return run
