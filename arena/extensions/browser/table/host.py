"""The game of a person: the referee in its own thread, the person in the main thread."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from arena.extensions.browser.table.tournament import PersonTable
from arena.referee.protocol import ALL_PARTS
from arena.referee.session import PersonChannel, PersonLeft, person_session
from arena.runs.config.tournament import Tournament
from arena.runs.store import Store
from arena.runs.voids import Void
from arena.tournament.run import Run
from arena.values.results import GameDone, GameSpec, GameVoid

_LOOK_SECONDS: Final = 0.2
_LEAVING_SECONDS: Final = 120.0
"""Most seconds that the referee may take to end after its bots are killed; it takes far less."""


class Heard(NamedTuple):
    """A message to the person, as a bot would get it."""

    message: dict[str, Any]


class Failed(NamedTuple):
    """A fault that the bot of an entrant has committed."""

    entrant: str


class GamesEnd(NamedTuple):
    """The end of the games: the stored reports, or the error that prevented a game."""

    reports: tuple[GameDone | GameVoid, ...] = ()
    error: BaseException | None = None


Item: TypeAlias = Heard | Failed | GamesEnd


class Host:
    """Host of games whose first one the person plays, as a context manager.

    On exit all bots have ended. All methods are for one thread, that of the person.
    """

    def __init__(
        self,
        tournament: Tournament,
        run: Run,
        store: Store,
        games: Sequence[GameSpec],
    ) -> None:
        """Prepare the games."""
        self._items: queue.SimpleQueue[Item] = queue.SimpleQueue()
        """Queue of what happens, in order; the last item is a GamesEnd."""
        self._tournament = tournament
        self._run = run
        self._store = store
        self._games = tuple(games)
        self._answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._question = ""
        self._table: PersonTable | None = None
        self._lock = threading.Lock()
        self._has_left = False
        self._is_stored = False
        self._thread = threading.Thread(target=self._play, daemon=True)

    def __enter__(self) -> Host:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()
        self._thread.join(_LEAVING_SECONDS)

    def next(self) -> Item:
        """Wait for the next item and return it; a signal of the person's thread ends the wait."""
        while True:  # a signal that comes just before a wait does not end that wait
            with contextlib.suppress(queue.Empty):
                return self._items.get(timeout=_LOOK_SECONDS)

    def answer(self, choice: int) -> None:
        """Answer the last question with the index of a legal action."""
        answer = {"type": "action", "id": self._question, "action": choice}
        self._answers.put(msgspec.json.encode(answer))

    def leave(self) -> bool:
        """End the games now.

        Returns True if the game was not stored yet, and so is not counted.
        """
        with self._lock:
            if self._is_stored:
                return False
            self._has_left = True
            table = self._table
        self._answers.put(None)
        if table is not None:
            table.abandon()
        return True

    def _play(self) -> None:
        """Run the referee's thread; its bots end with the thread."""
        reports: list[GameDone | GameVoid] = []
        error: BaseException | None = None
        try:
            session = person_session(PersonChannel(self._hear, self._answers.get), ALL_PARTS)
            with PersonTable(self._tournament, self._run, session, self._tell_failure) as table:
                self._sit_down(table)
                for spec in self._games:
                    report = table.play(spec)
                    self._keep(report, spec)
                    reports.append(report)
        except PersonLeft:
            pass
        except BaseException as problem:  # the boundary: reported in the person's thread
            error = problem
        self._items.put(GamesEnd(tuple(reports), error))

    def _sit_down(self, table: PersonTable) -> None:
        """Make ``leave`` abandon ``table`` from now on. Raises PersonLeft after ``leave``."""
        with self._lock:
            self._table = table
            if self._has_left:
                raise PersonLeft

    def _keep(self, report: GameDone | GameVoid, spec: GameSpec) -> None:
        """Store a report, unless the person left before the game was stored. Raises PersonLeft."""
        with self._lock:
            if self._has_left and not self._is_stored:
                raise PersonLeft
            if isinstance(report, GameDone):
                self._store.add(report)
                self._store.flush()
            else:
                self._store.add_void(Void.of(report, spec.entrants))
            self._is_stored = True

    def _hear(self, line: bytes) -> None:
        message = msgspec.json.decode(line)
        if message["type"] == "act":
            self._question = message["id"]
        self._items.put(Heard(message))

    def _tell_failure(self, entrant: str) -> None:
        self._items.put(Failed(entrant))
