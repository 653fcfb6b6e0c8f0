"""The errors of the cascade, grouped by cause, each with the command that shows its pages."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab.rows import page_problem, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .results import Measured
    from .sets import PageSet

    Row = dict[str, Any]

CAUSES = Path(__file__).with_name("causes.json")
UNKNOWN = {
    "too few words": "missed: it has too few words of its own to be compared",
    "read in part": "missed: it was read in part only",
    "names": "missed: title or main heading differ, so that nothing rare may be lost",
    "facts": "missed: facts differ",
    "little": "missed: too little of it is in the page that the labels name",
    "elsewhere": "missed: another page was closer than those that the labels name",
    "apart": "missed: no page was compared, as no key that is looked up is shared",
    "original": "found, for an original that the labels do not name",
    "dropped": "dropped, and different by its label",
    "tagged": "tagged and kept, and different by its label",
    "contains": "called `contains`, which loses nothing, and different by its label",
}
"""Causes by rule, of errors that nobody has checked."""
_REASONS = {
    "too few to compare": "too few words",
    "read in part": "read in part",
    "but title": "names",
    "but facts": "facts",
}
"""Words of the reason of a verdict that tell the cause."""
_KEYS = ("set", "url", "original", "cause")
_BOM = b"\xef\xbb\xbf"  # says that what follows is UTF-8, whatever the page says


@dataclass(frozen=True, slots=True)
class Causes:
    """Why errors were made, as far as somebody has checked."""

    about: Mapping[str, str] = field(default_factory=dict)
    """What each cause is, in a line."""
    found: Mapping[tuple[str, str, str], str] = field(default_factory=dict)
    """The cause of an error, by set, page and another page that the error names."""

    def of(self, name: str, error: Row) -> str:
        """Return the cause of an error; empty if it is not known."""
        named = (error["original"], error["closest"], *error["positives"])
        causes = (self.found.get((name, error["url"], url)) for url in named if url)
        return next(filter(None, causes), "")


def read_causes(path: Path, problems: list[str]) -> Causes:
    """Read the file of causes; report and skip what is wrong in it."""
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        problems.append(f"{path}: {error}; errors are listed without causes")
        return Causes()
    about = data.get("causes") if isinstance(data, dict) else None
    rows = data.get("errors") if isinstance(data, dict) else None
    if not isinstance(about, dict) or not isinstance(rows, list):
        problems.append(f"{path}: needs 'causes' by key and a list 'errors'; not used")
        return Causes()
    found: dict[tuple[str, str, str], str] = {}
    for number, row in enumerate(rows, 1):
        keys = [str(row[key]) for key in _KEYS] if _is_entry(row) else ["", "", "", ""]
        if keys[3] not in about:
            wanted = f"{', '.join(_KEYS)}, the cause one of 'causes'"
            problems.append(f"{path}: entry {number} of 'errors' needs {wanted}; skipped")
            continue
        found[keys[0], keys[1], keys[2]] = keys[3]
    return Causes({str(key): str(text) for key, text in about.items()}, found)


def _is_entry(row: object) -> bool:
    return isinstance(row, dict) and all(isinstance(row.get(key), str) for key in _KEYS)


def other_page(error: Row) -> str | None:
    """Return the page to compare with: the original that was named, or should have been."""
    right = list(error["positives"])
    if error["original"]:
        return str(error["original"])
    return error["closest"] if error["closest"] in right else next(iter(right), None)


def error_list(
    measured: Sequence[Measured], sets: Mapping[str, PageSet], folder: Path, problems: list[str]
) -> str:
    """List all errors by cause; write their pages to the folder."""
    causes = read_causes(CAUSES, problems)
    groups: dict[str, list[tuple[str, Row]]] = defaultdict(list)
    for one in measured:
        for error in one.errors:
            groups[causes.of(one.set, error) or _rule(error)].append((one.set, error))
        _keep(one, sets[one.set], folder, problems)
    parts = []
    about = {
        **{cause: f"**{cause}**: {text}" for cause, text in causes.about.items()},
        **{cause: f"**{text}** (not checked by eye)" for cause, text in UNKNOWN.items()},
    }
    for cause, title in about.items():
        if cause in groups:
            count = f"{len(groups[cause])} error{'s' * (len(groups[cause]) > 1)}"
            lines = [line for name, error in groups[cause] for line in _lines(name, error, folder)]
            parts.append("\n".join([f"{title} ({count})", "", *lines]))
    return "\n\n".join(parts) or "None."


def _rule(error: Row) -> str:
    """Return why an error was made, by what is known of it."""
    if error["error"] == "missed":
        if error["closest"] and error["closest"] not in error["positives"]:
            return "elsewhere"
        found = (cause for words, cause in _REASONS.items() if words in error.get("reason", ""))
        return next(found, "little" if error["closest"] else "apart")
    if error["error"] == "wrong original":
        return "original"
    if error["verdict"] == "contains":
        return "contains"
    return "dropped" if error["error"] == "false drop" else "tagged"


def _lines(name: str, error: Row, folder: Path) -> Iterator[str]:
    other = other_page(error)
    verdict = f"verdict {error['verdict']}"
    named = error["original"] or error["closest"]
    if named:
        verdict += f" {'of' if error['original'] else 'closest to'} {_code(named)}"
    right = [f"{_code(url)} ({'/'.join(kinds)})" for url, kinds in error["positives"].items()]
    gold = f"label {', '.join(right) or error['gold']}"
    yield f"- `{name}`, {error['error']}: {_code(error['url'])}; {verdict}; {gold}"
    scores = ", ".join(f"{key} {_value(value)}" for key, value in error["scores"].items())
    about = "scores with that page" if error["original"] or not named else "scores with the closest"
    yield f"  <br>{about}: {scores}" if scores else "  <br>not compared with any page"
    if error.get("reason"):
        yield f"  <br>{_code(error['reason'])}"
    if other:
        files = (_file(folder, name, url) for url in (error["url"], other))
        command = " ".join(["scrapy dedup compare", *(shlex.quote(str(path)) for path in files)])
        yield f"  <br>`{command}`"


def _keep(measured: Measured, page_set: PageSet, folder: Path, problems: list[str]) -> None:
    wanted = {
        url
        for error in measured.errors
        for url in (error["url"], other_page(error))
        if url is not None
    }
    if not wanted:
        return
    (folder / measured.set).mkdir(parents=True, exist_ok=True)
    known: list[str] = []  # problems that were reported when the pages were judged
    for row in read_rows(page_set.pages, page_problem, known):
        if row and row["url"] in wanted:
            html = row["html"].encode("utf-8", "surrogatepass")
            _file(folder, measured.set, row["url"]).write_bytes(_BOM + html)
    missing = [url for url in wanted if not _file(folder, measured.set, url).exists()]
    problems += [f"{page_set.pages}: {url} is in no line of it" for url in missing]


def _file(folder: Path, name: str, url: str) -> Path:
    short = hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return folder / name / f"{short}.html"


def _value(value: object) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(_value, value))
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _code(text: str) -> str:
    """Return text of unknown origin as code, on one line."""
    shown = "".join(char if char.isprintable() else "\ufffd" for char in text)
    return f"`{shown.replace('`', chr(39))}`"
