"""Odd pages: very many sentences, text without marks, other scripts, tables, menus."""

from __future__ import annotations

import random
import re

import pytest

from tests.support.templates import ORDERS, RESULTS
from tests.support.texts import article

A, B = "https://a.example/", "https://b.example/"


# what nobody writes, and what is on the web anyway


def letters(rng: random.Random) -> str:
    return "".join(rng.choice("abcdefghijklmnoprstuvwy") for _ in range(rng.randint(3, 9)))


def vocabulary(seed: int, size: int) -> list[str]:
    rng = random.Random(seed)
    return [letters(rng) for _ in range(size)]


def made_up(words: list[str], count: int, length: int = 8, seed: int = 0) -> list[str]:
    rng = random.Random(seed)
    return [f"{' '.join(rng.choices(words, k=length)).capitalize()}." for _ in range(count)]


def test_very_many_sentences_are_compared_as_far_as_is_allowed(judge):
    words = vocabulary(1, 150)
    sentences = made_up(words, 20_000)
    rng = random.Random(5)
    other = [
        text if rng.random() < 0.7 else f"{text[:-1]} {rng.choice(words)} {rng.choice(words)}."
        for text in sentences
    ]
    _, verdict = judge(" ".join(sentences), " ".join(other), kind="text")
    assert (verdict.kind, verdict.action, verdict.original) == ("near", "tag", A)  # 7 % is new
    assert len(verdict.evidence.notes) == 1
    told = re.fullmatch(
        r"(\d+) sentences of the two pages were too many to be compared", verdict.evidence.notes[0]
    )
    assert told
    assert 8_000 < int(told[1]) < 13_000
    scores = verdict.evidence.scores
    assert scores.rs is not None
    assert 0.65 < scores.rs[0] < 0.75


def test_text_without_marks(judge):
    rng = random.Random(4)
    words = rng.choices(vocabulary(2, 3000), k=5000)
    other = list(words)
    for at in rng.sample(range(5000), 100):
        other[at] = "another"
    _, verdict = judge(" ".join(words), " ".join(other), kind="text")
    assert (verdict.kind, verdict.original) == ("near", A)
    assert verdict.evidence.scores.rs is not None
    assert verdict.evidence.scores.rs[0] > 0.9
    shifted = judge(" ".join(words), " ".join(words[7:]), kind="text", store="shifted")[1]
    assert shifted.kind == "near"
    assert shifted.evidence.scores.rs is not None
    assert shifted.evidence.scores.rs[0] > 0.95, "pieces end at the same words"


GERMAN = """\
Der Hafen fror in der ersten Woche des Januars zu, und die Fähre blieb am Kai liegen. Brot kam auf \
Schlitten über das Eis. Die Tochter des Bäckers zählte die Laibe bei Lampenlicht und schrieb jeden \
Namen auf, weil niemand sagen konnte, wie lange das Mehl noch reichen würde."""
CHINESE = (
    "月球绕着地球转动，海水因此每天两次涨落。沿海的人们自古就知道这个规律，"
    "并且据此安排捕鱼和航行的时间。"
)


def cells(seed: int, count: int) -> str:
    rng = random.Random(seed)
    rows = (
        "".join(f"<td>{rng.randint(0, 99_999)}</td>" for _ in range(6)) for _ in range(count // 6)
    )
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def menu(seed: int, count: int) -> str:
    names = (" ".join(text.split()[:4]) for text in article(seed, 60 * count)[:count])
    return "".join(
        f'<li><a href="/{at}">{name.replace("<", "")}</a></li>' for at, name in enumerate(names)
    )


@pytest.mark.parametrize(
    ("one", "other", "kinds"),
    [
        (f"<p>{ORDERS.partition('.')[0]}.</p>", f"<p>{RESULTS.partition('.')[0]}.</p>", "unique"),
        (
            f"<p>{ORDERS.partition('.')[0]}.</p>",
            f"<p>Yes: {ORDERS.partition('.')[0]}.</p>",
            "near unique",
        ),
        (f"<p>{GERMAN}</p><p>{ORDERS}</p>", f"<p>{ORDERS}</p><p>{GERMAN}</p>", "near contained"),
        (f"<p>{GERMAN}</p><p>{CHINESE}</p>", f"<p>{GERMAN}</p><p>{CHINESE}</p>x", "near exact"),
        (f"<p>{ORDERS.upper()}</p>", f"<p>{ORDERS}</p>", "near exact"),
        (f"<p>{ORDERS.upper()}</p>", f"<p>{RESULTS.upper()}</p>", "unique"),
        (cells(1, 600), cells(1, 600).replace("<td>7", "<td>8"), "near unique"),
        (cells(1, 600), cells(2, 600), "unique"),
        (f"<ul>{menu(1, 40)}</ul>", f"<ul>{menu(1, 38)}</ul>", "near contained unique"),
        (f"<ul>{menu(1, 40)}</ul>", f"<ul>{menu(60, 40)}</ul>", "unique"),
        ("", "", "unique"),
        ("<p>.</p>" * 50, "<p>!</p>" * 50, "unique"),
        ("<p>the of and to in</p>" * 20, "<p>to in the of and</p>" * 20, "near unique"),
        (f"<p>{'y' * 5000} " * 30, f"<p>{'y' * 5000} a " * 30, "unique near contained contains"),
    ],
)
@pytest.mark.parametrize("name", ["fuzzy", "thesis", "fourgrams"])
def test_odd_pages_get_a_verdict(judge, one, other, kinds, name):
    first, second = judge(one, other, method_options={"sentences": name})
    assert first.kind == "unique"
    assert second.kind in kinds.split()
    assert second.reason.endswith(".")
    assert 0 <= second.score <= 1
