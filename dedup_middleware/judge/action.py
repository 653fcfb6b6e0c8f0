"""Finding → verdict: the one place where the action of a page is decided."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dedup_middleware.text import printable
from dedup_middleware.urls import same_site
from dedup_middleware.verdict import Action, Kind, Verdict, milder

from .decide import is_small_part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dedup_middleware.fingerprint.subject import Subject
    from dedup_middleware.settings import Settings

    from .decide import Finding


def with_action(
    finding: Finding, subject: Subject, settings: Settings, requested: Mapping[Kind, Action]
) -> Verdict:
    """Decide what is done with a page: by the request, then the settings, then a person's word."""
    kind, original = finding.kind, finding.original
    notes = subject.notes
    action = requested.get(kind, settings.actions[kind])
    small = original and kind is Kind.CONTAINED and is_small_part(subject, original, settings)
    if kind not in requested and action is Action.DROP and finding.evidence.supersedes:
        action = Action.PASS
    elif kind not in requested:
        if original and not same_site(subject.url, original.url):
            action = milder(action, settings.cross_host.get(kind, action))
        if action is Action.DROP and (small or finding.kept):
            action = Action.TAG
    if action is Action.DROP and original and _is_restored(kind, subject):
        action = Action.PASS
        notes += (f"passes, restored by a person, although it is like {printable(original.url)}",)
    evidence = finding.evidence
    if notes or subject.site.generation:
        evidence = replace(
            evidence, notes=evidence.notes + notes, generation=subject.site.generation
        )
    return Verdict(
        kind, original.url if original else None, finding.score, finding.reason, evidence, action
    )


def _is_restored(kind: Kind, subject: Subject) -> bool:
    """Return True if a person restored the page; unchanged ones only if that was restored."""
    overrides = subject.overrides
    return overrides.restored and (kind is not Kind.UNCHANGED or subject.key in overrides.excluded)
