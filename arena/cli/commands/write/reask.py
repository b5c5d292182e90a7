"""``arena reask``: compare what a bot decides today with recorded decisions of a seat."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Final

import typer

from arena.cli import choices
from arena.cli.choices import Formerly
from arena.cli.command import command
from arena.cli.common import AsJson, Bot, read_isolation
from arena.cli.terminal.console import Exit, ignoring_closed_output, is_animated, out, rewrite, warn
from arena.cli.terminal.signals import interrupting
from arena.documents.bad_input import BadInput
from arena.documents.problems import check_entrant, either, quote
from arena.records.format import GZIP_HEADER
from arena.runs.disk import StoreError, cannot_write, write_atomically
from arena.runs.manifest import is_run
from arena.runs.reader import StoredRun
from arena.studies.reask import sources
from arena.studies.reask.bot import BuildableBot, Processes, find_bot
from arena.studies.reask.decisions import DecisionsSource, TooLarge, write_decisions
from arena.studies.reask.findings import Findings, examine
from arena.text import clean
from arena.views.game.find import find, ply_range
from arena.views.game.reask_text import json_text, text, written_text

_EVERY: Final = 20
"""Number of games between two updates of the live line."""
_ZIP: Final = b"PK\x03\x04"
_PLIES: Final = 1_000_000
_SOURCES: Final = (
    "the folder of a run, a record, the pack of a bot or a file of wanted decisions (.yaml)"
)


@dataclasses.dataclass(frozen=True, kw_only=True)
class ReaskOptions:
    """Ask a bot again what was decided before.

    No game is played: the bot gets what a seat got, and its choices are compared with the recorded
    ones, or with those that a file wants. Exit codes: 0 all the same, 1 a difference, 2 bad input,
    4 the bot could not be asked.

    \b
    arena reask runs/quickstart bots/greedy
    arena reask runs/quickstart bots/greedy --id 3 --repeat 2
    arena reask runs/quickstart bots/greedy --id 3 --write wanted.yaml
    arena reask wanted.yaml bots/greedy
    """

    source: Annotated[
        Path,
        typer.Argument(
            metavar="SOURCE",
            autocompletion=choices.runs,
            help="The folder of a run, a record, the pack of a bot, or a file of wanted decisions.",
        ),
    ]
    bot: Bot
    games: Annotated[
        tuple[str, ...],
        typer.Option(
            "--id", metavar="GAME", help="Ask only about this game: id or number. Repeatable."
        ),
        Formerly("--game"),
    ] = ()
    seat: Annotated[int | None, typer.Option(min=0, help="Ask only about this seat, from 0.")] = (
        None
    )
    entrant: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="NAME",
            help="Ask only about the seats of this entrant. Default: the one with the bot's "
            "name; without such a one, or with --seat, all.",
        ),
    ] = None
    repeat: Annotated[
        int | None,
        typer.Option(
            min=2,
            max=1000,
            metavar="N",
            help="Ask everything N times, and once with other seeds, to see whether the bot "
            "is deterministic.",
        ),
    ] = None
    show: Annotated[int, typer.Option(min=0, help="How many differences to print.")] = 5
    isolation: Annotated[
        str, typer.Option(help="How far the bot is kept apart."), choices.isolation
    ] = "limits"
    write: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Ask nothing; write the recorded decisions to this file as wanted ones.",
        ),
    ] = None
    plies: Annotated[
        str | None,
        typer.Option(
            metavar="A-B",
            help="With --write: these plies. Default: all with more than one legal action.",
        ),
    ] = None
    force: Annotated[bool, typer.Option(help="With --write: replace the file.")] = False
    as_json: AsJson = False


def reask_bot(options: ReaskOptions) -> None:
    """Ask the questions again and print the comparison, or write a file of decisions.

    Ends with typer.Exit for every code but 0.
    """
    _check(options)
    try:
        _reask(options)
    except StoreError as error:
        raise StoreError(clean.plain(str(error))) from None


def _check(options: ReaskOptions) -> None:
    if options.write is None:
        for flag, given in (("--plies", options.plies is not None), ("--force", options.force)):
            if given:
                raise BadInput(f"{flag}: expected it only with --write")
    elif options.repeat is not None:
        raise BadInput("found --write and --repeat, expected one of them")


def _reask(options: ReaskOptions) -> None:
    candidate = find_bot(options.bot, read_isolation(options.isolation))
    source = _source(options)
    wish = _wish(options, source, candidate)
    if options.write is not None:
        _write(options, options.write, source, wish)
        return
    findings = _ask(source, wish, candidate, repeat=options.repeat)
    if not findings.counted.games and not findings.interrupted:
        raise BadInput(_nothing(options, source, wish, candidate))
    with ignoring_closed_output():
        _tell(findings, options)
    if findings.interrupted:
        raise typer.Exit(Exit.INTERRUPTED)
    if not findings.counted.is_same:
        raise typer.Exit(Exit.DIFFERENCE)


def _source(options: ReaskOptions) -> sources.TranscriptSource:
    """Return the source of the questions."""
    path = options.source
    if is_run(path):
        run = StoredRun(path)
        return sources.RunSource(run, [find(run, game, "--id").stored for game in options.games])
    if path.is_dir() and not (path / "manifest.json").is_file():
        raise BadInput(f"SOURCE: found the folder {quote(str(path))}, expected {_SOURCES}")
    if path.is_dir():
        return sources.PackSource(path)
    if path.suffix in (".yaml", ".yml"):
        _refuse_selection(options, "the decisions of a file", ("--id", "--seat", "--as"))
        if options.write is not None:
            raise BadInput("--write: expected games, found a file of wanted decisions")
        return DecisionsSource(path)
    data = sources.read_bytes(path)
    if data.startswith(_ZIP):
        return sources.PackSource(path)
    if data.startswith((GZIP_HEADER, b'{"line":"header"')):
        _refuse_selection(options, "the one game of a record", ("--id",))
        return sources.RecordSource(path, data)
    raise BadInput(f"SOURCE: found {quote(str(path))}, expected {_SOURCES}")


def _refuse_selection(options: ReaskOptions, what: str, flags: Iterable[str]) -> None:
    given = {"--id": options.games, "--seat": options.seat, "--as": options.entrant}
    for flag in flags:
        if given[flag] not in ((), None):
            raise BadInput(f"{flag}: expected none, as all of {what} are asked")


def _wish(
    options: ReaskOptions, source: sources.TranscriptSource, candidate: BuildableBot
) -> sources.DecisionFilter:
    """Return the selection of the questions to ask.

    By default those to the entrant with the bot's own name, else those to all seats.
    """
    entrant = options.entrant
    if entrant is not None:
        check_entrant("--as", entrant, source.entrants, "an entrant")
    if entrant is None and options.seat is None:
        entrant = candidate.among(source.entrants)
    return sources.DecisionFilter(candidate.plays, options.games, options.seat, entrant)


def _nothing(
    options: ReaskOptions,
    source: sources.TranscriptSource,
    wish: sources.DecisionFilter,
    candidate: BuildableBot,
) -> str:
    """Return a sentence that says why nothing was asked."""
    if source.skipped:
        games = either(sorted(source.skipped))
        return f"{clean.plain(candidate.name)} does not play {games}, by its bot.yaml"
    whose = "" if wish.entrant is None else f" of {clean.plain(wish.entrant)}"
    seat = "any seat" if wish.seat is None else f"seat {wish.seat}"
    return f"{options.source}: found no decision{whose} at {seat} to ask about"


def _ask(
    source: sources.TranscriptSource,
    wish: sources.DecisionFilter,
    candidate: BuildableBot,
    *,
    repeat: int | None,
) -> Findings:
    """Ask every question, with a live line on a terminal."""
    animated = is_animated(sys.stderr)

    def show(games: int) -> None:
        if animated and games % _EVERY == 0:
            rewrite(f"{games} games asked" if games else "")

    with Processes(candidate, source.setting) as processes, interrupting():
        return examine(processes, candidate, source, wish, repeat=repeat, listener=show)


def _tell(findings: Findings, options: ReaskOptions) -> None:
    if options.as_json:
        out(json_text(findings))
    else:
        for line in text(findings, options.show):
            out(line)
    for warning in findings.warnings():
        warn(warning)


def _write(
    options: ReaskOptions,
    path: Path,
    source: sources.TranscriptSource,
    wish: sources.DecisionFilter,
) -> None:
    """Write recorded decisions as wanted ones; no bot is started."""
    if path.exists() and not options.force:
        raise BadInput(f"{path}: exists already; --force replaces it")
    plies = None if options.plies is None else ply_range(options.plies, _PLIES)
    try:
        written = write_decisions(source.transcripts(wish), source.setting, plies)
    except TooLarge as error:
        choose = "choose fewer with --id, --seat and --plies"
        raise BadInput(f"--write: found {error}, expected at most that: {choose}") from None
    if not written.decisions:
        raise BadInput(f"{options.source}: found no decision to write")
    try:
        write_atomically(path, written.data)
    except OSError as error:
        raise cannot_write(path, error) from error
    if options.as_json:
        out(written_text(str(path), written.decisions))
    else:
        made = "decision was" if written.decisions == 1 else "decisions were"
        out(f"{path}: {written.decisions} {made} written")


COMMAND: Final = command(reask_bot, outlives_terminal=True)
