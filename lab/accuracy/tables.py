"""The tables of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.markdown import figure, table

from .passes import MAIN, TEXTS
from .results import OURS, allowed, within
from .simulate import KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .results import Choice, Measured, Results
    from .scoring import Score

_NONE = "–"
_NONE_WITHIN = "none within the limit"


def shipped_table(results: Results, text: str) -> str:
    """Format all methods as they ship, with their cost."""
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


def short_table(results: Results) -> str:
    """Format what a newcomer wants to know of each method, over all sets together."""
    rows = []
    for method in results.labels:
        found = [one for one in results.all_of(method, MAIN) if one.set in results.complete]
        cost = results.cost(method, MAIN, results.complete)
        if not found or cost is None:
            continue
        right = {key: _summed(found, "copy", key) for key in ("dropped", "tagged", "contains")}
        copies, finds = _summed(found, "copy", "pages"), sum(right.values())
        others = sum(one.shipped.alarms + one.shipped.wrong_originals for one in found)
        lost = sum(one.shipped.drops for one in found)
        negatives = sum(one.shipped.negatives for one in found)
        rows.append(
            [
                _name(results, method),
                f"{finds / max(1, copies):.0%}",
                f"{finds / max(1, finds + others):.0%}",
                f"{right['dropped'] / max(1, copies):.0%}",
                f"{lost:,} of {negatives:,}",
                f"{cost.milliseconds:.1f} ms ({cost.ratio:.1f})",
            ]
        )
    head = ["", "copies found", "finds that are right", "copies dropped"]
    return table([*head, "different pages dropped", "CPU time a page (× parsing)"], rows)


def actions_table(results: Results, fitted: Mapping[str, str]) -> str:
    """Format what the deduplicator does with copies and others, unseen sets first."""
    names = ("dropped", "tagged", "contains", "missed", "wrong original")
    rows = []
    for name in results.sets:
        one = results.of(OURS, name)
        if one is None:
            continue
        copies = [_summed([one], "copy", key) or _NONE for key in ("pages", *names)]
        others = [_summed([one], "no copy", key) for key in ("pages", *names[:3])]
        rows.append([name, fitted[name] or "nothing", *copies, *others])
    head = ["set", "fitted on it", "copies", *names, "different", *names[:3]]
    return table(head, rows, texts=2)


def _summed(found: Sequence[Measured], gold: str, key: str) -> int:
    """Add up how often pages with such a label had an outcome."""
    return sum(
        row.get(key, 0)
        for one in found
        for row in one.actions
        if not row["group"] and row["gold"].startswith(gold)
    )


def best_table(results: Results, text: str) -> str:
    """Format all methods at the best threshold for each set that has positives."""
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
    """Format all methods at the one threshold that is best for all sets, on either text."""
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
            [_name(results, method), called, "none", *[_NONE] * (len(results.sets) + 1)]
            for method in results.labels
            if method not in chosen and results.all_of(method, text)
        ]
    return table(["", "text", "threshold", *results.sets, "mean F1"], rows)


def set_table(results: Results, name: str, text: str) -> str:
    """Format all figures of one set."""
    head = ["", "precision", "recall", "F1", "dropped", "wrong orig.", "right kinds"]
    head += ["ms/page", "× lxml", "peak MB"]
    if not results.shipped:
        head += ["best at", "precision", "recall", "F1", "dropped"]
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
                f"{100 * one.shipped.right_kind_share:.1f} %" if one.shipped.kinds else _NONE,
                f"{one.ms:.1f}",
                f"{one.ratio:.1f}",
                f"{one.peak / 1e6:.0f}",
                *(
                    []
                    if results.shipped
                    else [_at(one, found), *(_shares(found.score) if found else [_NONE] * 4)]
                ),
            ]
        )
    return table(head, rows)


def reading_table(results: Results) -> str:
    """Format the time to read the pages, which all times include."""
    rows = []
    for name in results.sets:
        found = [
            one
            for one in results.measured
            if one.set == name and one.text == MAIN and one.ms_reading
        ]
        if found:
            # on a shared machine the lowest figure is the least disturbed
            one = min(found, key=lambda one: one.ms_reading)
            ratio = one.ms_reading / one.ms_parsing if one.ms_parsing else 0.0
            rows.append([name, f"{one.ms_parsing:.2f}", f"{one.ms_reading:.2f}", f"{ratio:.2f}"])
    return table(["set", "lxml.html, ms/page", "reading, ms/page", "× lxml"], rows)


def confusion_table(measured: Measured) -> str:
    """Format which verdicts pages of each label got."""
    kinds = [kind for kind in (*KINDS, "unchanged") if _count(measured, kind)]
    rows = [
        [gold, *(of_gold.get(kind, 0) or _NONE for kind in kinds)]
        for gold, of_gold in sorted(measured.confusion.items(), key=_gold_order)
    ]
    return table(["label ╲ verdict", *kinds], rows)


def champions_table(results: Results) -> str:
    """Format for each set whether the cascade is the best within the limit."""
    head = ["set", "may be dropped", "cascade as shipped", "best other as shipped", "best?"]
    head += ["cascade at its best", "best other at its best", "best?"]
    return table(head, [_champion(results, name) for name in results.sets])


def _champion(results: Results, name: str) -> list[str]:
    ours, choice = results.of(OURS, name), results.best(OURS, name, MAIN)
    negatives = next(one.figures.negatives for one in results.measured if one.set == name)
    row = [name, f"{allowed(negatives, results.limit)} of {negatives}"]
    row.append(_score(ours.shipped) if ours else _NONE)
    if name not in results.with_positives:
        kept = "within the limit" if ours and within(ours.shipped, results.limit) else "**no**"
        return [*row, _beyond(results, name), kept, *[_NONE] * 3]
    shipped = ours.shipped if ours and within(ours.shipped, results.limit) else None
    others = sorted(results.shipped_rivals(name), key=lambda one: -one[1].f1)
    row.append(f"{_score(others[0][1])}, {others[0][0]}" if others else _NONE_WITHIN)
    row.append(_verdict(shipped, others) if ours else _NONE)
    rivals = results.rivals(name)
    row.append(_choice(choice) if choice else _NONE_WITHIN)
    row.append(f"{_choice(rivals[0].choice)}, {rivals[0]}" if rivals else _NONE_WITHIN)
    reached = [(str(rival), rival.choice.score) for rival in rivals]
    return [*row, _verdict(choice.score if choice else None, reached) if ours else _NONE]


def _beyond(results: Results, name: str) -> str:
    """Return who exceeds the limit on a set without positives."""
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
    return f"{figure(score.f1, 3)} / {score.drops}"


def _choice(choice: Choice) -> str:
    return f"{_score(choice.score)} @ {choice.threshold:g}"


def _name(results: Results, method: str) -> str:
    label = results.labels[method]
    return f"**{label}**" if method == OURS else label


def _shares(score: Score) -> list[str]:
    dropped = f"{score.drops} of {score.negatives}"
    if not score.positives:
        return [_NONE, _NONE, _NONE, dropped]
    return [*(figure(one, 3) for one in (score.precision, score.recall, score.f1)), dropped]


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
    """Return a cell for each set, the best F1 within the limit in bold, and the mean."""
    cells = []
    for name in sets:
        score = scores.get(name)
        if score is None:
            cells.append(_NONE)
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
    return [*cells, figure(sum(found) / len(found), 3) if complete else _NONE]


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
        return [_NONE] * 3
    return [f"{cost.milliseconds:.1f}", f"{cost.ratio:.1f}", f"{cost.peak / 1e6:.0f}"]


def _count(measured: Measured, kind: str) -> int:
    return sum(of_gold.get(kind, 0) for of_gold in measured.confusion.values())


def _gold_order(item: tuple[str, Mapping[str, int]]) -> tuple[int, int]:
    """Sort duplicates first, most frequent first, then negatives and what is left open."""
    gold, said = item
    return ["negative", "left open"].index(gold) + 1 if gold in {"negative", "left open"} else 0, (
        -sum(said.values())
    )
