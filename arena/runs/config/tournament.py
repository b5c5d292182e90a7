"""Read tournament files, check them as a whole, and convert them to one frozen value."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple, cast

import msgspec
from msgspec import UNSET

from arena.entrants.entrants import Entrant, Entry, Roster, check_names, check_titles, with_numbers
from arena.entrants.manifest import IsolationFile
from arena.entrants.names import is_engine, split
from arena.hosting.sandbox.isolation import Isolation
from arena.runs.config.disciplines import disciplines
from arena.runs.config.games import read_games
from arena.runs.config.keys import (
    ClockFile,
    Execution,
    Format,
    Names,
    OnBuildFailure,
    Ratings,
    TournamentFile,
)
from arena.schedule.keys import Discipline
from arena.schedule.kinds.registry import grows, kind_of
from arena.values.bad_input import printable
from arena.values.document import parse_document, read_document
from arena.values.overrides import apply_overrides
from arena.values.problems import (
    Document,
    KeyPath,
    Mark,
    Plain,
    Problems,
    did_you_mean,
    dotted,
    failure,
    quote,
)
from arena.values.reading import read_struct
from arena.values.results import BreakerPolicy, Learning, Limits, OnFault, TimeControl

OPTION: Final = "--clock"


class ClockSettings(NamedTuple):
    """Time control of a game, and permission to think while others move."""

    control: TimeControl
    pondering: bool


def read_clock(text: str) -> ClockSettings:
    """Return the clock of ``--clock``: the keys of a tournament file, or the time for an answer.

    Raises ConfigError.
    """
    keys = text if ":" in text else f"move: {text}"
    keys = keys if keys.lstrip().startswith("{") else f"{{{keys}}}"
    document = parse_document(keys.encode("utf-8", "surrogatepass"), OPTION, Path())
    problems = Problems(document)
    raw = read_struct(document, ClockFile, problems)
    _check_clock(raw, problems)
    problems.raise_if_any()
    return _clock_of(raw)


def _clock_of(raw: ClockFile) -> ClockSettings:
    """Return the clock that the keys set, with defaults for those that are missing."""
    move = 1.0 if raw.move is None and raw.bank is None else raw.move
    control = TimeControl(
        move=move,
        bank=raw.bank,
        increment=raw.increment or 0.0,
        startup=raw.startup,
        moves=raw.moves or UNSET,
        margin=raw.margin or UNSET,
    )
    return ClockSettings(control, raw.pondering in (True, "on"))


def _check_clock(raw: ClockFile, problems: Problems, *path: str) -> None:
    """Report an increment or moves without a bank. ``path``: key path of the clock."""
    if raw.bank is not None or not problems.clean(*path):
        return
    if raw.increment:
        problems.add((*path, "increment"), "found an increment", expected="a bank to add it to")
    if raw.moves:
        problems.add((*path, "moves"), f"found {raw.moves}", expected="a bank for these answers")


RUNS_FOLDER: Final = "runs"
"""Default parent of run folders, below the current folder; see ``output.folder``."""


class Output(msgspec.Struct, frozen=True):
    """The run folder and the files that are written there."""

    folder: str
    """Absolute path of the run folder."""
    formats: tuple[Format, ...] = tuple(Format)


class Tournament(msgspec.Struct, frozen=True):
    """A checked tournament: all that is needed to play it."""

    name: str
    disciplines: tuple[Discipline, ...]
    entrants: tuple[Entrant, ...]
    output: Output
    clock: TimeControl = TimeControl()
    pondering: bool = True
    """True if a bot may use the processor while another one is to move."""
    limits: Limits = Limits()
    isolation: Isolation = Isolation.LIMITS
    """Requested level; each entrant has a level of its own."""
    readable: tuple[str, ...] = ()
    """Absolute paths that bots may read where files are otherwise closed to them."""
    breaker: BreakerPolicy = BreakerPolicy()
    seed: str | None = None
    """Secret until the run has ended; None: to be drawn when the run starts."""
    names: Names = Names.SHOWN
    learning: Learning | None = None
    """Bounds on what a bot keeps from round to round; None: it keeps nothing."""
    on_fault: OnFault = OnFault.AUTOPILOT
    on_build_failure: OnBuildFailure = OnBuildFailure.STOP
    execution: Execution = Execution()
    ratings: Ratings | None = None
    keep: float | None = None
    """Seconds after which a ladder may remove records; None: never."""
    notes: str = ""
    data_files: dict[str, str] = {}
    book_files: dict[str, str] = {}
    """Absolute path of the card data by discipline; other disciplines use the data of the rules."""
    origins: dict[str, str] = {}
    """Place where each value that is no default was written, by key path."""


def load_tournament(
    path: Path, overrides: Sequence[str] = (), *, has_begun: bool = False
) -> Tournament:
    """Read and check a tournament file and everything it names.

    ``overrides`` are ``--set`` values, see ``apply_overrides``. Relative paths are relative to the
    file, those in overrides to the current folder. Bots are not built yet. ``has_begun``: the
    tournament is played, and any number of its entrants may have left. Raises ConfigError with
    every problem that was found.
    """
    document = apply_overrides(read_document(path), overrides)
    name = sanitized(path.stem)
    return tournament_of(document, default_name=name, numbered=False, has_begun=has_begun)


def quick_tournament(
    rules_name: str,
    bots: Sequence[str],
    *,
    seats: int | None = None,
    data: str | None = None,
    deals: int | None = None,
    seed: str | None = None,
    name: str | None = None,
    overrides: Sequence[str] = (),
) -> Tournament:
    """Return a tournament without a file: ``-g RULES -s SEATS --data FILE BOT... -n DEALS``.

    Each of ``bots`` is a bot's folder, perhaps at a git revision (``FOLDER@REV``), or a builtin bot
    (``builtin:NAME``). If it has spaces or is a program, it is a command instead. Relative paths
    are relative to the current folder. A bot given twice plays itself, the second time under its
    name with ``-2``. By default the run has the name of the rules. Raises ConfigError; ``where`` of
    a problem is the argument.
    """
    here = Path.cwd()
    entrants = [quick_entry(bot) for bot in bots]
    game: dict[str, Plain] = {"rules": rules_name}
    value: dict[str, Plain] = {"arena": 1, "game": game, "entrants": list[Plain](entrants)}
    marks: dict[KeyPath, Mark] = {
        (): Mark("command line", here),
        ("game",): Mark(f"-g {rules_name}", here),
    }
    for index, (bot, entry) in enumerate(zip(bots, entrants, strict=True)):
        marks |= {("entrants", index, key): Mark(bot, here) for key in entry}
    if seats is not None:
        game["seats"] = seats
        marks["game", "seats"] = Mark(f"-s {seats}", here)
    if data is not None:
        game["data"] = data
        marks["game", "data"] = Mark(f"--data {data}", here)
    if deals is not None:
        value["schedule"] = {"deals": deals}
        marks["schedule", "deals"] = Mark(f"-n {deals}", here)
    for key, text in (("seed", seed), ("name", name)):
        if text is not None:
            value[key] = text
            marks[key,] = Mark(f"--{key} {text}", here)
    return command_line_tournament(
        value, marks, default_name=sanitized(rules_name), overrides=overrides
    )


_GAME: Final = re.compile(r"([^:]*)(?::([0-9]{1,2}))?")


def game_of(text: str) -> tuple[str, int | None]:
    """Split ``RULES:SEATS`` into the name of the rules and the number of seats, if given."""
    found = _GAME.fullmatch(text)
    if found is None or not found[1]:
        raise failure(f"-g {text}", f"found {quote(text)}", "GAME or GAME:SEATS")
    return found[1], int(found[2]) if found[2] else None


def command_line_tournament(
    value: dict[str, Plain],
    marks: dict[KeyPath, Mark],
    *,
    default_name: str,
    overrides: Sequence[str] = (),
) -> Tournament:
    """Return the tournament of a file that exists only in memory; equal names get numbers.

    ``marks``: the place on the command line of each value. Raises ConfigError.
    """
    document = apply_overrides(Document(value, marks), overrides)
    return tournament_of(document, default_name=default_name, numbered=True)


def quick_entry(bot: str) -> dict[str, Plain]:
    """Return the entry of a tournament file for a bot as given on the command line.

    ``bot``: a folder, perhaps at a revision, an engine, a program or a command.
    """
    is_folder = is_engine(bot) or os.path.isdir(bot) or split(bot)[1] is not None
    if is_folder or not (os.path.isfile(bot) or " " in bot):
        return {"bot": bot}
    if os.path.isfile(bot):
        return {"command": [bot], "name": sanitized(Path(bot).stem)}
    try:
        words = shlex.split(bot)
    except ValueError:  # reported when the command is read
        words = []
    files = [word for word in words if os.path.isfile(word)]
    program = [*words[:1], *files] or ["bot"]
    return {"command": bot, "name": sanitized(Path(program[-1]).stem)}


def stand_in(name: str) -> dict[str, Plain]:
    """Return an entry with a program that is never started, because checks require a program."""
    return {"command": [sys.executable], "name": name, "isolation": Isolation.NONE.value}


def sanitized(text: str) -> str:
    """Return a valid name that resembles the text."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).lstrip("._-")[:64] or "tournament"


def tournament_of(
    document: Document, *, default_name: str, numbered: bool, has_begun: bool = False
) -> Tournament:
    """Return the tournament in a document; if ``numbered``, equal names get numbers.

    ``has_begun``: see ``load_tournament``. Raises ConfigError with every problem that was found.
    """
    problems = Problems(document)
    raw = read_struct(document, TournamentFile, problems)
    games = read_games(raw, document, problems)
    isolation = _isolation(raw)
    readable = _readable(isolation, document, problems)
    roster = Roster(document, problems, isolation.level, readable)
    entries = roster.entries(raw.entrants if isinstance(raw.entrants, tuple) else ())
    if numbered:
        entries = with_numbers(entries)
    check_names(entries, problems)
    check_titles(entries, problems)
    played: list[Discipline] = []
    if roster.complete and problems.clean("entrants"):
        played = disciplines(games, raw, entries, document, problems, has_begun=has_begun)
        _check_anchor(raw, entries, problems)
        _check_learning(raw, played, problems)
    _check_clock(raw.clock, problems, "clock")
    problems.raise_if_any()
    name, clock = raw.name or default_name, _clock_of(raw.clock)
    return Tournament(
        name=name,
        disciplines=tuple(played),
        entrants=tuple(entry.entrant for entry in entries),
        output=_output(raw, document, name),
        clock=clock.control,
        pondering=clock.pondering,
        limits=raw.limits,
        isolation=isolation.level,
        readable=readable,
        breaker=raw.breaker,
        seed=None if raw.seed is None else str(raw.seed),
        names=raw.names,
        learning=raw.learning,
        on_fault=raw.on_fault,
        on_build_failure=raw.on_build_failure,
        execution=raw.execution,
        ratings=raw.ratings,
        notes=raw.notes,
        data_files={game.name: game.data_file for game in games if game.data_file},
        book_files={game.name: game.book_file for game in games if game.book_file},
        origins=_origins(document, entries),
    )


def _check_anchor(raw: TournamentFile, entries: Sequence[Entry], problems: Problems) -> None:
    if raw.ratings is None or not problems.clean("ratings", "anchor"):
        return
    names = [entry.entrant.name for entry in entries]
    if raw.ratings.anchor not in names:
        found = f"found {quote(raw.ratings.anchor)}"
        hint = did_you_mean(raw.ratings.anchor, names)
        expected = "the name of an entrant"
        problems.add(("ratings", "anchor"), found, expected=expected, hint=hint)


def _check_learning(raw: TournamentFile, played: Sequence[Discipline], problems: Problems) -> None:
    """Report learning where all games are of one round."""
    alone = [kind_of(each.schedule).title for each in played if not grows(each.schedule)]
    if raw.learning is not None and alone and problems.clean("learning"):
        problems.add(
            ("learning",),
            f"found it with the kind {alone[0]}, whose games are one round",
            expected="a kind with rounds, such as swiss or knockout",
        )


def _absolute(document: Document, path: KeyPath, text: str) -> str:
    return os.path.normpath(os.path.join(document.mark(path).folder, text))


def _isolation(raw: TournamentFile) -> IsolationFile:
    if isinstance(raw.isolation, IsolationFile):
        return raw.isolation
    return IsolationFile(level=raw.isolation)


def _readable(isolation: IsolationFile, document: Document, problems: Problems) -> tuple[str, ...]:
    """Return the readable paths of ``isolation``, made absolute; report missing paths."""
    readable: dict[str, None] = {}
    for index, text in enumerate(isolation.readable):
        path = ("isolation", "readable", index)
        if not problems.clean(*path):
            continue
        found = _absolute(document, path, text)
        if not os.path.exists(found):
            expected = "a file or folder that exists"
            problems.add(path, f"found {quote(text)}", expected=expected)
        readable[found] = None
    return tuple(readable)


def _output(raw: TournamentFile, document: Document, name: str) -> Output:
    if raw.output.folder is None:
        folder = os.path.join(Path.cwd(), RUNS_FOLDER, name)
    else:
        folder = _absolute(document, ("output", "folder"), raw.output.folder)
    return Output(folder, tuple(dict.fromkeys(raw.output.formats)))


def _origins(document: Document, entries: Sequence[Entry]) -> dict[str, str]:
    """Return the origins by key path.

    An entrant has its index among the entrants as path. Keys under ``game`` appear under
    ``games[0]``, and ``isolation: LEVEL`` under ``isolation.level``. Stages are also the origin of
    the ``kind`` of their schedule.
    """
    top = cast("dict[str, Plain]", document.value)
    others = {key: value for key, value in top.items() if key != "entrants"}
    origins: dict[str, str] = {}
    for path in _leaves(others, ()):
        shown = ("games", 0, *path[1:]) if path[0] == "game" else path
        if shown[:1] == ("games",) and len(shown) == 2:
            shown = (*shown, "rules")
        if shown == ("isolation",):
            shown = ("isolation", "level")
        origins[dotted(shown)] = _origin(document.mark(path))
        if shown[-2:] == ("schedule", "stages"):
            origins.setdefault(dotted((*shown[:-1], "kind")), origins[dotted(shown)])
    for index, entry in enumerate(entries):
        origins[dotted(("entrants", index))] = _origin(document.mark(entry.path))
    return origins


def _leaves(value: Plain, path: KeyPath) -> Iterator[KeyPath]:
    """Yield the paths of plain values, and of lists except ``games``."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield from _leaves(below, (*path, key))
    elif isinstance(value, list) and path == ("games",):
        for index, below in enumerate(value):
            yield from _leaves(below, (*path, index))
    else:
        yield path


def _origin(mark: Mark) -> str:
    """Return ``file:line``, ``--set`` or the flag."""
    if mark.where.startswith("--set ") and not mark.line:
        return "--set"
    return printable(mark.where.rpartition(":")[0] if mark.line else mark.where)
