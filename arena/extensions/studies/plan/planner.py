"""``arena plan``: estimate how many games a question takes before they are played."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Final

import msgspec

from arena import __version__
from arena.extensions.matches.contest import bad_test
from arena.extensions.matches.options import HypothesisOptions, JudgedOptions, TestScale
from arena.extensions.matches.statistics import sprt
from arena.extensions.matches.statistics.report import Hypotheses, Measure, Range, Scale
from arena.extensions.matches.statistics.sprt import MODES
from arena.extensions.studies.plan import lengths
from arena.extensions.studies.plan.lengths import FIXED, SCHEMA, Plan, PlanBasis, PlanMode, PlanRow
from arena.extensions.studies.plan.pilot import read_pilot
from arena.hosting.machine.capacity import cores
from arena.values.bad_input import BadInput
from arena.values.numbers import count, signed_percent
from arena.values.option import Arg, Opt
from arena.values.problems import quote

_STATED: Final = 0.5
"""Assumed deviation of a game without draws or mirrored deals: the greatest possible."""
_STRENGTHS: Final = (0.0, 100.0, 200.0, 400.0)
"""True differences in Elo, the rows of a table of widths."""
_FAR: Final = 200.0
"""Difference from even, in Elo, beyond which a pilot says little about equals."""
_MOST: Final = 2000.0
"""Greatest true difference to ask for, in Elo."""
_CLOSEST: Final = 0.01
"""Smallest distance of hypotheses, in Elo; nearer ones take too many games to play."""
_USUAL_ERROR: Final = HypothesisOptions().alpha
_USUAL_MOST: Final = JudgedOptions.max_games
_FEW: Final = 100
"""Number of blocks below which a pilot is called short."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class PlanSettings(HypothesisOptions):
    """Options of a plan; the default is the sequential test ``gain``."""

    run: Annotated[
        Path | None,
        Arg(
            "Folder of a run or match whose games serve as a pilot.",
            metavar="RUN",
            completes="runs",
        ),
    ] = None
    pair: Annotated[
        str | None, Opt("Two entrants of the pilot. Default: the first two.", metavar="A,B")
    ] = None
    game: Annotated[
        str | None, Opt("Game of the pilot. Default: the first.", "--game -g", metavar="GAME")
    ] = None
    precision: Annotated[
        float | None,
        Opt("Ask how many games it takes until the 95 % interval is ± this much.", metavar="ELO"),
    ] = None
    difference: Annotated[
        float | None, Opt("Ask what fixed number of games shows this difference.", metavar="NELO")
    ] = None
    mode: Annotated[
        str | None,
        Opt(
            "Ask how many games a sequential test takes. gain: is it stronger? no-regression: is "
            "it not weaker? Default: gain, with both side by side.",
            one_of=tuple(MODES),
        ),
    ] = None
    scale: TestScale = Scale.NORMALIZED
    true: Annotated[float | None, Opt("Add a row for this true difference.")] = None
    deviation: Annotated[
        float | None,
        Opt(
            "Without a pilot: standard deviation of the score of one game. Default: "
            "0.5, the largest."
        ),
    ] = None
    draws: Annotated[
        float | None, Opt("In place of --deviation: share of draws, with deals not mirrored.")
    ] = None
    block_games: Annotated[
        int | None, Opt("Without a pilot: games in a block.", least=1, most=1000)
    ] = None
    workers: Annotated[
        int | None,
        Opt("Worker processes, for the time. Default: one per core.", "--workers -j", least=1),
    ] = None


def plan_of(options: PlanSettings) -> Plan:
    """Compute the plan that ``options`` ask for. Raises BadInput and StoreError."""
    return _Planner(options).plan()


def hypotheses(
    mode: str | None,
    elo0: float | None,
    elo1: float | None,
    scale: Scale,
    errors: tuple[float, float],
) -> Hypotheses:
    """Return the hypotheses to test from the options of a command.

    ``errors``: alpha and beta. Raises BadInput.
    """
    if (elo0 is None) != (elo1 is None):
        there, missing = ("--elo0", "--elo1") if elo1 is None else ("--elo1", "--elo0")
        raise BadInput(f"found {there} alone, expected {missing} beside it")
    if mode is not None and elo0 is not None:
        raise BadInput("found --mode with --elo0 and --elo1, expected one or the other")
    default = MODES[mode or "gain"]
    low = default.elo0 if elo0 is None else elo0
    high = default.elo1 if elo1 is None else elo1
    return sprt.between(low, high, scale, *errors)


def check(test: Hypotheses, block_games: int) -> None:
    """Raise BadInput for hypotheses that cannot be tested in blocks of ``block_games`` games."""
    if 0 <= test.elo1 - test.elo0 < _CLOSEST:
        raise BadInput(
            f"--elo0: found elo0 {test.elo0:g} and elo1 {test.elo1:g}, expected them at least "
            f"{_CLOSEST} apart"
        )
    try:
        sprt.check(test, block_games)
    except ValueError as error:
        raise bad_test(error) from None


class _Planner:
    """Computation of a plan: its rows and remarks."""

    def __init__(self, options: PlanSettings) -> None:
        self._options = options
        self._question = _question(options)
        self._test = hypotheses(
            options.mode, options.elo0, options.elo1, options.scale, (options.alpha, options.beta)
        )
        _check(options)
        self._source = _source(options)
        check(self._test, self._source.block_games if self._question == "sequential" else 1)
        self._deviation = self._source.deviation.value or _STATED
        self._workers = options.workers or cores()
        self._margins = self._source.measure is Measure.MARGIN
        if self._margins and self._is_logistic:
            raise BadInput("--scale: found logistic, expected normalized for margins of scores")

    @property
    def _is_logistic(self) -> bool:
        return self._question == "sequential" and self._test.scale is Scale.LOGISTIC

    def plan(self) -> Plan:
        """Return the plan with all its rows and remarks."""
        options, test = self._options, self._test
        sequential, precision = self._question == "sequential", self._question == "precision"
        rows = {
            "precision": self._precision,
            "difference": self._difference,
            "sequential": self._sequential,
        }[self._question]
        return Plan(
            schema=SCHEMA,
            arena=__version__,
            question=self._question,
            unit=self._unit(),
            asked=options.precision if precision else options.difference,
            elo0=test.elo0 if sequential else None,
            elo1=test.elo1 if sequential else None,
            alpha=None if precision else test.alpha,
            beta=None if precision else test.beta,
            fixed_length=self._fixed_length(),
            workers=self._workers,
            source=self._source,
            rows=tuple(rows()),
            remarks=tuple(self._remarks()),
            modes=tuple(self._modes()) if sequential and 0.0 in (test.elo0, test.elo1) else (),
            command=self._command(),
        )

    def _modes(self) -> Iterator[PlanMode]:
        """Yield both modes with the distance of the bounds, and a fixed number of games."""
        test, fixed = self._test, self._fixed_length() or 0
        distance = test.elo1 - test.elo0
        errors = test.scale, test.alpha, test.beta
        for mode, usual in MODES.items():
            low, high = (math.copysign(distance, each) if each else 0.0 for each in _ends(usual))
            own = sprt.between(low, high, *errors)
            weaker, equal, stronger = (self._mean(own, true) for true in (-distance, 0.0, distance))
            yield PlanMode(mode, low, high, (weaker, equal, stronger))
        yield PlanMode(FIXED, test.elo0, test.elo1, (fixed, fixed, fixed))

    def _mean(self, test: Hypotheses, true: float) -> int:
        size = self._source.block_games
        course = lengths.course(test, true, deviation=self._deviation, block_games=size)
        return self._whole(course.games)

    def _command(self) -> str:
        """Return the command that plays what was asked for."""
        options, test = self._options, self._test
        if self._question != "sequential":
            games = self._fixed_length()
            if games is None:  # for the width that was asked for, at the first strength
                games = next(
                    row.games for row in self._precision() if row.width == options.precision
                )
            return f"arena run NEW OLD -g GAME -n {games // self._source.block_games}"
        given = {"--elo0": options.elo0, "--elo1": options.elo1}
        usual = {"--alpha": test.alpha, "--beta": test.beta}
        parts = [f"{flag} {value:g}" for flag, value in given.items() if value is not None]
        parts += [f"{flag} {value:g}" for flag, value in usual.items() if value != _USUAL_ERROR]
        parts += ["--scale logistic"] * self._is_logistic
        parts += ["--by margin"] * self._margins
        most = 3 * max(row.games for row in self._sequential())
        parts += [f"--max-games {most}"] * (most > _USUAL_MOST)
        mode = [f"--mode {options.mode or 'gain'}"] * (options.elo0 is None)
        return " ".join(["arena compare NEW OLD -g GAME", *mode, *parts])

    def _unit(self) -> str:
        if self._question == "precision":
            return self._source.score or "Elo"
        return "Elo" if self._is_logistic else "nElo"

    def _precision(self) -> Iterator[PlanRow]:
        asked = self._options.precision or 0.0
        widths = (2 * asked, asked, asked / 2)
        if self._margins:
            for width in widths:
                yield self._row(lengths.games_for_margin(width, self._deviation), width=width)
            return
        seen = self._seen()
        even = lengths.even_deviation(self._deviation, seen or 0.0)
        for true, is_pilot in self._strengths(_STRENGTHS, seen):
            for width in widths:
                games = lengths.games_for_width(width, even, true)
                yield self._row(games, true=true, width=width, is_pilot=is_pilot)

    def _difference(self) -> Iterator[PlanRow]:
        asked, test = self._options.difference or 0.0, self._test
        games = self._whole(lengths.games_for_difference(asked, test.alpha, test.beta))
        shares = (0.0, 0.5, 0.75, 1.0, 1.5, 2.0)
        for true, is_pilot in self._strengths([share * asked for share in shares], self._seen()):
            passes = lengths.power(true, games, test.alpha)
            row = self._row(games, true=true, passes=passes, is_pilot=is_pilot)
            needs = None
            if true > 0:
                needs = self._whole(lengths.games_for_difference(true, test.alpha, test.beta))
            yield msgspec.structs.replace(row, needs=needs)

    def _sequential(self) -> Iterator[PlanRow]:
        test, size = self._test, self._source.block_games
        step = (test.elo1 - test.elo0) / 2
        strengths = [test.elo0 + k * step for k in (-2, -1, 0, 1, 2, 3, 4)]
        for true, is_pilot in self._strengths(strengths, self._seen()):
            course = lengths.course(test, true, deviation=self._deviation, block_games=size)
            yield self._row(
                course.games, course.rarely, true=true, passes=course.passes, is_pilot=is_pilot
            )

    def _strengths(self, usual: Sequence[float], seen: float | None) -> list[tuple[float, bool]]:
        """Return true differences, ascending, each with True if it is that of the pilot."""
        asked = () if self._options.true is None else (self._options.true,)
        found = dict.fromkeys([*usual, *asked], False) | ({} if seen is None else {seen: True})
        return sorted(found.items())

    def _seen(self) -> float | None:
        """Return the strength in the pilot, in the unit of the question."""
        seen = self._source.elo if self._unit() == "Elo" else self._source.nelo
        return None if seen is None else seen.value

    def _row(
        self,
        games: float,
        rarely: float | None = None,
        *,
        true: float | None = None,
        width: float | None = None,
        passes: float | None = None,
        is_pilot: bool = False,
    ) -> PlanRow:
        whole, per_game = self._whole(games), self._source.seconds
        elo = true
        if true is not None and self._unit() == "nElo":
            elo = None if self._margins else lengths.elo_of_nelo(true, self._deviation)
        return PlanRow(
            true=true,
            elo=elo,
            width=width,
            passes=passes,
            games=whole,
            rarely=None if rarely is None else self._whole(rarely),
            blocks=whole // self._source.block_games,
            seconds=None if per_game is None else whole * per_game / self._workers,
            is_pilot=is_pilot,
        )

    def _whole(self, games: float) -> int:
        size = self._source.block_games
        return lengths.whole_blocks(games, size) * size

    def _fixed_length(self) -> int | None:
        test, distance = self._test, self._options.difference
        if self._question == "precision":
            return None
        if distance is None:
            low, high = test.elo0, test.elo1
            if self._is_logistic:
                low, high = (lengths.nelo_of(elo, self._deviation) for elo in (low, high))
            distance = high - low
        return self._whole(lengths.games_for_difference(distance, test.alpha, test.beta))

    def _remarks(self) -> Iterator[str]:
        source, deviation = self._source, self._source.deviation
        if deviation.low is not None and deviation.high is not None:
            yield self._error(deviation.low / self._deviation, deviation.high / self._deviation)
        else:
            yield (
                "the deviation is taken as given; a pilot (the folder of a run) would measure it, "
                "and the time of a game"
            )
        if source.blocks is not None and source.blocks < _FEW:
            yield f"{count(source.blocks, 'block')} are a short pilot: {_FEW} or more are better"
        if source.elo is not None and abs(source.elo.value or 0.0) > _FAR:
            yield "the pilot is far from even: for two of about equal strength play another one"
        if source.seconds is not None:
            yield (
                f"times: {self._workers / source.seconds:.3g} games a second, if "
                f"{count(self._workers, 'worker')} do not slow each other; without starting bots"
            )

    def _error(self, low: float, high: float) -> str:
        """Return a sentence on how the error of the deviation affects the plan."""
        if self._question == "precision" or self._is_logistic:
            return (
                f"the pilot leaves the deviation open by {signed_percent(low - 1)} to "
                f"{signed_percent(high - 1)}, so the games by {signed_percent(low**2 - 1)} to "
                f"{signed_percent(high**2 - 1)} (95 %)"
            )
        return (
            "games in nElo do not depend on the deviation; what an nElo is in "
            f"{self._source.score or 'Elo'} is open by {signed_percent(low - 1)} to "
            f"{signed_percent(high - 1)} (95 %)"
        )


def _ends(test: Hypotheses) -> tuple[float, float]:
    return test.elo0, test.elo1


def _question(options: PlanSettings) -> str:
    asked = {
        "precision": options.precision is not None,
        "difference": options.difference is not None,
        "sequential": options.mode is not None or (options.elo0, options.elo1) != (None, None),
    }
    names = [name for name, is_asked in asked.items() if is_asked]
    if len(names) > 1:
        raise BadInput(
            "found more than one question, expected --precision, --difference, or a sequential "
            "test (--mode, or --elo0 and --elo1)"
        )
    return names[0] if names else "sequential"


def _check(options: PlanSettings) -> None:
    """Raise BadInput for numbers that nothing can be computed from."""
    positive = {"--precision": options.precision, "--difference": options.difference}
    for flag, value in positive.items():
        if value is not None and not 1e-3 <= value <= 1e4:
            raise BadInput(f"{flag}: found {value:g}, expected a number from 0.001 to 10,000")
    if options.true is not None and not abs(options.true) <= _MOST:
        raise BadInput(f"--true: found {options.true:g}, expected a number up to ±{_MOST:,.0f}")
    if options.deviation is not None and not 0.01 <= options.deviation <= 1:
        raise BadInput(
            f"--deviation: found {options.deviation:g}, expected that of the score of one game, "
            "0.01 to 1 (0.5: no draws, no mirrored deals)"
        )
    if options.draws is not None and not 0 <= options.draws <= 0.99:
        raise BadInput(f"--draws: found {options.draws:g}, expected a share from 0 to 0.99")
    if options.deviation is not None and options.draws is not None:
        raise BadInput("found --deviation and --draws, expected one of them")


def _source(options: PlanSettings) -> PlanBasis:
    stated = {
        "--deviation": options.deviation,
        "--draws": options.draws,
        "--block-games": options.block_games,
    }
    if options.run is None:
        for flag, value in (("--pair", options.pair), ("--game", options.game)):
            if value is not None:
                raise BadInput(f"{flag}: found {quote(value)} without the folder of a run")
        deviation = options.deviation or _STATED
        if options.draws is not None:
            deviation = lengths.deviation_of_draws(options.draws)
        size = options.block_games or 2
        return PlanBasis("stated", Range(deviation), Measure.PLACES, size, draws=options.draws)
    for flag, given in stated.items():
        if given is not None:
            raise BadInput(f"{flag}: found {given:g} beside {options.run}, which measures it")
    return read_pilot(options.run, options.pair, options.game)
