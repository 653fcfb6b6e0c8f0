"""Connected components: pages that may have to do with each other, found from pairs of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


def components(ones: Numbers, others: Numbers) -> tuple[Numbers, Numbers]:
    """Return all members of some pairs, ascending, and the first member of each one's component.

    >>> nodes, firsts = components(np.array([9, 5, 7]), np.array([5, 2, 8]))
    >>> nodes.tolist(), firsts.tolist()
    ([2, 5, 7, 8, 9], [2, 2, 7, 7, 2])
    """
    nodes, places = np.unique(np.concatenate((ones, others)), return_inverse=True)
    one, other = places[: len(ones)], places[len(ones) :]
    first = np.arange(len(nodes))
    while len(one):
        # each root that is not the lowest of those it meets is hung below that, then paths are cut
        low, high = np.minimum(first[one], first[other]), np.maximum(first[one], first[other])
        np.minimum.at(first, high, low)
        while not np.array_equal(jumped := first[first], first):
            first = jumped
        apart = first[one] != first[other]
        one, other = one[apart], other[apart]
    return nodes, nodes[first]
