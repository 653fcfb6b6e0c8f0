"""`compare`: two pages compared sentence by sentence, as figures, HTML and pictures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dedup_middleware.judge.match import coverage, relation
from dedup_middleware.judge.reasons import summary
from dedup_middleware.read import read
from dedup_middleware.settings import Settings
from dedup_middleware.similarity.comparison import compare_deeply, in_order, odds_ratio
from dedup_middleware.similarity.matching import SentenceTest, every_pair
from dedup_middleware.verdict import Kind

if TYPE_CHECKING:
    from typing import Any

    from dedup_middleware.page import Page
    from dedup_middleware.read import Outline
    from dedup_middleware.similarity.comparison import Both, Comparison, Deep
    from dedup_middleware.similarity.prepared import Prepared
    from dedup_middleware.similarity.sentences import Match, Sentence


@dataclass(frozen=True)
class PageComparison:
    """Two pages compared; the first of two figures is that of the first page."""

    names: tuple[str, str]
    first: Prepared
    second: Prepared
    comparison: Comparison
    kind: Kind | None
    """How the first page would be judged if the second were known."""
    comparable: bool = True
    """Whether the pages have enough words to be compared in a crawl."""
    same: tuple[Match, ...] | None = None
    """All pairs of sentences that are the same, if sentences are compared as in the thesis."""

    @property
    def sentences(self) -> tuple[tuple[Sentence, ...], tuple[Sentence, ...]]:
        return self.first.sentences, self.second.sentences

    @property
    def deep(self) -> Deep:
        assert self.comparison.deep  # noqa: S101  # always made by `compare`
        return self.comparison.deep

    @property
    def cut(self) -> tuple[int, int]:
        """How many sentences of each page were left out because there were too many."""
        return self.deep.matching.cut

    @cached_property
    def pairs(self) -> tuple[Match, ...]:
        """The matched pairs of sentences, in the order of the first page."""
        return self.deep.matching.pairs if self.same is None else self.same

    @property
    def rs(self) -> Both:
        """The share of each page's sentences that have a partner in the other."""
        return self.deep.rs

    @property
    def odds_ratio(self) -> float:
        return odds_ratio(*self.rs)

    @property
    def overlap(self) -> Both:
        """The share of each page's sentences that are equal to one of the other page.

        In the thesis (Eq. 3.5), the number of pairs that are the same, by the sentences.
        """
        if self.same is None:
            return self.deep.counts[0].equal, self.deep.counts[1].equal
        one, other = (min(1.0, len(self.same) / max(1, len(side))) for side in self.sentences)
        return one, other

    @property
    def in_order(self) -> Both:
        """The share of the sentences with a partner that are in the same order in both pages."""
        return in_order(self.deep.matching.first), in_order(self.deep.matching.second)

    @property
    def tree(self) -> Both:
        """The share of each page in matched sentences of matched nodes that keep their order."""
        return self.deep.tree

    @property
    def known(self) -> Both:
        """How much of each page is known from the other, as the judge sees it."""
        return coverage(self.comparison)

    @property
    def summary(self) -> str:
        """What was found, in a sentence or two."""
        return summary(self.names[1], self.deep, self.kind, comparable=self.comparable)

    @property
    def measures(self) -> dict[str, str]:
        """All figures with their names, as text."""
        deep = self.deep
        one, other = deep.counts
        shares = {
            "found in the other page": self.known,
            "words in common runs": deep.covered,
            "words in the same order": deep.aligned,
            "content in matched sentences": deep.sentence_share,
            "content in matched nodes, in order": deep.tree,
            "equal sentences": self.overlap,
            "sentences with a partner (RS)": self.rs,
            "sentences with a partner, in the same order": self.in_order,
        }
        return {
            "sentences": f"{one.total} / {other.total}",
            "same, reworded, new": f"{one.same}, {one.reworded}, {one.new} / "
            f"{other.same}, {other.reworded}, {other.new}",
            **{name: f"{a:.0%} / {b:.0%}" for name, (a, b) in shares.items()},
            "odds ratio": f"{self.odds_ratio:.2f}",
            "places where numbers or names differ": str(deep.swapped),
            "mentions of subjects that the other lacks": str(deep.subject),
            "words that replace others": str(deep.replaced),
        }

    def to_html(self) -> str:
        """Return an HTML page with both texts, what changed in them, and where they match."""
        from .comparison_page import comparison_page

        return comparison_page(self)

    def to_png(self) -> bytes:
        """Return a picture of where the sentences match; needs the extra `report`."""
        from .dotplot import Dotplot

        return Dotplot(self).png()


def compare(first: Page, second: Page, **settings: Any) -> PageComparison:
    """Compare two pages sentence by sentence, whether they are near matches or not.

    Settings are those of a `Deduplicator`.

    >>> from dedup_middleware import Page
    >>> text = "The tide came in. The boats were lifted. Everybody left before the night."
    >>> one, two = Page(url="a", text=text), Page(url="b", text=text.replace("night", "evening"))
    >>> comparison = compare(one, two)
    >>> comparison.rs, [round(pair.similarity, 2) for pair in comparison.pairs]
    ((1.0, 1.0), [1.0, 1.0, 0.67])
    """
    chosen = Settings.of(**settings)
    limits = {"max_html": chosen.max_html, "max_text": chosen.max_text}
    outlines = read(first, **limits), read(second, **limits)
    return compare_outlines(*outlines, names=(first.url, second.url), settings=chosen)


def compare_outlines(
    first: Outline, second: Outline, *, names: tuple[str, str], settings: Settings
) -> PageComparison:
    """Compare two pages that have been read."""
    name = "fuzzy" if settings.sentences == "off" else settings.sentences
    test = SentenceTest.of(name, settings.model)
    page, known = (test.prepare(one, numbers=settings.numbers) for one in (first, second))
    comparison = compare_deeply(page, known, test)
    assert comparison.deep  # noqa: S101  # just made
    same = every_pair(page.sentences, known.sentences, test) if test.is_published else None
    comparable = min(comparison.deep.words) >= settings.min_words
    kind = relation(comparison, settings) if comparable else None
    if first.text == second.text:
        kind = Kind.EXACT
    return PageComparison(names, page, known, comparison, kind, comparable, same)
