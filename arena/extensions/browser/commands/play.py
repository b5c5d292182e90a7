"""``arena play``: a person plays with bots."""

from __future__ import annotations

import dataclasses
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer

from arena.cli.command import command
from arena.cli.common import BOT, GameName, Seats, check_game, output_option
from arena.cli.terminal.announce import has_logs
from arena.cli.terminal.console import Exit, ReaderLeft, columns, harmless, out, say, warn
from arena.cli.terminal.signals import interrupting
from arena.extensions.browser.table.course import Finished, PersonsGame, Seated, Way
from arena.extensions.browser.table.host import GamesEnd, Host
from arena.extensions.browser.table.text import (
    Reply,
    begin_lines,
    list_lines,
    reply_lines,
    resolve,
    seen_lines,
)
from arena.extensions.browser.table.tournament import meet, next_games, table_tournament
from arena.games.registry import data_notice
from arena.runs.config.tournament import Tournament
from arena.runs.identity import identity, identity_digest
from arena.runs.live import log_to
from arena.runs.manifest import TableSource, Until
from arena.runs.reader import StoredRun, placed_games
from arena.runs.store import Store
from arena.runs.voids import in_one_line
from arena.tournament.prepare import opened, with_bots
from arena.tournament.run import Run
from arena.values.bad_input import printable
from arena.values.option import Arg, Opt, Seed, Settings
from arena.values.problems import shown_path
from arena.values.results import GameDone, GameSpec, GameVoid
from arena.views.standings.standings import table_of, write_tables

_HASH: Final = 8
_LONGEST_NAME: Final = 24
_MOST_NAMES: Final = 3
_WIDTH: Final = 79
"""Most columns of the text of a game."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class PlayOptions:
    """Play with bots yourself.

    You see what a bot in your seat would see, and have all the time you want. Type the number or
    words of a choice (? helps). Every game is kept like one of a run; the same command deals the
    next one, so results add up. Exit code 130 if you leave a game: it is not counted.

    \b
    arena play dragonheart
    arena play dragonkrak -s 4 --against builtin:ismcts bots/mine
    arena play dragonkrak -s 1
    """

    game: GameName
    bots: Annotated[
        tuple[str, ...],
        Arg("Further bots, as with --against.", metavar="BOT...", completes="bots"),
    ] = ()
    against: Annotated[
        tuple[str, ...],
        Opt(
            f"{BOT} Repeatable; the last one also takes the seats that are left. "
            "Default: builtin:greedy, or builtin:random if greedy does not play the game.",
            metavar="BOT",
            completes="bots",
        ),
    ] = ()
    seats: Seats = None
    seat: Annotated[int | None, Opt("Your seat, from 0. Default: each in turn.", least=0)] = None
    person: Annotated[
        str,
        Opt("Your name in tables and records.", "--as", metavar="NAME"),
    ] = "human"
    seed: Seed = None
    settings: Settings = ()
    data: Annotated[str | None, Opt("Your own card data, as YAML.", metavar="FILE")] = None
    output: Annotated[
        Path | None, output_option("Run folder. Default: one of this table, in runs.")
    ] = None


def play_with_bots(options: PlayOptions) -> None:
    """Play the next game of a table, keep it, and print the result.

    Ends with typer.Exit if the person leaves the game, or if it could not be played.
    """
    check_game(options.game)
    tournament = table_tournament(
        options.game,
        (*options.against, *options.bots),
        person=options.person,
        seats=options.seats,
        data=options.data,
        seed=options.seed,
        overrides=options.settings,
    )
    tournament = with_bots(tournament)
    person = tournament.entrants[0].name
    folder = options.output or _folder(tournament, options.seed)
    name = printable(folder.absolute().name) or "play"
    tournament = msgspec.structs.replace(tournament, name=name)
    with opened(tournament, folder, TableSource(person=person), Until.PERSON) as run:
        log_to(folder)
        games = next_games(run, person, options.seat)
        stored = placed_games(folder, run.schedule)
        number = 1 + sum(person in each.result.spec.entrants for each in stored)
        with Store(folder) as store:
            finished = _sit(tournament, run, store, games, number)
        if finished.way is Way.PLAYED:
            table = table_of(StoredRun(folder, run.manifest))
            write_tables(folder, table, [form.value for form in tournament.output.formats])
    _farewell(folder, games[0], finished)


def _folder(tournament: Tournament, seed: str | None) -> Path:
    """Return the run folder; the same for the same table, so that results add up."""
    key = identity_digest(identity(tournament, Until.PERSON), seed=seed)[:_HASH]
    rules = tournament.disciplines[0].rules
    bots = [entrant.name[:_LONGEST_NAME] for entrant in tournament.entrants[1:]]
    against = ["vs", *bots[:_MOST_NAMES]] if bots else []
    name = "-".join(["play", rules.name, str(rules.seats), *against, key])
    return Path(tournament.output.folder).parent / name


def _sit(
    tournament: Tournament,
    run: Run,
    store: Store,
    games: Sequence[GameSpec],
    number: int,
) -> Finished:
    first = games[0]
    spec = run.manifest.disciplines[0].rules
    seat = first.entrants.index(tournament.entrants[0].name)
    notice = data_notice(spec)
    mine = PersonsGame(spec, first.entrants, seat, number, (notice,) if notice else ())
    meet(run, first)
    with Host(tournament, run, store, games) as host:
        return _play_in_lines(host, mine)


def _farewell(folder: Path, spec: GameSpec, finished: Finished) -> None:
    """Print the result, and where the game is stored."""
    shown = shlex.quote(shown_path(folder))
    if finished.way is Way.LEFT:
        say("left: the game is not counted; its deal is not dealt again")
        raise typer.Exit(Exit.INTERRUPTED)
    for line in finished.result:
        out(line)
    for report in finished.reports:
        if isinstance(report, GameVoid):
            warn(f"the game could not be played and is not counted: {in_one_line(report.reason)}")
            logs = f" and {shown}/logs" if has_logs(folder) else ""
            say(f"see {shown}/voids.jsonl{logs}")
            raise typer.Exit(Exit.INVALID_RUN)
    faulty = any(isinstance(each, GameDone) and each.result.faults for each in finished.reports)
    if faulty and has_logs(folder, "*.stderr"):
        say(f"what bots wrote: {shown}/logs/NAME.stderr")
    say(f"stored in {shown}   table: arena standings {shown}")
    say(f"replay: arena replay {shown} {shlex.quote(spec.game_id)}")


def _play_in_lines(host: Host, mine: PersonsGame) -> Finished:
    """Print the game and read the person's choices until the game ends or the person leaves.

    ``mine``: the game of the person.
    """
    try:
        with interrupting():  # so that no bot process is left running
            if (finished := _played(host, mine)) is not None:
                return finished
    except (KeyboardInterrupt, ReaderLeft):
        pass
    if host.leave():
        return Finished(Way.LEFT)
    return _at_end(host, mine)


def _at_end(host: Host, mine: PersonsGame) -> Finished:
    """Wait for the end of the game and return it."""
    while not isinstance(item := host.next(), GamesEnd):
        pass
    return mine.finished(item)


def _played(host: Host, mine: PersonsGame) -> Finished | None:
    """Play the game to its end; None if the person leaves."""
    seated = Seated(mine)
    _print(begin_lines(seated, _width()))
    while not isinstance(item := host.next(), GamesEnd):
        seated = mine.after(seated, item)
        if not seated.is_asked:
            continue
        _print([*seen_lines(seated, _width()), *list_lines(seated, _width())])
        choice = _choice(seated)
        if choice is None:
            return None
        seated = seated.decided()
        host.answer(choice)
    return _end(seated, mine, item)


def _end(seated: Seated, mine: PersonsGame, ended: GamesEnd) -> Finished:
    finished = mine.finished(ended)
    if finished.way is Way.PLAYED:
        _print([*seen_lines(mine.over(seated, finished), _width()), ""])
    return finished


def _choice(seated: Seated) -> int | None:
    """Return the index of a legal action; None if the person leaves."""
    while True:
        text = _line("your choice (? helps): ")
        if text is None:
            return None
        reply = resolve(text, seated.words)
        if isinstance(reply, int):
            out(f"you: {seated.words[reply]}")
            return reply
        if reply is Reply.LEAVE:
            answer = _line("leave? the game is not counted: y/n ")
            if answer is None or answer.strip().lower().startswith("y"):
                return None
        else:
            _print(reply_lines(seated, reply, _width()))


def _line(prompt: str) -> str | None:
    """Return the line that the person types; None at the end of input and at an interrupt."""
    try:
        if sys.stdin.isatty():
            sys.stdout.write(harmless(prompt, sys.stdout))
            sys.stdout.flush()
        line = sys.stdin.readline()
    except OSError:  # the terminal was closed
        return None
    except KeyboardInterrupt:
        line = ""
    if not line and sys.stdin.isatty():
        out("")  # the prompt is still on the line
    return line or None


def _width() -> int:
    """Return the columns for text; the last column of the terminal stays free."""
    return min(_WIDTH, max(1, (columns() or _WIDTH + 1) - 1))


def _print(lines: list[str]) -> None:
    for line in lines:
        out(line)


COMMAND: Final = command(play_with_bots)
