"""Changes: what is new and what is gone in a page since its URL was last seen, and of what class.

A sentence that only one version has is paired with one that only the other has: by all its words
but numbers and dates, else by the pairs of words that both have. What differs within pairs is
wording, numbers or dates; what has no partner is text, or a section where its heading has none
either and most of what is below it is in that version only.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.read.outline import KINDS
from dedup_middleware.read.words import words
from dedup_middleware.text import beginning
from dedup_middleware.verdict import CHANGE_CLASSES, LONGEST, Changes

from .sentences import split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dedup_middleware.read import Outline

MOST = 10
"""Sentences that are kept of each kind: journals keep them."""
CLASSED = 100
"""Sentences of each kind that say of what class a change is: the event loop waits meanwhile."""
_ALIKE = 1 / 3
"""The share of its pairs of words that a sentence has of its partner."""
_HEADING = KINDS.index("heading")
_MONTHS = """
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
    januar februar märz mai juni juli oktober dezember
    janvier février mars avril juin juillet août septembre octobre novembre décembre
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
    gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
    janeiro fevereiro março maio junho julho setembro outubro novembro dezembro
    januari februari maart mei augustus
    января февраля марта апреля мая июня июля августа сентября октября ноября декабря
""".split()
_MONTH, _DAY = rf"\b(?:{'|'.join(_MONTHS)})\b\.?", r"\b\d\d?(?:st|nd|rd|th|\.|\b)"
_DATE = re.compile(
    rf"""\d{{4}}-\d\d?-\d\d?(?:T[\d:.]+Z?)? | \d\d?([./])\d\d?\1\d{{2,4}} | \d\d?:\d\d(?::\d\d)?
    | \d{{1,4}}年(?:\d\d?月(?:\d\d?日)?)?
    | {_DAY}\ (?:of\ |de\ )?{_MONTH}(?:,?\ (?:de\ )?\d{{4}}\b)?
    | {_MONTH}\ (?:{_DAY}(?:,?\ \d{{4}}\b)? | (?:de\ )?\d{{4}}\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\d+(?:[.,'’\u00a0]\d+)*")


def changes(before: Outline, after: Outline) -> Changes:
    """Compare two versions of a page, sentence by sentence; order does not count."""
    old, new = (Counter(_blocks(one)) for one in (before, after))
    total = sum(_words(text) * count for one in (old, new) for text, count in one.items())
    # sentences only of blocks that are not in both, as few are after most changes
    gone, fresh = old - new, new - old
    old, new = _sentences(gone), _sentences(fresh)
    added, removed = list((new - old).elements()), list((old - new).elements())
    changed = sum(map(_words, (*added, *removed)))
    heres, theres = ([*map(_Masked.of, one[:CLASSED])] for one in (added, removed))
    pairs = [*_pairs(heres, theres)]
    classes = {
        *(name for here, there in pairs for name in _differences(here, there)),
        *_alone(after, fresh, _left(heres, (here for here, _ in pairs)), "added"),
        *_alone(before, gone, _left(theres, (there for _, there in pairs)), "removed"),
    }
    return Changes(
        share=changed / total if total else 0.0,
        added=tuple(_kept(added)),
        removed=tuple(_kept(removed)),
        counts=(len(added), len(removed)),
        classes=tuple(name for name in CHANGE_CLASSES if name in classes) or ("order",),
    )


def _blocks(outline: Outline) -> list[str]:
    nodes = zip(outline.texts, outline.boilerplate, strict=True)
    return [text for text, boilerplate in nodes if text and not boilerplate]


def _sentences(blocks: Counter[str]) -> Counter[str]:
    return Counter(split_sentences(*blocks.elements()))


class _Masked(NamedTuple):
    """A sentence without the values of its dates and numbers, and these.

    >>> _Masked.of("It costs 3.50 since 1 May 2026, 09:30.")[1:]
    ('It costs # since @, @.', ('1 May 2026', '09:30'), ('3.50',))
    """

    text: str
    mask: str
    dates: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str) -> _Masked:
        if not _DIGIT.search(text):
            return cls(text, text)
        dates = tuple(match[0] for match in _DATE.finditer(text))
        undated = _DATE.sub("@", text) if dates else text
        return cls(text, _NUMBER.sub("#", undated), dates, tuple(_NUMBER.findall(undated)))

    @property
    def word_pairs(self) -> set[tuple[str, str]]:
        return set(pairwise(words(self.mask)))


def _pairs(added: list[_Masked], removed: list[_Masked]) -> Iterator[tuple[_Masked, _Masked]]:
    """Yield sentences that took the place of others, each with the other."""
    by_mask: defaultdict[str, deque[_Masked]] = defaultdict(deque)
    for there in removed:
        by_mask[there.mask].append(there)
    left = []
    for here in added:
        others = by_mask.get(here.mask)
        if others:
            yield here, others.popleft()
        else:
            left.append(here)
    rest = [there for others in by_mask.values() for there in others]
    # one sentence for each pair of words, so that the work is linear in the text
    places = {pair: at for at, there in enumerate(rest) for pair in there.word_pairs}
    taken: set[int] = set()
    for here in left if rest else ():
        of_here = here.word_pairs
        found = Counter(places[pair] for pair in of_here if pair in places)
        at, count = found.most_common(1)[0] if found else (-1, 0)
        if count > _ALIKE * len(of_here) and at not in taken:
            taken.add(at)
            yield here, rest[at]


def _left(sentences: list[_Masked], paired: Iterable[_Masked]) -> Counter[str]:
    return Counter(one.text for one in sentences) - Counter(one.text for one in paired)


def _differences(here: _Masked, there: _Masked) -> Iterator[str]:
    """Yield the classes of what differs between two sentences."""
    for name, is_other in (
        ("wording", here.mask != there.mask),
        ("dates", here.dates != there.dates),
        ("numbers", here.numbers != there.numbers),
    ):
        if is_other:
            yield name


def _alone(outline: Outline, only: Counter[str], lone: Counter[str], what: str) -> Iterator[str]:
    """Yield the classes of sentences that have no partner in the other version.

    `only` are the blocks that this version alone has.
    """
    if not lone:
        return
    count = len(outline.kinds)
    sizes, own = [0] * count, [0] * count
    for node in reversed(range(count)):
        text, parent = outline.texts[node], outline.parents[node]
        if text and not outline.boilerplate[node]:
            sizes[node] += 1
            own[node] += text in only
        if parent >= 0:
            sizes[parent] += sizes[node]
            own[parent] += own[node]
    inside, looked_at = [False] * count, 0
    for node, parent in enumerate(outline.parents):
        text = outline.texts[node]
        inside[node] = parent >= 0 and inside[parent]
        if inside[node] or text not in only or outline.boilerplate[node]:
            continue
        looked_at += 1
        if looked_at > CLASSED:
            return
        if not any(sentence in lone for sentence in split_sentences(text)):
            continue
        is_heading = outline.kinds[node] == _HEADING
        inside[node] = is_heading and 1 < sizes[node] < 2 * own[node]
        yield f"sections {what}" if inside[node] else f"text {what}"


def _words(text: str) -> int:
    return text.count(" ") + 1


def _kept(sentences: list[str]) -> Iterator[str]:
    return (beginning(text, LONGEST) for text in sentences[:MOST])
