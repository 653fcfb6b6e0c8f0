"""Logistic regression with weights that are never negative, and its cross-validation."""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dedup_middleware.judge.relation import AGAINST, FOR

from .pairs import NAMES, QUESTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .pairs import Example, Values

SMOOTHING = 1e-4
NEGATIVES = 2.0
"""How much a page that is its own weighs, against one that is not: dropping it is worse."""
STEPS, ROUNDS = 60, 8
FOLDS = 10
FEW_SITES = 8
"""A set of more sites is left out in parts, each of whole sites; others are left out whole."""


class Model(NamedTuple):
    """Weights of which those for likeness add up to 1, and for each question where yes begins."""

    weights: Values
    even: dict[str, float]
    slope: float

    def shares(self, measures: Values) -> Values:
        found: Values = measures @ self.weights
        return found


def shipped() -> Values:
    """Return the weights that the project ships."""
    return np.array([*FOR.values(), *AGAINST.values()])


def fit(examples: Sequence[Example]) -> Model:
    """Fit the weights; every set weighs the same, and both answers in it."""
    counts = Counter((one.set, one.yes) for one in examples)
    weight = np.array(
        [(1 if one.yes else NEGATIVES) / counts[one.set, one.yes] for one in examples]
    )
    measures = np.array(
        [(*one.measures, *(one.question == name for name in QUESTIONS)) for one in examples], float
    )
    yes = np.array([one.yes for one in examples], float)
    found = _regression(measures, yes, weight / weight.sum(), free=len(QUESTIONS))
    scale = found[: len(FOR)].sum() or 1.0
    even = {name: float(-found[len(NAMES) + at] / scale) for at, name in enumerate(QUESTIONS)}
    return Model(found[: len(NAMES)] / scale, even, float(scale))


def left_out(examples: Sequence[Example]) -> Values:
    """Return the share of each pair by weights that were fitted without its site or set.

    It is not a number where the rest does not have both answers.
    """
    shares = np.full(len(examples), np.nan)
    for members in _folds(examples):
        inside = set(members)
        rest = [one for at, one in enumerate(examples) if at not in inside]
        if len({one.yes for one in rest}) == len((True, False)):
            measures = np.array([examples[at].measures for at in members])
            shares[members] = fit(rest).shares(measures)
    return shares


def _folds(examples: Sequence[Example]) -> list[list[int]]:
    sites = defaultdict(set)
    for one in examples:
        sites[one.set].add(one.site)
    folds = defaultdict(list)
    for at, one in enumerate(examples):
        many = len(sites[one.set]) > FEW_SITES
        folds[one.set, zlib.crc32(one.site.encode()) % FOLDS if many else 0].append(at)
    return list(folds.values())


def _regression(measures: Values, yes: Values, weight: Values, free: int) -> Values:
    """Fit by Newton's method; weights that turn negative are set to 0, but for the last ones."""
    size = measures.shape[1]
    smoothing = np.full(size, SMOOTHING)
    smoothing[-free:] = 0
    found, used = np.zeros(size), np.ones(size, bool)

    def loss(at: Values) -> float:
        odds = measures @ at
        return float((weight * (np.logaddexp(0, odds) - yes * odds)).sum() + smoothing @ at**2 / 2)

    for _ in range(ROUNDS):
        for _ in range(STEPS):
            likely = 1 / (1 + np.exp(-np.clip(measures @ found, -30, 30)))
            slope = measures.T @ (weight * (likely - yes)) + smoothing * found
            bend = (measures * (weight * likely * (1 - likely))[:, None]).T @ measures
            bend += np.diag(smoothing + 1e-9)
            step = np.zeros(size)
            step[used] = np.linalg.solve(bend[np.ix_(used, used)], slope[used])
            length, here = 1.0, loss(found)
            while length > SMOOTHING and loss(found - length * step) > here:
                length /= 2
            found = found - length * step
            if np.abs(step).max() < SMOOTHING / 100:
                break
        negative = (found < 0) & used
        negative[-free:] = False
        if not negative.any():
            break
        used &= ~negative
        found[negative] = 0
    return found
