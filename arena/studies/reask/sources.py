"""Sources of questions: a run, one record, or the pack of a bot."""

from __future__ import annotations

import contextlib
import logging
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from arena.config.keys import ClockFile, LimitsFile, Names
from arena.config.tournament import clock_of, limits_of
from arena.documents.problems import Document, Mark, Problems, printable
from arena.documents.reading import read_struct
from arena.games.base import Action, Rules, RulesError
from arena.games.registry import make_rules, rules_spec
from arena.records.format import GZIP_HEADER
from arena.records.read import MAX_BYTES, RecordError, parse, unpack
from arena.results import RulesSpec, Seat
from arena.runs.disk import NOT_READABLE, STORE_LOG, StoreError, check_file, reading
from arena.runs.manifest import is_run
from arena.runs.reader import StoredRun
from arena.runs.store import Stored
from arena.studies.reask.courses import (
    PackReadError,
    PackStart,
    Setting,
    Transcript,
    of_pack,
    of_record,
    read_start,
)

Plays = Callable[[str, int], bool]
"""Function of rules and seats that returns True if the bot plays them."""

log = logging.getLogger(STORE_LOG)

_PACK: Final = "arena.pack/1"
_NAME: Final = re.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_GAME_FILE: Final = re.compile(r"games/[0-9]{1,12}\.jsonl")

_BAD_ZIP: Final = (OSError, zipfile.BadZipFile, RuntimeError)
"""Errors of zipfile; RuntimeError is for encryption and unknown compression methods."""


class DecisionFilter(NamedTuple):
    """Selection of the decisions to ask about."""

    plays: Plays
    games: tuple[str, ...] = ()
    """Ids or numbers of games; empty: all."""
    seat: Seat | None = None
    """Seat to ask about; None: every seat."""
    entrant: str | None = None
    """Entrant to ask about; None: every entrant."""

    def seats(self, entrants: Sequence[str]) -> list[Seat]:
        """Return the seats of a game of ``entrants`` that are asked about."""
        return [
            seat
            for seat, name in enumerate(entrants)
            if self.seat in (None, seat) and self.entrant in (None, name)
        ]


class TranscriptSource(Protocol):
    """Finished games whose decisions can be asked about."""

    setting: Setting
    entrants: tuple[str, ...]
    """Names whose seats can be asked about."""
    skipped: set[str]
    """Rules with table sizes that the bot does not play; complete once all games were read."""

    def transcripts(self, wish: DecisionFilter) -> Iterator[Transcript]:
        """Yield the transcripts that ``wish`` selects, read one by one. Raises StoreError."""


class _Settings(msgspec.Struct, frozen=True):
    clock: ClockFile
    limits: LimitsFile


def setting_of(where: str, clock: object, limits: object, *, names_shown: bool) -> Setting:
    """Return the setting of a pack from the texts of its manifest.

    ``where`` names the manifest in messages. Raises ConfigError.
    """
    value: Any = {"clock": clock, "limits": limits}
    document = Document(value, {(): Mark(where, Path())})
    problems = Problems(document)
    read = read_struct(document, _Settings, problems)
    problems.raise_if_any()
    control, pondering = clock_of(read.clock)
    return Setting(control, limits_of(read.limits), pondering, names_shown)


class RunSource:
    """The stored games of a run, in the order of its schedule."""

    def __init__(self, run: StoredRun, games: Sequence[Stored] = ()) -> None:
        """Read the setting of a run.

        ``games``: the stored games that are wanted; empty: all. Raises StoreError.
        """
        self._run = run
        self._games = games
        identity = run.manifest.identity
        shown = identity.names is Names.SHOWN
        self.setting = Setting(identity.clock, identity.limits, identity.pondering, shown)
        self.entrants = run.manifest.entrants
        self.skipped: set[str] = set()
        for each in run.manifest.disciplines:
            run.rules(each.name)  # a wrong discipline is reported before anything is asked

    def transcripts(self, wish: DecisionFilter) -> Iterator[Transcript]:
        """Yield the transcripts that ``wish`` selects; see ``TranscriptSource``."""
        options = {name: each.options for name, each in self._run.manifest.players.items()}
        wanted = self._games
        if not wanted:
            in_order = sorted(self._run.games(), key=lambda game: game.number)
            wanted = [game.stored for game in in_order]
        for stored in wanted:
            spec = stored.result.spec
            if not (seats := wish.seats(spec.entrants)):
                continue
            rules = self._run.rules(spec.discipline)
            if not _is_played(rules.spec, wish, self.skipped):
                continue
            try:
                record = self._run.record(stored)
                with self._run.record_errors(stored):
                    found = list(of_record(record, rules, seats, self.setting, options))
            except StoreError as error:
                if self._games:  # the user asked for this very game
                    raise
                log.warning("left out: %s", error)
                continue
            yield from found


class RecordSource:
    """One record, compressed or as text, replayed with the card data of the rules."""

    def __init__(self, path: Path, data: bytes) -> None:
        """Read the record ``data`` of the file ``path``. Raises StoreError."""
        self._where = str(path)
        run = path.absolute().parents[1]
        if path.parent.name == "records" and is_run(run):
            raise StoreError(f"{path}: found the records of a run: name its folder, {run}")
        with _errors_at(self._where):
            text = unpack(data) if data.startswith(GZIP_HEADER) else data
            self._record, _ = parse(text)
        header = self._record.header
        self.setting = Setting()
        self.entrants = tuple(dict.fromkeys(header.spec.entrants))
        self.skipped: set[str] = set()
        seats = len(header.spec.entrants)
        try:
            self._rules = make_rules(rules_spec(header.rules, seats, header.options))
        except RulesError as error:
            raise StoreError(f"{self._where}: line 1: {error}") from None

    def transcripts(self, wish: DecisionFilter) -> Iterator[Transcript]:
        """Yield the transcripts that ``wish`` selects; see ``TranscriptSource``."""
        if _is_played(self._rules.spec, wish, self.skipped):
            with _errors_at(self._where):
                seats = wish.seats(self._record.header.spec.entrants)
                yield from of_record(self._record, self._rules, seats, self.setting, {})


class _PackManifest(msgspec.Struct):
    """Contents of manifest.json of a pack."""

    schema: str
    bot: str | None = None
    clock: dict[str, Any] = {}
    limits: dict[str, Any] = {}
    names: str = "shown"


class _Entry(msgspec.Struct):
    """A line of games.jsonl in a pack."""

    file: str
    game: str = ""


class PackSource:
    """The games of a bot's pack, a folder or a zip file."""

    def __init__(self, path: Path) -> None:
        """Read the manifest of a pack. Raises StoreError, ConfigError."""
        self._path = path
        where = f"{path}/manifest.json"
        manifest = self._decoded("manifest.json", _PackManifest)
        if manifest.schema != _PACK:
            raise StoreError(f"{where}: found no pack of games as arena export writes them")
        if manifest.bot is None:
            raise StoreError(
                f"{path}: found a public pack, which has no questions: expected that of a bot"
            )
        self.setting = setting_of(
            printable(where), manifest.clock, manifest.limits, names_shown=manifest.names == "shown"
        )
        self.entrants: tuple[str, ...] = (manifest.bot,)
        self.skipped: set[str] = set()

    def transcripts(self, wish: DecisionFilter) -> Iterator[Transcript]:
        """Yield the transcripts that ``wish`` selects; see ``TranscriptSource``.

        ``wish.games`` are numbers in the order of the pack, or ids.
        """
        for number, entry in self._chosen(wish.games):
            lines = self._read(entry.file).splitlines()
            where = f"{self._path}/{entry.file}"
            with _errors_at(where):
                start = read_start(lines[0] if lines else b"")
            if wish.seat not in (None, start.seat):
                continue
            rules = self._rules(start, where)
            if _is_played(rules.spec, wish, self.skipped):
                with _errors_at(where):
                    found = of_pack(lines, rules, f"game {number}", self.setting)
                if found.course.questions:
                    bot = self.entrants[0]
                    seats = [bot if s == start.seat else n for s, n in enumerate(found.entrants)]
                    yield found._replace(entrants=tuple(seats))

    def _chosen(self, games: Sequence[str]) -> Iterator[tuple[int, _Entry]]:
        entries = self._entries()
        if not games:
            yield from enumerate(entries, 1)
        for game in games:
            found = [each for each in enumerate(entries, 1) if game in (str(each[0]), each[1].game)]
            if not found or not game:
                expected = f"expected 1 to {len(entries)} or an id in games.jsonl"
                raise StoreError(f'{self._path}: found no game "{printable(game)}", {expected}')
            yield found[0]

    def _entries(self) -> list[_Entry]:
        where = f"{self._path}/games.jsonl"
        entries: list[_Entry] = []
        for number, line in enumerate(self._read("games.jsonl").splitlines(), 1):
            try:
                entry = msgspec.json.decode(line, type=_Entry)
            except NOT_READABLE as error:
                raise StoreError(f"{where}:{number}: no game of a pack: {error}") from None
            if not _GAME_FILE.fullmatch(entry.file):
                raise StoreError(f"{where}:{number}: a game outside the pack")
            entries.append(entry)
        return entries

    def _rules(self, start: PackStart, where: str) -> Rules[Any, Action]:
        if not _NAME.fullmatch(start.discipline):
            raise StoreError(f"{where}: line 1: the discipline has no name")
        file = f"rules/{start.discipline}.json"
        return _make(self._decoded(file, RulesSpec), f"{self._path}/{file}")

    def _decoded(self, file: str, kind: type[Any]) -> Any:
        try:
            return msgspec.json.decode(self._read(file), type=kind)
        except NOT_READABLE as error:
            raise StoreError(f"{self._path}/{file}: cannot be read: {error}") from None

    def _read(self, file: str) -> bytes:
        """Return the bytes of a file of the pack. Raises StoreError."""
        where = f"{self._path}/{file}"
        try:
            if self._path.is_dir():
                return read_bytes(self._path / file)
            with zipfile.ZipFile(self._path) as pack:
                name = f"{pack.namelist()[0].partition('/')[0]}/{file}"
                if pack.getinfo(name).file_size > MAX_BYTES:
                    raise StoreError(f"{where}: found more than {MAX_BYTES} bytes")
                with pack.open(name) as member:
                    return member.read(MAX_BYTES)
        except (KeyError, IndexError):
            raise StoreError(f"{where}: is not in the pack") from None
        except _BAD_ZIP as error:
            raise StoreError(f"{where}: cannot be read: {error}") from None


def read_bytes(path: Path) -> bytes:
    """Return the contents of a regular file of at most MAX_BYTES. Raises StoreError."""
    check_file(path)
    with reading(path), path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise StoreError(f"{path}: found more than {MAX_BYTES} bytes")
    return data


def _make(spec: RulesSpec, where: str) -> Rules[Any, Action]:
    try:
        return make_rules(spec)
    except RulesError as error:
        path = ".".join(map(str, error.path))
        raise StoreError(f"{where}: rules: {path}: {printable(str(error))}") from None


def _is_played(spec: RulesSpec, wish: DecisionFilter, skipped: set[str]) -> bool:
    """Return True if the bot plays the rules; add them to ``skipped`` if not."""
    if wish.plays(spec.name, spec.seats):
        return True
    skipped.add(f"{spec.name} at {spec.seats} seat{'s'[: spec.seats != 1]}")
    return False


@contextlib.contextmanager
def _errors_at(where: str) -> Iterator[None]:
    """Name the place of a damaged game in its error, raised as StoreError."""
    try:
        yield
    except (RecordError, PackReadError) as error:
        raise StoreError(f"{printable(where)}: {printable(str(error))}") from None
