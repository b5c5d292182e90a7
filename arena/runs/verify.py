"""Verify that a run folder proves its tables, by applying every record again.

All chance is drawn again from the seed.

Tables and reports of the folder are compared in ``arena.cli.commands.verify``, where the
checks of extensions run too.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from msgspec import UNSET

from arena.games.registry import facts_of, other_source
from arena.referee.records.format import Record
from arena.referee.records.read import RecordError, parse, unpack
from arena.referee.records.replay import verify as verify_record
from arena.runs.damage import Used, fault_of_game, stated_and_recorded
from arena.runs.disk import NOT_READABLE, StoreError, stored_lines
from arena.runs.field import ENTRIES, Field, FieldChange
from arena.runs.growth import refills
from arena.runs.growth.kinds import RoundResults
from arena.runs.growth.past import PastRun
from arena.runs.growth.rulings import are_places, told
from arena.runs.identity import identity_digest, lost_lines, stored_opening, unfit_round, unfit_seed
from arena.runs.reader import StoredRun
from arena.runs.store import (
    GAMES,
    LOST,
    RECORDS,
    SEED,
    Loss,
    Stored,
    all_lines,
    check_seats,
    is_blank,
    read_record,
    set_aside_parts,
)
from arena.runs.thinning import THINNED, Thinned, read_thinned
from arena.runs.voids import VOIDS, Void
from arena.runs.voids import digests as void_digests
from arena.runs.withdrawals import Breaker, Withdrawal, WithdrawalState
from arena.schedule.pairings import Pairing
from arena.schedule.schedule import Done, Schedule
from arena.schedule.seeds import Opening, Seeds
from arena.values.results import GameResult, GameSpec

_LOST_NAMED: Final = 3
"""Missing games of a bot that a finding names."""


class Discrepancy(msgspec.Struct, frozen=True):
    """One thing that is wrong in a run folder, with its place."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


class Checked(NamedTuple):
    """A checked game with its findings; without a result, findings about the run.

    A game that was ruled to be played again has no result either.
    """

    result: GameResult | None
    findings: tuple[Discrepancy, ...]


class RunVerifier:
    """Verifier of a run folder, game by game."""

    def __init__(self, folder: Path, commitment: str | None = None) -> None:
        """Open the run. ``commitment``: the one published when the run began, to be compared.

        Raises StoreError if the folder is not a run or its rules cannot be built. A missing seed is
        a finding, not an error. Without the seed of a ladder, its rounds are checked by the seeds
        that it has published.
        """
        self.run = StoredRun(folder)
        manifest = self.run.manifest
        self._rules = {each.name: self.run.rules(each.name) for each in manifest.disciplines}
        self._adjudicate = {each.name: each.adjudicate for each in manifest.disciplines}
        self.remarks = sorted({other_source(each.rules) for each in manifest.disciplines} - {""})
        """Remarks, such as how the installed rules differ from the run's. Games prove themselves,
        but such a difference may explain a finding."""
        self.opening: Opening | None = None
        self.is_told = False
        """True if the run is checked without its seed, by the seeds that it has published."""
        self.findings: list[Discrepancy] = []
        if commitment is not None and commitment != manifest.commitment:
            text = f"the commitment is {manifest.commitment}, not the one that was given"
            self.findings.append(Discrepancy("run.json", text))
        facts = facts_of(self._rules)
        for name, found in manifest.games.items():
            if found != facts[name]:
                text = f"games.{name}: is not what the game says of itself"
                self.findings.append(Discrepancy("run.json", text))
        self.missing: int | None = None
        """Number of games to play, once all were checked. None without the seed, and for a run
        that has no end of its own."""
        made = manifest.field.made
        self.remarks += [words for _, words in told(made)]
        self._ruled: dict[str, set[str]] = {each.game: set() for _, each in made if each.game}
        """Digests of the stored results of each game that was ruled on."""
        self._lost: dict[str, list[int]] = {}
        """Numbers of the first missing games by bot, once all games were checked."""
        self.to_come = ""
        """Rounds still to be drawn although no game is missing, in words; empty for nothing."""
        self.withdrawn: Mapping[str, Withdrawal] = {}
        """Withdrawn bots by name, once all games were checked."""
        self.given_up: Counter[str] = Counter()
        """Number of games of the schedule that will not be played, by the bot that was withdrawn or
        left; of several such bots, the first in the order of seats."""
        self.thinned: tuple[Thinned, ...] = ()
        """Removals of records by the rule of the run."""
        self.without_record = 0
        """Number of games whose records were removed by rule; their results stand unchanged."""
        self._read_thinned()
        self._open_seed()
        self._schedule: Schedule | None = None
        self._told = manifest.kind.published_games(manifest.changes, self.run.schedule)
        """Number of the first game of a ladder whose round has no published seed."""
        self._known = self._told if self.is_told else self.run.schedule.numbers
        """Number of the first game whose seeds are not known."""
        if self.opening is not None:
            self._schedule = self.run.manifest.schedule(self.opening)

    @property
    def planned(self) -> int | None:
        """Number of games in the schedule; None without the seed."""
        return None if self._schedule is None else self._schedule.games

    def games(self) -> Iterator[Checked]:
        """Check every stored game in order of arrival, then the run as a whole."""
        schedule = self.run.schedule
        seen, stored_once = Done(schedule.numbers), Done(schedule.numbers)
        rulings = self.run.manifest.rulings
        ruled = rulings.reader()
        played = self.run.manifest.results()
        breaker = self.run.breaker(stored_once)
        used = Used()
        voids: dict[str, int] = {}
        has_learned = self.run.manifest.identity.learning is UNSET
        strangers: set[str] = set()
        again: set[str] = set()
        try:
            for line, stored in all_lines(self.run.folder):
                used.add(stored.record)
                has_learned |= bool(stored.learned)
                findings = tuple(self._check(line, stored, seen))
                game = stored.result.spec.game_id
                number = schedule.number(game)
                if number is None and self._schedule is None:  # else _in_plan reports it
                    findings = (*findings, Discrepancy(f"game {game}", "is not a game of this run"))
                result = ruled(stored.result)
                yield Checked(None if result is None else stored.result, findings)
                voids.setdefault(stored.voids, line)
                if game in self._ruled:
                    self._ruled[game].add(stored.result.digest)
                if result is None:  # it was ruled to be played again
                    continue
                if number is None:
                    (again if game in strangers else strangers).add(game)
                elif stored_once.add(number):
                    breaker.add(number, result)
                    if played is not None and game not in rulings.annulled:
                        played.add(result, stored.spent)
                else:
                    again.add(game)
            if not has_learned:
                self.remarks.append("what bots learnt is not here, and not checked")
            yield from self._check_again(again)
            yield from self._judge(breaker, seen, stored_once)
            yield from self._check_rulings()
            yield from self._check_changes(played, breaker.verdict)
            if not self.missing:
                self.to_come = self._to_come(breaker.verdict)
            yield from self._check_voids(voids)
        except StoreError as error:
            yield _of_run(str(self.run.folder), str(error))
            return
        yield from self._check_lost()
        yield from self._check_sizes(used)

    def _judge(self, breaker: Breaker, seen: Done, stored: Done) -> Iterator[Checked]:
        """Find the withdrawn bots, and the games of other bots that are missing."""
        for number, void in enumerate(self.run.voids(), 1):
            breaker.add_void(void)
            seeds = self._seeds_of(void.game)
            if self._schedule is not None and seeds and not _is_planned(void, self._schedule):
                text = f"{void.game} is not a game of this schedule and seed"
                yield _of_run(f"{VOIDS} line {number}", text)
        breaker.judge()
        self.withdrawn = breaker.verdict.withdrawn
        if self._schedule is not None and self.run.planned is not None:
            out, schedule = self.withdrawn.keys(), self._schedule
            self.missing = early = 0
            for number, names in schedule.order():
                if number in seen or number >= self._known:
                    continue
                gone = [name for name in names if name in out] or schedule.gone(number, names)
                self.given_up.update(gone[:1])
                self.missing += not gone
                for name in () if gone else names:
                    first = self._lost.setdefault(name, [])
                    first += [number] * (len(first) < _LOST_NAMED)
                is_told = number < self._told and number not in stored
                early += is_told and not self._was_given_up(number, names)
            if early:
                text = f"publishes the seeds of rounds in which games are missing: {early}"
                yield _of_run(ENTRIES, text)

    def missing_games(self, name: str) -> list[str]:
        """Return the ids of the first missing games of a bot."""
        return [self.run.schedule.game_at(number).game_id for number in self._lost.get(name, ())]

    def _was_given_up(self, number: int, names: Pairing) -> bool:
        """Return whether game ``number`` was rightly not played when its leg ended.

        A bot that left or was withdrawn later must have played it. Otherwise, games could be left
        out once their results are known.
        """
        legs = (self.withdrawn[name].at for name in names if name in self.withdrawn)
        schedule = self.run.schedule
        is_out = any(schedule.leg_of(at) <= number for at in legs)
        return is_out or schedule.was_gone(number, names)

    def _check_changes(
        self, played: RoundResults | None, verdict: WithdrawalState
    ) -> Iterator[Checked]:
        """Check that each round follows from the results before, and refills from withdrawals."""
        manifest, schedule = self.run.manifest, self._schedule
        if self.opening is None or schedule is None:
            return
        kind = manifest.kind
        lots = kind.lots(self.opening, manifest.changes)
        since = 0
        for end in (*(number - 1 for number, _ in manifest.field.made), len(manifest.changes)):
            own = range(since + 1, end + 1)  # lines that followed from the same rulings
            since = end
            if not any(manifest.changes[number - 1].is_derived for number in own):
                continue
            results, then = played, verdict
            if end < len(manifest.changes):
                results = manifest.results()
                then = self._then(PastRun(self.run, end, 0), results)
            lines = list(_only(manifest.fields(), own))
            found = kind.differing(lines, schedule, results, then, lots, manifest.anchor)
            for line, text in chain(found, refills.differing(lines, schedule, then)):
                yield _of_run(f"{ENTRIES} line {line}", text)

    def _then(self, past: PastRun, played: RoundResults | None) -> WithdrawalState:
        """Add the results of a past run to ``played``, and return who was withdrawn in it."""
        return past.withdrawals(
            lambda game: None if played is None else played.add(game.result, game.stored.spent)
        )

    def _check_rulings(self) -> Iterator[Checked]:
        """Check that what was ruled about games is about games of the run as they were stored."""
        for number, ruling in self.run.manifest.field.made:
            where, game = f"{ENTRIES} line {number}", ruling.game
            if not game:
                continue
            spec = self.run.schedule.game(game)
            if spec is None:
                yield _of_run(where, f"rules on {game}, which is not a game of this run")
            elif ruling.digest not in self._ruled[game]:
                yield _of_run(where, f"rules on a result of {game} that is not stored")
            elif ruling.places and not are_places(ruling.places, len(spec.entrants)):
                yield _of_run(where, f"gives {game} places that no game can have")

    def _to_come(self, verdict: WithdrawalState) -> str:
        manifest = self.run.manifest
        if self.is_told:
            return manifest.kind.unproven(manifest.changes)
        if not manifest.is_over:
            return "its next round is not drawn yet"
        if manifest.shard is not None or verdict.stopped is not None or self._schedule is None:
            return ""
        found = refills.refilled(manifest.field, verdict, self._schedule.numbers).pairings
        return "tables of withdrawn bots are still to be filled again" if found else ""

    def _check_again(self, again: set[str]) -> Iterator[Checked]:
        """Report games with several lines, and whether these lines agree."""
        first: dict[str, tuple[int, GameResult]] = {}
        for line, stored in all_lines(self.run.folder) if again else ():
            game = stored.result.spec.game_id
            if game in again and game not in first:
                first[game] = line, stored.result
            elif game in again:
                number, result = first[game]
                what = "as" if stored.result == result else "otherwise than"
                text = f"is stored twice: in line {line} {what} in line {number}, which stands"
                yield _of_run(f"game {game}", text)

    def _check_voids(self, expected: Mapping[str, int]) -> Iterator[Checked]:
        """Check that each recorded digest of voids.jsonl is one of this file.

        ``expected``: these digests, each with the first line of games.jsonl that has it.
        """
        found, is_torn = void_digests(self.run.folder)
        for digest, line in expected.items():
            if digest not in found:
                text = f"is not what it was at {GAMES} line {line}: lines are lost or changed"
                yield _of_run(VOIDS, text)
                return
        if is_torn and self.missing == 0:  # else a kill tore it, and the next start cuts it off
            yield _of_run(VOIDS, "its last line is torn")

    def _check_lost(self) -> Iterator[Checked]:
        """Check that no intact game was set aside for another result."""
        folder, games, size = self.run.folder, 0, 0
        whole: dict[str, list[tuple[int, str]]] = {}
        """Lines and digests of the records of each game that is intact where it was set aside."""
        try:
            for number, loss in stored_lines(folder / LOST, Loss, "loss"):
                games += loss.file == GAMES
                size += loss.length
                for game, digest in self._whole(loss):
                    whole.setdefault(game, []).append((number, digest))
            for _, stored in all_lines(folder) if whole else ():
                for number, digest in whole.get(game := stored.result.spec.game_id, ()):
                    if digest != stored.result.digest:
                        text = f"sets another result of game {game} aside, which is intact"
                        yield _of_run(f"{LOST} line {number}", text)
        except StoreError as error:
            yield _of_run(LOST, str(error))
        if games or size:
            text = f"{games} damaged lines and {size} bytes of records are set aside"
            self.remarks.append(f"{LOST}: {text}; their games were played again")

    def _whole(self, loss: Loss) -> Iterator[tuple[str, str]]:
        """Yield id and digest of the game that was set aside if nothing is wrong with its line."""
        folder = self.run.folder
        with contextlib.suppress(*NOT_READABLE, StoreError):
            if loss.file == GAMES:
                stored = msgspec.json.decode(loss.line.encode("latin-1", "replace"), type=Stored)
                check_seats(folder / GAMES, 0, stored.result)
                voids, _ = void_digests(folder)
                if not fault_of_game(folder, stored, voids):
                    yield stored.result.spec.game_id, stored.result.digest

    def _check_sizes(self, used: Used) -> Iterator[Checked]:
        """Check that the file of records holds these records alone.

        After the last one of a run that was stopped there may be a torn one.
        """
        with contextlib.suppress(OSError, StoreError):
            size = (self.run.folder / RECORDS).stat().st_size if self.missing == 0 else used.end
            for each in set_aside_parts(self.run.folder):
                used.add(each)
            if more := sum(length for _, length in used.gaps(size)):
                text = f"has {more} bytes that belong to no game"
                yield _of_run(RECORDS, text)

    def _read_thinned(self) -> None:
        """Read the removals of records by rule; the extension that makes them checks each."""
        manifest = self.run.manifest
        try:
            found = read_thinned(self.run.folder, manifest.commitment)
        except StoreError as error:
            self.findings.append(Discrepancy(THINNED, str(error)))
            return
        if manifest.kind.kept(manifest.identity.keep) is not UNSET:
            self.thinned = found
        elif found:
            text = "found removals of records, expected none: the run keeps all of them"
            self.findings.append(Discrepancy(THINNED, text))

    def _is_thinned(self, line: int, stored: Stored) -> bool:
        """Return whether the record of the game in a line of games.jsonl was removed by rule."""
        if not self.thinned or line > self.thinned[-1].lines or stored.record.file != RECORDS:
            return False
        path = self.run.folder / RECORDS
        with contextlib.suppress(OSError), path.open("rb") as file:
            file.seek(max(0, stored.record.offset))
            return is_blank(file.read(stored.record.length))
        return False

    def _open_seed(self) -> None:
        manifest, folder = self.run.manifest, self.run.folder
        published = manifest.kind.published(manifest.changes)
        if published is not None and not os.access(folder / SEED, os.R_OK):
            self.is_told, opening = True, published
            unfit, changes = "", manifest.changes
            own = identity_digest(manifest.identity)
            unfit_line = manifest.kind.unfit_published(changes, own, manifest.commitment)
        else:
            try:
                opening = stored_opening(folder, manifest)
            except StoreError as error:
                self.findings.append(Discrepancy(SEED, f"deals cannot be checked: {error}"))
                return
            unfit, unfit_line = unfit_seed(manifest, opening), unfit_round(manifest, opening)
            if lost := lost_lines(folder, manifest, opening):
                self.findings.append(Discrepancy(*lost.split(": ", 1)))
        if unfit:
            self.findings.append(Discrepancy("run.json", unfit))
        elif unfit_line:
            self.findings.append(Discrepancy(*unfit_line.split(": ", 1)))
        else:
            self.opening = opening

    def _check(self, line: int, stored: Stored, seen: Done) -> Iterator[Discrepancy]:
        result = stored.result
        where = f"game {result.spec.game_id}"
        if self._is_thinned(line, stored):
            self.without_record += 1
            if self._schedule is not None and self._seeds_of(result.spec.game_id) is not None:
                yield from _in_plan(where, result.spec, self._schedule, seen)
            return
        try:
            record, digest = parse(unpack(read_record(self.run.folder, stored.record)))
            spec = record.header.spec
            if spec.discipline not in self._rules:
                raise RecordError(1, f"spec: found no game {spec.discipline!r} in run.json")
            seeds = self._seeds_of(spec.game_id)
            luck = None if seeds is None else seeds.deal(spec.deal)
            verify_record(record, self._rules[spec.discipline], luck)
            if record.header.on_fault is not self.run.manifest.identity.on_fault:
                raise RecordError(1, f"on_fault: found {record.header.on_fault}")
            if record.header.adjudicate != self._adjudicate[spec.discipline]:
                raise RecordError(1, "adjudicate: it is not that of run.json")
        except (RecordError, StoreError) as error:
            yield Discrepancy(where, f"record: {error}")
            return
        for what, found, expected in stated_and_recorded(record, digest, result):
            if found != expected:
                text = f"{what} is {found} in games.jsonl line {line}, {expected} in the record"
                yield Discrepancy(where, text)
        if self._schedule is not None and seeds is not None:
            yield from _planned(where, record, self._schedule, seeds, seen)

    def _seeds_of(self, game: str) -> Seeds | None:
        """Return the seeds of the round of a game; None if they are not known.

        For a game that is not planned, these are the seeds of the first round.
        """
        if self._schedule is None:
            return None
        number = self._schedule.number(game)
        if number is not None and number >= self._known:
            return None
        return self._schedule.seeds_at(number or 0)


def _only(
    lines: Iterable[tuple[Field, FieldChange]], own: Container[int]
) -> Iterator[tuple[Field, FieldChange]]:
    """Yield the lines, those whose number is not in ``own`` without what they follow from."""
    for field, change in lines:
        if change.number not in own:
            change = msgspec.structs.replace(change, follows=UNSET, refills=UNSET)
        yield field, change


def _of_run(where: str, what: str) -> Checked:
    """Return a finding about the run."""
    return Checked(None, (Discrepancy(where, what),))


def _is_planned(void: Void, schedule: Schedule) -> bool:
    spec = schedule.game(void.game)
    return spec is not None and spec.entrants == void.entrants


def _in_plan(where: str, spec: GameSpec, schedule: Schedule, seen: Done) -> Iterator[Discrepancy]:
    """Add the game to ``seen`` if it is one of the schedule; else report it."""
    number = schedule.number(spec.game_id)
    if number is None or schedule.game(spec.game_id) != spec:
        yield Discrepancy(where, "is not a game of this schedule and seed")
    else:
        seen.add(number)


def _planned(
    where: str, record: Record, schedule: Schedule, seeds: Seeds, seen: Done
) -> Iterator[Discrepancy]:
    """Check that the game of ``record`` is planned, and that its bot seeds follow from the seed."""
    spec = record.header.spec
    yield from _in_plan(where, spec, schedule, seen)
    expected = tuple(seeds.bot(spec, seat) for seat in range(len(spec.entrants)))
    if record.header.bot_seeds != expected:
        yield Discrepancy(where, "record: line 1: bot seeds are not what the seed gives")
