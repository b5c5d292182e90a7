"""``arena compare``: state whether a new version of a bot is better."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from arena import extensions
from arena.cli import common
from arena.cli.command import command
from arena.cli.terminal import console
from arena.cli.terminal.reporter import Reporter
from arena.extensions.matches.options import MatchOptions
from arena.extensions.matches.outputs import exit_code, write_outputs
from arena.extensions.matches.play import play_match
from arena.extensions.matches.show.comparison import Comparison, MatchComparison
from arena.extensions.matches.statistics.report import Measure, Scale
from arena.tournament.events import Listener
from arena.values.bad_input import BadInput
from arena.values.numbers import count
from arena.values.option import Opt

_PAIR: Final = 2
_OTHERS: Final = ("pairs", "wdl", "best", "baseline")
"""Options that ask for another comparison than a match of two; the first one given counts."""
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

    def given(self, names: Iterable[str]) -> Iterator[str]:
        """Yield the flags of those options of these ``names`` that differ from their defaults."""
        for name in names:
            if getattr(self, name) != getattr(CompareOptions, name):
                yield _FLAGS.get(name, f"--{name.replace('_', '-')}")

    def checked(self) -> CompareOptions:
        """Return the options with all settings of games. Raises BadInput."""
        if self.gap is not None and not self.best:
            raise BadInput("--gap: found it without --best, expected --elo0 and --elo1")
        if self.measure is Measure.MARGIN and self.scale is Scale.LOGISTIC:
            raise BadInput("--scale: found logistic with --by margin, expected normalized")
        of_games = common.game_settings(self.positions, self.adjudicate, len(self.games))
        return dataclasses.replace(self, settings=(*self.settings, *of_games))


def compare(options: CompareOptions) -> None:
    """Play the match, print its report and write the requested files.

    Raises typer.Exit with the code of the verdict.
    """
    listener = Reporter(quiet=options.quiet, verbose=options.verbose)
    found = _found(options, listener)
    _print(found, options)
    skipped = options.allow_unchanged and found.is_unchanged
    if found.has_files:
        write_outputs(
            found,
            junit=options.junit,
            markdown=options.markdown,
            badge=options.badge,
            environ=os.environ,
            skipped=skipped,
        )
    if code := exit_code(found.verdict, skipped=skipped):
        raise typer.Exit(code)


def _found(options: CompareOptions, listener: Listener) -> Comparison[Any]:
    """Play what the options ask for. Raises BadInput."""
    for name in _OTHERS:
        if getattr(options, name) != getattr(CompareOptions, name):
            other: Comparison[Any] = extensions.need(f"--{name}", "comparisons", name)(
                options, listener
            )
            return other
    if len(options.bots) != _PAIR:
        found = count(len(options.bots), "bot")
        raise BadInput(f"BOT: found {found}, expected two, or --best or --baseline BOT")
    return MatchComparison(play_match(options.checked(), listener))


def _print(found: Comparison[Any], options: CompareOptions) -> None:
    """Print a report, or with ``--quiet`` its verdict in one sentence."""
    with console.ignoring_closed_output():
        if options.as_json:
            console.print_document(found.report)
        elif options.quiet:
            console.out(found.headline())
        else:
            shown = found.text(width=console.columns(), color=console.has_color(sys.stdout))
            console.out_text(shown.rstrip("\n"))


_PANELS: Final = {
    "Bots": "bots baseline best gap allow_identical allow_unchanged",
    "Test": "mode elo0 elo1 scale alpha beta max_games max_time max_faults",
    "Play": "games file positions adjudicate lineup measure seed settings isolation workers on",
    "Output": "output form junit markdown badge",
    "Without playing": "pairs wdl",
}
COMMAND: Final = command(compare, outlives_terminal=True, panels=_PANELS)
