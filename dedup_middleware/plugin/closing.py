"""The closing of pipelines: whether all of them have written what they held back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.utils.python import global_object_name

from dedup_middleware.text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.crawler import Crawler

_NOT_CLOSED = "the pipelines were not closed"
_LONGEST_ERROR = 200


class PipelineWatch:
    """See whether all pipelines of a crawl are closed.

    Scrapy closes pipelines side by side, ours among them; what one raises it logs, and tells no
    component. So two calls of Scrapy's own objects are wrapped: that by which the engine has all
    pipelines closed, which fails if any of them does, and that which sends `spider_closed`, as
    pipelines may close themselves at that signal. This holds whatever class `ITEM_PROCESSOR` names
    and on every reactor, and no object of the user is changed. A run that was never seen to close
    has not succeeded: a Scrapy that closes pipelines in another way would make pages pass again,
    and lose none.
    """

    def __init__(self) -> None:
        self._failures = [_NOT_CLOSED]
        self._pipelines: Sequence[object] = ()

    def start(self, crawler: Crawler) -> None:
        """Watch from now on; the engine must be there."""
        if crawler.engine is None:
            return
        scraper, manager = crawler.engine.scraper, crawler.signals
        self._pipelines = getattr(scraper.itemproc, "middlewares", ())
        close, send = scraper.close_spider_async, manager.send_catch_log_async

        async def close_spider_async() -> None:
            try:
                await close()
            except Exception as error:
                self._failures = [_failure(self._raised_by(error), error)]
                raise
            self._failures = []

        async def send_catch_log_async(signal: Any, **named: Any) -> list[tuple[Any, Any]]:
            results = await send(signal, **named)
            if signal is signals.spider_closed:
                self._note_handlers(results)
            return results

        scraper.close_spider_async = close_spider_async  # type: ignore[method-assign]  # see above
        manager.send_catch_log_async = send_catch_log_async  # type: ignore[method-assign]  # same

    def failures(self) -> Sequence[str]:
        """Return which pipelines could not be closed, and why."""
        return self._failures

    def _raised_by(self, error: Exception) -> object | None:
        """Return the pipeline that raised an error; Twisted's deferreds forget which it was."""
        traceback = error.__traceback__
        while traceback:
            owner = traceback.tb_frame.f_locals.get("self")
            if self._is_pipeline(owner):
                return owner
            traceback = traceback.tb_next
        return None

    def _note_handlers(self, results: Sequence[tuple[Any, Any]]) -> None:
        for receiver, result in results:
            owner = getattr(receiver, "__self__", None)
            if isinstance(result, Exception) and self._is_pipeline(owner):
                self._failures.append(_failure(owner, result))

    def _is_pipeline(self, one: object) -> bool:
        return any(one is pipeline for pipeline in self._pipelines)


def _failure(pipeline: object | None, error: Exception) -> str:
    """Tell in one line which pipeline could not be closed, and why."""
    name = f"the pipeline {global_object_name(type(pipeline))}" if pipeline else "a pipeline"
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return f"{name} failed to close: {printable(text)[:_LONGEST_ERROR]}"
