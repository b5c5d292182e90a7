"""The interfaces of kinds: ``Kind``, and ``GrowingKind`` whose pairings follow from results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import permutations
from math import factorial
from typing import ClassVar, Final, NamedTuple

from arena.games.luck import Luck
from arena.schedule.keys import SHARED_KEYS, Discipline, Schedule, Seatings, Stage
from arena.schedule.pairings import Pairing
from arena.schedule.seeds import Seeds
from arena.values.bad_input import lacking
from arena.values.problems import KeyPath, quote


class Flaw(NamedTuple):
    """A setting of a schedule that cannot work."""

    path: KeyPath
    """Path of the setting, relative to the schedule."""
    found: str
    expected: str = ""
    hint: str = ""
    stranger: str = ""
    """Name that is no entrant, for a suggestion of a similar name."""
    needs: tuple[str, ...] = ()
    """Other keys that the flaw follows from."""
    is_size: bool = False
    """True if too few entrants are there, which is no mistake once a run has begun."""


class Kind(ABC):
    """A kind of schedule; its settings are the keys of a ``Schedule``.

    Methods are called for tables of at least two seats. With one seat everybody plays the same
    deals, with every kind.
    """

    name: ClassVar[str]
    """Value of ``schedule.kind``."""
    keys: ClassVar[frozenset[str]] = frozenset()
    """Keys that a file may have with this kind, besides SHARED_KEYS."""
    own_keys: ClassVar[frozenset[str]] = frozenset()
    """Further keys that a file may not have; commands set them."""
    required: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Keys that a file must have, each with an example of its value."""
    no_choice: ClassVar[str] = ""
    """Reason why it has no ``max_pairings``, for a hint."""
    implied_by: ClassVar[str] = ""
    """Key that implies this kind if a file does not write ``kind``."""
    run: ClassVar[str] = "tournament"
    """Kind of the runs with such a schedule, a key of ``runs.growth.kinds.run_kind``."""
    ranks: ClassVar[bool] = True
    """True if its matches bring points, by which a table can rank."""
    splits: ClassVar[bool] = False
    """True if every game may have entrants of its own without naming them in its schedule."""

    @property
    def title(self) -> str:
        """Name in running text."""
        return self.name.replace("_", " ")

    @abstractmethod
    def pairings(self, names: Pairing, seats: int, plan: Schedule) -> tuple[Pairing, ...]:
        """Return every set of entrants that meets once per cycle, in order of play.

        ``names``: the entrants in alphabetical order, at least ``fewest``. Does not depend on the
        seed. Empty if pairings follow from results.
        """

    @abstractmethod
    def count(self, entrants: int, seats: int, plan: Schedule) -> int:
        """Return the number of sets that ``pairings`` returns, without computing them."""

    def fewest(self, seats: int) -> int:
        """Return the smallest possible number of entrants."""
        return seats

    def sides(self, seats: int) -> int:
        """Return the number of entrants that meet at a table."""
        return seats

    def newcomers(
        self, names: Pairing, new: Collection[str], seats: int, plan: Schedule
    ) -> Sequence[Pairing]:
        """Return the pairings that ``new`` adds, in order of play.

        ``names``: all entrants, the new ones included, in alphabetical order.
        """
        return [each for each in self.pairings(names, seats, plan) if not set(new).isdisjoint(each)]

    def listed(self, plan: Schedule) -> tuple[Pairing, ...] | None:
        """Return the pairings if the file lists them, so that those of earlier entrants may grow.

        Returns None if the kind decides who meets.
        """
        return None

    def seatings(self, seats: int, plan: Schedule) -> int:
        """Return the number of games of a block."""
        return factorial(seats) if plan.seatings is Seatings.ALL else seats

    def lineups(
        self, entrants: Pairing, seats: int, plan: Schedule, luck: Luck
    ) -> list[tuple[str, ...]]:
        """Return the names by seat of each game; ``luck`` is used for this block alone."""
        order = luck.shuffle("order", 0, entrants)
        if plan.seatings is Seatings.ALL:
            return list(permutations(order))
        return [order[k:] + order[:k] for k in range(seats)]

    def flaws(self, plan: Schedule, names: Collection[str], seats: int) -> Iterator[Flaw]:
        """Yield every setting that cannot work with entrants ``names``; missing keys first."""
        for key, example in self.required:
            if not getattr(plan, key):
                expected = f"{key}: {example} beside it"
                yield Flaw(("kind",), f"found {self.name} without {key}", expected, needs=(key,))

    def excess(self, plan: Schedule, names: Sequence[str], seats: int) -> Iterator[str]:
        """Yield a sentence for each setting that needs more entrants than ``names``."""
        yield from ()

    def preview(self, discipline: Discipline, seeds: Seeds | None) -> Iterator[str]:
        """Yield lines on what is fixed before play; ``seeds``: of the run, None if not drawn."""
        yield from ()

    def is_twice(self, met: Sequence[Pairing], byes: Sequence[str]) -> bool:
        """Return whether an entrant has more than one table or bye in a round."""
        named = [*byes, *(name for pairing in met for name in pairing)]
        return len(set(named)) != len(named)

    def possible_rounds(self, plan: Schedule, players: int, seats: int) -> int | None:
        """Return the most rounds that can be paired; None if their number is not fixed."""
        return plan.rounds

    def details(self, plan: Schedule) -> Iterator[str]:
        """Yield phrases that describe the settings of this kind, for the words of a schedule."""
        yield from ()


class GrowingKind(Kind):
    """A kind whose pairings follow from results, round by round."""

    run = "rounds"

    def pairings(self, names: Pairing, seats: int, plan: Schedule) -> tuple[Pairing, ...]:
        """Return no pairings, because they follow from results."""
        return ()

    def count(self, entrants: int, seats: int, plan: Schedule) -> int:
        """Return 0, because no pairing is known in advance."""
        return 0


KINDS: Final[dict[str, Kind]] = {}
"""All kinds by name, in the order in which messages list them; filled by ``registry``."""


def sides_of(discipline: Discipline) -> int:
    """Return the number of entrants that meet at a table."""
    return KINDS[discipline.schedule.kind].sides(discipline.rules.seats)


def foreign(written: Schedule | Stage, unset: Schedule | Stage, own: Kind) -> Iterator[Flaw]:
    """Yield a flaw for each key that has no effect with the kind ``own``.

    ``unset``: a struct of the same type with all defaults.
    """
    accepted = SHARED_KEYS | {"first"} | own.keys
    for key in written.__struct_fields__:
        if key not in accepted and getattr(written, key) != getattr(unset, key):
            owner = next((each for each in KINDS.values() if key in each.keys), None)
            hint = own.no_choice if key == "max_pairings" else ""
            belongs = f"belongs to the kind {owner.name}" if owner else lacking("rounds")
            hint = hint or f"it {belongs}"
            yield Flaw((key,), f"found {key} with the kind {own.name}", hint=hint)


def strangers(path: KeyPath, listed: Iterable[str], known: Collection[str]) -> Iterator[Flaw]:
    """Yield a flaw for each name of a list that is no entrant or is repeated."""
    seen: set[str] = set()
    for index, name in enumerate(listed):
        found = f"found {quote(name)}"
        if name not in known:
            yield Flaw((*path, index), found, "an entrant", stranger=name)
        elif name in seen:
            yield Flaw((*path, index), f"{found} a second time")
        seen.add(name)
