"""Derive the games of a tournament: a pure function of its disciplines and the seed.

Games are numbered discipline by discipline. Within one, block b is deal ``b // pairings`` of
pairing ``b % pairings``, so every pairing has met k times before any meets k+1 times. The
disciplines take turns, so a partial table is fair. A block plays one deal in several seatings. With
one seat, a block is all entrants, each alone with the same deal. A pass is all pairings of a
discipline on one deal each; within a pass, ``handout`` may play them in another order. A shard has
some of the blocks, with the numbers that they have in the whole.

A schedule grows by rounds. Later rounds have numbers after all earlier ones, so no game of an
earlier round ever changes its place. A leg is a group of consecutive rounds. All earlier games have
ended before it begins, and games played after it do not change it.
"""

from __future__ import annotations

import heapq
import itertools
from bisect import bisect_right
from collections.abc import Callable, Collection, Container, Iterator, Sequence, Set
from copy import copy
from operator import itemgetter
from typing import Final, NamedTuple

import msgspec

from arena.schedule.keys import Discipline
from arena.schedule.kinds.registry import kind_of, pairings, seatings
from arena.schedule.pairings import WHOLE, Pairing, Shard, ShardPairings
from arena.schedule.seeds import Chance, Seeds
from arena.values.results import DISCIPLINE_JOINT, ID_JOINT, GameSpec

NAME_JOINT: Final = "+"
"""Occurs in no name, so ids cannot collide."""
_ALL: Final = "all"
"""Group name in the block ids of a discipline with one seat."""


class Block(msgspec.Struct, frozen=True):
    """Games of one deal and one set of entrants, to be played by one worker."""

    block: str
    games: tuple[GameSpec, ...]
    chance: Chance | None = None
    """Derived randomness for a worker without the seed; None: the worker has the seed."""
    learned: tuple[tuple[str, tuple[bytes, str]], ...] = ()
    """Players with the archives of what they learnt in earlier rounds, packed, and the digests."""


class Round(NamedTuple):
    """Entrants and pairings that are added to a schedule at one time."""

    disciplines: tuple[Discipline, ...]
    """Some or all disciplines of the schedule, by name, with the added entrants and pairings."""
    seeds: Seeds
    """Seeds of the deals; disciplines with one seat keep the deals of the first round instead."""
    label: str = ""
    """Label in the ids of its games, because the same entrants may meet in several rounds."""
    closes: frozenset[str] | None = None
    """Where the round begins a leg, the entrants that had left by then; otherwise None.

    Games that they had not played are never played, even if they return. None: games of earlier
    rounds may still be played.
    """
    forfeits: frozenset[str] = frozenset()
    """Entrants that leave now and forfeit their unplayed games of the leg.

    These games are never played, even if the entrants return.
    """


class Schedule:
    """All games of a tournament, or of one shard of it."""

    def __init__(
        self,
        disciplines: Sequence[Discipline],
        seeds: Seeds,
        shard: Shard = WHOLE,
        later: Sequence[Round] = (),
        left: Set[str] = frozenset(),
    ) -> None:
        """``later``: the rounds after the first, without shards. ``left``: see the attribute."""
        self.left: Final = left
        """Entrants that have left; games that they have not played are no longer planned."""
        self._rounds: list[list[_DisciplineRound]] = []
        self._legs: list[tuple[int, int]] = [(0, 0)]
        """Number of rounds and of game numbers before each leg."""
        self._parts: list[_DisciplineRound] = []
        """Parts in the order of their numbers."""
        self._starts: list[int] = []
        """Number of the first game of each part."""
        self._labelled: dict[str, range] = {}
        self._by_name: dict[str, list[_DisciplineRound]] = {each.name: [] for each in disciplines}
        self._places: dict[str, tuple[int, _DisciplineRound]] = {}
        """Number of the first game by discipline and group, as ids begin."""
        self._is_whole = shard.of == 1
        self.numbers = 0
        """Exclusive upper bound of all game numbers of the tournament."""
        self.games = 0
        """Number of planned games, including those never played because an entrant has left."""
        due = 0
        for discipline in disciplines:
            part = _DisciplineRound(discipline, seeds, shard, due, self.numbers)
            due = part.dealt.due_next
            self._add(part)
        self._rounds.append([part for part in self._parts if part.pairings])
        self._seeds = seeds
        for each in later:
            self.grow(each)

    def grow(self, later: Round) -> None:
        """Add a round; existing games keep their numbers and their place in the order."""
        if gone := later.forfeits | (later.closes or frozenset()):
            for part in itertools.chain.from_iterable(self._rounds[self._legs[-1][0] :]):
                part.left = part.left | gone if part.left else gone
        if later.closes is not None:
            self._legs.append((len(self._rounds), self.numbers))
        parts = [self._later(discipline, later) for discipline in later.disciplines]
        self._rounds.append(parts)

    def _later(self, discipline: Discipline, own: Round) -> _DisciplineRound:
        seeds = self._seeds if discipline.rules.seats == 1 else own.seeds
        part = _DisciplineRound(discipline, seeds, WHOLE, 0, self.numbers, own)
        self._add(part)
        return part

    @property
    def rounds(self) -> int:
        """Number of rounds, the first included."""
        return len(self._rounds)

    @property
    def away(self) -> Set[str]:
        """Entrants that may have games that are no longer planned."""
        return frozenset(self.left).union(*(part.left for part in self._parts))

    def start_of(self, added: int) -> int:
        """Return the number of the first game of round ``added`` (from 0), if it has any."""
        parts = self._rounds[added]
        return parts[0].start if parts else self.numbers

    def legs(self) -> Iterator[tuple[int, Iterator[tuple[int, Pairing]]]]:
        """Yield the number of each leg's first game, and its games as ``order`` yields them."""
        ends = [rounds for rounds, _ in self._legs[1:]]
        for (since, start), end in zip(self._legs, [*ends, self.rounds], strict=True):
            yield start, self.order(since, end)

    def leg_of(self, number: int) -> int:
        """Return the number of the first game of the leg that contains game ``number``."""
        return self._legs[bisect_right(self._legs, number, key=itemgetter(1)) - 1][1]

    def gone(self, number: int, names: Pairing) -> list[str]:
        """Return the entrants of a game that have left, for good or for its round.

        If there are any, the game is no longer planned unless it was played.
        """
        own = self._part_at(number).left
        return [name for name in names if name in self.left or name in own]

    def was_gone(self, number: int, names: Pairing) -> bool:
        """Return whether any of ``names`` had left for good by the end of the leg of the game."""
        return not self._part_at(number).left.isdisjoint(names)

    def numbers_by_round(self) -> list[range]:
        """Return the numbers of the games of each round that has games, in order."""
        spans = [(parts[0].start, parts[-1]) for parts in self._rounds if parts]
        return [range(start, last.start + last.numbers) for start, last in spans]

    def numbers_of(self, label: str) -> range:
        """Return the numbers of the games of the round with that label, see ``Round``."""
        return self._labelled.get(label, range(0))

    def round_of(self, number: int) -> range:
        """Return the numbers of all games of the results-based round with game ``number``."""
        return self.numbers_of(self._part_at(number).label)

    def _add(self, part: _DisciplineRound) -> None:
        others = self._by_name[part.name]
        if others and not part.is_solo:
            part.blocks_before = (
                others[-1].blocks_before + others[-1].numbers // others[-1].seatings
            )
        self._parts.append(part)
        self._starts.append(part.start)
        others.append(part)
        if part.pairings:
            own = self._labelled.get(part.label, range(part.start, part.start))
            self._labelled[part.label] = range(own.start, part.start + part.numbers)
        self._places |= part.places(self.numbers)
        self.numbers += part.numbers
        self.games += part.games_within(part.deals)

    def pairings(self, discipline: str) -> int:
        """Return the number of pairings of a discipline, over all rounds."""
        return sum(len(part.pairings) for part in self._by_name[discipline])

    def _part_at(self, number: int) -> _DisciplineRound:
        """Return the part that contains game ``number``."""
        return self._parts[bisect_right(self._starts, number) - 1]

    def seatings(self, discipline: str) -> int:
        """Return the number of games of a block in the discipline's first round."""
        return self._by_name[discipline][0].seatings

    def games_of(self, discipline: str) -> int:
        """Return the number of planned games of a discipline, see ``games``."""
        return sum(part.games_within(part.deals) for part in self._by_name[discipline])

    def discipline_of(self, number: int) -> str:
        """Return the name of a game's discipline."""
        return self._part_at(number).name

    def place(self, number: int) -> tuple[int, int]:
        """Return the number of a game's block in the discipline, and the deal of its pairing.

        Both count from 0. In disciplines with one seat they are equal, in every round.
        """
        part = self._part_at(number)
        block = (number - part.start) // part.seatings
        deal = block // len(part.pairings)
        return block + part.blocks_before, deal

    def block(self, number: int) -> range:
        """Return the numbers of all games of the block that contains game ``number``."""
        part = self._part_at(number)
        first = number - (number - part.start) % part.seatings
        return range(first, first + part.seatings)

    def games_within(self, deals: int) -> int:
        """Return the number of games in the first ``deals`` of every discipline."""
        return sum(part.games_within(min(deals, part.deals)) for part in self._parts)

    def is_within(self, number: int, deals: int) -> bool:
        """Return whether a game belongs to the first ``deals`` of its discipline."""
        part = self._part_at(number)
        return number - part.start < part.block_games * deals

    def games_with(self, names: Collection[str], discipline: str | None = None) -> int:
        """Return the number of games, of one discipline or of all, with any of these entrants."""
        parts = self._parts if discipline is None else self._by_name[discipline]
        return sum(part.games_with(names) for part in parts) if names else 0

    def seeds_at(self, number: int) -> Seeds:
        """Return the seeds of a game."""
        return self._part_at(number).seeds

    def given_up(
        self, done: Container[int], without: Set[str], discipline: str | None = None
    ) -> int:
        """Return the number of games that are never played because an entrant has left.

        ``done``: the numbers of the games that were played before the entrant left. Games with
        entrants in ``without`` are not counted.
        """
        if not self.away - without:
            return 0
        parts = self._parts if discipline is None else self._by_name[discipline]
        return sum(
            1
            for part in parts
            for cycle in range(part.deals)
            for number, names in SchedulePass(part, cycle).order()
            if number not in done
            and not (self.left.isdisjoint(names) and part.left.isdisjoint(names))
            and without.isdisjoint(names)
        )

    def blocks(
        self,
        done: Container[int] = (),
        without: Callable[[], Set[str]] = frozenset,
        deals: int | None = None,
    ) -> Iterator[Block]:
        """Yield blocks in order of play, with the games whose numbers are not in ``done``.

        Games of entrants in ``without()`` are left out; it is called before each block. Deals after
        the first ``deals`` of every discipline are left out too.
        """
        for each in self.passes(deals):
            for pairing in each.own:
                if (block := each.block(pairing, done, without)) is not None:
                    yield block

    def passes(
        self, deals: int | None = None, since: int = 0, end: int | None = None
    ) -> Iterator[SchedulePass]:
        """Yield passes (all pairings of a discipline on one deal each) in order of play.

        ``deals`` limits those of each discipline, because a match may have a million more. Rounds
        are those that exist when the first pass is requested, without the first ``since`` and those
        from ``end`` on.
        """
        for parts in self._rounds[since:end]:
            turns = [part.turns(rank, deals) for rank, part in enumerate(parts)]
            for _, _, cycle, part in heapq.merge(*turns):
                yield SchedulePass(part, cycle)

    def order(self, since: int = 0, end: int | None = None) -> Iterator[tuple[int, Pairing]]:
        """Yield the number and the entrants of every game in order of play.

        Entrants are in no order of seats. The first ``since`` rounds and those from ``end`` on are
        left out. The order does not depend on the seed.
        """
        for each in self.passes(None, since, end):
            yield from each.order()

    def number(self, game_id: str) -> int | None:
        """Return the number of a planned game, from 0; None if it is not planned."""
        try:
            group, cycle, seating = game_id.rsplit(ID_JOINT, 2)
            place, part = self._places[group]
            if cycle != part.cycle:
                part.turn_to(cycle)
            number = place + part.cycle_first + part.seating_numbers[seating]
        except (ValueError, KeyError):
            return None
        return number if self._is_whole or self._is_own(number) else None

    def _is_own(self, number: int) -> bool:
        """Return whether a game belongs to this shard."""
        part = self._part_at(number)
        return part.has(number - part.start)

    def is_elsewhere(self, game_id: str) -> bool:
        """Return whether a game belongs to another shard."""
        everywhere = copy(self)
        everywhere._is_whole = True
        return self.number(game_id) is None and everywhere.number(game_id) is not None

    def game(self, game_id: str) -> GameSpec | None:
        """Return the planned game with the id ``game_id``, or None."""
        number = self.number(game_id)
        if number is None:
            return None
        return self.game_at(number)

    def game_at(self, number: int) -> GameSpec:
        """Return the game of that number."""
        part = self._part_at(number)
        return part.game(number - part.start)


class SchedulePass:
    """One deal of every pairing of a discipline."""

    def __init__(self, part: _DisciplineRound, cycle: int) -> None:
        self.discipline = part.name
        self.pairings = part.pairings
        """Pairings by number, in order of play."""
        self.seatings = part.seatings
        """Number of games of a block."""
        self.own = part.own(cycle)
        """Numbers of the pairings that are played."""
        self.first = part.start
        """Number of the first game of its discipline and round."""
        self._part = part
        self._cycle = cycle

    def order(self) -> Iterator[tuple[int, Pairing]]:
        """Yield its games as ``Schedule.order`` does."""
        seated = self._part.seated
        for pairing in self.own:
            for game, number in enumerate(self.games(pairing)):
                yield number, seated(pairing, game)

    def games(self, pairing: int) -> range:
        """Return the numbers of the games of a block."""
        first = self._part.start + self._part.first(self._cycle, pairing)
        return range(first, first + self.seatings)

    def seated(self, pairing: int, game: int) -> Pairing:
        """Return the entrants of a game of a block, in no order of seats."""
        return self._part.seated(pairing, game)

    def block(
        self, pairing: int, done: Container[int], without: Callable[[], Set[str]] = frozenset
    ) -> Block | None:
        """Return the block of ``pairing`` as ``Schedule.blocks`` does; None if no game remains."""
        if pairing not in self.own:
            return None
        part, numbers = self._part, self.games(pairing)
        wanted = [k for k, number in enumerate(numbers) if number not in done]
        if wanted and (out := part.left | without()):
            wanted = [k for k in wanted if out.isdisjoint(part.seated(pairing, k))]
        if not wanted:
            return None
        block, games = part.block(self._cycle, pairing)
        left = tuple(games[k] for k in wanted)
        return Block(block, left, part.seeds.chance(left) if part.brings_chance else None)


class _DisciplineRound:
    """The games of one discipline in one round, numbered from 0."""

    def __init__(
        self,
        discipline: Discipline,
        seeds: Seeds,
        shard: Shard,
        due: int,
        start: int,
        later: Round | None = None,
    ) -> None:
        """``due``: as for ``ShardPairings``. ``start``: the schedule's number of its first game.

        ``later``: the round of this part, None for the first round. Workers have only the seed of
        the first round.
        """
        seats, plan = discipline.rules.seats, discipline.schedule
        self.name = discipline.name
        self.start = start
        self.blocks_before = 0
        """Number of its discipline's blocks in earlier rounds; 0 with one seat."""
        self.brings_chance = later is not None
        self.left: Set[str] = frozenset()
        """Entrants whose remaining games in this part are never played."""
        self.label = "" if later is None else later.label
        self.seeds = seeds
        self.deals = plan.deals
        self.pairings = pairings(discipline.entrants, seats, plan)
        self.is_solo = seats == 1
        self._seats = seats
        self._plan = plan
        self.seatings = seatings(len(discipline.entrants), seats, plan)
        self.block_games = len(self.pairings) * self.seatings
        """Number of games of one deal of every pairing."""
        self.numbers = self.deals * self.block_games
        """Number of game numbers, including games of other shards."""
        self.dealt = ShardPairings(shard, due, len(self.pairings), self.deals)
        self.own = self.dealt.pairings
        """Function from a cycle to the pairings that are played, in order."""
        self._shards = shard.of
        own = self.label and f"{self.label}{DISCIPLINE_JOINT}"
        self._prefix = f"{discipline.name}{DISCIPLINE_JOINT}{own}"
        self._group_games = 1 if self.is_solo else self.seatings
        self.seating_numbers = {str(seating): seating for seating in range(self._group_games)}
        """Numbers of the games of a group in a cycle, by their text in ids."""
        self.cycle = ""
        """Most recent cycle, as in ids; most ids have the same cycle as the id before."""
        self.cycle_first = 0
        """Number of the first game of ``cycle``."""

    def places(self, start: int) -> dict[str, tuple[int, _DisciplineRound]]:
        """Return places as ``Schedule`` keeps them; ``start``: the number of the first game."""
        groups = [(n,) for n in self.pairings[0]] if self.is_solo else self.pairings
        names = (f"{self._prefix}{NAME_JOINT.join(group)}" for group in groups)
        numbers = itertools.count(start, self._group_games)
        return {name: (number, self) for name, number in zip(names, numbers, strict=False)}

    def turns(
        self, rank: int, deals: int | None
    ) -> Iterator[tuple[float, int, int, _DisciplineRound]]:
        """Return the first ``deals`` cycles, or all, with the tournament share when each is due."""
        wanted = self.deals if deals is None else min(deals, self.deals)
        return (((cycle + 0.5) / self.deals, rank, cycle, self) for cycle in range(wanted))

    def games_within(self, deals: int) -> int:
        """Return the number of games of the first ``deals``."""
        return self._count(deals, [self.seatings] * len(self.pairings))

    def games_with(self, names: Collection[str]) -> int:
        """Return the number of games with any of these entrants."""
        wanted = set(names)
        if self.is_solo:
            return self._count(self.deals, [len(wanted.intersection(self.pairings[0]))])
        met = [not wanted.isdisjoint(pairing) for pairing in self.pairings]
        return self._count(self.deals, [self.seatings * each for each in met])

    def _count(self, deals: int, games: Sequence[int]) -> int:
        """Return the number of games of the first ``deals``; ``games``: per block, by pairing."""
        leftover = self.dealt.leftover(deals)
        own = sum(games[pairing] for cycle in leftover for pairing in self.own(cycle))
        return deals // self._shards * sum(games) + own

    def has(self, number: int) -> bool:
        """Return whether a game belongs to this shard."""
        cycle, pairing = divmod(number // self.seatings, len(self.pairings))
        return pairing in self.own(cycle)

    def seated(self, pairing: int, game: int) -> Pairing:
        """Return the entrants of a game of a block, in no order of seats."""
        entrants = self.pairings[pairing]
        return (entrants[game],) if self.is_solo else entrants

    def first(self, cycle: int, pairing: int) -> int:
        """Return the number of the first game of a block."""
        return (cycle * len(self.pairings) + pairing) * self.seatings

    def block(self, cycle: int, pairing: int) -> tuple[str, list[GameSpec]]:
        """Return the name of a block and all its games."""
        entrants = self.pairings[pairing]
        if self.is_solo:
            block = f"{self._prefix}{_ALL}{ID_JOINT}{cycle}"
            return block, [
                GameSpec(
                    f"{self._prefix}{name}{ID_JOINT}{cycle}{ID_JOINT}0", block, block, 0, (name,)
                )
                for name in entrants
            ]
        block = f"{self._prefix}{NAME_JOINT.join(entrants)}{ID_JOINT}{cycle}"
        return block, [
            GameSpec(f"{block}{ID_JOINT}{k}", block, block, k, seated)
            for k, seated in enumerate(self._seated(block, entrants))
        ]

    def turn_to(self, cycle: str) -> None:
        """Select the cycle that ids write as ``cycle``. Raises KeyError if it does not exist."""
        found = _index(cycle, self.deals)
        if found is None:
            raise KeyError(cycle)
        self.cycle, self.cycle_first = cycle, found * self.block_games

    def game(self, number: int) -> GameSpec:
        """Return the game with that number."""
        block, seating = divmod(number, self.seatings)
        cycle, pairing = divmod(block, len(self.pairings))
        return self.block(cycle, pairing)[1][seating]

    def _seated(self, block: str, entrants: Pairing) -> list[tuple[str, ...]]:
        luck = self.seeds.seating(block)
        return kind_of(self._plan).lineups(entrants, self._seats, self._plan, luck)


def _index(text: str, bound: int) -> int | None:
    """Return the number below ``bound`` that ``text`` is the canonical form of, or None."""
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(bound))):
        return None
    number = int(text)
    return number if number < bound and str(number) == text else None


class Done:
    """A set of game numbers with one bit each: a million games take 125 kB."""

    __slots__ = ("_bits", "_count")

    def __init__(self, games: int) -> None:
        self._bits = bytearray((games + 7) // 8)
        self._count = 0

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and bool(self._bits[number >> 3] >> (number & 7) & 1)

    def __len__(self) -> int:
        return self._count

    def grow(self, games: int) -> None:
        """Make room for ``games`` numbers."""
        self._bits.extend(bytes((games + 7) // 8 - len(self._bits)))

    def add(self, number: int) -> bool:
        """Add a number and return whether it was new."""
        place, bit = number >> 3, 1 << (number & 7)
        if self._bits[place] & bit:
            return False
        self._bits[place] |= bit
        self._count += 1
        return True
