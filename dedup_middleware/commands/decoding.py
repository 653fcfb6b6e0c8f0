"""Bodies of responses as they came over the wire: compressed, and perhaps not whole."""

from __future__ import annotations

import zlib
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_PIECE = 1 << 14
_GZIP, _RAW = 16 + zlib.MAX_WBITS, -zlib.MAX_WBITS
_MAGIC = b"\x1f\x8b"
_ZLIB = 8, 31  # the method deflate, and what the first two bytes are a multiple of


def decoded(read: Callable[[int], bytes], coding: str, most: int) -> bytes:
    """Undo a Content-Encoding, up to so many bytes; ValueError if that can't be done.

    >>> import io
    >>> decoded(io.BytesIO(zlib.compress(b"page" * 9)).read, "deflate", 8)
    b'pagepage'
    """
    coding = coding.strip().lower()
    first = read(_PIECE)
    if coding in {"", "identity"} or (coding in {"gzip", "x-gzip"} and first[:2] != _MAGIC):
        return first[:most] + _rest(read, most - len(first))  # some archives keep it decoded
    decoder: Any
    if coding in {"gzip", "x-gzip"}:
        decoder = zlib.decompressobj(_GZIP)
    elif coding == "deflate":
        decoder = zlib.decompressobj(zlib.MAX_WBITS if _has_head(first) else _RAW)
    elif coding == "br":
        decoder = _Brotli()
    else:
        raise ValueError(f"is encoded as {coding}, which can't be read here")
    body, piece = bytearray(), first
    while piece and len(body) < most and not decoder.eof:
        try:
            body += decoder.decompress(piece, most - len(body))
        except zlib.error as error:
            raise ValueError(f"can't be decoded: {error}") from error
        piece = decoder.unconsumed_tail or read(_PIECE)
    if len(body) < most and not decoder.eof:
        raise ValueError("breaks off")
    return bytes(body)


def _rest(read: Callable[[int], bytes], most: int) -> bytes:
    pieces = []
    while most > 0 and (piece := read(min(most, _PIECE))):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


def _has_head(data: bytes) -> bool:
    """Tell zlib's format from the bare one that some servers send as deflate."""
    method, divisor = _ZLIB
    return (
        data[:1] != b"" and data[0] & 15 == method and not int.from_bytes(data[:2], "big") % divisor
    )


class _Brotli:
    """Brotli in the manner of zlib, if it is installed."""

    unconsumed_tail = b""

    def __init__(self) -> None:
        try:
            brotli = import_module("brotli")  # or not; it has no types either
        except ImportError as error:
            raise ValueError("is encoded as br, which needs the package brotli") from error
        self._decoder = brotli.Decompressor()
        self._error: type[Exception] = brotli.error

    @property
    def eof(self) -> bool:
        return bool(self._decoder.is_finished())

    def decompress(self, data: bytes, most: int) -> bytes:
        try:
            piece: bytes = self._decoder.process(data, output_buffer_limit=most)
            while len(piece) < most and not self._decoder.can_accept_more_data():
                piece += self._decoder.process(b"", output_buffer_limit=most - len(piece))
        except TypeError as error:  # it would unpack all there is: a few bytes may be a gigabyte
            raise ValueError("is encoded as br, which needs brotli 1.2 or newer") from error
        except self._error as error:
            raise zlib.error(str(error)) from error
        return piece[:most]
