"""Try a bot: one game of it, or the questions of a finished game, with a listener.

Its opponents are other bots, or a player without a program that takes any legal action. This
player acts alike whenever the same game is played.
"""

from __future__ import annotations

import contextlib
import random
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import msgspec

from arena.extensions.authors.bots import BuildableBot, Processes, Setting
from arena.extensions.authors.check.diagnosis import of_fault, of_start
from arena.extensions.authors.check.finding import own_advice
from arena.extensions.authors.trial.listening import (
    ComparedAnswer,
    DecisionDue,
    Listener,
    ListeningProcesses,
    MeteredChannel,
    Stopwatch,
    first_question,
    until_failed,
)
from arena.extensions.authors.trial.transcript import Answer, Question, Transcript, ask_again
from arena.games.base import Action, Rules
from arena.games.registry import make_rules
from arena.referee.play import GameConditions, play_game
from arena.referee.records.perspective import Events, plain
from arena.referee.session import BotSession, MachineTooBusy, Offence, PersonChannel, person_session
from arena.schedule.seeds import Seeds
from arena.tournament.executor import PoolError
from arena.tournament.processes import ProcessKey, is_exhaustion
from arena.values.results import FaultKind, GameDone, GameSpec, RulesSpec, Seat, TimeControl

BUILT_IN: Final = "any-legal"
"""Name of the opponent where no bot was named."""
_SEED: Final = "try"
"""Seed of all chance; the number of a deal does the rest."""
_OPAQUE_BYTES: Final = 8
_A_DAY: Final = 86_400.0


class TrialGame(NamedTuple):
    """The game to be played."""

    rules: RulesSpec
    deal: int
    seat: Seat
    """Seat of the bot."""
    others: tuple[BuildableBot, ...] = ()
    """Opponents by seat; the last one takes the remaining seats. Empty: BUILT_IN."""
    options: Mapping[str, Any] = {}
    """Options set for the bot; the others have their defaults."""


def without_clock(setting: Setting) -> Setting:
    """Return ``setting`` without time limits, so that a bot may be stopped in a debugger.

    The bot has a day to start, because no message can say that there is no limit.
    """
    limits = msgspec.structs.replace(setting.limits, cpu=None)
    return setting._replace(control=TimeControl(None, startup=_A_DAY), limits=limits)


def seated(plan: TrialGame, candidate: BuildableBot) -> tuple[str, ...]:
    """Return the names of the players by seat."""
    others = plan.others
    names = [each.name for each in others] or [BUILT_IN]
    free = plan.rules.seats - 1
    against = [*names, *[names[-1]] * (free - len(names))][:free]
    return (*against[: plan.seat], candidate.name, *against[plan.seat :])


def try_game(
    candidate: BuildableBot, plan: TrialGame, setting: Setting, listener: Listener
) -> GameDone:
    """Play the game of ``plan`` and report it to ``listener``.

    Raises ConfigError, IsolationError, PoolError.
    """
    listener, watch = until_failed(listener), Stopwatch()
    rules, names = make_rules(plan.rules), seated(plan, candidate)
    discipline = f"{plan.rules.name}-{plan.rules.seats}"
    game = f"{discipline}/{_SEED}:{plan.deal}"  # names no player: it decides all chance
    spec = GameSpec(game, game, f"{discipline}:{plan.deal}", 0, names)
    chance = Seeds.of(_SEED).chance([spec])
    seeds = chance.bots[game]
    opened = ListenedBot(candidate, setting, plan.rules, listener, plan.others, watch=watch)
    with opened as processes, playable():
        by_name = {each.name: each for each in (candidate, *plan.others)}
        players: list[BotSession | Offence] = []
        for seat, name in enumerate(names):
            if name in by_name:
                players.append(processes.session(names[:seat].count(name), name))
            else:
                players.append(player(random.Random(seeds[seat]).randrange))
        options = tuple(
            by_name[n].options(plan.options if n == candidate.name else {}) if n in by_name else {}
            for n in names
        )
        opaque_id = secrets.token_hex(_OPAQUE_BYTES)
        terms = GameConditions(setting.control, opaque_id, seeds, options, names)
        watched: Any = _WatchedRules(rules, plan.seat, listener)
        played = play_game(
            watched, players, spec, chance.luck(), terms, now=watch.now, after_fault=processes.sweep
        )
        for fault in played.result.faults:
            if fault.seat == plan.seat:
                processes.diagnose(fault.kind, fault.detail)
        return played


def try_again(
    candidate: BuildableBot, transcript: Transcript, setting: Setting, listener: Listener
) -> Offence | None:
    """Ask a seat's questions again and compare the answers; return the bot's fault, if any.

    Raises as ``try_game``.
    """
    listener, rules = until_failed(listener), transcript.rules.spec
    with ListenedBot(candidate, setting, rules, listener) as processes, playable():
        session = processes.session(0)
        if isinstance(session, Offence):
            processes.diagnose(session.kind, session.detail, session.stderr)
            return session
        told = candidate.options(transcript.options)
        answers = ask_again(
            session, transcript, told, partial(_compare, listener), partial(_ask, listener)
        )
        last = answers[-1] if answers else None
        if not isinstance(last, Offence):
            return None
        processes.diagnose(last.kind, last.detail)
        return last


class _WatchedRules:
    """Rules that report what a seat sees before it decides; otherwise the plain rules.

    Seats that decide at once are asked one after the other.
    """

    simultaneous = None
    """See ``arena.games.simultaneous``."""

    def __init__(self, rules: Rules[Any, Action], seat: Seat, listener: Listener) -> None:
        self._rules = rules
        self._seat = seat
        self._listener = listener
        self._events = Events(rules, (seat,))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rules, name)

    def apply(self, state: Any, action: Action) -> Any:
        """See Rules."""
        after = self._rules.apply(state, action)
        self._events.add(state, action, after)
        return after

    def legal_actions(self, state: Any) -> Sequence[Action]:
        """See Rules."""
        legal, seat = self._rules.legal_actions(state), self._seat
        if self._rules.to_act(state) == seat:
            seen = self._events.of[seat]
            observation = self._rules.observe(state, seat)
            self._listener(DecisionDue(plain(observation), plain(seen), plain(legal)))
            seen.clear()
        return legal


def _ask(listener: Listener, question: Question) -> None:
    listener(
        DecisionDue(plain(question.observation), plain(question.events), plain(question.legal))
    )


def _compare(listener: Listener, question: Question, answer: Answer) -> None:
    listener(ComparedAnswer(question.recorded, answer, question.is_met_by(answer)))


class ListenedBot(Processes):
    """Processes of a bot and its opponents; the first process of the bot reports to a listener."""

    def __init__(
        self,
        candidate: BuildableBot,
        setting: Setting,
        rules: RulesSpec,
        listener: Listener,
        others: Sequence[BuildableBot] = (),
        hello: bytes | None = None,
        watch: Stopwatch | None = None,
    ) -> None:
        """Prepare the processes, see Processes.

        ``hello``: line to send first; None: the usual hello. ``watch``: clock that stops while
        ``listener`` runs.
        """
        self._candidate = candidate
        self._setting = setting
        self._listener = listener
        self._channel: MeteredChannel | None = None
        start = partial(
            ListeningProcesses,
            key=ProcessKey(candidate.name, 0),
            listener=listener,
            watch=watch or Stopwatch(),
            question=lambda: first_question(rules, setting.control, candidate.options({})),
            hello=hello,
            opened=self._keep,
        )
        super().__init__(candidate, setting, others, start)

    def _keep(self, channel: MeteredChannel) -> None:
        self._channel = channel

    def diagnose(self, kind: FaultKind, detail: str, stderr: str = "") -> None:
        """Report the cause of the bot's fault to the listener, with the advice that fits."""
        talk = self._channel
        if talk is not None:
            talk.end()
        if kind is FaultKind.STARTUP or talk is None:
            found = of_start(detail, talk, self._setting, stderr)
        else:
            found = of_fault(kind, detail, talk, self._setting)
        bot = self._candidate.bot
        mend = own_advice(found.name, "" if bot is None else str(bot.folder)).mend
        self._listener(found._replace(mend=found.mend or mend))


@contextlib.contextmanager
def playable() -> Iterator[None]:
    """Turn errors of the machine, which are no bot's fault, into PoolError."""
    try:
        yield
    except MachineTooBusy as error:
        raise PoolError(f"the game cannot be played: {error}") from None
    except OSError as error:
        if not is_exhaustion(error):
            raise
        raise PoolError(f"the machine is exhausted: {error}") from None


class _PlayerAct(msgspec.Struct):
    """Parts of a question that a player without a program reads."""

    id: str
    legal: list[msgspec.Raw]


def player(choose: Callable[[int], int]) -> BotSession:
    """Return a player without a program, which is asked like a person.

    ``choose``: returns the index of the action from the number of legal actions.
    """
    questions: list[bytes] = []

    def hears(line: bytes) -> None:
        questions[:] = [line]

    def answers() -> bytes:
        act = msgspec.json.decode(questions[0], type=_PlayerAct)
        action = choose(len(act.legal))
        return msgspec.json.encode({"type": "action", "id": act.id, "action": action})

    return person_session(PersonChannel(hears, answers))
