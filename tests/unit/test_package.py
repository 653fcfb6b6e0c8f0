"""The public names of the package."""

from __future__ import annotations

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
