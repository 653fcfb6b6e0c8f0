"""What would be published, built from the sources, and installed into an empty environment."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.documentation import ROOT

HOME = "https://git.example/team/project"
EXTRAS = ("redis", "report", "warc")


@pytest.fixture(scope="session")
def published(tmp_path_factory) -> Path:
    """A folder with the sdist, and the wheel that was built from it, without a network."""
    folder = tmp_path_factory.mktemp("published")
    _run(str(ROOT / ".ci" / "wheel"), sys.executable, str(folder), PROJECT_URL=HOME)
    return folder


@pytest.fixture(scope="session")
def sdist(published) -> Path:
    (found,) = published.glob("*.tar.gz")
    return found


@pytest.fixture(scope="session")
def wheel(published) -> Path:
    (found,) = published.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def install(wheel, tmp_path_factory) -> Callable[..., Path]:
    """Install the wheel into an environment, a new one or one that is there; return its Python."""

    def installed(*extras: str, place: Path | None = None) -> Path:
        place = place or tmp_path_factory.mktemp("environment")
        interpreter = place / "bin" / "python"
        if not interpreter.exists():
            venv.create(place, symlinks=True)
        named = f"{wheel}[{','.join(extras)}]" if extras else str(wheel)
        pip = (sys.executable, "-m", "pip", "--python", str(interpreter))
        _run(*pip, "install", "--quiet", "--no-compile", named)
        return interpreter

    return installed


@pytest.fixture(scope="session")
def without_extras(install) -> Path:
    return install()


@pytest.fixture(scope="session")
def with_extras(install, without_extras) -> Path:
    """The same environment, later: tests that need it bare come first."""
    return install(*EXTRAS, place=without_extras.parents[1])


def _run(*command: str, **variables: str) -> None:
    environment = {**os.environ, **variables}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
