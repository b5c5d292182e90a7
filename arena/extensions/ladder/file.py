"""Ladder files: the keys of ``ladder.yaml``, and the tournament that a ladder plays at a time.

A ladder file is a tournament file without entrants. The entrants are its anchors, which it lists,
and the bots that are in the ladder at present.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, cast

import msgspec
from msgspec import Meta

from arena.cli.documents import schema_of_file
from arena.entrants.folders import MAX_BYTES, MAX_FILES, Bounds
from arena.entrants.manifest import IsolationFile, OptionValue
from arena.entrants.names import is_builtin
from arena.extensions.ladder.fetching import HEAD
from arena.extensions.rounds.kinds.ladder import LadderKind
from arena.hosting.sandbox.isolation import Isolation
from arena.runs.config.keys import LADDER_FILE, RUN, Format, PlayKeys, Ratings
from arena.runs.config.tournament import Output, Tournament, sanitized, tournament_of
from arena.schedule.kinds.registry import seatings
from arena.values.document import read_document
from arena.values.overrides import apply_overrides
from arena.values.problems import (
    ConfigError,
    Document,
    Mark,
    Plain,
    Problem,
    Problems,
    shown_path,
)
from arena.values.reading import read_struct
from arena.values.results import Then
from arena.values.units import DAYS, SIZE, Argv, Duration, Name, PathText, Unlimited, quantity

BUILD_FACTOR: Final = 4
"""Limit on a build's output, with its source, as a multiple of the limit on a submission."""
_SUBMISSIONS: Final = "submissions"
_LIST: Final = "anchors"
_KIND: Final = LadderKind.name
_MOST_SEATS: Final = 64
"""Largest number of seats of any game."""
_NOBODY: Final = "nobody.is.called-"
"""Prefix of the names of placeholder entrants; no anchor has such a name."""
_DAY: Final = 86_400


class _LadderKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A mapping in a file."""


class CheckLevel(StrEnum):
    """The part of ``arena check`` that a bot has to pass."""

    FULL = "full"
    """All checks: a minute or so for each bot."""
    ESSENTIAL = "essential"
    """Build, start, a game and ten more in one process: seconds."""


class TableForm(StrEnum):
    """The forms in which the table of a ladder is written."""

    TXT = "txt"
    MD = "md"
    JSON = "json"
    HTML = "html"


class AnchorFile(_LadderKeys, frozen=True, kw_only=True):
    """An entry of ``anchors``: a bot that never changes, perhaps with a fixed rating."""

    bot: Annotated[PathText, Meta(description="Folder with a bot.yaml, or builtin:NAME.")]
    name: Annotated[
        Name | None, Meta(description="Name in the ladder. Default: that of its bot.yaml.")
    ] = None
    options: Annotated[
        dict[str, OptionValue], Meta(description="Values for options of the bot.")
    ] = {}
    elo: Annotated[
        Annotated[float, Meta(ge=-10_000, le=10_000)] | None,
        Meta(description="Fixed rating of the anchor; only one anchor may have it."),
    ] = None


class BudgetFile(_LadderKeys, frozen=True, kw_only=True):
    """``budget``: limits on play in one day, which begins at 0:00 UTC."""

    wall: Annotated[
        Duration | None, Meta(description="Time of play in a day. Default: the whole day.")
    ] = None
    games: Annotated[
        Annotated[int, Meta(ge=1, le=10_000_000)] | None,
        Meta(description="Number of games in a day. Default: as many as can be played."),
    ] = None


Upload = Annotated[int, quantity(SIZE, "64 MiB", ge=1 << 10, le=1 << 30)]
"""Size of a submission in bytes, 1 KiB to 1 GiB."""
Keep = Annotated[float, quantity(DAYS, "30 d", ge=_DAY, le=10_000 * _DAY)]
"""Duration in seconds, of whole days."""


_HOST: Final = r"[A-Za-z0-9][A-Za-z0-9.-]*"
_USER: Final = r"[A-Za-z0-9_][A-Za-z0-9._-]*@"
_URL: Final = (
    rf"^(?!.*\.\.)(https://{_HOST}(:[0-9]+)?/|ssh://({_USER})?{_HOST}(:[0-9]+)?/|{_USER}{_HOST}:"
    r"|file:)[A-Za-z0-9_~./+][A-Za-z0-9_~./+@ -]*$"
)
_REF: Final = r"^(?!.*(\.\.|//|\.lock$|[./]$))[A-Za-z0-9_][A-Za-z0-9_./+@-]{0,199}$"


class RepositoryFile(_LadderKeys, frozen=True, kw_only=True):
    """An author whose bots are in a git repository: ``authors: {anna: {git: URL, ref: main}}``."""

    git: Annotated[
        str,
        Meta(
            pattern=_URL,
            description="Address of the repository.",
            extra={
                "expected": "https://HOST/PATH, ssh://HOST/PATH, USER@HOST:PATH, or file:PATH for "
                'a repository in the folder of the ladder; no password, no ".."'
            },
        ),
    ]
    ref: Annotated[
        str,
        Meta(
            pattern=_REF,
            description="Branch or tag. Default: the branch that the repository has checked out.",
            extra={"expected": "the name of a branch or tag"},
        ),
    ] = HEAD


Author = Annotated[
    str,
    Meta(
        pattern="^[A-Za-z0-9][A-Za-z0-9_-]{0,29}$",
        extra={"expected": "the name of an author: letters, digits, - and _, to 30"},
    ),
]
"""Name of an author, also that of a folder."""


class _NamedAuthors(_LadderKeys, frozen=True, kw_only=True):
    """The part of the file about single authors."""

    authors: dict[Author, RepositoryFile] = {}


class AuthorsFile(_LadderKeys, frozen=True, kw_only=True):
    """``authors``: limits on the submissions of each author; and by name those with a repository.

    ``_split`` takes the latter out before this is read.
    """

    bots: Annotated[
        int,
        Meta(ge=1, le=1_000, description="Number of bots of an author that may play at a time."),
    ] = 3
    uploads: Annotated[
        int,
        Meta(
            ge=1, le=1_000, description="Number of versions of an author that are checked in a day."
        ),
    ] = 5
    size: Annotated[Upload, Meta(description="Size of all files of a bot together.")] = 64 << 20
    files: Annotated[
        int, Meta(ge=1, le=20_000, description="Number of files and folders of a bot.")
    ] = 2_000

    @property
    def built(self) -> Bounds:
        """Limits on the folder of a bot after its build."""
        size, files = BUILD_FACTOR * self.size, BUILD_FACTOR * self.files
        return Bounds(min(size, MAX_BYTES), min(files, MAX_FILES))


class LadderOutput(_LadderKeys, frozen=True, kw_only=True):
    """``output``: what is written into the folder of the ladder."""

    formats: Annotated[
        tuple[TableForm, ...], Meta(description="Forms in which the table is written.")
    ] = tuple(TableForm)


class NotifyFile(_LadderKeys, frozen=True, kw_only=True):
    """``notify``: a program of the organiser that gets each event as JSON on standard input."""

    command: Annotated[Argv, Meta(description="Program and arguments, run in this folder.")]


class LadderFile(PlayKeys, frozen=True, kw_only=True):
    """ladder.yaml: a tournament file whose entrants come and go."""

    anchors: Annotated[
        tuple[AnchorFile, ...],
        Meta(
            min_length=1,
            description="Bots that never change: everybody is measured by them.",
            extra={"expected": "a list of bots, such as [{bot: bots/greedy, elo: 1000}]"},
        ),
    ]
    submissions: Annotated[
        PathText, Meta(description="Folder into which authors put their bots.")
    ] = _SUBMISSIONS
    isolation: Annotated[
        Isolation | IsolationFile,
        Meta(description="How far bots are kept apart from the machine and from each other."),
    ] = Isolation.SANDBOX
    budget: Annotated[BudgetFile, Meta(description="How much is played in a day.")] = BudgetFile()
    authors: Annotated[AuthorsFile, Meta(description="What each author may submit.")] = (
        AuthorsFile()
    )
    keep: Annotated[
        Keep | Unlimited,
        Meta(description="Days of play whose records are kept; results stay. Default: all."),
    ] = None
    check: Annotated[
        CheckLevel, Meta(description="How much of `arena check` a bot has to pass.")
    ] = CheckLevel.ESSENTIAL
    output: Annotated[
        LadderOutput, Meta(description="What is written into the folder of the ladder.")
    ] = LadderOutput()
    notify: Annotated[
        NotifyFile | None, Meta(description="Program that gets each event. Default: none.")
    ] = None


class Member(NamedTuple):
    """A bot that is in a ladder at present."""

    name: str
    folder: Path
    """Folder that holds this version of the bot."""


class Ladder:
    """A checked ladder file."""

    def __init__(
        self,
        folder: Path,
        file: LadderFile,
        document: Document,
        repositories: Mapping[str, RepositoryFile] = {},
    ) -> None:
        """``folder``: absolute. Raises ConfigError if anchors or terms cannot be played."""
        self.folder = folder
        self.file = file
        self.repositories = repositories
        """Repositories of the authors that have one, by author."""
        self._document = document
        written = document.mark(("submissions",)).folder / file.submissions
        self.submissions = written.absolute()
        self.plan = self._plan()
        """Tournament with placeholders (copies of an anchor) for all other bots."""
        self.anchors = self.plan.entrants[: len(file.anchors)]
        discipline = self.plan.disciplines[0]
        self.seats = discipline.rules.seats
        self.block = seatings(self.seats, self.seats, discipline.schedule)
        """Number of games of a deal at one table."""
        self._check_budget()

    def _check_budget(self) -> None:
        """Check that a day has room for one deal. Raises ConfigError."""
        games = self.file.budget.games
        if games is not None and games < self.block:
            problems = Problems(self._document)
            expected = f"{self.block} or more, for a deal is played in {self.block} games"
            problems.add(("budget", "games"), f"found {games}", expected=expected)
            problems.raise_if_any()

    def _plan(self) -> Tournament:
        problems = Problems(self._document)
        anchors = self.file.anchors
        folder = self._document.mark((_LIST, 0, "bot")).folder
        bot = anchors[0].bot
        first = Path(bot if is_builtin(bot) else os.path.normpath(folder / bot))
        missing = max(0, _MOST_SEATS - len(anchors))
        others = [Member(f"{_NOBODY}{number}", first) for number in range(missing)]
        try:
            found = self.tournament(others)
        except ConfigError as error:  # report problems of an anchor for that anchor alone
            names = {each.name for each in others}
            own = [each for each in error.problems if each.where not in names]
            raise ConfigError(own or error.problems) from None
        (discipline,) = found.disciplines
        if discipline.rules.seats == 1:
            expected = "two seats or more, where bots meet"
            problems.add(("game",), "found a table of one seat", expected=expected)
        elif discipline.schedule.kind != _KIND:
            found_kind = f"found {discipline.schedule.kind}"
            problems.add(("schedule", "kind"), found_kind, expected=_KIND)
        if found.breaker.then is Then.STOP:
            expected = "withdraw or ignore: a ladder continues without the bot"
            problems.add(("breaker", "then"), "found stop", expected=expected)
        problems.raise_if_any()
        return found

    @property
    def run(self) -> Path:
        """Folder of the run."""
        return self.folder / RUN

    @property
    def keep(self) -> float | None:
        """Duration in seconds for which a record is kept; None: forever."""
        return None if self.file.keep is None else float(self.file.keep)

    def tournament(self, members: Sequence[Member]) -> Tournament:
        """Return the tournament of the anchors and ``members``. Raises ConfigError."""
        document, anchor = self._as_tournament(members)
        try:
            found = tournament_of(
                document, default_name=sanitized(self.folder.name), numbered=False
            )
        except ConfigError as error:
            names = {each.name for each in members}
            raise ConfigError([self._told(each, names) for each in error.problems]) from None
        ratings = None
        if anchor is not None:
            elo = float(self.file.anchors[anchor].elo or 0)
            ratings = Ratings(anchor=found.entrants[anchor].name, elo=elo)
        output = Output(str(self.run), tuple(Format))
        return msgspec.structs.replace(found, ratings=ratings, output=output, keep=self.keep)

    def _as_tournament(self, members: Sequence[Member]) -> tuple[Document, int | None]:
        """Return the document of the tournament, and the index of the anchor with fixed rating."""
        own = cast("dict[str, Plain]", self._document.value)
        value = {key: own[key] for key in PlayKeys.__struct_fields__ if key in own}
        marks = {path: mark for path, mark in self._document.marks.items() if path[:1] != (_LIST,)}
        keys = {path: mark for path, mark in self._document.keys.items() if path[:1] != (_LIST,)}
        entrants: list[Plain] = []
        for index, anchor in enumerate(cast("list[dict[str, Plain]]", own[_LIST])):
            entrants.append({key: each for key, each in anchor.items() if key != "elo"})
            for path, mark in self._document.marks.items():
                if path[:2] == (_LIST, index):
                    marks["entrants", index, *path[2:]] = mark
        for index, member in enumerate(members, len(entrants)):
            entrants.append({"bot": str(member.folder), "name": member.name})
            marks["entrants", index] = Mark(member.name, self.folder)
        value |= {
            "entrants": entrants,
            "isolation": self._isolation(own),
            "schedule": {"kind": _KIND, **cast("dict[str, Plain]", own.get("schedule", {}))},
        }
        fixed = [n for n, each in enumerate(self.file.anchors) if each.elo is not None]
        return Document(value, marks, keys), fixed[0] if fixed else None

    def _isolation(self, own: Mapping[str, Plain]) -> Plain:
        """Return the isolation; without a level it is the sandbox."""
        written = own.get("isolation", Isolation.SANDBOX.value)
        if isinstance(written, dict):
            return {"level": Isolation.SANDBOX.value, **written}
        return written

    def _told(self, problem: Problem, members: Collection[str]) -> Problem:
        """Return ``problem`` with its key in the ladder file; for ``members`` there is no key."""
        if not problem.path.startswith("entrants"):
            return problem
        own = "" if problem.where in members else problem.path.replace("entrants", _LIST, 1)
        return msgspec.structs.replace(problem, path=own)


def load_ladder(folder: Path, overrides: Sequence[str] = ()) -> Ladder:
    """Read and check ``folder``/ladder.yaml and all that it names.

    ``overrides``: as of ``load_tournament``. Raises ConfigError with every problem that was found.
    """
    folder = folder.absolute()
    path = folder / LADDER_FILE
    document = apply_overrides(read_document(path, shown=shown_path(path)), overrides)
    problems = Problems(document)
    document, named = _split(document)
    file = read_struct(document, LadderFile, problems)
    repositories = read_struct(named, _NamedAuthors, problems).authors
    problems.raise_if_any()
    with_elo = [index for index, each in enumerate(file.anchors) if each.elo is not None]
    for index in with_elo[1:]:
        expected = "it of one anchor alone: one bot fixes the scale"
        problems.add((_LIST, index, "elo"), "found a second elo", expected=expected)
    _check_game(file, document, problems)
    problems.raise_if_any()
    return Ladder(folder, file, document, repositories)


def _split(document: Document) -> tuple[Document, Document]:
    """Return the document without the authors that are named in it, and one of these alone."""
    value = cast("dict[str, Plain]", document.value)
    authors = value.get("authors")
    if not isinstance(authors, dict):
        return document, Document({}, document.marks, document.keys)
    limits = AuthorsFile.__struct_fields__
    named: dict[str, Plain] = {
        name: own for name, own in authors.items() if name not in limits and isinstance(own, dict)
    }
    rest: dict[str, Plain] = {name: own for name, own in authors.items() if name not in named}
    return (
        Document({**value, "authors": rest}, document.marks, document.keys, document.located),
        Document({"authors": named}, document.marks, document.keys),
    )


def _check_game(file: LadderFile, document: Document, problems: Problems) -> None:
    if file.game is None:
        problems.missing(("game",), "the rules by name, or {rules, seats, options}")
    for key in ("entrants", "schedule"):
        if document.holds(("game", key)):
            hint = "everybody plays the one game of a ladder"
            problems.add(("game", key), f"found {key}", expected="none", hint=hint)
    if file.budget.wall is None and file.budget.games is None and document.holds(("budget",)):
        problems.add(("budget",), "found no bound", expected="wall, games or both")


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a ladder.yaml."""
    found = schema_of_file(LadderFile, "arena ladder file")
    own = schema_of_file(RepositoryFile, "a repository")
    author = {key: each for key, each in own.items() if key not in ("$schema", "$defs", "title")}
    found["$defs"][AuthorsFile.__name__]["additionalProperties"] = author
    return found
