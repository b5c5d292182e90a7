"""Options of sequential tests and of a match of two or several, and the settings of its test."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated, Final, TypeAlias

from arena.extensions.matches.statistics.report import Criteria, Hypotheses, Measure, Scale
from arena.extensions.matches.statistics.sprt import MODES
from arena.schedule.keys import Lineup
from arena.values.bad_input import BadInput
from arena.values.option import Arg, On, Opt, Seed, Settings, Workers, game_opt
from arena.values.units import DURATION, parse_share

MAX_FAULTS: Final = 10
_BOTS: Final = (
    "The new version and the old, or all candidates: FOLDER, FOLDER@REV or @REV of git, "
    "builtin:NAME, a command in quotes, an entrant of --file."
)


TestScale: TypeAlias = Annotated[
    Scale, Opt("Bounds in nElo (the default) or in Elo.", shows_default=False)
]


@dataclasses.dataclass(frozen=True, kw_only=True)
class PlaySettings:
    """Which games are played, under which settings, and by how many workers."""

    games: Annotated[
        tuple[str, ...], game_opt("Rules to play. Repeatable: one verdict for all.")
    ] = ()
    """Rules, perhaps with the seats (``dragonkrak:4``); with ``file`` names of its games."""
    file: Annotated[
        Path | None, Opt("Tournament file: games, clock, limits, isolation.", metavar="FILE")
    ] = None
    seed: Seed = None
    settings: Settings = ()
    workers: Workers = None
    on: On = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class HypothesisOptions:
    """Options of a sequential test."""

    elo0: Annotated[float | None, Opt("It fails at this difference. Default: by mode.")] = None
    elo1: Annotated[float | None, Opt("It passes at this difference. Default: by mode.")] = None
    alpha: Annotated[float, Opt("Chance of a pass at --elo0.")] = 0.05
    beta: Annotated[float, Opt("Chance of a fail at --elo1.")] = 0.05


@dataclasses.dataclass(frozen=True, kw_only=True)
class JudgedOptions(HypothesisOptions, PlaySettings):
    """Options of games that are played until a sequential test is decided."""

    max_games: Annotated[int, Opt("Most games, of each candidate.", least=1)] = 10_000
    output: Annotated[
        Path | None,
        Opt("Run folder. Default: one below runs/ per match.", "--output -o", metavar="FOLDER"),
    ] = None
    """Run folder; None: the same for the same entrants and games."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class MatchOptions(JudgedOptions):
    """Options of a match of two, or of several candidates."""

    bots: Annotated[tuple[str, ...], Arg(_BOTS, metavar="BOT...", completes="bots")] = ()
    best: Annotated[bool, Opt("Find the best of the candidates.")] = False
    baseline: Annotated[
        str | None, Opt("Test each candidate against this bot.", metavar="BOT", completes="bots")
    ] = None
    gap: Annotated[float | None, Opt("With --best: tolerance in nElo. Default: 40.")] = None
    mode: Annotated[str, Opt("Is it stronger? Is it not weaker?", one_of=tuple(MODES))] = "gain"
    scale: TestScale = Scale.NORMALIZED
    max_time: Annotated[
        float | None,
        Opt(
            "Longest time, e.g. '10 min'. Default: no limit.", metavar="TIME", reads=DURATION.parse
        ),
    ] = None
    """Seconds after which no further game begins."""
    max_faults: Annotated[
        float, Opt("Largest share with faults. Default: 1 %.", metavar="SHARE", reads=parse_share)
    ] = 0.01
    lineup: Annotated[
        Lineup | None,
        Opt("From three seats: mixed, or alone against copies.", one_of=("even", "alone")),
    ] = None
    measure: Annotated[
        Measure | None, Opt("Judge by places, or by the margin of scores.", "--by")
    ] = None
    """Measure; None: places, or the margin where a bot plays alone."""
    allow_identical: Annotated[bool, Opt("Judge bots that play alike too.")] = False


def criteria_of(options: MatchOptions) -> Criteria:
    """Return the settings of the mode, with other bounds if given.

    Raises BadInput for a mode other than ``gain`` and ``no-regression``.
    """
    mode, elo0, elo1, scale = options.mode, options.elo0, options.elo1, options.scale
    if mode not in MODES:
        found = mode
        raise BadInput(f'--mode: found "{found}", expected "gain" or "no-regression"')
    usual = MODES[mode]
    is_custom = elo0 is not None or elo1 is not None or scale is not Scale.NORMALIZED
    return Criteria(
        mode="custom" if is_custom else mode,
        scale=scale,
        elo0=usual.elo0 if elo0 is None else elo0,
        elo1=usual.elo1 if elo1 is None else elo1,
        alpha=options.alpha,
        beta=options.beta,
        max_games=options.max_games,
        max_fault_share=options.max_faults,
        max_faults=MAX_FAULTS,
        may_be_alike=options.allow_identical,
    )


def _bounds(test: Hypotheses) -> tuple[float, float, Scale]:
    return test.elo0, test.elo1, test.scale


def is_named_after_bounds(test: Criteria) -> bool:
    """Return True if the bounds of a test are those of its mode; mode ``custom`` allows any."""
    if test.mode == "custom":
        return True
    usual = MODES.get(test.mode)
    return usual is not None and _bounds(usual) == _bounds(test)
