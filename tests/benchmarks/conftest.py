from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.labelled import (
    ANIMAL_PAGE,
    TOOL_PAGE,
    A,
    B,
    C,
    D,
    E,
    F,
    G,
    label,
    page,
    write_set,
)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Make a stream of one page, a near copy, an equal one, a part, another page and a shell."""
    pages = [
        page(A, ANIMAL_PAGE),
        page(B, ANIMAL_PAGE, "One more line about the otter."),
        page(C, ANIMAL_PAGE),
        page(D, TOOL_PAGE),
        page(E, ANIMAL_PAGE[: len(ANIMAL_PAGE) // 2]),
        page(F, TOOL_PAGE, ANIMAL_PAGE),
        page(G, "Too short."),
    ]
    labels = [
        label(A, "negative"),
        label(B, "positive", {A: ["near", "contains"]}),
        label(C, "positive", {A: ["exact", "near"]}),
        label(D, "negative"),
        label(E, "positive", {A: ["contained"], B: ["contained"]}),
        label(F, "positive", {A: ["contains"], B: ["contains"], D: ["contains"]}),
        label(G, "negative"),
    ]
    return write_set(tmp_path / "small", "stream", pages, labels)
