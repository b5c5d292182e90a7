"""Events that a session of play and a study report, and the judge that ends play."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from enum import Enum
from typing import Any, NamedTuple, TypeAlias

from arena.runs.voids import Void
from arena.runs.withdrawals import Withdrawal
from arena.tournament.progress import Progress
from arena.tournament.run import Run
from arena.values.results import GameDone, GameResult


class Judge:
    """A rule that decides when enough games were played; this one needs all games."""

    def begin(self, progress: Progress) -> None:
        """Begin with the ``progress`` of earlier sessions, before the first game."""

    def add(self, number: int, result: GameResult) -> None:
        """Add a finished game, of this session or an earlier one, in any order."""

    @property
    def is_over(self) -> bool:
        """True if no further game is needed; read several times a second."""
        return False

    @property
    def terms(self) -> Mapping[str, Any]:
        """Criteria of the judge as plain JSON, for observers of the run."""
        return {}

    @property
    def out(self) -> Set[str]:
        """Names of the entrants that need no more games; read before each block."""
        return frozenset()

    def has_room(self, owed: int) -> bool:
        """Return whether one more block may be given out; asked before each block.

        ``owed``: number of unfinished games that were given out.
        """
        return True

    def goes_on(self, run: Run, progress: Progress) -> bool:
        """Return whether the next round is drawn; asked when a round has ended."""
        return True

    def standing(self) -> tuple[str, int | None] | None:
        """Return the state of a contest as one line, and how many games are left, if known.

        None if the share of games played says how far it is.
        """
        return None


class RoundLimit(Judge):
    """A judge that ends play after ``rounds`` rounds; a resumed round counts."""

    def __init__(self, rounds: int) -> None:
        """Set the number of rounds to play; ``rounds`` is at least 1."""
        self._left = rounds

    def begin(self, progress: Progress) -> None:
        """Leave the last round out of the count if all of its games were played before."""
        if progress.is_finished:
            self._left += 1

    def goes_on(self, run: Run, progress: Progress) -> bool:
        """See Judge."""
        self._left -= 1
        return self._left > 0


class Tone(Enum):
    """Importance of a message."""

    NOTE = "note"
    """Not shown to users who want the result alone."""
    LINE = "line"
    WARNING = "warning"


class Message(NamedTuple):
    """A line for people."""

    text: str
    tone: Tone = Tone.NOTE


class Started(NamedTuple):
    """The stored games have been counted; play begins if games are left."""

    progress: Progress
    workers: int
    judge: Judge


class Stoppable(NamedTuple):
    """The first game begins; from now on play can be stopped."""

    stop: Callable[[], None]
    """Function for signal handlers: lets the running games finish and begins no more."""


class GameEnded(NamedTuple):
    """A game was played and counts."""

    progress: Progress
    done: GameDone


class GameVoided(NamedTuple):
    """A game could not be played for a reason other than a bot's fault."""

    progress: Progress
    void: Void


class BotWithdrawn(NamedTuple):
    """A bot was withdrawn in this session."""

    progress: Progress
    withdrawal: Withdrawal


class Ticked(NamedTuple):
    """Time has passed; reported several times a second."""

    progress: Progress


class Grown(NamedTuple):
    """The run has grown by a round or other tables, or its end is known."""

    run: Run


class Ended(NamedTuple):
    """Play has ended."""

    progress: Progress


Event: TypeAlias = (
    Message | Started | Stoppable | GameEnded | GameVoided | BotWithdrawn | Ticked | Grown | Ended
)
Listener: TypeAlias = Callable[[Event], None]
"""Function that is called with each event."""


def ignore(event: Event) -> None:
    """Do nothing: the listener where nobody waits."""
