"""Apply a record again through the rules, and check that its faults are possible.

Chance is recorded; with a ``Luck`` it is drawn again and compared. All consequences of
a fault must have happened.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from arena.games.base import CHANCE, NOBODY, Action, InvalidActionError, Json, Rules
from arena.games.luck import Luck
from arena.games.simultaneous import questions
from arena.referee.records.format import AgreementSoFar, Ply, Record, data_digest
from arena.referee.records.read import RecordError
from arena.values.results import (
    Agreed,
    Ending,
    Evidence,
    Fault,
    FaultKind,
    Outcome,
    Seat,
    ending,
    is_played_on,
    with_partners,
)


class Step(NamedTuple):
    """One ply as the rules saw it."""

    ply: Ply
    seat: int
    """Seat that decided, or CHANCE."""
    before: Any
    action: Action
    after: Any
    legal: Sequence[Action] = ()
    """Actions that the seat could choose from; empty for chance."""


class _Decoder:
    """A decoder for the actions of some rules, with a cache because games repeat actions."""

    _SHORT: Final = 100
    """Largest size of a cached action in bytes; longer ones describe decks and occur once."""
    _MOST: Final = 50_000
    """Largest number of cached actions."""

    def __init__(self, rules: Rules[Any, Action]) -> None:
        self.rules = rules
        self._known: dict[bytes, Action] = {}
        self._encode = msgspec.json.Encoder().encode

    def action(self, data: Json) -> Action:
        """Return the decoded action. Raises InvalidActionError."""
        text = self._encode(data)
        action = self._known.get(text)
        if action is None:
            action = self.rules.decode_action(data)
            if len(text) <= self._SHORT and len(self._known) < self._MOST:
                self._known[text] = action
        return action


_decoders: Final[list[_Decoder]] = []
_MOST_DECODERS: Final = 16


def _decoder(rules: Rules[Any, Action]) -> _Decoder:
    """Return the decoder of exactly this object ``rules``, which need not be hashable."""
    for decoder in _decoders:
        if decoder.rules is rules:
            return decoder
    del _decoders[: 1 - _MOST_DECODERS]
    _decoders.append(_Decoder(rules))
    return _decoders[-1]


def check_rules(record: Record, rules: Rules[Any, Action]) -> None:
    """Check that the record was played by exactly these rules. Raises RecordError."""
    header, spec = record.header, rules.spec
    for what, found, expected in (
        ("rules", header.rules, spec.name),
        ("options", header.options, spec.options),
        ("seats", len(header.spec.entrants), spec.seats),
        ("data_digest", header.data_digest, data_digest(spec)),
    ):
        if found != expected:
            raise RecordError(1, f"{what}: found {found!r}, expected {expected!r}")


def steps(record: Record, rules: Rules[Any, Action], luck: Luck | None = None) -> Iterator[Step]:
    """Yield every ply, applied in turn.

    With ``luck`` each chance action is drawn again and compared. Raises RecordError at a ply that
    the rules or the deal do not allow.
    """
    state = rules.initial_state()
    to_act, legal_actions, apply = rules.to_act, rules.legal_actions, rules.apply
    decode = _decoder(rules).action
    for ply in record.plies:
        seat = to_act(state)
        if seat == NOBODY:
            raise RecordError(ply.ply + 2, "a ply after the end of the game")
        if ply.seat != (None if seat == CHANCE else seat):
            raise RecordError(ply.ply + 2, f"seat is {ply.seat}, expected {_who(seat)}")
        try:
            action = decode(ply.action)
        except InvalidActionError as error:
            raise RecordError(ply.ply + 2, f"no action of these rules: {error}") from None
        legal: Sequence[Action] = ()
        if seat != CHANCE:
            legal = legal_actions(state)
            allowed = action in legal
        elif luck is not None and rules.chance(state, luck) == action:
            allowed = True  # a drawn action is possible
        else:
            allowed = rules.is_chance_possible(state, action)
            if allowed and luck is not None:
                raise RecordError(ply.ply + 2, "chance is not what the seed gives")
        if not allowed:
            raise RecordError(ply.ply + 2, f"{_who(seat)} could not do that: {ply.action}")
        after = apply(state, action)
        yield Step(ply, seat, state, action, after, legal)
        state = after


def verify(record: Record, rules: Rules[Any, Action], luck: Luck | None = None) -> None:
    """Apply the whole record and check it as ``checked_steps`` does. Raises RecordError."""
    for _ in checked_steps(record, rules, luck):
        pass


def checked_steps(
    record: Record, rules: Rules[Any, Action], luck: Luck | None = None
) -> Iterator[Step]:
    """Yield every ply, applied in turn, and check the whole record on the way.

    With ``luck`` each chance action is drawn again and compared. Raises RecordError at the first
    line, including the end, that contradicts the rules, the deal or the fault policy. So the record
    is verified only when all steps are consumed. The policy comes from the header; callers that
    know the tournament's policy must compare the two.
    """
    check_rules(record, rules)
    state = rules.initial_state()
    faults = FaultCheck(record, rules.spec.seats, rules.info.teams)
    adjudicate = record.header.adjudicate
    agreement = AgreementSoFar(adjudicate) if adjudicate else None
    for step in steps(record, rules, luck):
        if agreement is not None:
            _check_agreement(step.ply, agreement)
        faults.ask(step.ply.ply, step.seat)
        faults.check_ply(step.ply, step.action, step.legal)
        state = step.after
        yield step
    faults.ask(len(record.plies), rules.to_act(state))
    faults.finish([each.seat for each in questions(rules, state)])
    agreed = None if agreement is None else agreement.found
    _check_end(record, rules.outcome(state) or agreed, faults)
    at_once = rules.info.seats if hasattr(rules, "simultaneous") else 1
    _check_measured(record, at_once * record.measured.wall_us)


def _check_agreement(ply: Ply, agreement: AgreementSoFar) -> None:
    """Add a ply to the agreement. Raises RecordError if that had ended the game before."""
    if agreement.found is not None:
        raise _refusal(ply, f"a ply after {agreement.found.ruling} had ended the game")
    if ply.seat is not None:
        agreement.add(ply.seat, ply.info)


def _check_measured(record: Record, most: int) -> None:
    """Check that times are possible, and that there is evidence for each fault and nothing else.

    ``most``: longest time that all seats together can have thought, in microseconds.
    """
    measured, line = record.measured, len(record.plies) + 3
    times = zip(record.plies, measured.think_us, strict=True)
    if any(used < 0 or (used and (ply.seat is None or ply.autopilot)) for ply, used in times):
        raise RecordError(line, "a thinking time that is negative, of chance or of the autopilot")
    if sum(measured.think_us) > most:
        raise RecordError(line, "more thinking than the whole game took")
    if [item.seat for item in measured.evidence] != [fault.seat for fault in record.end.faults]:
        raise RecordError(line, "evidence that does not belong to the faults")
    if not all(map(_can_be_measured, measured.evidence)):
        raise RecordError(line, "evidence with a time that cannot be")


def _can_be_measured(evidence: Evidence) -> bool:
    """Return whether no time is negative and no more was excused than was waited."""
    times = (evidence.waited_us, evidence.cpu_us or 0, evidence.lag_us, evidence.excused_us)
    return min(times) >= 0 and evidence.excused_us <= evidence.waited_us


def _check_end(record: Record, outcome: Outcome | Agreed | None, faults: FaultCheck) -> None:
    end, line = record.end, len(record.plies) + 2
    if not faults.is_played_on():
        outcome = None
    elif outcome is None:
        raise RecordError(line, "the game is not over and no fault ended it")
    expected = ending(outcome, faults.losing, len(record.header.spec.entrants))
    found = Ending(end.termination, end.places, end.scores, end.ruling)
    if found != expected:
        raise RecordError(line, f"found {_in_words(found)}, expected {_in_words(expected)}")


def _who(seat: int) -> str:
    return "chance" if seat == CHANCE else f"seat {seat}"


def _in_words(end: Ending) -> str:
    by = f" by {end.ruling}" if end.ruling else ""
    return f"{end.termination}{by}, places {end.places}, scores {end.scores}"


class FaultCheck:
    """A check of the faults of one record, which follows its plies as they are applied again.

    A seat can commit one fault: by not being ready before the first ply, or when it is asked.
    """

    def __init__(self, record: Record, seats: int, teams: int = 0) -> None:
        """Take the faults at start-up. Raises RecordError at an impossible fault.

        ``teams``: number of teams, as in ``RulesInfo``.
        """
        self._seats = seats
        self._teams = teams
        self._on_fault = record.header.on_fault
        self._plies = len(record.plies)
        self._end_line = self._plies + 2
        self._left = deque(record.end.faults)
        self.faulty: set[Seat] = set()
        while self._left and self._left[0].kind is FaultKind.STARTUP:
            fault = self._left.popleft()
            in_order = all(seat < fault.seat for seat in self.faulty)
            self._take(fault, possible=fault.ply == 0 and in_order)

    def is_played_on(self) -> bool:
        """Return whether the game continues after the faults taken so far."""
        return is_played_on(self._on_fault, self.losing, self._seats)

    @property
    def losing(self) -> Collection[Seat]:
        """The faulty seats and their partners."""
        return with_partners(self.faulty, self._seats, self._teams)

    def ask(self, plies: int, seat: Seat) -> None:
        """Take the fault that ``seat`` commits now, if any; it is to act after ``plies`` plies.

        Raises RecordError at an impossible fault.
        """
        if self._left and self._left[0].ply == plies:
            fault = self._left.popleft()
            asked = self.is_played_on() and fault.seat == seat and seat not in self.faulty
            self._take(fault, possible=asked and fault.kind is not FaultKind.STARTUP)

    def check_ply(self, ply: Ply, action: Action, legal: Sequence[Action]) -> None:
        """Check a ply after ``ask``; ``legal``: the actions it was chosen from.

        Raises RecordError unless exactly the seats at fault are played by the autopilot.
        """
        if not self.faulty and not ply.autopilot and (ply.info is None or ply.seat is not None):
            return  # the usual case
        if not self.is_played_on():
            raise _refusal(ply, "a ply after a fault had ended the game")
        if ply.autopilot and ply.seat not in self.faulty:
            raise _refusal(ply, "the autopilot's, but its seat is not at fault")
        if ply.seat in self.faulty and not ply.autopilot:
            raise _refusal(ply, f"seat {ply.seat} is at fault, but this is not the autopilot's")
        if ply.autopilot and action != legal[0]:
            raise _refusal(ply, "the autopilot's, but not the first legal action")
        if ply.info is not None and (ply.autopilot or ply.seat is None):
            raise _refusal(ply, "info that no bot gave")

    def finish(self, asked: Sequence[Seat] = ()) -> None:
        """Check after the last ``ask`` that all faults occurred. Raises RecordError.

        ``asked``: the seats that were asked at once in the last state. If a fault ended the game
        there, others of them may have committed one, too.
        """
        others = iter(asked[1:])
        for fault in [*self._left]:
            is_due = fault.ply == self._plies and fault.kind is not FaultKind.STARTUP
            is_asked = fault.seat not in self.faulty and fault.seat in others
            self._take(fault, possible=is_due and is_asked and not self.is_played_on())

    def _take(self, fault: Fault, *, possible: bool) -> None:
        if not possible or fault.seat not in range(self._seats):
            raise self._impossible(fault)
        self.faulty.add(fault.seat)

    def _impossible(self, fault: Fault) -> RecordError:
        what = f"a {fault.kind} fault at ply {fault.ply} of seat {fault.seat} cannot be"
        return RecordError(self._end_line, what)


def _refusal(ply: Ply, what: str) -> RecordError:
    return RecordError(ply.ply + 2, what)
