"""``arena compare``: state whether a new version of a bot is better."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Annotated, Final, TypeVar

import typer

from arena.cli import choices, common
from arena.cli.command import command
from arena.cli.outputs import exit_code, write_family_outputs, write_outputs
from arena.cli.terminal import console
from arena.cli.terminal.stretch import Onlooker
from arena.documents.bad_input import BadInput
from arena.documents.option import Opt
from arena.documents.problems import printable, quote
from arena.documents.values import DURATION, UnitError, parse_share
from arena.ratings.match.report import BestTest, Criteria, FamilyReport, MatchReport, Measure, Scale
from arena.ratings.match.sprt import MODES
from arena.schedule.keys import Lineup
from arena.studies.family.play import GAP, FamilyOptions, play_family
from arena.studies.match.counted import answer_of, counts_of
from arena.studies.match.judged import MatchSettings
from arena.studies.match.play import MatchOptions, criteria_of, play_match
from arena.studies.options import JudgedOptions, TestScale
from arena.studies.plan.planner import check, hypotheses
from arena.text.numbers import count
from arena.views.match.text import counted_lines

Report = TypeVar("Report", bound=MatchReport | FamilyReport)
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
class CompareOptions(JudgedOptions):
    """Tell whether a new version of a bot is better.

    Plays mirrored deals until a sequential test is decided. Called again, it continues. Exit codes:
    0 pass, 1 fail, 3 inconclusive, 4 invalid.

    \b
    arena compare bots/greedy bots/random -g dragonheart
    arena compare bots/mine @main -g dragonheart --mode no-regression
    arena compare bots/a bots/b bots/c -g dragonheart --best --gap 40
    arena compare --pairs 365,16618,36229,16974,390 --elo0 0 --elo1 2
    """

    bots: Annotated[
        tuple[str, ...],
        typer.Argument(
            metavar="BOT...",
            autocompletion=choices.bots,
            help="The new version and the old, or all candidates: FOLDER, FOLDER@REV or @REV of "
            "git, builtin:NAME, a command in quotes, an entrant of --file.",
        ),
    ] = ()
    best: Annotated[bool, typer.Option(help="Find the best of the candidates.")] = False
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="BOT", autocompletion=choices.bots, help="Test each candidate against this bot."
        ),
    ] = None
    gap: Annotated[
        float | None, typer.Option(help="With --best: tolerance in nElo. Default: 40.")
    ] = None
    mode: Annotated[str, Opt("Is it stronger? Is it not weaker?", one_of=tuple(MODES))] = "gain"
    scale: TestScale = Scale.NORMALIZED
    max_time: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Longest time, e.g. '10 min'. Default: no limit."),
    ] = None
    max_faults: Annotated[str, typer.Option(metavar="SHARE", help="Largest share with faults.")] = (
        "1 %"
    )
    lineup: Annotated[
        str | None,
        typer.Option(help="From three seats: mixed, or alone against copies."),
        choices.lineups,
    ] = None
    measure: Annotated[
        str | None,
        typer.Option("--by", help="Judge by places, or by the margin of scores."),
        choices.measures,
    ] = None
    positions: common.Positions = None
    adjudicate: common.Adjudication = None
    allow_identical: Annotated[bool, typer.Option(help="Judge bots that play alike too.")] = False
    allow_unchanged: Annotated[
        bool, typer.Option(help="Exit with 0 if both are the same files.")
    ] = False
    quiet: common.Quiet = False
    verbose: common.Verbose = False
    as_json: common.AsJson = False
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the verdict as JUnit XML.")
    ] = None
    markdown: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a summary for people.")
    ] = None
    badge: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a badge (shields.io endpoint).")
    ] = None
    pairs: Annotated[
        str | None,
        typer.Option(metavar="LL,LD,DD,WD,WW", help="Pairs of games, from both lost to both won."),
    ] = None
    wdl: Annotated[
        str | None, typer.Option(metavar="W,D,L", help="Games on deals of their own.")
    ] = None


def compare(options: CompareOptions) -> None:
    """Play the match, print its report and write the requested files.

    Raises typer.Exit with the code of the verdict.
    """
    if options.pairs is not None or options.wdl is not None:
        _test(options)
        return
    listener = Onlooker(quiet=options.quiet, verbose=options.verbose)
    if options.best or options.baseline is not None:
        _family(options, listener)
        return
    from arena.views.match.text import text
    from arena.views.match.words import sentence

    report = play_match(match_options(options), listener)
    _print(report, options, sentence, text)
    skipped = options.allow_unchanged and report.is_unchanged
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
    for field in dataclasses.fields(options):
        if field.name not in _OF_TEST and getattr(options, field.name) != field.default:
            given = "--pairs" if options.pairs is not None else "--wdl"
            flag = _FLAGS.get(field.name, f"--{field.name.replace('_', '-')}")
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


def _family(options: CompareOptions, listener: Onlooker) -> None:
    """Compare several candidates. Raises BadInput."""
    from arena.views.match.family_text import sentence, text

    report = play_family(family_options(options), listener)
    _print(report, options, sentence, text)
    write_family_outputs(report, junit=options.junit, markdown=options.markdown, environ=os.environ)
    if code := exit_code(report.verdict):
        raise typer.Exit(code)


def family_options(options: CompareOptions) -> FamilyOptions:
    """Return the options for a comparison of several candidates. Raises BadInput."""
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
    criteria, asked = _criteria(options), _asked(options)
    test: BestTest | Criteria = criteria
    if options.best:
        for flag, given, default in (
            ("--mode", options.mode, "gain"),
            ("--elo0", options.elo0, None),
            ("--elo1", options.elo1, None),
            ("--scale", options.scale, Scale.NORMALIZED),
            ("--beta", options.beta, 0.05),
        ):
            if given != default:
                raise BadInput(f"{flag}: found it beside --best, expected --gap and --alpha alone")
        if asked.lineup is Lineup.ALONE:
            raise BadInput("--lineup: found alone beside --best, expected even, or --baseline")
        test = BestTest(
            gap=GAP if options.gap is None else options.gap,
            alpha=criteria.alpha,
            max_games=criteria.max_games,
            max_fault_share=criteria.max_fault_share,
            max_faults=criteria.max_faults,
            may_be_alike=criteria.may_be_alike,
        )
    return FamilyOptions(
        candidates=options.bots, baseline=options.baseline, test=test, **vars(asked)
    )


def match_options(options: CompareOptions) -> MatchOptions:
    """Return the options for a match of two. Raises BadInput."""
    if len(options.bots) != _PAIR:
        found = count(len(options.bots), "bot")
        raise BadInput(f"BOT: found {found}, expected two, or --best or --baseline BOT")
    candidate, baseline = options.bots
    test, asked = _criteria(options), _asked(options)
    return MatchOptions(candidate=candidate, baseline=baseline, test=test, **vars(asked))


def _criteria(options: CompareOptions) -> Criteria:
    """Return the requested sequential test. Raises BadInput."""
    if options.gap is not None and not options.best:
        raise BadInput("--gap: found it without --best, expected --elo0 and --elo1")
    test = criteria_of(
        options.mode,
        elo0=options.elo0,
        elo1=options.elo1,
        scale=options.scale,
        alpha=options.alpha,
        beta=options.beta,
        max_games=options.max_games,
        max_fault_share=_quantity("--max-faults", options.max_faults, parse_share),
        may_be_alike=options.allow_identical,
    )
    if options.measure == Measure.MARGIN and test.scale is Scale.LOGISTIC:
        raise BadInput("--scale: found logistic with --by margin, expected normalized")
    return test


def _asked(options: CompareOptions) -> MatchSettings:
    """Return the settings that do not concern the test. Raises BadInput."""
    measure, lineup, limit = options.measure, options.lineup, options.max_time
    return MatchSettings(
        games=options.games,
        file=options.file,
        settings=(
            *options.settings,
            *common.game_settings(options.positions, options.adjudicate, len(options.games)),
        ),
        seed=options.seed,
        output=options.output,
        workers=options.workers,
        on=options.on,
        measure=None if measure is None else Measure(measure),
        lineup=None if lineup is None else Lineup(lineup),
        max_time=None if limit is None else _quantity("--max-time", limit, DURATION.parse),
    )


def _print(
    report: Report,
    options: CompareOptions,
    sentence: Callable[[Report], str],
    text: Callable[..., str],
) -> None:
    """Print a report, or with ``--quiet`` its verdict in one ``sentence``."""
    with console.ignoring_closed_output():
        if options.as_json:
            console.print_document(report)
        elif options.quiet:
            console.out(f"{report.verdict.upper()}  {sentence(report)}")
        else:
            shown = text(report, width=console.columns(), color=console.has_color(sys.stdout))
            console.out(shown.rstrip("\n"))


def _quantity(flag: str, text: str, parse: Callable[[str], float]) -> float:
    try:
        return parse(text)
    except UnitError as error:
        raise BadInput(f"{flag}: found {quote(printable(text))}, {error}") from None


_PANELS: Final = {
    "Bots": "bots baseline best gap allow_identical allow_unchanged",
    "Test": "mode elo0 elo1 scale alpha beta max_games max_time max_faults",
    "Play": "games file positions adjudicate lineup measure seed settings isolation workers on",
    "Output": "output form junit markdown badge",
    "Without playing": "pairs wdl",
}
COMMAND: Final = command(compare, outlives_terminal=True, panels=_PANELS)
