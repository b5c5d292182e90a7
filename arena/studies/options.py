"""Options that several questions share, each with its type, default and help."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeAlias

from arena.documents.option import Opt
from arena.ratings.match.report import Scale

Workers: TypeAlias = Annotated[
    int | None, Opt("Worker processes. Default: one per core.", "--workers -j", least=1)
]
On: TypeAlias = Annotated[
    str | None,
    Opt("Dask cluster: here, or by its scheduler or file.", metavar="dask|ADDRESS|FILE"),
]
Settings: TypeAlias = Annotated[
    tuple[str, ...],
    Opt("Set a key of the file, e.g. clock.move='2 s'.", "--set", metavar="KEY=VALUE"),
]
Seed: TypeAlias = Annotated[str | None, Opt("Seed of all chance. Default: drawn.")]
TestScale: TypeAlias = Annotated[
    Scale, Opt("Bounds in nElo (the default) or in Elo.", shows_default=False)
]


def game_opt(words: str) -> Opt:
    """Return the option ``--game``, with a size, with the help ``words``."""
    return Opt(words, "--game -g", metavar="GAME[:SEATS]", completes="disciplines")


@dataclass(frozen=True, kw_only=True)
class HypothesisOptions:
    """Options of a sequential test."""

    elo0: Annotated[float | None, Opt("It fails at this difference. Default: by mode.")] = None
    elo1: Annotated[float | None, Opt("It passes at this difference. Default: by mode.")] = None
    alpha: Annotated[float, Opt("Chance of a pass at --elo0.")] = 0.05
    beta: Annotated[float, Opt("Chance of a fail at --elo1.")] = 0.05


@dataclass(frozen=True, kw_only=True)
class JudgedOptions(HypothesisOptions):
    """Options of games that are played until a sequential test is decided."""

    games: Annotated[
        tuple[str, ...], game_opt("Rules to play. Repeatable: one verdict for all.")
    ] = ()
    file: Annotated[
        Path | None, Opt("Tournament file: games, clock, limits, isolation.", metavar="FILE")
    ] = None
    max_games: Annotated[int, Opt("Most games, of each candidate.", least=1)] = 10_000
    seed: Seed = None
    settings: Settings = ()
    output: Annotated[
        Path | None,
        Opt("Run folder. Default: one below runs/ per match.", "--output -o", metavar="FOLDER"),
    ] = None
    """Run folder; None: the same for the same entrants and games."""
    workers: Workers = None
    on: On = None
