"""Rewording: the same said in other words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware.similarity.sentences import split_sentences

from .clauses import replace_phrases, swap_short_forms, to_passive, turn_clauses
from .inflection import BASE, ING, PAST, form_of, inflect
from .vocabulary import FUNCTION_WORDS, KEPT, OWN

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from .wordnet import Lexicon

_SWAPPED_ONE_IN = 8  # neighbouring sentences
_WORD = re.compile(r"([(\"'“‘]*)([A-Za-z]{3,})([)\"'”’,.;:!?]*)")
_DETERMINERS = frozenset(
    "the a an this these those its their your our my his her no each every any some another "
    "all both such one".split()
)
_PREPOSITIONS = frozenset(
    "of in for with by on from at into between about through without via during per".split()
)
_BEFORE_VERB = frozenset(
    "to can could will would may might must should shall not cannot i you we they who don't "
    "doesn't didn't can't won't please".split()
)
_BEFORE_PREDICATE = frozenset("is are was were be been very more most quite too so not".split())
# what follows belongs to the verb, and would not fit another
_BOUND = frozenset("to that up out off on down back how whether if over like upon away".split())
_FREE_BEFORE_TO = frozenset({"want", "try", "attempt", "allow", "permit"})
_VOWEL_SOUND = re.compile(
    r"(?!uni|us[aeiu]|uti|eu|one|once)[aeiou]|hour|honest|heir", re.IGNORECASE
)
_ARTICLE = re.compile(r"\b(an?)( [\"'“‘(]*)([A-Za-z]+)", re.IGNORECASE)
_CLEARLY = 1.5  # times as frequent as one part of speech as it is as another


class _Use(NamedTuple):
    """A word as one part of speech."""

    base: str
    part: str
    form: str


class Rewriter:
    """Rewords text; the same word gets the same synonym throughout."""

    def __init__(self, lexicon: Lexicon, rng: Random) -> None:
        self._lexicon = lexicon
        self._rng = rng
        self._chosen: dict[_Use, str | None] = {}

    def paragraph(self, text: str) -> str:
        """Reword each sentence; now and then, two neighbours change places."""
        sentences = [self.sentence(one) for one in split_sentences(text)]
        for place in range(1, len(sentences) - 1):
            if not self._rng.randrange(_SWAPPED_ONE_IN):
                sentences[place : place + 2] = reversed(sentences[place : place + 2])
        return " ".join(sentences)

    def sentence(self, text: str) -> str:
        """Turn a sentence around, then replace its phrases and words."""
        turned = to_passive(text, self._lexicon)
        if turned == text:
            turned = turn_clauses(text, self._lexicon)
        return fix_articles(self._replace_words(swap_short_forms(replace_phrases(turned))))

    def _replace_words(self, text: str) -> str:
        tokens = text.split(" ")
        for place, token in enumerate(tokens):
            found = _WORD.fullmatch(token)
            if found is None or not self._is_common(found[2], first=place == 0):
                continue
            before = tokens[place - 1].lower() if place else ""
            after = tokens[place + 1] if place + 1 < len(tokens) and not found[3] else ""
            new = self._synonym(found[2].lower(), before, after)
            if new:
                new = new.capitalize() if found[2][0].isupper() else new
                tokens[place] = f"{found[1]}{new}{found[3]}"
        return " ".join(tokens)

    def _is_common(self, word: str, *, first: bool) -> bool:
        """Return True if a word is no name, as far as capitals say."""
        return word.islower() or (first and word.istitle() and word.lower() not in FUNCTION_WORDS)

    def _synonym(self, word: str, before: str, after: str) -> str | None:
        if word in FUNCTION_WORDS:
            return None
        use = self._use(word, before, after)
        if use is None:
            return None
        if use not in self._chosen:
            known = OWN.get(use[:2]) or ()
            if not known and use.base not in KEPT:
                known = self._lexicon.synonyms.get(use[:2], ())
                if word.endswith("ly"):  # others belong elsewhere in a sentence
                    known = tuple(one for one in known if one.endswith("ly"))
            forms = (inflect(one, use.form, use.part, self._lexicon) for one in known)
            fit = [form for form in forms if form and form != word]
            self._chosen[use] = self._rng.choice(fit) if fit else None
        return self._chosen[use]

    def _use(self, word: str, before: str, after: str) -> _Use | None:
        """Return how a word is used, judged by the words next to it and by frequency."""
        uses = [use for use in self._uses(word) if _fits(use, before, after)]
        counts = [self._lexicon.frequency.get(use[:2], 0) for use in uses]
        if not uses:
            return None
        best = counts.index(max(counts))
        others = [
            count for use, count in zip(uses, counts, strict=True) if use.part != uses[best].part
        ]
        if others and counts[best] < _CLEARLY * max(others):
            return None
        use = uses[best]
        bound = use.part == "v" and after in _BOUND
        return None if bound and not (after == "to" and use.base in _FREE_BEFORE_TO) else use

    def _uses(self, word: str) -> Iterator[_Use]:
        for part in "nvar":
            base = next(self._lexicon.bases(word, part), None)
            if base is not None:
                yield _Use(base, part, form_of(word, base, part))


def _fits(use: _Use, before: str, after: str) -> bool:
    """Return True if a part of speech can stand between two words."""
    if use.part == "v":
        return _verb_fits(use, before, after)
    if use.part == "n" and use.base.endswith("ing") and after in FUNCTION_WORDS - _BOUND:
        return after in _PREPOSITIONS
    if before in _BEFORE_VERB:
        return use.part == "r" or (before == "to" and use.form != BASE)
    if use.part == "a":
        follows = bool(after) and after not in FUNCTION_WORDS
        return use.form == BASE and (follows or before in _BEFORE_PREDICATE)
    return True


def _verb_fits(use: _Use, before: str, after: str) -> bool:
    if before in _DETERMINERS:
        return use.form == PAST and use[:2] in OWN
    if before in _BEFORE_PREDICATE and use.form == BASE:
        return before == "not"
    if before in _PREPOSITIONS:
        return use.form == ING and (after in _DETERMINERS or not after)
    # "a marked man": an adjective, whose synonyms are others
    participle = use.form == PAST and use[:2] not in OWN
    return after != "of" and (not participle or not after or after in FUNCTION_WORDS)


def fix_articles(text: str) -> str:
    """Write "a" or "an" as the next word wants it.

    >>> fix_articles("An user with a error in a hour")
    'A user with an error in an hour'
    """

    def fixed(found: re.Match[str]) -> str:
        if found[3].isupper():  # letters may be read one by one
            return found[0]
        article = "an" if _VOWEL_SOUND.match(found[3]) else "a"
        article = article.capitalize() if found[1][0].isupper() else article
        return f"{article}{found[2]}{found[3]}"

    return _ARTICLE.sub(fixed, text)
