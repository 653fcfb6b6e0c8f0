"""The main text of responses, for callbacks: read when somebody asks, and once with the judgement.

What was read is kept as long as the response.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, ref

from scrapy.exceptions import NotSupported
from scrapy.http import HtmlResponse

from dedup_middleware.fingerprint.site import without
from dedup_middleware.fingerprint.subject import read_subject
from dedup_middleware.page import Page
from dedup_middleware.read.main_text import MainText
from dedup_middleware.settings import Settings
from dedup_middleware.text import printable

if TYPE_CHECKING:
    from scrapy.http import Response

    from dedup_middleware.deduplicator import Deduplicator
    from dedup_middleware.fingerprint.subject import Subject


def main_text(source: Response | Page) -> MainText:
    """Return the main text of a page, without what its host repeats.

    In a crawl with the add-on, what the host repeats is known from its pages so far; elsewhere,
    and for a `Page`, nothing is known of the host, and boilerplate is told by structure alone.
    Raise `scrapy.exceptions.NotSupported` for a response that is not HTML.

    >>> text = main_text(Page(url="https://a.example/", html="<h1>Tea</h1><ul><li>Boil water."))
    >>> print(text.markdown())
    # Tea
    <BLANKLINE>
    - Boil water.
    """
    if isinstance(source, Page):
        return Reading().main_text(source)
    if not isinstance(source, HtmlResponse):
        url, kind = printable(source.url), type(source).__name__
        raise NotSupported(f"main_text() needs an HTML response: {url} is a {kind}")
    return reading_of(source).main_text(page_of(source))


def page_of(response: HtmlResponse) -> Page:
    """Return the page that a response shows."""
    meta = response.request.meta if response.request else {}
    return Page(
        url=response.url,
        html=response.body,
        encoding=response.encoding,
        redirected_from=tuple(meta.get("redirect_urls", ())),
    )


class Reading:
    """What was read of a response, by its judgement or by a callback that asks before."""

    def __init__(self, dedup: Deduplicator | None = None) -> None:
        self._dedup = dedup
        self._judged = False
        self._text: MainText | None = None
        self.subject: Subject | None = None
        """None until it is read."""

    def judged(self, subject: Subject) -> None:
        """Note the page as it was judged, with what was known of its host."""
        self.subject, self._judged, self._text = subject, True, None

    def main_text(self, page: Page) -> MainText:
        """Return the main text of the page, which is made once."""
        if self._text is None:
            subject = self.subject
            if subject is None:
                limits = self._dedup.settings if self._dedup else Settings()
                subject = read_subject(page, max_html=limits.max_html, max_text=limits.max_text)
                self.subject = subject
            read, own = subject.outline, subject.own
            if not self._judged and self._dedup:
                # of this process, because a look into the store might have to wait
                own = without(read, self._dedup.store.remembered_host(subject.host))
            self._text = MainText(page, read, own)
        return self._text


_readings: WeakKeyDictionary[Response, Reading] = WeakKeyDictionary()


def reading_of(response: Response, dedup: Deduplicator | None = None) -> Reading:
    """Return what was read of a response: nothing yet, if it was not asked for before."""
    reading = _readings.get(response)
    if reading is None:
        reading = _readings[response] = Reading(dedup)
    return reading


class Tag(dict[str, Any]):
    """The verdict on a page in `response.meta`, with its main text; a copy of it is a `dict`."""

    def __init__(self, tag: dict[str, Any], response: Response) -> None:
        super().__init__(tag)
        # requests inherit it, and must not keep the page
        self._response = ref(response)

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        return dict, (dict(self),)

    @property
    def main_text(self) -> MainText:
        """What `main_text(response)` returns, as long as there is the response."""
        response = self._response()
        if response is None:
            raise ReferenceError("The response that this tag belongs to is gone")
        return main_text(response)
