"""What hostile pages cost, as a multiple of normal pages of the same size.

    python -m benchmarks.floods [--size 60] [--pages 12] [--json]

Each flood is some pages, judged in a store of their own by `Deduplicator.process`; CPU time from
bytes to the registered page. There are two yardsticks: normal pages that are like no other, and
normal pages of which as many are edited copies of known ones as pages of the flood are compared
word by word. The limit is for the second: who can make pages can make near copies, too. Feeds are
read as `scrapy dedup scan` reads them.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dedup_middleware import Deduplicator, Page
from dedup_middleware.files import bounded_lines
from lab.measure import cpu_timed
from lab.table import table

if TYPE_CHECKING:
    from collections.abc import Callable

HOST = "https://flood.example"
LIMIT = 5.0
ROUNDS = 3
_random = random.Random(7)
WORDS = [
    "".join(_random.choices("aeioulnrstdmkbpg", k=_random.randint(2, 11))) for _ in range(4_000)
]


def sentence(rng: random.Random) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randint(6, 20))).capitalize() + "."


def paragraphs(rng: random.Random, size: int) -> list[str]:
    found, length = [], 0
    while length < size:
        found.append(" ".join(sentence(rng) for _ in range(5)))
        length += len(found[-1]) + 7
    return found


def dressed(body: str, number: int, head: str = "") -> str:
    menu = "".join(f"<li><a href=/{at}>Section {at}</a></li>" for at in range(20))
    return (
        f"<!doctype html><html lang=en><head><title>Page {number}</title>{head}</head><body>"
        f"<nav><ul>{menu}</ul></nav><main><h1>Page {number}</h1>{body}</main></body></html>"
    )


def normal(number: int, size: int) -> str:
    return dressed(text_of(paragraphs(random.Random(number), size)), number)


def text_of(parts: list[str]) -> str:
    return "".join(f"<p>{part}</p>" for part in parts)


def filled(piece: Callable[[int], str] | str, number: int, size: int) -> str:
    """Repeat a piece until a page has its size."""
    found: list[str] = []
    length = 0
    while length < size:
        found.append(piece if isinstance(piece, str) else piece(len(found)))
        length += len(found[-1])
    return dressed("".join(found), number)


def shuffled(number: int, size: int) -> str:
    """Return the words of one page in another order: equal SimHash."""
    words = " ".join(paragraphs(random.Random(1), size)).split()
    random.Random(number).shuffle(words)
    return dressed(f"<p>{' '.join(words)}</p>", number)


def moved(number: int, size: int) -> str:
    """Return the sentences of one page in another order: all shingles are shared."""
    parts = paragraphs(random.Random(1), size)
    random.Random(number).shuffle(parts)
    return dressed(text_of(parts), number)


def edited(number: int, size: int) -> str:
    """Return a page with one word changed in each sentence: near copies that take all stages."""
    rng, change = random.Random(1), random.Random(number)
    parts = [part.replace(" ", f" {change.choice(WORDS)} ", 1) for part in paragraphs(rng, size)]
    return dressed(text_of(parts), number)


def stock(number: int, size: int) -> str:
    """Return phrases that all pages share between words of its own: hot shingles."""
    rng = random.Random(number)
    phrases = [" ".join(random.Random(at).choices(WORDS, k=8)) for at in range(50)]
    parts = [f"{rng.choice(phrases)} {rng.choice(WORDS)}." for _ in range(size // 70)]
    return dressed(
        text_of([" ".join(parts[at : at + 5]) for at in range(0, len(parts), 5)]), number
    )


def rules(number: int, size: int) -> str:
    half = size // 2
    style = "".join(f".c{at} p>b~i{{display:none}}" for at in range(half // 27))
    body = "".join(f"<p class=c{at}>x{at}" for at in range(half // 18))
    return dressed(body, number, f"<style>{style}</style>")


FLOODS: dict[str, Callable[[int, int], str]] = {
    "one sentence": partial(filled, "<p>The same sentence again and again.</p>"),
    "one sentence, no blocks": partial(filled, "The same sentence again and again. "),
    "one word": partial(filled, "word "),
    "one long word": partial(filled, "w"),
    "hot shingles": stock,
    "equal SimHash": shuffled,
    "moved paragraphs": moved,
    "blank lines": partial(filled, "\n"),
    "deep elements": partial(filled, "<div>a"),
    "deep lists": partial(filled, "<ul><li>a"),
    "tiny elements": partial(filled, "<b>a</b> "),
    "headings": partial(filled, lambda at: f"<h2>Heading {at}</h2>"),
    "sections": partial(filled, "<section><h2>a"),
    "links": partial(filled, lambda at: f"<li><a href=/{at}>Page {at}</a>"),
    "numbers": partial(filled, lambda at: f"<p>{at} 030 {at * 7} $ {at * 3}.</p>"),
    "questions": partial(filled, "Why? No! "),
    "entities": partial(filled, "&eacute;&#x41;&amp;"),
    "open tags": partial(filled, "<a href='"),
    "attributes": partial(filled, lambda at: f"<p class='menu a{at} b{at}'>x"),
    "rules": rules,
    "hidden": partial(filled, "<div style='display:none'>a</div><p>b</p>"),
    "combining marks": partial(filled, "a\u0301\u0316\u0323"),
    "no spaces": partial(filled, "今日は海の潮が高い。"),
}


class Cost(NamedTuple):
    """What pages cost in a new store."""

    milliseconds: float
    """Of CPU time, a page."""
    compared: float
    """Share of the pages that were compared word by word."""


class Ratios(NamedTuple):
    """What a flood costs, as a multiple of normal pages."""

    as_deep: float
    """Of pages that are compared as deeply."""
    new: float
    """Of pages that are like no other."""


def cost(page: Callable[[int, int], str], size: int, count: int, *, one_url: bool = False) -> Cost:
    """Judge some pages in a new store."""
    pages = [
        Page(url=f"{HOST}/{0 if one_url else number}", html=page(number, size).encode())
        for number in range(count)
    ]

    def judge() -> int:
        with tempfile.TemporaryDirectory() as folder, Deduplicator(folder, is_sole=True) as dedup:
            found = [dedup.process(one).evidence.stage for one in pages]
        return sum(stage in ("shingles", "sentences") for stage in found)

    milliseconds, compared = min(cpu_timed(judge) for _ in range(ROUNDS))
    return Cost(milliseconds / count, compared / count)


def feed_ratio(size: int) -> float:
    """Return what blank lines of a feed cost, as a multiple of reading and judging its pages."""
    line = json.dumps({"url": HOST, "html": normal(1, 10_000)}).encode() + b"\n"
    pages = size // len(line)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "blank.jsonl")
        path.write_bytes(b"\n" * (pages * len(line)))

        def read() -> None:
            with path.open("rb") as file:
                for _, found in bounded_lines(file, 1 << 20):
                    assert found is not None
                    assert not found.strip()

        blank = min(cpu_timed(read)[0] for _ in range(ROUNDS))
    return blank / pages / cost(normal, 10_000, pages).milliseconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=60, help="of a page, in kB (60)")
    parser.add_argument("--pages", type=int, default=12, help="of a flood (12)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    size, count = 1_000 * options.size, options.pages
    cost(normal, size, count)  # what is loaded once
    new, copies = cost(normal, size, count), cost(edited, size, count)
    deep = (copies.milliseconds - new.milliseconds) / copies.compared
    floods = {name: cost(page, size, count) for name, page in FLOODS.items()}
    floods["one URL, changing"] = cost(normal, size, count, one_url=True)
    ratios = {
        name: Ratios(
            one.milliseconds / (new.milliseconds + one.compared * deep),
            one.milliseconds / new.milliseconds,
        )
        for name, one in floods.items()
    }
    ratios["blank lines in a feed"] = Ratios(*[feed_ratio(size * count)] * 2)
    worst = Ratios(*map(max, zip(*ratios.values(), strict=True)))
    if options.json:
        figures = {"new_ms": new.milliseconds, "copy_ms": new.milliseconds + deep}
        print(json.dumps(figures | {"ratios": ratios, "worst": worst}))
    else:
        print(
            f"{count} pages of {options.size} kB; a normal one takes {new.milliseconds:.2f} ms, "
            f"an edited copy {new.milliseconds + deep:.2f} ms"
        )
        cells = [
            [name, f"{floods[name].compared:.0%}" if name in floods else "", *map(_shown, ratio)]
            for name, ratio in sorted(ratios.items(), key=lambda item: -item[1].as_deep)
        ]
        print(
            table(["flood", "compared", "× page compared as deeply", "× page like no other"], cells)
        )
        print(
            f"{len(ratios)} floods, at worst {worst.as_deep:.2f}, against pages like no other "
            f"{worst.new:.2f}; the limit of the first is {LIMIT:g}"
        )
    sys.exit(worst.as_deep > LIMIT)


def _shown(ratio: float) -> str:
    return f"{ratio:.2f}"


if __name__ == "__main__":
    main()
