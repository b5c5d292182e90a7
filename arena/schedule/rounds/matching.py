"""Pair by several wishes in strict order: a maximum weight matching with one number per edge.

The matching is rustworkx's, whose weights are 128-bit integers. Wishes are combined into one number
by a mixed radix as small as their bounds allow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec
import rustworkx

Edge: TypeAlias = tuple[int, int]
"""Two nodes, the smaller first."""

MOST_BITS: Final = 122
"""Largest size of a weight in bits; the algorithm adds and doubles weights."""


class Wish(msgspec.Struct, frozen=True):
    """A quantity to be maximised."""

    value: Callable[[int, int], int]
    """Function from an edge to its value, 0 or above."""
    most: int
    """Upper bound of the sum over any matching; 0: the wish has no effect."""
    owners: frozenset[int] = frozenset()
    """Nodes that each add at most one if no other node adds anything; otherwise empty."""

    def edges_left(self, partner: Mapping[int, int]) -> Callable[[int, int], bool] | None:
        """Return a test for edges that can be in a matching as good as ``partner`` for this wish.

        Return None if the constraint cannot be expressed per edge.
        """
        total = sum(self.value(a, b) for a, b in partner.items() if a < b)
        if total == 0:
            return lambda a, b: self.value(a, b) == 0
        if total == len(self.owners):
            owners = self.owners
            return lambda a, b: self.value(a, b) == (a in owners) + (b in owners)
        return None


class TooManyWishes(Exception):
    """Raised if wishes need more bits than an edge weight has; the message has the number."""


def fitting(weights: Mapping[Edge, int], wishes: Sequence[Wish]) -> int:
    """Return how many of ``wishes`` fit into ``weights`` after those in them; at least one."""
    bits = max(weights.values(), default=0).bit_length()
    for count, wish in enumerate(wishes):
        bits += wish.most.bit_length()
        if bits > MOST_BITS:
            return max(1, count)
    return len(wishes)


def weights(edges: Iterable[Edge], wishes: Iterable[Wish]) -> dict[Edge, int]:
    """Return one number for each edge; each wish counts before all later ones."""
    return behind(dict.fromkeys(edges, 0), wishes)


def behind(weights: Mapping[Edge, int], wishes: Iterable[Wish]) -> dict[Edge, int]:
    """Return ``weights`` with ``wishes`` added, which count after the existing ones."""
    found = dict(weights)
    for wish in wishes:
        if wish.most > 0:
            radix, value = wish.most + 1, wish.value
            for edge, weight in found.items():
                found[edge] = weight * radix + value(*edge)
    return found


def best(weights: Mapping[Edge, int]) -> dict[int, int]:
    """Return the partner of each node in a matching of most edges, and then of most weight.

    Raises TooManyWishes.
    """
    if max(weights.values(), default=0).bit_length() > MOST_BITS:
        raise TooManyWishes(f"more criteria than fit into a weight of {MOST_BITS} bits")
    nodes = sorted({node for edge in weights for node in edge})
    index = {node: place for place, node in enumerate(nodes)}
    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from([(index[a], index[b], weight) for (a, b), weight in weights.items()])
    partner = {}
    for one, other in rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int):
        partner[nodes[one]], partner[nodes[other]] = nodes[other], nodes[one]
    return partner
