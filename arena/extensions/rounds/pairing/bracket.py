"""The bracket of two seats: fixed for all rounds beforehand, with one life or two.

A slot is a seed, or the winner or loser of another tie. Byes are slots of seeds that no entrant
has. They advance by themselves, in the losers' bracket too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final, Protocol, TypeAlias

import msgspec

from arena.extensions.rounds.pairing.heats import (
    DecidedBy,
    Event,
    Heats,
    Knockout,
    KnockoutState,
    Tie,
    TieDecision,
    decided,
    seeds,
)
from arena.games.luck import Luck
from arena.schedule.keys import Seeding

FINAL: Final = "final"
SECOND_FINAL: Final = "second final"
THIRD: Final = "third place"


class From(msgspec.Struct, frozen=True):
    """A slot for an entrant that comes from another tie: its winner or its loser."""

    tie: str
    loser: bool = False


Slot: TypeAlias = "int | From"
"""A seed from 1, or the tie that its entrant comes from."""
Layout: TypeAlias = "list[list[tuple[str, Slot, Slot]]]"
"""Ties with their two slots, by round."""


def order(slots: int, seeding: Seeding) -> list[int]:
    """Return seeds from 1 in the order of the bracket; ``slots`` is a power of two.

    Neighbours meet, then winners of neighbours: 1 and 2 can only meet in the final.
    """
    found = [1]
    while len(found) < slots:
        count = 2 * len(found)
        found = [
            each
            for seed in found
            for each in (
                seed,
                count + 1 - seed if seeding is Seeding.STANDARD else seed + count // 2,
            )
        ]
    return found


def first_round(entrants: int, seeding: Seeding) -> list[tuple[int, int]]:
    """Return the pairs of seeds of the first ties; the best seeds have the byes.

    A seed above ``entrants`` is a bye.
    """
    slots = 1 << max(1, (entrants - 1).bit_length())
    if seeding is Seeding.STANDARD:
        return [(seed, slots + 1 - seed) for seed in order(slots // 2, seeding)]
    byes = slots - entrants
    half = slots // 2
    return [
        (seed, entrants + seed if seed <= byes else half + seed - byes)
        for seed in order(half, seeding)
    ]


def state(
    seeds: Sequence[str],
    plan: Knockout,
    results: Mapping[str, Tie],
    withdrawn: Set[str],
) -> KnockoutState:
    """Return the bracket after the decided ties ``results``.

    ``seeds``: two or more entrants, best first. ``withdrawn``: those that play no more.
    """
    return _Bracket(seeds, plan, results, withdrawn).state()


def _single(entrants: int, seeding: Seeding, prefix: str) -> Layout:
    """Return the ties of all rounds of a single elimination; the last round has one tie."""
    rounds: Layout = [
        [
            (f"{prefix}1.{number}", *pair)
            for number, pair in enumerate(first_round(entrants, seeding), 1)
        ]
    ]
    while len(rounds[-1]) > 1:
        before = [tie for tie, _, _ in rounds[-1]]
        number = len(rounds) + 1
        rounds.append(
            [
                (f"{prefix}{number}.{place}", From(one), From(other))
                for place, (one, other) in enumerate(zip(before[::2], before[1::2], strict=True), 1)
            ]
        )
    return rounds


def layout(entrants: int, plan: Knockout) -> Layout:
    """Return every possible tie, round by round."""
    if plan.lives == 1:
        rounds = _single(entrants, plan.seeding, "")
        last = rounds[-1][0]
        rounds[-1] = [(FINAL, *last[1:])]
        if plan.third_place and len(rounds) > 1:
            one, other = rounds[-2]
            rounds[-1].insert(0, (THIRD, From(one[0], True), From(other[0], True)))
        return rounds
    return list(_double(_single(entrants, plan.seeding, "winners ")))


def _double(winners: Layout) -> Iterator[list[tuple[str, Slot, Slot]]]:
    """Yield the rounds of a double elimination.

    The losers of each winners' round meet those left in the losers' bracket. Every other such round
    takes them in reversed order.
    """
    yield winners[0]
    left: list[Slot] = [From(tie, True) for tie, _, _ in winners[0]]
    number = 0

    def among(pairs: Sequence[tuple[Slot, Slot]]) -> list[tuple[str, Slot, Slot]]:
        nonlocal number, left
        number += 1
        ties = [(f"losers {number}.{place}", *pair) for place, pair in enumerate(pairs, 1)]
        left = [From(tie) for tie, _, _ in ties]
        return ties

    if len(left) > 1:
        yield among(list(zip(left[::2], left[1::2], strict=True)))
    for place, ties in enumerate(winners[1:]):
        yield ties
        falling: list[Slot] = [From(tie, True) for tie, _, _ in ties]
        if place % 2 == 0:
            falling.reverse()
        yield among(list(zip(falling, left, strict=True)))
        if len(left) > 1:
            yield among(list(zip(left[::2], left[1::2], strict=True)))
    yield [(FINAL, From(winners[-1][0][0]), left[0])]


def without_byes(entrants: int, plan: Knockout) -> dict[str, tuple[Slot, Slot]]:
    """Return the slots of every tie in which two entrants can meet.

    The slot of an entrant with a bye is replaced by the slot that it came from.
    """
    coming: dict[str, list[Slot]] = {}

    def through(slot: Slot) -> Slot | None:
        if isinstance(slot, int):
            return slot if slot <= entrants else None
        own = coming[slot.tie]
        if len(own) == 2:
            return slot
        return None if slot.loser or not own else own[0]

    for ties in layout(entrants, plan):
        for name, *slots in ties:
            coming[name] = [found for slot in slots if (found := through(slot)) is not None]
    return {name: (own[0], own[1]) for name, own in coming.items() if len(own) == 2}


class _Bracket:
    def __init__(
        self,
        seeds: Sequence[str],
        plan: Knockout,
        results: Mapping[str, Tie],
        withdrawn: Set[str],
    ) -> None:
        self._seeds = seeds
        self._rank = {name: place for place, name in enumerate(seeds)}
        self._plan = plan
        self._results = results
        self._withdrawn = withdrawn
        self._layout = layout(len(seeds), plan)
        self._ties: dict[str, Tie] = {}
        """Ties whose entrants are known; after byes a tie has one entrant or none."""

    def state(self) -> KnockoutState:
        rounds = []
        for slots in self._layout:
            known = (self._tie(*each) for each in slots)
            rounds.append([tie for tie in known if tie is not None])
        final = self._ties.get(FINAL)
        if final is not None and self._is_played_again(final):
            final = self._settled(SECOND_FINAL, final.entrants)
            rounds.append([final])
        third = self._ties.get(THIRD)
        ends = [tie for tie in (third, final) if tie is not None]
        is_over = all(tie.by for ties in rounds for tie in ties) and final is not None
        winner = final.order[0] if is_over and final is not None and final.order else None
        shown = tuple(tuple(each) for each in rounds if each)
        return KnockoutState(shown, self._places(ends), is_over, winner)

    def _is_played_again(self, final: Tie) -> bool:
        """Return whether the finalist without a loss has lost the final and has a life left."""
        once_lost = self._layout[-1][-1][2]
        return (
            self._plan.lives == 2
            and self._plan.second_final
            and final.by in (DecidedBy.PLAY, DecidedBy.SEED)
            and isinstance(once_lost, From)
            and final.order[0] == self._left_by(once_lost)
        )

    def _tie(self, name: str, one: Slot, other: Slot) -> Tie | None:
        """Return a tie, or None as long as its entrants are not known."""
        entrants = []
        for slot in (one, other):
            if isinstance(slot, int):
                if slot <= len(self._seeds):
                    entrants.append(self._seeds[slot - 1])
            elif slot.tie not in self._ties or self._ties[slot.tie].by is None:
                return None
            elif (found := self._left_by(slot)) is not None:
                entrants.append(found)
        entrants.sort(key=self._rank.__getitem__)
        self._ties[name] = self._settled(name, tuple(entrants))
        return self._ties[name]

    def _settled(self, name: str, entrants: tuple[str, ...]) -> Tie:
        """Return the tie ``name``; with its order if it was played or needs no play."""
        if name in self._results:
            return self._results[name]
        there = tuple(each for each in entrants if each not in self._withdrawn)
        if len(there) > 1:
            return Tie(name, entrants)
        gone = tuple(each for each in entrants if each in self._withdrawn)
        return Tie(name, entrants, (*there, *gone) if there else (), DecidedBy.WALKOVER)

    def _left_by(self, slot: From) -> str | None:
        """Return the entrant of ``slot``, whose tie is decided; None for a bye."""
        came = self._ties[slot.tie].order
        return came[slot.loser] if len(came) > slot.loser else None

    def _places(self, ends: Sequence[Tie]) -> dict[str, int]:
        """Return the places of entrants that are out, by the rounds that are decided.

        ``ends``: the ties of the final places.
        """
        found: dict[str, int] = {}
        left = set(self._seeds)
        done: set[str] = set()
        for number, ties in enumerate(self._layout[:-1], 1):
            names = [name for name, _, _ in ties]
            if not all(name in self._ties and self._ties[name].by for name in names):
                return found
            done.update(names)
            staying = {
                came
                for later in self._layout[number:]
                for _, *slots in later
                for slot in slots
                if isinstance(slot, From) and slot.tie in done
                if (came := self._left_by(slot)) is not None
            }
            found |= dict.fromkeys(sorted(left - staying), len(staying) + 1)
            left = staying
        for tie in ends:
            first = 3 if tie.id == THIRD else 1
            if tie.order:
                found |= {name: first + place for place, name in enumerate(tie.order)}
            elif tie.by:
                found |= dict.fromkeys(tie.entrants, first)
        return found


class KnockoutProgress(Protocol):
    """A knockout in progress."""

    @property
    def state(self) -> KnockoutState:
        """Current state."""

    def apply(self, event: Event) -> None:
        """Apply one event. Raises ValueError if its tie is not open, or for an unknown name."""

    def leave(self, names: Sequence[str]) -> None:
        """Withdraw all ``names`` at the same time: none advances because another one left."""

    def retire(self, names: Sequence[str]) -> None:
        """Give ``names`` no seat at new tables before they ``leave``. No effect at two seats."""


def begun(names: Sequence[str], plan: Knockout, luck: Luck) -> KnockoutProgress:
    """Return the knockout before any event; ``names``: distinct, best seeds first."""
    order = seeds(names, plan, luck)
    return Heats(order, plan) if plan.seats > 2 else _Course(order, plan)


class _Course:
    """A bracket in progress."""

    def __init__(self, order: Sequence[str], plan: Knockout) -> None:
        self._order = order
        self._plan = plan
        self._decided: dict[str, Tie] = {}
        self._withdrawn: set[str] = set()
        self.state = self._look()

    def apply(self, event: Event) -> None:
        if isinstance(event, TieDecision):
            tie = next((each for each in self.state.open if each.id == event.tie), None)
            if tie is None:
                raise ValueError(f"the tie {event.tie} is not open")
            self._decided[tie.id] = decided(tie, event.numbers)
            self.state = self._look()
        else:
            self.leave([event.name])

    def leave(self, names: Sequence[str]) -> None:
        for name in names:
            if name not in self._order:
                raise ValueError(f"{name} is not in this knockout")
        self._withdrawn.update(names)
        self.state = self._look()

    def retire(self, names: Sequence[str]) -> None:
        """Do nothing: a bracket assigns every place at the start."""

    def _look(self) -> KnockoutState:
        """Return the current state, and keep its walkovers even if others withdraw later."""
        now = state(self._order, self._plan, self._decided, self._withdrawn)
        ties = (tie for each in now.rounds for tie in each)
        self._decided |= {tie.id: tie for tie in ties if tie.by is DecidedBy.WALKOVER}
        return now
