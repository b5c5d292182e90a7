"""A run folder used as a pilot: the blocks of two of its entrants."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from arena.documents.bad_input import BadInput
from arena.documents.problems import check_entrant, check_one_of, quote
from arena.ratings.planning.pilot import Pilot, Solo, pilot
from arena.results import GameResult
from arena.runs.manifest import Manifest
from arena.runs.reader import StoredRun
from arena.schedule.schedule import Discipline


class PilotRun(NamedTuple):
    """A pilot, with the run and the entrants that it was read from."""

    run: str
    one: str
    other: str
    discipline: str
    title: str
    """Title of the discipline for people."""
    score: str | None
    """Unit of margins, as a plural noun; None for places."""
    pilot: Pilot


def read_pilot(folder: Path, pair: str | None, game: str | None) -> PilotRun:
    """Return the pilot in a run folder.

    ``pair``: two entrants as ``A,B``; by default the first two that play a discipline together.
    ``game``: the discipline; by default the first one that both play. Raises BadInput and
    StoreError.
    """
    run = StoredRun(folder)
    manifest = run.manifest
    asked = None if pair is None else _pair(pair, manifest)
    discipline = _discipline(manifest, asked, game)
    one, other = asked or discipline.entrants[:2]
    facts = manifest.games[discipline.name] if discipline.rules.seats == 1 else None
    solo = Solo(facts.less_is_better, facts.worst_score) if facts else None
    found = pilot(_blocks_of(run, discipline, (one, other)), one, other, solo)
    where = f"{folder}: {one} and {other} in {discipline.name}"
    if found is None:
        raise BadInput(f"{where}: found no finished block that compares them, expected some")
    if found.deviation.value is None:
        raise BadInput(
            f"{where}: all {found.blocks} blocks came out alike, so nothing can be planned with "
            "them; expected blocks that differ"
        )
    name, score = discipline.name, facts.score if facts else None
    return PilotRun(manifest.name, one, other, name, run.titles[name], score, found)


def _blocks_of(
    run: StoredRun, discipline: Discipline, pair: Sequence[str]
) -> Iterator[list[GameResult]]:
    """Yield the complete blocks of two entrants in the order of block names. Raises StoreError."""
    wanted, seats = set(pair), discipline.rules.seats
    solo = seats == 1
    found: defaultdict[str, dict[str, GameResult]] = defaultdict(dict)
    for game in run.games():
        spec = game.result.spec
        met = wanted.intersection(spec.entrants)
        here = spec.discipline == discipline.name and len(spec.entrants) == seats
        if here and (met if solo else met == wanted):
            found[spec.block][spec.game_id] = game.result
    size = 2 if solo else run.schedule.seatings(discipline.name)
    for block in sorted(found):
        if len(found[block]) == size:
            yield [found[block][game_id] for game_id in sorted(found[block])]


def _pair(text: str, manifest: Manifest) -> tuple[str, str]:
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or names[0] == names[1]:
        raise BadInput(f"--pair: found {quote(text)}, expected two entrants: A,B")
    for name in names:
        check_entrant("--pair", name, manifest.entrants, "an entrant of the run")
    return names[0], names[1]


def _discipline(manifest: Manifest, pair: tuple[str, str] | None, game: str | None) -> Discipline:
    if game is not None:
        check_one_of("--game", game, [each.name for each in manifest.disciplines])
    for each in manifest.disciplines:
        here = game in (None, each.name) and len(each.entrants) > 1
        if here and (pair is None or set(pair) <= set(each.entrants)):
            return each
    who = "two entrants" if pair is None else f"both {pair[0]} and {pair[1]}"
    raise BadInput(f"{manifest.name}: found no game that {who} play, expected one")
