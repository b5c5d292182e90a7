"""Pairs by several wishes in strict order: a maximum weight matching of one number per edge.

The matching is rustworkx's, whose weights are machine integers of 128 bits. Wishes are put into
one number by a mixed radix as small as their bounds allow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec
import rustworkx

Edge: TypeAlias = tuple[int, int]
"""Two nodes, the smaller first."""

MOST_BITS: Final = 122
"""Of a weight: the algorithm adds and doubles weights."""


class Wish(msgspec.Struct, frozen=True):
    """Something of which there should be as much as possible."""

    value: Callable[[int, int], int]
    """Of an edge, 0 or above."""
    most: int
    """No matching has more of it in all; 0: it says nothing."""
    owners: frozenset[int] = frozenset()
    """Nodes that can add one each if nobody else can add anything; else nobody."""

    def edges_left(self, partner: Mapping[int, int]) -> Callable[[int, int], bool] | None:
        """Which edges can be in a matching with as much of it as this one has.

        None: that cannot be told of single edges.
        """
        total = sum(self.value(a, b) for a, b in partner.items() if a < b)
        if total == 0:
            return lambda a, b: self.value(a, b) == 0
        if total == len(self.owners):
            owners = self.owners
            return lambda a, b: self.value(a, b) == (a in owners) + (b in owners)
        return None


class TooManyWishes(Exception):
    """Their bounds do not fit into a weight; the message says into which."""


def fitting(weights: Mapping[Edge, int], wishes: Sequence[Wish]) -> int:
    """How many of the wishes can be put behind the weights at once; at least one."""
    bits = max(weights.values(), default=0).bit_length()
    for count, wish in enumerate(wishes):
        bits += wish.most.bit_length()
        if bits > MOST_BITS:
            return max(1, count)
    return len(wishes)


def weights(edges: Iterable[Edge], wishes: Iterable[Wish]) -> dict[Edge, int]:
    """One number for each edge; the first wish counts before all others, and so on."""
    return behind(dict.fromkeys(edges, 0), wishes)


def behind(weights: Mapping[Edge, int], wishes: Iterable[Wish]) -> dict[Edge, int]:
    """The weights with more wishes, which count after those they have."""
    found = dict(weights)
    for wish in wishes:
        if wish.most > 0:
            radix, value = wish.most + 1, wish.value
            for edge, weight in found.items():
                found[edge] = weight * radix + value(*edge)
    return found


def best(weights: Mapping[Edge, int]) -> dict[int, int]:
    """The partner of each node, in a matching of most edges and of these one of most weight.

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
