"""``arena compare``."""

from __future__ import annotations

import dataclasses
import os
import shutil
import sys
from pathlib import Path
from typing import TypeVar

import typer

from arena.cli.terminal.console import has_color, out
from arena.documents.bad_input import BadInput
from arena.documents.problems import printable, quote
from arena.documents.units import UnitError, parse_duration, parse_share
from arena.ratings.match.report import MatchReport, Measure, Scale
from arena.schedule.keys import Lineup
from arena.studies.match.play import MatchOptions, criteria_of, play_match
from arena.views.match.files import exit_code, write_outputs

_Choice = TypeVar("_Choice", Scale, Measure, Lineup)


@dataclasses.dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """What was asked for on the command line."""

    candidate: str
    baseline: str
    games: tuple[str, ...]
    file: Path | None
    mode: str
    elo0: float | None
    elo1: float | None
    scale: str
    alpha: float
    beta: float
    max_games: int
    max_time: str | None
    max_faults: str
    lineup: str | None
    measure: str | None
    seed: str | None
    settings: tuple[str, ...]
    output: Path | None
    workers: int | None
    allow_identical: bool
    quiet: bool
    verbose: bool
    as_json: bool
    junit: Path | None
    markdown: Path | None
    badge: Path | None


def compare(options: CompareOptions) -> None:
    """Play, print the report and write what was asked for. Ends with the code of the verdict."""
    report = play_match(match_options(options))
    _print(report, as_json=options.as_json, quiet=options.quiet)
    write_outputs(
        report,
        junit=options.junit,
        markdown=options.markdown,
        badge=options.badge,
        json=None,
        environ=os.environ,
    )
    if code := exit_code(report):
        raise typer.Exit(code)


def match_options(options: CompareOptions) -> MatchOptions:
    """The options as values. Raises BadInput."""
    test = criteria_of(
        options.mode,
        elo0=options.elo0,
        elo1=options.elo1,
        scale=_choice("--scale", options.scale, Scale),
        alpha=options.alpha,
        beta=options.beta,
        max_games=options.max_games,
        max_fault_share=_share("--max-faults", options.max_faults),
        may_be_alike=options.allow_identical,
    )
    measure = None if options.measure is None else _choice("--by", options.measure, Measure)
    lineup = None if options.lineup is None else _choice("--lineup", options.lineup, Lineup)
    if measure is Measure.MARGIN and test.scale is Scale.LOGISTIC:
        raise BadInput("--scale: found logistic with --by margin, expected normalized")
    return MatchOptions(
        candidate=options.candidate,
        baseline=options.baseline,
        games=options.games,
        test=test,
        file=options.file,
        settings=options.settings,
        seed=options.seed,
        output=options.output,
        workers=options.workers,
        measure=measure,
        lineup=lineup,
        max_time=None if options.max_time is None else _duration("--max-time", options.max_time),
        quiet=options.quiet,
        verbose=options.verbose,
    )


def _print(report: MatchReport, *, as_json: bool, quiet: bool) -> None:
    if as_json:
        from arena.views.match.documents import json_text

        out(json_text(report).rstrip("\n"))
        return
    from arena.views.match.text import text
    from arena.views.match.words import sentence

    if quiet:
        out(f"{report.verdict.upper()}  {sentence(report)}")
        return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    out(text(report, width=width, color=has_color(sys.stdout)).rstrip("\n"))


def _choice(flag: str, text: str, kind: type[_Choice]) -> _Choice:
    try:
        return kind(text)
    except ValueError:
        known = " or ".join(quote(each.value) for each in kind)
        raise BadInput(f"{flag}: found {quote(printable(text))}, expected {known}") from None


def _duration(flag: str, text: str) -> float:
    try:
        return parse_duration(text)
    except UnitError as error:
        raise BadInput(f"{flag}: found {quote(printable(text))}, {error}") from None


def _share(flag: str, text: str) -> float:
    try:
        return parse_share(text)
    except UnitError as error:
        raise BadInput(f"{flag}: found {quote(printable(text))}, {error}") from None
