"""Groups: who is in which one, and in which order those who advance are seeded.

``drawn`` distributes seeds over groups. There are as few groups as can hold everybody, and their
sizes differ by at most one.

``crossed`` orders those who advance as seeds of the next stage: all winners, then all second ones,
and so on. Winners are in the order of their groups. Those of each other rank are placed where they
meet earlier ones of their group as late as possible; among equal places, against the winner of the
partner group: B for A, D for C. With 8 groups of which 2 advance this gives the round of 16 of
FIFA's World Cups from 1998 to 2022: 1A v 2B, 1B v 2A and so on, where 1A and 2A can only meet again
in the final.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from arena.extensions.rounds.pairing.bracket import first_round
from arena.games.luck import Luck
from arena.schedule.keys import GroupDraw, Seeding

_LETTERS = 26


def letter(group: int) -> str:
    """Return the name of a group, by its number from 0: A to Z, then AA, AB and so on."""
    more, own = divmod(group, _LETTERS)
    return (letter(more - 1) if more else "") + chr(ord("A") + own)


def group_count(entrants: int, of: int) -> int:
    """Return the number of groups."""
    return max(1, -(-entrants // of))


def drawn(
    names: Sequence[str], of: int, draw: GroupDraw | None, luck: Luck
) -> list[tuple[str, ...]]:
    """Return the groups, each with its best seed first.

    ``names``: best seeds first. ``of``: size of the largest groups.
    """
    count = group_count(len(names), of)
    groups: list[list[str]] = [[] for _ in range(count)]
    for pot in range(-(-len(names) // count)):
        own = tuple(names[pot * count : (pot + 1) * count])
        places = list(range(count))
        if draw is GroupDraw.SEEDED:
            own = luck.shuffle("groups", pot, own)
        elif pot % 2:
            places.reverse()
        for place, name in zip(places, own, strict=False):
            groups[place].append(name)
    return [*map(tuple, groups)]


def crossed(groups: Sequence[Sequence[str]], seeding: Seeding) -> list[str]:
    """Return those who advance as seeds of a bracket, best first.

    ``groups``: those of each group, the winner first.
    """
    order = _order(tuple(map(len, groups)), seeding)
    return [groups[group][rank] for group, rank in order]


@lru_cache(maxsize=64)
def _order(sizes: tuple[int, ...], seeding: Seeding) -> tuple[tuple[int, int], ...]:
    """Return group and rank of each seed; ``sizes``: how many of each group advance."""
    ties = first_round(sum(sizes), seeding)
    tie_of = {seed: place for place, pair in enumerate(ties) for seed in pair}
    found: dict[int, tuple[int, int]] = {}
    places: list[list[int]] = [[] for _ in sizes]
    """Ties of the first round in which each group has members."""

    def wish(group: int, seed: int) -> tuple[int, bool, int]:
        """Return a key: meet the own group late, then sit opposite the partner's winner."""
        own = tie_of[seed]
        late = min(((own ^ place).bit_length() for place in places[group]), default=0)
        partner = places[group ^ 1][:1] if group ^ 1 < len(sizes) else []
        return -late, own not in partner, seed

    for rank in range(max(sizes, default=0)):
        there = [group for group, size in enumerate(sizes) if size > rank]
        seeds = range(len(found) + 1, len(found) + len(there) + 1)
        chosen = dict(zip(there, seeds, strict=True))
        if rank:
            wishes = {group: sorted(wish(group, seed) for seed in seeds) for group in there}
            pairs = wishes.items()
            worst = sorted({late for own in wishes.values() for late, *_ in own})
            allowed = (
                {group: [seed for late, _, seed in own if late <= bound] for group, own in pairs}
                for bound in worst
            )
            chosen = next(filter(None, map(_matched, allowed)))
        for group, seed in chosen.items():
            found[seed] = group, rank
            places[group].append(tie_of[seed])
    return tuple(found[seed] for seed in sorted(found))


def _matched(choices: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """Return one of its ``choices`` for each, all different; empty if that is impossible.

    Each gets its first choice if that is free, else others give way by a shortest augmenting path
    (Kuhn's algorithm).
    """
    chosen: dict[int, int] = {}
    holders: dict[int, int] = {}
    for newcomer in choices:
        asked: dict[int, int] = {}
        """The one that would take a choice, by choice."""
        queue = [newcomer]
        free = None
        for each in queue:
            for choice in choices[each]:
                if choice not in asked:
                    asked[choice] = each
                    if choice not in holders:
                        free = choice
                        break
                    queue.append(holders[choice])
            if free is not None:
                break
        while free is not None:
            each = asked[free]
            before = chosen.get(each)
            chosen[each], holders[free] = free, each
            free = before
        if newcomer not in chosen:
            return {}
    return chosen
