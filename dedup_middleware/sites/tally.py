"""What a run saved because of what is known of sites, and what it found out about them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from dedup_middleware.text import count_list, quantity, size

from .rules import wilson

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .values import Notice

FOUND = {"trap": "traps", "mirror": "mirrors", "wall": "walls", "refuted": "refuted"}
"""Notices that are summed up, and the names under which that is done."""
_Z = 1.96
_MOST_NOTED = 10_000
_COUNTED = ("skipped", "suggested", "found")
_NUMBERS = ("released", "size", "checked", "wrong", "new")


class Share(NamedTuple):
    """A share and its 95 % interval."""

    share: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.share:.1%} (95 %: {self.low:.1%} to {self.high:.1%})"


class Line(NamedTuple):
    """A line of a summary."""

    name: str
    figure: str
    text: str


@dataclass(slots=True)
class SiteTally:
    """What a run did not fetch, or need not have fetched, and what it found out about sites."""

    skipped: Counter[str] = field(default_factory=Counter)
    """Requests that were not sent, by kind of the rule."""
    suggested: Counter[str] = field(default_factory=Counter)
    """Requests that were sent, because `DEDUP_SKIP` is `suggest`, but need not have been."""
    released: int = 0
    """Requests that were not sent at first, but later: what stood for them failed, or a rule was
    refuted."""
    size: int = 0
    """Bytes of these pages, as estimated by what was fetched of their shapes."""
    checked: int = 0
    """Pages that were fetched although a rule says that they are known."""
    wrong: int = 0
    """How many of these were new."""
    new: int = 0
    """New pages among all that were fetched."""
    found: Counter[str] = field(default_factory=Counter)
    """Notices, by what they are about."""
    examples: dict[str, str] = field(default_factory=dict)
    """The last notice of each, as a sentence."""
    _noted: dict[tuple[str, str], str] = field(default_factory=dict, repr=False, compare=False)

    def note(self, notice: Notice) -> None:
        """Count a notice, once for each thing that it is about; a trap may be none after all."""
        about = notice.rule.key if notice.rule else " ".join((notice.host, *notice.urls[:1]))
        if notice.what == "back":
            if self._noted.pop(("trap", about), None):
                self.found -= Counter(trap=1)
                left = [why for (what, _), why in self._noted.items() if what == "trap"]
                self.examples["trap"] = left[-1] if left else ""
            return
        self.examples[notice.what] = notice.reason
        if (notice.what, about) not in self._noted:
            self.found[notice.what] += 1
            if len(self._noted) >= _MOST_NOTED:
                return
        self._noted[notice.what, about] = notice.reason

    @property
    def new_among_known(self) -> Share:
        """The share of pages that are new though a rule says that they are known."""
        if not self.checked:
            return Share(0.0, 0.0, 1.0)
        return Share(self.wrong / self.checked, *interval(self.wrong, self.checked))

    @property
    def missed(self) -> Share:
        """The share of all new pages that were not fetched, as estimated.

        Of the requests that were sent to look, some brought a new page; the same share of those
        that were not sent would have done so. What is beyond a budget takes no part in it.

        >>> print(SiteTally(skipped=Counter(parameter=200), checked=20, wrong=1, new=90).missed)
        10.0% (95 %: 1.9% to 34.4%)
        """
        unsent = max(0, self.skipped.total() - self.released - self.skipped["budget"])
        lost = (share * unsent for share in self.new_among_known)
        return Share(*(one / (one + self.new) if one else 0.0 for one in lost))

    def lines(self) -> Iterator[Line]:
        """Sum up in plain words, without what was not found.

        >>> for line in SiteTally(suggested=Counter(slash=3), size=4096).lines(): print(*line)
        could skip 3 requests that bring nothing new, about 4.0 KiB (DEDUP_SKIP = "on")
        """
        amount = f", about {size(self.size)}" if self.size else ""
        for name, counts, more in (
            ("not sent", self.skipped, f": {count_list(self.skipped)}"),
            ("could skip", self.suggested, ' (DEDUP_SKIP = "on")'),
        ):
            if counts:
                count = counts.total()
                what = "request that brings" if count == 1 else "requests that bring"
                yield Line(name, f"{count:,}", f"{what} nothing new{amount}{more}")
        if self.released:
            told = "of these were sent later: what stood for them failed, or a rule was refuted"
            yield Line("released", f"{self.released:,}", told)
        if self.checked:
            pages = quantity(self.wrong, "new page") if self.wrong else "no new page"
            told = f"sent to see if their rules hold: {pages}, {self.new_among_known}"
            yield Line("checked", f"{self.checked:,}", told)
        if self.skipped:
            share, low, high = self.missed
            told = f"of all new pages, as estimated (95 %: {low:.1%} to {high:.1%})"
            yield Line("missed", f"{share:.1%}", told)
        for what, name in FOUND.items():
            if self.found[what]:
                yield Line(name, f"{self.found[what]:,}", self.examples.get(what, ""))

    def as_json(self) -> dict[str, Any]:
        """Return it as the record of a run keeps it: what is not zero, if there is any news."""
        if not (self.skipped or self.suggested or self.checked or self.found):
            return {}
        names = (*_COUNTED, *_NUMBERS, "examples")
        return {name: value for name in names if (value := getattr(self, name))}

    @classmethod
    def of_json(cls, told: Mapping[str, Any]) -> Self:
        counted: dict[str, Any] = {name: Counter(told.get(name, {})) for name in _COUNTED}
        numbers = {name: told.get(name, 0) for name in _NUMBERS}
        return cls(**counted, **numbers, examples=dict(told.get("examples", {})))

    def __iadd__(self, other: SiteTally) -> Self:
        for name in _COUNTED:
            getattr(self, name).update(getattr(other, name))
        for name in _NUMBERS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.examples |= other.examples
        return self


def interval(part: int, count: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval for a share.

    >>> [round(end, 3) for end in interval(9, 10)], [round(end, 3) for end in interval(0, 20)]
    ([0.596, 0.982], [0.0, 0.161])
    """
    share, low = part / count, wilson(part, count, _Z)
    high = 1 - wilson(count - part, count, _Z)
    return min(max(low, 0.0), share), max(min(high, 1.0), share)  # rounding may exceed these
