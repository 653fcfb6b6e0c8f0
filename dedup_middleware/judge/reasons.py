"""Reasons: what a comparison says, in sentences that people understand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dedup_middleware.similarity.comparison import in_order
from dedup_middleware.text import printable, quantity

from .match import NO_CONTEXT, Kept

if TYPE_CHECKING:
    from dedup_middleware.similarity import Deep, Loss
    from dedup_middleware.verdict import Changes, Kind, Lost, Scores

    from .match import Context

IN_ORDER, MOSTLY_IN_ORDER = 0.95, 0.7
SOME = 2
SAME_NAME = "title or main heading is the same"


def found_in(url: str, deep: Deep, context: Context = NO_CONTEXT) -> str:
    """Describe which of a page's sentences also appear in another page."""
    counts = deep.counts[0]
    if not counts.total:
        return both_ways(url, *deep.covered)
    of_its, there = f"of {_sentences(counts.total)}", f"in {printable(url)}"
    if counts.total == 1:
        how = "also appears" if counts.same else "appears reworded" if counts.reworded else ""
        parts = [f"Its only sentence {how or 'does not appear'} {there}"]
    elif counts.same:
        share = f" ({_percent(counts.same, counts.total)})" if counts.same < counts.total else ""
        appear = "appears" if counts.same == 1 else "appear"
        parts = [f"{counts.same} {of_its}{share} also {appear} {there}{_order(deep)}"]
    else:
        parts = [f"None {of_its} appears {there} unchanged"]
    if counts.reworded and counts.total > 1:
        parts.append(f"{counts.reworded} {_were(counts.reworded)} reworded")
    cut = min(counts.new, deep.matching.cut[0])
    if (new := counts.new - cut) and counts.total > 1:
        parts.append(f"{new} {'is' if new == 1 else 'are'} new")
    if cut:
        parts.append(f"{cut} {_were(cut)} not compared")
    if context.names_agree and not context.names_differ:
        parts.append(SAME_NAME)
    if deep.swapped:
        parts.append(f"numbers or names differ in {_places(deep.swapped)}")
    return "; ".join(parts) + "."


def summary(url: str, deep: Deep, kind: Kind | None, *, comparable: bool = True) -> str:
    """Describe what two pages share, and what the first would be judged."""
    judged = f"would be judged {kind}" if kind else "would pass as a page of its own"
    if not kind and not comparable:
        judged += ": so few words are not compared in a crawl"
    return f"{found_in(url, deep)} With that page known, this one {judged}."


def contains(
    url: str, deep: Deep | None, share: float, *, more: int, context: Context = NO_CONTEXT
) -> str:
    """Describe how much of an earlier page, and of how many more, a page contains."""
    also = f" and of {more} more known page{'s' * (more > 1)}" if more else ""
    part = f"{share:.0%} of the text"
    theirs = deep.counts[1] if deep else None
    if theirs and theirs.total > 1 and theirs.new < theirs.total:
        found = theirs.total - theirs.new
        part = f"{found} of the {_sentences(theirs.total)} ({_percent(found, theirs.total)})"
    new = "has a title, heading or language of its own"
    return (
        f"It contains {part} of {printable(url)}{also}, and "
        f"{new if context.names_differ else 'much that is new'}."
    )


def shares(url: str, scores: Scores) -> str:
    """Describe what two pages share where sentences were not compared."""
    if scores.containment is None and scores.resemblance is not None:
        return f"It and {printable(url)} are {scores.resemblance:.0%} alike."
    return both_ways(url, scores.containment or 0.0, scores.contained_by or 0.0)


def both_ways(url: str, containment: float, contained_by: float) -> str:
    """Describe what two pages share, counted in runs of words."""
    return (
        f"{containment:.0%} of its text also appears in {printable(url)}, "
        f"and {contained_by:.0%} of that page's text appears here."
    )


def too_little(
    url: str, loss: Loss | None, share: float, *, about: bool, context: Context = NO_CONTEXT
) -> str:
    """Describe why the closest page is not close enough."""
    has = f"The closest page, {printable(url)}, has {'about ' * about}{share:.0%} of its text"
    but: list[str] = []
    if context.names_differ:
        but.append("title, main heading or language are different")
    if loss and loss.mine.facts:
        but.append(f"facts differ in {_places(loss.mine.facts)}")
    if loss and loss.mine.moved > loss.mine.lost / 2:
        but.append("much of it is in another place")
    return f"{has}, but {', and '.join(but)}." if but else f"{has}: too little."


def kept(why: Kept, *, is_young: bool = False) -> str:
    """Describe why a page is kept although it is like another, on a young host perhaps."""
    few = "while few pages of its host are known, next to nothing may be lost"
    is_bound = is_young and why in (Kept.LOST, Kept.REWORDED)
    return f"{why.value.removesuffix('.')}: {few}." if is_bound else str(why.value)


def lost(found: Lost, why: Kept | None = None) -> str:
    """Describe what dropping a page would lose, as a clause; empty if `why` it is kept says it.

    >>> from dedup_middleware.verdict import Lost
    >>> lost(Lost(of=412))
    'nothing would be lost'
    >>> lost(Lost(of=412, sentences=("Next page",)))
    'nothing but boilerplate would be lost'
    >>> lost(Lost(share=0.01, words=6, units=1, of=412, facts=(("5 mg", "9 mg"),)))
    '6 of its 412 words are not in that page, and a fact differs'
    >>> lost(Lost(of=412, facts=(("5 mg", "9 mg"),)), Kept.FACTS)
    ''
    """
    parts = []
    if found.words:
        verb = "is" if found.words == 1 else "are"
        parts.append(f"{found.words:,} of its {quantity(found.of, 'word')} {verb} not in that page")
    if found.facts and why is not Kept.FACTS:
        parts.append("a fact differs" if len(found.facts) == 1 else "facts differ")
    if found.moved:
        parts.append("a part of it is in another place there")
    if found.facts and not parts:
        return ""
    least = "next to nothing" if found.units else "nothing but boilerplate"
    return ", and ".join(parts) or f"{least if found.sentences else 'nothing'} would be lost"


def changed(found: Changes) -> str:
    """Describe how much of a page changed since its URL was last seen."""
    added, removed = found.counts
    parts = [
        f"{_sentences(count)} {'is' if count == 1 else 'are'} {what}"
        for count, what in ((added, "new"), (removed, "gone"))
        if count
    ]
    if not parts:
        return "Its sentences are the same, in another order."
    share = _percent(round(1000 * found.share), 1000)
    return f"{share} of its main text changed: {', '.join(parts)}."


def _order(deep: Deep) -> str:
    kept = in_order(deep.matching.first)
    if deep.counts[0].same + deep.counts[0].reworded < SOME:
        return ""
    if kept >= IN_ORDER:
        return " in the same order"
    return ", mostly in the same order" if kept >= MOSTLY_IN_ORDER else ", in another order"


def _percent(part: int, whole: int) -> str:
    """Format a share; only all are 100 %, only none are 0 %.

    >>> _percent(399, 400), _percent(1, 400), _percent(0, 3)
    ('99%', '1%', '0%')
    """
    share = round(100 * part / whole)
    return f"{min(99, max(1, share)) if 0 < part < whole else share}%"


def _sentences(count: int) -> str:
    return f"{count} sentence{'s' * (count != 1)}"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _places(count: int) -> str:
    return f"{count} place{'s' * (count != 1)}"
