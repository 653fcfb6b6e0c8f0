"""The process that judges pages, without a crawl."""

from __future__ import annotations

from pathlib import Path

import pytest

from dedup_middleware import NotAStore, Page, StoreError
from dedup_middleware.plugin.worker import Worker
from dedup_middleware.settings import Settings
from tests.support.texts import article, html


class Text(str):
    """A type that only this process knows."""

    __slots__ = ()


@pytest.fixture
def worker(tmp_path: Path):
    made = Worker(store=tmp_path / "s", settings=Settings())
    yield made
    made.finish()


def test_jobs_are_done_in_order(worker: Worker) -> None:
    pages = [Page(url=f"https://{n}.example/", html=html(article(n % 3))) for n in range(6)]
    answers = [worker.tell("judge", page, {}) for page in pages]
    kinds = [str(answer.result(30).verdict.kind) for answer in answers]
    assert kinds == ["unique"] * 3 + ["exact"] * 3
    assert worker.tell("close").result(30)["seconds"] > 0


def test_types_that_the_process_does_not_know(worker: Worker) -> None:
    page = Page(url=Text("https://a.example/"), text=Text(" ".join(article(1))))
    assert worker.tell("judge", page, {}).result(30).verdict.kind == "unique"
    with pytest.raises(Exception, match="Text"):
        worker.tell("judge", Text("no page"), {}).result(30)
    assert worker.tell("judge", page, {}).result(30).verdict.kind == "unchanged", "it goes on"


def test_an_error_in_a_job_is_an_answer(worker: Worker) -> None:
    with pytest.raises(AttributeError):
        worker.tell("judge", None, {}).result(30)
    with pytest.raises(AttributeError):
        worker.tell("no such job").result(30)


def test_the_end_of_the_process_is_told(worker: Worker) -> None:
    worker._process.kill()
    page = Page(url="https://a.example/", html=html(article(1)))
    for _ in range(3):
        with pytest.raises(StoreError, match="has ended"):
            worker.tell("judge", page, {}).result(30)


def test_a_bad_store_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("x")
    with pytest.raises(NotAStore, match="is a file"):
        Worker(store=tmp_path / "s", settings=Settings())
