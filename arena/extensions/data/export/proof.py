"""A run folder for everybody, with exactly what ``arena verify`` needs of a run.

If the seed of the run is public, the folder has the seed and all games; of a ladder it has the
rounds whose seeds are published. Texts of bots are left out: ``info``, standard error, details of
faults, files that they keep from round to round; and so are times, memory, machines and paths.
Records have other digests without these, and the lines of games.jsonl name the new digests. Records
that the run no longer keeps are missing here too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from arena.extensions.data.export.pack import MANIFEST as PACK_MANIFEST
from arena.extensions.data.export.pack import SCHEMA, proof_readme, writing_folder
from arena.referee.records.format import Record, pack
from arena.referee.records.read import RecordError, parse, unpack
from arena.runs.disk import write_json, writing
from arena.runs.field import add_change
from arena.runs.manifest import MANIFEST
from arena.runs.reader import StoredRun
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
from arena.values.results import Evidence, GameResult, SeatUsage

_NOTHING: Final = b"\0"
"""Placeholder for a record that is no longer kept."""


class Proof:
    """A proof of a run, ready to be written; the run itself is only read."""

    def __init__(self, run: StoredRun) -> None:
        """Find what can be proved. Raises StoreError."""
        self.run = run
        manifest = run.manifest
        self.is_whole = run.is_opened
        """True if the proof has the seed of the run."""
        self._end = manifest.kind.published_games(manifest.changes, run.schedule)
        if self.is_whole:
            self._end = run.schedule.numbers
        self.is_empty = not self._end
        """True if nothing of the run can be proved yet."""
        thinned = read_thinned(run.folder, manifest.commitment)
        self._last = thinned[-1] if thinned else None

    def write(self, folder: Path) -> Iterator[int]:
        """Fill an empty folder; yield the number of games after each one. Raises StoreError."""
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
                    continue  # the game may have been played meanwhile
                is_gone = self._last is not None and line <= self._last.lines
                gone += is_gone
                store.copy(*self._bare(stored, is_gone=is_gone), (), {})
                written += 1
                yield written
        if gone and self._last is not None:
            self._write_thinned(folder, self._last, gone)

    def _bare(self, stored: Stored, *, is_gone: bool) -> tuple[Stored, bytes]:
        """Return a line and its record without texts of bots and without measured values."""
        spent = tuple(SeatUsage(games=own.games, cpu_us=own.cpu_us) for own in stored.spent)
        own = msgspec.structs.replace(stored, machine="", spent=spent, learned=())
        if is_gone:
            return msgspec.structs.replace(own, result=_result(stored.result, "")), _NOTHING
        with self.run.record_errors(stored):
            record, digest = parse(unpack(read_record(self.run.folder, stored.record)))
            if digest != stored.result.digest:
                raise RecordError(1, "is not the one that was stored")
        packed, digest = pack(_record(record))
        return msgspec.structs.replace(own, result=_result(stored.result, digest)), packed

    def _write_thinned(self, folder: Path, last: Thinned, gone: int) -> None:
        """Write the one line of thinned.jsonl, for the first ``gone`` games."""
        (results,) = results_digests(folder / GAMES, [gone])
        commitment = self.run.manifest.commitment
        own = Thinned(last.at, last.before, gone, gone * len(_NOTHING), results, commitment)
        (folder / THINNED).write_bytes(own.line)


def write_proof(proof: Proof, path: Path, *, force: bool) -> Iterator[int]:
    """Write a proof as a pack with a description; yield the number of games after each one.

    ``force``: replace an older pack. Raises PackError and StoreError.
    """
    name, games = proof.run.manifest.name, 0
    with writing(path), writing_folder(path, force=force) as folder:
        for games in proof.write(folder):
            yield games
        described = {"schema": SCHEMA, "run": name, "proof": True, "games": games}
        (folder / PACK_MANIFEST).write_bytes(msgspec.json.encode(described))
        text = proof_readme(name, is_whole=proof.is_whole)
        (folder / "README.txt").write_text(text, encoding="utf-8")


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
