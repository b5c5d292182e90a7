"""Which games a tournament has: a pure function of its disciplines and the seed.

Games are numbered discipline by discipline. Within one, block b is deal ``b // pairings`` of
pairing ``b % pairings``, so every pairing has met k times before any meets k+1 times; and the
disciplines take turns. A partial table is therefore fair. A block plays one deal in several
seatings; with one seat it is all entrants, each alone with the same deal. All pairings of a
discipline on one deal each are a pass; within one, ``handout`` may play them in another order.
A shard has some of the blocks, with the numbers that they have in the whole.

A schedule grows by rounds: what is added later comes after all that was there, with numbers of its
own, so no game of an earlier round ever changes its place. A leg is a round before which all was
over, with those that came before the next such one: what is played later changes nothing of it.
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

from arena.results import DISCIPLINE_JOINT, GameSpec, RulesSpec
from arena.schedule import lineups
from arena.schedule.keys import Schedule as Plan
from arena.schedule.pairings import Pairing, pairings
from arena.schedule.seeds import Chance, Seeds
from arena.schedule.shards import WHOLE, Deal, Shard

NAME_JOINT: Final = "+"
ID_JOINT: Final = ":"
"""Neither occurs in a name, so ids cannot collide."""
_ALL: Final = "all"
"""Names the blocks of a discipline with one seat."""


class Discipline(msgspec.Struct, frozen=True):
    """Rules with their options at one table size: what a tournament has one or several of."""

    name: str
    """Unique in the tournament."""
    rules: RulesSpec
    entrants: tuple[str, ...]
    """Who plays it: at least as many as there are seats."""
    schedule: Plan


class Block(msgspec.Struct, frozen=True):
    """Games of one deal and one set of entrants, to be played by one worker."""

    block: str
    games: tuple[GameSpec, ...]
    chance: Chance | None = None
    """For a worker that has no seed: all that it needs of it. None: it has one."""


class Span(NamedTuple):
    """The games of a block by their numbers."""

    discipline: str
    first: int
    games: int


class Round(NamedTuple):
    """What a schedule has grown by at one time."""

    disciplines: tuple[Discipline, ...]
    """Some of those of the schedule, by name, with the entrants and pairings that are added."""
    seeds: Seeds
    """Of their deals; but where everybody plays alone, all play the same deals."""
    label: str = ""
    """Stands in the ids of its games, for the same entrants may meet in several rounds."""
    closes: frozenset[str] | None = None
    """Where it begins a leg, who had left by then: what they had not played is never played, also
    if they come back. None: games of the rounds before may be left to play."""
    forfeits: frozenset[str] = frozenset()
    """Entrants that leave now and forfeit the games of the leg that they have not played. These are
    never played, even if the entrants return."""


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
        """``later``: the rounds after the first, without a shard. ``left``: see there."""
        self.left: Final = left
        """Entrants that play no more: what they have not played is not planned any more."""
        self._rounds: list[list[_Part]] = []
        self._legs: list[tuple[int, int]] = [(0, 0)]
        """Of each, how many rounds and numbers of games there were before it."""
        self._parts: list[_Part] = []
        """In the order of their numbers."""
        self._starts: list[int] = []
        """Of each of these, the number of its first game."""
        self._labelled: dict[str, range] = {}
        self._by_name: dict[str, list[_Part]] = {each.name: [] for each in disciplines}
        self._places: dict[str, tuple[int, _Part]] = {}
        """By discipline and group, as ids begin, the number of its first game."""
        self._is_whole = shard.of == 1
        self.numbers = 0
        """All games of the tournament have numbers below this."""
        self.games = 0
        """How many games are planned, those that were given up by who has left among them."""
        due = 0
        for discipline in disciplines:
            part = _Part(discipline, seeds, shard, due, self.numbers)
            due = part.dealt.due_next
            self._add(part)
        self._rounds.append([part for part in self._parts if part.pairings])
        self._seeds = seeds
        for each in later:
            self.grow(each)

    def grow(self, later: Round) -> None:
        """Add a round: what was there keeps its numbers and its place in the order."""
        if gone := later.forfeits | (later.closes or frozenset()):
            for part in itertools.chain.from_iterable(self._rounds[self._legs[-1][0] :]):
                part.left = part.left | gone if part.left else gone
        if later.closes is not None:
            self._legs.append((len(self._rounds), self.numbers))
        parts = [self._later(discipline, later) for discipline in later.disciplines]
        self._rounds.append(parts)

    def _later(self, discipline: Discipline, own: Round) -> _Part:
        seeds = self._seeds if discipline.rules.seats == 1 else own.seeds
        part = _Part(discipline, seeds, WHOLE, 0, self.numbers, own)
        self._add(part)
        return part

    @property
    def rounds(self) -> int:
        """How many it has grown by, the first included."""
        return len(self._rounds)

    @property
    def away(self) -> Set[str]:
        """Entrants with games that are not planned any more, perhaps."""
        return frozenset(self.left).union(*(part.left for part in self._parts))

    def start_of(self, added: int) -> int:
        """The number of the first game of what it has grown by at that time, if there is any."""
        parts = self._rounds[added]
        return parts[0].start if parts else self.numbers

    def legs(self) -> Iterator[tuple[int, Iterator[tuple[int, Pairing]]]]:
        """Of each leg the number from which its games are, and these as ``order`` gives them."""
        ends = [rounds for rounds, _ in self._legs[1:]]
        for (since, start), end in zip(self._legs, [*ends, self.rounds], strict=True):
            yield start, self.order(since, end)

    def leg_of(self, number: int) -> int:
        """The number from which the games of the leg are that has this one."""
        return self._legs[bisect_right(self._legs, number, key=itemgetter(1)) - 1][1]

    def has_left(self, number: int, names: Pairing) -> bool:
        """Whether a game of these entrants, if it was not played, is not planned any more."""
        return bool(self.gone(number, names))

    def gone(self, number: int, names: Pairing) -> list[str]:
        """Who of a game has left, for good or for its round."""
        own = self._part_at(number).left
        return [name for name in names if name in self.left or name in own]

    def was_gone(self, number: int, names: Pairing) -> bool:
        """Return whether somebody left a game for good, by the time its leg was over."""
        return not self._part_at(number).left.isdisjoint(names)

    def numbers_by_round(self) -> list[range]:
        """The numbers of the games of each round that has any, in their order."""
        spans = [(parts[0].start, parts[-1]) for parts in self._rounds if parts]
        return [range(start, last.start + last.numbers) for start, last in spans]

    def numbers_of(self, label: str) -> range:
        """The numbers of the games of the round with that label, see ``Round``."""
        return self._labelled.get(label, range(0))

    def round_of(self, number: int) -> range:
        """The numbers of all games of the round that follows from results and has that game."""
        return self.numbers_of(self._part_at(number).label)

    def _add(self, part: _Part) -> None:
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
        """How many sets of entrants meet in it."""
        return sum(len(part.pairings) for part in self._by_name[discipline])

    def _part_at(self, number: int) -> _Part:
        """What a game is of."""
        return self._parts[bisect_right(self._starts, number) - 1]

    def seatings(self, discipline: str) -> int:
        """How many games a block of its first round has."""
        return self._by_name[discipline][0].seatings

    def games_of(self, discipline: str) -> int:
        """How many games of it are planned, see ``games``."""
        return sum(part.games_within(part.deals) for part in self._by_name[discipline])

    def discipline_of(self, number: int) -> str:
        """Of which discipline a game is."""
        return self._part_at(number).name

    def place(self, number: int) -> tuple[int, int]:
        """Of a game's block its number in the discipline, and the deal of its pairing.

        Both from 0. Where everybody plays alone they are the same, in every round.
        """
        part = self._part_at(number)
        block = (number - part.start) // part.seatings
        deal = block // len(part.pairings)
        return block + part.blocks_before, deal

    def block(self, number: int) -> range:
        """The numbers of all games of the block that a game is in."""
        part = self._part_at(number)
        first = number - (number - part.start) % part.seatings
        return range(first, first + part.seatings)

    def games_within(self, deals: int) -> int:
        """How many games the first deals of every discipline have."""
        return sum(part.games_within(min(deals, part.deals)) for part in self._parts)

    def is_within(self, number: int, deals: int) -> bool:
        """Whether the game of that number is one of the first deals of its discipline."""
        part = self._part_at(number)
        return number - part.start < part.block_games * deals

    def games_with(self, names: Collection[str], discipline: str | None = None) -> int:
        """How many games, of one discipline or of all, have one of these entrants at the table."""
        parts = self._parts if discipline is None else self._by_name[discipline]
        return sum(part.games_with(names) for part in parts) if names else 0

    def seeds_at(self, number: int) -> Seeds:
        """The seeds of a game."""
        return self._part_at(number).seeds

    def given_up(
        self, done: Container[int], without: Set[str], discipline: str | None = None
    ) -> int:
        """How many games will not be played because somebody has left.

        ``done``: the numbers of those that were played before. Games of those in ``without`` are
        not counted.
        """
        if not self.away - without:
            return 0
        parts = self._parts if discipline is None else self._by_name[discipline]
        return sum(
            1
            for part in parts
            for number, names in part.games()
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
        """Blocks in order of play with the games whose numbers are not in ``done``.

        Games of entrants in ``without()``, asked for before each block, are left out, and so is
        what comes after the first ``deals`` of every discipline.
        """
        for each in self.passes(deals):
            for pairing in each.own:
                if (block := each.block(pairing, done, without)) is not None:
                    yield block

    def passes(self, deals: int | None = None, since: int = 0) -> Iterator[Pass]:
        """All pairings of a discipline on one deal each, in order of play.

        Without what comes after the first ``deals`` of every discipline, and without the first
        ``since`` rounds.
        """
        for part, cycle in self._cycles(deals, since):
            yield Pass(part, cycle)

    def order(self, since: int = 0, end: int | None = None) -> Iterator[tuple[int, Pairing]]:
        """Every game in order of play: its number, and its entrants in no order of seats.

        Without the first ``since`` rounds, and without those from ``end`` on. Does not depend on
        the seed.
        """
        for part, cycle in self._cycles(None, since, end):
            for pairing in part.own(cycle):
                first = part.start + part.first(cycle, pairing)
                for k in range(part.seatings):
                    yield first + k, part.seated(pairing, k)

    def spans(self) -> Iterator[Span]:
        """Every block in order of play."""
        for part, cycle in self._cycles():
            for pairing in part.own(cycle):
                yield Span(part.name, part.start + part.first(cycle, pairing), part.seatings)

    def _cycles(
        self, deals: int | None = None, since: int = 0, end: int | None = None
    ) -> Iterator[tuple[_Part, int]]:
        """Every cycle of every discipline in order of play, round by round.

        Of the first ``deals`` of each: a match may have a million more. Of the rounds that there
        are when the first one is asked for, without the first ``since`` and those from ``end`` on.
        """
        for parts in self._rounds[since:end]:
            turns = [part.turns(rank, deals) for rank, part in enumerate(parts)]
            for _, _, cycle, part in heapq.merge(*turns):
                yield part, cycle

    def number(self, game_id: str) -> int | None:
        """The number of a planned game, from 0; None if it is not planned."""
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
        """Whether a game is not left to another shard."""
        part = self._part_at(number)
        return part.has(number - part.start)

    def is_elsewhere(self, game_id: str) -> bool:
        """Whether a game is left to another shard."""
        everywhere = copy(self)
        everywhere._is_whole = True
        return self.number(game_id) is None and everywhere.number(game_id) is not None

    def game(self, game_id: str) -> GameSpec | None:
        """The planned game of that id."""
        number = self.number(game_id)
        if number is None:
            return None
        part = self._part_at(number)
        return part.game(number - part.start)


class Pass:
    """One deal of every pairing of a discipline."""

    def __init__(self, part: _Part, cycle: int) -> None:
        self.discipline = part.name
        self.pairings = part.pairings
        """By number, in order of play."""
        self.seatings = part.seatings
        """Games of a block."""
        self.own = part.own(cycle)
        """The numbers of the pairings that are played."""
        self.first = part.start
        """The number of the first game of its discipline and round."""
        self._part = part
        self._cycle = cycle

    def games(self, pairing: int) -> range:
        """The numbers of the games of a block."""
        first = self._part.start + self._part.first(self._cycle, pairing)
        return range(first, first + self.seatings)

    def seated(self, pairing: int, game: int) -> Pairing:
        """Who plays a game of a block, in no order of seats."""
        return self._part.seated(pairing, game)

    def block(
        self, pairing: int, done: Container[int], without: Callable[[], Set[str]] = frozenset
    ) -> Block | None:
        """The block of a pairing as ``Schedule.blocks`` gives it; None: nothing of it is left."""
        if pairing not in self.own:
            return None
        part, cycle = self._part, self._cycle
        first = part.start + part.first(cycle, pairing)
        wanted = [k for k in range(part.seatings) if first + k not in done]
        if wanted and (out := part.left | without()):
            wanted = [k for k in wanted if out.isdisjoint(part.seated(pairing, k))]
        if not wanted:
            return None
        block, games = part.block(cycle, pairing)
        left = tuple(games[k] for k in wanted)
        return Block(block, left, part.seeds.chance(left) if part.brings_chance else None)


class _Part:
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
        """``due``: as ``Deal`` takes it. ``start``: the number that its first game has in all.

        ``later``: the round after the first which it is of; a worker has only the first's seed.
        """
        seats, plan = discipline.rules.seats, discipline.schedule
        self.name = discipline.name
        self.start = start
        self.blocks_before = 0
        """Of its discipline in earlier rounds; where everybody plays alone none counts."""
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
        self.seatings = lineups.count(len(discipline.entrants), seats, plan)
        self.block_games = len(self.pairings) * self.seatings
        """Of one deal each."""
        self.numbers = self.deals * self.block_games
        """Of its games, also those of other shards."""
        self.dealt = Deal(shard, due, len(self.pairings), self.deals)
        self.own = self.dealt.pairings
        """By cycle the pairings that are played, in order."""
        self._shards = shard.of
        own = self.label and f"{self.label}{DISCIPLINE_JOINT}"
        self._prefix = f"{discipline.name}{DISCIPLINE_JOINT}{own}"
        self._group_games = 1 if self.is_solo else self.seatings
        self.seating_numbers = {str(seating): seating for seating in range(self._group_games)}
        """Of the games of a group in a cycle, as ids have them."""
        self.cycle = ""
        """The cycle last asked for, as ids have it: most ids have the same as the one before."""
        self.cycle_first = 0
        """The number of its first game."""

    def places(self, start: int) -> dict[str, tuple[int, _Part]]:
        """As ``Schedule`` keeps them; ``start``: the number of the first game of all."""
        groups = [(n,) for n in self.pairings[0]] if self.is_solo else self.pairings
        names = (f"{self._prefix}{NAME_JOINT.join(group)}" for group in groups)
        numbers = itertools.count(start, self._group_games)
        return {name: (number, self) for name, number in zip(names, numbers, strict=False)}

    def turns(self, rank: int, deals: int | None) -> Iterator[tuple[float, int, int, _Part]]:
        """Its cycles, or the first ones, with the share of the tournament at which each is due."""
        wanted = self.deals if deals is None else min(deals, self.deals)
        return (((cycle + 0.5) / self.deals, rank, cycle, self) for cycle in range(wanted))

    def games(self) -> Iterator[tuple[int, Pairing]]:
        """Its games by deal, as ``Schedule.order`` gives them."""
        for cycle in range(self.deals):
            for pairing in self.own(cycle):
                first = self.start + self.first(cycle, pairing)
                for k in range(self.seatings):
                    yield first + k, self.seated(pairing, k)

    def games_within(self, deals: int) -> int:
        """How many games its first deals have."""
        return self._count(deals, [self.seatings] * len(self.pairings))

    def games_with(self, names: Collection[str]) -> int:
        """How many games have one of these entrants at the table."""
        wanted = set(names)
        if self.is_solo:
            return self._count(self.deals, [len(wanted.intersection(self.pairings[0]))])
        met = [not wanted.isdisjoint(pairing) for pairing in self.pairings]
        return self._count(self.deals, [self.seatings * each for each in met])

    def _count(self, deals: int, games: Sequence[int]) -> int:
        """Of the first deals, with so many games of each pairing in a block."""
        leftover = self.dealt.leftover(deals)
        own = sum(games[pairing] for cycle in leftover for pairing in self.own(cycle))
        return deals // self._shards * sum(games) + own

    def has(self, number: int) -> bool:
        """Whether the game of that number is played, and not left to another shard."""
        cycle, pairing = divmod(number // self.seatings, len(self.pairings))
        return pairing in self.own(cycle)

    def seated(self, pairing: int, game: int) -> Pairing:
        """Who plays a game of a block, in no order of seats."""
        entrants = self.pairings[pairing]
        return (entrants[game],) if self.is_solo else entrants

    def first(self, cycle: int, pairing: int) -> int:
        """The number of the first game of a block."""
        return (cycle * len(self.pairings) + pairing) * self.seatings

    def block(self, cycle: int, pairing: int) -> tuple[str, list[GameSpec]]:
        """The name of a block and all its games."""
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
        """Ask for a cycle as ids have it. Raises KeyError if there is none."""
        found = _index(cycle, self.deals)
        if found is None:
            raise KeyError(cycle)
        self.cycle, self.cycle_first = cycle, found * self.block_games

    def game(self, number: int) -> GameSpec:
        """The game of that number."""
        block, seating = divmod(number, self.seatings)
        cycle, pairing = divmod(block, len(self.pairings))
        return self.block(cycle, pairing)[1][seating]

    def _seated(self, block: str, entrants: Pairing) -> list[tuple[str, ...]]:
        return lineups.lineups(entrants, self._seats, self._plan, self.seeds.seating(block))


def _index(text: str, bound: int) -> int | None:
    """The number below ``bound`` that is written so, and not otherwise."""
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(bound))):
        return None
    number = int(text)
    return number if number < bound and str(number) == text else None


class Done:
    """A set of game numbers in one bit each: a million games take 125 kB."""

    __slots__ = ("_bits", "_count")

    def __init__(self, games: int) -> None:
        self._bits = bytearray((games + 7) // 8)
        self._count = 0

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and bool(self._bits[number >> 3] >> (number & 7) & 1)

    def __len__(self) -> int:
        return self._count

    def grow(self, games: int) -> None:
        """Have room for so many."""
        self._bits.extend(bytes((games + 7) // 8 - len(self._bits)))

    def add(self, number: int) -> bool:
        """Add a number; whether it was new."""
        place, bit = number >> 3, 1 << (number & 7)
        if self._bits[place] & bit:
            return False
        self._bits[place] |= bit
        self._count += 1
        return True
