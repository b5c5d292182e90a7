"""Files of wanted decisions: questions with accepted answers, for a bot's repository.

A file is complete in itself: it holds the rules, what a seat saw, and the legal actions. It is
written by hand, or from the decisions of games.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, cast

import msgspec
from msgspec import Meta

from arena.config.keys import ClockFile
from arena.config.texts import clock_texts
from arena.config.tournament import check_clock, clock_of
from arena.documents.document import MAX_BYTES, read_document
from arena.documents.problems import (
    ConfigError,
    Document,
    KeyPath,
    Plain,
    Problem,
    Problems,
    printable,
    quote,
)
from arena.documents.reading import read_struct
from arena.documents.values import Name
from arena.games.base import Action, InvalidActionError, Rules, RulesError
from arena.games.installed import in_words
from arena.games.registry import GAMES, make_rules, resolve, rules_spec
from arena.records.format import End
from arena.results import RulesSpec, Termination
from arena.studies.reask.courses import Question, SeatMessages, Setting, Transcript
from arena.studies.reask.sources import DecisionFilter

_LARGEST_SEED: Final = (1 << 53) - 1
_SHOWN_LENGTH: Final = 100
_RAW: Final = frozenset({"observation", "events", "legal", "accept", "avoid"})
"""Keys with values of the protocol, which are read unchanged so that they may hold nulls."""


class _DecisionKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of the mappings in a file."""


class GameEntry(_DecisionKeys, frozen=True, kw_only=True):
    """An entry of ``games``: rules at one table size."""

    rules: Annotated[Name, Meta(description="Name of the rules.")]
    seats: Annotated[int, Meta(ge=1, le=64, description="Players at the table.")]
    options: Annotated[
        dict[str, str | bool | int | float],
        Meta(description="Options of the rules that differ from the defaults."),
    ] = {}
    data: Annotated[
        dict[str, Any] | None, Meta(description="Card data. Default: the rules' own.")
    ] = None


class WantedEntry(_DecisionKeys, frozen=True, kw_only=True):
    """An entry of ``wanted``: a question and its accepted answers."""

    name: Annotated[str, Meta(max_length=200, description="Name in reports.")] = ""
    comment: Annotated[
        str, Meta(description="Reason, which is shown if the answer is not accepted.")
    ] = ""
    game: Annotated[Name, Meta(description="Name of one of `games`.")]
    seat: Annotated[int, Meta(ge=0, le=63, description="Seat that is asked.")]
    seed: Annotated[
        int, Meta(ge=0, le=_LARGEST_SEED, description="Seed that is sent to the bot in `start`.")
    ] = 0
    options: Annotated[
        dict[str, Any], Meta(description="Options of the bot that differ from its defaults.")
    ] = {}
    accept: Annotated[
        tuple[dict[str, Any], ...], Meta(description="Accepted actions. Default: any.")
    ] = ()
    avoid: Annotated[
        tuple[dict[str, Any], ...], Meta(description="Actions that are not accepted.")
    ] = ()
    observation: Annotated[dict[str, Any], Meta(description="As in `act`.")]
    events: Annotated[
        tuple[dict[str, Any], ...], Meta(description="All that the seat saw in the game so far.")
    ] = ()
    legal: Annotated[tuple[dict[str, Any], ...], Meta(min_length=1, description="As in `act`.")]


class DecisionsFile(_DecisionKeys, frozen=True, kw_only=True):
    """A file of wanted decisions."""

    decisions: Annotated[Literal[1], Meta(description="Version of this format.")]
    notes: Annotated[str, Meta(description="Text for people, without effect.")] = ""
    clock: Annotated[ClockFile, Meta(description="How long the bot may take.")] = ClockFile()
    games: Annotated[dict[Name, GameEntry], Meta(description="Rules, by a name of your own.")]
    wanted: Annotated[tuple[WantedEntry, ...], Meta(description="The wanted decisions.")]


class DecisionsSource:
    """The decisions of a file, each as a game of one question."""

    def __init__(self, path: Path) -> None:
        """Read a file. Raises ConfigError with everything that is wrong with it."""
        document = read_document(path)
        problems = Problems(document)
        read = read_struct(_without_raw(document), DecisionsFile, problems)
        games = _games(read, document, problems)
        self._transcripts: list[Transcript] = []
        if problems.clean("wanted") and isinstance(read.wanted, tuple):
            if not read.wanted:
                problems.add(("wanted",), "found no decision", expected="a list of at least 1")
            check_clock(read.clock, problems, "clock")
            control = clock_of(read.clock).control if problems.clean("clock") else Setting().control
            reader = _DecisionReader(document, problems, games, Setting(control=control))
            for index, each in enumerate(read.wanted):
                found = reader.transcript(each, index)
                self._transcripts += [found] if found is not None else []
        problems.raise_if_any()
        pondering = read.clock.pondering in (True, "on")
        self.setting = Setting(control=control, pondering=pondering)
        self.entrants: tuple[str, ...] = ()
        self.skipped: set[str] = set()

    def transcripts(self, wish: DecisionFilter) -> Iterator[Transcript]:
        """Yield the transcripts; see ``TranscriptSource``.

        Raises ConfigError for rules that the bot does not play.
        """
        for each in self._transcripts:
            spec = each.course.rules.spec
            if not wish.plays(spec.name, spec.seats):
                seats = f"{spec.seats} seat{'s'[: spec.seats != 1]}"
                found = f"the bot does not play {spec.name} at {seats}"
                raise ConfigError([Problem(each.where, "", found)])
            yield each


def _without_raw(document: Document) -> Document:
    """Return the document with empty mappings instead of the protocol's values."""

    def hollow(value: Plain) -> Plain:
        if isinstance(value, list):
            return [{} if isinstance(item, dict) else item for item in value]
        return {} if isinstance(value, dict) else value

    value = cast("dict[str, Plain]", document.value)
    shallow = dict(value)
    if isinstance(wanted := value.get("wanted"), list):
        shallow["wanted"] = [
            {key: hollow(item) if key in _RAW else item for key, item in each.items()}
            if isinstance(each, dict)
            else each
            for each in wanted
        ]
    if isinstance(games := value.get("games"), dict):
        shallow["games"] = {
            name: {key: hollow(item) if key == "data" else item for key, item in each.items()}
            if isinstance(each, dict)
            else each
            for name, each in games.items()
        }
    return Document(shallow, document.marks, document.keys, document.located)


def _games(
    read: DecisionsFile, document: Document, problems: Problems
) -> dict[str, Rules[Any, Action]]:
    """Return the rules of the file's games by name; report and omit those that are not valid."""
    games: dict[str, Rules[Any, Action]] = {}
    for name, game in read.games.items() if isinstance(read.games, dict) else ():
        if not problems.clean("games", name):
            continue
        try:
            if game.data is None:
                spec = rules_spec(game.rules, game.seats, game.options)
            else:
                data = _raw(document, ("games", name, "data"))
                spec = resolve(game.rules, game.seats, game.options, data)
            games[name] = make_rules(spec)
        except RulesError as error:
            path = ("rules",) if error.path[:1] == ("name",) else error.path
            problems.add(("games", name, *path), in_words(error))
    return games


def _raw(document: Document, path: KeyPath) -> Any:
    value: Any = document.value
    for step in path:
        value = value[step]
    return value


class _DecisionReader:
    """Converter of decisions into transcripts that reports what is wrong with them."""

    def __init__(
        self,
        document: Document,
        problems: Problems,
        games: Mapping[str, Rules[Any, Action]],
        setting: Setting,
    ) -> None:
        self._document = document
        self._problems = problems
        self._games = games
        self._setting = setting

    def transcript(self, wanted: WantedEntry, index: int) -> Transcript | None:
        """Return the transcript of ``wanted``; None if something is wrong with it."""
        path: KeyPath = ("wanted", index)
        if not self._problems.clean(*path):
            return None
        rules = self._rules(wanted, path)
        if rules is None:
            return None
        legal = self._actions(rules, (*path, "legal"), ())
        accept = self._actions(rules, (*path, "accept"), legal)
        avoid = self._actions(rules, (*path, "avoid"), legal)
        self._check(accept, avoid, legal, path)
        observation = _raw(self._document, (*path, "observation"))
        self._check_observation(observation, rules, wanted.seat, (*path, "observation"))
        if not self._problems.clean(*path):
            return None
        raw = _raw(self._document, path)
        question = Question(0, observation, tuple(raw.get("events", ())), legal, accept, avoid)
        seats = rules.spec.seats
        end = End(0, Termination.COMPLETED, (1,) * seats, (0,) * seats, ())
        course = SeatMessages(
            rules, wanted.seat, self._setting.control, wanted.seed, None, (question,), end
        )
        return Transcript(
            wanted.name or f"decision {index + 1}",
            course,
            tuple(f"seat {seat}" for seat in range(seats)),
            wanted.options,
            where=self._document.mark(path).where,
            comment=wanted.comment,
        )

    def _rules(self, wanted: WantedEntry, path: KeyPath) -> Rules[Any, Action] | None:
        rules = self._games.get(wanted.game)
        if rules is None:
            if not self._document.holds(("games", wanted.game)):
                known = list(self._games)
                hint = self._problems.similar(wanted.game, known)
                found = f"found {quote(wanted.game)}"
                self._problems.add((*path, "game"), found, expected="one of games", hint=hint)
            return None
        if wanted.seat >= rules.spec.seats:
            expected = f"a seat from 0 to {rules.spec.seats - 1}"
            self._problems.add((*path, "seat"), f"found {wanted.seat}", expected=expected)
            return None
        return rules

    def _actions(
        self, rules: Rules[Any, Action], path: KeyPath, legal: tuple[Action, ...]
    ) -> tuple[Action, ...]:
        """Return the actions of a list; each must be in ``legal`` unless that is empty."""
        if not self._document.holds(path):
            return ()
        actions: list[Action] = []
        for index, data in enumerate(_raw(self._document, path)):
            here = (*path, index)
            try:
                action = rules.decode_action(data)
            except InvalidActionError as error:
                self._problems.add(here, f"no action of {rules.spec.name}: {error}")
                continue
            if legal and action not in legal:
                self._problems.add(here, f"found {_shown(action)}", expected="one of legal")
            elif action in actions:
                self._problems.add(here, f"found {_shown(action)} a second time")
            actions.append(action)
        return tuple(actions)

    def _check(
        self,
        accept: tuple[Action, ...],
        avoid: tuple[Action, ...],
        legal: tuple[Action, ...],
        path: KeyPath,
    ) -> None:
        raw = _raw(self._document, path)
        if not (raw.get("accept") or raw.get("avoid")):
            self._problems.add(path, 'found neither "accept" nor "avoid"', expected="an action")
        for index, action in enumerate(avoid):
            if action in accept:
                found = f"found {_shown(action)}, which is in accept"
                self._problems.add((*path, "avoid", index), found)
        if legal and set(legal) <= set(avoid):
            self._problems.add((*path, "avoid"), "found all legal actions")

    def _check_observation(
        self, observation: Any, rules: Rules[Any, Action], seat: int, path: KeyPath
    ) -> None:
        try:
            msgspec.convert(observation, GAMES[rules.spec.name].observation_type)
        except (msgspec.ValidationError, ValueError, TypeError) as error:
            self._problems.add(path, f"no observation of {rules.spec.name}: {error}")
            return
        if (found := observation.get("seat", seat)) != seat:
            self._problems.add((*path, "seat"), f"found {found}", expected=f"{seat}, as in seat")


def _shown(action: Action) -> str:
    text = printable(msgspec.json.encode(action).decode())
    return text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…"


class TooLarge(ValueError):
    """The decisions are more than a file can hold; the text gives the limit."""


class WrittenDecisions(NamedTuple):
    """A file of wanted decisions that was written."""

    data: bytes
    decisions: int


def write_decisions(
    transcripts: Iterable[Transcript], setting: Setting, plies: range | None
) -> WrittenDecisions:
    """Return a file in which the recorded answers of the games are the wanted ones.

    ``plies``: those that are written; None: all with more than one legal action. Answers that were
    faults are omitted. Raises TooLarge as soon as the file would be too large.
    """
    writer = _DecisionWriter(setting)
    for transcript in transcripts:
        writer.add(transcript, plies)
    return WrittenDecisions(writer.text(), writer.decisions)


class _DecisionWriter:
    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._games: list[tuple[str, RulesSpec]] = []
        self._entries = io.BytesIO()
        self.decisions = 0

    def add(self, transcript: Transcript, plies: range | None) -> None:
        course = transcript.course
        seen: list[Any] = []
        for question in course.questions:
            seen += question.events
            taken = len(question.legal) > 1 if plies is None else question.ply in plies
            if taken and all(isinstance(each, Action) for each in question.wanted):
                self._add(transcript, question, seen)
        if self._entries.tell() > MAX_BYTES:
            raise TooLarge(f"more than {MAX_BYTES >> 20} MiB")

    def _add(self, transcript: Transcript, question: Question, seen: list[Any]) -> None:
        course = transcript.course
        lines = {
            "name": f"{transcript.name} ply {question.ply}",
            "game": self._game(course.rules.spec),
            "seat": course.seat,
            "seed": course.seed,
            "options": dict(transcript.options),
            "accept": question.wanted,
            "observation": question.observation,
            "events": seen,
            "legal": question.legal,
        }
        bullet = b"  - "
        for key, value in lines.items():
            if key == "options" and not value:
                continue
            if isinstance(value, list | tuple):
                self._entries.write(b"%s%s:\n" % (bullet, key.encode()))
                for item in value:
                    self._entries.write(b"      - %s\n" % _json(item))
            else:
                self._entries.write(b"%s%s: %s\n" % (bullet, key.encode(), _json(value)))
            bullet = b"    "
        self.decisions += 1

    def _game(self, spec: RulesSpec) -> str:
        """Return the name of these rules in the file; add them if they are new."""
        for name, known in self._games:
            if known == spec:
                return name
        name = f"{spec.name}-{spec.seats}"
        taken = [known for known, _ in self._games]
        if name in taken:
            name = f"{name}.{len(taken) + 1}"
        self._games.append((name, spec))
        return name

    def text(self) -> bytes:
        games = b"".join(
            b"  %s: %s\n" % (name.encode(), _json(_game_entry(spec))) for name, spec in self._games
        )
        setting = self._setting
        clock = b"clock: %s\n" % _json(clock_texts(setting.control, pondering=setting.pondering))
        text = b"decisions: 1\n" + clock + b"games:\n" + games
        text += b"wanted:\n" + self._entries.getvalue()
        if len(text) > MAX_BYTES:
            raise TooLarge(f"more than {MAX_BYTES >> 20} MiB")
        return text


def _json(value: object) -> bytes:
    """Return ``value`` as JSON, which is also YAML."""
    return msgspec.json.encode(value)


def _game_entry(spec: RulesSpec) -> dict[str, Any]:
    """Return rules as an entry of the file, without card data that is the default."""
    entry = {"rules": spec.name, "seats": spec.seats, "options": spec.options}
    if spec.data != rules_spec(spec.name, spec.seats, spec.options).data:
        entry["data"] = spec.data
    return entry
