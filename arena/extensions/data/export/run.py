"""The packs of a run: one for a competitor, with games as seen by the bot, or a public one."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET

from arena.extensions.data.export.pack import MANIFEST, SCHEMA, Sink, file_name, readme
from arena.extensions.data.export.views import Disclosure, Line, public_lines, result, seat_lines
from arena.extensions.publishing.visible import VisibleGames, choose, expired_words, tells_names
from arena.games.base import Action, Rules
from arena.referee.records.format import Record
from arena.referee.records.read import RecordError, parse, unpack
from arena.referee.records.replay import Step, check_rules, steps
from arena.runs.config.texts import clock_texts
from arena.runs.disk import StoreError, check_file
from arena.runs.reader import StoredRun
from arena.runs.store import HEADING, Expired, RecordLocation, read_record, unescaped
from arena.values import clean
from arena.values.archives import opened
from arena.values.reading import texts_of

_encoder = msgspec.json.Encoder()


class Export:
    """A pack, ready to be written; the run itself is only read."""

    def __init__(self, run: StoredRun, bot: str | None) -> None:
        """Choose the games of the pack.

        ``bot``: the entrant whose pack it is; None for the public pack. Raises StoreError.
        """
        self._run = run
        self.bot = bot
        self.manifest = run.manifest
        for each in self.manifest.disciplines:
            run.rules(each.name)  # fail before much is written
        self.choice: VisibleGames = choose(run, bot)
        self._disclosure = Disclosure(self.choice.tells_names, self._bot_options())

    @property
    def name(self) -> str:
        """Name of the pack, safe as a file name."""
        return file_name(
            f"{self.manifest.name}-{'public' if self.bot is None else f'for-{self.bot}'}"
        )

    @property
    def records(self) -> list[RecordLocation]:
        """Locations of the records to write: the chosen ones that were not removed by rule."""
        choice = self.choice
        both = zip(choice.numbers, choice.records, strict=True)
        return [location for number, location in both if number not in choice.expired]

    @property
    def expired_words(self) -> str:
        """Sentence on games whose records were removed by rule; empty without such games."""
        return expired_words(self._run, len(self.choice.expired))

    @property
    def has_standings(self) -> bool:
        """True if the pack may have tables: not that of a bot whose opponents are hidden."""
        return tells_names(self._run, self.bot, is_over=True)

    def write(self, sink: Sink, standings: Mapping[str, bytes]) -> Iterator[int]:
        """Write everything into the sink; yield the number of games after each one.

        ``standings``: tables by file name. Raises StoreError if a record is damaged.
        """
        sink.add("README.txt", readme(self.manifest.name, self.bot).encode())
        sink.add(MANIFEST, _document(self._description()))
        for discipline in self.manifest.disciplines:
            if self.bot is None or self.bot in discipline.entrants:
                sink.add(f"rules/{file_name(discipline.name)}.json", _document(discipline.rules))
        for name, data in sorted(standings.items()):
            sink.add(name, data)
        for file, data in self._learnt().items():
            sink.add(f"learning/{file}", data)
        log = self._log()
        files: dict[str, str] = {}
        index: list[bytes] = []
        records = self.records
        width = len(str(len(records)))
        for number, location in enumerate(records, 1):
            name = f"games/{number:0{width}}.jsonl"
            record = self._write_game(sink, name, location)
            index.append(_encoder.encode(self._entry(name, record)) + b"\n")
            if log is not None and record.header.spec.game_id in log.games:
                files[record.header.spec.game_id] = name
            yield number
        sink.add("games.jsonl", b"".join(index))
        if log is not None and files:
            sink.add("stderr.txt", log.text(files))

    def _bot_options(self) -> dict[str, Any]:
        return {} if self.bot is None else self.manifest.players[self.bot].options

    def _description(self) -> dict[str, Any]:
        manifest, identity = self.manifest, self.manifest.identity
        return clean.answer(
            SCHEMA,
            run=manifest.name,
            bot=self.bot,
            commitment=manifest.commitment,
            is_over=self.choice.is_over,
            games=len(self.records),
            held_back=self.choice.held_back,
            expired=len(self.choice.expired),
            clock=clock_texts(identity.clock, pondering=identity.pondering),
            limits=texts_of(identity.limits),
            names=identity.names,
            on_fault=identity.on_fault,
            **({} if identity.learning is UNSET else {"not_kept": self._dropped()}),
        )

    def _learnt(self) -> dict[str, bytes]:
        """Return what the bot has learnt when the last round begins, or the run has ended."""
        most, schedule = self.manifest.identity.learning, self._run.schedule
        if self.bot is None or most is UNSET:
            return {}
        over = self.manifest.is_over
        leg = schedule.numbers if over else schedule.leg_of(max(0, schedule.numbers - 1))
        lessons = self.manifest.kind.lessons(self._run.folder, most)
        if lessons is None:
            return {}
        lessons.turn_to(leg, schedule, self._run.breaker)
        return opened(*lessons.archive(self.bot))

    def _dropped(self) -> dict[str, int]:
        """Return the reasons why files of the bot were not kept, each with its number of games."""
        reasons: Counter[str] = Counter()
        for game in self._run.stored() if self.bot is not None else ():
            both = zip(game.result.spec.entrants, game.stored.learned, strict=False)
            reasons.update(own.dropped for name, own in both if name == self.bot and own.dropped)
        return dict(reasons)

    def _log(self) -> BotLog | None:
        """Return the log of the bot whose pack it is; None for the public pack."""
        if self.bot is None:
            return None
        number = self._run.schedule.number
        return BotLog(self._run.folder, self.bot, lambda game: number(game) is not None)

    def _write_game(self, sink: Sink, name: str, location: RecordLocation) -> Record:
        try:
            applied = apply(self._run, location)
            sink.add(name, b"".join(map(_json_line, self._lines(applied))))
        except (RecordError, Expired) as error:
            where = f"{self._run.folder}/{location.file}: the record at byte {location.offset}"
            raise StoreError(f"{where}: {error}") from None
        return applied.record

    def _lines(self, applied: Applied) -> Iterable[Line]:
        record, rules, steps = applied
        if self.bot is None:
            return public_lines(record, steps, rules, self._disclosure)
        entrants = record.header.spec.entrants
        if self.bot not in entrants:
            raise RecordError(1, f"spec: not a game of {self.bot}")
        return seat_lines(record, steps, rules, entrants.index(self.bot), self._disclosure)

    def _entry(self, name: str, record: Record) -> Line:
        """Return a line of games.jsonl."""
        spec = record.header.spec
        entry: Line = {"file": name, "discipline": spec.discipline}
        if self._disclosure.names:
            entry |= {"game": spec.game_id, "names": spec.entrants}
        if self.bot is not None:
            entry["seat"] = spec.entrants.index(self.bot)
        return entry | result(record)


def _json_line(line: Line) -> bytes:
    return _encoder.encode(line) + b"\n"


def _document(value: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


class Applied(NamedTuple):
    """A record with its rules, applied while ``steps`` is read."""

    record: Record
    rules: Rules[Any, Action]
    steps: Iterator[Step]
    """Steps of the game; raises RecordError at a ply that the rules do not allow."""


def apply(run: StoredRun, location: RecordLocation) -> Applied:
    """Read a record. Raises StoreError or RecordError for a damaged record."""
    record, _ = parse(unpack(read_record(run.folder, location)))
    discipline = record.header.spec.discipline
    if run.manifest.discipline(discipline) is None:
        raise RecordError(1, "spec: a game that is not in run.json")
    own = run.rules(discipline)
    check_rules(record, own)
    return Applied(record, own, steps(record, own))


_LONGEST: Final = 16 * 1024 * 1024
"""Most bytes that are read; a run keeps far less of each bot."""


class BotLog:
    """The log of one bot, by game."""

    def __init__(self, folder: Path, bot: str, is_game: Callable[[str], bool]) -> None:
        """Read the log of a bot.

        ``is_game``: whether a text is the id of a game. Raises StoreError.
        """
        self._sections: list[tuple[str, list[bytes]]] = []
        for line in io.BytesIO(_read(folder / "logs" / f"{file_name(bot)}.stderr")):
            game = line.removeprefix(HEADING).rstrip(b"\n").decode("utf-8", "replace")
            if line.startswith(HEADING) and is_game(game):
                self._sections.append((game, []))
            elif self._sections:
                self._sections[-1][1].append(unescaped(line))
        self.games = frozenset(game for game, _ in self._sections)
        """Ids of the games in which the bot wrote something."""

    def text(self, headings: Mapping[str, str]) -> bytes:
        """Return the bot's output in the games of ``headings``, sorted by heading."""
        told = [(headings[game], said) for game, said in self._sections if game in headings]
        told.sort(key=lambda section: section[0])
        return b"".join(
            b"".join((HEADING, heading.encode(), b"\n", *said)) for heading, said in told
        )


def _read(path: Path) -> bytes:
    check_file(path)
    try:
        with path.open("rb") as file:
            return file.read(_LONGEST)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
