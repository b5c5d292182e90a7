"""Questions that the seats of finished games were asked, from records and from packs.

The game follows its record and ignores the new answers, to which no rules are applied.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from arena.entrants.folders import Bounds
from arena.games.base import Action, InvalidActionError, Json, Rules
from arena.records.format import End, Record
from arena.records.perspective import seat_views
from arena.records.replay import Step, check_rules, steps
from arena.referee.faults import Offence
from arena.results import Fault, FaultKind, Limits, Seat, Termination, TimeControl
from arena.tournament.local.processes import ProcessKey

_MICROSECOND: Final = 1000

Answer: TypeAlias = Action | Offence
"""Action that a bot decides on when it is asked again, or its offence."""


class Question(NamedTuple):
    """One decision of a seat, with what is known about good answers."""

    ply: int
    observation: Json
    events: Sequence[Json]
    """Events that the seat saw since it was last asked."""
    legal: Sequence[Action]
    wanted: tuple[Action | FaultKind, ...] = ()
    """Accepted answers; empty: everything that is not unwanted."""
    unwanted: tuple[Action, ...] = ()
    used: int = 0
    """Nanoseconds that the recorded answer took; this time is charged to a bank."""

    def is_met_by(self, answer: Answer) -> bool:
        """Return True if ``answer`` is accepted, as is a fault of a recorded kind."""
        if isinstance(answer, Offence):
            return answer.kind in self.wanted
        return answer not in self.unwanted and (not self.wanted or answer in self.wanted)


class SeatMessages(NamedTuple):
    """All messages to one seat in one game."""

    rules: Rules[Any, Action]
    seat: Seat
    control: TimeControl
    seed: int
    """Seed as sent to the bot in ``start``."""
    names: tuple[str, ...] | None
    """Names of the entrants by seat; None: hidden."""
    questions: tuple[Question, ...]
    end: End | None
    """End of the game as sent to the bot; None: nothing is sent."""


class Setting(NamedTuple):
    """Terms on which bots are asked."""

    control: TimeControl = TimeControl()
    limits: Limits = Limits()
    pondering: bool = True
    names_shown: bool = True
    readable: tuple[str, ...] = ()
    """Absolute paths that bots may read where files are otherwise closed to them."""
    bounds: Bounds | None = None
    """Limits on what a build leaves; None: the usual ones."""


class Transcript(NamedTuple):
    """A seat in a game with all its questions, or one wanted decision."""

    name: str
    """Id of the game, or name of the decision."""
    course: SeatMessages
    entrants: tuple[str, ...]
    """Names by seat, for people."""
    options: Mapping[str, Any] = {}
    """Bot options of the entrant in that seat."""
    process: int = 0
    """Number of the bot's process that is asked, as in the run: no two seatings shared one."""
    where: str = ""
    """Place of a wanted decision, as ``file:line:column``."""
    comment: str = ""

    @property
    def entrant(self) -> str:
        """Name of the entrant in the seat."""
        return self.entrants[self.course.seat]

    def without_questions(self) -> Transcript:
        """Return the transcript without its questions, small enough to be kept."""
        return self._replace(course=self.course._replace(questions=()))


class PackReadError(ValueError):
    """The lines are no game of a bot's pack; the text says which line and why."""


def of_record(
    record: Record,
    rules: Rules[Any, Action],
    seats: Collection[Seat],
    setting: Setting,
    options: Mapping[str, Mapping[str, Any]],
) -> Iterator[Transcript]:
    """Yield the transcripts of ``seats``, except for seats without questions.

    ``options``: by entrant. Raises RecordError if the record does not belong to these rules.
    """
    check_rules(record, rules)
    spec, header = record.header.spec, record.header
    applied = list(steps(record, rules))
    for seat in seats:
        name = spec.entrants[seat]
        course = SeatMessages(
            rules,
            seat,
            setting.control,
            header.bot_seeds[seat],
            spec.entrants if setting.names_shown else None,
            tuple(_questions(record, applied, rules, seat)),
            record.end,
        )
        if course.questions:
            process = ProcessKey.of(spec, seat).instance
            told = options.get(name, {})
            yield Transcript(spec.game_id, course, spec.entrants, told, process)


def _questions(
    record: Record, applied: Iterable[Step], rules: Rules[Any, Action], seat: Seat
) -> Iterator[Question]:
    """Yield the questions that a bot answered, and the last one if the answer was a fault."""
    for look in seat_views(record, applied, rules, seat):
        asked = Question(look.ply, look.observation, look.events, look.legal)
        if look.fault is not None:
            yield asked._replace(wanted=(look.fault.kind,))
        if look.step is None or look.step.ply.autopilot:
            return  # the autopilot played from here on
        yield asked._replace(wanted=(look.step.action,), used=look.think_us * _MICROSECOND)


class PackStart(msgspec.Struct, frozen=True):
    """The first line of a game in a bot's pack."""

    discipline: str
    rules: str
    options: dict[str, Any]
    seats: int
    seat: Seat
    bot_seed: int
    bot_options: dict[str, Any]
    game: str = ""
    names: tuple[str, ...] | None = None


class _PackAct(msgspec.Struct, frozen=True, tag="act", tag_field="line"):
    ply: int
    observation: Any
    events: tuple[Any, ...]
    legal: tuple[dict[str, Any], ...]
    action: dict[str, Any] | None = None
    autopilot: bool = False
    think_us: int = 0


class _Fault(msgspec.Struct, frozen=True, tag="fault", tag_field="line"):
    ply: int
    kind: FaultKind


class _SeatFault(msgspec.Struct, frozen=True):
    seat: Seat
    kind: FaultKind


class _PackOver(msgspec.Struct, frozen=True, tag="over", tag_field="line"):
    places: tuple[int, ...]
    scores: tuple[int, ...] | None
    reason: Termination
    faults: tuple[_SeatFault, ...]


_lines: msgspec.json.Decoder[_PackAct | _Fault | _PackOver] = msgspec.json.Decoder(
    _PackAct | _Fault | _PackOver
)
_NO_LINE: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


def read_start(line: bytes) -> PackStart:
    """Return the parsed first line of a game. Raises PackReadError."""
    try:
        start = msgspec.json.decode(line, type=PackStart)
    except _NO_LINE as error:
        raise PackReadError(f"line 1: no start of a game in the pack of a bot: {error}") from None
    if not 0 <= start.seat < start.seats == len(start.names or range(start.seats)):
        raise PackReadError(f"line 1: seat {start.seat} of {start.seats} seats")
    return start


def of_pack(
    lines: Sequence[bytes], rules: Rules[Any, Action], name: str, setting: Setting
) -> Transcript:
    """Return the transcript of a game in a bot's pack; it may have no questions.

    ``name`` is for a game without an id. Raises PackReadError for lines that are no such game.
    """
    start = read_start(lines[0] if lines else b"")
    spec = rules.spec
    if (start.rules, start.seats, start.options) != (spec.name, spec.seats, spec.options):
        raise PackReadError("line 1: not a game of these rules")
    questions: list[Question] = []
    end: End | None = None
    for number, line in enumerate(lines[1:], 2):
        try:
            match _lines.decode(line):
                case _PackAct(autopilot=True):
                    pass
                case _PackAct() as act:
                    questions.append(_question(act, rules))
                case _Fault(kind=kind) if questions:
                    questions[-1] = questions[-1]._replace(wanted=(kind,))
                case _PackOver() as over:
                    end = _end(over, start.seats)
        except (*_NO_LINE, InvalidActionError, ValueError) as error:
            raise PackReadError(f"line {number}: {error}") from None
    if end is None or not all(question.wanted for question in questions):
        raise PackReadError("the end of the game is missing")
    shown = start.names or tuple(f"seat {seat}" for seat in range(start.seats))
    names = start.names if setting.names_shown else None
    course = SeatMessages(
        rules, start.seat, setting.control, start.bot_seed, names, tuple(questions), end
    )
    return Transcript(start.game or name, course, shown, start.bot_options)


def _question(act: _PackAct, rules: Rules[Any, Action]) -> Question:
    legal = tuple(rules.decode_action(each) for each in act.legal)
    wanted = () if act.action is None else (rules.decode_action(act.action),)
    if not set(wanted) <= set(legal) or not legal:
        raise ValueError("the action is not one of the legal ones")
    used = act.think_us * _MICROSECOND
    return Question(act.ply, act.observation, act.events, legal, wanted, used=used)


def _end(over: _PackOver, seats: int) -> End:
    if len(over.places) != seats:
        raise ValueError(f"{len(over.places)} places for {seats} seats")
    faults = tuple(Fault(fault.seat, fault.kind, 0, "") for fault in over.faults)
    return End(0, over.reason, over.places, over.scores, faults)
