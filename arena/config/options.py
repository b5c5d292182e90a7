"""Options of every command that plays, each with its type, default and help."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeAlias

from arena.documents.option import Opt

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


def game_opt(words: str) -> Opt:
    """Return the option ``--game``, with a size, with the help ``words``."""
    return Opt(words, "--game -g", metavar="GAME[:SEATS]", completes="disciplines")


@dataclass(frozen=True, kw_only=True)
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
