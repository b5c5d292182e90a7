"""Does a run folder prove what its tables say? Every record is applied again."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from arena.config.identity import breaker_texts, games_of, identity_digest
from arena.games.base import Action, Rules
from arena.games.registry import make_rules
from arena.records.format import Record
from arena.records.read import RecordError, parse, unpack
from arena.records.replay import verify as verify_record
from arena.results import GameResult
from arena.runs.disk import StoreError
from arena.runs.store import (
    GAMES,
    Manifest,
    Stored,
    all_lines,
    read_manifest,
    read_opening,
    read_record,
)
from arena.runs.voids import VOIDS, Void, digests, stored_voids
from arena.runs.withdrawals import Withdrawal, verdict_of
from arena.schedule.schedule import Done, Schedule
from arena.schedule.seeds import Opening, Seeds


class Finding(NamedTuple):
    """One thing that is not as it should be."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


class Checked(NamedTuple):
    """A game that was looked at, with what is wrong with it."""

    result: GameResult | None
    findings: tuple[Finding, ...]


class RunVerifier:
    """Checks one run folder, game by game."""

    def __init__(self, folder: Path, commitment: str | None = None) -> None:
        """``commitment``: what was published when the run began.

        Raises StoreError if the folder is no run; a missing seed is a finding, not an error.
        """
        self.folder = folder
        self.manifest: Manifest = read_manifest(folder)
        self._rules: dict[str, Rules[Any, Action]] = {
            each.name: make_rules(each.rules) for each in self.manifest.disciplines
        }
        self.opening: Opening | None = None
        self.findings = list(_contradictions(self.manifest))
        if commitment is not None and commitment != self.manifest.commitment:
            text = f"the commitment is {self.manifest.commitment}, not the one that was given"
            self.findings.append(Finding("run.json", text))
        self.missing: int | None = None
        """Games still to be played, once all were checked; None without the seed, and of a run that
        has no end of its own."""
        self.withdrawn: Mapping[str, Withdrawal] = {}
        """By name, once all games were checked."""
        self._open_seed()
        self._seeds: Seeds | None = None
        self._schedule: Schedule | None = None
        if self.opening is not None:
            self._seeds = Seeds.of(self.opening.seed)
            self._schedule = Schedule(self.manifest.disciplines, self._seeds)

    @property
    def planned(self) -> int | None:
        """Games of the schedule; None without the seed."""
        return None if self._schedule is None else self._schedule.games

    def games(self) -> Iterator[Checked]:
        """Check every stored game in order of arrival."""
        seen = Done(self._schedule.games) if self._schedule else None
        sizes: Counter[str] = Counter()
        voids: dict[str, int] = {}
        games: set[str] = set()
        again: set[str] = set()
        try:
            for line, stored in all_lines(self.folder):
                sizes[stored.record.file] += stored.record.length
                findings = tuple(self._check(line, stored, seen))
                yield Checked(stored.result, findings)
                voids.setdefault(stored.voids, line)
                game = stored.result.spec.game_id
                (again if game in games else games).add(game)
            yield from self._check_again(again)
            yield from self._judge(seen)
            yield from self._check_voids(voids)
        except StoreError as error:
            yield Checked(None, (Finding(str(self.folder), str(error)),))
            return
        if self.missing == 0 and not again:  # one that was stopped may have a torn record
            yield from self._check_sizes(sizes)

    def _judge(self, seen: Done | None) -> Iterator[Checked]:
        """Which bots were withdrawn, and what is missing without them."""
        number = 0
        for number, void in enumerate(stored_voids(self.folder), 1):
            if self._schedule is not None and not _is_planned(void, self._schedule):
                text = f"{void.game} is not a game of this schedule and seed"
                yield Checked(None, (Finding(f"{VOIDS} line {number}", text),))
        self.withdrawn = verdict_of(self.folder, self.manifest).withdrawn
        if self._schedule is not None and seen is not None and self.manifest.has_end:
            out = self.withdrawn.keys()
            self.missing = sum(
                number not in seen and out.isdisjoint(names)
                for number, names in self._schedule.order()
            )

    def _check_again(self, again: set[str]) -> Iterator[Checked]:
        """Games with several lines: whether these say the same."""
        first: dict[str, tuple[int, GameResult]] = {}
        for line, stored in all_lines(self.folder) if again else ():
            game = stored.result.spec.game_id
            if game in again and game not in first:
                first[game] = line, stored.result
            elif game in again:
                number, result = first[game]
                what = "as" if stored.result == result else "otherwise than"
                text = f"is stored twice: in line {line} {what} in line {number}, which stands"
                yield Checked(None, (Finding(f"game {game}", text),))

    def _check_voids(self, expected: Mapping[str, int]) -> Iterator[Checked]:
        """``expected``: digests of voids.jsonl, each with the first line of games.jsonl that has

        it.
        """
        found, is_torn = digests(self.folder)
        for digest, line in expected.items():
            if digest not in found:
                text = f"is not what it was at {GAMES} line {line}: lines are lost or changed"
                yield Checked(None, (Finding(VOIDS, text),))
                return
        if is_torn and self.missing == 0:  # else by a kill, and the next start cuts it away
            yield Checked(None, (Finding(VOIDS, "its last line is torn"),))

    def _check_sizes(self, sizes: Counter[str]) -> Iterator[Checked]:
        for file, expected in sizes.items():
            with contextlib.suppress(OSError):
                size = (self.folder / file).stat().st_size
                if size != expected:
                    text = f"has {size} bytes, its records have {expected}"
                    yield Checked(None, (Finding(file, text),))

    def _open_seed(self) -> None:
        try:
            opening = read_opening(self.folder)
        except StoreError as error:
            self.findings.append(Finding("seed.json", f"deals cannot be checked: {error}"))
            return
        if opening.commitment(identity_digest(self.manifest.identity)) == self.manifest.commitment:
            self.opening = opening
        else:
            text = "seed and config do not fit the commitment"
            self.findings.append(Finding("run.json", text))

    def _check(self, line: int, stored: Stored, seen: Done | None) -> Iterator[Finding]:
        result = stored.result
        where = f"game {result.spec.game_id}"
        try:
            record, digest = parse(unpack(read_record(self.folder, stored.record)))
            spec = record.header.spec
            if spec.discipline not in self._rules:
                raise RecordError(1, f"spec: found no game {spec.discipline!r} in run.json")
            luck = None if self._seeds is None else self._seeds.deal(spec.deal)
            verify_record(record, self._rules[spec.discipline], luck)
            if record.header.on_fault is not self.manifest.on_fault:
                raise RecordError(1, f"on_fault: found {record.header.on_fault}")
        except (RecordError, StoreError) as error:
            yield Finding(where, f"record: {error}")
            return
        for what, found, expected in _pairs(record, digest, result):
            if found != expected:
                text = f"{what} is {found} in games.jsonl line {line}, {expected} in the record"
                yield Finding(where, text)
        if self._schedule is not None and self._seeds is not None and seen is not None:
            yield from _planned(where, record, self._schedule, self._seeds, seen)


def _contradictions(manifest: Manifest) -> Iterator[Finding]:
    """What run.json says twice it must say alike."""
    identity = manifest.identity
    entrants = identity.get("entrants")
    ratings = None
    if manifest.anchor is not None:
        ratings = {"anchor": manifest.anchor, "elo": manifest.anchor_elo}
    said = {
        "games": (identity.get("games"), games_of(manifest.disciplines, manifest.entrants)),
        "entrants": (
            sorted(entrants) if isinstance(entrants, dict) else None,
            sorted(manifest.entrants),
        ),
        "on_fault": (identity.get("on_fault"), manifest.on_fault.value),
        "breaker": (identity.get("breaker"), breaker_texts(manifest.breaker)),
        "ratings": (identity.get("ratings"), ratings),
    }
    for key, (once, again) in said.items():
        if once != again:
            yield Finding("run.json", f"identity.{key} is not what was played")


def _is_planned(void: Void, schedule: Schedule) -> bool:
    spec = schedule.game(void.game)
    return spec is not None and spec.entrants == void.entrants


def _planned(
    where: str, record: Record, schedule: Schedule, seeds: Seeds, seen: Done
) -> Iterator[Finding]:
    """Whether the game is one of the schedule, once, with the seeds it should have."""
    spec = record.header.spec
    number = schedule.number(spec.game_id)
    if number is None or schedule.game(spec.game_id) != spec:
        yield Finding(where, "is not a game of this schedule and seed")
    else:
        seen.add(number)
    expected = tuple(seeds.bot(spec, seat) for seat in range(len(spec.entrants)))
    if record.header.bot_seeds != expected:
        yield Finding(where, "record: line 1: bot seeds are not what the seed gives")


def _pairs(record: Record, digest: str, result: GameResult) -> Iterator[tuple[str, Any, Any]]:
    end = record.end
    yield "spec", result.spec, record.header.spec
    yield "digest", result.digest, digest
    yield "termination", result.termination.value, end.termination.value
    yield "places", result.places, end.places
    yield "scores", result.scores, end.scores
    yield "faults", result.faults, end.faults
    yield "ruling", result.ruling, end.ruling
    yield "plies", result.plies, end.plies
    yield "think_us", result.think_us, record.think_us()
    yield "wall_us", result.wall_us, record.measured.wall_us
