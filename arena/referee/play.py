"""The referee of one game: asks, judges, applies, informs; returns the result and the record.

A bot's offence is a value and costs that bot the game. It ends the game, or the autopilot takes
over for the bot: see ``is_played_on``. An exception that leaves this module is a failure of arena,
for which the caller voids the game.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import chain
from math import log2
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET

from arena.games.base import CHANCE, NOBODY, Action, Rules, action_texts, wrong_outcome
from arena.games.luck import Luck
from arena.games.simultaneous import JointQuestion, questions
from arena.referee.ask import Answer, Asker, Heartbeat, over_line, start_line
from arena.referee.deadline import GameClock
from arena.referee.joint import Found, together
from arena.referee.records.format import (
    FORMAT,
    AgreementSoFar,
    End,
    Header,
    Measured,
    Ply,
    Record,
    data_digest,
    moves_digest,
    pack,
)
from arena.referee.records.perspective import Events, plain
from arena.referee.session import BotSession, Offence, RulesBroken
from arena.values.results import (
    STEPS,
    Adjudicate,
    Agreed,
    Evidence,
    Fault,
    FaultKind,
    GameDone,
    GameResult,
    GameSpec,
    OnFault,
    Outcome,
    Seat,
    SeatUsage,
    TimeControl,
    ending,
    is_played_on,
    with_partners,
)

_MICROSECOND: Final = 1000
_STDERR_SHOWN: Final = 2000
"""Length of the standard error that a record keeps as evidence of a fault, in characters."""
_BEFORE: Final = "[before this game]"
_MEANWHILE: Final = "[in this game]"


class GameConditions(NamedTuple):
    """The conditions of a game: what its seats are sent at the start, and how it may end."""

    control: TimeControl
    opaque_id: str
    """Identifier of the game that reveals nothing about it."""
    bot_seeds: tuple[int, ...]
    bot_options: tuple[dict[str, Any], ...]
    names: tuple[str, ...] | None
    """Player names by seat, or None if hidden."""
    on_fault: OnFault = OnFault.AUTOPILOT
    adjudicate: Adjudicate | None = None


def play_game(
    rules: Rules[Any, Action],
    players: Sequence[BotSession | Offence],
    spec: GameSpec,
    luck: Luck,
    terms: GameConditions,
    now: Callable[[], int] = time.monotonic_ns,
    after_fault: Callable[[], object] = lambda: None,
    pulse: Heartbeat | None = None,
) -> GameDone:
    """Play one game to its end.

    ``players`` holds, by seat, a session or the reason for its absence. ``now`` returns nanoseconds
    on the clock by which the channels keep their deadlines. The channel of a seat that commits a
    fault is closed at once; then ``after_fault`` may remove what its bot has left behind. ``pulse``
    records each question. Raises MachineTooBusy if the machine keeps a bot from having its time.
    """
    return _Game(rules, players, spec, luck, terms, now, after_fault, pulse or Heartbeat()).play()


class _Game:
    def __init__(
        self,
        rules: Rules[Any, Action],
        players: Sequence[BotSession | Offence],
        spec: GameSpec,
        luck: Luck,
        terms: GameConditions,
        now: Callable[[], int],
        after_fault: Callable[[], object],
        pulse: Heartbeat,
    ) -> None:
        self._rules = rules
        self._spec = spec
        self._luck = luck
        self._terms = terms
        self._now = now
        self._after_fault = after_fault
        self._pulse = pulse
        self._absent = {s: p for s, p in enumerate(players) if isinstance(p, Offence)}
        self._sessions = {s: p for s, p in enumerate(players) if isinstance(p, BotSession)}
        clock = GameClock(terms.control, len(players))
        self._askers = {s: Asker(p, rules, s, clock, now, pulse) for s, p in self._sessions.items()}
        self._channels = {seat: session.channel for seat, session in self._sessions.items()}
        for channel in self._channels.values():
            channel.ply = None
        self._before = {seat: channel.stderr() for seat, channel in self._channels.items()}
        self._seats = len(players)
        listeners = (s for s, p in self._sessions.items() if "events" in p.wants)
        self._events = Events(rules, listeners)
        self._plies: list[Ply] = []
        self._think: list[int] = []
        self._answer_times: list[list[int]] = [[] for _ in players]
        """Think times of the answers by seat, in microseconds."""
        self._faulty: set[Seat] = set()
        self._faults: list[Fault] = []
        self._evidence: list[Evidence] = []
        self._decided: dict[Seat, tuple[JointQuestion, Answer | Offence]] = {}
        """Answers of seats that decide at once, not applied yet."""

    def play(self) -> GameDone:
        began = self._now()
        offences = dict(self._absent)
        self._faulty.update(offences)
        if is_begun := self._is_played_on():
            offences |= self._start()
        for seat, offence in sorted(offences.items()):
            self._blame(seat, offence)
        outcome = self._turns() if self._is_played_on() else None
        for question, answer in self._decided.values():  # of a decision that another fault ended
            if isinstance(answer, Offence):
                self._ask(*question, answer)
        end = self._end(outcome if self._is_played_on() else None)
        if is_begun:
            self._tell_over(end)
        return self._close(end, self._now() - began)

    def _start(self) -> dict[Seat, Offence]:
        """Let the game begin for every bot; return the offences of those that were not ready.

        Bots that prepare come first, so that the others gain no time by that.
        """
        rules, terms = self._rules.spec, self._terms
        offences = {}
        for seat, session in sorted(self._sessions.items(), key=lambda each: not each[1].prepares):
            seed, options = terms.bot_seeds[seat], terms.bot_options[seat]
            line = start_line(
                rules, seat, terms.control, terms.opaque_id, seed, options, terms.names
            )
            self._pulse.now()
            offence = session.begin(line, terms.control)
            if offence is not None:
                self._after_fault()
                offences[seat] = offence
        return offences

    def _turns(self) -> Outcome | Agreed | None:
        """Play until nobody is to act or the bots agree; return None if a fault ends the game."""
        rules, plies, think, faulty = self._rules, self._plies, self._think, self._faulty
        to_act, apply, legal_actions = rules.to_act, rules.apply, rules.legal_actions
        saw = self._events.add
        ask = self._ask_at_once if getattr(rules, "simultaneous", None) else self._ask
        bound = rules.info.max_plies
        adjudicate = self._terms.adjudicate
        agreement = AgreementSoFar(adjudicate) if adjudicate else None
        state = rules.initial_state()
        while (seat := to_act(state)) != NOBODY:
            if agreement is not None and agreement.found is not None:
                return agreement.found
            number = len(plies)
            if number >= bound:
                raise RulesBroken(f"more than {bound} plies")
            if seat == CHANCE:
                action = rules.chance(state, self._luck)
                plies.append(Ply(number, action))
                think.append(0)
            elif not (legal := legal_actions(state)):
                raise RulesBroken(f"seat {seat} is to act and has no legal action")
            elif seat in faulty:
                action = legal[0]
                plies.append(Ply(number, action, seat, autopilot=True))
                think.append(0)
            elif (answer := ask(seat, state, legal)) is not None:
                action, info = answer
                plies.append(Ply(number, action, seat, info))
                if agreement is not None:
                    agreement.add(seat, info)
            elif self._is_played_on():
                continue  # with the same state, in which the autopilot now decides
            else:
                return None
            after = apply(state, action)
            saw(state, action, after)
            state = after
        return self._outcome(state)

    def _outcome(self, state: Any) -> Outcome:
        outcome = self._rules.outcome(state)
        if outcome is None:
            raise RulesBroken("nobody is to act and there is no outcome")
        if wrong := wrong_outcome(outcome, self._seats):
            raise RulesBroken(f"outcome: found {outcome!r}, expected {wrong}")
        return outcome

    def _ask(
        self, seat: Seat, state: Any, legal: Sequence[Action], was: Answer | Offence | None = None
    ) -> Answer | None:
        """Ask for one decision, unless the answer ``was`` given; return None for a fault."""
        answer = self._put(Asker.ask, seat, state, legal) if was is None else was
        if isinstance(answer, Offence):
            self._after_fault()
            if answer.kind is FaultKind.ILLEGAL:
                answer = answer._replace(detail=answer.detail + self._phase(state, seat))
            self._blame(seat, answer)
            return None
        used = self._askers[seat].used // _MICROSECOND
        self._think.append(used)
        self._answer_times[seat].append(used)
        return answer

    def _put(
        self, how: Callable[..., Found], seat: Seat, state: Any, legal: Sequence[Action]
    ) -> Found:
        """Put a question by the method ``how`` of the asker of ``seat``."""
        if (asker := self._askers.get(seat)) is None:
            raise RulesBroken(f"to_act returned {seat!r} at a table of {self._seats} seats")
        seen = self._events.of[seat]
        observation = self._rules.observe(state, seat) if asker.wants_observation else None
        texts = action_texts(self._rules, state, legal) if asker.wants_texts else UNSET
        self._channels[seat].ply = len(self._plies)
        found = how(asker, observation, seen, legal, texts)
        seen.clear()
        return found

    def _ask_at_once(self, seat: Seat, state: Any, legal: Sequence[Action]) -> Answer | None:
        """Do as ``_ask``, with all who decide now: the others have answered when they act."""
        if not self._decided:
            asked = [
                each for each in questions(self._rules, state) if each.seat not in self._faulty
            ]
            steps = {
                each.seat: self._put(Asker.asking, *each)
                for each in asked
                if asked[1:] and getattr(self._channels[each.seat], "is_joint", False)
            }
            known = together(steps)
            self._pulse.answered()
            self._decided = {
                each.seat: (each, known.get(each.seat) or self._put(Asker.ask, *each))
                for each in asked
            }
        question, answer = self._decided.pop(seat, (None, None))
        if question is None or [*question.legal] != [*legal]:
            raise RulesBroken(f"seat {seat} was asked before with other legal actions")
        return self._ask(*question, answer)

    def _phase(self, state: Any, seat: Seat) -> str:
        """Return the phase of the game in which a seat was asked, as the end of a sentence."""
        seen = plain(self._rules.observe(state, seat))
        return f" (phase {seen['phase']})" if isinstance(seen, dict) and "phase" in seen else ""

    def _is_played_on(self) -> bool:
        return is_played_on(self._terms.on_fault, self._losing, self._seats)

    @property
    def _losing(self) -> Collection[Seat]:
        """The faulty seats and their partners."""
        return with_partners(self._faulty, self._seats, self._rules.info.teams)

    def _blame(self, seat: Seat, offence: Offence) -> None:
        self._faulty.add(seat)
        self._faults.append(Fault(seat, offence.kind, len(self._plies), offence.detail))
        scheduler_delay = offence.scheduler_delay
        self._evidence.append(
            Evidence(
                seat,
                exit_status=offence.exit_status,
                waited_us=offence.waited // _MICROSECOND,
                cpu_us=None if scheduler_delay.cpu is None else scheduler_delay.cpu // _MICROSECOND,
                lag_us=scheduler_delay.lag // _MICROSECOND,
                excused_us=scheduler_delay.excused // _MICROSECOND,
                line=offence.line,
            )
        )

    def _end(self, outcome: Outcome | Agreed | None) -> End:
        end = ending(outcome, self._losing, self._seats)
        faults = tuple(self._faults)
        return End(len(self._plies), end.termination, end.places, end.scores, faults, end.ruling)

    def _tell_over(self, end: End) -> None:
        message = over_line(end)
        for seat, session in self._sessions.items():
            if seat not in self._faulty:
                session.channel.tell(message)

    def _close(self, end: End, wall: int) -> GameDone:
        seats = range(self._seats)
        stderr = tuple(self._stderr(seat) for seat in seats)
        evidence = tuple(
            msgspec.structs.replace(item, stderr=stderr[item.seat][-_STDERR_SHOWN:])
            for item in self._evidence
        )
        rules, spec, terms = self._rules.spec, self._spec, self._terms
        header = Header(
            FORMAT,
            spec,
            rules.name,
            rules.options,
            data_digest(rules),
            terms.bot_seeds,
            terms.on_fault,
            terms.adjudicate or UNSET,
        )
        measured = Measured(tuple(self._think), wall // _MICROSECOND, evidence)
        record = Record(header, tuple(self._plies), end, measured)
        packed, digest = pack(record)
        result = GameResult(
            spec,
            end.termination,
            end.places,
            end.plies,
            digest,
            end.scores,
            end.faults,
            tuple(map(sum, self._answer_times)),
            wall // _MICROSECOND,
            end.ruling,
            moves_digest(self._plies, end),
        )
        return GameDone(result, packed, stderr, evidence, spent=self._spent())

    def _spent(self) -> tuple[SeatUsage, ...]:
        """Return the think times by seat."""
        spent = []
        for own in self._answer_times:
            steps = Counter([int(STEPS * log2(used)) if used else 0 for used in own])
            times = tuple(chain.from_iterable(sorted(steps.items())))
            spent.append(SeatUsage(times, max(own, default=0)))
        return tuple(spent)

    def _stderr(self, seat: Seat) -> str:
        """Return the bot's standard error, with the part from before this game marked."""
        if seat not in self._sessions:
            return self._absent[seat].stderr
        text, before = self._channels[seat].stderr(), self._before[seat]
        if not before:
            return text
        return f"{_BEFORE}\n{before.rstrip()}\n{_MEANWHILE}\n{text}"
