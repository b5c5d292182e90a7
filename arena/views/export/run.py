"""The packs of a run: one for a competitor, with games as seen by the bot, or a public one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from arena import __version__
from arena.config.keys import Names
from arena.config.texts import clock_texts, limit_texts
from arena.records.format import Record
from arena.records.read import RecordError
from arena.results import GameSpec
from arena.runs.disk import StoreError
from arena.runs.reader import StoredRun
from arena.runs.store import Expired, RecordLocation
from arena.text.numbers import count
from arena.views.export.games import Applied, PackSelection, apply, choose
from arena.views.export.logs import BotLog
from arena.views.export.pack import MANIFEST, SCHEMA, Sink, file_name
from arena.views.export.texts import readme
from arena.views.export.views import Disclosure, Line, public_lines, result, seat_lines

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
        self._is_hidden = self.manifest.identity.names is Names.HIDDEN
        self.choice: PackSelection = choose(run, self._is_wanted, self._tells_names)
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
        return self.bot is None or not self._is_hidden

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

    def _is_wanted(self, spec: GameSpec) -> bool:
        return self.bot is None or self.bot in spec.entrants

    def _tells_names(self, is_over: bool) -> bool:
        """Return whether the pack may name players: spectators learn hidden names after the run."""
        return not self._is_hidden or (self.bot is None and is_over)

    def _bot_options(self) -> dict[str, Any]:
        return {} if self.bot is None else self.manifest.players[self.bot].options

    def _description(self) -> dict[str, Any]:
        manifest, identity = self.manifest, self.manifest.identity
        return {
            "schema": SCHEMA,
            "arena": __version__,
            "run": manifest.name,
            "bot": self.bot,
            "commitment": manifest.commitment,
            "is_over": self.choice.is_over,
            "games": len(self.records),
            "held_back": self.choice.held_back,
            "expired": len(self.choice.expired),
            "clock": clock_texts(identity.clock, pondering=identity.pondering),
            "limits": limit_texts(identity.limits),
            "names": identity.names,
            "on_fault": identity.on_fault,
        }

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


def expired_words(run: StoredRun, games: int) -> str:
    """Return a sentence that records of ``games`` games were removed by rule, or "".

    Raises StoreError.
    """
    if not games or run.thinned is None:
        return ""
    have = "has no record any more" if games == 1 else "have no records any more"
    before = run.thinned.before[:10]
    return f"{count(games, 'game')} {have}: this run keeps none of games before {before}"


def _json_line(line: Line) -> bytes:
    return _encoder.encode(line) + b"\n"


def _document(value: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
