"""The FIDE Dutch system: the pairs of the next round, for tables of two.

FIDE C.04.3, in force since 1 February 2026. Brackets are paired from the top (article 1.9). In each
bracket the criteria decide as wishes in strict order (``criteria``). Among pairings
that are equal by these, the first in the candidate order of article 3 is chosen.

The handbook finds that pairing by trial. Here it is the only one that remains after each of these
decisions, in this order:

    C4, C5          ``_Round``: that all can be paired, and the score of the bye
    C6 to C21       ``_Pairing._apply_criteria``: 3.4 and 3.8, the best candidate
    4.4, 3.7        which players moved down are paired here (S1), and which float on (the limbo)
    4.2, 3.7        the opponents of these: transpositions of S2
    4.3, 3.6        who of the others are the upper ones of pairs (S1 of the remainder): exchanges
    4.2, 3.6        the opponents of these: transpositions of S2 of the remainder

A number in a bracket (BSN, 4.1) is a place in the order of article 1.2. The handbook calls the
members of a bracket MDPs (here ``moved``) and residents. A player who leaves it is a downfloater.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, groupby, zip_longest

from arena.extensions.rounds.pairing.candidates import Candidate, allocate, candidates, may_meet
from arena.extensions.rounds.pairing.criteria import (
    Bracket,
    Edge,
    Wish,
    behind,
    best,
    best_next,
    fewest_floats,
    fitting,
    longest_played,
    quality,
    weights,
)
from arena.extensions.rounds.pairing.history import Colour, History, Pairs


class NoPairing(Exception):
    """The players cannot all be paired without breaking an absolute criterion: article 1.9.3."""


def pair(history: History, *, colours: bool = True) -> Pairs:
    """Return the pairs of the next round.

    Without ``colours``, C3 and C10 to C13 do not apply, because every match has both seatings.
    Raises NoPairing. Raises TooManyWishes if the criteria of one bracket do not fit into a weight:
    they take less than half of it in rounds where nearly everybody has met.
    """
    field = candidates(history, colours)
    partners = _Round(field).partners()
    found = []
    bye = None
    for upper, lower in partners.items():
        if lower == len(field):
            bye = field[upper].number
        elif upper < lower:
            found.append((field[upper], field[lower]))
    found.sort(key=lambda each: (-each[0].score, -each[1].score, each[0].number))
    return Pairs(tuple(_seated(*each, history.first, colours) for each in found), bye)


def _seated(upper: Candidate, lower: Candidate, first: Colour, colours: bool) -> tuple[int, int]:
    if colours and allocate(upper.due, lower.due, upper.is_odd, first) is Colour.BLACK:
        return lower.number, upper.number
    return upper.number, lower.number


class _Round:
    """The pairing of one round, bracket by bracket (1.3, 1.9). Nodes are places in ``field``."""

    def __init__(self, field: Sequence[Candidate]) -> None:
        self._field = field
        self._bye = len(field) if len(field) % 2 else None
        """Node of the bye, or None if there is no bye."""
        self._edges = [
            (a, b) for a, b in combinations(range(len(field)), 2) if may_meet(field[a], field[b])
        ]
        self._bye_score = self._lowest_bye()

    def partners(self) -> dict[int, int]:
        """Return the partner of each node."""
        found: dict[int, int] = {}
        field = self._field
        floaters: list[int] = []
        groups = [list(group) for _, group in groupby(range(len(field)), lambda n: field[n].score)]
        for residents, following in zip_longest(groups, groups[1:], fillvalue=()):
            bracket = Bracket(field, (*floaters, *residents), len(floaters), tuple(following))
            pairs = _Pairing(bracket, self._open(found), self._bye_score).partners()
            found |= pairs
            floaters = [each for each in bracket.members if each not in pairs]
        for each in floaters:
            found[each] = len(field)
        return found

    def _open(self, found: dict[int, int]) -> list[Edge]:
        return [edge for edge in self._edges if edge[0] not in found and edge[1] not in found]

    def _lowest_bye(self) -> int | None:
        """Check C4, that all can be paired; return the lowest possible score of the bye (C5)."""
        field, bye = self._field, self._bye
        scores = sorted({each.score for each in field}, reverse=True)
        if bye is not None:
            for place, each in enumerate(field):
                if each.may_have_bye:
                    self._edges.append((place, bye))
        rank = {score: place for place, score in enumerate(scores)}

        def low(upper: int, lower: int) -> int:
            return rank[field[upper].score] if lower == bye else 0

        partner = best(weights(self._edges, [Wish(low, len(scores))]))
        if len(partner) < len(field) + len(field) % 2:
            raise NoPairing
        if bye is None:
            return None
        lowest = field[partner[bye]].score
        self._edges = [
            edge for edge in self._edges if edge[1] != bye or field[edge[0]].score == lowest
        ]
        return lowest


class _Pairing:
    """The pairing of one bracket: edges are removed until one matching is left."""

    def __init__(self, bracket: Bracket, edges: Iterable[Edge], bye_score: int | None) -> None:
        self._bracket = bracket
        self._inside = frozenset(bracket.members)
        self._moved = bracket.members[: bracket.moved]
        moved = frozenset(self._moved)  # no two may meet: else a higher bracket had paired them
        self._weights = dict.fromkeys((edge for edge in edges if not moved.issuperset(edge)), 0)
        self._bye_score = bye_score
        self._partner: dict[int, int] = {}
        """Partners in the last matching."""
        self._found: dict[int, int] = {}

    def partners(self) -> dict[int, int]:
        """Return the partner of every member who is paired in this bracket."""
        self._apply_criteria()
        self._settle(self._moved, self._is_paired, self._keep_in_or_out)
        paired = [each for each in self._moved if self._partner[each] in self._inside]
        self._settle(paired, self._opponent, self._take)
        rest = [each for each in self._bracket.residents if each not in self._found]
        upper = self._upper_half(rest)
        self._settle(upper, self._opponent, self._take)
        return self._found

    def _apply_criteria(self) -> None:
        """Apply C6 to C21, which all hold from then on."""
        bracket = self._bracket
        self._grant(fewest_floats(bracket))
        floaters = [each for each in bracket.members if self._partner[each] not in self._inside]
        if floaters:
            self._grant(best_next(bracket, {bracket.field[each].score for each in floaters}))
        closed = self._inside.union(bracket.following if floaters else ())
        if all(self._partner[each] in closed for each in closed):
            self._keep(lambda a, b: a in closed and b in closed)
        has_bye = self._bye_score is not None and self._bye_score >= bracket.score
        if has_bye and len(floaters) == 1:
            self._grant([longest_played(bracket)])
        self._grant(quality(bracket))

    def _grant(self, wishes: Iterable[Wish]) -> None:
        """Maximise each wish as far as earlier wishes allow, and keep that level: 3.8.1."""
        left = [wish for wish in wishes if wish.most]
        while left:
            batch = left[: fitting(self._weights, left)]
            self._partner = best(behind(self._weights, batch))
            kept = []
            for wish in batch:
                fits = wish.edges_left(self._partner)
                if fits is None:
                    kept.append(wish)
                else:
                    self._keep(fits)
            self._weights = behind(self._weights, kept)
            del left[: len(batch)]

    def _settle(
        self,
        items: Iterable[int],
        wish: Callable[[int], Wish],
        decide: Callable[[Sequence[int], Mapping[int, int]], None],
        before: Sequence[Wish] = (),
    ) -> None:
        """Grant the wish of each item if possible, in this order, and decide the item by it.

        ``before``: wishes that come first, and are granted as they would be without the items.
        """
        left = list(items)
        while left:
            trial = behind(self._weights, before)
            wishes = [wish(item) for item in left]
            count = fitting(trial, wishes)
            self._partner = self._found | best(behind(trial, wishes[:count]))
            decide(left[:count], self._partner)
            del left[:count]

    def _keep(self, wanted: Callable[[int, int], bool]) -> None:
        self._weights = {edge: each for edge, each in self._weights.items() if wanted(*edge)}

    def _is_paired(self, member: int) -> Wish:
        return Wish(lambda a, b: a == member and b in self._inside, 1)

    def _keep_in_or_out(self, members: Sequence[int], partner: Mapping[int, int]) -> None:
        """Fix whether each of ``members``, who floated down, is paired here, as in ``partner``.

        Asked one by one from the top, this gives the first of the sets of article 4.4.2.
        """
        is_in = {each: partner[each] in self._inside for each in members}
        self._keep(lambda a, b: a not in is_in or is_in[a] == (b in self._inside))

    def _opponent(self, member: int) -> Wish:
        """Return the wish for the highest ranked opponent.

        Asked one by one from the top, this gives the first of the transpositions of article 4.2.
        """
        near = sorted(b for a, b in self._weights if a == member)
        rank = {each: len(near) - place for place, each in enumerate(near, 1)}
        return Wish(lambda a, b: rank[b] if a == member else 0, len(near) - 1)

    def _take(self, members: Sequence[int], partner: Mapping[int, int]) -> None:
        """Fix the pairs of ``members`` as in the matching ``partner``."""
        for each in members:
            self._found[each] = partner[each]
            self._found[partner[each]] = each
        self._keep(lambda a, b: a not in self._found and b not in self._found)

    def _upper_half(self, rest: Sequence[int]) -> list[int]:
        """Return the upper players of the pairs of one score: S1 after exchanges.

        Article 4.3.2: fewest exchanged, then the smallest sum of differences, then the lowest
        ranked who goes down, then the highest ranked who comes up.
        """
        pairs = sum(self._partner[each] in self._inside for each in rest) // 2
        if not pairs:
            return []
        place = {each: number for number, each in enumerate(rest)}
        inside = self._inside

        def stays(a: int, b: int) -> int:
            return b in inside and a in place and place[a] < pairs

        def low(a: int, b: int) -> int:
            return len(rest) - 1 - place[a] if b in inside and a in place else 0

        fewest = [Wish(stays, pairs), Wish(low, pairs * (len(rest) - 1))]
        partner = best(behind(self._weights, fewest))
        if all(partner[each] in inside and partner[each] > each for each in rest[:pairs]):
            self._keep_halves({each: place[each] < pairs for each in rest})
            self._partner = self._found | partner
            return list(rest[:pairs])

        def exchanged(member: int) -> Wish:
            if place[member] >= pairs:
                return Wish(lambda a, b: a == member and b in inside, 1)
            return Wish(lambda a, b: b == member or (a == member and b not in inside), 1)

        def decide(members: Sequence[int], partner: Mapping[int, int]) -> None:
            self._keep_halves(
                {each: partner[each] in inside and partner[each] > each for each in members}
            )

        order = [*reversed(rest[:pairs]), *rest[pairs:]]
        self._settle(order, exchanged, decide, fewest)
        return [
            each for each in rest if self._partner[each] in inside and self._partner[each] > each
        ]

    def _keep_halves(self, is_upper: Mapping[int, bool]) -> None:
        """Fix for each player whether it is the upper one of a pair of this bracket."""

        def fits(a: int, b: int) -> bool:
            return is_upper.get(a, b in self._inside) == (b in self._inside) and not is_upper.get(
                b, False
            )

        self._keep(fits)
