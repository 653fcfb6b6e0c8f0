"""What can be measured: the methods of this project and the peers, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dedup_middleware.methods import make_method, method_names
from dedup_middleware.settings import Settings
from lab.peers import PEERS, MissingPeer, peer_class

from .simulate import LEAST_CASCADE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dedup_middleware.methods import Method

OWN, PEER = "methods", "peers"
CASCADE = "cascade"
VARIANTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "shingles-containment": ("shingles", {"containment": True}),
    "characters-containment": ("characters", {"containment": True}),
}
"""Methods with other options than the default, under names of their own."""
LOOSEST: Mapping[str, Mapping[str, Any]] = {
    CASCADE: {
        "threshold": LEAST_CASCADE,
        "contained": LEAST_CASCADE + Settings().contained - Settings().near,
    },
    "minhash": {"bands": 128, "rows": 1, "max_postings": 100_000},
    "simhash": {"reach": 16, "max_postings": 100_000},
}
"""Options for methods whose index depends on the threshold: the index then misses nothing."""
NAMES = (*method_names(), *VARIANTS)


@dataclass(frozen=True, slots=True)
class Entry:
    """A method or a peer."""

    group: str
    name: str

    @property
    def key(self) -> str:
        """Its name among all methods and peers."""
        return f"{self.group}/{self.name}"

    @property
    def label(self) -> str:
        return peer_class(self.name).label if self.group == PEER else self.name

    @property
    def is_cascade(self) -> bool:
        return (self.group, self.name) == (OWN, CASCADE)

    @property
    def has_looser(self) -> bool:
        """Whether it takes other options to know what lower thresholds would find."""
        return self.group == OWN and self.name in LOOSEST

    def make(self) -> Method:
        """Make it as it ships."""
        if self.group == PEER:
            adapter: type[Any] = peer_class(self.name)
            return adapter()  # type: ignore[no-any-return]  # each has a threshold of its own
        name, options = VARIANTS.get(self.name, (self.name, {}))
        return make_method(name, **options)

    def make_loosest(self) -> Method:
        """Make it with an index that misses nothing that a lower threshold would find."""
        return make_method(self.name, **LOOSEST[self.name])


def find(methods: str, peers: str, problems: list[str]) -> list[Entry]:
    """Return what is named, `all` or names with commas; report what can't be made."""
    wanted = [Entry(OWN, name) for name in _names(methods, NAMES, "method", problems)]
    wanted += [Entry(PEER, name) for name in _names(peers, PEERS, "peer", problems)]
    found = []
    for entry in wanted:
        try:
            entry.make()
        except MissingPeer as error:
            problems.append(f"{entry.name}: {error}; skipped")
        except Exception as error:  # noqa: BLE001 - one broken method must not end the run
            problems.append(f"{entry.name}: {type(error).__name__}: {error}; skipped")
        else:
            found.append(entry)
    return found


def _names(text: str, known: Sequence[str], what: str, problems: list[str]) -> list[str]:
    if text == "all":
        return list(known)
    names = dict.fromkeys(name.strip() for name in text.split(",") if name.strip())
    problems += [
        f"there is no {what} {name!r}; choose from {', '.join(known)}, or all"
        for name in names
        if name not in known
    ]
    return [name for name in names if name in known]
