"""Web archives for tests, written with warcio."""

from __future__ import annotations

import io
from typing import Self

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from tests.support.texts import article, html

HTML = "text/html; charset=iso-8859-1"
BODY = html(article(1, 100)).encode("latin-1", "ignore") + "ä".encode("latin-1")
OTHER = html(article(7, 100)).encode("latin-1", "ignore")


class _Writer(WARCWriter):
    def _create_temp_file(self) -> io.BytesIO:
        return io.BytesIO()  # warcio's own is never closed, and warnings are errors


class Archive:
    """A WARC file that grows."""

    def __init__(self, *, compressed: bool = False) -> None:
        self._file = io.BytesIO()
        self._writer = _Writer(self._file, gzip=compressed)
        self._writer.write_record(self._writer.create_warcinfo_record("made.warc", {"by": "tests"}))

    def add(self, url: str, body: bytes = BODY, status: str = "200 OK", **headers: str) -> Self:
        """Add a response; headers of the record itself begin with `warc`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        http = {"Content-Type": HTML, **{n: v for n, v in named.items() if n[:4] != "WARC"}}
        self._writer.write_record(
            self._writer.create_warc_record(
                url,
                "response",
                payload=io.BytesIO(body),
                http_headers=StatusAndHeaders(status, list(http.items()), protocol="HTTP/1.1"),
                warc_headers_dict={n: v for n, v in named.items() if n[:4] == "WARC"},
            )
        )
        return self

    def revisit(self, url: str) -> Self:
        """Add a revisit of something that is not here."""
        record = self._writer.create_revisit_record(
            url, "sha1:B6QJ6BNJ3R4B23XXMRKZKHLPGJY2VE4O", url, "2026-11-01T00:00:00Z"
        )
        self._writer.write_record(record)
        return self

    def text(self, url: str, text: str) -> Self:
        """Add what a page says, without markup."""
        record = self._writer.create_warc_record(
            url, "conversion", io.BytesIO(text.encode()), warc_content_type="text/plain"
        )
        self._writer.write_record(record)
        return self

    @property
    def data(self) -> bytes:
        return self._file.getvalue()


def chunked(body: bytes, size: int = 1000) -> bytes:
    parts = (body[at : at + size] for at in range(0, len(body), size))
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
