"""Pairs of all open sets that methods disagree on, on sheets for two people who see no verdicts.

A sheet has two texts in random order, and nothing else. Answers come back as two files; results are
the kappa of the two people, and what all methods of today say about the judged pairs.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from dedup_middleware import DedupError, Page
from dedup_middleware.methods import make_method, method_names
from dedup_middleware.read import read
from dedup_middleware.settings import Settings
from dedup_middleware.similarity.sentences import split_sentences
from dedup_middleware.text import warn
from lab.accuracy.sets import find_sets
from lab.answers import Answer
from lab.labels import in_conflict, label_pair
from lab.markdown import figure, joined, table
from lab.progress import progress
from lab.published.counts import Counts
from lab.rows import page_problem, read_rows

from .evaluation import compare_judges
from .folder import LabelFolder
from .pool import Pool, PoolBuilder, PoolPages, count_alike, draw_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from dedup_middleware.read import Outline
    from lab.answers import Pair

    from .pool import PooledPair

SEED = 17
PAGES = 300
"""The first of each set that are short enough."""
MOST_WORDS = 1_000
"""Of a page: a judge has to read both of a pair from beginning to end."""
PAIRS = 10
"""Of each set."""
JUDGES = ("judge-1", "judge-2")
INSTRUCTION = """# Pairs of pages to judge

This is for two people, each by himself; what a program answers is no judgement of people.

Each file `NN.md` holds the main text of two web pages, A and B, menus and the like removed. Read
both from beginning to end. Below them stand the sentences that only one of them has, letter by
letter, as a help for long pages; sentences that differ in a letter stand there, too.

The question is always the same: **to a reader of one page, does the other say anything new?**
Judge what the pages say, not how they look: other wording, another order, a date of the last
change, a number of comments, bylines, links to other pages, and leftovers of menus are nothing new.
Another subject in the same form (the same sheet about another thing, another command with the same
options, the same page in another language or about another version with other facts) is something
new, however alike the texts are.

| answer | meaning |
|---|---|
| `same` | neither page says anything new to a reader of the other |
| `a-in-b` | A says nothing that B does not say, but B says more |
| `b-in-a` | B says nothing that A does not say, but A says more |
| `different` | each says something that the other does not say |
| `open` | not to be decided, even on a second reading |

Answer every pair, by yourself, without looking at what somebody else has answered, at the code or
at the data that the pairs come from. Write one JSON object into one file, `answers-1.json` or
`answers-2.json`, with an answer for each number: `{"01": "same", "02": "different", …}`.
"""


def pages_of(data: Path, problems: list[str]) -> Iterator[tuple[str, PoolPages]]:
    """Yield the name of each set and the pages that pairs are drawn from."""
    for page_set in find_sets([data], problems):
        pages = PoolPages(Settings(), PAGES)
        for row in read_rows(page_set.pages, page_problem, problems):
            if row is not None and len(pages) < PAGES:
                outline = read(Page(url=row["url"], html=row["html"]))
                if len(outline.main.split()) <= MOST_WORDS:
                    pages.add(row["url"], outline)
        yield page_set.name, pages


def vote(pages: PoolPages, about: str, wanted: Sequence[Pair] = ()) -> list[PooledPair]:
    """Return the pairs that methods nominate, with the verdicts of all methods."""
    builder = PoolBuilder({name: make_method(name) for name in method_names()}, SEED, wanted)
    for document in progress(list(pages), about):
        builder.add(document)
    return builder.nominated


def draw(data: Path, folder: Path) -> str:
    """Draw the pool, write the sheets, and say what is to be done with them."""
    if LabelFolder(folder / "judged").pool:
        raise DedupError(f"{folder} has a pool already; a pool is never drawn again")
    methods, problems = tuple(method_names()), list[str]()
    pairs: list[PooledPair] = []
    nominated: list[PooledPair] = []
    outlines: dict[str, Outline] = {}
    left_out: Counter[str] = Counter()
    digests, count = [], 0
    for name, pages in pages_of(data, problems):
        found = vote(pages, name)
        drawn = draw_pairs(found, PAIRS, SEED)
        outlines |= {url: pages.outline(url) for one in drawn for url in one.pair}
        pairs += drawn
        nominated += found
        left_out.update(pages.left_out)
        digests.append(pages.digest)
        count += len(pages)
    random.Random(SEED).shuffle(pairs)
    pool = Pool(
        pairs=tuple(pairs),
        methods=methods,
        seed=SEED,
        store=None,
        paths=(),
        pages=count,
        digest=" ".join(digests),
        left_out=dict(left_out),
        strata=dict(Counter(str(one.stratum) for one in nominated)),
        called=count_alike(nominated, methods),
        made=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    LabelFolder(folder / "judged").save(pool, outlines)
    blind = folder / "blind"
    blind.mkdir(parents=True, exist_ok=True)
    (blind / "README.md").write_text(INSTRUCTION, encoding="utf-8")
    for number, one in enumerate(pairs, 1):
        sides = [outlines[url] for url in _shown(number, one.pair)]
        (blind / f"{number:02}.md").write_text(_sheet(number, sides), encoding="utf-8")
    for problem in problems:
        warn(problem)
    return (
        f"{len(pairs)} pairs of {count:,} pages. Give {blind} to two people, without the rest of "
        f"the folder; then: python -m lab.judge --sets {data} --output {folder} "
        "--answers answers-1.json answers-2.json"
    )


def _shown(number: int, pair: Pair) -> Sequence[str]:
    """Return the pages of a pair in the order in which judges see them."""
    return pair if _in_order(number) else pair.swapped


def _in_order(number: int) -> bool:
    return random.Random(f"{SEED} {number}").random() < 0.5


def _sheet(number: int, sides: Sequence[Outline]) -> str:
    texts = [
        [text for text, mark in zip(one.texts, one.boilerplate, strict=True) if text and not mark]
        for one in sides
    ]
    sentences = [
        dict.fromkeys(sentence for text in one for sentence in split_sentences(text))
        for one in texts
    ]
    parts = [f"# Pair {number:02}"]
    for name, outline, one in zip("AB", sides, texts, strict=True):
        parts += [f"## Page {name}", f"Title: {outline.title or '(none)'}", *one]
    for name, mine, theirs in zip("AB", sentences, sentences[::-1], strict=True):
        only = [sentence for sentence in mine if sentence not in theirs]
        parts += [f"## Only in {name}: {len(only)} of {len(mine)} sentences"]
        parts += [f"- {sentence}" for sentence in only]
    return "\n\n".join(parts) + "\n"


def results(data: Path, folder: Path, files: Sequence[Path]) -> str:
    """Return how right each method is, and how far two judges agree, as Markdown."""
    labelled = LabelFolder(folder / "judged")
    pool = labelled.pool
    if pool is None:
        raise DedupError(f"{folder}: there is no pool here; draw one first, without --answers")
    if len({path.read_bytes() for path in files}) < len(files):
        raise DedupError("Both files hold the same answers: a copy is no second judge")
    for judge, path in zip(JUDGES, files, strict=False):
        given = json.loads(path.read_text(encoding="utf-8"))
        for number, one in enumerate(pool.pairs, 1):
            answer = _answer(given[f"{number:02}"], in_order=_in_order(number))
            if labelled.answers.of(one.pair).get(judge) is not answer:
                labelled.answers.record(one.pair, judge, answer)
    labelled.export()
    wanted = [one.pair for one in pool.pairs]
    voted = {
        one.pair: one.verdicts
        for name, pages in pages_of(data, [])
        for one in vote(pages, name, wanted)
    }
    pool = replace(pool, pairs=tuple(replace(one, verdicts=voted[one.pair]) for one in pool.pairs))
    gold = {one.pair: label_pair(one.pair, labelled.answers).gold for one in pool.pairs}
    settled = [one for one in pool.pairs if gold[one.pair] != "ignore"]
    rows = []
    for name in pool.methods:
        counts = Counts.of(
            (one.verdicts[name] is not None, gold[one.pair] == "positive") for one in settled
        )
        shares = (counts.precision, counts.recall, counts.f1)
        rows.append([name, counts.found, counts.alarms, counts.missed, *map(figure, shares)])
    rows.sort(key=lambda row: (row[-1], row[0]), reverse=True)
    conflicts = sum(in_conflict(one.pair, labelled.answers) for one in pool.pairs)
    kappas = [
        [what, one.pairs, figure(one.observed), figure(one.chance), figure(one.kappa)]
        for two in compare_judges(pool, labelled.answers)
        for what, one in (("alike or different", two.sides), ("all answers", two.answers))
        if one
    ]
    sides = Counter(gold.values())
    return joined(
        table(["two judges", "pairs", "P(a)", "P(c)", "kappa"], kappas) if kappas else "",
        f"{len(pool.pairs)} pairs: {sides['positive']} alike, {sides['negative']} different, "
        f"{sides['ignore']} open or in dispute; {conflicts} with different answers.",
        table(["method", "right", "wrong", "missed", "P", "R", "F1"], rows),
    )


def _answer(given: str, *, in_order: bool) -> Answer:
    answer = Answer(
        {"a-in-b": "first-in-second", "b-in-a": "second-in-first"}.get(given.strip(), given.strip())
    )
    return answer if in_order else answer.swapped
