"""A run folder for everybody: what ``arena verify`` has to have of a run, and nothing else.

Of a run whose seed is public that is all games with the seed; of a ladder the rounds whose seeds
it has told. What bots wrote is left out: ``info``, standard error, details of faults; and so are
times, memory, machines and paths. Records have other digests without these, and lines of
games.jsonl name them. Records that the run keeps no longer are missing here too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from arena.records.format import Record, pack
from arena.records.read import RecordError, parse, unpack
from arena.results import Evidence, GameResult, Spent
from arena.runs.disk import cannot_write, write_json
from arena.runs.field import add_change
from arena.runs.manifest import MANIFEST
from arena.runs.reader import StoredRun
from arena.runs.rounds.openings import told_games
from arena.runs.store import (
    GAMES,
    SEED,
    Store,
    Stored,
    all_lines,
    encoded,
    read_opening,
    read_record,
)
from arena.runs.thinning import THINNED, Thinned, read_thinned, results_digests
from arena.views.export.pack import MANIFEST as PACK_MANIFEST
from arena.views.export.pack import SCHEMA, writing_folder
from arena.views.export.texts import proof_readme

_NOTHING: Final = b"\0"
"""In place of a record that is kept no longer."""


class Proof:
    """Such a folder that can be written. Reads the run and changes nothing there."""

    def __init__(self, run: StoredRun) -> None:
        """Raises StoreError."""
        self.run = run
        manifest = run.manifest
        self.is_whole = run.is_opened
        """Whether it has the seed of the run."""
        self._end = told_games(manifest, run.schedule) if manifest.is_ladder else 0
        if self.is_whole:
            self._end = run.schedule.numbers
        self.is_empty = not self._end
        """Whether nothing of the run can be proved by now."""
        thinned = read_thinned(run.folder, manifest.commitment)
        self._last = thinned[-1] if thinned else None

    def write(self, folder: Path) -> Iterator[int]:
        """Fill an empty folder; yields how many games are in it after each. Raises StoreError."""
        run, manifest = self.run, self.run.manifest
        write_json(folder / MANIFEST, msgspec.structs.replace(manifest, source=None, changes=()))
        if self.is_whole:
            (folder / SEED).write_bytes(encoded(read_opening(run.folder)))
        for change in manifest.changes:
            add_change(folder, change)
        written = gone = 0
        with Store(folder) as store:
            for void in run.voids():
                number = run.schedule.number(void.game)
                if number is not None and number < self._end:
                    store.add_void(msgspec.structs.replace(void, reason="", machine=""))
            for line, stored in all_lines(run.folder):
                number = run.schedule.number(stored.result.spec.game_id)
                if number is None or number >= self._end:
                    continue  # it may be played meanwhile
                is_gone = self._last is not None and line <= self._last.lines
                gone += is_gone
                store.copy(*self._bare(stored, is_gone=is_gone), (), {})
                written += 1
                yield written
        if gone and self._last is not None:
            self._write_thinned(folder, self._last, gone)

    def _bare(self, stored: Stored, *, is_gone: bool) -> tuple[Stored, bytes]:
        """A line and its record without what bots wrote and without what was measured."""
        spent = tuple(Spent(games=own.games, cpu_us=own.cpu_us) for own in stored.spent)
        own = msgspec.structs.replace(stored, machine="", spent=spent)
        if is_gone:
            return msgspec.structs.replace(own, result=_result(stored.result, "")), _NOTHING
        with self.run.record_errors(stored):
            record, digest = parse(unpack(read_record(self.run.folder, stored.record)))
            if digest != stored.result.digest:
                raise RecordError(1, "is not the one that was stored")
        packed, digest = pack(_record(record))
        return msgspec.structs.replace(own, result=_result(stored.result, digest)), packed

    def _write_thinned(self, folder: Path, last: Thinned, gone: int) -> None:
        """The one line of thinned.jsonl; these games are the first."""
        (results,) = results_digests(folder / GAMES, [gone])
        commitment = self.run.manifest.commitment
        own = Thinned(last.at, last.before, gone, gone * len(_NOTHING), results, commitment)
        (folder / THINNED).write_bytes(own.line)


def write_proof(proof: Proof, path: Path, *, force: bool) -> Iterator[int]:
    """Write a proof as a pack that says what it is; yields how many games are in it after each.

    ``force``: replace an older pack. Raises PackError and StoreError.
    """
    name, games = proof.run.manifest.name, 0
    try:
        with writing_folder(path, force=force) as folder:
            for games in proof.write(folder):
                yield games
            described = {"schema": SCHEMA, "run": name, "proof": True, "games": games}
            (folder / PACK_MANIFEST).write_bytes(msgspec.json.encode(described))
            text = proof_readme(name, is_whole=proof.is_whole)
            (folder / "README.txt").write_text(text, encoding="utf-8")
    except OSError as error:
        raise cannot_write(path, error) from error


def _record(record: Record) -> Record:
    plies = tuple(msgspec.structs.replace(ply, info=None) for ply in record.plies)
    faults = tuple(msgspec.structs.replace(each, detail="") for each in record.end.faults)
    end = msgspec.structs.replace(record.end, faults=faults)
    measured = msgspec.structs.replace(
        record.measured,
        think_us=(0,) * len(plies),
        wall_us=0,
        evidence=tuple(Evidence(each.seat) for each in record.measured.evidence),
    )
    return Record(record.header, plies, end, measured)


def _result(result: GameResult, digest: str) -> GameResult:
    return msgspec.structs.replace(
        result,
        digest=digest or result.digest,
        faults=tuple(msgspec.structs.replace(each, detail="") for each in result.faults),
        think_us=(0,) * len(result.think_us),
        wall_us=0,
    )
