"""What the words of a decision mean, in a few others."""

from __future__ import annotations

VERDICTS = {
    "unique": "nothing like it is known",
    "exact": "all its visible text equals that of another page",
    "near": "it and another page are nearly the same",
    "contained": "it lies inside another page",
    "contains": "it holds pages that were known before, and more",
    "unchanged": "its text is what it was when the URL was last seen",
    "updated": "the text at this URL has changed",
}
STAGES = {
    "read": "reading the page was enough",
    "digest": "by a hash of the whole text",
    "lookup": "no known page shared enough to be looked at",
    "estimate": "by samples of the texts",
    "shingles": "all word sequences were compared",
    "sentences": "all words, sentences and nodes of the two pages were compared",
    "detector": "by the published method that DEDUP_DETECTOR named",
}
SCORES = {
    "simhash_distance": "bits of 64 in which the fingerprints differ",
    "resemblance": "share of both texts together that stands in both",
    "containment": "share of this page's text that stands in the other page",
    "contained_by": "share of the other page's text that stands in this one",
    "rs": "share of sentences found in the other: of this page, of the other",
    "odds_ratio": "odds that they are the same page, from the two shares of sentences; up to 100",
    "tree": "share of content in matched nodes that keep their order: of this page, of the other",
    "covered": "share of words in runs of four that both pages have: of this page, of the other",
    "aligned": "share of words that both pages have in the same order: of this page, of the other",
    "said": "share of content in matched sentences: of this page, of the other",
    "swapped": "places where the pages have different numbers or names",
    "subject": "how often each page names something that the other never mentions",
    "replaced": "words of passages in whose place the other page has a passage on something else",
    "known": "share of this page known from the other, and the reverse: what the verdict rests on",
}
