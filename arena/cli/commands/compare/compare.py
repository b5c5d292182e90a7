"""``arena compare``: state whether a new version of a bot is better."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Final

import typer

from arena.cli import common
from arena.cli.command import command
from arena.cli.outputs import exit_code, write_outputs
from arena.cli.terminal import console
from arena.cli.terminal.reporter import Reporter
from arena.ratings.match.report import MatchReport, Measure, Report, Scale
from arena.schedule.keys import Lineup
from arena.studies.evidence import answer_of, counts_of
from arena.studies.match.options import MatchOptions
from arena.studies.match.play import play_family, play_match
from arena.studies.planner import check, hypotheses
from arena.values.bad_input import BadInput
from arena.values.numbers import count
from arena.values.option import Opt
from arena.views.match.text import counted_lines

_PAIR: Final = 2
_OF_TEST: Final = {
    *("pairs", "wdl", "mode", "elo0", "elo1", "scale", "alpha", "beta", "quiet", "as_json"),
}
_FLAGS: Final = {
    "bots": "BOT",
    "games": "--game",
    "measure": "--by",
    "settings": "--set or --isolation",
}


@dataclasses.dataclass(frozen=True, kw_only=True)
class CompareOptions(MatchOptions):
    """Tell whether a new version of a bot is better.

    Plays mirrored deals until a sequential test is decided. Called again, it continues. Exit codes:
    0 pass, 1 fail, 3 inconclusive, 4 invalid.

    \b
    arena compare bots/greedy bots/random -g dragonheart
    arena compare bots/mine @main -g dragonheart --mode no-regression
    arena compare bots/a bots/b bots/c -g dragonheart --best --gap 40
    arena compare --pairs 365,16618,36229,16974,390 --elo0 0 --elo1 2
    """

    positions: common.Positions = None
    adjudicate: common.Adjudication = None
    allow_unchanged: Annotated[bool, Opt("Exit with 0 if both are the same files.")] = False
    quiet: common.Quiet = False
    verbose: common.Verbose = False
    as_json: common.AsJson = False
    junit: Annotated[Path | None, Opt("Write the verdict as JUnit XML.", metavar="FILE")] = None
    markdown: Annotated[Path | None, Opt("Write a summary for people.", metavar="FILE")] = None
    badge: Annotated[Path | None, Opt("Write a badge (shields.io endpoint).", metavar="FILE")] = (
        None
    )
    pairs: Annotated[
        str | None,
        Opt("Pairs of games, from both lost to both won.", metavar="LL,LD,DD,WD,WW"),
    ] = None
    wdl: Annotated[str | None, Opt("Games on deals of their own.", metavar="W,D,L")] = None


def compare(options: CompareOptions) -> None:
    """Play the match, print its report and write the requested files.

    Raises typer.Exit with the code of the verdict.
    """
    if options.pairs is not None or options.wdl is not None:
        _test(options)
        return
    listener = Reporter(quiet=options.quiet, verbose=options.verbose)
    report: Report
    if options.best or options.baseline is not None:
        _check_family(options)
        report = play_family(_checked(options), listener)
    elif len(options.bots) == _PAIR:
        report = play_match(_checked(options), listener)
    else:
        found = count(len(options.bots), "bot")
        raise BadInput(f"BOT: found {found}, expected two, or --best or --baseline BOT")
    _print(report, options)
    is_unchanged = isinstance(report, MatchReport) and report.is_unchanged
    skipped = options.allow_unchanged and is_unchanged
    write_outputs(
        report,
        junit=options.junit,
        markdown=options.markdown,
        badge=options.badge,
        environ=os.environ,
        skipped=skipped,
    )
    if code := exit_code(report.verdict, skipped=skipped):
        raise typer.Exit(code)


def _test(options: CompareOptions) -> None:
    """Apply the sequential test to results that were counted elsewhere. Raises BadInput."""
    names = [each.name for each in dataclasses.fields(options) if each.name not in _OF_TEST]
    for flag in _given(options, ["bots", *names]):
        given = "--pairs" if options.pairs is not None else "--wdl"
        raise BadInput(f"found {flag} beside {given}, expected no bots and nothing to play")
    bounds = options.elo0, options.elo1
    mode = options.mode if bounds == (None, None) else None
    test = hypotheses(mode, *bounds, options.scale, (options.alpha, options.beta))
    counts, size = counts_of(options.pairs, options.wdl)
    check(test, size)
    answer = answer_of(counts, size, test)
    with console.ignoring_closed_output():
        if options.as_json:
            console.print_document(answer)
        else:
            for line in islice(counted_lines(answer), 1 if options.quiet else None):
                console.out(line)
    if code := exit_code(answer.verdict):
        raise typer.Exit(code)


def _given(options: CompareOptions, names: Iterable[str]) -> Iterator[str]:
    """Yield the flags of those options of these ``names`` that differ from their defaults."""
    for name in names:
        if getattr(options, name) != getattr(CompareOptions, name):
            yield _FLAGS.get(name, f"--{name.replace('_', '-')}")


def _check_family(options: CompareOptions) -> None:
    """Raise BadInput for options that do not fit a comparison of several candidates."""
    if options.best and options.baseline is not None:
        raise BadInput("--best: found --baseline beside it, expected one of them")
    if options.badge is not None or options.allow_unchanged:
        flag = "--badge" if options.badge is not None else "--allow-unchanged"
        raise BadInput(f"{flag}: found several candidates, expected a match of two")
    least = 2 if options.best else 1
    if len(options.bots) < least:
        found = "no candidate" if not options.bots else "one candidate"
        expected = "at least two to choose from" if options.best else "some to test"
        raise BadInput(f"BOT: found {found}, expected {expected}")
    if options.best:
        for flag in _given(options, ("mode", "elo0", "elo1", "scale", "beta")):
            raise BadInput(f"{flag}: found it beside --best, expected --gap and --alpha alone")
        if options.lineup is Lineup.ALONE:
            raise BadInput("--lineup: found alone beside --best, expected even, or --baseline")


def _checked(options: CompareOptions) -> CompareOptions:
    """Return the options with all settings of games. Raises BadInput."""
    if options.gap is not None and not options.best:
        raise BadInput("--gap: found it without --best, expected --elo0 and --elo1")
    if options.measure is Measure.MARGIN and options.scale is Scale.LOGISTIC:
        raise BadInput("--scale: found logistic with --by margin, expected normalized")
    of_games = common.game_settings(options.positions, options.adjudicate, len(options.games))
    return dataclasses.replace(options, settings=(*options.settings, *of_games))


def _print(report: Report, options: CompareOptions) -> None:
    """Print a report, or with ``--quiet`` its verdict in one sentence."""
    from arena.views.match.text import headline, text

    with console.ignoring_closed_output():
        if options.as_json:
            console.print_document(report)
        elif options.quiet:
            console.out(headline(report))
        else:
            shown = text(report, width=console.columns(), color=console.has_color(sys.stdout))
            console.out_text(shown.rstrip("\n"))


_PANELS: Final = {
    "Bots": "bots baseline best gap allow_identical allow_unchanged",
    "Test": "mode elo0 elo1 scale alpha beta max_games max_time max_faults",
    "Play": "games file positions adjudicate lineup measure seed settings isolation workers on",
    "Output": "output form junit markdown badge",
    "Without playing": "pairs wdl",
}
COMMAND: Final = command(compare, outlives_terminal=True, panels=_PANELS)
