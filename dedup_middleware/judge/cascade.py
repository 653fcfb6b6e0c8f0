"""The cascade: candidates are compared as deep as it takes to rule them out."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple, Protocol

from dedup_middleware.errors import DedupError, SettingError
from dedup_middleware.fingerprint.scheme import estimates
from dedup_middleware.fingerprint.site import without
from dedup_middleware.similarity import (
    Comparison,
    Prepared,
    SentenceTest,
    compare_deeply,
    compare_hashes,
    compare_loss,
)
from dedup_middleware.similarity.prepared import PreparedCache
from dedup_middleware.text import quantity
from dedup_middleware.urls import host_key, same_site
from dedup_middleware.verdict import Kind

from .decide import Matches, is_small_part
from .match import (
    REWORDED_PAIRS,
    SIMHASH_DISTANCE,
    YOUNG,
    Context,
    KnownPage,
    Match,
    coverage,
    gate,
    is_near_match,
    is_worth_comparing,
    relation,
)
from .names import Names, name_each_other

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dedup_middleware.fingerprint.scheme import Estimate, Sketch
    from dedup_middleware.fingerprint.site import SiteMemory
    from dedup_middleware.fingerprint.subject import Subject
    from dedup_middleware.read import Outline
    from dedup_middleware.settings import Settings

FEW_NEAR = 6  # near matches that are compared unit by unit
FIRST = 2  # of these, the nearest, before the others
SAME_RUNS = 0.95  # the share of either page in runs of words of the other, for a copy
MOST_WORDS = 60_000  # of all these pages together, but for the two nearest
MOST_NAMES = 4096  # of known pages that are cached
CACHED_WORDS = 2_000_000  # of known pages that are cached as the core takes them: some 80 MB


class Record(KnownPage, Protocol):
    """A page of the store, with what estimates need of it."""

    @property
    def simhash(self) -> int: ...

    @property
    def sketch(self) -> Sketch: ...


class Found(Protocol):
    """The pages that share look-up keys with a page."""

    @property
    def alike(self) -> Sequence[int]: ...

    @property
    def capped(self) -> int:
        """The number of keys that lead to more pages than are kept."""


class View(Protocol):
    """What the cascade reads of a store."""

    def pages(self, numbers: Iterable[int]) -> Sequence[Record]:
        """Return those pages that may be originals."""

    def outlines(self, numbers: Sequence[int]) -> list[Outline]: ...

    def host(self, key: bytes) -> SiteMemory: ...


class _Candidate(NamedTuple):
    """A known page whose sample was compared."""

    page: Record
    distance: int
    estimate: Estimate

    @property
    def may_be_reworded(self) -> bool:
        """Whether so many words stand near the same other words that sentences are worth a look."""
        return self.estimate.pairs >= REWORDED_PAIRS


class Cascade:
    """Compares a page with its candidates; caches known pages in the form that the core takes."""

    label = "cascade"
    uses_keys = True
    """Whether candidates come from the look-up keys of the store."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._cache = PreparedCache(CACHED_WORDS)
        self._names: dict[tuple[int, int], Names] = {}
        try:
            self._test = SentenceTest.of(settings.sentences, settings.model)
        except DedupError as error:
            raise SettingError(f"DEDUP_METHOD_OPTIONS: model: {error}") from error

    def matches(self, subject: Subject, view: View, found: Found) -> Matches:
        """Compare a page with what shares keys with it."""
        notes: tuple[str, ...] = ()
        if capped := found.capped:
            notes += (f"{quantity(capped, 'look-up key')} found only the first of many pages",)
        records = view.pages(found.alike)
        candidates = self._estimated(subject, records) if records else []
        page = cache(partial(self._subject, subject))  # made once, if at all
        compare = partial(self._compared, subject, page, view)
        matches, left_out = compare(candidates) if candidates else ([], 0)
        if left_out:
            notes += (f"{left_out} more near matches were not compared word by word",)
        model = self._test.model
        explain = partial(self._explained, subject, page, view)
        return Matches(matches, notes, model.number if model else 0, explain=explain)

    def index(self, subject: Subject) -> None:
        """Return how a page enters tables of the method in the store: the cascade needs none."""

    def prepare(self, outline: Outline, site: SiteMemory) -> Prepared:
        """Put a page into the form that comparison needs, given what is known of its host."""
        return self._test.prepare(
            without(outline, site),
            numbers=self.settings.numbers,
            names=site.names,
            rarity=site.units,
        )

    def compare(
        self, comparisons: Sequence[Comparison], page: Prepared, others: Sequence[Prepared]
    ) -> list[Comparison]:
        """Compare near matches unit by unit; by sentences where these decide, as in the thesis."""
        if self.settings.sentences == "thesis":
            return [compare_deeply(page, other, self._test) for other in others]
        return compare_loss(comparisons, page, others)

    def _explained(
        self, subject: Subject, page: Callable[[], Prepared], view: View, match: Match
    ) -> Match:
        """Compare a page with the one that it is like by words and sentences, for the evidence."""
        comparison = match.comparison
        if self.settings.sentences == "off" or comparison is None or comparison.deep:
            return match
        (other,) = self._known(subject, view, [match.page]).values()
        deep = compare_deeply(page(), other, self._test, comparison.loss)
        return match._replace(comparison=deep, stage="sentences")

    def _estimated(self, subject: Subject, known: Sequence[Record]) -> list[_Candidate]:
        """Compare samples; leave out what has nothing but a part of the SimHash in common."""
        page, candidates = subject.fingerprint, []
        simhash = page.simhash
        found = estimates(page.sketch, [one.sketch for one in known])
        for one, estimate in zip(known, found, strict=True):
            distance = (simhash ^ one.simhash).bit_count()
            if (
                estimate.shared or distance <= SIMHASH_DISTANCE or estimate.pairs >= REWORDED_PAIRS
            ) and subject.admits(one):
                candidates.append(_Candidate(one, distance, estimate))
        return candidates

    def _compared(
        self,
        subject: Subject,
        prepared: Callable[[], Prepared],
        view: View,
        candidates: Sequence[_Candidate],
    ) -> tuple[list[Match], int]:
        """Compare hashes of shingles where samples leave it open, then the nearest word by word.

        Also return how many near matches were left out.
        """
        matches = {one.page.number: _by_estimate(one) for one in candidates}
        lowest = gate(self.settings)
        open_ = [
            one for one in candidates if is_worth_comparing(one.distance, one.estimate, lowest)
        ]
        if not open_:
            return list(matches.values()), 0
        page = prepared()
        texts = self._known(subject, view, [one.page for one in open_])
        near = []
        found = compare_hashes(page, [*texts.values()])
        for one, comparison in zip(open_, found, strict=True):
            match = _by_hashes(one, comparison)
            matches[one.page.number] = match
            if one.may_be_reworded or is_near_match(comparison, self.settings):
                near.append((match, one))
        near.sort(key=lambda pair: (-pair[0].overlap, pair[0].page.number))
        chosen, left_out = self._nearest(subject, near)
        for one in left_out:
            matches[one.page.number] = _by_estimate(one)  # hashes decide nothing
        for part in (chosen[:FIRST], chosen[FIRST:]):
            is_copy = any(one.kind is Kind.NEAR for one in matches.values())
            # of a copy, what shares less with the page than copies do is no better original
            lowest = SAME_RUNS if is_copy else 0.0
            some = [one for one in part if matches[one.page.number].overlap >= lowest]
            if some:
                others = [texts[one.page.number] for one in some]
                comparisons = [matches[one.page.number].comparison for one in some]
                matches.update(self._deepened(subject, page, view, some, comparisons, others))
        return list(matches.values()), len(left_out)

    def _nearest(
        self, subject: Subject, near: Sequence[tuple[Match, _Candidate]]
    ) -> tuple[list[_Candidate], list[_Candidate]]:
        """Divide near matches, nearest first, into those to compare, and those too many."""
        words = 0
        chosen: list[_Candidate] = []
        left_out: list[_Candidate] = []
        for place, (_, candidate) in enumerate(near):
            words += subject.fingerprint.words + candidate.page.words
            is_left_out = place >= FEW_NEAR or (place > 1 and words > MOST_WORDS)
            (left_out if is_left_out else chosen).append(candidate)
        return chosen, left_out

    def _deepened(
        self,
        subject: Subject,
        page: Prepared,
        view: View,
        chosen: Sequence[_Candidate],
        comparisons: Sequence[Comparison | None],
        others: Sequence[Prepared],
    ) -> dict[int, Match]:
        """Compare a page with its nearest candidates, unit by unit."""
        contexts = self._contexts(subject, page, view, chosen, others)
        by_hashes = [one for one in comparisons if one]
        compared = self.compare(by_hashes, page, others)
        return {
            one.page.number: Match(
                one.page,
                coverage(comparison),
                max(comparison.overlap[1:]),
                relation(comparison, self.settings, context),
                "units" if comparison.loss else "sentences",
                one.distance,
                one.estimate,
                comparison,
                context,
                units=(page.units, other.units),
            )
            for one, other, comparison, context in zip(
                chosen, others, compared, contexts, strict=True
            )
        }

    def _subject(self, subject: Subject) -> Prepared:
        same = subject.own.has_main_of(subject.outline)
        hashes = subject.fingerprint.shingles if same else None
        site, numbers = subject.site, self.settings.numbers
        return self._test.prepare(
            subject.own, numbers=numbers, hashes=hashes, names=site.names, rarity=site.units
        )

    def _known(
        self, subject: Subject, view: View, known: Sequence[KnownPage]
    ) -> dict[int, Prepared]:
        """Return known pages in the form that comparison needs; read those that are not cached."""
        sites = [_site(subject, one, view) for one in known]
        keys = [(one.number, site.version) for one, site in zip(known, sites, strict=True)]
        found = {one.number: self._cache.get(key) for one, key in zip(known, keys, strict=True)}
        missing = [number for number, text in found.items() if text is None]
        outlines = dict(zip(missing, view.outlines(missing) if missing else (), strict=True))
        for one, site, key in zip(known, sites, keys, strict=True):
            if one.number in outlines:
                text = self.prepare(outlines[one.number], site)
                found[one.number] = self._cache.put(key, one.words, text)
        return found  # type: ignore[return-value]  # none is missing now

    def _contexts(
        self,
        subject: Subject,
        page: Prepared,
        view: View,
        known: Sequence[_Candidate],
        others: Sequence[Prepared],
    ) -> list[Context]:
        """Look at what else speaks for or against pages being the same."""
        names = Names(subject.own, subject.site)
        contexts = []
        for candidate, other in zip(known, others, strict=True):
            one = candidate.page
            site = _site(subject, one, view)
            their_names = self._names_of(one.number, other.outline, site)
            languages = {page.language, other.language}
            differ = len(languages) > 1 and "" not in languages
            if not differ and same_site(subject.url, one.url):  # those of others are their matter
                differ = names.differ(their_names) and not name_each_other(
                    subject.url, subject.own.identity, one.url, other.outline.identity, site
                )
            contexts.append(
                Context(
                    names_differ=differ,
                    names_agree=names.agree(their_names),
                    small_part=is_small_part(subject, one, self.settings),
                    is_young=host_key(one.url) == subject.host and site.names < YOUNG,
                    is_hidden=bool(subject.own.cut or other.outline.cut),
                )
            )
        return contexts

    def _names_of(self, number: int, outline: Outline, site: SiteMemory) -> Names:
        key = number, site.version
        names = self._names.get(key)
        if names is None:
            if len(self._names) >= MOST_NAMES:
                self._names.clear()
            names = self._names[key] = Names(outline, site)
        return names


def _site(subject: Subject, known: KnownPage, view: View) -> SiteMemory:
    key = host_key(known.url)
    return subject.site if key == subject.host else view.host(key)


def _by_estimate(one: _Candidate) -> Match:
    shared, (mine, theirs), _ = one.estimate
    shares = shared / mine if mine else 0.0, shared / theirs if theirs else 0.0
    return Match(one.page, shares, max(shares), distance=one.distance, estimate=one.estimate)


def _by_hashes(one: _Candidate, comparison: Comparison) -> Match:
    shares = comparison.overlap[1:]
    return Match(
        one.page, shares, max(shares), None, "shingles", one.distance, one.estimate, comparison
    )
