"""The input: one fetched page."""

from __future__ import annotations

from dataclasses import dataclass

_PIECE = 1 << 16  # only to be counted, a page need not be there twice


@dataclass(frozen=True, slots=True)
class Page:
    """A fetched page: its URL and its HTML or plain text.

    >>> Page(url="https://example.org/", html=b"<p>Hello</p>").url
    'https://example.org/'
    >>> Page(url="https://example.org/")
    Traceback (most recent call last):
    ...
    ValueError: Page(url='https://example.org/') needs html or text
    """

    url: str
    html: str | bytes | None = None
    text: str | None = None
    encoding: str | None = None
    """The encoding of `html` as bytes by the HTTP header or the caller; checked, not trusted."""
    redirected_from: tuple[str, ...] = ()
    """The URLs that led here by redirects, in order."""

    def __post_init__(self) -> None:
        if self.html is None and self.text is None:
            raise ValueError(f"Page(url={self.url!r}) needs html or text")
        for name in ("url", "html", "text", "encoding"):
            value = getattr(self, name)
            # a subclass may carry a whole parsed page along, or a type that others don't know
            if isinstance(value, str) and type(value) is not str:
                object.__setattr__(self, name, str.__str__(value))
            elif isinstance(value, bytes) and type(value) is not bytes:
                object.__setattr__(self, name, bytes(memoryview(value)))

    @property
    def body(self) -> bytes:
        """The page as it came, in bytes."""
        content = self.html if self.html is not None else self.text
        if isinstance(content, bytes):
            return content
        return (content or "").encode("utf-8", "surrogatepass")

    @property
    def size(self) -> int:
        """How many bytes the page has as it came.

        >>> [Page(url="", html=html).size for html in (b"&uuml;", "u", "ü")]
        [6, 1, 2]
        """
        content = self.html if self.html is not None else self.text or ""
        if isinstance(content, bytes) or content.isascii():
            return len(content)
        pieces = (content[at : at + _PIECE] for at in range(0, len(content), _PIECE))
        return sum(len(piece.encode("utf-8", "surrogatepass")) for piece in pieces)
