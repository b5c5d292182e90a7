"""Apply a record again through the rules. Needs no random numbers, because chance is recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from arena.games.base import CHANCE, NOBODY, Action, InvalidActionError, Json, Rules
from arena.games.luck import Luck
from arena.records.faults import FaultCheck
from arena.records.format import Ply, Record, data_digest
from arena.records.read import RecordError
from arena.results import Ending, Evidence, Outcome, ending


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
            raise RecordError(ply.ply + 2, "a ply after the game was over")
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
    faults = FaultCheck(record, rules.spec.seats)
    for step in steps(record, rules, luck):
        faults.ask(step.ply.ply, step.seat)
        faults.check_ply(step.ply, step.action, step.legal)
        state = step.after
        yield step
    faults.ask(len(record.plies), rules.to_act(state))
    faults.finish()
    _check_end(record, rules.outcome(state), faults)
    _check_measured(record)


def _check_measured(record: Record) -> None:
    """Check that times are possible, and that there is evidence for each fault and nothing else."""
    measured, line = record.measured, len(record.plies) + 3
    times = zip(record.plies, measured.think_us, strict=True)
    if any(used < 0 or (used and (ply.seat is None or ply.autopilot)) for ply, used in times):
        raise RecordError(line, "a thinking time that is negative, of chance or of the autopilot")
    if sum(measured.think_us) > measured.wall_us:
        raise RecordError(line, "more thinking than the whole game took")
    if [item.seat for item in measured.evidence] != [fault.seat for fault in record.end.faults]:
        raise RecordError(line, "evidence that does not belong to the faults")
    if not all(map(_can_be_measured, measured.evidence)):
        raise RecordError(line, "evidence with a time that cannot be")


def _can_be_measured(evidence: Evidence) -> bool:
    """Return whether no time is negative and no more was excused than was waited."""
    times = (evidence.waited_us, evidence.cpu_us or 0, evidence.lag_us, evidence.excused_us)
    return min(times) >= 0 and evidence.excused_us <= evidence.waited_us


def _check_end(record: Record, outcome: Outcome | None, faults: FaultCheck) -> None:
    end, line = record.end, len(record.plies) + 2
    if not faults.is_played_on():
        outcome = None
    elif outcome is None:
        raise RecordError(line, "the game is not over and no fault ended it")
    expected = ending(outcome, faults.faulty, len(record.header.spec.entrants))
    found = Ending(end.termination, end.places, end.scores, end.ruling)
    if found != expected:
        raise RecordError(line, f"found {_in_words(found)}, expected {_in_words(expected)}")


def _who(seat: int) -> str:
    return "chance" if seat == CHANCE else f"seat {seat}"


def _in_words(end: Ending) -> str:
    by = f" by {end.ruling}" if end.ruling else ""
    return f"{end.termination}{by}, places {end.places}, scores {end.scores}"
