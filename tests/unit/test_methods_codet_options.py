"""What Varol's thesis tried or left as future work: weights, titles, positions, advertising."""

from __future__ import annotations

import pytest

from dedup_middleware import Page
from dedup_middleware.methods import Document
from dedup_middleware.methods.codet import CoDet
from tests.support.methods import of_text, shares

# words that are no stop words and stay as they are
KNOWN = "Kol mip. Kol zub."
FIVE = "Kol mip. Zub dorn. Flim grak. Vunt pelk. Brisk talo."


def codet(known: Document, **options: object) -> CoDet:
    """Make a method with one document; each word weighs 1, as no other was there before."""
    made = CoDet(sorting=False, stemming="none", **options)
    made.add(known)
    return made


@pytest.mark.parametrize(("weights", "share"), [("idf", 2 / 4), ("tf", 2 / 3), ("tf-idf", 1.0)])
def test_what_weighs_words(weights: str, share: float):
    """By idf alone "kol" weighs nothing; tf is 1/2, 1/4, 1/4 in one, 1/2, 1/2 in the other."""
    made = CoDet(sorting=False, stemming="none", plus_one=False, weights=weights)
    made.refer_to([of_text("Kol."), of_text("Kol mip.")])
    made.add(of_text(KNOWN, "known"))
    # idf, in log 2: 2 mip of 2 mip + 2 zub; tf: 2 · 1/2 + 2 · 1/2 of 4 · 1/2 + 2 · 1/4 + 2 · 1/4
    assert shares(made.candidates(of_text("Kol mip."))) == {
        "known": pytest.approx((1.0, share)),
    }


@pytest.mark.parametrize(
    ("times", "found"), [(0, {}), (1, {"a": (1.0, 0.5)}), (2, {"a": (1.0, 0.4)})]
)
def test_a_title_counts_as_so_many_sentences(times: int, found: dict[str, tuple[float, float]]):
    """Twice a title is four pairs with itself, and two with the sentence that equals it."""
    page = Page(url="a", html="<title>Kol mip</title><p>Zub dorn.")
    made = codet(Document.of(page), title=times)
    assert shares(made.candidates(of_text("Kol mip."))) == found


@pytest.mark.parametrize(
    ("lead", "first", "last"), [(1, 1 / 5, 1 / 5), (2, 4 / 14, 2 / 14), (3, 9 / 29, 3 / 29)]
)
def test_the_first_three_sentences_can_count_more_often(lead: int, first: float, last: float):
    """Twice, three of five are four pairs each with themselves, and two are one: 14 in all."""
    made = codet(of_text(FIVE, "a"), lead=lead)
    for text, share in (("Kol mip.", first), ("Brisk talo.", last)):
        (found,) = made.candidates(of_text(text))  # of which this is one of the first three, too
        assert found.backward == pytest.approx(share)


@pytest.mark.parametrize(("least", "found"), [(1, {"a", "b"}), (2, {"b"}), (3, set())])
def test_documents_that_share_few_sentences_share_advertising(least: int, found: set[str]):
    made = codet(of_text("Buy boats. Kol mip.", "a"), least_sentences=least)
    made.add(of_text("Buy boats. Zub dorn.", "b"))
    new = of_text("Buy boats. Zub dorn. Flim grak.")
    assert set(shares(made.candidates(new))) == found
