"""Languages: stop words, negations and stemmers, and detection of the language of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dedup_middleware import core
from dedup_middleware.data import sections
from dedup_middleware.read.decode import utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_WORDS = sections("stop_words.txt")

NEGATIONS = {code: frozenset(_WORDS[f"{code} negations"]) for code in _WORDS if " " not in code}
"""Words that negate a sentence; they are stop words too."""

NEGATED_VERBS = frozenset(_WORDS["negated verbs"])
"""What comes before the "t" of "don't"."""
NEGATING_ENDS = frozenset(_WORDS["negating ends"])

STOP_WORDS = {code: negations | set(_WORDS[code]) for code, negations in NEGATIONS.items()}
"""Stop words, in the form that `words` returns."""

SAMPLE = 2_000
"""Words that show the language of a text."""
_SNOWBALL = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
}


def language_of(declared: str, text_words: Sequence[str]) -> str:
    """Return the declared language of a text, unless its stop words show another.

    >>> language_of("en-US", "der hund und die katze sind im garten aber wo ist das kind".split())
    'de'
    >>> language_of("nb_NO", ["fjord"])
    'no'

    An unknown language is the empty string. If nothing is declared, a text of few words, all of
    them ASCII, is taken for English: most such pages are, and a wrong guess only hides the endings
    of words.

    >>> language_of("", ["opening", "hours"]), language_of("", ["öppettider"])
    ('en', '')
    """
    words = "\n".join(text_words[:SAMPLE])
    return core.call_parts("language", (utf8(declared), utf8(words))).decode()


def stemmer(language: str) -> Callable[[str], str] | None:
    """Return the stemmer of a language, if there is one; nothing is downloaded."""
    if language == "en":
        from nltk.stem.porter import PorterStemmer  # takes more than a second: only when needed

        porter: Callable[[str], str] = PorterStemmer().stem
        return porter
    if language not in _SNOWBALL:
        return None
    from nltk.stem.snowball import SnowballStemmer

    name = _SNOWBALL[language]
    if language == "ar":  # it keeps state from the word before: a new one for each word

        def arabic(word: str) -> str:
            return str(SnowballStemmer(name).stem(word))

        return arabic
    snowball: Callable[[str], str] = SnowballStemmer(name).stem
    return snowball
