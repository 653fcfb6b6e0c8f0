"""How it is measured, in words that the report carries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.peers import PEERS, peer_class
from dedup_middleware.settings import Settings

from .methods import LOOSEST, PEER, VARIANTS
from .points import LEAST_CASCADE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .results import Results


def rules(results: Results) -> str:
    """List the rules that hold for all."""
    return "\n".join(f"- {rule}" for rule in _rules(results))


def _rules(results: Results) -> Iterator[str]:
    settings = Settings()
    yield (
        "Each method goes through each set once, in a process of its own; all pages become known "
        "to it, and all its scores are kept. What a store would say is then simulated for any "
        "threshold: a page that is judged redundant is not registered and never an original, but "
        f"for one inside a page that is more than {settings.contained_ratio:g} times as long; "
        "the best original wins by (score, earliest page). Pairs are judged each with an empty "
        "store."
    )
    yield (
        "A find must name a right original, or one that the labels leave open; `contains` is a "
        "find; with a wrong original a verdict is a miss and a false alarm. Dropped are negatives "
        "called `exact`, `near` or `contained`. Kinds are right if the labels list them for the "
        "original that was named."
    )
    yield (
        "Equal pages (the same digest of all visible text) are found before any method is asked, "
        f"for all alike; so is the guard: texts of fewer than {settings.min_words} words are only "
        "ever equal, byte for byte."
    )
    yield (
        f"The limit of false drops is {results.limit:.2g} of the negatives of a set, rounded down. "
        "The best threshold is that of the highest F1 within the limit; it is chosen on the set on "
        "which it is shown, for all alike, and so flatters all."
    )
    yield (
        "Time is CPU time, the mean of a page, with reading it from HTML (the same reader for all, "
        "timed alone below), scoring it and making it known; × lxml as a multiple of `lxml.html` "
        "parsing of the same pages. Peak memory is that of the process, Python and libraries too. "
        "The indexes of methods and peers are in memory; the cascade's row is the shipped "
        "`Deduplicator` with its store on disk and its journal."
    )
    if any(method.endswith(f"/{name}") for method in results.labels for name in LOOSEST):
        yield (
            f'The cascade\'s curve comes from `make_method("cascade")` with thresholds from '
            f"{LEAST_CASCADE:g} on, `contained` moving with `near`. The indexes of `minhash` and "
            "`simhash` depend on the threshold; but for their own, they are simulated as if an "
            "index missed nothing (`simhash`: within 16 bits), which is kind to them."
        )
    for name, (method, options) in VARIANTS.items():
        if f"methods/{name}" in results.labels:
            given = ", ".join(f"{key}={value}" for key, value in options.items())
            yield f"`{name}` is `{method}` with {given}."
    peers = [peer_class(name) for name in PEERS if f"{PEER}/{name}" in results.labels]
    if peers:
        yield (
            "Peers decide by their own index, so that each threshold takes another index; what it "
            "finds is `near`. Pages that a peer takes for duplicates are not kept."
        )
    for peer in peers:
        tried = f"{peer.knob} {peer.grid[0]:g}…{peer.grid[-1]:g}"
        yield f"{peer.label} {peer.release()}".rstrip() + f": {peer.about}. Tried: {tried}."
