"""Admission of a bot: claims to its files and name, then the findings of ``arena check``.

The same files are one bot for good. Their author may move them to another folder: they keep the
name of their first admission, and so their games. A reason given here can cease to hold, so none is
written to the book.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Final, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta

from arena.entrants import cache
from arena.entrants.entrants import Entrant
from arena.entrants.folders import Bounds
from arena.entrants.manifest import MANIFEST_FILE, has_manifest
from arena.extensions.authors.bots import Setting, find_bot
from arena.extensions.authors.check import finding
from arena.extensions.authors.check.check import check
from arena.extensions.authors.check.table import CASES, ESSENTIAL
from arena.extensions.authors.check_text import lines
from arena.extensions.ladder.book import Book, LadderBot
from arena.extensions.ladder.file import CheckLevel
from arena.extensions.ladder.intake import AUTHOR_FILE
from arena.extensions.ladder.store import Quarantined
from arena.hosting.sandbox.isolation import Isolation, Level
from arena.hosting.sandbox.probes import resolve
from arena.runs.config.keys import Names
from arena.runs.config.tournament import Tournament
from arena.values.document import parse_document
from arena.values.problems import ConfigError, Problems
from arena.values.reading import read_struct
from arena.values.units import Name

_SEED: Final = "1"
_NO_ROOM: Final = 1 << 20
"""Free space below which a disk counts as full, in bytes."""

_OF_THE_MACHINE: Final = (finding.Name.NEEDS_UNMET, finding.Name.NO_INTERPRETER)
"""Findings that other programs on the machine would resolve."""
_ALSO: Final = re.compile(
    r'" was not found on PATH| ended with status 127$|: built bots cannot be kept there: '
)
"""Pattern of lines in other findings that a change of the machine would resolve. Status 127 means
that a shell found no command."""

Examine: TypeAlias = Callable[[Path, LadderBot], "AdmissionResult"]
"""Checks a submitted version in a folder."""


class AdmissionResult(NamedTuple):
    """Result of the check of a submission."""

    fit: bool
    said: tuple[str, ...]
    """Findings for the author, in lines."""


def examiner(tournament: Tournament, level: CheckLevel, bounds: Bounds | None = None) -> Examine:
    """Return the function that checks bots for a tournament.

    ``bounds`` limit the size and number of files that a build may produce. Raises IsolationError
    if this machine lacks the isolation.
    """
    isolation = resolve(tournament.isolation)
    setting = Setting(
        tournament.clock,
        tournament.limits,
        tournament.pondering,
        tournament.names is Names.SHOWN,
        tournament.readable,
        bounds,
    )
    tables = [each.rules for each in tournament.disciplines]
    cases = CASES if level is CheckLevel.FULL else ESSENTIAL

    def examine(folder: Path, bot: LadderBot) -> AdmissionResult:
        """Check the bot in ``folder``.

        Raises Quarantined if the machine lacks a program. Raises IsolationError, PoolError,
        MachineTooBusy, or OSError for a full disk, if the machine cannot check the bot now.
        """
        if not has_manifest(folder):
            return AdmissionResult(False, (f"found no {MANIFEST_FILE} in it",))
        verdict = found(folder, bot)
        if not verdict.fit:
            _discard_build(folder, isolation)
        return verdict

    def found(folder: Path, bot: LadderBot) -> AdmissionResult:
        try:
            report = check(
                str(folder), isolation, seed=_SEED, setting=setting, tables=tables, cases=cases
            )
        except ValueError as error:
            return AdmissionResult(False, (str(error),))
        except ConfigError as error:
            return AdmissionResult(False, tuple(str(error).splitlines()))
        if not report.passed:
            _check_room()
        if not report.findings:
            return AdmissionResult(True, ())
        faults = [each for each in report.findings if each.weight is finding.Weight.FAULT]
        told = [*lines(bot.bot, msgspec.structs.replace(report, bot=bot.name), {})]
        if not report.passed:  # the first line is what the organiser sees
            worst = report.findings[0]
            what, _, _ = worst.what.partition("\n")
            told[:0] = [f"{worst.name}: {what}", ""]
        said = tuple(line.replace(str(folder), bot.bot) for line in told)
        if not report.passed and all(map(_is_of_the_machine, faults)):
            raise Quarantined(said)
        return AdmissionResult(report.passed, said)

    return examine


def _discard_build(folder: Path, level: Level) -> None:
    """Remove what the build of a refused bot has left in the cache."""
    with contextlib.suppress(ConfigError):
        entrant = find_bot(str(folder), Isolation(level.value)).entrant
        cache.discard(cache.place_of(entrant.digest, entrant.build, level))


def _is_of_the_machine(found: finding.Finding) -> bool:
    if found.name is finding.Name.PROGRAM_MISSING:  # a line for each program
        return all(map(_ALSO.search, found.what.splitlines()))
    first, _, _ = found.what.partition("\n")
    return found.name in _OF_THE_MACHINE or (
        found.name is finding.Name.BUILD_FAILED and _ALSO.search(first) is not None
    )


def _check_room() -> None:
    """Raise OSError if a disk on which bots are built or play is full.

    A full disk can be the cause of any finding.
    """
    for folder in (cache.cache_folder(), Path(tempfile.gettempdir())):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            if shutil.disk_usage(folder).free < _NO_ROOM:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))


class _AuthorFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of author.yaml."""

    place: Annotated[
        Name | None, Meta(description="The bot whose new versions take the author's place.")
    ] = None


def named_place(data: bytes | None, folder: Path) -> tuple[str | None, Sequence[str]]:
    """Return the bot that author.yaml names for the author's place, and problems of the file."""
    if data is None:
        return None, ()
    try:
        document = parse_document(data, AUTHOR_FILE, folder)
        problems = Problems(document)
        found = read_struct(document, _AuthorFile, problems)
        problems.raise_if_any()
    except ConfigError as error:
        return None, tuple(map(str, error.problems))
    return found.place, ()


def obstacle(book: Book, anchors: Iterable[Entrant], bot: LadderBot, digest: str) -> str:
    """Return why the files with ``digest`` cannot enter as ``bot``; empty if they can."""
    if digest in book.broken:
        return f"these files were given up: {book.broken[digest].splitlines()[0]}"
    owner, name = book.owners.get(digest, bot), book.called(bot, digest)
    if owner.author != bot.author:
        return f"the same files as {owner.name}, which was there before: it is the same bot"
    for anchor in anchors:
        if digest == anchor.digest:
            return f"the same files as the anchor {anchor.name}: it is the same bot"
        if name.lower() == anchor.name.lower():
            return f"an anchor is called {anchor.name}"
    for other, state in book.playing():
        if other == bot:
            continue
        if state.digest == digest:
            return f"the same files as {other.name}, which plays: it is the same bot"
        if book.called(other, state.digest) == name:
            if digest in book.owners:
                return f"these files are a version of {name}, of which {other.name} plays another"
            return f"{other.name} plays as {name}: give this bot another name"
    for known in book.owners.values():
        if known.name != name and known.name.lower() == name.lower():
            return f"a bot is called {known.name}, and capitals make no difference"
    return ""
