"""Cases of the html5lib encoding tests: bytes, and the encoding in which browsers read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from w3lib.encoding import resolve_encoding

from dedup_middleware.read.words import to_utf8
from lab.table import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

DEFAULT = "cp1252"
BROKEN = "a broken declaration is believed: it still says more than the default of browsers"
UTF8 = "the bytes are valid UTF-8, which is trusted whatever a page declares"
NOT_EXPLAINED = "NOT EXPLAINED"
# most tests are plain ASCII, so text follows that shows how they were decoded
_PROBES = ("日本語の文章である", "Příliš žluťoučký kůň", "Größe, café, naïve")


class Case(NamedTuple):
    """One test, with a text behind it."""

    file: str
    data: bytes
    encoding: str
    probe: str

    @property
    def passes(self) -> bool:
        body = self.data + b"\n" + self.probe.encode(self.encoding)
        text, _ = to_utf8(body, None, len(body))
        return text.decode().endswith(self.probe)

    @property
    def reason(self) -> str:
        """Return why it is right to fail this test."""
        if self.encoding == DEFAULT and b"charset=" in self.data:
            return BROKEN
        return UTF8 if _is_utf8(self.data) and not self.data.isascii() else NOT_EXPLAINED


def read_cases(folder: Path) -> Iterator[Case]:
    """Yield the tests of all files in a folder."""
    for path in sorted(folder.glob("*.dat")):
        for test in path.read_bytes().split(b"#data\n")[1:]:
            data, _, rest = test.partition(b"\n#encoding\n")
            encoding = resolve_encoding(rest.split(b"\n")[0].decode()) or DEFAULT
            probe = next(text for text in _PROBES if _fits(text, encoding))
            yield Case(path.name, data, encoding, probe)


def report(cases: Sequence[Case]) -> int:
    """Print how many tests pass, and why the rest don't matter; return 1 if some of it does."""
    failed = [case for case in cases if not case.passes]
    print(table(("encodings", "passed", "of"), [["", len(cases) - len(failed), len(cases)]]))
    reasons = sorted({case.reason for case in failed})
    for reason in reasons:
        some = [case for case in failed if case.reason == reason]
        print(f"  {len(some)} fail: {reason}")
        for case in some if reason == NOT_EXPLAINED else ():
            print(f"    {case.file}, {case.encoding}: {case.data[-200:]!r}")
    return int(NOT_EXPLAINED in reasons)


def _fits(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
