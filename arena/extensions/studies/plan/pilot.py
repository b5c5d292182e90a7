"""The pilot of a plan: a run that was played already."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from arena.extensions.matches.statistics.blocks import MatchDiscipline
from arena.extensions.matches.statistics.report import Measure
from arena.extensions.studies.plan.lengths import PlanBasis, pilot
from arena.runs.manifest import Manifest
from arena.runs.reader import StoredRun
from arena.schedule.keys import Discipline
from arena.values.bad_input import BadInput
from arena.values.problems import check_entrant, check_one_of, quote
from arena.values.results import GameResult


def read_pilot(folder: Path, pair: str | None, game: str | None) -> PlanBasis:
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
    facts, seats = manifest.games[discipline.name], discipline.rules.seats
    measure = Measure.MARGIN if seats == 1 else Measure.PLACES
    table = MatchDiscipline(
        discipline=discipline.name,
        seats=seats,
        lineup="",
        block_games=2 if seats == 1 else run.schedule.seatings(discipline.name),
        measure=measure,
        less_is_better=facts.less_is_better,
        worst_score=facts.worst_score,
        title=run.titles[discipline.name],
    )
    found = pilot(_blocks_of(run, table, (one, other)), one, other, table)
    where = f"{folder}: {one} and {other} in {discipline.name}"
    if found is None:
        raise BadInput(f"{where}: found no finished block that compares them, expected some")
    if found.deviation.value is None:
        raise BadInput(
            f"{where}: all {found.blocks} blocks came out alike, so nothing can be planned with "
            "them; expected blocks that differ"
        )
    score = facts.score if measure is Measure.MARGIN else None
    return msgspec.structs.replace(found, run=manifest.name, score=score)


def _blocks_of(
    run: StoredRun, table: MatchDiscipline, pair: Sequence[str]
) -> Iterator[list[GameResult]]:
    """Yield the complete blocks of two entrants in the order of block names. Raises StoreError."""
    wanted, least = set(pair), min(2, table.seats)
    found: defaultdict[str, dict[str, GameResult]] = defaultdict(dict)
    for game in run.games():
        spec = game.result.spec
        met = wanted.intersection(spec.entrants)
        here = spec.discipline == table.discipline and len(spec.entrants) == table.seats
        if here and len(met) >= least:
            found[spec.block][spec.game_id] = game.result
    for block in sorted(found):
        if len(found[block]) == table.block_games:
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
