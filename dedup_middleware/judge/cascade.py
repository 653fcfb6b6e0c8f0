"""The cascade: candidates are compared as deep as it takes to rule them out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from dedup_middleware.errors import DedupError, SettingError
from dedup_middleware.fingerprint.site import without
from dedup_middleware.fingerprint.sketch import estimates
from dedup_middleware.similarity import (
    Comparison,
    Prepared,
    SentenceTest,
    compare_hashes,
    compare_sentences,
    compare_words,
)
from dedup_middleware.similarity.blocks import compare_blocks
from dedup_middleware.similarity.prepared import PreparedCache
from dedup_middleware.urls import host_key, same_site

from .decide import Matches, is_small_part
from .match import KnownPage, Match
from .names import Names, name_each_other
from .relation import (
    REWORDED_PAIRS,
    SIMHASH_DISTANCE,
    Context,
    coverage,
    gate,
    is_near_match,
    is_worth_comparing,
    likely_relation,
    may_be_reworded,
    relation,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dedup_middleware.fingerprint.site import SiteMemory
    from dedup_middleware.fingerprint.sketch import Estimate, Sketch
    from dedup_middleware.fingerprint.subject import Subject
    from dedup_middleware.read import Outline
    from dedup_middleware.settings import Settings

FEW_NEAR = 8  # near matches that are compared word by word, and all that are nearer than that
MOST_WORDS = 400_000  # of all these pages together, but for the two nearest
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
            raise SettingError(f"DEDUP_MODEL: {error}") from error

    def matches(self, subject: Subject, view: View, found: Found) -> Matches:
        """Compare a page with what shares keys with it."""
        notes: tuple[str, ...] = ()
        if capped := found.capped:
            notes += (f"{capped} look-up keys lead to more pages than are kept",)
        records = view.pages(found.alike)
        candidates = self._estimated(subject, records) if records else []
        matches, left_out = self._compared(subject, view, candidates) if candidates else ([], 0)
        if left_out:
            notes += (f"{left_out} more near matches were not compared word by word",)
        model = self._test.model
        return Matches(matches, notes, model.number if model else 0)

    def index(self, subject: Subject) -> None:
        """Return how a page enters tables of the method in the store: the cascade needs none."""

    def prepare(self, outline: Outline) -> Prepared:
        """Put a page into the form that comparison needs."""
        return self._test.prepare(outline, numbers=self.settings.numbers)

    def compare(
        self, page: Prepared, others: Sequence[Prepared], reworded: Sequence[bool]
    ) -> list[Comparison]:
        """Compare near matches; each step only for those that the one before leaves open."""
        settings = self.settings
        found = compare_words(page, others)
        is_open = []
        for at, comparison in enumerate(found):
            if settings.sentences == "off" or not (
                reworded[at] or is_near_match(comparison, settings)
            ):
                found[at] = Comparison(comparison.overlap)
            elif (
                settings.sentences == "thesis"  # where words decide nothing
                or (reworded[at] and comparison.words and may_be_reworded(comparison.words))
                or likely_relation(comparison, settings)
            ):
                is_open.append(at)
        if is_open:
            nearest = [others[at] for at in is_open]
            deep = compare_sentences([found[at] for at in is_open], page, nearest, self._test)
            for at, comparison in zip(is_open, deep, strict=True):
                found[at] = comparison
        return found

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
        self, subject: Subject, view: View, candidates: Sequence[_Candidate]
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
        page = self._subject(subject)
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
        if chosen:
            others = {one.page.number: texts[one.page.number] for one in chosen}
            matches.update(self._deepened(subject, page, view, chosen, others))
        return list(matches.values()), len(left_out)

    def _nearest(
        self, subject: Subject, near: Sequence[tuple[Match, _Candidate]]
    ) -> tuple[list[_Candidate], list[_Candidate]]:
        """Divide near matches, nearest first, into those to compare, and those too many."""
        lowest, words = min(self.settings.near, self.settings.contained), 0
        chosen: list[_Candidate] = []
        left_out: list[_Candidate] = []
        for place, (match, candidate) in enumerate(near):
            words += subject.fingerprint.words + candidate.page.words
            many = place >= FEW_NEAR and match.overlap < lowest
            is_left_out = many or (place > 1 and words > MOST_WORDS)
            (left_out if is_left_out else chosen).append(candidate)
        return chosen, left_out

    def _deepened(
        self,
        subject: Subject,
        page: Prepared,
        view: View,
        chosen: Sequence[_Candidate],
        texts: dict[int, Prepared],
    ) -> dict[int, Match]:
        """Compare a page with its nearest candidates word by word, and as deep as it takes."""
        settings, others = self.settings, [*texts.values()]
        contexts = self._contexts(subject, page, view, chosen, others)
        reworded = [
            one.may_be_reworded and not context.names_differ
            for one, context in zip(chosen, contexts, strict=True)
        ]
        compared = self.compare(page, others, reworded)
        return {
            one.page.number: Match(
                one.page,
                coverage(comparison, new_site=context.new_site),
                max(comparison.overlap[1:]),
                relation(comparison, settings, context),
                "sentences" if comparison.deep else "shingles",
                one.distance,
                one.estimate,
                comparison,
                context,
            )
            for one, comparison, context in zip(chosen, compared, contexts, strict=True)
        }

    def _subject(self, subject: Subject) -> Prepared:
        same = subject.own.has_main_of(subject.outline)
        hashes = subject.fingerprint.shingles if same else None
        return self._test.prepare(subject.own, numbers=self.settings.numbers, hashes=hashes)

    def _known(
        self, subject: Subject, view: View, known: Sequence[KnownPage]
    ) -> dict[int, Prepared]:
        """Return known pages in the form that comparison needs; read those that are not cached."""
        sites = [_site(subject, one, view) for one in known]
        keys = [(one.number, site.generation) for one, site in zip(known, sites, strict=True)]
        found = {one.number: self._cache.get(key) for one, key in zip(known, keys, strict=True)}
        missing = [number for number, text in found.items() if text is None]
        outlines = dict(zip(missing, view.outlines(missing) if missing else (), strict=True))
        for one, site, key in zip(known, sites, keys, strict=True):
            if one.number in outlines:
                text = self.prepare(without(outlines[one.number], site))
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
        texts = [(other.outline, other.word_count) for other in others]
        is_list, blocks = compare_blocks(subject.own, subject.words, names.names, texts)
        contexts = []
        for candidate, other, found in zip(known, others, blocks, strict=True):
            one = candidate.page
            site = _site(subject, one, view)
            their_names = self._names_of(one.number, other.outline, site)
            languages = {page.language, other.language}
            differ = len(languages) > 1 and "" not in languages
            if not differ and same_site(subject.url, one.url):  # those of others are their matter
                differ = (
                    names.differ(their_names)
                    and not name_each_other(
                        subject.url, subject.own.identity, one.url, other.outline.identity, site
                    )
                    # a menu that both pages show says nothing
                    and (is_list or not found.only_name_differs)
                )
            small_part = is_small_part(subject, one, self.settings)
            same_host = host_key(one.url) == subject.host
            contexts.append(
                Context(
                    names_differ=differ,
                    names_agree=names.agree(their_names),
                    small_part=small_part,
                    new_site=same_host and site.generation == 0 and not small_part,
                    rest_differs=found.rest_differs,
                    new_entries=found.new_entries,
                )
            )
        return contexts

    def _names_of(self, number: int, outline: Outline, site: SiteMemory) -> Names:
        key = number, site.generation
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
