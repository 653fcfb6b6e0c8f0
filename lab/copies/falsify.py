"""Falsified text: what was said is denied, or a single fact is another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

_BE_AND_MODALS = "is are was were can could will would may might must should"
_DO = "does do did"
_VERBS = """
add allow appear apply ask become begin believe belong build bring call cause change choose come
complete concern configure consist contain continue control copy create decide define delete depend
describe display distribute do enable ensure execute exist expect explain fail find follow get give
handle happen have help hold identify improve include indicate install involve keep know lead leave
let list look maintain make manage mean need offer open operate perform permit prefer prevent
produce protect prove provide publish put read receive recommend refer rely remain remove replace
represent require return run save see seem select send serve set show simplify start store suggest
support take tell try understand update use verify want work write
""".split()


def _with_s(verb: str) -> str:
    """Return the form after he, she and it.

    >>> list(map(_with_s, ("use", "try", "do", "have", "publish", "show")))
    ['uses', 'tries', 'does', 'has', 'publishes', 'shows']
    """
    if verb == "have":
        return "has"
    if verb.endswith("y") and verb[-2] not in "aeou":
        return f"{verb[:-1]}ies"
    return f"{verb}{'es' if verb.endswith(('o', 's', 'x', 'sh', 'ch')) else 's'}"


# also nouns in the plural: verbs for sure only before these words
_NOUN_LIKE = """
calls changes controls copies lists looks needs returns runs sets shows starts updates uses works
""".split()
_AFTER_VERB = r"(?:the|an?|this|that|these|to|its|their|your|all|it|you|some|any|no|each|every)\b"
_THIRD_PERSON = {_with_s(verb): verb for verb in _VERBS}
_SURE = "|".join(verb for verb in _THIRD_PERSON if verb not in _NOUN_LIKE)
_DOUBTFUL = "|".join(_NOUN_LIKE)
_BASES = "|".join(_VERBS)
_PLAIN = _BE_AND_MODALS.replace(" ", "|")
_ODD = "made|come|found|kept|built|led|left|got|become|begun|put|set"
_PARTICIPLE = rf"(?:(?:already|also|always|just|now|only|since|\w+ly) )?(?:\w+ed|\w+[ew]n|{_ODD})\b"
_NOT_NOUNS = (
    r"(?<!\bthe )(?<!\ba )(?<!\ban )(?<!\bof )(?<!\bin )(?<!\bits )(?<!\btheir )(?<!\byour )"
    r"(?<!\bthese )(?<!\ball )(?<!\band )(?<!\bfor )(?<!\bno )(?<!\bor )(?<!\bother )"
    r"(?<!\bany )(?<!\bto )"
)
_NOT = re.compile(
    rf"\b(?P<aux>{_PLAIN}|{_DO.replace(' ', '|')})(?:(?P<short>n['’]t)| (?P<long>not))\b"
    r"|\b(?P<cannot>cannot|can['’]t)\b|\b(?P<wont>won['’]t)\b"
    rf"|(?<=[\w,] )(?P<plain>{_PLAIN})\b(?! not)(?! (?:no|never)\b)"
    rf"|(?<!not )(?<!can )(?<!may )(?<!ld )(?<!ght )(?<!ust )(?<!to )"
    rf"\b(?P<perfect>has|have|had)(?= {_PARTICIPLE})"
    rf"|(?<=[a-z] ){_NOT_NOUNS}(?P<third>(?:{_SURE})(?= [\w“\"])|(?:{_DOUBTFUL})(?= {_AFTER_VERB}))"
    rf"(?!(?<=has) {_PARTICIPLE})"
    rf"|(?P<subject>\b(?:you|we|they|I) )(?!have {_PARTICIPLE})(?P<base>{_BASES})\b"
    rf"|^(?P<order>{_BASES.title()})(?= [a-z])",
    re.IGNORECASE,
)


def negate(sentence: str) -> str:
    """Deny whatever a sentence says: negate each main verb, and the negated ones no more.

    >>> negate("The server is safe, and it reads the file.")
    'The server is not safe, and it does not read the file.'
    >>> negate("You cannot remove it, and we don't recommend that.")
    'You can remove it, and we do recommend that.'
    >>> negate("Use the key that you have received.")
    'Do not use the key that you have not received.'
    """
    return _NOT.sub(_negated, sentence)


def _negated(found: re.Match[str]) -> str:  # noqa: PLR0911 - one line a case
    if found["aux"]:
        return found["aux"]
    if found["cannot"]:
        return found[0][:3]
    if found["wont"]:
        return f"{found[0][0]}ill"
    if plain := found["plain"]:
        return f"{plain}not" if plain.lower() == "can" else f"{plain} not"
    if found["perfect"]:
        return f"{found[0]} not"
    if found["third"]:
        return f"does not {_THIRD_PERSON[found[0].lower()]}"
    if found["base"]:
        return f"{found['subject']}do not {found['base']}"
    return f"Do not {found[0].lower()}"


class Fact(NamedTuple):
    """A number that identifies something, where it stands."""

    kind: str
    paragraph: int
    start: int
    text: str


DATES = frozenset({"date", "year"})
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_REFERENCE = r"(?<!Section )(?<!Chapter )(?<!Figure )(?<!Table )(?<!section )(?<!chapter )"
_FACTS = re.compile(
    rf"(?P<date>\b\d{{1,2}} (?:{_MONTH}) \d{{4}}\b|\b(?:{_MONTH})(?: \d{{1,2}},)? \d{{4}}\b"
    r"|\b\d{4}-\d\d-\d\d\b)"
    r"|(?P<price>[$€£] ?\d+(?:[.,]\d+)*|\b\d+(?:[.,]\d+)* ?(?:€|(?:euros?|dollars|EUR|USD)\b))"
    r"|(?P<account>\b[A-Z]{2}\d\d(?: ?\d{4}){3,}(?: ?\d{1,4})?\b|(?<=account )\d[\d -]{4,}\d\b"
    r"|(?<![\w.:/#-])#?\d{5,}\b(?![.,:/-]\d))"
    r"|(?P<phone>(?<!\w)\+\d[\d ()/-]{6,}\d\b|\(\d{2,5}\) ?\d[\d -]{4,}\d\b"
    r"|\b0\d{2,5}[ /-]\d{4,}\b)"
    rf"|(?P<version>(?<![\w.:/-]){_REFERENCE}\d+(?:\.\d+){{1,2}}\b(?![.:/-]?\w| ?%))"
    r"|(?P<year>\b(?:19|20)\d\d\b(?![.:/-]\w))"
)


def find_facts(paragraphs: Sequence[str]) -> list[Fact]:
    """Find the facts of a text, in its order.

    >>> found = find_facts(["Call +49 30 1234567.", "Version 2.5 of 3 May 2021 costs 30 euros."])
    >>> [(fact.kind, fact.text) for fact in found]
    [('phone', '+49 30 1234567'), ('version', '2.5'), ('date', '3 May 2021'), ('price', '30 euros')]
    """
    return [
        Fact(str(match.lastgroup), place, match.start(), match[0])
        for place, text in enumerate(paragraphs)
        for match in _FACTS.finditer(text)
    ]


def change_fact(fact: Fact, rng: Random) -> str:
    """Return another number of the same kind.

    >>> from random import Random
    >>> change_fact(Fact("date", 0, 0, "3 May 2021"), Random(1))
    '3 May 2024'
    """
    digits = [place for place, sign in enumerate(fact.text) if sign.isdigit()]
    if fact.kind in DATES:
        year = re.search(r"\d{4}", fact.text)
        place = year.end() - 1 if year else digits[-1]
    else:
        place = rng.choice(digits[len(digits) // 2 :])
    old = fact.text[place]
    # a zero could lead a number, or be all that differs between 2.5 and 2.50
    new = rng.choice([digit for digit in "123456789" if digit != old])
    return f"{fact.text[:place]}{new}{fact.text[place + 1 :]}"


def falsify_fact(paragraphs: Sequence[str], rng: Random) -> tuple[Fact, list[str]] | None:
    """Change exactly one fact in one place; None if there is none.

    Dates don't count here: an ordinary revision of a page differs in them, too.

    >>> from random import Random
    >>> fact, texts = falsify_fact(["It costs 30 euros.", "It is worth it."], Random(1))
    >>> fact.kind, texts
    ('price', ['It costs 35 euros.', 'It is worth it.'])
    """
    facts = [fact for fact in find_facts(paragraphs) if fact.kind not in DATES]
    kinds = {fact.kind for fact in facts}
    if not facts:
        return None
    # a phone number says more about whose page it is than a version
    best = next(kind for kind in ("phone", "account", "price", "version") if kind in kinds)
    fact = rng.choice([one for one in facts if one.kind == best])
    return fact, replace_fact(paragraphs, fact, change_fact(fact, rng))


def replace_fact(paragraphs: Sequence[str], fact: Fact, new: str) -> list[str]:
    """Write another text where a fact stands."""
    texts = list(paragraphs)
    old = texts[fact.paragraph]
    texts[fact.paragraph] = old[: fact.start] + new + old[fact.start + len(fact.text) :]
    return texts
