"""Entries of one template are pages of their own; a passage replaced makes another page."""

from __future__ import annotations

import re

import pytest

from tests.support.templates import TEMPLATES
from tests.support.texts import article, html

A = "https://a.example/"
DROPS = {"near": "drop", "contained": "drop"}
"""For pages of other hosts: nothing but what they say keeps them."""


@pytest.mark.parametrize("template", TEMPLATES)
def test_entries_of_one_template_are_never_dropped_for_one_another(judge, template):
    """Of a young host nobody knows what its template is: one may be near another, and is kept."""
    one, other = TEMPLATES[template]
    _, verdict = judge(one, other, cross_host=DROPS)
    assert verdict.action != "drop"
    scores = verdict.evidence.scores
    assert scores.containment is not None
    assert scores.containment > 0.5, "words alone come close"
    if verdict.kind == "near":
        assert "fact differs" in verdict.reason
    else:
        assert (verdict.kind, verdict.evidence.closest) == ("unique", A)
        assert f"The closest page, {A}, has " in verdict.reason
        assert re.search(r"but facts differ in \d+ places", verdict.reason)


@pytest.mark.parametrize("template", TEMPLATES)
def test_an_entry_is_near_itself_with_another_price(judge, template):
    one = TEMPLATES[template][0]
    other = re.sub(r"349|4 May|since version 2", "11", one)
    assert other != one
    _, verdict = judge(one, other)
    assert (verdict.kind, verdict.original) == ("near", A)


ABOUT = " ".join(article(40, 190))
MECHANIC = """\
Truck mechanic wanted in our workshop. You repair engines, brakes and gearboxes of heavy vehicles, \
diagnose faults with modern test equipment and keep the service records up to date. You have \
finished an apprenticeship as a vehicle mechanic and hold a licence for lorries."""
ACCOUNTANT = """\
Payroll accountant wanted in our office. You prepare the monthly wages of all employees, answer \
questions about taxes and social insurance and support the annual audit. You have finished a \
commercial apprenticeship and know the usual accounting software well."""


def test_a_page_with_another_passage_in_the_same_place_is_never_dropped(judge):
    """On a young host it may be called near, for most of it is the same."""
    _, verdict = judge(html([MECHANIC, ABOUT]), html([ACCOUNTANT, ABOUT]), cross_host=DROPS)
    assert verdict.action != "drop"
    assert verdict.kind == "unique" or "so it is kept" in verdict.reason


def test_a_passage_that_is_only_missing_does_not(judge):
    text = article(11, 400)
    _, verdict = judge(html([MECHANIC, *text]), html(text))
    assert verdict.kind == "near"
