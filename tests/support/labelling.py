"""Answers for tests of labelled pools."""

from __future__ import annotations

from lab.judge import Answer, LabelFolder


def answer(folder: LabelFolder, judge: str, said: str) -> None:
    keys = {"s": Answer.SAME, "1": Answer.FIRST_IN_SECOND, "2": Answer.SECOND_IN_FIRST}
    keys |= {"d": Answer.DIFFERENT, "?": Answer.OPEN}
    for one, letter in zip(folder.pool.pairs, said, strict=False):
        folder.answers.record(one.pair, judge, keys[letter])
