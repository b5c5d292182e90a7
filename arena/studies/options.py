"""Options that several questions share, each with its type, default and help."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeAlias

from arena.config.options import PlaySettings
from arena.documents.option import Opt
from arena.ratings.match.report import Scale

TestScale: TypeAlias = Annotated[
    Scale, Opt("Bounds in nElo (the default) or in Elo.", shows_default=False)
]


@dataclass(frozen=True, kw_only=True)
class HypothesisOptions:
    """Options of a sequential test."""

    elo0: Annotated[float | None, Opt("It fails at this difference. Default: by mode.")] = None
    elo1: Annotated[float | None, Opt("It passes at this difference. Default: by mode.")] = None
    alpha: Annotated[float, Opt("Chance of a pass at --elo0.")] = 0.05
    beta: Annotated[float, Opt("Chance of a fail at --elo1.")] = 0.05


@dataclass(frozen=True, kw_only=True)
class JudgedOptions(HypothesisOptions, PlaySettings):
    """Options of games that are played until a sequential test is decided."""

    max_games: Annotated[int, Opt("Most games, of each candidate.", least=1)] = 10_000
    output: Annotated[
        Path | None,
        Opt("Run folder. Default: one below runs/ per match.", "--output -o", metavar="FOLDER"),
    ] = None
    """Run folder; None: the same for the same entrants and games."""
