"""The tables of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.published.markdown import table

from .choice import allowed, within
from .points import KINDS
from .results import OURS
from .stream import MAIN, TEXTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .choice import Choice
    from .measured import Measured
    from .results import Results
    from .scoring import Score

NOTHING = "–"
_NONE_WITHIN = "none within the limit"


def figure(value: float, digits: int = 3) -> str:
    """Write a share without the zero before the point.

    >>> figure(0.98765), figure(1.0)
    ('.988', '1.000')
    """
    return f"{value:.{digits}f}".removeprefix("0") if value < 1 else f"{value:.{digits}f}"


def shipped_table(results: Results, text: str) -> str:
    """Lay out all methods as they ship, and what they cost."""
    scores = {
        method: {one.set: one.shipped for one in results.all_of(method, text)}
        for method in results.labels
    }
    rows = [
        [
            _name(results, method),
            *_cells(results, results.sets, of_method, scores),
            *_cost(results, method, text),
        ]
        for method, of_method in scores.items()
        if of_method
    ]
    return table(["", *results.sets, "mean F1", "ms/page", "× lxml", "peak MB"], rows)


def best_table(results: Results, text: str) -> str:
    """Lay out all methods at the threshold that is best for each set with something to find."""
    sets = results.with_positives
    chosen = {
        method: {
            name: choice
            for name in sets
            if (choice := results.best(method, name, text)) is not None
        }
        for method in results.labels
        if results.all_of(method, text)
    }
    return table(["", *sets, "mean F1"], _chosen_rows(results, sets, chosen))


def for_all_table(results: Results) -> str:
    """Lay out all methods at the one threshold that is best for all sets, on either text."""
    rows: list[list[str]] = []
    for text, called in TEXTS.items():
        chosen = {
            method: found
            for method in results.labels
            if (found := results.for_all(method, text)) is not None
        }
        for row, of_method in zip(
            _chosen_rows(results, results.sets, chosen, at=False), chosen.values(), strict=True
        ):
            threshold = next(iter(of_method.values())).threshold
            rows.append([row[0], called, f"{threshold:g}", *row[1:]])
        rows += [
            [_name(results, method), called, "none", *[NOTHING] * (len(results.sets) + 1)]
            for method in results.labels
            if method not in chosen and results.all_of(method, text)
        ]
    return table(["", "text", "threshold", *results.sets, "mean F1"], rows)


def set_table(results: Results, name: str, text: str) -> str:
    """Lay out all about one set."""
    head = ["", "precision", "recall", "F1", "dropped", "wrong orig.", "right kinds"]
    head += ["ms/page", "× lxml", "peak MB", "best at", "precision", "recall", "F1", "dropped"]
    rows = []
    for method in results.labels:
        one = results.of(method, name, text)
        if one is None:
            continue
        found = results.best(method, name, text)
        rows.append(
            [
                _name(results, method),
                *_shares(one.shipped),
                one.shipped.wrong_originals,
                f"{100 * one.shipped.right_kind_share:.1f} %" if one.shipped.kinds else NOTHING,
                f"{one.ms:.1f}",
                f"{one.ratio:.1f}",
                f"{one.peak / 1e6:.0f}",
                _at(one, found),
                *(_shares(found.score) if found else [NOTHING] * 4),
            ]
        )
    return table(head, rows)


def reading_table(results: Results) -> str:
    """Lay out what it takes to read the pages, which all times include."""
    rows = []
    for name in results.sets:
        found = [one for one in results.measured if one.set == name and one.text == MAIN]
        if found:
            # the quietest moment of a shared machine says most
            one = min(found, key=lambda one: one.ms_reading)
            ratio = one.ms_reading / one.ms_parsing if one.ms_parsing else 0.0
            rows.append([name, f"{one.ms_parsing:.2f}", f"{one.ms_reading:.2f}", f"{ratio:.2f}"])
    return table(["set", "lxml.html, ms/page", "reading, ms/page", "× lxml"], rows)


def confusion_table(measured: Measured) -> str:
    """Lay out which verdicts pages of each gold got."""
    said = [kind for kind in (*KINDS, "unchanged") if _said(measured, kind)]
    rows = [
        [gold, *(of_gold.get(kind, 0) or NOTHING for kind in said)]
        for gold, of_gold in sorted(measured.confusion.items(), key=_gold_order)
    ]
    return table(["gold ╲ said", *said], rows)


def champions_table(results: Results) -> str:
    """Tell for each set whether the cascade is the best under the limit."""
    head = ["set", "may be dropped", "cascade as shipped", "best other as shipped", "best?"]
    head += ["cascade at its best", "best other at its best", "best?"]
    return table(head, [_champion(results, name) for name in results.sets])


def _champion(results: Results, name: str) -> list[str]:
    ours, choice = results.of(OURS, name), results.best(OURS, name, MAIN)
    negatives = next(one.figures.negatives for one in results.measured if one.set == name)
    row = [name, f"{allowed(negatives, results.limit)} of {negatives}"]
    row.append(_score(ours.shipped) if ours else NOTHING)
    if name not in results.with_positives:
        kept = "within the limit" if ours and within(ours.shipped, results.limit) else "**no**"
        return [*row, _beyond(results, name), kept, *[NOTHING] * 3]
    shipped = ours.shipped if ours and within(ours.shipped, results.limit) else None
    others = sorted(results.shipped_rivals(name), key=lambda one: -one[1].f1)
    row.append(f"{_score(others[0][1])}, {others[0][0]}" if others else _NONE_WITHIN)
    row.append(_verdict(shipped, others) if ours else NOTHING)
    rivals = results.rivals(name)
    row.append(_choice(choice) if choice else _NONE_WITHIN)
    row.append(f"{_choice(rivals[0].choice)}, {rivals[0]}" if rivals else _NONE_WITHIN)
    reached = [(str(rival), rival.choice.score) for rival in rivals]
    return [*row, _verdict(choice.score if choice else None, reached) if ours else NOTHING]


def _beyond(results: Results, name: str) -> str:
    """Say who drops more than may be where there is nothing to find."""
    beyond, others = results.beyond(name), results.shipped_rivals(name)
    if not beyond:
        return "none drops more than may be"
    label, most = max(beyond, key=lambda one: one[1].drops)
    return f"{len(beyond)} of {len(beyond) + len(others)} drop more, up to {most.drops} ({label})"


def _verdict(ours: Score | None, others: Sequence[tuple[str, Score]]) -> str:
    f1 = ours.f1 if ours else -1.0
    better = [label for label, score in others if score.f1 > f1]
    if better:
        return f"**no**: {', '.join(better)}"
    equal = sum(score.f1 == f1 for _, score in others)
    return f"yes (ties: {equal})" if equal else "yes"


def _score(score: Score) -> str:
    if not score.positives:
        return f"{score.drops} dropped"
    return f"{figure(score.f1)} / {score.drops}"


def _choice(choice: Choice) -> str:
    return f"{_score(choice.score)} @ {choice.threshold:g}"


def _name(results: Results, method: str) -> str:
    label = results.labels[method]
    return f"**{label}**" if method == OURS else label


def _shares(score: Score) -> list[str]:
    dropped = f"{score.drops} of {score.negatives}"
    if not score.positives:
        return [NOTHING, NOTHING, NOTHING, dropped]
    return [figure(score.precision), figure(score.recall), figure(score.f1), dropped]


def _at(measured: Measured, choice: Choice | None) -> str:
    if choice is None:
        return "none"
    return (
        f"{choice.threshold:g}"
        if measured.knob == "threshold"
        else (f"{measured.knob} = {choice.threshold:g}")
    )


def _cells(
    results: Results,
    sets: Sequence[str],
    scores: Mapping[str, Score],
    all_scores: Mapping[str, Mapping[str, Score]],
    at: Mapping[str, str] | None = None,
) -> list[str]:
    """Give a cell a set, the best F1 within the limit in bold, and the mean."""
    cells = []
    for name in sets:
        score = scores.get(name)
        if score is None:
            cells.append(NOTHING)
            continue
        rivals = [
            other.f1
            for of_other in all_scores.values()
            if (other := of_other.get(name)) and within(other, results.limit)
        ]
        text = _score(score)
        if score.positives and within(score, results.limit) and score.f1 == max(rivals):
            text = f"**{text}**"
        cells.append(text + (at or {}).get(name, ""))
    found = [score.f1 for score in scores.values() if score.positives]
    complete = found and len(scores) == len(sets)
    return [*cells, figure(sum(found) / len(found)) if complete else NOTHING]


def _chosen_rows(
    results: Results,
    sets: Sequence[str],
    chosen: Mapping[str, Mapping[str, Choice]],
    *,
    at: bool = True,
) -> list[list[str]]:
    scores = {
        method: {name: choice.score for name, choice in of_method.items()}
        for method, of_method in chosen.items()
    }
    return [
        [
            _name(results, method),
            *_cells(
                results,
                sets,
                scores[method],
                scores,
                {name: f" @ {one.threshold:g}" for name, one in of_method.items()} if at else {},
            ),
        ]
        for method, of_method in chosen.items()
    ]


def _cost(results: Results, method: str, text: str) -> list[str]:
    cost = results.cost(method, text)
    if cost is None:
        return [NOTHING] * 3
    return [f"{cost.milliseconds:.1f}", f"{cost.ratio:.1f}", f"{cost.peak / 1e6:.0f}"]


def _said(measured: Measured, kind: str) -> int:
    return sum(of_gold.get(kind, 0) for of_gold in measured.confusion.values())


def _gold_order(item: tuple[str, Mapping[str, int]]) -> tuple[int, int]:
    """Put what people call copies first, most frequent first, then negatives and what is open."""
    gold, said = item
    return ["negative", "left open"].index(gold) + 1 if gold in {"negative", "left open"} else 0, (
        -sum(said.values())
    )
