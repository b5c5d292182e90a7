"""The manifest of a run, ``run.json``: complete, as data; views put it into words.

    format          3; every change of this format changes the number
    arena           version of the program that began the run
    name            of the run
    created         UTC, ISO 8601
    commitment      to the seed and to ``identity``, 64 hex digits; seed.json opens it
    identity        everything that may influence a result or a table
        disciplines     in the order of the tables: name, rules (name, seats, every option, card
                        data), entrants, schedule
        entrants        by name, in the order of the tables: digest of the files, command, options,
                        requested isolation, environment (slow hashes of the values);
                        unbuilt: why the bot could not be built and is withdrawn, if so; title:
                        what people see in place of its name, no part of the commitment
        clock           move, bank, increment, startup: seconds; null for no such limit; where
                        the file sets them: moves, a number, and margin, seconds
        pondering       whether bots may think while others are to move
        limits          reply, stderr, memory, disk: bytes; cpu: seconds; processes, files
                        (open in one process): numbers; null for no such limit
        readable        last components of the paths that bots may read
        breaker         faults: a share of one; after, starts: games; then: the consequence
        names           whether bots learn names: shown or hidden
        on_fault        autopilot or end
        ratings         the anchor and its elo; null for no anchor
        until           what ends play. match: a verdict; person: a person's decision;
                        null: the end of the schedule
        keep            of a ladder: seconds for which records are kept; absent if for good
    games           for each discipline what tables say of its game: title, score (its unit),
                    worst_score, less_is_better, data (a notice on card data), endings (words for
                    rulings that end games)
    source          how to load the tournament again, by its ``kind``; proves nothing
    machine         the machine that began the run: system, release, processor, cores, python, and
                    the isolation that each entrant got
    shard           number, of: the share of the run played in this folder; absent for the whole
                    run
    packages        name and version of the package of others that brought a kind of schedule, by
                    kind; absent without one

Each fact is stored only once. The commitment binds the identity as ``runs.identity`` writes it.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property, reduce
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from arena import __version__
from arena.games.base import TableFacts
from arena.hosting.sandbox.isolation import Level
from arena.runs.config.keys import Names, Ratings
from arena.runs.disk import StoreError, read_json
from arena.runs.field import (
    ENTRIES,
    EntrantIdentity,
    Field,
    FieldChange,
    read_changes,
    unsound,
)
from arena.runs.growth.kinds import RoundResults, RunKind, run_kind
from arena.runs.growth.rulings import NO_RULINGS, Rulings, in_force
from arena.runs.withdrawals import Ground, Withdrawal
from arena.schedule.keys import Discipline
from arena.schedule.kinds.kind import KINDS, Kind
from arena.schedule.kinds.registry import (
    count,
    fewest,
    foreign_keys,
    grows,
    kind_of,
    seatings,
)
from arena.schedule.pairings import MAX_PAIRINGS, WHOLE, Shard
from arena.schedule.schedule import Schedule
from arena.schedule.seeds import Opening, Seeds
from arena.values.bad_input import needed_extension
from arena.values.problems import dotted
from arena.values.results import (
    BreakerPolicy,
    Learning,
    Limits,
    OnFault,
    TimeControl,
    player_of,
)

FORMAT: Final = 3
MANIFEST: Final = "run.json"
TUNED: Final = "tune.json"
"""File beside the runs of a search for the best options, which holds its answer."""
_RUNS_SHOWN: Final = 5
"""Greatest number of runs named in a message about their parent folder."""
_MOST_GAMES: Final = 10**10
"""Greatest number of games of a discipline: one bit for each fits in memory."""
_LARGEST: Final = 10**15
"""Greatest number in clock, limits and breaker: above all that a tournament file can produce."""


class Until(StrEnum):
    """End of a run that does not end with the last game of its schedule."""

    MATCH = "match"
    """The run ends with a verdict."""
    PERSON = "person"
    """A person ends the run, in which each deal is played in one seating."""


class Identity(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that may influence a result or a table, without paths of this machine."""

    disciplines: tuple[Discipline, ...]
    entrants: dict[str, EntrantIdentity]
    """Entrants by name."""
    clock: TimeControl
    pondering: bool
    limits: Limits
    readable: tuple[str, ...]
    """Last components of the paths that bots may read."""
    breaker: BreakerPolicy
    names: Names
    on_fault: OnFault
    ratings: Ratings | None
    until: Until | None
    """Condition that ends play; None for the end of the schedule."""
    keep: float | UnsetType = UNSET
    """Seconds after which records may be removed; unset if all are kept for good."""
    learning: Learning | UnsetType = UNSET
    """Bounds on what a bot keeps from round to round; unset if it keeps nothing."""

    @property
    def kind(self) -> RunKind:
        """Kind of the run: what ends it, else the kind that its schedule names.

        A tournament whose table goes by points is a league.
        """
        first = self.disciplines[0]
        name = self.until or kind_of(first.schedule).run
        return run_kind("league" if first.ranking and name == Kind.run else name)


class _Source(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """Origin of a run: the command that began it, so that it can be resumed."""


class TournamentSource(_Source, frozen=True, kw_only=True, tag="tournament"):
    """A tournament file, or rules and bots; enough to resume the run from its folder alone."""

    game: str | None
    """Rules; None if the first target is a file."""
    targets: tuple[str, ...]
    settings: tuple[str, ...]
    """Settings, without the seed and the values of environment variables."""
    seats: int | None = None
    data: str | None = None
    deals: int | None = None
    name: str | None = None
    cwd: str = ""
    """Folder that relative paths refer to."""


class MatchSource(_Source, frozen=True, kw_only=True, tag="match"):
    """A match of two bots until a verdict."""

    candidate: str
    baseline: str
    games: tuple[str, ...]
    cwd: str


class FamilySource(_Source, frozen=True, kw_only=True, tag="family"):
    """Matches of several bots until a verdict on all."""

    candidates: tuple[str, ...]
    baseline: str | None
    """Bot to beat; None for a search for the best candidate."""
    games: tuple[str, ...]
    cwd: str


class TableSource(_Source, frozen=True, kw_only=True, tag="table"):
    """A person who plays with bots."""

    person: str


class TuningSource(_Source, frozen=True, kw_only=True, tag="tuning"):
    """A bot that plays against itself with other options."""

    bot: str
    params: tuple[str, ...]


Source: TypeAlias = TournamentSource | MatchSource | FamilySource | TableSource | TuningSource


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """Machine that began a run."""

    isolation: dict[str, Level]
    """Isolation that each entrant got, by name."""
    system: str
    release: str
    processor: str
    cores: int | None
    python: str
    exchange: str = ""
    """How questions are sent and answers read: ``compiled`` or ``Python``."""


class CurrentRound(NamedTuple):
    """Current round of a run that is played by rounds."""

    number: int
    """Number of the current or last round, from 1 through all stages, as in the ids of games."""
    of: int | None
    """Number of the last planned round of its stage; None if not known."""
    stage: int = 1
    stages: int = 1


class Manifest(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    dict=True,
):
    """Content of run.json, with the changes of the field."""

    format: int
    arena: str
    """Version of the program that began the run."""
    name: str
    created: str
    """UTC, ISO 8601."""
    commitment: str
    identity: Identity
    """Everything that decides results; equal in a resumed run."""
    games: dict[str, TableFacts]
    """Facts of the game of each discipline for tables, by name."""
    source: Source | None
    """Way to load the tournament again; proves nothing. None if that is impossible."""
    machine: Machine
    shard: Shard | None = None
    """Share of the run played in this folder; None for the whole run."""
    packages: dict[str, str] = {}
    """Name and version of the package of others that brought a kind of schedule, by kind."""
    changes: tuple[FieldChange, ...] = ()
    """Changes of the field, which are stored in a file of their own, see ``runs.field``."""

    @cached_property
    def field(self) -> Field:
        """Field of the run after all changes."""
        return reduce(Field.then, self.changes, self._first)

    @property
    def _first(self) -> Field:
        return Field.first(self.identity.entrants, self.identity.disciplines)

    def fields(self) -> Iterator[tuple[Field, FieldChange]]:
        """Yield each change with the field before it."""
        before = itertools.accumulate(self.changes, Field.then, initial=self._first)
        return zip(before, self.changes, strict=False)

    def then(self, change: FieldChange) -> Manifest:
        """Return the manifest with one more change, without applying the earlier ones again."""
        changed: Manifest = msgspec.structs.replace(self, changes=(*self.changes, change))
        return changed.knowing(self.field.then(change))

    def knowing(self, field: Field) -> Manifest:
        """Return this manifest after storing ``field``, already computed, as its field."""
        self.__dict__["field"] = field  # where cached_property looks for it
        return self

    @property
    def titles(self) -> dict[str, str]:
        """Titles of the entrants by name, "" for those without one."""
        return {name: each.title or "" for name, each in self.field.identities.items()}

    @property
    def anchor(self) -> str:
        """Name of the rating anchor; empty without one."""
        return "" if self.identity.ratings is None else self.identity.ratings.anchor

    @property
    def title(self) -> str:
        """Name of the run, with the shard if this is one."""
        return self.name if self.shard is None else f"{self.name} shard {self.shard}"

    @property
    def kind(self) -> RunKind:
        """Kind of the run."""
        return self.identity.kind

    def results(self) -> RoundResults | None:
        """Return an empty collection of the results that rounds or places follow from; else None.

        Games are added to it as they are read.
        """
        margins = {
            each.name: self.games[each.name].less_is_better
            for each in self.identity.disciplines
            if each.ranking and each.ranking.counts_margins
        }
        return self.kind.results(margins)

    @property
    def is_fixed(self) -> bool:
        """True if nobody may enter or leave: in a shard, and where the schedule is not the end."""
        return self.shard is not None or self.kind.planned(0) is None

    def later(self, opening: Opening) -> Sequence[Opening]:
        """Return the openings of the changes' commitments."""
        return self.kind.later(opening, self.changes)

    def schedule(self, opening: Opening | None = None) -> Schedule:
        """Return the games of this folder; without an opening, the seats are not known."""
        field = self.field
        seeds = [Seeds(b"")] * len(field.rounds)
        if opening is not None:
            seeds = [Seeds.of(each.seed) for each in (opening, *self.later(opening))]
        rounds = list(field.later(seeds[1:]))
        return Schedule(field.rounds[0], seeds[0], self.shard or WHOLE, rounds, field.left)

    @property
    def grows(self) -> bool:
        """True if pairings follow from results, round by round."""
        return any(grows(each.schedule) for each in self.identity.disciplines)

    @property
    def turn(self) -> CurrentRound | None:
        """Current round; None before the first one, and if no rounds follow from results."""
        if not self.grows:
            return None
        pairs = zip(self.field.follows, self.field.rounds, strict=True)
        stages = [each.stage or 0 for each, played in pairs if each is not None and played]
        if not stages:
            return None
        parts = self.identity.disciplines[0].schedule.parts
        plan = parts[stages[-1]]
        before = len(stages) - stages.count(stages[-1])
        of = None if plan.rounds is None else before + plan.rounds
        return CurrentRound(len(stages), of, stages[-1] + 1, len(parts))

    @property
    def is_over(self) -> bool:
        """True if no more rounds follow from the results."""
        return not self.grows or self.field.is_over

    @property
    def disciplines(self) -> tuple[Discipline, ...]:
        """Disciplines in the order of the tables, each with all entrants that ever entered it."""
        return self.field.disciplines

    @property
    def entrants(self) -> tuple[str, ...]:
        """Names of all entrants that ever entered, in the order of the tables."""
        return tuple(self.players)

    @property
    def players(self) -> Mapping[str, EntrantIdentity]:
        """Identity of each entrant, by name."""
        return self.field.identities

    @property
    def rulings(self) -> Rulings:
        """Rulings in force."""
        return in_force(self.field.made) if self.field.made else NO_RULINGS

    @property
    def out(self) -> dict[str, Withdrawal]:
        """Bots that are withdrawn before all games, by name.

        They could not be built, or were disqualified with all their games.
        """
        found = {
            name: Withdrawal(name, Ground.BUILD, 0, at=-1, why=each.unbuilt)
            for name, each in self.players.items()
            if each.unbuilt
        }
        barred = self.rulings.barred
        for name in self.players if barred else ():
            ruling = barred.get(player_of(name))
            if ruling is not None and ruling.annuls:
                found[name] = Withdrawal(name, Ground.RULING, 0, at=-1, why=ruling.reason)
        return found

    def entries(self) -> Iterator[tuple[str, EntrantIdentity, str]]:
        """Yield each entrant with its identity and the time of its first entry (UTC, ISO 8601)."""
        for name, entrant in self.identity.entrants.items():
            yield name, entrant, self.created
        known = set(self.identity.entrants)
        for change in self.changes:
            for name, entrant in change.entered.items():
                if name not in known:
                    yield name, entrant, change.created
                known.add(name)

    def discipline(self, name: str) -> Discipline | None:
        """Return the discipline with that name, or None."""
        return next((each for each in self.disciplines if each.name == name), None)


class _AnyManifest(msgspec.Struct):
    """Content of run.json of any format."""

    format: int
    arena: str = ""


def is_run(folder: Path) -> bool:
    """Return whether the folder holds a run."""
    return os.path.isfile(folder / MANIFEST)


def _held(folder: Path) -> str:
    """Return the end of a message about a folder that is not a run, naming runs within it."""
    try:
        runs = sorted(path.name for path in folder.iterdir() if is_run(path))
    except OSError:
        runs = []
    if not runs:
        return ", expected the folder of a run"
    shown = ", ".join(runs[:_RUNS_SHOWN])
    more = " …" if len(runs) > _RUNS_SHOWN else ""
    return f"; it holds the run{'s'[: len(runs) != 1]} {shown}{more}"


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a run folder. Raises StoreError, also for another format."""
    if not is_run(folder):
        raise StoreError(f"RUN: {folder}: found no {MANIFEST}{_held(folder)}")
    path = folder / MANIFEST
    found: _AnyManifest = read_json(path, _AnyManifest)
    if found.format != FORMAT:
        raise StoreError(
            f"{path}: found format {found.format}, begun by arena {found.arena}, "
            f"expected format {FORMAT} (this is arena {__version__}): use the arena that began "
            "the run, or begin again in another folder"
        )
    manifest: Manifest = read_json(path, Manifest)
    faults = itertools.chain(
        _unsound(manifest.identity, manifest.packages), _unsound_games(manifest)
    )
    if fault := next(faults, ""):
        raise StoreError(f"{path}: {fault}")
    if (shard := manifest.shard) is not None:
        if shard.number > shard.of:
            raise StoreError(f"{path}: shard: found {shard}, a number too high")
        if manifest.kind.indivisible:
            raise StoreError(f"{path}: shard: found one of a run that is played as a whole")
    if manifest.changes:
        raise StoreError(f"{path}: found changes, which stand in {ENTRIES}")
    return _changed(folder, manifest)


def check_shard(folder: Path, held: Shard | None, wanted: Shard) -> None:
    """Raise StoreError if the folder holds another shard of a run, or a whole run."""
    if held != wanted:
        found = "a whole run" if held is None else f"shard {held}"
        raise StoreError(f"{folder}: holds {found}, asked for is shard {wanted}")


def _changed(folder: Path, manifest: Manifest) -> Manifest:
    """Read the changes of the field and return ``manifest`` with them. Raises StoreError."""
    changes = read_changes(folder, manifest.commitment)
    field = manifest.field
    for change in changes:
        where = f"{folder / ENTRIES}:{change.number}"
        if fault := unsound(field, change):
            raise StoreError(f"{where}: {fault}")
        field = field.then(change)
    if changes and manifest.is_fixed:
        raise StoreError(f"{folder / ENTRIES}: found changes of a run whose field is fixed")
    changed: Manifest = msgspec.structs.replace(manifest, changes=changes)
    return changed.knowing(field)


def _unsound(identity: Identity, packages: Mapping[str, str]) -> Iterator[str]:
    """Yield reasons why an identity cannot be used; nothing if it can."""
    if identity.ratings is not None and identity.ratings.anchor not in identity.entrants:
        yield "the anchor is no entrant"
    for key, value in msgspec.structs.asdict(identity.clock).items():
        if isinstance(value, int | float) and not 0 <= value <= _LARGEST:
            yield f"clock.{key} is out of all bounds"
    names = {discipline.name for discipline in identity.disciplines}
    if not names or len(names) != len(identity.disciplines):
        yield "found no game, or two of one name"
    for discipline in identity.disciplines:
        if unsound := _unsound_discipline(discipline, set(identity.entrants), packages):
            yield f"{discipline.name}: {unsound}"
    paired = {(each.schedule, each.rules.seats, each.entrants) for each in identity.disciplines}
    if len(paired) > 1 and any(grows(plan) for plan, _, _ in paired):
        yield "found games that are not paired alike, one of which grows by rounds"


def _unsound_games(manifest: Manifest) -> Iterator[str]:
    """Yield reasons why the facts about the games cannot be used; nothing if they can."""
    if manifest.games.keys() != {each.name for each in manifest.identity.disciplines}:
        yield "games: found other ones than those that are played"
    for name, facts in manifest.games.items():
        if not -_LARGEST <= facts.worst_score <= _LARGEST:
            yield f"games.{name}.worst_score is out of all bounds"
        texts = (facts.title, facts.score, facts.data, *facts.endings, *facts.endings.values())
        if not all(map(str.isprintable, texts)):
            yield f"games.{name}: found a text with control characters"


def _unsound_discipline(
    discipline: Discipline, names: set[str], packages: Mapping[str, str]
) -> str:
    playing, seats, plan = discipline.entrants, discipline.rules.seats, discipline.schedule
    if not set(playing) <= names:
        return "somebody plays who is no entrant"
    if plan.kind not in KINDS:
        package = packages.get(plan.kind)
        hint = f"needs {package}: install that" if package else needed_extension(plan.kind)
        return f"found the kind of schedule {plan.kind}" + (f": it {hint}" if hint else "")
    kind = kind_of(plan)
    if not 1 <= fewest(seats, plan) <= len(set(playing)) == len(playing):
        return f"{len(playing)} entrants, some perhaps twice, at a table of {seats} seats"
    flaws = kind.flaws(plan, set(playing), seats)
    strange = (each for each in foreign_keys(plan) if each.path[0] not in kind.own_keys)
    for flaw in itertools.chain(strange, flaws):
        expected = f", expected {flaw.expected}" if flaw.expected else ""
        return f"{dotted(flaw.path)}: {flaw.found}{expected}"
    if grows(plan):
        return "" if seats > 1 else "found rounds of a table of one seat"
    if not 1 <= count(len(playing), seats, plan) <= MAX_PAIRINGS:
        return f"expected 1 to {MAX_PAIRINGS} pairings"
    games = count(len(playing), seats, plan) * seatings(len(playing), seats, plan)
    if games * plan.deals > _MOST_GAMES:
        return f"expected at most {_MOST_GAMES} games"
    return ""
