"""Who plays in a run, and how that changed: ``entries.jsonl``, a line for each change, in a chain.

    number          of the line, from 1
    created         UTC, ISO 8601
    before          SHA-256 of the line before, in hex; in the first line the commitment of the run
    entered         who came, or came back: by name what decides how it plays
    left            who plays no more; what it has played stands. Where pairings follow from results
                    it forfeits the rest of its round, and its return undoes no forfeit
    pairings        what is played because of it, by discipline: see ``schedule.newcomers``
    follows         of pairings that follow from results, see ``runs.rounds``: over, how many rounds
                    are over; byes; results, the digest of what they brought; by, the name of the
                    rules of pairing; stage, from 0, where there are stages; in a knockout ties,
                    the names of the pairings, decided, which of them are, and deals, 1 in sudden
                    death. Of a ladder opens and fixes, see ``runs.rounds.openings``. Without
                    pairings: nothing follows any more
    refills         of pairings in place of those that withdrawn bots have emptied, see
                    ``runs.rounds.refills``: withdrawn, who they are; by, the name of the rules
    commitment      to the seed of the round and to all of the above

The commitment of the run binds its terms and the first field; each line binds all that stands
before it. A bot with new contents is another entrant, ``NAME@2``; the same bytes are the same one.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from arena.documents.problems import printable
from arena.hosting.sandbox.isolation import Isolation
from arena.runs.disk import (
    Log,
    StoreError,
    cannot_write,
    complete_lines_end,
    stored_lines,
    sync_folder,
)
from arena.schedule.keys import ScheduleKind
from arena.schedule.newcomers import with_newcomers
from arena.schedule.pairings import Pairing, pairings
from arena.schedule.schedule import Discipline, Round
from arena.schedule.seeds import Opening, Seeds

ENTRIES: Final = "entries.jsonl"
VERSION_JOINT: Final = "@"
"""Between a name and the number of a version; in no name that may be written."""


_SeedText = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]


class EntrantIdentity(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What decides how an entrant plays."""

    digest: str
    """As ``Entrant.digest``; empty for a person."""
    command: tuple[str, ...]
    """As it was written."""
    options: dict[str, Any]
    isolation: Isolation
    """What was asked for, whatever the machine made of it."""
    env: dict[str, str]
    """By variable a slow hash of its value."""


class Decided(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What became of a tie of a knockout."""

    tie: str
    order: tuple[str, ...]
    """Players, best first; empty if nobody was left."""
    by: str
    """The rule that decided it, see ``runs.rounds.knockout``."""


class Following(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A round that follows from the results of the rounds before."""

    over: Annotated[int, msgspec.Meta(ge=0)]
    """How many rounds are."""
    byes: tuple[str, ...]
    """Who is there and has no pairing."""
    results: str
    """SHA-256 in hex of what the rounds before have brought; of a ladder what the last one has,
    for the line before binds the others."""
    by: str
    """The name of the rules of pairing, such as ``schedule.rounds.swiss.rules_of`` gives."""
    stage: Annotated[int, msgspec.Meta(ge=0)] | UnsetType = UNSET
    """Of a tournament in stages, the one that the round is of."""
    ties: tuple[str, ...] | UnsetType = UNSET
    """Of a knockout, the names of the pairings, in their order."""
    decided: tuple[Decided, ...] | UnsetType = UNSET
    """Of a knockout, what was decided since the round before."""
    deals: Annotated[int, msgspec.Meta(ge=1, le=1)] | UnsetType = UNSET
    """Deals of each pairing in a round of sudden death; else they are those of the schedule."""
    opens: _SeedText | UnsetType = UNSET
    """Of a ladder, the seed of the round before, which is over."""
    fixes: _SeedText | UnsetType = UNSET
    """Of a ladder, in the first round of a stretch of seeds the end of the next stretch."""


class Refill(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why there are pairings in place of others."""

    withdrawn: tuple[str, ...]
    """All who were by then."""
    by: str
    """The name of the rules: ``schedule.refill.RULES``."""


class Change(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of entries.jsonl."""

    number: int
    created: str
    before: str
    entered: dict[str, EntrantIdentity]
    left: tuple[str, ...]
    pairings: dict[str, tuple[Pairing, ...]]
    commitment: str = ""
    follows: Following | UnsetType = UNSET
    refills: Refill | UnsetType = UNSET

    @property
    def digest(self) -> str:
        """SHA-256 in hex of all but the commitment: what that binds."""
        own = msgspec.structs.replace(self, commitment="")
        return hashlib.sha256(msgspec.json.encode(own, order="deterministic")).hexdigest()

    @property
    def line(self) -> bytes:
        """As it stands in the file."""
        return msgspec.json.encode(self) + b"\n"


class Field(NamedTuple):
    """Who plays what, after some changes."""

    identities: Mapping[str, EntrantIdentity]
    """Of all who ever entered, by name, in that order."""
    left: frozenset[str]
    """Who plays no more."""
    disciplines: tuple[Discipline, ...]
    """Those of the run, each with all who ever entered it."""
    rounds: tuple[tuple[Discipline, ...], ...]
    """What is played of them: of the first round the disciplines as they began."""
    follows: tuple[Following | None, ...] = (None,)
    """Of each of these; None: it does not follow from results."""
    drawn: tuple[tuple[int, frozenset[str]], ...] = ((0, frozenset()),)
    """Of each, how many had ever entered when it was made, and who of them had left."""
    refills: tuple[bool, ...] = (False,)
    """Of each, whether it is in place of tables that withdrawn bots have emptied."""
    forfeits: tuple[frozenset[str], ...] = (frozenset(),)
    """Entrants that leave with each of these changes and forfeit what they have not played."""

    @property
    def is_over(self) -> bool:
        """Whether nothing will follow from results any more."""
        return self.follows[-1] is not None and not self.rounds[-1]

    @classmethod
    def first(
        cls, identities: Mapping[str, EntrantIdentity], disciplines: tuple[Discipline, ...]
    ) -> Field:
        """That of a run which has just begun."""
        return cls(identities, frozenset(), disciplines, (disciplines,))

    @property
    def grows(self) -> bool:
        """Return whether its pairings follow from results."""
        return any(each.schedule.grows for each in self.rounds[0])

    def refilled(self, name: str) -> int:
        """How many tables of a discipline are in place of those of withdrawn bots."""
        own = zip(self.rounds, self.refills, strict=True)
        again = [each for played, is_refill in own if is_refill for each in played]
        return sum(len(each.schedule.pairings) for each in again if each.name == name)

    def then(self, change: Change) -> Field:
        """After one more change."""
        own = None if change.follows is UNSET else change.follows
        disciplines, played = [], []
        for each, first in zip(self.disciplines, self.rounds[0], strict=True):
            met = change.pairings.get(each.name, ())
            names = dict.fromkeys(name for pairing in met for name in pairing)
            entrants = tuple(dict.fromkeys((*each.entrants, *names)))
            disciplines.append(msgspec.structs.replace(each, entrants=entrants))
            if met:
                plan = first.schedule.parts[own.stage if own is not None and own.stage else 0]
                if own is not None and own.deals is not UNSET:
                    plan = msgspec.structs.replace(plan, deals=own.deals)
                part = msgspec.structs.replace(first, schedule=plan)
                played.append(with_pairings(part, met))
        return Field(
            {**self.identities, **change.entered},
            (self.left | frozenset(change.left)) - change.entered.keys(),
            tuple(disciplines),
            (*self.rounds, tuple(played)),
            (*self.follows, own),
            (*self.drawn, (len(self.identities), self.left)),
            (*self.refills, change.refills is not UNSET),
            (*self.forfeits, frozenset(change.left) if self.grows else frozenset()),
        )

    def later(self, seeds: Iterable[Seeds]) -> Iterator[Round]:
        """The rounds after the first as a schedule takes them; ``seeds``: of each."""
        for place, each in zip(range(1, len(self.rounds)), seeds, strict=False):
            yield self._round(place, each)

    def last(self, seeds: Seeds) -> Round:
        """The last one of ``later``, without a walk through all."""
        return self._round(len(self.rounds) - 1, seeds)

    def _round(self, place: int, seeds: Seeds) -> Round:
        follows, (_, left) = self.follows[place], self.drawn[place]
        label = "" if follows is None else label_of(follows.over)
        is_derived = follows is not None or self.refills[place]
        closes, forfeits = left if is_derived else None, self.forfeits[place]
        return Round(self.rounds[place], seeds, label, closes, forfeits)

    def names(self, wanted: Mapping[str, EntrantIdentity]) -> dict[str, str]:
        """What each bot that shall play is called in this run, by its name without a version."""
        return {name: self._name(name, identity) for name, identity in wanted.items()}

    def _name(self, name: str, wanted: EntrantIdentity) -> str:
        number = 1
        called = name
        while called in self.identities:
            if self.identities[called] == wanted:
                return called
            number += 1
            called = f"{name}{VERSION_JOINT}{number}"
        return called

    def change(
        self, wanted: Mapping[str, EntrantIdentity], disciplines: Sequence[Discipline]
    ) -> tuple[dict[str, EntrantIdentity], tuple[str, ...], dict[str, tuple[Pairing, ...]]]:
        """Who enters, who leaves and what is added when ``wanted`` play ``disciplines``.

        Raises ValueError with the reason if that cannot be had by adding to what is planned.
        """
        names = self.names(wanted)
        active = self.identities.keys() - self.left
        entered = {called: wanted[name] for name, called in names.items() if called not in active}
        left = tuple(sorted(active - set(names.values())))
        added = {}
        for own, now in zip(self.disciplines, disciplines, strict=True):
            playing = [names[name] for name in now.entrants]
            gone = active.intersection(own.entrants) - set(left) - set(playing)
            if gone:
                text = f"games.{own.name}.entrants: {min(gone)} is missing, but plays other games"
                raise ValueError(text)
            there = [name for name in playing if name in active and name in own.entrants]
            if met := self._added(own, there, playing, _renamed(now, names)):
                added[own.name] = met
        return entered, left, added

    def _added(
        self, own: Discipline, there: Sequence[str], playing: Sequence[str], now: Discipline
    ) -> tuple[Pairing, ...]:
        if now.schedule.grows:
            return ()
        new = [name for name in playing if name not in there]
        if now.rules.seats == 1:
            fresh = tuple(name for name in new if name not in own.entrants)
            return (fresh,) if fresh else ()
        planned = set(self.planned(own.name))
        if now.schedule.kind is ScheduleKind.PAIRINGS:
            listed = pairings(playing, now.rules.seats, now.schedule)
            for pairing in sorted(planned.difference(listed)):
                if set(pairing) <= set(playing):
                    text = f"games.{now.name}.schedule.pairings: [{', '.join(pairing)}] is missing"
                    raise ValueError(text)
            return tuple(pairing for pairing in listed if pairing not in planned)
        met = with_newcomers(there, new, now)
        return tuple(pairing for pairing in met if pairing not in planned)

    def planned(self, name: str) -> Iterator[Pairing]:
        """All pairings of a discipline so far."""
        for each in self.rounds:
            for discipline in each:
                if discipline.name == name:
                    seats, plan = discipline.rules.seats, discipline.schedule
                    yield from pairings(discipline.entrants, seats, plan)


def with_pairings(discipline: Discipline, met: tuple[Pairing, ...]) -> Discipline:
    """With these pairings alone; of one seat, with those who play it."""
    entrants = tuple(sorted({name for pairing in met for name in pairing}))
    plan = discipline.schedule
    if discipline.rules.seats > 1:
        plan = msgspec.structs.replace(
            plan,
            kind=ScheduleKind.PAIRINGS,
            pairings=met,
            focus=(),
            max_pairings=None,
            rounds=None,
            stages=(),
        )
    return msgspec.structs.replace(discipline, entrants=entrants, schedule=plan)


def _renamed(discipline: Discipline, names: Mapping[str, str]) -> Discipline:
    """With the names that its entrants have in the run."""
    plan = discipline.schedule
    plan = msgspec.structs.replace(
        plan,
        focus=tuple(names[name] for name in plan.focus),
        pairings=tuple(tuple(names[name] for name in each) for each in plan.pairings),
    )
    return msgspec.structs.replace(
        discipline, entrants=tuple(names[name] for name in discipline.entrants), schedule=plan
    )


def label_of(over: int) -> str:
    """Of the round after so many, in the ids of its games."""
    return f"round{over + 1}"


def folded(first: Field, changes: Iterable[Change]) -> Field:
    """After all changes."""
    return reduce(Field.then, changes, first)


def read_changes(folder: Path, commitment: str) -> tuple[Change, ...]:
    """What changed in a run of that commitment, oldest first.

    A torn last line is left out: no game of its round was begun. Raises StoreError, also where the
    chain is broken.
    """
    path = folder / ENTRIES
    changes: list[Change] = []
    before = commitment
    for number, change in stored_lines(path, Change, "change of the field"):
        where = f"{path}:{number}"
        if change.number != number:
            raise StoreError(f"{where}: found number {change.number}, expected {number}")
        if change.before != before:
            raise StoreError(f"{where}: does not follow the line before: lines are lost or changed")
        before = _link(change)
        changes.append(change)
    return tuple(changes)


def last_link(commitment: str, changes: Sequence[Change]) -> str:
    """What the next line has as ``before``."""
    return _link(changes[-1]) if changes else commitment


def with_link(changes: Sequence[Change], link: str) -> bool:
    """Return whether one of the lines has this SHA-256; the last one is looked at first."""
    return any(_link(change) == link for change in reversed(changes))


def _link(change: Change) -> str:
    return hashlib.sha256(change.line).hexdigest()


def add_change(folder: Path, change: Change) -> None:
    """Put it on disk. Raises StoreError."""
    path = folder / ENTRIES
    is_new = not path.exists()
    try:
        log = Log(path, complete_lines_end(path))
        with contextlib.closing(log):
            log.append(change.line)
        if is_new:
            sync_folder(folder)
    except OSError as error:
        raise cannot_write(path, error, folder) from error


def unsound(field: Field, change: Change) -> str:
    """Why a change cannot follow on a field; empty if it can."""
    if field.is_over:
        return "a change after the last round"
    known = {*field.identities, *change.entered}
    active = field.identities.keys() - field.left
    if strangers := set(change.left) - active:
        return f"{printable(min(strangers))} leaves and is not there"
    if twice := change.entered.keys() & active:
        return f"{printable(min(twice))} enters and is there"
    for name in change.entered.keys() & field.identities.keys():
        if change.entered[name] != field.identities[name]:
            return f"{printable(name)} comes back as another one"
    firsts = {each.name: each for each in field.rounds[0]}
    if change.follows is not UNSET:
        return _unsound_following(field, change, change.follows)
    if any(firsts[name].schedule.grows for name in change.pairings if name in firsts):
        return "pairings that follow from results, and nothing says from which"
    if change.refills is not UNSET and (fault := _unsound_refill(field, change, change.refills)):
        return fault
    planned = {name: set(field.planned(name)) for name in change.pairings}
    there = {each.name: set(each.entrants) - change.entered.keys() for each in field.disciplines}
    for name, met in change.pairings.items():
        if name not in firsts:
            return f"found no game {printable(name)}"
        is_chosen = firsts[name].schedule.kind is ScheduleKind.PAIRINGS
        seats = firsts[name].rules.seats
        for pairing in met:
            if not set(pairing) <= known or list(pairing) != sorted(set(pairing)):
                return f"{printable(name)}: somebody plays who is no entrant, or twice"
            if pairing in planned[name] or seats not in (1, len(pairing)):
                return f"{printable(name)}: a pairing that is planned, or not for {seats} seats"
            if not is_chosen and change.refills is UNSET and there[name].issuperset(pairing):
                return f"{printable(name)}: a pairing of those who were there before"
        if not met or len(set(met)) != len(met) or (seats == 1 and len(met) > 1):
            return f"{printable(name)}: found no pairing, or one twice"
    return ""


def _unsound_refill(field: Field, change: Change, why: Refill) -> str:
    """As ``unsound``; whether they were withdrawn only the games tell."""
    if change.entered or change.left or not change.pairings:
        return "somebody enters or leaves where tables are filled again, or there are none"
    playing = {name for met in change.pairings.values() for pairing in met for name in pairing}
    if not playing <= field.identities.keys() - field.left - set(why.withdrawn):
        return "a table is filled again with somebody who is not there"
    return ""


def _unsound_following(field: Field, change: Change, follows: Following) -> str:
    """As ``unsound``; whether they do follow only the results tell."""
    first = field.rounds[0][0]
    names = {each.name for each in field.rounds[0]}
    if not first.schedule.grows or change.pairings.keys() not in (names, set()):
        return "pairings follow from results in a game where they do not"
    if change.entered or change.left:
        return "somebody enters or leaves with a round that follows from results"
    last = next((each for each in reversed(field.follows) if each is not None), None)
    before = 0 if last is None else last.over + 1  # each was held to it
    if follows.over != before:
        return f"found {follows.over} rounds that are over, expected {before}"
    stage = (last.stage or 0) if last is not None else 0
    if not stage <= (follows.stage or 0) < len(first.schedule.parts):
        return "a round of a stage that there is not, or not any more"
    met = change.pairings.get(first.name, ())
    if any(each != met for each in change.pairings.values()):
        return "games whose pairings differ"
    named = [*follows.byes, *(name for pairing in met for name in pairing)]
    is_twice = len(set(named)) != len(named)
    if first.schedule.kind is ScheduleKind.LADDER:  # there somebody may have several tables
        tables = [*met, *((name,) for name in follows.byes)]
        resting = set(follows.byes).isdisjoint(name for pairing in met for name in pairing)
        is_twice = not resting or len(set(tables)) != len(tables)
    if not set(named) <= field.identities.keys() - field.left or is_twice:
        return "somebody plays who is not there, or twice"
    if any(len(each) != first.rules.seats or list(each) != sorted(set(each)) for each in met):
        return f"a pairing that is not for {first.rules.seats} seats"
    return "found no pairing" if change.pairings and not met else ""


def is_fitting(opening: Opening, change: Change) -> bool:
    """Whether a seed is the one that a change is committed to."""
    return opening.commitment(change.digest) == change.commitment
