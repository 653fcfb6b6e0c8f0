"""The Patricia tree of Figure 4 of Pereira & Ziviani."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dedup_middleware.methods.patricia import SiStrings
from lab.published.bit_tree import Branch, Leaf, bit_tree


def leaves(tree: Branch | Leaf | None) -> list[Leaf]:
    if isinstance(tree, Branch):
        return leaves(tree.zero) + leaves(tree.one)
    return [tree] if tree else []


def test_the_tree_of_figure_4():
    """The root is bit 1, on its left are 6 and 37: r, u and é in one byte each."""
    tree = bit_tree("uma rosa é uma rosa.")
    assert isinstance(tree, Branch)
    assert (tree.bit, tree.one) == (1, Leaf(3, "é uma rosa."))
    assert isinstance(tree.zero, Branch)
    assert tree.zero.bit == 6
    assert isinstance(tree.zero.zero, Branch)
    assert tree.zero.zero.bit == 37
    assert tree.zero.zero == Branch(37, Leaf(2, "rosa é uma rosa."), Leaf(5, "rosa."))
    assert bit_tree("") is None


@given(st.lists(st.sampled_from(["ab", "b", "é", "ба", "aba"]), min_size=1, max_size=12))
def test_the_tree_has_all_sistrings_in_their_order(words):
    text = " ".join(words)
    sistrings = SiStrings(text)
    found = leaves(bit_tree(text))
    assert [one.text for one in found] == [text[start:] for start in sistrings.order]
    assert sorted(one.number for one in found) == list(range(1, len(words) + 1))
