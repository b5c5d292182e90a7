"""Tournament files: read, checked as a whole, and turned into one frozen value."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, cast

import msgspec

from arena.catalog import rules_spec
from arena.results import Limits, RulesSpec, TimeControl
from arena.rules import RULES
from arena.rules.base import Option, RulesError, written
from arena.tournament.document import read_document
from arena.tournament.entrants import (
    Entrant,
    Entry,
    Roster,
    check_names,
    check_table,
    with_numbers,
)
from arena.tournament.overrides import apply_overrides
from arena.tournament.problems import (
    ConfigError,
    Document,
    KeyPath,
    Mark,
    Plain,
    Problems,
    did_you_mean,
    dotted,
    either,
    printable,
    quote,
)
from arena.tournament.reading import read_struct
from arena.tournament.shapes import (
    ClockFile,
    ExecutionFile,
    Format,
    GameFile,
    Names,
    Ratings,
    Schedule,
    TournamentFile,
)

RUNS_FOLDER: Final = "runs"
"""Below the current folder; runs go there unless ``output.folder`` says else."""


class Execution(msgspec.Struct, frozen=True):
    """How the games are played here; never changes a result."""

    workers: int | None = None
    """None: one per core."""
    pin: bool = True
    fresh: bool = False


class Output(msgspec.Struct, frozen=True):
    """What is written where."""

    folder: str
    """The run folder, absolute."""
    formats: tuple[Format, ...] = tuple(Format)


class Tournament(msgspec.Struct, frozen=True):
    """A checked tournament: all that is needed to play it."""

    name: str
    rules: RulesSpec
    entrants: tuple[Entrant, ...]
    output: Output
    schedule: Schedule = Schedule()
    clock: TimeControl = TimeControl()
    limits: Limits = Limits()
    seed: str | None = None
    """Secret until the run is over; None: to be drawn when it starts."""
    names: Names = Names.SHOWN
    execution: Execution = Execution()
    ratings: Ratings | None = None
    notes: str = ""
    data_file: str | None = None
    """Where the card data of the rules was read from, absolute; None: the rules' own."""
    origins: dict[str, str] = {}
    """Where each value that is no default was written, by key path."""


def load_tournament(path: Path, overrides: Sequence[str] = ()) -> Tournament:
    """Read and check a tournament file and everything it names.

    ``overrides`` are ``--set`` values, see ``apply_overrides``. Relative paths are relative
    to the file, those in overrides to the current folder. Bots are not built yet. Raises
    ConfigError with every problem that was found.
    """
    document = apply_overrides(read_document(path), overrides)
    return _tournament(document, default_name=_sanitized(path.stem), numbered=False)


def quick_tournament(
    rules_name: str,
    bots: Sequence[str],
    *,
    deals: int | None = None,
    seed: str | None = None,
    name: str | None = None,
    overrides: Sequence[str] = (),
) -> Tournament:
    """A tournament without a file, as from ``-g RULES BOT... -n DEALS``.

    Each of ``bots`` is a bot's folder or else, if it has spaces or is a program, a command;
    relative paths are relative to the current folder. A bot given twice plays itself, the
    second time under its name with ``-2``. The name of the run is by default that of the
    rules. Raises ConfigError; ``where`` of a problem is the argument.
    """
    here = Path.cwd()
    entrants = [_quick_entry(bot) for bot in bots]
    value: dict[str, Plain] = {
        "arena": 1,
        "game": {"rules": rules_name},
        "entrants": list[Plain](entrants),
    }
    marks: dict[KeyPath, Mark] = {
        (): Mark("command line", here),
        ("game",): Mark(f"-g {printable(rules_name)}", here),
    }
    for index, (bot, entry) in enumerate(zip(bots, entrants, strict=True)):
        marks |= {("entrants", index, key): Mark(printable(bot), here) for key in entry}
    if deals is not None:
        value["schedule"] = {"deals": deals}
        marks["schedule", "deals"] = Mark(f"-n {deals}", here)
    for key, text in (("seed", seed), ("name", name)):
        if text is not None:
            value[key] = text
            marks[key,] = Mark(f"--{key} {printable(text)}", here)
    document = apply_overrides(Document(value, marks), overrides)
    return _tournament(document, default_name=_sanitized(rules_name), numbered=True)


def _quick_entry(bot: str) -> dict[str, Plain]:
    if os.path.isdir(bot) or not (os.path.isfile(bot) or " " in bot):
        return {"bot": bot}
    if os.path.isfile(bot):
        return {"command": [bot], "name": _sanitized(Path(bot).stem)}
    try:
        words = shlex.split(bot)
    except ValueError:  # reported when the command is read
        words = []
    files = [word for word in words if os.path.isfile(word)]
    program = [*words[:1], *files] or ["bot"]
    return {"command": bot, "name": _sanitized(Path(program[-1]).stem)}


def _sanitized(text: str) -> str:
    """A valid name that resembles the text."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).lstrip("._-")[:64] or "tournament"


def _tournament(document: Document, *, default_name: str, numbered: bool) -> Tournament:
    problems = Problems(document)
    raw = read_struct(document, TournamentFile, problems)
    data_file = _data_file(raw, document, problems)
    spec = _rules(raw, data_file, problems)
    roster = Roster(document, problems)
    entries = roster.entries(raw.entrants if isinstance(raw.entrants, tuple) else ())
    if numbered:
        entries = with_numbers(entries)
    check_names(entries, problems)
    if spec is not None:
        check_table(entries, spec.name, spec.seats, problems)
    if roster.complete:
        _check_field(raw, entries, spec.seats if spec else 2, problems)
    if raw.clock.increment and raw.clock.bank is None and problems.clean("clock"):
        problems.add(("clock", "increment"), "found an increment", expected="a bank to add it to")
    problems.raise_if_any()
    name = raw.name or default_name
    return Tournament(
        name=name,
        rules=cast(RulesSpec, spec),  # None only with a problem
        entrants=tuple(entry.entrant for entry in entries),
        output=_output(raw, document, name),
        schedule=raw.schedule,
        clock=_clock(raw.clock),
        limits=Limits(reply=raw.limits.reply, stderr=raw.limits.stderr),
        seed=None if raw.seed is None else str(raw.seed),
        names=raw.names,
        execution=_execution(raw.execution),
        ratings=raw.ratings,
        notes=raw.notes,
        data_file=str(data_file) if data_file else None,
        origins=_origins(document, entries),
    )


def _game(raw: TournamentFile) -> GameFile | None:
    """None if ``game`` was refused as a whole."""
    if isinstance(raw.game, str):
        return GameFile(rules=raw.game)
    return raw.game if isinstance(raw.game, GameFile) else None


def _rules(raw: TournamentFile, data_file: Path | None, problems: Problems) -> RulesSpec | None:
    """The spec; None after reporting why there is none."""
    game = _game(raw)
    if game is None or not problems.clean("game", "rules"):
        return None
    if game.rules not in RULES:
        path = ("game",) if isinstance(raw.game, str) else ("game", "rules")
        expected = either([quote(name) for name in RULES])
        hint = did_you_mean(game.rules, RULES)
        problems.add(path, f"found {quote(game.rules)}", expected=expected, hint=hint)
        return None
    _check_seats(game, problems)
    family = RULES[game.rules]
    seats = family.seats[0] if game.seats is None else game.seats
    options = [option for option in family.options if option.applies(seats)]
    _check_options(game.options, options, problems)
    if not problems.clean("game"):
        return None
    try:
        return rules_spec(game.rules, game.seats, game.options, data_file)
    except RulesError as error:
        problems.add(("game", *error.path), str(error))
    except ConfigError as error:
        problems.extend(error.problems)
    return None


def _check_seats(game: GameFile, problems: Problems) -> None:
    seats = RULES[game.rules].seats
    if game.seats is not None and game.seats not in seats:
        expected = either([str(number) for number in seats])
        problems.add(("game", "seats"), f"found {game.seats}", expected=expected)


def _check_options(
    given: Mapping[str, object], options: Sequence[Option], problems: Problems
) -> None:
    known = {option.name: option for option in options}
    for name, value in given.items():
        path = ("game", "options", name)
        if name not in known:
            problems.unknown_key(path, list(known))
        elif not known[name].allows(value) and problems.clean(*path):
            choices = known[name].choices
            expected = either([quote(choice) for choice in choices])
            hint = did_you_mean(str(value), [written(choice) for choice in choices])
            problems.add(path, f"found {quote(value)}", expected=expected, hint=hint)


def _data_file(raw: TournamentFile, document: Document, problems: Problems) -> Path | None:
    game = _game(raw)
    if game is None or game.data is None:
        return None
    path = ("game", "data")
    file = Path(_absolute(document, path, game.data))
    if not os.path.isfile(file):
        problems.add(path, f"found {quote(game.data)}", expected="an existing YAML file")
    return file


def _check_field(
    raw: TournamentFile, entries: Sequence[Entry], seats: int, problems: Problems
) -> None:
    """Whether those who play are enough, and whether the anchor is one of them."""
    least = max(2, seats)
    if len(entries) < least and problems.clean("entrants"):
        found = f"found {len(entries)} entrant{'s'[: len(entries) != 1]}"
        hint = f"the table has {seats} seats" if seats > 2 else ""
        problems.add(("entrants",), found, expected=f"at least {least}", hint=hint)
    if raw.ratings is None or not problems.clean("ratings", "anchor"):
        return
    names = [entry.entrant.name for entry in entries]
    if raw.ratings.anchor not in names:
        found = f"found {quote(raw.ratings.anchor)}"
        hint = did_you_mean(raw.ratings.anchor, names)
        expected = "the name of an entrant"
        problems.add(("ratings", "anchor"), found, expected=expected, hint=hint)


def _absolute(document: Document, path: KeyPath, text: str) -> str:
    return os.path.normpath(os.path.join(document.mark(path).folder, text))


def _output(raw: TournamentFile, document: Document, name: str) -> Output:
    if raw.output.folder is None:
        folder = os.path.join(Path.cwd(), RUNS_FOLDER, name)
    else:
        folder = _absolute(document, ("output", "folder"), raw.output.folder)
    return Output(folder, tuple(dict.fromkeys(raw.output.formats)))


def _clock(raw: ClockFile) -> TimeControl:
    move = 1.0 if raw.move is None and raw.bank is None else raw.move
    return TimeControl(
        move=move, bank=raw.bank, increment=raw.increment or 0.0, startup=raw.startup
    )


def _execution(raw: ExecutionFile) -> Execution:
    workers = raw.workers if isinstance(raw.workers, int) else None
    return Execution(workers=workers, pin=raw.pin, fresh=raw.fresh)


def _origins(document: Document, entries: Sequence[Entry]) -> dict[str, str]:
    """By key path; those of an entrant under its index among the entrants."""
    top = cast("dict[str, Plain]", document.value)
    others = {key: value for key, value in top.items() if key != "entrants"}
    origins = {dotted(path): _origin(document.mark(path)) for path in _leaves(others, ())}
    if "game" in origins:
        origins["game.rules"] = origins["game"]
    for index, entry in enumerate(entries):
        origins[dotted(("entrants", index))] = _origin(document.mark(entry.path))
    return origins


def _leaves(value: Plain, path: KeyPath) -> Iterator[KeyPath]:
    if not isinstance(value, dict):
        yield path
        return
    for key, below in value.items():
        yield from _leaves(below, (*path, key))


def _origin(mark: Mark) -> str:
    """``file:line``, ``--set`` or the flag."""
    if mark.line:
        return mark.where.rpartition(":")[0]
    return "--set" if mark.where.startswith("--set ") else mark.where
