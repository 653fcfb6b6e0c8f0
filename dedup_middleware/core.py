"""The compiled core: a shared library beside this file, called with bytes for bytes.

Everything works without it, only slower: each of its functions has a twin in Python. The
environment variable DEDUP_CORE chooses: `python` never loads it, `native` fails without it.
"""

from __future__ import annotations

import ctypes
import logging
import os
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from .errors import CoreError, SettingError

VERSION = 5  # of what goes in and comes out; the same number stands in native/src/ffi.rs
VARIABLE = "DEDUP_CORE"
FILES = ("libdedup_core.so", "libdedup_core.dylib", "dedup_core.dll")
FOLDER = Path(__file__).parent

_FAILURES = {
    2: "the text is longer than it takes",
    3: "the text is not valid UTF-8",
    4: "it failed; please report the text that caused it",
    5: "they are not what it takes",
}
_logger = logging.getLogger(__name__)
_lock = Lock()


class _Buffer(ctypes.Structure):
    _fields_ = (("data", ctypes.c_void_p), ("length", ctypes.c_size_t))


def available() -> bool:
    """Return True if the core is to be used; say once in the log if it is missing."""
    return _library() is not None


def version() -> int | None:
    """Return the version of the core, None without it."""
    return VERSION if available() else None


def library_file() -> Path | None:
    """Return where the core is, None if it is not there."""
    return next((FOLDER / file for file in FILES if (FOLDER / file).is_file()), None)


def missing() -> str:
    """Return why the core can't be used; empty if it can."""
    try:
        _loaded()
    except CoreError as error:
        return str(error)
    return ""


def call(name: str, data: bytes, *options: int) -> bytes:
    """Return what a function of the core makes of some bytes; other threads run meanwhile."""
    function = _function(name, len(options))
    buffer = _Buffer()
    status = function(data, len(data), ctypes.byref(buffer), *options)
    if status:
        reason = _FAILURES.get(status, f"status {status}")
        raise CoreError(f"The compiled core can't do {name} for {len(data):,} bytes: {reason}")
    try:
        return ctypes.string_at(buffer.data or 0, buffer.length)
    finally:
        _function("free")(buffer.data, buffer.length)


@cache  # asked for each page, so that a lock each time would cost
def _library() -> ctypes.CDLL | None:
    with _lock:  # or two threads would both say that it is missing
        return _chosen()


@cache
def _chosen() -> ctypes.CDLL | None:
    choice = os.environ.get(VARIABLE, "")
    if choice not in ("", "native", "python"):
        raise SettingError(f"{VARIABLE} is {choice!r}; it can be 'python', 'native' or unset")
    if choice == "python":
        return None
    try:
        return _loaded()
    except CoreError as error:
        if choice == "native":
            raise CoreError(f"{VARIABLE} is 'native', but {error}") from error
        _logger.info("Running without the compiled core, so slower: %s", error)
        return None


def _loaded() -> ctypes.CDLL:
    path = library_file()
    if path is None:
        raise CoreError(
            f"there is no {FILES[0]} in {FOLDER}. Install cargo (Rust), then install this package "
            "from source"
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


@cache
def _function(name: str, options: int = 0) -> Any:
    library = _library()
    if library is None:
        raise CoreError(f"{name} needs the compiled core, which is not loaded")
    try:
        function = library[f"dedup_{name}"]
    except AttributeError as error:
        raise CoreError(f"The compiled core has no function {name}") from error
    if name == "free":
        function.argtypes, function.restype = (ctypes.c_void_p, ctypes.c_size_t), None
    else:
        function.argtypes = (
            *(ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(_Buffer)),
            *(ctypes.c_uint64 for _ in range(options)),
        )
        function.restype = ctypes.c_int32
    return function
