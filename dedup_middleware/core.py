"""The compiled core: a shared library beside this file, called with bytes for bytes."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import CoreError

if TYPE_CHECKING:
    from collections.abc import Sequence

VERSION = 17  # of what goes in and comes out; native/src/ffi.rs has the same number
FILES = ("libdedup_core.so", "libdedup_core.dylib", "dedup_core.dll")
FOLDER = Path(__file__).parent

_FAILURES = {
    2: "the text is longer than it takes",
    3: "the text is not valid UTF-8",
    4: "it failed; please report the text that caused it",
    5: "they are not what it takes",
}


class _Buffer(ctypes.Structure):
    _fields_ = (("data", ctypes.c_void_p), ("length", ctypes.c_size_t))


class InputError(CoreError):
    """The core can't take an input, or failed on it."""


def library_file() -> Path | None:
    """Return where the core is, None if it is not there."""
    return next((FOLDER / file for file in FILES if (FOLDER / file).is_file()), None)


@cache
def load() -> ctypes.CDLL:
    """Load the core; raise CoreError if it can't be used."""
    path = library_file()
    if path is None:
        raise CoreError(
            f"The compiled core is not in {FOLDER}: install the wheel for this platform, or Rust "
            "(cargo) and then this package from source"
        )
    try:
        library = ctypes.CDLL(str(path))
        found = int(library.dedup_version())
    except (OSError, AttributeError) as error:
        raise CoreError(f"{path} can't be loaded: {error}. Install this package again") from error
    if found != VERSION:
        raise CoreError(
            f"{path} has version {found}, but {VERSION} is needed. Install this package again"
        )
    return library


def call(name: str, data: bytes, *options: int) -> bytes:
    """Return what a function of the core makes of some bytes; other threads run meanwhile."""
    buffer = _Buffer()
    status = _function(name, len(options))(data, len(data), buffer, *options)
    return _taken(name, len(data), status, buffer)


def call_parts(name: str, parts: Sequence[bytes]) -> bytes:
    """Return what a function of the core makes of several pieces of bytes, without copying them."""
    count, buffer = len(parts), _Buffer()
    lengths = [*map(len, parts)]
    pointers, sizes = _arrays(count)
    status = _parts_function(name)(pointers(*parts), sizes(*lengths), count, buffer)
    return _taken(name, sum(lengths), status, buffer)


def _taken(name: str, length: int, status: int, buffer: _Buffer) -> bytes:
    """Return what the core has put into a buffer, and free that."""
    if status:
        reason = _FAILURES.get(status, f"status {status}")
        raise InputError(f"The compiled core can't do {name} for {length:,} bytes: {reason}")
    try:
        return ctypes.string_at(buffer.data or 0, buffer.length)
    finally:
        _free()(buffer.data, buffer.length)


@cache
def _function(name: str, options: int) -> Any:
    numbers = (ctypes.c_uint64,) * options
    return _found(name, ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(_Buffer), *numbers)


@cache
def _parts_function(name: str) -> Any:
    pointers, sizes = ctypes.POINTER(ctypes.c_char_p), ctypes.POINTER(ctypes.c_size_t)
    return _found(name, pointers, sizes, ctypes.c_size_t, ctypes.POINTER(_Buffer))


@cache
def _arrays(count: int) -> tuple[Any, Any]:
    return ctypes.c_char_p * count, ctypes.c_size_t * count


@cache
def _free() -> Any:
    function = _found("free", ctypes.c_void_p, ctypes.c_size_t)
    function.restype = None
    return function


def _found(name: str, *types: Any) -> Any:
    try:
        function = load()[f"dedup_{name}"]
    except AttributeError as error:
        raise CoreError(f"The compiled core has no function {name}") from error
    function.argtypes, function.restype = types, ctypes.c_int32
    return function
