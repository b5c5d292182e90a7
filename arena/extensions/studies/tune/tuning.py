"""Search for the options that make a bot strongest, and the document with its result.

Stage by stage the bot plays itself with different options, in pairs on mirrored deals, and a
surface of strength is fitted to all games (``tune.tuner``). The strongest options on the
surface play the default in a match on new deals, by the sequential test of ``arena compare``. The
search favours what was lucky, too, so its own games do not show how much was gained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Final

import msgspec
import numpy as np

from arena import __version__
from arena.entrants.entrants import EntrantKind
from arena.entrants.manifest import BotOption, OptionKind, OptionValue, load_bot
from arena.extensions.matches.contest import checked, match_of, tables_of
from arena.extensions.matches.options import JudgedOptions, MatchOptions, criteria_of
from arena.extensions.matches.play import MatchInterrupted, play_match
from arena.extensions.matches.statistics.report import MatchReport, Measure, Range, Verdict
from arena.extensions.matches.terms import Terms, match_terms
from arena.extensions.studies.tune.stage import (
    Hopeless,
    StageResult,
    axes_of,
    check_same,
    played,
    stored_pairs,
    tournament_of,
)
from arena.extensions.studies.tune.surface import Axis, CategoricalOption, Floats, Space
from arena.extensions.studies.tune.tuner import PAIRS, PointPair, StageSize, Tuner, stages
from arena.games.luck import derive_key
from arena.ratings.elo.scale import ELO
from arena.ratings.probability import NORMAL_95
from arena.runs.disk import write_json
from arena.runs.identity import identity, identity_digest
from arena.runs.manifest import TUNED, TuningSource, Until, is_run
from arena.tournament.events import Event, Listener, Message, Started, Tone
from arena.tournament.prepare import opened_to_play, play, with_bots, with_workers
from arena.tournament.run import publish_seed
from arena.values.bad_input import BadInput
from arena.values.numbers import count
from arena.values.option import Arg, Opt, game_opt
from arena.values.problems import quote, shown_path

SCHEMA: Final = "arena.tune/1"


class Parameter(msgspec.Struct, frozen=True):
    """An option that was tuned."""

    name: str
    type: OptionKind
    low: float | None
    """Lower end of the searched range; None for bool and choice."""
    high: float | None
    values: tuple[OptionValue, ...]
    """Tried values of bool and choice; empty for numbers."""
    default: OptionValue
    found: OptionValue
    worst: OptionValue
    """Value within the range at which the bot is weakest, all other options as found."""
    lost: Range
    """Fitted Elo loss of the worst value; it shows how much the option matters."""
    declared: BotOption
    """Declaration in bot.yaml."""

    @property
    def is_flat(self) -> bool:
        """True if the option may change nothing, as far as the search has shown."""
        return self.lost.low is None or self.lost.low <= 0


class Tuned(msgspec.Struct, frozen=True):
    """Report of ``arena tune``; everything but ``seconds`` of the match follows from the games."""

    schema: str
    arena: str
    verdict: Verdict
    """Verdict on the found options against the default; ``fail`` too if both are the same."""
    reason: str
    """One sentence without a full stop."""
    bot: str
    disciplines: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    """Tuned options; empty if the search could not be played to its end."""
    options: dict[str, OptionValue]
    """The found options, to be written into a tournament file."""
    games: int
    """Number of games of the search."""
    stages: int
    match: MatchReport | None
    """Match of the found options against the default, on new deals; None if not played."""
    run: str
    """Folder of the search, with a run for each stage and the match."""


GAMES: Final = 4000
"""Usual number of games of a search, for one or two options."""
MORE_GAMES: Final = 2000
"""Further games for each option after the second one."""
_FAULTY: Final = 0.5
"""Greatest share of games of a stage with a fault; beyond it results do not show strength."""
_SLICE: Final = 41
"""Number of points along a range at which the weakest one is looked for."""


@dataclass(frozen=True, kw_only=True)
class TuneSettings(JudgedOptions):
    """Options of a search."""

    bot: Annotated[
        str,
        Arg(
            "A folder with a bot.yaml that declares options (FOLDER@REV: at a git revision).",
            metavar="BOT",
            completes="bots",
        ),
    ]
    params: Annotated[
        tuple[str, ...],
        Opt(
            "Option to search, with its range; NAME=A,B of a choice; NAME alone: all "
            "that is declared.",
            "--param",
            metavar="NAME=LOW:HIGH",
        ),
    ] = ()
    games: Annotated[
        tuple[str, ...], game_opt("Rules to play. Repeatable: best in all together.")
    ] = ()
    search_games: Annotated[
        int | None,
        Opt(
            f"Most games of the search. Default: {GAMES}, and {MORE_GAMES} more for each "
            "parameter after the second.",
            least=1,
            most=10_000_000,
        ),
    ] = None
    max_games: Annotated[int, Opt("Most games; after them it is inconclusive.", least=1)] = 10_000
    output: Annotated[
        Path | None,
        Opt("Folder of the runs. Default: runs/tune-BOT-…", "--output -o", metavar="FOLDER"),
    ] = None
    """Folder; None: the same for the same bot, options and games."""


def tune(options: TuneSettings, listener: Listener) -> Tuned:
    """Search for the best options and test them; stored games are not played again.

    The answer is also written to the folder of the search. Raises BadInput, ConfigError,
    StoreError, PoolError, IsolationError, and MatchInterrupted if a person stopped it.
    """
    search = _TuneSearch(options, listener)
    found = search.run()
    write_json(search.folder / TUNED, found)
    return found


class _TuneSearch:
    """The stages of a search and what they have shown."""

    def __init__(self, options: TuneSettings, listener: Listener) -> None:
        self._options = options
        shared = {each.name: getattr(options, each.name) for each in fields(JudgedOptions)}
        self._asked = MatchOptions(bots=(options.bot, options.bot), **shared)
        self._listener = listener
        self._terms = match_terms((options.bot, options.bot), options)
        bot = self._terms.tournament.entrants[0]
        if bot.kind is not EntrantKind.BOT:
            raise BadInput(
                f"found {quote(options.bot)}, expected a folder with a bot.yaml, which declares "
                "the options"
            )
        self._declared: dict[str, BotOption] = load_bot(Path(bot.folder)).manifest.options
        self._space = Space(axes_of(options.params, self._declared, bot.name))
        self._default = {axis.name: bot.options[axis.name] for axis in self._space.axes}
        names = (bot.name, self._terms.tournament.entrants[1].name)
        disciplines = self._terms.tournament.disciplines
        test = criteria_of(self._asked)
        checked(lambda: match_of(disciplines, names, names, test, None), "block", test.max_games)
        self._tables = tables_of(disciplines, Measure.PLACES)
        self._deal_games = sum(table.block_games for table in self._tables)
        self._stages = list(stages(self._wanted, self._deal_games))
        if not self._stages:
            least = PAIRS * self._deal_games
            raise BadInput(f"--search-games: found {self._wanted}, expected at least {least}")
        tournament = with_workers(self._terms.tournament, options.workers, options.on)
        key = _key(tournament.name, self._identity(), self._space.axes)
        self.folder = options.output or Path("runs", f"tune-{bot.name[:24]}-{key.hex()[:8]}")
        if is_run(self.folder):
            found = f"found the run {shown_path(self.folder)}"
            raise BadInput(f"--output: {found}, expected a folder for several")
        self._tuner = Tuner(self._space, int.from_bytes(key[:6], "big"))
        self._base = with_bots(tournament)
        self._played: list[StageResult] = []

    @property
    def _wanted(self) -> int:
        usual = GAMES + MORE_GAMES * max(0, len(self._space.axes) - 2)
        return self._options.search_games or usual

    def _identity(self) -> str:
        """Return the digest of everything but the ranges that are searched."""
        return identity_digest(
            identity(self._terms.tournament, Until.MATCH), seed=self._options.seed
        )

    def run(self) -> Tuned:
        """Run the search and return its document. Raises what playing raises."""
        worth = float(self._deal_games)
        for number, stage in enumerate(self._stages, 1):
            problem = self._play(number, stage, worth)
            last = self._played[-1]
            if not problem and last.faulty > _FAULTY * last.number:
                problem = (
                    f"faults in {last.faulty} of {last.number} games ({last.first_fault}), so "
                    "their results say nothing of options"
                )
            if problem:
                return self._result(Verdict.INVALID, problem, None)
            self._tuner.add(last.games)
            worth = float(last.games.weights.sum()) / (PAIRS * stage.deals)
        options = self._found()
        if options == self._default:
            return self._result(Verdict.FAIL, "nothing better than the default was found", None)
        report = self._match(options)
        return self._result(report.verdict, report.reason, report)

    def _play(self, number: int, stage: StageSize, worth: float) -> str:
        """Play ``stage`` to its end; return why that is impossible, or "".

        ``worth``: games that a deal of a pair counts for, as far as is known.
        """
        folder = self.folder / f"stage-{number:02}"
        pairs = stored_pairs(folder, self._space)
        if pairs is None:
            pairs = self._tuner.pairs(worth * stage.planned)
            pairs = [PointPair(*map(self._as_stored, pair)) for pair in pairs]
        tournament = tournament_of(self._base, self._space, pairs, number, stage.planned)
        seed = self._options.seed
        tournament = msgspec.structs.replace(
            tournament,
            name=f"{self.folder.absolute().name or 'tune'}-{number:02}",
            seed=None if seed is None else f"{seed}-{number}",
        )
        source = TuningSource(bot=self._options.bot, params=self._options.params)
        if is_run(folder):
            check_same(tournament, folder, source)

        def heard(event: Event) -> None:
            if isinstance(event, Started):
                games = count(event.progress.total, "game")
                words = f"stage {number} of {len(self._stages)}: {games}"
                so_far = f", best so far {shown(self._found())}" if self._played else ""
                self._listener(Message(words + so_far))
            self._listener(event)

        with opened_to_play(tournament, folder, source) as run:
            judge = Hopeless()
            stretch = play(tournament, run, heard, judge, stage.deals)
            if stretch.interrupted and stretch.progress.left:
                text = "interrupted, everything is saved; the same command continues"
                self._listener(Message(text, Tone.LINE))
                raise MatchInterrupted(str(self.folder))
            if not stretch.progress.left and stage.deals == stage.planned:
                publish_seed(run.folder, run.opening)
            self._played.append(played(folder, run.manifest, pairs, self._tables, stage.deals))
        progress = stretch.progress
        if progress.left and not judge.is_over:
            why = progress.stopped or f"{count(progress.left, 'game')} could not be played"
            return f"stage {number}: {why}; the same command tries again"
        return ""

    def _as_stored(self, point: Floats) -> Floats:
        """Return ``point`` exactly as it would be read back from a stored stage."""
        return self._space.point(self._space.values(point))

    def _found(self) -> dict[str, OptionValue]:
        return self._space.values(self._tuner.best())

    def _match(self, options: dict[str, OptionValue]) -> MatchReport:
        bot = self._terms.tournament.entrants[0]
        tuned = msgspec.structs.replace(
            bot, name=f"{bot.name[:48]}-tuned", options=bot.options | options
        )
        names = (tuned.name, bot.name)
        disciplines = tuple(
            msgspec.structs.replace(each, entrants=names)
            for each in self._terms.tournament.disciplines
        )
        seed = self._options.seed
        tournament = msgspec.structs.replace(
            self._terms.tournament,
            entrants=(tuned, bot),
            disciplines=disciplines,
            seed=None if seed is None else f"{seed}-match",
        )
        words = f"found {shown(options)}: a match against the default, on new deals"
        self._listener(Message(words))
        bot_given = self._options.bot
        return play_match(
            replace(self._asked, seed=None, output=self.folder / f"match-{_short(options)}"),
            self._listener,
            Terms(tournament, self._terms.commits, self._terms.given),
            (f"{bot_given} as tuned", f"{bot_given} by default"),
        )

    def _result(self, verdict: Verdict, reason: str, match: MatchReport | None) -> Tuned:
        is_whole = verdict is not Verdict.INVALID or match is not None
        options = self._found() if is_whole else {}
        return Tuned(
            schema=SCHEMA,
            arena=__version__,
            verdict=verdict,
            reason=reason,
            bot=self._options.bot,
            disciplines=tuple(each.name for each in self._terms.tournament.disciplines),
            parameters=tuple(map(self._parameter, self._space.axes)) if is_whole else (),
            options=options,
            games=sum(each.number for each in self._played),
            stages=len(self._played),
            match=match,
            run=shown_path(self.folder),
        )

    def _parameter(self, axis: Axis) -> Parameter:
        top = self._tuner.best()
        place = self._space.axes.index(axis)
        points = np.tile(top, (_SLICE, 1))
        ends = (0, len(axis.values) - 1) if isinstance(axis, CategoricalOption) else (-1, 1)
        points[:, place] = np.linspace(*ends, _SLICE)
        points = self._space.tidy(points)
        surface = self._tuner.surface
        lowest = points[int(np.argmin(surface.strengths(points)))]
        return Parameter(
            name=axis.name,
            type=self._declared[axis.name].type,
            low=None if isinstance(axis, CategoricalOption) else axis.low,
            high=None if isinstance(axis, CategoricalOption) else axis.high,
            values=axis.values if isinstance(axis, CategoricalOption) else (),
            default=self._default[axis.name],
            found=axis.value(float(top[place])),
            worst=axis.value(float(lowest[place])),
            lost=self._lost(top, lowest),
            declared=self._declared[axis.name],
        )

    def _lost(self, top: Floats, other: Floats) -> Range:
        surface = self._tuner.surface
        contrast = np.subtract(*surface.basis(np.stack([top, other])))
        value = ELO * float(contrast @ surface.mean)
        error = NORMAL_95 * ELO * float(contrast @ surface.covariance @ contrast) ** 0.5
        return Range(value, value - error, value + error)


def shown(options: dict[str, OptionValue]) -> str:
    """Return options as text for people: ``depth=5, style=bold``."""
    return ", ".join(f"{name}={_word(value)}" for name, value in options.items())


def _word(value: OptionValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _key(name: str, of_bot: str, axes: Sequence[Axis]) -> bytes:
    """Return a key by which the same search finds its folder again."""
    return derive_key("tune", of_bot, *(repr(tuple(axis)) for axis in axes))


def _short(options: dict[str, OptionValue]) -> str:
    """Return the name of the folder for the match of these options."""
    return derive_key("found", *(f"{k}={v!r}" for k, v in options.items())).hex()[:8]
