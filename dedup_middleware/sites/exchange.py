"""Rules in the format of duplicate-url-discarder: lists of others as priors, and ours for others.

A rule of that format is about a domain and its sub-domains. What can't be said of single parameters
is left out: `queryRemovalExcept` and `subpathRemoval` there, values and session ids here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dedup_middleware.errors import DedupError

from .values import Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_REMOVAL, _NORMALIZER = "queryRemoval", "normalizer"
_NORMALIZED = ("www", "slash")
"""What the normalizer removes."""
EXPRESSED = ("parameter", *_NORMALIZED)
"""Kinds of rules that the format has words for."""
_MOST_BYTES = 1 << 26


def read_rules(path: str | Path) -> list[Rule]:
    """Read priors from a file; raise DedupError if it has another format."""
    try:
        with Path(path).open("rb") as file:
            entries = json.loads(file.read(_MOST_BYTES))
        return [rule for entry in entries for rule in _rules(entry)]
    except OSError as error:
        raise DedupError(f"Can't read the rules in {path}: {error.strerror}") from None
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise DedupError(
            f"{path} does not hold rules in the format of duplicate-url-discarder, a list of "
            f'{{"processor": …, "urlPattern": …, "args": …, "order": …}}: {error!r}'
        ) from None


def installed_rules() -> list[Rule]:
    """Return the priors of the package duplicate-url-discarder-rules, if it is installed."""
    try:
        import duplicate_url_discarder_rules as package
    except ImportError:
        return []
    return [rule for path in sorted(package.RULE_PATHS or ()) for rule in read_rules(path)]


def write_rules(rules: Iterable[Rule]) -> str:
    """Return rules that hold as JSON that duplicate-url-discarder can load.

    >>> print(write_rules([Rule("a.example", "parameter", "sid")]))
    [
      {
        "args": [
          "sid"
        ],
        "order": 0,
        "processor": "queryRemoval",
        "urlPattern": {
          "include": [
            "a.example"
          ]
        }
      }
    ]
    """
    names: dict[str, set[str]] = {}
    toggles: dict[str, set[str]] = {}
    for rule in rules:
        if rule.holds and rule.kind == "parameter":
            names.setdefault(rule.host, set()).add(rule.name)
        elif rule.holds and rule.kind in _NORMALIZED:
            toggles.setdefault(rule.host, set()).add(rule.kind)
    entries = [_entry(_REMOVAL, host, sorted(args)) for host, args in sorted(names.items())]
    normalized = [host for host, kinds in sorted(toggles.items()) if len(kinds) == len(_NORMALIZED)]
    entries += (_entry(_NORMALIZER, host, []) for host in normalized)
    return json.dumps(entries, ensure_ascii=False, sort_keys=True, indent=2)


def _entry(processor: str, host: str, args: list[str]) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "order": 0,
        "processor": processor,
        "urlPattern": {"include": [host]},
    }
    return {**entry, "args": args} if args else entry


def _rules(entry: Any) -> Iterator[Rule]:
    processor, patterns = entry["processor"], entry["urlPattern"]["include"]
    hosts = {pattern.partition("/")[0].partition(":")[0].lower() for pattern in patterns}
    for host in sorted(host.removeprefix("www.") for host in hosts):
        if processor == _REMOVAL:
            for name in entry.get("args") or ():
                yield Rule(host, "parameter", str(name), state="prior")
        elif processor == _NORMALIZER:
            for kind in _NORMALIZED:
                yield Rule(host, kind, state="prior")  # type: ignore[arg-type]  # as read


class Priors:
    """Priors by host; those of a domain are also about its sub-domains."""

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        self._known = {(rule.host, rule.kind, rule.name, rule.value) for rule in rules}

    def has(self, host: str, kind: str, name: str, value: str) -> bool:
        """Return True if a prior is about something in the URLs of a host.

        >>> Priors([Rule("a.example", "parameter", "s")]).has("m.a.example", "parameter", "s", "")
        True
        """
        while self._known:
            if (host, kind, name, value) in self._known:
                return True
            if not host:
                break
            host = host.partition(".")[2]
        return False
