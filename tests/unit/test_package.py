"""The public names of the package."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest

import dedup_middleware


def test_public_names_are_sorted_and_importable():
    assert sorted(dedup_middleware.__all__) == dedup_middleware.__all__
    for name in dedup_middleware.__all__:
        # `signals` is a module
        assert getattr(dedup_middleware, name).__name__.rpartition(".")[2] == name
        assert name in dir(dedup_middleware)
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = dedup_middleware.nothing_like_it


def test_the_version_is_that_of_the_distribution():
    assert dedup_middleware.__version__ == version("scrapy-dedup")


def test_the_package_simhash_is_loaded_only_where_it_is_used():
    script = (
        "import sys; from dedup_middleware import Deduplicator, Page; import tempfile\n"
        "with Deduplicator(tempfile.mkdtemp()) as dedup:\n"
        "    dedup.process(Page(url='https://a.example/', text='The tide came in. ' * 20))\n"
        "assert 'simhash' not in sys.modules\n"
        "from dedup_middleware.methods import make_method; make_method('simhash')\n"
        "assert 'simhash' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
