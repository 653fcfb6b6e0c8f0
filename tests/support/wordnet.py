"""A tiny WordNet: database files of a few words, in the format of the real ones."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
TYPES = {"n": 1, "v": 2, "a": 3, "r": 4}
# sets of synonyms, each most frequent sense first
SETS = [
    ("n", "harbour haven"),
    ("n", "boat"),
    ("n", "tide"),
    ("n", "baker"),
    ("n", "bread"),
    ("n", "ship watercraft_of_size"),
    ("n", "tempest storm"),
    ("n", "Paris City_of_Light"),
    ("v", "lift raise"),
    ("v", "begin start commence"),
    ("v", "stop halt"),
    ("v", "bake"),
    ("v", "sell"),
    ("v", "watch observe"),
    ("a", "big large"),
    ("a", "angry(p) furious"),
    ("r", "rapidly quickly"),
]
IRREGULAR = {"noun": "men man", "verb": "began begin\nbegun begin\nstopped stop\nsold sell"}


def write_wordnet(folder: Path) -> Path:
    """Write the files; each word was met three times."""
    folder.mkdir(parents=True, exist_ok=True)
    data, senses = defaultdict(list), defaultdict(lambda: defaultdict(list))
    counts: Counter[str] = Counter()
    for number, (part, words) in enumerate(SETS):
        offset = f"{number:08}"
        pairs = " ".join(f"{word} 0" for word in words.split())
        data[part].append(f"{offset} 00 {part} {len(words.split()):02x} {pairs} 000 | a gloss  ")
        for word in words.split():
            lemma = word.partition("(")[0].lower()
            senses[part][lemma].append(offset)
            counts[f"{lemma}%{TYPES[part]}:00:00::"] += 3
    for part, name in PARTS.items():
        (folder / f"data.{name}").write_text("\n".join(["  1 A licence.", *data[part]]))
        rows = [
            f"{lemma} {part} {len(offsets)} 0 {len(offsets)} 1 {' '.join(offsets)}  "
            for lemma, offsets in senses[part].items()
        ]
        (folder / f"index.{name}").write_text("\n".join(["  1 A licence.", *rows]))
        (folder / f"{name}.exc").write_text(IRREGULAR.get(name, ""))
    (folder / "cntlist.rev").write_text("\n".join(f"{key} 1 {n}" for key, n in counts.items()))
    return folder
