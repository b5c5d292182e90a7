"""``arena merge``: combine the shards of a run into one run."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from arena.cli.command import command
from arena.cli.common import AsJson, Quiet, output_option
from arena.cli.terminal.announce import say_where, what_failed
from arena.cli.terminal.console import Exit, print_table, warn
from arena.cli.terminal.progress import counting
from arena.extensions.machines.shards.collected import Shards, gathered
from arena.extensions.machines.shards.merge import merge, new_folder
from arena.runs.manifest import Machine, Manifest
from arena.runs.reader import StoredRun
from arena.schedule.pairings import Shard
from arena.tournament.run import Run, publish_seed
from arena.tournament.session import Session
from arena.values.bad_input import BadInput
from arena.values.numbers import count, listed
from arena.values.option import Arg, Opt
from arena.values.problems import shown_path
from arena.views.standings.standings import FORMS, table_of, write_tables

_EVERY: Final = 200
"""Number of games between two updates of the live line."""
_OF_A_SHARD: Final = re.compile(r"\.[0-9]+of[0-9]+$")
_SHOWN: Final = 10


@dataclass(frozen=True, kw_only=True)
class MergeOptions:
    """Combine the shards of a run into one run.

    The result is what one machine would have played: a folder with every game, its tables
    and, if no game is missing, the seed for everybody to read.

    \b
    arena merge runs/cup.*of5
    """

    folders: Annotated[
        tuple[str, ...],
        Arg("The folders of the shards, in any order.", metavar="RUN...", completes="runs"),
    ]
    output: Annotated[
        Path | None, output_option("The new folder. Default: NAME.merged beside them.")
    ] = None
    partial: Annotated[bool, Opt("Merge what is there although something is missing.")] = False
    quiet: Quiet = False
    as_json: AsJson = False


def merge_shards(options: MergeOptions) -> None:
    """Read and check the shards, write the run and print its table.

    Ends with typer.Exit for every code but 0.
    """
    folders = [Path(each) for each in options.folders]
    folder = _target(options, folders[0])
    with gathered(folders) as shards:
        if not options.partial and (lacking := _lacking(shards)):
            raise BadInput(f"{lacking}: bring or play what is missing, or go on with --partial")
        with new_folder(folder) as begun:
            with counting("games merged", _EVERY) as show:
                merge(shards, begun, show)
            manifest, opening = shards.manifest, shards.opening
            run = Run(begun, manifest, opening, shards.schedule, resumed=True)
            progress = Session(run).progress
            if progress.is_finished and not progress.has_more:
                publish_seed(run.folder, run.opening)
            table = table_of(StoredRun(begun, manifest))
            write_tables(begun, table, _forms(shards.folders))
    warnings = [*_machines(shards.manifests), *what_failed(folder, progress)]
    print_table(table, "json" if options.as_json else "txt", warnings)
    if not options.quiet:
        say_where(folder, progress, None, interrupted=False)
    for warning in warnings:
        warn(warning)
    if not progress.is_complete:
        raise typer.Exit(Exit.INVALID_RUN)


def _target(options: MergeOptions, shard: Path) -> Path:
    """Return the folder of the merged run: beside this shard, unless ``--output`` names another."""
    if options.output is not None:
        return Path(shown_path(Path(os.path.abspath(options.output))))
    shard = Path(os.path.abspath(shard))
    return Path(shown_path(shard.with_name(f"{_OF_A_SHARD.sub('', shard.name)}.merged")))


def _lacking(shards: Shards) -> str:
    """Return a phrase on the shards and games that are missing; "" if the run is complete."""
    parts = []
    if missing := shards.missing:
        which = [str(each) for each in missing]
        if len(which) > _SHOWN:
            which[_SHOWN:] = [f"{len(which) - _SHOWN} more"]
        of, are = missing[0].of, "is" if len(missing) == 1 else "are"
        parts.append(f"found {of - len(missing)} of {of} shards, {listed(which)} {are} missing")
    for shard, games in shards.left.items():
        parts.append(f"shard {shard} has {count(games, 'game')} still to be played")
    return "; ".join(parts)


def _forms(folders: Sequence[Path]) -> list[str]:
    """Return the forms in which the tables of the shards were written; all forms if none were."""
    found = [
        form for form in FORMS if any((each / f"standings.{form}").exists() for each in folders)
    ]
    return found or [*FORMS]


def _machines(manifests: Sequence[Manifest]) -> Iterator[str]:
    """Yield a warning if clocks or isolation were not the same for all games."""
    alike: dict[str, list[Shard]] = {}
    for manifest in manifests:
        if manifest.shard is not None:
            alike.setdefault(_words(manifest.machine), []).append(manifest.shard)
    if len(alike) > 1:
        parts = [f"{listed(list(map(str, own)))} on {words}" for words, own in alike.items()]
        yield f"the shards were played on unlike machines: {'; '.join(parts)}"


def _words(machine: Machine) -> str:
    kind = f"{machine.system} {machine.release} {machine.processor}"
    levels = sorted(set(machine.isolation.values()))
    isolation = f", isolation {listed(levels)}" if levels else ""
    return f"{kind}, {machine.cores} cores, Python {machine.python}{isolation}"


COMMAND: Final = command(merge_shards)
