"""Methods of other packages, found by their entry points."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent

import pytest

from dedup_middleware import Deduplicator, Page, SettingError
from dedup_middleware.methods import make_method, method_names
from tests.support.texts import article, html

MODULE = '''
    """Two documents are alike if they begin with the same words."""

    from dataclasses import dataclass

    from dedup_middleware.methods import IndexedMethod, Match
    from dedup_middleware.settings import ranged


    @dataclass
    class Beginnings(IndexedMethod):
        threshold: float = ranged(1.0, "Has no effect.", 0.0, 1.0)
        words: int = ranged(20, "Words that must be equal.", 1, 1000)

        def add(self, document):
            self.tables.post(self._key(document), self._enter(document.name))

        def candidates(self, document):
            found = self.tables.postings(self._key(document)).numbers
            return [Match(self._entry(number)[0], 1.0, 1.0) for number in found.tolist()]

        def _key(self, document):
            return document.hashes[: self.words].sum(keepdims=True)


    class NotAMethod:
        """Not a method."""
'''
ENTRY_POINTS = """
    [scrapy_dedup.methods]
    beginnings = beginnings_of_pages:Beginnings
    no-method = beginnings_of_pages:NotAMethod
"""


@pytest.fixture
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a distribution with two entry points on the path, as an installer would."""
    folder = tmp_path / "site-packages"
    info = folder / "beginnings_of_pages-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / "beginnings_of_pages.py").write_text(dedent(MODULE))
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: beginnings-of-pages\nVersion: 1.0")
    (info / "entry_points.txt").write_text(dedent(ENTRY_POINTS))
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delitem(sys.modules, "beginnings_of_pages", raising=False)


@pytest.mark.usefixtures("_installed")
def test_a_method_of_another_package_judges_pages(tmp_path: Path) -> None:
    assert {"beginnings", "cascade", "shingles"} <= set(method_names())
    assert method_names()[0] == "cascade"
    url = "https://example.org/{}".format
    parts = article(1)
    for visit in range(2):  # its index is in the store
        with Deduplicator(
            tmp_path / "store", method="beginnings", method_options={"words": 9}
        ) as dedup:
            if not visit:
                assert dedup.process(Page(url=url("a"), html=html(parts))).kind == "unique"
            part = html(parts[: 2 + visit], site="news")
            verdict = dedup.process(Page(url=url(f"part-{visit}"), html=part))
            assert (verdict.kind, verdict.original) == ("near", url("a"))
            assert verdict.evidence.stage == "method"
            assert "beginnings" in verdict.reason
            other = dedup.process(Page(url=url(f"other-{visit}"), html=html(article(9 + visit))))
            assert other.kind == "unique"


@pytest.mark.usefixtures("_installed")
def test_its_options_are_checked_by_name_type_and_range(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="beginnings has no option 'wrods'; it has threshold, w"):
        make_method("beginnings", wrods=3)
    with pytest.raises(SettingError, match="'words' of the method beginnings must be from 1 to"):
        Deduplicator(tmp_path / "store", method="beginnings", method_options={"words": 0})


@pytest.mark.usefixtures("_installed")
def test_an_entry_point_that_is_no_method_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        SettingError, match="NotAMethod of the method 'no-method' is not a subclass"
    ):
        Deduplicator(tmp_path / "store", method="no-method")
    assert not (tmp_path / "store").exists()


def test_a_method_that_is_not_installed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        SettingError, match=r"DEDUP_METHOD: There is no method 'beginnings'; choose"
    ):
        Deduplicator(tmp_path / "store", method="beginnings")
