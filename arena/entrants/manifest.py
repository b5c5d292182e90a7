"""The bot manifest, ``bot.yaml``: its keys, and a bot's name, how it starts and what it plays."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Collection, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from arena import extensions
from arena.entrants.toolchains import PYTHONS, find_on_path, need_problem
from arena.hosting.sandbox.isolation import Isolation
from arena.hosting.sandbox.paths import (
    destination,
    is_installed,
    is_of_system,
    is_own,
    is_seen,
)
from arena.values.bad_input import printable
from arena.values.document import read_document
from arena.values.problems import (
    ConfigError,
    Document,
    KeyPath,
    Problem,
    Problems,
    either,
    quote,
    shown_path,
)
from arena.values.reading import read_struct
from arena.values.titles import EXPECTED
from arena.values.units import Argv, EnvName, Name, OptionName, PathText, Version


class OptionKind(StrEnum):
    """The type of a bot's option."""

    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    TEXT = "text"
    CHOICE = "choice"


OptionValue: TypeAlias = bool | int | float | str


class BotOption(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One option of a bot."""

    type: Annotated[OptionKind, Meta(description="Type of the value.")]
    default: Annotated[
        OptionValue, Meta(description="Value that is sent unless the tournament sets another.")
    ]
    min: Annotated[int | float | None, Meta(description="Least value, of int and float.")] = None
    max: Annotated[int | float | None, Meta(description="Greatest value, of int and float.")] = None
    choices: Annotated[tuple[str, ...], Meta(description="Possible values, of choice.")] = ()
    help: Annotated[str, Meta(description="What it does, in one line.")] = ""


class EngineCommand(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command that speaks UCI, as chess engines do, and not the protocol of arena."""

    uci: Annotated[
        str | Argv, Meta(description="Program that speaks UCI, or a list with its arguments.")
    ]


class BotManifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A bot.yaml: what a bot is called, how it starts and what it plays."""

    bot: Annotated[Literal[1], Meta(description="Version of this format.")]
    name: Annotated[Name, Meta(description="The bot's name in tables.")]
    version: Annotated[str, Meta(max_length=64, description="The bot's own version.")] = ""
    authors: Annotated[tuple[str, ...], Meta(description="Who wrote it.")] = ()
    license: Annotated[str, Meta(description="Under which terms it may be used.")] = ""
    language: Annotated[str, Meta(description="What it is written in, for tables.")] = ""
    plays: Annotated[
        dict[str, tuple[Annotated[int, Meta(ge=1, le=64)], ...]] | None,
        Meta(description="Table sizes by name of the rules. Default: everything."),
    ] = None
    protocol: Annotated[Literal[1], Meta(description="Version of the protocol it speaks.")] = 1
    command: Annotated[
        Argv | EngineCommand,
        Meta(
            description="Program and arguments that start the bot, without a shell. The program is "
            "looked up in the folder of the bot, then in PATH. {uci: PROGRAM}: an engine.",
            extra={"expected": "[PROGRAM, ARGUMENT, …] or {uci: PROGRAM}"},
        ),
    ]
    build: Annotated[
        tuple[Argv, ...], Meta(description="Commands that build the bot, run in a copy of it.")
    ] = ()
    options: Annotated[
        dict[OptionName, BotOption], Meta(description="Options that a tournament may set.")
    ] = {}
    deterministic: Annotated[
        bool, Meta(description="Whether the same seed gives the same actions.")
    ] = False
    needs: Annotated[
        dict[str, Version], Meta(description="Lowest versions of the programs it needs.")
    ] = {}

    @property
    def speaks(self) -> str:
        """Protocol of the program, as in ``Extension.channels``; empty for that of arena."""
        return "uci" if isinstance(self.command, EngineCommand) else ""

    @property
    def own_command(self) -> tuple[str, ...]:
        """The program and its arguments, as the file has them."""
        if not isinstance(self.command, EngineCommand):
            return self.command
        uci = self.command.uci
        return (uci,) if isinstance(uci, str) else uci

    def start_command(self, folder: Path) -> tuple[str, ...]:
        """Return what is started in ``folder``; an engine is looked for there, then on PATH.

        Raises BadInput if no extension speaks the protocol of the program.
        """
        if not self.speaks:
            return self.own_command
        extensions.need("command", "channels", self.speaks)
        program, *arguments = self.own_command
        if "/" not in program:
            is_own = os.path.isfile(folder / program)
            program = f"./{program}" if is_own else find_on_path(program) or program
        return (program, *arguments)


class EntrantFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entry of ``entrants``, with exactly one of ``bot``, ``glob`` and ``command``."""

    bot: Annotated[
        PathText | None,
        Meta(
            description="Folder with a bot.yaml; FOLDER@REVISION: as it was at a git revision; "
            "builtin:NAME: a bot that comes with arena."
        ),
    ] = None
    glob: Annotated[
        PathText | None, Meta(description="Pattern of folders; those with a bot.yaml enter.")
    ] = None
    command: Annotated[
        Annotated[str, Meta(min_length=1)] | Argv | None,
        Meta(description="A program and its arguments, without manifest and without shell."),
    ] = None
    name: Annotated[
        Name | None, Meta(description="Name of the entrant. Default: the bot's own.")
    ] = None
    title: Annotated[
        Annotated[str, Meta(min_length=1)] | None,
        Meta(
            description="What people see in place of the name, in any script.",
            extra={"expected": EXPECTED},
        ),
    ] = None
    cwd: Annotated[
        PathText | None,
        Meta(description="Folder in which `command` runs. Default: the folder of this file."),
    ] = None
    options: Annotated[
        dict[str, Any], Meta(description="Options that are sent to the bot in `start`.")
    ] = {}
    env: Annotated[
        dict[EnvName, str],
        Meta(description="Environment variables; their values are never written to a run."),
    ] = {}
    isolation: Annotated[
        Isolation | None,
        Meta(description="Isolation of this entrant. Default: that of the tournament."),
    ] = None


class IsolationFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``isolation``: how far bots are kept apart from the machine and from each other."""

    level: Annotated[
        Isolation,
        Meta(description="Isolation level; sandbox: the stronger one of landlock and bubblewrap."),
    ] = Isolation.LIMITS
    readable: Annotated[
        tuple[PathText, ...],
        Meta(description="Further files and folders that a bot in a sandbox may read."),
    ] = ()


MANIFEST_FILE: Final = "bot.yaml"

_CHMOD: Final = "chmod +x"
_OWN_PROGRAM: Final = "a program of the folder, one on PATH, or an absolute path"


class Bot(msgspec.Struct, frozen=True):
    """A bot's folder with its valid manifest."""

    folder: Path
    """Absolute path."""
    manifest: BotManifest
    document: Document
    """Manifest with its places, for problems that appear later."""


def load_bot(folder: Path) -> Bot:
    """Read and check ``folder``/bot.yaml, without checking that its programs exist.

    Raises ConfigError with all problems of the file.
    """
    folder = folder.absolute()
    path = folder / MANIFEST_FILE
    if os.path.islink(path):  # the target of a link must not be shown
        raise ConfigError(
            [Problem(shown_path(path), "", "found a symbolic link", "a regular file")]
        )
    document = read_document(path, shown=shown_path(path))
    problems = Problems(document)
    manifest = read_struct(document, BotManifest, problems)
    if problems.clean("options"):
        for name, option in manifest.options.items():
            _check_option(name, option, problems)
    if problems.clean("command") and problems.clean("build"):
        _check_programs(folder, manifest, problems)
    problems.raise_if_any()
    return Bot(folder, manifest, document)


def plays(manifest: BotManifest, rules: str, seats: int) -> bool:
    """Return whether the bot plays these rules at a table of that size."""
    return manifest.plays is None or seats in manifest.plays.get(rules, ())


def check_options(
    bot: Bot, given: Mapping[str, object], path: tuple[str | int, ...], problems: Problems
) -> None:
    """Report to ``problems`` each of the options ``given`` that the manifest does not allow.

    ``path``: key path of ``given`` in the document.
    """
    known = bot.manifest.options
    for name, value in given.items():
        if name not in known:
            problems.unknown_key((*path, name), list(known))
        elif not _fits(known[name], value):
            problems.add(
                (*path, name), f"found {quote(value)}", expected=_option_expected(known[name])
            )


def complete_options(
    manifest: BotManifest, given: Mapping[str, OptionValue]
) -> dict[str, OptionValue]:
    """Return every option of the bot with its value."""
    return {name: given.get(name, option.default) for name, option in manifest.options.items()}


def has_manifest(folder: str | os.PathLike[str]) -> bool:
    """Return whether a folder contains an entry bot.yaml, without following a link."""
    return os.path.lexists(os.path.join(folder, MANIFEST_FILE))


def missing_programs(bot: Bot, *, built: bool, readable: Collection[str] | None = None) -> Problems:
    """Return the programs that a bot lacks, those of its build only if it is not ``built``.

    A program that is missing in several places is reported once.

    The command of a bot with a build is only checked when it is built. ``readable``: see
    ``program_problem``.
    """
    problems = Problems(bot.document)
    manifest = bot.manifest
    needed = f'needed by bot "{manifest.name}"; install it or leave the bot out'
    reported: set[str] = set()
    for program, least in manifest.needs.items():
        if problem := need_problem(program, least):
            problems.add(("needs", program), problem, hint=needed)
            reported.add(problem)
    if (
        not manifest.build
        and (problem := program_problem(manifest.own_command[0], bot.folder, readable=readable))
        and problem not in reported
    ):
        hint = "" if _CHMOD in problem else needed  # a program without its x bit is installed
        problems.add(("command",), problem, hint=hint)
    for index, argv in enumerate(() if built else manifest.build):
        problem = program_problem(argv[0], bot.folder, readable=readable)
        if problem and problem not in reported:
            problems.add(("build", index), problem, hint=needed)
            reported.add(problem)
    return problems


def find_program(word: str, folder: Path) -> str | None:
    """Return the absolute path of the program that ``word`` names; None if it is not found.

    A word with a slash, or that names a file of the folder, is looked up in the folder. ``python3``
    and ``python`` are the Python that runs arena. All other words are looked up in PATH. Links are
    not resolved, except those to rustup: many programs act by the name they are called.
    """
    local = os.path.join(folder, word)
    if "/" in word or os.path.isfile(local):
        return os.path.normpath(local) if os.path.exists(local) else None
    if word in PYTHONS:
        return sys.executable
    return find_on_path(word)


def program_problem(
    word: str, folder: Path, *, shown: Path | None = None, readable: Collection[str] | None = None
) -> str:
    """Return why ``word`` cannot be started from ``folder``, as a phrase; empty if it can be.

    ``shown``: ``folder`` as messages name it; None: "its folder". ``readable``: for an isolated
    bot, the paths that it may read besides its own folder and the system. No other path is examined
    then: a program that the bot cannot see counts as missing, whether it exists or not.
    """
    if readable is not None and "/" in word and not is_seen(word, str(folder), readable):
        return f"{quote(word)} was not found where a bot in its sandbox can see"
    found = find_program(word, folder)
    if found is None:
        place = "in its folder" if shown is None else f"in {shown_path(shown)}"
        return f"{quote(word)} was not found {place if '/' in word else 'on PATH'}"
    if os.path.isdir(found):
        return f"{quote(word)} is a folder"
    if not os.access(found, os.X_OK):
        return f"{quote(word)} is not executable: {_CHMOD} {shlex.quote(printable(word))}"
    return ""


def stray_problem(word: str, folder: Path, *, follow: bool = True) -> str:
    """Return a phrase if the program that ``word`` names is not the bot's own, else "".

    A program is not the bot's own if ``word`` leads out of ``folder`` by ``..``, or by a link to a
    program that is neither installed nor part of the system. Absolute paths out of the folder are
    accepted, because they do not claim to be the bot's own. ``follow``: whether links are checked
    too.
    """
    stray = f"{quote(word)} leads out of the bot's folder"
    home = os.path.abspath(folder)
    local = os.path.relpath(word, home) if os.path.isabs(word) else os.path.normpath(word)
    if local.split(os.sep)[0] == os.pardir:
        return "" if os.path.isabs(word) else stray
    try:
        found = destination(local, home)
    except (OSError, ValueError):  # circular links: nothing is found there
        return ""
    is_fine = not follow or is_own(local, home) or is_installed(found) or is_of_system(found)
    return "" if is_fine else stray


def _check_programs(folder: Path, manifest: BotManifest, problems: Problems) -> None:
    """Report programs of ``manifest`` that belong to somebody else.

    A build may replace the program that plays, so it is checked again after the build.
    """
    words: dict[KeyPath, str] = {("build", i): argv[0] for i, argv in enumerate(manifest.build)}
    for path, word in {("command",): manifest.own_command[0], **words}.items():
        follow = path != ("command",) or not manifest.build
        if problem := stray_problem(word, folder, follow=follow):
            problems.add(path, problem, expected=_OWN_PROGRAM)


def _check_option(name: str, option: BotOption, problems: Problems) -> None:
    path = ("options", name)
    is_number = option.type in (OptionKind.INT, OptionKind.FLOAT)
    for key, value in (("min", option.min), ("max", option.max)):
        if value is not None and not is_number:
            problems.add((*path, key), "found a bound", expected="one only for int and float")
    if option.choices and option.type is not OptionKind.CHOICE:
        problems.add((*path, "choices"), "found choices", expected="them only for choice")
    if not option.choices and option.type is OptionKind.CHOICE:
        problems.missing((*path, "choices"), "the values it can have")
    elif not _fits(option, option.default):
        expected = _option_expected(option)
        problems.add((*path, "default"), f"found {quote(option.default)}", expected=expected)


def _fits(option: BotOption, value: object) -> bool:
    match option.type:
        case OptionKind.BOOL:
            return isinstance(value, bool)
        case OptionKind.TEXT:
            return isinstance(value, str)
        case OptionKind.CHOICE:
            return value in option.choices
        case OptionKind.INT:
            return isinstance(value, int) and _in_bounds(option, value)
        case OptionKind.FLOAT:
            return isinstance(value, int | float) and _in_bounds(option, value)


def _in_bounds(option: BotOption, value: float) -> bool:
    return (
        not isinstance(value, bool)
        and (option.min is None or value >= option.min)
        and (option.max is None or value <= option.max)
    )


def _option_expected(option: BotOption) -> str:
    match option.type:
        case OptionKind.BOOL:
            return "true or false"
        case OptionKind.TEXT:
            return "text"
        case OptionKind.CHOICE:
            return either([quote(choice) for choice in option.choices])
        case OptionKind.INT | OptionKind.FLOAT:
            noun = "a whole number" if option.type is OptionKind.INT else "a number"
            low = f", at least {option.min}" if option.min is not None else ""
            high = f", at most {option.max}" if option.max is not None else ""
            return noun + low + high
