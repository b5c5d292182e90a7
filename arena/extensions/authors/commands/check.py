"""``arena check``: find what would lose a bot its games; of several bots, a line for each."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import msgspec
import typer

from arena.cli import common
from arena.cli.command import command
from arena.cli.terminal import console
from arena.cli.terminal.signals import interrupting
from arena.extensions.authors.bots import Setting
from arena.extensions.authors.check.check import CaseListener, best_level, check
from arena.extensions.authors.check.finding import Name, Report
from arena.extensions.authors.check.table import BUILT_ON, CASES, ESSENTIAL
from arena.extensions.authors.check_text import SEED, document, in_one_line, lines, refused_line
from arena.hosting.sandbox.isolation import IsolationError
from arena.runs.config.tournament import read_clock
from arena.runs.disk import StoreError, writing
from arena.tournament.executor import PoolError
from arena.values.bad_input import BadInput
from arena.values.numbers import clock
from arena.values.option import Arg, Opt
from arena.values.problems import ConfigError
from arena.values.schema import CommandAnswer

_KEPT_IN: Final = "checks"
_LONG_SECONDS: Final = 20.0
"""Estimated seconds from which on the estimate is printed before the remaining cases run."""


class ChecksDocument(CommandAnswer, frozen=True, kw_only=True, tag="arena.checks/1"):
    """The checks of several bots."""

    passed: bool
    """True if no bot would lose games by a fault."""
    bots: tuple[dict[str, Any], ...]
    """``CheckDocument`` of each bot, or its name with the problems why it was not checked."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class CheckOptions:
    """Find what would lose a bot its games.

    Plays short games with rare but legal messages and timing: unknown fields and messages, long
    lines, every seat and table, many games in one process. Each finding says what happened, why it
    matters and how to mend it, and its exchange is kept for arena try. Exit codes: 0 nothing that
    loses games, 1 something does, 2 bad input, 4 the machine did not let it be checked.

    \b
    arena check mine
    arena check mine --game dragonheart --isolation limits
    arena check mine --quick --clock '200 ms'
    arena check mine --case "lines together"
    arena check teams/*
    arena check "node main.js" --json
    """

    bot: common.Bot
    more: Annotated[
        tuple[str, ...],
        Arg(
            "Further bots. With several, each gets one line, and a last line counts them.",
            metavar="BOT...",
            completes="bots",
            shows_default=False,
        ),
    ] = ()
    games: Annotated[
        tuple[str, ...],
        common.game_option("May be repeated. Default: all that its bot.yaml lists."),
    ] = ()
    isolation: common.Isolation = None
    seed: Annotated[str, Opt("Seed of all chance.")] = SEED
    clock: common.Clock = None
    output: Annotated[
        Path | None,
        common.output_option(
            "Folder for the exchanges of findings. Default: checks/NAME, if there are any."
        ),
    ] = None
    only: Annotated[
        tuple[str, ...],
        Opt(
            "Try only this case, and those that it builds on. Repeatable. Default: all.",
            "--case",
            metavar="CASE",
            one_of=CASES,
        ),
    ] = ()
    quick: Annotated[
        bool,
        Opt("Try only the essential cases: a game, lines together, every table and seat."),
    ] = False
    as_json: common.AsJson = False


def check_bot(options: CheckOptions) -> None:
    """Check the bot and print the findings. Raises typer.Exit if the bot would lose games.

    For several bots, print one line each.
    """
    for game in options.games:
        common.check_game(game, "--game")
    if options.only and options.quick:
        raise BadInput("found --case and --quick, expected one of them")
    setting = Setting() if options.clock is None else Setting(**read_clock(options.clock)._asdict())
    if options.more:
        each = [dataclasses.replace(options, bot=bot) for bot in (options.bot, *options.more)]
        bots = {one.bot: partial(_checked, one, setting) for one in each}
        check_several(bots, as_json=options.as_json)
        return
    report, kept = _checked(options, setting)
    with console.ignoring_closed_output():
        if options.as_json:
            console.print_document(document(options.bot, report, kept))
        else:
            for line in lines(options.bot, report, kept):
                console.out(line)
    if not report.passed:
        raise typer.Exit(console.Exit.FAIL)


def _checked(options: CheckOptions, setting: Setting) -> tuple[Report, dict[Name, str]]:
    """Check the bot; return the report, and the files of exchanges by finding.

    Raises BadInput, ConfigError, IsolationError and StoreError.
    """
    cases = {*BUILT_ON, *options.only} if options.only else ESSENTIAL if options.quick else CASES
    wanted = options.isolation
    level = best_level(options.bot, wanted)
    is_one_of_several = bool(options.more)
    if not (options.as_json or is_one_of_several):
        console.say(f"checking at {level}")
    quiet = options.as_json or (is_one_of_several and not console.is_animated(sys.stderr))
    try:
        with interrupting(), _shown(quiet=quiet, is_all=cases is CASES) as on_case:
            report = check(
                options.bot,
                level,
                games=options.games,
                seed=options.seed,
                setting=setting,
                on_case=on_case,
                cases=cases,
                on_broken=console.warn,
            )
    except ValueError as error:
        raise BadInput(f"--game: {error}") from None
    folder = options.output or Path(_KEPT_IN, _slug(report.bot))
    return report, _kept(report, folder)


@contextmanager
def _shown(*, quiet: bool, is_all: bool) -> Iterator[CaseListener]:
    """Show the current case: a line that is rewritten on a terminal, else plain lines.

    Before a long part its estimate gets a line of its own. ``is_all``: no case is left out.
    """
    animated, is_estimated = console.is_animated(sys.stderr), False

    def on_case(case: str, number: int, total: int, left: float | None) -> None:
        nonlocal is_estimated
        if quiet:
            return
        if left is not None and left > _LONG_SECONDS and not is_estimated:
            is_estimated = True
            if animated:
                console.rewrite("")
            hint = "; --quick tries the essential cases alone" if is_all else ""
            console.say(f"this takes about {clock(left)}{hint}")
        rest = "" if left is None else f"  left {clock(left)}"
        (console.rewrite if animated else console.say)(f"{number}/{total}  {case}{rest}")

    try:
        yield on_case
    finally:
        if animated and not quiet:
            console.rewrite("")


def _kept(report: Report, folder: Path) -> dict[Name, str]:
    """Write the exchanges of the findings; return the files by finding. Raises StoreError."""
    kept: dict[Name, str] = {}
    for finding in report.findings:
        if not finding.exchange:
            continue
        path = folder / f"{finding.name.value}.jsonl"
        with writing(path):
            folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"".join(finding.exchange))
        kept[finding.name] = str(path)
    return kept


def _slug(name: str) -> str:
    """Return a name that is valid for a folder."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.")[:60] or "bot"


COMMAND: Final = command(check_bot)


Checked: TypeAlias = Callable[[], tuple[Report, Mapping[Name, str]]]
"""Function that checks a bot and returns its report and the files of exchanges by finding."""


def check_several(bots: Mapping[str, Checked], *, as_json: bool) -> None:
    """Check each bot and print a line for it; a failure does not stop the checks of the others.

    ``bots``: by the name given on the command line. Ends with typer.Exit unless all pass; the code
    is the highest that a single check would end with.
    """
    codes: list[console.Exit] = []
    documents = []
    with console.ignoring_closed_output():
        for bot, checked in bots.items():
            try:
                report, kept = checked()
                told: dict[str, Any] = msgspec.to_builtins(document(bot, report, kept))
                line = in_one_line(bot, report)
                show = console.out
                codes.append(console.Exit.DONE if report.passed else console.Exit.FAIL)
            except (BadInput, ConfigError, IsolationError, StoreError, PoolError) as problem:
                found = [str(each) for each in getattr(problem, "problems", (problem,))]
                told, line = {"bot": bot, "problems": found}, refused_line(bot, found)
                show = console.say  # an error as of a single check, which finds nothing of a bot
                codes.append(
                    console.Exit.INVALID_RUN
                    if isinstance(problem, PoolError)
                    else console.Exit.BAD_INPUT
                )
            documents.append(told)
            if not as_json:
                show(line)
        passed = codes.count(console.Exit.DONE)
        if as_json:
            are_sound = passed == len(codes)
            console.print_document(ChecksDocument(passed=are_sound, bots=tuple(documents)))
        else:
            console.out(f"{passed} of {len(codes)} bots would lose no game by a fault")
    if passed < len(codes):
        raise typer.Exit(max(codes))
