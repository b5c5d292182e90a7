"""``arena check``."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from arena.cli import choices
from arena.cli.command import command
from arena.cli.commands.write.reask import read_isolation
from arena.cli.commands.write.rules import check_name
from arena.cli.options import AsJson, Bot, Isolation, game_option
from arena.cli.terminal.console import (
    Exit,
    ignoring_closed_output,
    is_animated,
    out,
    print_document,
    rewrite,
    say,
)
from arena.cli.terminal.signals import interrupting
from arena.documents.bad_input import BadInput
from arena.documents.problems import either, quote
from arena.runs.disk import cannot_write
from arena.studies.check.cases import BUILT_ON, CASES
from arena.studies.check.check import best_level, check
from arena.studies.check.finding import Name, Report
from arena.views.game.check_text import SEED, document, lines

_KEPT_IN: Final = "checks"


@dataclasses.dataclass(frozen=True, kw_only=True)
class CheckOptions:
    """Find what would lose a bot its games.

    A referee that is legal but unkind plays short games with it: unknown fields and messages, long
    lines, every seat and table, many games in one process. Each finding tells what happened, why it
    matters and how to mend it, and its exchange is kept for arena try. Exit codes: 0 nothing that
    loses games, 1 something does, 2 bad input, 4 the machine did not let it be checked.

    \b
    arena check mine
    arena check mine --game dragonheart --isolation limits
    arena check mine --case "lines together"
    arena check "node main.js" --json
    """

    bot: Bot
    games: Annotated[
        tuple[str, ...],
        game_option("May be repeated. Default: all that its bot.yaml lists."),
    ] = ()
    isolation: Isolation = None
    seed: Annotated[str, typer.Option(help="Decides all chance.")] = SEED
    cases: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where exchanges of findings are kept. Default: checks/NAME, if there are any.",
        ),
    ] = None
    only: Annotated[
        tuple[str, ...],
        typer.Option(
            "--case",
            metavar="CASE",
            autocompletion=choices.cases,
            help="Try this alone, and what it builds on. May be repeated. Default: all.",
        ),
    ] = ()
    as_json: AsJson = False


def check_bot(options: CheckOptions) -> None:
    """Check it, and print what was found. Ends with typer.Exit if that would lose games."""
    for game in options.games:
        check_name(game)
    unknown = [case for case in options.only if case not in CASES]
    if unknown:
        raise BadInput(f"--case: found {quote(unknown[0])}, expected {either([*CASES])}")
    cases = {*BUILT_ON, *options.only} if options.only else CASES
    wanted = options.isolation
    level = best_level(options.bot, None if wanted is None else read_isolation(wanted).value)
    if not options.as_json:
        say(f"checking at {level}")
    try:
        with interrupting(), _shown(quiet=options.as_json) as told:
            report = check(
                options.bot,
                level,
                games=options.games,
                seed=options.seed,
                told=told,
                cases=cases,
            )
    except ValueError as error:
        raise BadInput(f"--game: {error}") from None
    folder = options.cases or Path(_KEPT_IN, _slug(report.bot))
    kept = _kept(report, folder)
    with ignoring_closed_output():
        if options.as_json:
            print_document(document(options.bot, report, kept))
        else:
            for line in lines(options.bot, report, kept):
                out(line)
    if not report.passed:
        raise typer.Exit(Exit.FAIL)


@contextmanager
def _shown(*, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """What is being tried: a line that is rewritten on a terminal, else plain lines."""
    animated = is_animated(sys.stderr)

    def told(case: str, number: int, total: int) -> None:
        if quiet:
            return
        (rewrite if animated else say)(f"{number}/{total}  {case}")

    try:
        yield told
    finally:
        if animated and not quiet:
            rewrite("")


def _kept(report: Report, folder: Path) -> dict[Name, str]:
    """Write the exchanges of the findings; their files by finding. Raises StoreError."""
    kept: dict[Name, str] = {}
    for finding in report.findings:
        if not finding.exchange:
            continue
        path = folder / f"{finding.name.value}.jsonl"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"".join(finding.exchange))
        except OSError as error:
            raise cannot_write(path, error) from error
        kept[finding.name] = str(path)
    return kept


def _slug(name: str) -> str:
    """A name that is one for a folder."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.")[:60] or "bot"


COMMAND: Final = command(check_bot)
