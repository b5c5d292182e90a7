"""The field: who plays in a run. ``entries.jsonl`` holds each change of it, in a hash chain.

    number          line number, from 1
    created         UTC, ISO 8601
    before          SHA-256 of the previous line, in hex; in line 1, the commitment of the run
    entered         bots that entered or returned: by name, all that decides how the bot plays
    left            bots that play no more; their finished games stand. Where pairings follow from
                    results, a bot forfeits the rest of its round, and returning undoes no forfeit
    pairings        added pairings, by discipline: see ``Kind.newcomers``
    follows         only for pairings that follow from results: over, the number of finished
                    rounds; byes; results, the digest of their results; by, the name of the
                    pairing rules; stage, from 0, if there are stages. In a knockout:
                    ties, the names of the pairings; decided, the ties decided since; deals, 1 in
                    sudden death. On a ladder: opens and fixes, its seeds.
                    Without pairings, no more rounds follow
    refills         only for pairings that replace those emptied by withdrawn bots, see
                    ``runs.growth.refills``: withdrawn, the names of these bots; by, the name of
                    the rules
    ruling          only where the organiser rules, see ``runs.growth.rulings``; bots that it
                    disqualifies leave with the same line, those that it readmits enter
    commitment      to the seed of the round and to all of the above

The commitment of the run binds its terms and the first field; each line binds all lines before it.
A bot with new contents is another entrant, ``NAME@2``; equal bytes are the same entrant.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from arena.hosting.sandbox.isolation import Isolation
from arena.runs.disk import (
    StoreError,
    append_line,
    stored_lines,
    sync,
    writing,
)
from arena.runs.growth.rulings import RunRuling, in_force, unsound_ruling
from arena.schedule.keys import Discipline
from arena.schedule.kinds.fixed import PairingsKind
from arena.schedule.kinds.registry import grows, kind_of, pairings
from arena.schedule.pairings import Pairing
from arena.schedule.schedule import Round
from arena.schedule.seeds import Opening, Seeds
from arena.values.results import VERSION_JOINT, Decided, player_of

ENTRIES: Final = "entries.jsonl"


_SeedText = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]


class EntrantIdentity(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that decides how an entrant plays."""

    digest: str
    """Digest as in ``Entrant.digest``; empty for a person."""
    command: tuple[str, ...]
    """Command as written."""
    options: dict[str, Any]
    isolation: Isolation
    """Isolation that was requested, whether or not the machine provided it."""
    env: dict[str, str]
    """Slow hash of each environment value, by variable."""
    unbuilt: str | UnsetType = UNSET
    """Reason why the bot could not be built, so that it is withdrawn before its first game."""
    title: str | UnsetType = UNSET
    """Title that people see instead of its name; it decides nothing."""

    def is_same(self, other: EntrantIdentity) -> bool:
        """Return whether both are the same bot, built or not, under any title."""
        return self == msgspec.structs.replace(other, unbuilt=self.unbuilt, title=self.title)


class Following(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Origin of a round that follows from the results of the rounds before."""

    over: Annotated[int, msgspec.Meta(ge=0)]
    """Number of finished rounds."""
    byes: tuple[str, ...]
    """Entrants that are present but have no pairing."""
    results: str
    """SHA-256, in hex, of the results of all rounds before; on a ladder, of the last round only,
    because the line before binds the others."""
    by: str
    """Name of the pairing rules, such as ``dutch-2026``."""
    stage: Annotated[int, msgspec.Meta(ge=0)] | UnsetType = UNSET
    """Stage of the round, from 0, in a tournament in stages."""
    ties: tuple[str, ...] | UnsetType = UNSET
    """Names of the pairings of a knockout, in their order."""
    decided: tuple[Decided, ...] | UnsetType = UNSET
    """Ties of a knockout that were decided since the round before."""
    deals: Annotated[int, msgspec.Meta(ge=1, le=1)] | UnsetType = UNSET
    """Deals of each pairing in a round of sudden death; unset for those of the schedule."""
    opens: _SeedText | UnsetType = UNSET
    """Seed of the finished round before, on a ladder."""
    fixes: _SeedText | UnsetType = UNSET
    """End of the next stretch of seeds; on a ladder, in the first round of a stretch."""


class Refill(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Reason for pairings that replace others."""

    withdrawn: tuple[str, ...]
    """All bots withdrawn at that time."""
    by: str
    """Name of the rules: ``runs.growth.refills.RULES``."""


class FieldChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line of entries.jsonl."""

    number: int
    created: str
    before: str
    entered: dict[str, EntrantIdentity]
    left: tuple[str, ...]
    pairings: dict[str, tuple[Pairing, ...]]
    commitment: str = ""
    follows: Following | UnsetType = UNSET
    refills: Refill | UnsetType = UNSET
    ruling: RunRuling | UnsetType = UNSET

    @property
    def is_derived(self) -> bool:
        """True if it follows from results, or from who was withdrawn."""
        return self.follows is not UNSET or self.refills is not UNSET

    @property
    def digest(self) -> str:
        """SHA-256, in hex, of everything but the commitment, which binds this digest."""
        own = msgspec.structs.replace(self, commitment="")
        return hashlib.sha256(msgspec.json.encode(own, order="deterministic")).hexdigest()

    @property
    def line(self) -> bytes:
        """Line as in the file."""
        return msgspec.json.encode(self) + b"\n"


class Field(NamedTuple):
    """Entrants and games of a run after some changes."""

    identities: Mapping[str, EntrantIdentity]
    """All entrants that ever entered, by name, in order of entry."""
    left: frozenset[str]
    """Entrants that play no more."""
    disciplines: tuple[Discipline, ...]
    """Disciplines of the run, each with all entrants that ever entered it."""
    rounds: tuple[tuple[Discipline, ...], ...]
    """Disciplines of each round with its pairings; those of the first round as the run began."""
    follows: tuple[Following | None, ...] = (None,)
    """Origin of each round; None if the round does not follow from results."""
    drawn: tuple[tuple[int, frozenset[str]], ...] = ((0, frozenset()),)
    """Per round, the number of entrants ever entered when it was made, and those that had left."""
    refills: tuple[bool, ...] = (False,)
    """True for each round that replaces tables emptied by withdrawn bots."""
    forfeits: tuple[frozenset[str], ...] = (frozenset(),)
    """Per round, entrants that leave with its change and forfeit their unplayed games."""
    made: tuple[tuple[int, RunRuling], ...] = ()
    """Rulings with the numbers of their lines."""

    @property
    def is_over(self) -> bool:
        """True if no more rounds will follow from results. Rulings may come after that."""
        places = reversed(range(len(self.rounds)))
        last = next((place for place in places if self.follows[place] is not None), None)
        return last is not None and not self.rounds[last]

    @classmethod
    def first(
        cls, identities: Mapping[str, EntrantIdentity], disciplines: tuple[Discipline, ...]
    ) -> Field:
        """Return the field of a run that has just begun."""
        return cls(identities, frozenset(), disciplines, (disciplines,))

    @property
    def grows(self) -> bool:
        """True if pairings follow from results."""
        return any(grows(each.schedule) for each in self.rounds[0])

    def refilled(self, name: str) -> int:
        """Return the number of tables of a discipline that replace tables of withdrawn bots."""
        own = zip(self.rounds, self.refills, strict=True)
        again = [each for played, is_refill in own if is_refill for each in played]
        return sum(len(each.schedule.pairings) for each in again if each.name == name)

    def then(self, change: FieldChange) -> Field:
        """Return the field after ``change``."""
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
            self.made if change.ruling is UNSET else (*self.made, (change.number, change.ruling)),
        )

    def later(self, seeds: Iterable[Seeds]) -> Iterator[Round]:
        """Yield the rounds after the first, as a schedule takes them, with ``seeds`` for each."""
        for place, each in zip(range(1, len(self.rounds)), seeds, strict=False):
            yield self._round(place, each)

    def last(self, seeds: Seeds) -> Round:
        """Return the last round of ``later`` without building the others."""
        return self._round(len(self.rounds) - 1, seeds)

    def _round(self, place: int, seeds: Seeds) -> Round:
        follows, (_, left) = self.follows[place], self.drawn[place]
        label = "" if follows is None else label_of(follows.over)
        is_derived = follows is not None or self.refills[place]
        closes, forfeits = left if is_derived else None, self.forfeits[place]
        return Round(self.rounds[place], seeds, label, closes, forfeits)

    def names(self, wanted: Mapping[str, EntrantIdentity]) -> dict[str, str]:
        """Return the name in this run of each wanted bot, by its name without a version."""
        return {name: self._name(name, identity) for name, identity in wanted.items()}

    def _name(self, name: str, wanted: EntrantIdentity) -> str:
        number = 1
        called = name
        while called in self.identities:
            if self.identities[called].is_same(wanted):
                return called
            number += 1
            called = f"{name}{VERSION_JOINT}{number}"
        return called

    def change(
        self, wanted: Mapping[str, EntrantIdentity], disciplines: Sequence[Discipline]
    ) -> tuple[dict[str, EntrantIdentity], tuple[str, ...], dict[str, tuple[Pairing, ...]]]:
        """Return who enters, who leaves and which pairings are added for ``wanted``.

        ``wanted``: the bots that are to play ``disciplines``; those disqualified do not.

        Raises ValueError with the reason if additions to the plan cannot achieve that.
        """
        names = self.names(wanted)
        barred = in_force(self.made).barred
        active = self.identities.keys() - self.left
        entered = {
            called: self.identities.get(called, wanted[name])
            for name, called in names.items()
            if called not in active and player_of(called) not in barred
        }
        left = tuple(sorted(active - set(names.values())))
        added = {}
        for own, now in zip(self.disciplines, disciplines, strict=True):
            playing = [names[name] for name in now.entrants]
            playing = [name for name in playing if player_of(name) not in barred]
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
        kind = kind_of(now.schedule)
        if grows(now.schedule):
            return ()
        new = [name for name in playing if name not in there]
        if now.rules.seats == 1:
            fresh = tuple(name for name in new if name not in own.entrants)
            return (fresh,) if fresh else ()
        planned = set(self.planned(own.name))
        met: Sequence[Pairing] = ()
        if (listed := kind.listed(now.schedule)) is not None:
            met = listed
            for pairing in sorted(planned.difference(listed)):
                if set(pairing) <= set(playing):
                    text = f"games.{now.name}.schedule.pairings: [{', '.join(pairing)}] is missing"
                    raise ValueError(text)
        elif new:
            names = tuple(sorted((*there, *new)))
            met = kind.newcomers(names, new, now.rules.seats, now.schedule)
        return tuple(pairing for pairing in met if pairing not in planned)

    def planned(self, name: str) -> Iterator[Pairing]:
        """Yield all pairings of a discipline so far."""
        for each in self.rounds:
            for discipline in each:
                if discipline.name == name:
                    seats, plan = discipline.rules.seats, discipline.schedule
                    yield from pairings(discipline.entrants, seats, plan)


def with_pairings(discipline: Discipline, met: tuple[Pairing, ...]) -> Discipline:
    """Return the discipline with the pairings ``met`` only; with one seat, only their players."""
    entrants = tuple(sorted({name for pairing in met for name in pairing}))
    plan = discipline.schedule
    if discipline.rules.seats > 1:
        plan = msgspec.structs.replace(
            plan,
            kind=PairingsKind.name,
            pairings=met,
            focus=(),
            max_pairings=None,
            rounds=None,
            stages=(),
        )
    return msgspec.structs.replace(discipline, entrants=entrants, schedule=plan)


def _renamed(discipline: Discipline, names: Mapping[str, str]) -> Discipline:
    """Return the discipline with the names that its entrants have in the run."""
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
    """Return the label, in ids of games, of the round after ``over`` finished rounds."""
    return f"round{over + 1}"


def read_changes(folder: Path, commitment: str) -> tuple[FieldChange, ...]:
    """Return the changes of the run with the given commitment, oldest first.

    A torn last line is left out: no game of its round was begun. Raises StoreError, also where the
    chain is broken.
    """
    path = folder / ENTRIES
    changes: list[FieldChange] = []
    before = commitment
    for number, change in stored_lines(path, FieldChange, "change of the field"):
        where = f"{path}:{number}"
        if change.number != number:
            text = f"found number {change.number}, expected {number}"
            raise StoreError(f"{where}: {text}: {_what_is_lost(change.number, number)}")
        if change.before != before:
            raise StoreError(f"{where}: does not follow the line before: lines are lost or changed")
        before = _link(change)
        changes.append(change)
    return tuple(changes)


def last_link(commitment: str, changes: Sequence[FieldChange]) -> str:
    """Return the value of ``before`` for the next line."""
    return _link(changes[-1]) if changes else commitment


def with_link(changes: Sequence[FieldChange], link: str) -> bool:
    """Return whether a line has the SHA-256 ``link``; the last line is tried first."""
    return any(_link(change) == link for change in reversed(changes))


def _what_is_lost(found: int, expected: int) -> str:
    """Explain in words why line ``expected`` has the number ``found``."""
    if found < expected:
        return "this line repeats or precedes an earlier one"
    if found == expected + 1:
        return f"line {expected} is missing"
    return f"lines {expected} to {found - 1} are missing"


def _link(change: FieldChange) -> str:
    return hashlib.sha256(change.line).hexdigest()


def add_change(folder: Path, change: FieldChange) -> None:
    """Append ``change`` to entries.jsonl on disk. Raises StoreError."""
    path = folder / ENTRIES
    is_new = not path.exists()
    with writing(path, folder):
        append_line(path, change.line)
        if is_new:
            sync(folder)


def unsound(field: Field, change: FieldChange) -> str:
    """Return why ``change`` cannot be applied to ``field``; empty if it can."""
    if change.ruling is not UNSET and (fault := _unsound_ruled(field, change, change.ruling)):
        return fault
    if field.is_over and change.ruling is UNSET:
        return "a change after the last round"
    known = {*field.identities, *change.entered}
    active = field.identities.keys() - field.left
    if strangers := set(change.left) - active:
        return f"{min(strangers)} leaves and is not there"
    if twice := change.entered.keys() & active:
        return f"{min(twice)} enters and is there"
    for name in change.entered.keys() & field.identities.keys():
        if change.entered[name] != field.identities[name]:
            return f"{name} comes back as another one"
    firsts = {each.name: each for each in field.rounds[0]}
    if change.follows is not UNSET:
        return _unsound_following(field, change, change.follows)
    if any(grows(firsts[name].schedule) for name in change.pairings if name in firsts):
        return "pairings that follow from results, and nothing says from which"
    if change.refills is not UNSET and (fault := _unsound_refill(field, change, change.refills)):
        return fault
    planned = {name: set(field.planned(name)) for name in change.pairings}
    there = {each.name: set(each.entrants) - change.entered.keys() for each in field.disciplines}
    for name, met in change.pairings.items():
        if name not in firsts:
            return f"found no game {name}"
        is_chosen = kind_of(firsts[name].schedule).listed(firsts[name].schedule) is not None
        seats = firsts[name].rules.seats
        for pairing in met:
            if not set(pairing) <= known or list(pairing) != sorted(set(pairing)):
                return f"{name}: somebody plays who is no entrant, or twice"
            if pairing in planned[name] or seats not in (1, len(pairing)):
                return f"{name}: a pairing that is planned, or not for {seats} seats"
            if not is_chosen and change.refills is UNSET and there[name].issuperset(pairing):
                return f"{name}: a pairing of those who were there before"
        if not met or len(set(met)) != len(met) or (seats == 1 and len(met) > 1):
            return f"{name}: found no pairing, or one twice"
    return ""


def _unsound_ruled(field: Field, change: FieldChange, ruling: RunRuling) -> str:
    """Return as ``unsound`` does why a ruling is wrong. Only games prove what it says of them."""
    if change.pairings or change.is_derived:
        return "a ruling with pairings"
    if fault := unsound_ruling(field.made, ruling):
        return fault
    before, now = in_force(field.made), in_force((*field.made, (change.number, ruling)))
    if ruling.bot and ruling.bot not in field.identities:
        return f"{ruling.bot} is no bot of the run"
    active = field.identities.keys() - field.left
    left = {name for name in active if player_of(name) in now.barred}
    back = before.barred.keys() - now.barred.keys()
    if set(change.left) != left or {player_of(name) for name in change.entered} - back:
        return "somebody enters or leaves without the ruling for it"
    return ""


def _unsound_refill(field: Field, change: FieldChange, why: Refill) -> str:
    """Return as ``unsound`` does why a refill is wrong. Only games prove the withdrawals."""
    if change.entered or change.left or not change.pairings:
        return "somebody enters or leaves where tables are filled again, or there are none"
    playing = {name for met in change.pairings.values() for pairing in met for name in pairing}
    if not playing <= field.identities.keys() - field.left - set(why.withdrawn):
        return "a table is filled again with somebody who is not there"
    return ""


def _unsound_following(field: Field, change: FieldChange, follows: Following) -> str:
    """Return as ``unsound`` does why a round is wrong. Only results prove the pairings."""
    first = field.rounds[0][0]
    names = {each.name for each in field.rounds[0]}
    if not grows(first.schedule) or change.pairings.keys() not in (names, set()):
        return "pairings follow from results in a game where they do not"
    if change.entered or change.left:
        return "somebody enters or leaves with a round that follows from results"
    last = next((each for each in reversed(field.follows) if each is not None), None)
    before = 0 if last is None else last.over + 1  # every stored round passed this check
    if follows.over != before:
        return f"found {follows.over} rounds that have ended, expected {before}"
    stage = (last.stage or 0) if last is not None else 0
    if not stage <= (follows.stage or 0) < len(first.schedule.parts):
        return "a round of a stage that there is not, or not any more"
    met = change.pairings.get(first.name, ())
    if any(each != met for each in change.pairings.values()):
        return "games whose pairings differ"
    named = {*follows.byes, *(name for pairing in met for name in pairing)}
    kind = kind_of(first.schedule.parts[follows.stage or 0])
    if not named <= field.identities.keys() - field.left or kind.is_twice(met, follows.byes):
        return "somebody plays who is not there, or twice"
    if any(len(each) != first.rules.seats or list(each) != sorted(set(each)) for each in met):
        return f"a pairing that is not for {first.rules.seats} seats"
    return "found no pairing" if change.pairings and not met else ""


def is_fitting(opening: Opening, change: FieldChange) -> bool:
    """Return whether a change is committed to the seed of ``opening``."""
    return opening.commitment(change.digest) == change.commitment
