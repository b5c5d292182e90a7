"""Report the events of play to the person at the terminal, and let the person stop it."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from types import FrameType
from typing import Final

from arena.cli.terminal.announce import lines_of_round
from arena.cli.terminal.console import say, warn
from arena.cli.terminal.progress import display, fewer_words
from arena.cli.terminal.signals import handled
from arena.runs.voids import Void
from arena.tournament.events import (
    BotWithdrawn,
    Ended,
    Event,
    GameEnded,
    GameVoided,
    Grown,
    Message,
    Started,
    Stoppable,
    Ticked,
    Tone,
)
from arena.values.clean import cut
from arena.values.results import Evidence, Fault, GameDone, GameResult, GameSpec
from arena.values.titles import called
from arena.views.last_words import crash_summary

_FAULTS_SHOWN: Final = 5
"""Faults shown per bot; further ones are only counted."""
_VOIDS_SHOWN: Final = 10
_SHOWN: Final = 90
"""Columns shown of a bot's output: about one terminal line, as more of a flood adds nothing."""
_STOPPING: Final = "stopping: the games being played are finished; again to stop now"


class Reporter:
    """Listener that prints events; the first interrupt stops play, the second one aborts it."""

    def __init__(self, *, quiet: bool, verbose: bool = False) -> None:
        self._display = display(quiet=quiet)
        self._verbose = verbose
        self._handlers = ExitStack()
        self._stop: Callable[[], None] | None = None
        self._is_stopping = False
        self._said_so = False
        self._showing = False
        self._faults_of: Counter[str] = Counter()
        self._voids = 0
        self._fewer = ""
        self.faulty: str | None = None
        """Id of the first game with a fault."""

    def __call__(self, event: Event) -> None:
        """Print the event."""
        match event:
            case Ticked():
                self._tick(event)
            case GameEnded(done=done):
                self._game(done)
            case GameVoided(void=void):
                self._void(void)
            case BotWithdrawn():
                self._withdrawn(event)
            case Grown(run=run):
                for line in lines_of_round(run):
                    self._display.note(line)
            case Message():
                self._message(event)
            case Started():
                self._start(event)
            case Stoppable(stop=stop):
                self._stop = stop
            case Ended(progress=progress):
                self._handlers.close()
                self._stop = None
                if self._showing:
                    self._showing = False
                    self._display.stop(progress)

    def _start(self, event: Started) -> None:
        progress, judge = event.progress, event.judge
        self._is_stopping = self._said_so = False
        self._faults_of.clear()
        self._voids, self._fewer = 0, ""
        self._handlers.enter_context(handled((signal.SIGINT, signal.SIGTERM), self._asked))
        self._showing = progress.left > 0 and not progress.stopped and not judge.is_over
        if self._showing:
            has_state = judge.standing() is not None
            state = (lambda: judge.standing() or ("", None)) if has_state else None
            self._display.start(progress, state)

    def _asked(self, number: int, frame: FrameType | None) -> None:
        """Finish the running games at the first interrupt, and stop at once at the second."""
        if self._is_stopping or self._stop is None:
            raise KeyboardInterrupt
        self._is_stopping = True
        self._stop()

    def _tick(self, event: Ticked) -> None:
        if self._is_stopping and not self._said_so:
            self._said_so = True
            self._display.note(_STOPPING)
        self._display.tick(event.progress)

    def _message(self, message: Message) -> None:
        match message.tone:
            case Tone.NOTE:
                self._display.note(message.text)
            case Tone.LINE:
                say(message.text)
            case Tone.WARNING:
                warn(message.text)

    def _game(self, done: GameDone) -> None:
        """Report the faults of a finished game; when verbose, also its result."""
        result = done.result
        for fault, evidence in zip(result.faults, done.evidence, strict=True):
            self.faulty = self.faulty or result.spec.game_id
            self._fault(result.spec, fault, evidence)
        if self._verbose:
            self._display.note(f"{result.spec.game_id}  {result.termination}  {_places(result)}")

    def _void(self, void: Void) -> None:
        """Report a game that could not be played for a reason other than a bot's fault."""
        self._voids += 1
        if self._voids <= _VOIDS_SHOWN:
            self._display.note(f"{void.game}: void ({void.cause}): {void.reason}")
        elif self._voids == _VOIDS_SHOWN + 1:
            self._display.note("more games are void; they are counted from here on")

    def _withdrawn(self, event: BotWithdrawn) -> None:
        withdrawal = event.withdrawal
        self._display.note(f"{called(withdrawal.name)}: withdrawn: {withdrawal.reason}")
        fewer = fewer_words(event.progress.figures())
        if fewer != self._fewer:  # several bots may be withdrawn at once
            self._fewer = fewer
            self._display.note(fewer)

    def _fault(self, spec: GameSpec, fault: Fault, evidence: Evidence) -> None:
        name = spec.entrants[fault.seat]
        self._faults_of[name] += 1
        if self._faults_of[name] <= _FAULTS_SHOWN:
            self._display.note(f"{spec.game_id}: {called(name)}: {fault.kind}: {fault.detail}")
            if evidence.line:
                self._display.note(f"    it wrote: {cut(evidence.line, _SHOWN)}")
            if last := crash_summary(evidence.stderr):
                self._display.note(f"    on standard error, last: {cut(last, _SHOWN)}")
        elif self._faults_of[name] == _FAULTS_SHOWN + 1:
            self._display.note(f"{called(name)}: more faults; they are counted from here on")


def _places(result: GameResult) -> str:
    """Return places and scores as ``1. anna 53, 2. berta 45``."""
    seats = sorted(range(len(result.places)), key=lambda seat: (result.places[seat], seat))
    scores = result.scores
    return ", ".join(
        f"{result.places[seat]}. {result.spec.entrants[seat]}"
        + (f" {scores[seat]}" if scores is not None else "")
        for seat in seats
    )
