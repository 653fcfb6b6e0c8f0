from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.labelled import small_set


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return small_set(tmp_path)
