"""``arena try``: play one game of a bot and show all of it."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, BinaryIO, Final

import msgspec
import typer

from arena.cli.command import command
from arena.cli.common import Bot, Clock, Seats, check_game, game_option
from arena.cli.terminal.console import Exit, out, say, warn
from arena.cli.terminal.signals import interrupting
from arena.extensions.authors.bots import BuildableBot, Setting, find_bot, find_bots
from arena.extensions.authors.trial.feed import feed, read_exchange
from arena.extensions.authors.trial.listening import Event, line_to_keep, with_answer_limit
from arena.extensions.authors.trial.transcript import Transcript, setting_of, transcripts
from arena.extensions.authors.trial.trial import (
    TrialGame,
    seated,
    try_again,
    try_game,
    without_clock,
)
from arena.extensions.authors.try_text import Narrator
from arena.games.base import RulesError
from arena.games.game import Game
from arena.games.installed import in_words
from arena.games.registry import GAMES, make_rules, rules_spec
from arena.hosting.sandbox.isolation import Isolation
from arena.referee.records.read import parse, unpack
from arena.runs.config.tournament import Tournament, quick_tournament, read_clock
from arena.runs.disk import cannot_write
from arena.runs.manifest import is_run
from arena.runs.reader import StoredRun
from arena.runs.store import Stored
from arena.values.bad_input import BadInput
from arena.values.option import Opt
from arena.values.problems import ConfigError, either, quote
from arena.values.results import FaultKind, RulesSpec, TimeControl
from arena.views.game.find import find, replayed
from arena.views.game.replay import view_of
from arena.views.game.text import end_lines


@dataclasses.dataclass(frozen=True, kw_only=True)
class TryOptions:
    """Play one game of a bot and show all of it.

    Shows every line to the bot and from it, its standard error, the board in words, and time,
    processor and memory of each move. Nothing is kept without --wire. Exit codes: 0 the game was
    played, 1 the bot committed a fault, 2 bad input.

    \b
    arena try bots/greedy
    arena try bots/greedy --game dragonkrak -s 3 --against bots/random --deal 7 --seat 2
    arena try bots/greedy --wire heard.jsonl --isolation sandbox
    arena try bots/ismcts -g dragonheart --clock '100 ms' --option seconds=0.05
    arena try bots/greedy --from runs/quickstart#3@12
    """

    bot: Bot
    against: Annotated[
        tuple[str, ...],
        Opt(
            "Opponent. Repeatable; the last one takes the seats that are left. "
            "Default: a built-in player that takes any legal action, the same ones on "
            "the same deal.",
            metavar="BOT",
            completes="bots",
        ),
    ] = ()
    game: Annotated[
        str | None, game_option("Default: the first that its bot.yaml lists, else Dragonheart.")
    ] = None
    seats: Seats = None
    deal: Annotated[int | None, Opt("Number of the deal. Default: 0.", least=0)] = None
    seat: Annotated[
        int | None,
        Opt(
            "Seat of the bot, from 0. Default: 0; with --from that of the entrant with its name.",
            least=0,
        ),
    ] = None
    source: Annotated[
        str | None,
        Opt(
            "Instead of a game: ask the questions of a seat in a game of a run, up to "
            "this ply; without PLY up to its fault, else all.",
            "--from",
            metavar="RUN#GAME[@PLY]",
        ),
    ] = None
    feed: Annotated[
        Path | None,
        Opt("Instead of a game: send the lines of an exchange that --wire kept.", metavar="FILE"),
    ] = None
    wire: Annotated[
        Path | None,
        Opt("Keep the whole exchange in this file, as lines of JSON.", metavar="FILE"),
    ] = None
    clock: Clock = None
    chosen: Annotated[
        tuple[str, ...],
        Opt(
            "Option of the game, or of the bot by its bot.yaml. Repeatable.",
            "--option",
            metavar="KEY=VALUE",
        ),
    ] = ()
    no_clock: Annotated[bool, Opt("Remove every limit on time, for debuggers.")] = False
    isolation: Annotated[Isolation, Opt("How far bots are kept apart.")] = Isolation.LIMITS


def try_bot(options: TryOptions) -> None:
    """Play one game, or send the bot recorded questions, and print every line.

    Raises typer.Exit if the bot committed a fault.
    """
    isolation = options.isolation
    with interrupting():
        if options.source is not None:
            _ask(options, options.source, isolation)
        elif options.feed is not None:
            _feed(options, options.feed, isolation)
        else:
            _play(options, isolation)


def _play(options: TryOptions, isolation: Isolation) -> None:
    candidate, *others = find_bots([options.bot, *options.against], isolation)
    rules = _rules(options, candidate)
    for each in (candidate, *others):
        _check_plays(each, rules)
    seat = options.seat or 0
    if seat >= rules.seats:
        seats = [*map(str, range(rules.seats))]
        raise BadInput(f"--seat: found {seat}, expected {either(seats)}")
    if len(others) >= rules.seats:
        most = rules.seats - 1
        raise BadInput(f"--against: found {len(others)} bots, expected at most {most}")
    if options.clock is not None and options.no_clock:
        raise BadInput("--clock: expected none with --no-clock")
    setting = Setting() if options.clock is None else Setting(**read_clock(options.clock)._asdict())
    plan = TrialGame(rules, options.deal or 0, seat, tuple(others))
    if options.chosen:
        terms = _terms(options, rules)
        rules = terms.disciplines[0].rules
        plan = plan._replace(rules=rules, options=terms.entrants[0].options)
    if options.no_clock:
        setting = without_clock(setting)
    names = seated(plan, candidate)
    size = f"{rules.seats} seat{'s'[: rules.seats != 1]}"
    title = GAMES[rules.name].title
    out(f"{title}, {size}, deal {plan.deal}, isolation {isolation}")
    for number, name in enumerate(names):
        out(f"seat {number}  {name}{'  <- listened to' if number == seat else ''}")
    narrator = Narrator(rules, names)
    with _told(narrator, options) as listener:
        played = try_game(candidate, plan, setting, listener)
    record, _ = parse(unpack(played.record))
    view = view_of(replayed(record, make_rules(rules)), None)
    out("")
    for line in end_lines(view):
        out(line)
    for fault in played.result.faults:
        if fault.seat == seat:
            _conclude(narrator.advice(), is_fault=True)


def _terms(options: TryOptions, rules: RulesSpec) -> Tournament:
    """Return a tournament of the bot alone, with its options set. Raises BadInput."""
    known = {option.name for option in GAMES[rules.name].options}
    settings = {}
    for text in options.chosen:
        if "=" not in text:
            raise BadInput(f"--option: found {quote(text)}, expected KEY=VALUE")
        whose = "game" if text.partition("=")[0] in known else "entrants.0"
        settings[f"{whose}.options.{text}"] = f"--option {text}"
    bots = [options.bot] * max(2, rules.seats)
    try:
        return quick_tournament(rules.name, bots, seats=rules.seats, overrides=[*settings])
    except ConfigError as error:
        flags = {f"--set {key}": flag for key, flag in settings.items()}
        raise ConfigError(
            [
                msgspec.structs.replace(each, where=flags.get(each.where, each.where))
                for each in error.problems
            ]
        ) from None


def _ask(options: TryOptions, text: str, isolation: Isolation) -> None:
    _refuse(options, "--from", feed=options.feed)
    candidate = find_bot(options.bot, isolation)
    where, ply = _where(text)
    folder, _, game = where.rpartition("#")
    if not folder or not is_run(Path(folder)):
        raise BadInput(f"--from: found {quote(text)}, expected RUN#GAME or RUN#GAME@PLY")
    run = StoredRun(Path(folder))
    stored, setting = find(run, game, "--from").stored, setting_of(run)
    limit = setting.control.move or setting.control.bank
    transcript = _until(_transcript(run, stored, candidate, options.seat), ply)
    if options.no_clock:
        setting = without_clock(setting)
        transcript = transcript._replace(control=setting.control)
    whose = f"seat {transcript.seat} of {transcript.entrant}"
    out(f"{transcript.game}, {whose}, isolation {isolation}")
    plies = [question.ply for question in transcript.questions]
    narrator = Narrator(transcript.rules.spec, transcript.entrants, plies, limit)
    with _told(narrator, options, limit, "the limit of the run") as listener:
        offence = try_again(candidate, transcript, setting, listener)
    _conclude(narrator.conclusion(offence), is_fault=offence is not None)


def _feed(options: TryOptions, path: Path, isolation: Isolation) -> None:
    _refuse(options, "--feed", seat=options.seat)
    candidate = find_bot(options.bot, isolation)
    exchange = read_exchange(path)
    setting = without_clock(Setting()) if options.no_clock else Setting()
    narrator = Narrator(exchange.rules.spec, exchange.names)
    with _told(narrator, options) as listener:
        timed = not options.no_clock
        offence = feed(candidate, exchange, setting, listener, is_timed=timed)
    _conclude(narrator.conclusion(offence), is_fault=offence is not None)


def _refuse(options: TryOptions, flag: str, **more: object) -> None:
    """Raise BadInput for options that contradict a game which is already given by ``flag``."""
    given = {
        "--against": options.against,
        "--game": options.game,
        "--seats": options.seats,
        "--deal": options.deal,
        "--clock": options.clock,
        "--option": options.chosen,
        **{f"--{name}": value for name, value in more.items()},
    }
    for name, value in given.items():
        if value not in ((), None):
            raise BadInput(f"{name}: expected none with {flag}, as the game is known")


def _conclude(lines: Iterable[str], *, is_fault: bool) -> None:
    """Print the last lines. Raises typer.Exit if ``is_fault``."""
    for line in lines:
        out(line)
    if is_fault:
        raise typer.Exit(Exit.DIFFERENCE)


def _where(text: str) -> tuple[str, int | None]:
    """Split ``RUN#GAME@PLY`` into the game and the ply; None if no ply is named."""
    where, at, ply = text.rpartition("@")
    if at and ply.isascii() and ply.isdecimal() and len(ply) < 10:
        return where, int(ply)
    return text, None


def _transcript(
    run: StoredRun, stored: Stored, candidate: BuildableBot, seat: int | None
) -> Transcript:
    """Return the transcript whose questions are asked.

    Prefer the seat asked for, else the entrant with the bot's name, else any; among several
    transcripts one with a fault. Raises BadInput.
    """
    _check_plays(candidate, run.rules(stored.result.spec.discipline).spec)
    named = candidate.among(run.manifest.entrants) if seat is None else None
    found = [
        each
        for each in transcripts(run, stored)
        if seat in (None, each.seat) and named in (None, each.entrant)
    ]
    if not found:
        whose = f"seat {seat}" if seat is not None else named or "any seat"
        raise BadInput(f"--from: found no question to {whose} in this game")
    return next((each for each in found if _fault_at(each) is not None), found[0])


def _fault_at(transcript: Transcript) -> int | None:
    """Return the number of the first question answered by a fault; None without a fault."""
    for number, question in enumerate(transcript.questions, 1):
        if isinstance(question.recorded, FaultKind):
            return number
    return None


def _until(transcript: Transcript, ply: int | None) -> Transcript:
    """Return the transcript up to the question at the ply, or up to the fault. Raises BadInput."""
    questions = transcript.questions
    if ply is None:
        count = _fault_at(transcript)
    else:
        plies = [question.ply for question in questions]
        if ply not in plies:
            near = either([*map(str, sorted(sorted(plies, key=lambda p: abs(p - ply))[:3]))])
            expected = f"one at which seat {transcript.seat} was asked, such as {near}"
            raise BadInput(f"--from: found ply {ply}, expected {expected}")
        count = plies.index(ply) + 1
    if count is None:
        return transcript
    return transcript._replace(questions=questions[:count], end=None)


def _rules(options: TryOptions, candidate: BuildableBot) -> RulesSpec:
    """Return the rules to play. Raises BadInput."""
    declared = (candidate.bot.manifest.plays if candidate.bot else None) or {}
    game = _game(options, declared)
    name = game.name
    sizes = [size for size in declared.get(name, ()) if size in game.seats]
    usual = game.default_seats
    default = usual if usual in sizes or not sizes else sizes[0]
    seats = default if options.seats is None else options.seats
    if seats not in game.seats:
        allowed = either([*map(str, game.seats)])
        raise BadInput(f"--seats: found {seats}, expected {allowed} for {name}")
    try:
        return rules_spec(name, seats)
    except RulesError as error:
        raise BadInput(f"--game: {in_words(error)}") from None


def _game(options: TryOptions, declared: Iterable[str]) -> Game:
    """Return the game asked for, else the first of ``declared`` that can be loaded.

    Raises BadInput.
    """
    if options.game is not None:
        check_game(options.game, "--game")
        return GAMES[options.game]
    names = [*declared] or [GAMES.default]
    game = next(GAMES.usable(names, warn), None)
    if game is None:
        raise BadInput(f"--game: {options.bot} lists {either(names)}, and none can be loaded here")
    return game


def _check_plays(candidate: BuildableBot, rules: RulesSpec) -> None:
    if not candidate.plays(rules.name, rules.seats):
        seats = f"{rules.seats} seat{'s'[: rules.seats != 1]}"
        name = candidate.name
        raise BadInput(f"{name} does not play {rules.name} at {seats}, by its bot.yaml")


@contextlib.contextmanager
def _told(
    narrator: Narrator,
    options: TryOptions,
    limit: float | None = TimeControl().move,
    whose: str = "the usual limit",
) -> Iterator[Callable[[Event], object]]:
    """Yield a listener that prints events, and keeps them with ``--wire``. Raises StoreError.

    ``limit``: seconds after which a message says, once, that an answer is awaited; a running clock
    ends the game before that.
    """
    wire = options.wire
    with contextlib.ExitStack() as stack:
        file: BinaryIO | None = None
        if wire is not None:
            try:
                file = stack.enter_context(wire.open("wb", buffering=0))
            except OSError as error:
                raise cannot_write(wire, error) from error

        def listen(event: Event) -> None:
            kept = line_to_keep(event)
            if file is not None and wire is not None and kept is not None:
                try:
                    file.write(kept)
                except OSError as error:
                    raise cannot_write(wire, error) from error
            for line in narrator.lines(event):
                out(line)

        if options.no_clock and limit is not None:
            text = f"still waiting after {limit:.1f} s, {whose}; Ctrl-C ends it"
            yield with_answer_limit(listen, limit, lambda: say(text))
        else:
            yield listen


COMMAND: Final = command(try_bot)
