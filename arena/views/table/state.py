"""State of a person at the table. Pure: each message leads to the next state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from arena.games.board import BoardDisplay, Json, TableInfo
from arena.games.boards.guarded import board_of
from arena.results import Seat
from arena.text import clean
from arena.views.game.replay import NAME_COLUMNS


class TableGame(NamedTuple):
    """The facts of a game that do not change while it is played."""

    rules: str
    title: str
    table: TableInfo
    seat: Seat
    """Seat of the person."""
    number: int
    """Number of the game at this table, from 1."""
    data: Mapping[str, Json] = {}
    """Public card data, as bots get it."""
    notices: tuple[str, ...] = ()

    @property
    def board(self) -> BoardDisplay:
        """The board that draws this game."""
        return board_of(self.rules, len(self.table.names))

    @property
    def others(self) -> str:
        """Names of the other players, in words; empty without any."""
        names = self.table.names
        return ", ".join(name for seat, name in enumerate(names) if seat != self.seat)


class Seated(NamedTuple):
    """State of a person in a game. Immutable: messages return the next state."""

    game: TableGame
    observation: Json = None
    """Last observation; None before the first decision."""
    legal: tuple[Json, ...] = ()
    words: tuple[str, ...] = ()
    """Legal actions in words; empty while others are to move."""
    log: tuple[str, ...] = ()
    """Everything that the person saw, oldest first."""
    news: int = 0
    """Number of lines of ``log`` that the person had seen at the last decision."""

    @property
    def is_asked(self) -> bool:
        """True if the person is to decide."""
        return bool(self.words)

    def act(self, message: Mapping[str, Any]) -> Seated:
        """Return the state with the question of an ``act`` message."""
        game, observation = self.game, message["observation"]
        seen = [game.board.sentence(event, game.table) for event in message["events"]]
        legal = tuple(message["legal"])
        words = [clean.plain(text) for text in message.get("texts", ())] or [
            game.board.choice(action, observation, game.table) for action in legal
        ]
        return self._replace(
            observation=observation,
            legal=legal,
            words=tuple(words),
            log=(*self.log, *seen),
        )

    def with_line(self, line: str) -> Seated:
        """Return the state with a line on an event outside the rules, such as a fault of a bot."""
        return self._replace(log=(*self.log, clean.plain(line)))

    def decided(self) -> Seated:
        """Return the state after the person chose."""
        return self._replace(legal=(), words=(), news=len(self.log))


def table_of(names: Sequence[str], options: Mapping[str, Json]) -> TableInfo:
    """Return the table for the boards; names of several seats get the number of the seat."""
    shown = [clean.cut(clean.plain(name), NAME_COLUMNS - 4) for name in names]
    return TableInfo(
        tuple(
            f"{name} ({seat})" if shown.count(name) > 1 else name for seat, name in enumerate(shown)
        ),
        options,
    )
