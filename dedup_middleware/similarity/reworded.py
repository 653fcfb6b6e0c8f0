"""Reworded text: sentences that share some words with each other, in the same order of sentences.

One such pair says little. A chain of them through both pages says that one was written from the
other: pages on the same subject have such sentences too, but not one after the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .alignment import longest_chain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .pairing import Partner
    from .values import Sentence


def chained(
    first: Sequence[Sentence],
    second: Sequence[Sentence],
    partners: Sequence[Partner],
    alike: Sequence[int],
) -> tuple[int, int]:
    """Count the words of the sentences of two pages that are in the chain.

    Sentences of the first page that have a partner keep it; the others get the one most like them.

    >>> from .pairing import pair_sentences
    >>> from .prepared import sentence_of
    >>> one = [sentence_of(text, "en") for text in ("Boats rise with the tide.", "Men sleep.")]
    >>> two = [sentence_of(text, "en") for text in ("The tide lifts every boat.", "Fish swim.")]
    >>> chained(one, two, *pair_sentences(one, two)[:2])
    (3, 4)
    """
    pairs = [
        (place, max(partner.place, like))
        for place, (partner, like) in enumerate(zip(partners, alike, strict=True))
        if max(partner.place, like) >= 0
    ]
    chain = longest_chain(pairs, [len(first[one].words) for one, _ in pairs])
    return (
        sum(len(first[pairs[link][0]].words) for link in chain),
        sum(len(second[pairs[link][1]].words) for link in chain),
    )
