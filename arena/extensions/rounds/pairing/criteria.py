"""The quality criteria of the Dutch system, as wishes for the edges of one bracket.

Handbook C.04.3 (2026), article 2.4, C6 to C21. Each criterion is a quantity to be maximised. The
players of a bracket are fixed, so "should not float" becomes "should be paired". Nodes are places
in the order of rank.

Wishes in strict order are paired by a maximum weight matching with one number per edge. The
matching is rustworkx's, whose weights are 128-bit integers. Wishes are combined into one number by
a mixed radix as small as their bounds allow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, TypeAlias

import msgspec

from arena.extensions.rounds.pairing.candidates import Candidate, Due, Float, Strength, clash

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
    import rustworkx  # slow, and only Swiss rounds need it

    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from([(index[a], index[b], weight) for (a, b), weight in weights.items()])
    partner = {}
    for one, other in rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int):
        partner[nodes[one]], partner[nodes[other]] = nodes[other], nodes[one]
    return partner


class Bracket(msgspec.Struct, frozen=True):
    """A bracket: the players who are paired with each other first, and the bracket after it."""

    field: Sequence[Candidate]
    """All players of the round in the order of rank; the node after them is the bye."""
    members: tuple[int, ...]
    """Players who floated down to this bracket, then the residents."""
    moved: int
    """Number of players who floated down."""
    following: tuple[int, ...]
    """Residents of the next bracket."""

    @property
    def score(self) -> int:
        """Score of the residents."""
        return self.field[self.members[-1]].score

    @property
    def residents(self) -> tuple[int, ...]:
        """Players who have the bracket's score."""
        return self.members[self.moved :]

    def is_inside(self, _upper: int, lower: int) -> bool:
        """Return whether a pair lies in this bracket."""
        return lower <= self.members[-1]

    def is_next(self, _upper: int, lower: int) -> bool:
        """Return whether a pair lies in the next bracket."""
        return bool(self.following) and self.members[-1] < lower <= self.following[-1]

    def classes(self) -> dict[int, frozenset[int]]:
        """Return the members with each score, highest first."""
        groups = groupby(self.members, lambda each: self.field[each].score)
        return {score: frozenset(group) for score, group in groups}

    def higher_classes(self) -> dict[int, frozenset[int]]:
        """Return the classes of the players who floated down to this bracket."""
        return {score: group for score, group in self.classes().items() if score > self.score}


def fewest_floats(bracket: Bracket) -> Iterator[Wish]:
    """Yield C6 and C7: most pairs, and low scores of those who float."""
    members = frozenset(bracket.members)
    yield Wish(lambda a, b: 2 * bracket.is_inside(a, b), len(members), members)
    for group in bracket.higher_classes().values():
        yield _uppermost(group, bracket.is_inside)


def best_next(bracket: Bracket, floating: Container[int]) -> Iterator[Wish]:
    """Yield C8: C6 and C7 hold as well as possible in the next bracket.

    ``floating``: the scores of members who float.
    """
    classes = {score: group for score, group in bracket.classes().items() if score in floating}
    following = len(bracket.following)
    floaters = sum(map(len, classes.values()))
    yield Wish(bracket.is_next, min(following, (following + floaters) // 2))
    if following:
        for group in classes.values():
            yield _uppermost(group, bracket.is_next)


def longest_played(bracket: Bracket) -> Wish:
    """Return C9: the bye goes to the player with the fewest unplayed games."""
    field = bracket.field
    played = [field[each].games for each in bracket.members]
    fewest = min(played)

    def value(upper: int, lower: int) -> int:
        return field[upper].games - fewest if lower == len(field) else 0

    return Wish(value, max(played) - fewest)


def quality(bracket: Bracket) -> Iterator[Wish]:
    """Yield C10 to C21, with no effect (``most`` 0) where they do not apply."""
    pairs = len(bracket.members) // 2
    for is_spoiled in (_is_too_uneven, _is_thrice, clash, _is_strong_clash):
        yield Wish(_harmony(bracket, is_spoiled), pairs if _any(bracket, is_spoiled) else 0)
    residents = frozenset(bracket.residents)
    fell = [_floated(bracket, back, Float.DOWN) for back in (0, 1)]
    rose = [_floated(bracket, back, Float.UP) & residents for back in (0, 1)]
    for back in (0, 1):
        yield _paired(bracket, fell[back] & residents)
        yield _not_risen(bracket, rose[back])
    classes = bracket.higher_classes().values()
    for back in (0, 1):
        for group in classes:
            yield _paired(bracket, fell[back] & group)
        for group in classes:
            yield _not_raising(bracket, rose[back], group)


def _floated(bracket: Bracket, back: int, way: Float) -> frozenset[int]:
    """Return the members who floated in the direction ``way``, ``back`` rounds before the last."""
    return frozenset(each for each in bracket.members if bracket.field[each].floats[back] is way)


def _uppermost(group: frozenset[int], counts: Callable[[int, int], bool]) -> Wish:
    """Return the wish that members of ``group`` are the upper one of a counted pair."""
    return Wish(lambda a, b: a in group and counts(a, b), len(group), group)


def _harmony(bracket: Bracket, is_spoiled: Callable[[Due, Due], bool]) -> Callable[[int, int], int]:
    """Return a function that is 1 for a pair of the bracket unless ``is_spoiled`` holds for it."""
    field = bracket.field

    def value(upper: int, lower: int) -> int:
        return bracket.is_inside(upper, lower) and not is_spoiled(
            field[upper].due, field[lower].due
        )

    return value


def _any(bracket: Bracket, is_spoiled: Callable[[Due, Due], bool]) -> bool:
    """Return whether ``is_spoiled`` holds for any two members."""
    dues = {bracket.field[each].due for each in bracket.members}
    counts = Counter(bracket.field[each].due for each in bracket.members)
    return any(
        is_spoiled(one, other) for one in dues for other in dues if one != other or counts[one] > 1
    )


def _is_too_uneven(one: Due, other: Due) -> bool:
    """Return whether C10 is broken: one of the two gets a colour difference of three."""
    return clash(one, other) and min(one.imbalance, other.imbalance) > 1


def _is_thrice(one: Due, other: Due) -> bool:
    """Return whether C11 is broken: one of the two gets a colour three times in a row."""
    if not clash(one, other) or min(one.strength, other.strength) < Strength.ABSOLUTE:
        return False
    if one.imbalance == other.imbalance:
        return one.repeated is not None and one.repeated is other.repeated
    loser = one if one.imbalance < other.imbalance else other
    return loser.repeated is not None and loser.repeated is not loser.colour


def _is_strong_clash(one: Due, other: Due) -> bool:
    """Return whether C13 is broken: one of the two is denied a colour it is strongly due."""
    weaker, stronger = sorted((one.strength, other.strength))
    return (
        clash(one, other)
        and weaker >= Strength.STRONG
        and (weaker, stronger) != (Strength.ABSOLUTE,) * 2
    )


def _paired(bracket: Bracket, wanted: frozenset[int]) -> Wish:
    """Return C14, C16, C18 or C20: those who floated down are paired here."""

    def value(upper: int, lower: int) -> int:
        if not bracket.is_inside(upper, lower):
            return 0
        return (upper in wanted) + (lower in wanted)

    return Wish(value, len(wanted), wanted)


def _not_risen(bracket: Bracket, rose: frozenset[int]) -> Wish:
    """Return C15 or C17: those who floated up do not meet one who floated down to here."""
    moved = frozenset(bracket.members[: bracket.moved])
    return Wish(
        lambda a, b: (a in rose) + (b in rose and a not in moved), len(rose) if moved else 0, rose
    )


def _not_raising(bracket: Bracket, rose: frozenset[int], group: frozenset[int]) -> Wish:
    """Return C19 or C21: members of ``group`` do not meet one who floated up."""
    return Wish(lambda a, b: a in group and b not in rose, len(group) if rose else 0, group)
