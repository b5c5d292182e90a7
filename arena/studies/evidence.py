"""Games that were played already: a sequential test of counted results, and the pilot of a run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from arena import __version__
from arena.ratings.match import planner
from arena.ratings.match.blocks import MatchDiscipline
from arena.ratings.match.numbers import elo_range, mean_range, moments, nelo_range, superiority_of
from arena.ratings.match.planner import PlanBasis, pilot
from arena.ratings.match.report import Hypotheses, Measure, Range, Scale, Verdict
from arena.ratings.match.sprt import LEAST_BLOCKS, NELO, llr, verdict
from arena.runs.manifest import Manifest
from arena.runs.reader import StoredRun
from arena.schedule.keys import Discipline
from arena.values.bad_input import BadInput
from arena.values.problems import check_entrant, check_one_of, quote
from arena.values.results import GameResult

SCHEMA: Final = "arena.sprt/1"
_PAIRS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Scores of LL, LD, DD and WL, WD, WW."""
_GAMES: Final = (1.0, 0.5, 0.0)
"""Scores of W, D, L."""
_DIGITS: Final = 12


class CountedReport(msgspec.Struct, frozen=True):
    """Report on counted results, from the side of the bot that may have gained."""

    schema: str
    arena: str
    verdict: Verdict
    """Verdict; ``inconclusive``: more games are needed."""
    llr: float
    bounds: tuple[float, float]
    elo0: float
    elo1: float
    scale: Scale
    alpha: float
    beta: float
    block_games: int
    blocks: int
    games: int
    histogram: tuple[tuple[float, int], ...]
    """Numbers of blocks by score, ascending."""
    score: Range
    elo: Range
    nelo: Range
    los: float | None
    games_left: int | None
    """Expected games to a verdict at the strength seen; None after a verdict, or without spread."""


def answer_of(counts: Mapping[float, int], size: int, test: Hypotheses) -> CountedReport:
    """Return the document for ``counts``, numbers of blocks of ``size`` games by score."""
    blocks = sum(counts.values())
    found = verdict(counts, size, test)
    ratio = llr(counts, size, test)
    seen = {value: number for value, number in counts.items() if number}
    return CountedReport(
        schema=SCHEMA,
        arena=__version__,
        verdict=found or Verdict.INCONCLUSIVE,
        llr=ratio,
        bounds=test.bounds,
        elo0=test.elo0,
        elo1=test.elo1,
        scale=test.scale,
        alpha=test.alpha,
        beta=test.beta,
        block_games=size,
        blocks=blocks,
        games=size * blocks,
        histogram=tuple(sorted(counts.items())),
        score=mean_range(seen),
        elo=elo_range(seen),
        nelo=nelo_range(seen, size, Measure.PLACES),
        los=superiority_of(seen, Measure.PLACES),
        games_left=None if found else _left(seen, size, test, ratio),
    )


def _left(counts: Mapping[float, int], size: int, test: Hypotheses, ratio: float) -> int | None:
    spread = moments(counts)
    if spread is None or spread.variance <= 0:
        return None
    deviation = (size * spread.variance) ** 0.5
    nelo = (spread.mean - 0.5) / deviation * NELO
    least = size * max(0, LEAST_BLOCKS - sum(counts.values()))
    return max(least, planner.games_left(test, nelo, ratio, deviation=deviation, block_games=size))


def counts_of(pairs: str | None, games: str | None) -> tuple[dict[float, int], int]:
    """Return the numbers of blocks by score, and the games of a block.

    ``pairs`` and ``games`` are the texts of ``--pairs`` and ``--wdl``, of which one is given.
    Raises BadInput.
    """
    if (pairs is None) == (games is None):
        raise BadInput("found both --pairs and --wdl, expected one of them")
    if pairs is not None:
        numbers = _numbers("--pairs", pairs, "LL,LD,DD,WD,WW")
        return dict(zip(_PAIRS, numbers, strict=True)), 2
    numbers = _numbers("--wdl", games or "", "W,D,L")
    return dict(zip(_GAMES, numbers, strict=True)), 1


def _numbers(flag: str, text: str, form: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    wanted = form.count(",") + 1
    is_sound = all(part.isascii() and part.isdecimal() for part in parts)
    if len(parts) != wanted or not is_sound:
        raise BadInput(f"{flag}: found {quote(text)}, expected {wanted} whole numbers: {form}")
    if any(len(part) > _DIGITS for part in parts):
        raise BadInput(f"{flag}: found {quote(text)}, expected numbers of {_DIGITS} digits at most")
    numbers = [int(part) for part in parts]
    if not any(numbers):
        raise BadInput(f"{flag}: found no games in {quote(text)}, expected some")
    return numbers


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
