"""Score of a run: how well its verdicts, in their order, agree with the manifest."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dedup_middleware.verdict import REDUNDANT, Action, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .web import Manifest, Relation, Truth

_FINDS = {*REDUNDANT, Kind.CONTAINS}


@dataclass(frozen=True, slots=True)
class Score:
    """Agreement with a manifest; a find is a redundant or containing page with its original."""

    judged: int
    right: int
    """Finds that are right."""
    claimed: int
    """Verdicts that claim a find."""
    due: int
    """Pages with something to find."""
    disagreements: tuple[str, ...]
    missing: tuple[str, ...]
    """Pages without a verdict, with the number of the visit unless it is the first."""

    @property
    def precision(self) -> float:
        return self.right / self.claimed if self.claimed else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.due if self.due else 1.0


Finding = tuple[str, "str | None"]
"""A verdict's kind and original."""


def score(manifest: Manifest, journal: Iterable[Mapping[str, Any]]) -> Score:
    """Compare the decisions of a run, in their order, with the truth.

    There is something to find if an earlier page that was kept is related to the page; so the
    score depends on what was judged before, and on nothing else.
    """
    run, others = _Run(manifest), dict(manifest.others)
    right = claimed = due = judged = 0
    disagreements: list[str] = []
    for entry in _in_order(journal):
        judged += 1
        url, verdict, original = entry["url"], str(entry["verdict"]), entry.get("original")
        page = run.truth(url)
        if page is None:
            what = others.get(url, "unknown to the manifest")
            disagreements.append(f"{url} is no page ({what}), but was judged {verdict}.")
            claimed += verdict in _FINDS
            continue
        expected = run.expected(page)
        strangers = [one for one in entry.get("swallowed", ()) if not run.swallows(page, one)]
        is_due = any(kind in _FINDS for kind, _ in expected)
        if verdict == Kind.CONTAINS and not is_due and run.are_lists(url, original, *strangers):
            (verdict, original), strangers = expected[0], []
        misplaced = run.misplaced(page, original, entry.get("action"))
        agrees = (verdict, original) in expected and not strangers and not misplaced
        claimed += verdict in _FINDS
        due += is_due
        right += agrees and is_due
        if not agrees:
            found = verdict, original
            disagreements.append(misplaced or _sentence(page, found, expected, strangers))
        run.note(url, verdict, original, entry.get("action"))
        if entry.get("supersedes"):
            run.supersede(entry["supersedes"], url)
    return Score(judged, right, claimed, due, tuple(disagreements), run.missing())


def _in_order(journal: Iterable[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    """Put each decision in the place of the one that it overrules."""
    placed: dict[int, Mapping[str, Any]] = {}
    for count, entry in enumerate(journal, 1):
        placed[entry.get("overrules") or entry.get("seq") or count] = entry
    return [placed[place] for place in sorted(placed)]


class _Run:
    """What is known at a moment of a run: which pages are kept, in which version."""

    def __init__(self, manifest: Manifest) -> None:
        self._truths: dict[str, list[Truth]] = defaultdict(list)
        for page in manifest.pages:
            self._truths[page.url].append(page)
        self._kept: dict[str, int] = {}
        self._represented_by: dict[str, str] = {}
        self._visits: Counter[str] = Counter()

    def truth(self, url: str) -> Truth | None:
        """Return the page at this visit."""
        versions = self._truths.get(url)
        return versions[min(self._visits[url], len(versions) - 1)] if versions else None

    def expected(self, page: Truth) -> list[Finding]:
        """Return the verdicts that are right now."""
        known = self._represented_by.get(page.url)
        if known and (page.same or self._visits[page.url] >= len(self._truths[page.url])):
            return [("unchanged", known)]
        related = self._related(page)
        redundant = [one for one in related if "contains" not in one.kinds]
        return [(kind, one.original) for one in redundant or related for kind in one.kinds] or [
            ("updated" if known else "unique", None)
        ]

    def are_lists(self, *urls: str | None) -> bool:
        """Return True if all are lists of links: whether one contains another is open."""
        return all(url in self._truths and self._truths[url][0].what == "list" for url in urls)

    def swallows(self, page: Truth, url: str) -> bool:
        return any(one.original == url and "contains" in one.kinds for one in self._related(page))

    def misplaced(self, page: Truth, original: str | None, action: str | None) -> str:
        """Return a sentence if a page was dropped that must be kept, or the reverse."""
        for one in self._related(page):
            is_dropped = action == Action.DROP
            if one.original == original and one.dropped not in (None, is_dropped):
                done, due = ("dropped", "kept") if is_dropped else ("kept", "dropped")
                return f"{page.url} ({page.what}) was {done}, but must be {due}: {original}."
        return ""

    def note(self, url: str, verdict: str, original: str | None, action: str | None) -> None:
        """Note a decision, right or wrong: later pages are compared with what was kept."""
        tagged = action == Action.TAG and verdict != Kind.UNCHANGED
        if verdict not in REDUNDANT or tagged:
            self._kept[url] = min(self._visits[url], len(self._truths[url]) - 1)
            self._represented_by[url] = url
        elif verdict != Kind.UNCHANGED:
            self._kept.pop(url, None)
            self._represented_by[url] = original or url
        self._visits[url] += 1

    def supersede(self, url: str, by: str) -> None:
        """Note that a page took the place of another; copies of that are judged anew."""
        copies = [one for one, original in self._represented_by.items() if original == url]
        for copy in copies:
            del self._represented_by[copy]
        self._kept.pop(url, None)
        self._represented_by[url] = by
        self._represented_by[by] = by
        self._kept[by] = min(self._visits[by], len(self._truths[by])) - 1

    def missing(self) -> tuple[str, ...]:
        return tuple(
            f"{page.url} (visit {page.version + 1})" if page.version else page.url
            for pages in self._truths.values()
            for page in pages
            if page.version >= self._visits[page.url]
        )

    def _related(self, page: Truth) -> list[Relation]:
        return [one for one in page.relations if self._kept.get(one.original) == one.version]


def _sentence(
    page: Truth, found: Finding, expected: Sequence[Finding], strangers: Sequence[str]
) -> str:
    text = f"{page.url} ({page.what}) was judged {_finding(found)}"
    if strangers and found in expected:
        return f"{text}, but does not contain {strangers[0]}."
    return f"{text}, but is {' or '.join(dict.fromkeys(map(_finding, expected)))}."


def _finding(finding: Finding) -> str:
    kind, original = finding
    return f"{kind} ({original})" if original else kind
