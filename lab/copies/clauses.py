"""Sentences turned around: clauses in another order, active made passive, short and long forms."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .inflection import BASE, PAST, S_FORM, form_of, participle
from .vocabulary import FUNCTION_WORDS, PHRASES

if TYPE_CHECKING:
    from .wordnet import Lexicon

_NUMBERS = dict(zip("23456789", "two three four five six seven eight nine".split(), strict=True))
_NUMBER_WORDS = {word: digit for digit, word in _NUMBERS.items()}
# "two disks", but not "Chapter 2 describes"
_COUNTED = re.compile(
    rf"(?<![\w.,:/-])([a-z]+ )({'|'.join([*_NUMBERS, *_NUMBER_WORDS])})(?= [a-z]+s\b)"
)
_LONG = {
    f"{word} not": f"{word}n't"
    for word in "is are was were do does did has have had could would should".split()
} | {"cannot": "can't", "will not": "won't", "it is": "it's", "that is": "that's"}
_SHORT = {short: long for long, short in _LONG.items()}
_FIRST = re.compile(
    r"(When|If|Once|Although|While|Unless|Because|Since|As soon as|Even if|Until|Before|After) "
    r"([^,;:()—]+), (?!(?:and|or|but|then|which|who)\b)([^,;:()—]+)([.!])"
)
_LAST = re.compile(
    r"([^,;:()—]{20,}?),? (?<!even )(?<!only )(?<!as )(?<!and )(?<!or )(?<!but )(?<!except )"
    r"(?<!than )(?<!especially )(?<!just )(?<!particularly )(?<!is )(?<!are )(?<!was )"
    r"(when|if|because|unless|although|once|while) "
    r"((?:the|a|an|you|we|it|they|he|she|this|these|your|our|its|their|one|all|no) [^,;:()—]+)"
    r"([.!])"
)
_WHETHER = re.compile(
    r"\b(?:check|checks|know|see|ask|asks|decide|determine|determines|tell|verify|wonder|find out|"
    r"test|tests|indicate|indicates|case|time|moment|day|sure|confirm|say|says|learn)$"
)
_SUBJECT = "(?:the|an?|you|we|it|they|this|these|there|its|your|some|many)"
_BUT = re.compile(rf"([^,;:()—]+), but ({_SUBJECT} [^,;:()—]+)([.!])")
_SO = re.compile(rf"([^,;:()—]+), so ({_SUBJECT} [^,;:()—]+)([.!])")
_BINDING = re.compile(r"not\b|n['’]t\b|\b(?:never|avoid|no|that)\b", re.IGNORECASE)
_DETERMINER = "(?:the|a|an|this|these|those|its|their|your|our|his|her|all|any|each|every|some)"
_TO_PASSIVE = re.compile(
    rf"(?P<subject>(?:{_DETERMINER} (?:\w+ ){{0,2}}?[a-z]+)|you|we|they|it|he|she|[A-Z]\w+) "
    r"(?P<modal>(?:can|could|may|might|must|should|will|would) )?(?:also )?(?P<verb>[a-z]+) "
    rf"(?P<object>{_DETERMINER} (?:[a-z]+ ){{0,2}}?[a-z]+)"
    r"(?P<rest> (?:in|on|for|from|at|by|when|if|as|during|before|after|because|through|via|to|with|"
    r"into|without|while|and then|so that)\b[^;:,]*?)?(?P<end>[.!])",
    re.IGNORECASE,
)
_OBJECTS = {"you": "you", "we": "us", "they": "them", "it": "it", "he": "him", "she": "her"}
_NEVER_PASSIVE = frozenset(
    "be become have include comprise let lack cost resemble seem remain look stay go come depend "
    "work happen fit belong last weigh mean want like begin start help sound feel appear act exist "
    "need try enable allow permit require ask tell force".split()
)


def turn_clauses(sentence: str, lexicon: Lexicon) -> str:
    """Put the clauses of a sentence in another order, where that is safe.

    >>> from .wordnet import Lexicon
    >>> words = Lexicon({}, {}, {}, frozenset({"restart"}))
    >>> turn_clauses("When the disk is full, the server stops.", words)
    'The server stops when the disk is full.'
    >>> turn_clauses("Restart the old server if the disk is full.", words)
    'If the disk is full, restart the old server.'
    >>> turn_clauses("The price is low, but the quality is good.", words)
    'Although the price is low, the quality is good.'
    """
    if found := _FIRST.fullmatch(sentence):
        word, clause, main, end = found.groups()
        return f"{_upper(main)} {word.lower()} {clause}{end}"
    # "don't stop because it rains" does not say that one goes on because it rains,
    # and what comes after "that" may belong to its clause
    if (found := _LAST.fullmatch(sentence)) and not (
        _WHETHER.search(found[1]) or _BINDING.search(found[1])
    ):
        main, word, clause, end = found.groups()
        return f"{word.capitalize()} {clause}, {_lower(main, lexicon)}{end}"
    for pattern, word in ((_BUT, "Although"), (_SO, "Since")):
        if found := pattern.fullmatch(sentence):
            clause, main, end = found.groups()
            return f"{word} {_lower(clause, lexicon)}, {main}{end}"
    return sentence


def to_passive(sentence: str, lexicon: Lexicon) -> str:
    """Make an active sentence passive, if it is subject, verb, object and little else.

    >>> from .wordnet import Lexicon
    >>> words = Lexicon({("read", "v"): ()}, {("read", "v"): 9}, {}, frozenset({"the"}))
    >>> to_passive("The server reads the password file at startup.", words)
    'The password file is read by the server at startup.'
    >>> to_passive("You can read these pages.", words)
    'These pages can be read by you.'
    """
    found = _TO_PASSIVE.fullmatch(sentence)
    if (
        not found
        or found["verb"] in FUNCTION_WORDS
        or found["subject"].lower() in FUNCTION_WORDS - _OBJECTS.keys()
    ):
        return sentence
    base = next(lexicon.bases(found["verb"], "v"), None)
    if base is None or base in _NEVER_PASSIVE or _is_rather_noun(base, lexicon):
        return sentence
    form, done = form_of(found["verb"], base, "v"), participle(base, lexicon)
    subject, thing = found["subject"], found["object"]
    agent = _lower(subject, lexicon)
    plural = subject.lower() in _PLURAL
    right_form = {BASE} if found["modal"] else {BASE if plural else S_FORM, PAST}
    if done is None or form not in right_form or _ends_in_verb(thing, lexicon):
        return sentence
    auxiliary = f"{found['modal']}be" if found["modal"] else _be(thing, past=form == PAST)
    rest = found["rest"] or ""
    return f"{_upper(thing)} {auxiliary} {done} by {_OBJECTS.get(agent, agent)}{rest}{found['end']}"


_PLURAL = frozenset({"you", "we", "they"})


def _be(thing: str, *, past: bool) -> str:
    last = thing.rsplit(maxsplit=1)[-1]
    many = last.endswith("s") and not last.endswith(("ss", "us", "is"))
    one = re.match(r"(?!a few)(?:an?|this|each|every) ", thing, re.IGNORECASE)
    return ("was", "were")[many and not one] if past else ("is", "are")[many and not one]


def _is_rather_noun(base: str, lexicon: Lexicon) -> bool:
    return lexicon.frequency.get((base, "n"), 0) > 2 * lexicon.frequency.get((base, "v"), 0)


def _ends_in_verb(thing: str, lexicon: Lexicon) -> bool:
    """Return True if the last word can hardly be the noun of an object."""
    last = thing.rsplit(maxsplit=1)[-1]
    if last in FUNCTION_WORDS or last.endswith(("ly", "ed")):
        return True
    counts = {part: lexicon.frequency.get((last, part), 0) for part in "nvar"}
    return counts["n"] < max(counts.values())


def swap_short_forms(sentence: str) -> str:
    """Write short forms in full, or full ones short if there are none; numbers as well.

    >>> swap_short_forms("It doesn't need two disks.")
    'It does not need 2 disks.'
    >>> swap_short_forms("It does not need 2 disks.")
    "It doesn't need two disks."
    """
    sentence = sentence.replace("’", "'")
    forms = _SHORT if _has_any(sentence, _SHORT) else _LONG
    sentence = replace_phrases(sentence, forms)
    numbers = _NUMBERS | _NUMBER_WORDS
    return _COUNTED.sub(lambda found: f"{found[1]}{numbers[found[2]]}", sentence)


def _has_any(sentence: str, forms: dict[str, str]) -> bool:
    return any(form in sentence.lower() for form in forms)


def replace_phrases(sentence: str, phrases: dict[str, str] = PHRASES) -> str:
    """Replace each phrase by another that means the same, once, and keep capitals.

    >>> replace_phrases("For example, many people use tools such as this.")
    'For instance, numerous people use tools like this.'
    """
    longest_first = sorted(map(re.escape, phrases), key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w'-])(?:{'|'.join(longest_first)})(?![\w'-])", re.IGNORECASE)

    def other(found: re.Match[str]) -> str:
        new = phrases[found[0].lower()]
        return _upper(new) if found[0][0].isupper() else new

    return pattern.sub(other, sentence)


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lower(text: str, lexicon: Lexicon) -> str:
    """Begin without a capital, unless the first word may be a name."""
    first = text.split(" ", 1)[0].lower()
    bases = {first, *(base for part in "nvar" for base in lexicon.bases(first, part))}
    common = first in FUNCTION_WORDS or not bases.isdisjoint(lexicon.lower_case)
    if not common or first == "i" or text[1:2].isupper():
        return text
    return text[:1].lower() + text[1:]
