"""Convert the entries of a tournament file to entrants: commands that can be started."""

from __future__ import annotations

import difflib
import glob
import os
import shlex
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from arena.entrants.cache import is_built
from arena.entrants.folders import FolderError, command_digest, folder_digest, is_no_source
from arena.entrants.manifest import (
    MANIFEST_FILE,
    Bot,
    EntrantFile,
    check_options,
    complete_options,
    find_program,
    has_manifest,
    load_bot,
    missing_programs,
    plays,
    program_problem,
)
from arena.entrants.names import (
    BUILTIN,
    RevisionError,
    SchemeError,
    builtin_folder,
    engine_bot,
    is_builtin,
    is_engine,
    name_at,
    players,
    similar_builtin,
    split,
    take_out,
)
from arena.hosting.sandbox.isolation import Isolation
from arena.hosting.workspace.trees import is_foreign
from arena.values.bad_input import printable
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
from arena.values.titles import EXPECTED, is_fit, likeness

_NUMBERED_LENGTH: Final = 58
"""Largest length of a name before a number is added."""


class EntrantKind(StrEnum):
    """The origin of an entrant."""

    BOT = "bot"
    """A folder with a bot.yaml."""
    COMMAND = "command"
    """A command alone."""
    PERSON = "person"
    """A person at a terminal, without a program."""


class Entrant(msgspec.Struct, frozen=True):
    """One entry of a tournament, ready to be started (after ``build``)."""

    name: str
    kind: EntrantKind
    command: tuple[str, ...]
    """Program, as an absolute path, and arguments."""
    words: tuple[str, ...]
    """Command as written, for people and for the identity of the run."""
    folder: str
    """Absolute folder; the bot runs there or in a copy. After ``build``, that of the built bot."""
    digest: str
    """SHA-256 over the bot's source files, or over the command and the files it names."""
    files: str = ""
    """SHA-256 over all files of ``folder`` as copied for each process.

    Empty if it runs in the folder itself, or is not built yet.
    """
    speaks: str = ""
    """Protocol of its program, as in ``Extension.channels``; empty for that of arena."""
    isolation: Isolation = Isolation.LIMITS
    """Requested isolation."""
    env: dict[str, str] = {}
    """Secret environment variables: never to be written to a run or a log."""
    options: dict[str, Any] = {}
    """Options sent to the bot in ``start``; complete for a bot with a manifest."""
    build: tuple[tuple[str, ...], ...] = ()
    version: str = ""
    revision: str = ""
    """Origin as ``FOLDER@COMMIT``, absolute and whole; empty if it is from no revision."""
    builtin: bool = False
    """True if the bot comes with arena and was named as such."""
    engine: str = ""
    """Text that named it, ``uci:PROGRAM SETTINGS``; empty if it is no such engine."""
    title: str = ""
    """Title that people see instead of the name; empty: they see the name."""
    unbuilt: str = ""
    """Why the bot is withdrawn without a game: the reason why it cannot be built. Empty: it is
    not."""

    @property
    def given(self) -> str:
        """Origin before the build: ``FOLDER@COMMIT`` or folder, absolute, or what named it.

        That is ``builtin:NAME`` or ``uci:PROGRAM SETTINGS``.
        """
        if self.engine:
            return self.engine
        if self.builtin:
            return BUILTIN + os.path.basename(self.folder)
        return self.revision or self.folder

    @property
    def commit(self) -> str:
        """Commit that the bot was taken from, in hex; empty if it is from no revision."""
        return self.revision.rpartition("@")[2]


def person_entrant(name: str) -> Entrant:
    """Return an entrant without a program: a person has no digest and no isolation."""
    return Entrant(
        name=name,
        kind=EntrantKind.PERSON,
        command=(),
        words=(),
        folder="",
        digest="",
        isolation=Isolation.NONE,
    )


class _BotFiles(NamedTuple):
    """The files of a bot and their origin."""

    folder: Path
    revision: str = ""
    """Revision as requested; empty: the folder in its present state."""
    given: str = ""
    """Value of ``Entrant.revision``."""
    builtin: bool = False
    engine: str = ""


class Entry(msgspec.Struct, frozen=True):
    """An entrant with its key path in the document, and its bot if it has a manifest."""

    path: KeyPath
    entrant: Entrant
    bot: Bot | None = None


class Roster:
    """A converter of entries to entrants, which reports all mistakes in them."""

    def __init__(
        self,
        document: Document,
        problems: Problems,
        isolation: Isolation,
        readable: Sequence[str] = (),
    ) -> None:
        """``isolation``: of entrants without their own. ``readable``: see ``Launch``."""
        self._readable = tuple(readable)
        self._document = document
        self._problems = problems
        self._isolation = isolation
        self._bots: dict[Path, tuple[Bot, str] | None] = {}
        self.complete = True
        """True if every entry so far gave its entrants."""

    def entries(self, raw: Iterable[EntrantFile]) -> list[Entry]:
        """Return the entrants in order, those of a glob by folder name; bad ones are left out."""
        found: list[Entry] = []
        for index, entry in enumerate(raw):
            is_readable = isinstance(entry, EntrantFile)
            entrants = self._entry(entry, ("entrants", index)) if is_readable else []
            self.complete = self.complete and bool(entrants)
            found += entrants
        return found

    def _entry(self, raw: EntrantFile, path: KeyPath) -> list[Entry]:
        written = [key for key in ("bot", "glob", "command") if self._document.holds((*path, key))]
        if len(written) != 1:
            found = f"found {' and '.join(written)}" if written else "found none of the three"
            self._problems.add(path, found, expected='one of "bot", "glob" and "command"')
            return []
        self._check_keys(raw, path, written[0])
        if raw.glob is not None:
            folders = self._matches(raw.glob, (*path, "glob"))
            return [e for each in folders for e in self._bot(raw, _BotFiles(each), path, "glob")]
        if raw.bot is not None:
            source = self._source(raw.bot, (*path, "bot"))
            return self._bot(raw, source, path, "bot") if source else []
        return self._command(raw, path) if raw.command is not None else []

    def _check_keys(self, raw: EntrantFile, path: KeyPath, kind: str) -> None:
        if raw.cwd is not None and kind != "command":
            self._problems.add((*path, "cwd"), "found cwd", expected='it only with "command"')
        if raw.name is not None and kind == "glob":
            hint = "every bot of a glob has its own name"
            self._problems.add((*path, "name"), "found a name", expected="none", hint=hint)
        if raw.title is not None and self._problems.clean(*path, "title"):
            here = (*path, "title")
            if kind == "glob":
                hint = "several bots may match"
                self._problems.add(here, "found a title", expected="none", hint=hint)
            elif not is_fit(raw.title):
                self._problems.add(here, f"found {quote(raw.title)}", expected=EXPECTED)

    def _path(self, text: str, path: KeyPath) -> str:
        """Return ``text`` as an absolute path; a relative one starts where ``text`` was written."""
        return os.path.normpath(os.path.join(self._document.mark(path).folder, text))

    def _source(self, text: str, path: KeyPath) -> _BotFiles | None:
        """Return the source of a folder, perhaps at a git revision, a builtin bot or an engine."""
        if is_builtin(text):
            try:
                return _BotFiles(builtin_folder(text), builtin=True)
            except SchemeError as error:
                self._problems.add(path, str(error))
                return None
        if is_engine(text):
            try:
                found, name = engine_bot(text, self._document.mark(path).folder)
                return _BotFiles(found, engine=name)
            except SchemeError as error:
                self._problems.add(path, str(error))
                self.complete = False
                return None
        where, revision = split(text, self._document.mark(path).folder)
        if revision is None:
            folder = self._folder(text, path)
            return _BotFiles(folder) if folder else None
        if not where:
            expected = f"a folder before the @, as in bots/mine@{printable(revision)}"
            self._problems.add(path, f"found {quote(text)}", expected=expected)
            return None
        kept_in = self._path(where, path)
        try:
            taken = take_out(kept_in, revision)
        except RevisionError as error:
            self._problems.add(path, str(error))
        except ConfigError as error:
            self._problems.extend(error.problems)
        else:
            return _BotFiles(taken.folder, revision, f"{kept_in}@{taken.commit}")
        self.complete = False
        return None

    def _folder(self, text: str, path: KeyPath) -> Path | None:
        folder = self._path(text, path)
        if has_manifest(folder):
            return Path(folder)
        if os.path.isdir(folder):
            hint = f"{shown_path(folder)} has no {MANIFEST_FILE}"
        elif os.path.exists(folder):
            hint = f"{shown_path(folder)} is no folder"
        else:
            similar = _similar_folder(text, folder) or similar_builtin(folder)
            hint = similar or f"there is no {shown_path(folder)}"
        expected = f"a folder with a {MANIFEST_FILE}"
        self._problems.add(path, f"found {quote(text)}", expected=expected, hint=hint)
        return None

    def _matches(self, pattern: str, path: KeyPath) -> list[Path]:
        here = os.path.join(glob.escape(str(self._document.mark(path).folder)), pattern)
        found = {os.path.normpath(match) for match in glob.iglob(here)}
        bots = [Path(folder) for folder in sorted(found) if _may_be_bot(folder)]
        if not bots:
            hint = f"{len(found)} matches without" if found else "nothing matches"
            expected = f"a pattern that matches folders with a {MANIFEST_FILE}"
            self._problems.add(path, f"found {quote(pattern)}", expected=expected, hint=hint)
        return bots

    def _bot(self, raw: EntrantFile, source: _BotFiles, path: KeyPath, key: str) -> list[Entry]:
        isolation, folder = raw.isolation or self._isolation, source.folder
        loaded = self._load(source, (*path, key), isolation)
        if loaded is None:
            self.complete = False
            return []
        bot, digest = loaded
        if self._problems.clean(*path, "options"):
            check_options(bot, raw.options, (*path, "options"), self._problems)
        command = bot.manifest.start_command(folder)
        program = find_program(command[0], folder) or str(folder / command[0])
        name, commit = bot.manifest.name, source.given.rpartition("@")[2]
        entrant = Entrant(
            name=raw.name or (name_at(name, source.revision, commit) if commit else name),
            kind=EntrantKind.BOT,
            command=(program, *command[1:]),
            words=command,
            speaks=bot.manifest.speaks,
            folder=str(folder),
            digest=digest,
            files="" if bot.manifest.build else digest,
            isolation=isolation,
            env=raw.env,
            options=complete_options(bot.manifest, raw.options),
            build=bot.manifest.build,
            version=bot.manifest.version,
            revision=source.given,
            builtin=source.builtin,
            engine=source.engine,
            title=raw.title or "",
        )
        return [Entry((*path, key), entrant, bot)]

    def _load(
        self, source: _BotFiles, path: KeyPath, isolation: Isolation
    ) -> tuple[Bot, str] | None:
        """Return the bot with its digest; each folder is read once."""
        folder = source.folder
        if folder not in self._bots:
            self._bots[folder] = None
            try:
                bot = load_bot(folder)
                skip = is_no_source if bot.manifest.build else is_foreign
                self._bots[folder] = bot, folder_digest(folder, skip)
            except ConfigError as error:
                self._problems.extend([_of_source(source, each) for each in error.problems])
            except FolderError as error:
                self._problems.add(path, f"cannot be read: {error}")
        if loaded := self._bots[folder]:
            bot, digest = loaded
            try:
                commands = bot.manifest.build
                built = bool(commands) and is_built(digest, commands, isolation)
                readable = self._readable if isolation.closes_files() else None
                missing_programs(bot, built=built, readable=readable).raise_if_any()
            except ConfigError as error:
                self._problems.extend([_of_source(source, each) for each in error.problems])
                return None
        return loaded

    def _command(self, raw: EntrantFile, path: KeyPath) -> list[Entry]:
        words = self._words(raw.command, (*path, "command"))
        folder = self._cwd(raw, path)
        if not self._document.holds((*path, "name")):
            self._problems.missing((*path, "name"), 'a name for the entrant, as it has no "bot"')
        if not words or folder is None or not self._problems.clean(*path, "command"):
            return []
        if problem := program_problem(words[0], folder, shown=folder):
            self._problems.add((*path, "command"), problem)
            return []
        isolation = raw.isolation or self._isolation
        if isolation.closes_files() and raw.cwd is None:
            found = f'found no "cwd" for a command with the isolation "{isolation.value}"'
            hint = "put it in a folder with a bot.yaml, or say which folder is its own"
            expected = "a folder of its own, for it can read no other"
            self._problems.add((*path, "command"), found, expected=expected, hint=hint)
            return []
        try:
            files = folder_digest(folder, is_foreign) if isolation.closes_files() else ""
            digest = command_digest(words, folder, files)
        except FolderError as error:
            self._problems.add((*path, "command"), f"cannot be read: {error}")
            return []
        entrant = Entrant(
            name=raw.name or words[0],
            kind=EntrantKind.COMMAND,
            command=(find_program(words[0], folder) or words[0], *words[1:]),
            words=words,
            folder=str(folder),
            digest=digest,
            files=files,
            isolation=isolation,
            env=raw.env,
            options=raw.options,
            title=raw.title or "",
        )
        return [Entry((*path, "command"), entrant)] if raw.name else []

    def _words(self, command: str | tuple[str, ...] | None, path: KeyPath) -> tuple[str, ...]:
        if not isinstance(command, str):
            return command or ()
        try:
            words = tuple(shlex.split(command))
        except ValueError as error:
            hint = str(error).lower()
            self._problems.add(path, f"found {quote(command)}", expected="a command", hint=hint)
            return ()
        if not words:
            self._problems.add(path, f"found {quote(command)}", expected="a command")
        return words

    def _cwd(self, raw: EntrantFile, path: KeyPath) -> Path | None:
        if raw.cwd is None:
            return self._document.mark((*path, "command")).folder
        folder = self._path(raw.cwd, (*path, "cwd"))
        if os.path.isdir(folder):
            return Path(folder)
        self._problems.add((*path, "cwd"), f"found {quote(raw.cwd)}", expected="a folder")
        return None


def _of_source(source: _BotFiles, problem: Problem) -> Problem:
    """Return ``problem`` with the path or revision by which people know the bot."""
    if not source.given:
        return problem
    where = problem.where.replace(shown_path(source.folder), shown_path(source.given), 1)
    return msgspec.structs.replace(problem, where=where)


def _may_be_bot(folder: str) -> bool:
    """Return whether ``bot.yaml`` is there, or may be; reading it gives the exact error."""
    try:
        os.lstat(os.path.join(folder, MANIFEST_FILE))
    except (FileNotFoundError, NotADirectoryError):
        return os.path.islink(folder) and not os.path.exists(folder)
    except (OSError, ValueError):
        pass
    return True


def _similar_folder(text: str, folder: str) -> str:
    parent, name = os.path.split(folder)
    try:
        names = sorted(entry.name for entry in os.scandir(parent) if entry.is_dir())
    except (OSError, ValueError):
        return ""
    close = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {quote(os.path.join(os.path.dirname(text), close[0]))}?" if close else ""


def check_table(entries: Iterable[Entry], rules: str, seats: int, problems: Problems) -> None:
    """Report every bot that does not play these rules at a table of that size, each once."""
    first: dict[str, Entry] = {}
    for each in entries:
        first.setdefault(each.entrant.folder, each)
    for path, entrant, bot in ((e.path, e.entrant, e.bot) for e in first.values()):
        if bot is None or plays(bot.manifest, rules, seats):
            continue
        sizes = [str(n) for n in (bot.manifest.plays or {}).get(rules, ())]
        allowed = f"only at {either(sizes)} seat{'s'[: sizes != ['1']]}" if sizes else "not at all"
        found = (
            f"bot {quote(entrant.name)} does not play {rules} at {seats} seat{'s'[: seats != 1]}"
        )
        hint = f"by its {MANIFEST_FILE} {allowed}"
        if entrant.builtin:
            hint += f"; of the builtin bots {', '.join(players(rules, seats))} play it"
        problems.add(path, found, hint=hint)


def check_names(entries: Iterable[Entry], problems: Problems) -> None:
    """Report entrants with equal names, also if only case differs: they would share a file."""
    first: dict[str, Entry] = {}
    for entry in entries:
        other = first.setdefault(entry.entrant.name.lower(), entry)
        if other is not entry and problems.clean(*entry.path[:-1], "name"):
            found = f"a second entrant is called {quote(entry.entrant.name)}"
            hint = "capitals make no difference; give one of them a name of its own"
            if entry.path[-1] == "glob" and entry.bot and other.bot:
                folders = [os.path.relpath(each.bot.folder) for each in (other, entry) if each.bot]
                hint = f"{' and '.join(folders)}: change the name in one {MANIFEST_FILE}"
            problems.add(entry.path, found, hint=hint)


def check_titles(entries: Sequence[Entry], problems: Problems) -> None:
    """Report titles that people may take for the name or the title of another entrant."""
    known = {likeness(each.entrant.name): (each, each.entrant.name) for each in entries}
    for entry in entries:
        title, path = entry.entrant.title, (*entry.path[:-1], "title")
        if title and problems.clean(*path):
            other, text = known.setdefault(likeness(title), (entry, title))
            if other is not entry:
                found = f"found {quote(title)} for {quote(entry.entrant.name)}"
                expected = f"a title that does not look like {quote(text)}"
                hint = f"{other.entrant.name} is called so"
                problems.add(path, found, expected=expected, hint=hint)


def with_numbers(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries with distinct names, see ``numbered``."""
    names = numbered([entry.entrant.name for entry in entries])
    return [
        msgspec.structs.replace(entry, entrant=msgspec.structs.replace(entry.entrant, name=name))
        for entry, name in zip(entries, names, strict=True)
    ]


def numbered(names: Iterable[str]) -> list[str]:
    """Return the names, with ``-2``, ``-3``, … added to those that were taken already."""
    taken: set[str] = set()
    found: list[str] = []
    for base in names:
        name, number = base, 1
        while name.lower() in taken:
            number += 1
            name = f"{base[:_NUMBERED_LENGTH]}-{number}"
        taken.add(name.lower())
        found.append(name)
    return found
