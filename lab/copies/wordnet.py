"""WordNet's database files, as far as synonyms need them."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dedup_middleware.errors import DedupError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLDER = "/usr/share/wordnet"  # where Debian's package has them
PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_TYPES = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}  # in sense keys
_SENSES = 2  # looked at for each word: later ones mean something else, mostly

Entry = tuple[str, str]
"""A word in its base form, and its part of speech."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Words with their synonyms, and forms that follow no rule."""

    synonyms: dict[Entry, tuple[str, ...]]
    """Single words that mean the same in the most frequent sense; empty if there are none."""
    frequency: dict[Entry, int]
    """How often a word was met in the texts that WordNet's authors tagged."""
    irregular: dict[Entry, str]
    """Irregular forms, with their base forms."""
    lower_case: frozenset[str]
    """Words that are written without capitals."""
    forms: dict[Entry, list[str]] = field(init=False, repr=False)
    """The irregular forms of base forms."""

    def __post_init__(self) -> None:
        forms: dict[Entry, list[str]] = defaultdict(list)
        for (form, part), base in self.irregular.items():
            forms[base, part].append(form)
        object.__setattr__(self, "forms", dict(forms))

    def bases(self, word: str, part: str) -> Iterator[str]:
        """Yield the base forms that a word may have, the word itself included.

        >>> lexicon = Lexicon({("use", "v"): (), ("us", "v"): ()}, {}, {}, frozenset())
        >>> list(lexicon.bases("uses", "v"))
        ['use', 'us']
        """
        if (word, part) in self.irregular:
            yield self.irregular[word, part]
        endings = {"n": _PLURAL, "v": _VERB}.get(part, ())
        for ending, stem in (("", ""), *endings):
            base = word.removesuffix(ending) + stem
            if word.endswith(ending) and (base, part) in self.synonyms:
                yield base


_PLURAL = (("ies", "y"), ("s", ""), ("es", ""))
_VERB = (*_PLURAL, ("ied", "y"), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""))


def load(folder: Path) -> Lexicon:
    """Read the files of a folder; DedupError says where they come from if they are not there."""
    try:
        return _load(folder)
    except OSError as error:
        raise DedupError(
            f"Synonyms need WordNet's files, but {error.filename or folder} can't be read: "
            f"{error.strerror}. Install them (Debian, Ubuntu: apt-get install wordnet-base), or "
            "name their folder with --wordnet"
        ) from error
    except (ValueError, IndexError) as error:
        raise DedupError(f"{folder} has no WordNet database that can be read: {error}") from error


def _load(folder: Path) -> Lexicon:
    frequency: Counter[Entry] = Counter()
    for line in _lines(folder / "cntlist.rev"):
        key, _, count = line.split()
        lemma, _, sense = key.partition("%")
        frequency[lemma, _TYPES[sense[0]]] += int(count)
    synonyms: dict[Entry, tuple[str, ...]] = {}
    irregular: dict[Entry, str] = {}
    lower_case: set[str] = set()
    for part, name in PARTS.items():
        sets = dict(map(_parse_set, _lines(folder / f"data.{name}")))
        senses = dict(map(_parse_senses, _lines(folder / f"index.{name}")))
        lower_case.update(word for words in sets.values() for word in words if word.islower())
        for lemma, offsets in senses.items():
            if lemma.isalpha():
                found = _synonyms(lemma, offsets, sets, senses)
                synonyms[lemma, part] = tuple(one for one in found if frequency[one, part])
        for line in _lines(folder / f"{name}.exc"):
            form, base, *_ = line.split()
            irregular[form, part] = base
    return Lexicon(synonyms, dict(frequency), irregular, frozenset(lower_case))


def _synonyms(
    lemma: str, offsets: list[str], sets: dict[str, list[str]], senses: dict[str, list[str]]
) -> list[str]:
    """Return the synonyms of the first sense that has any whose own meaning is the same."""
    for offset in offsets[:_SENSES]:
        ranks: dict[int, list[str]] = defaultdict(list)
        for word in sets[offset]:
            if word != lemma and word.isalpha() and word.islower():
                ranks[senses[word].index(offset)].append(word)
        if ranks and min(ranks) < _SENSES:
            return ranks[min(ranks)]
    return []


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="latin-1") as file:
        for line in file:
            if not line.startswith(" "):  # the licence is indented
                yield line


def _parse_set(line: str) -> tuple[str, list[str]]:
    """Return the offset of a synonym set, which is its name, and its words.

    >>> _parse_set("00005815 29 v 02 cough 0 hack(p) 1 000 | clear the throat")
    ('00005815', ['cough', 'hack'])
    """
    offset, _, _, count, *rest = line.split()
    return offset, [word.partition("(")[0] for word in rest[: 2 * int(count, 16) : 2]]


def _parse_senses(line: str) -> tuple[str, list[str]]:
    """Return a word and the offsets of its senses, the most frequent first.

    >>> _parse_senses("use v 2 1 @ 2 1 01158890 01165061")
    ('use', ['01158890', '01165061'])
    """
    fields = line.split()
    return fields[0], fields[-int(fields[2]) :]
