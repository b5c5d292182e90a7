"""A game that a person plays, from the first question to the result.

The state of the person is pure: each message leads to the next state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum, auto
from typing import Any, NamedTuple

from arena.extensions.browser.table.host import Failed, GamesEnd, Heard
from arena.games.board import BoardDisplay, Json, TableInfo
from arena.games.guarded_board import board_of
from arena.games.registry import make_rules
from arena.referee.records.read import parse, unpack
from arena.values import clean
from arena.values.results import GameDone, GameVoid, RulesSpec, Seat
from arena.views.game.find import replayed
from arena.views.game.replay import NAME_COLUMNS, View, view_of
from arena.views.game.text import end_lines


class Way(Enum):
    """How a person's game ended."""

    PLAYED = auto()
    """The game was played or void."""
    LEFT = auto()


class Finished(NamedTuple):
    """End of a person's game, with the result in words."""

    way: Way
    result: tuple[str, ...] = ()
    """Result in lines of text."""
    reports: tuple[GameDone | GameVoid, ...] = ()


class PersonsGame(NamedTuple):
    """A game that a person plays."""

    rules: RulesSpec
    entrants: tuple[str, ...]
    seat: Seat
    """Seat of the person."""
    number: int
    """Number of the game at this table, from 1."""
    notices: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Title of the rules."""
        return make_rules(self.rules).info.title

    @property
    def table(self) -> TableInfo:
        """The table for the board; names of several seats get the number of the seat."""
        shown = [clean.cut(name, NAME_COLUMNS - 4) for name in self.entrants]
        names = (
            f"{name} ({seat})" if shown.count(name) > 1 else name for seat, name in enumerate(shown)
        )
        return TableInfo(tuple(names), self.rules.options)

    @property
    def board(self) -> BoardDisplay:
        """The board that draws this game."""
        return board_of(self.rules.name, len(self.entrants))

    @property
    def others(self) -> str:
        """Names of the other players, in words; empty without any."""
        names = self.table.names
        return ", ".join(name for seat, name in enumerate(names) if seat != self.seat)

    def after(self, seated: Seated, item: Heard | Failed) -> Seated:
        """Return the state that the person sees after ``item`` of the host."""
        if isinstance(item, Failed):
            return seated.with_line(f"the bot of {item.entrant} has committed a fault")
        return seated.act(item.message) if item.message["type"] == "act" else seated

    def finished(self, ended: GamesEnd) -> Finished:
        """Return the result in words. Raises the error that prevented the game."""
        if ended.error is not None:
            raise ended.error
        if not ended.reports:
            return Finished(Way.LEFT)
        mine = ended.reports[0]
        lines: list[str] = []
        if isinstance(mine, GameDone):
            view = self.view(mine)
            lines = [verdict(view, self.seat), *end_lines(view)]
            lines += _details(mine, self.seat)
            lines += _beside(ended.reports[1:], view.replay.score)
        return Finished(Way.PLAYED, tuple(lines), ended.reports)

    def view(self, done: GameDone) -> View:
        """Return the game as the person saw it."""
        record, _ = parse(unpack(done.record))
        return view_of(replayed(record, make_rules(self.rules)), self.seat)

    def over(self, seated: Seated, finished: Finished) -> Seated:
        """Return the state after the game, with all that the person saw of it."""
        mine = finished.reports[0]
        if not isinstance(mine, GameDone):
            return seated
        view = self.view(mine)
        table, sentence = seated.game.table, seated.game.board.sentence
        log = tuple(sentence(ply.event, table) for ply in view.plies if ply.events)
        observation: Any = view.observations(len(view.plies)).get(self.seat)
        return seated._replace(observation=observation, log=log)


class Seated(NamedTuple):
    """State of a person in a game. Immutable: messages return the next state."""

    game: PersonsGame
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
        words = [*map(clean.plain, message.get("texts", ()))] or [
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


def verdict(view: View, seat: Seat) -> str:
    """Return the result of a game for a seat, in a few words."""
    places = view.end.places
    if len(places) == 1:
        return "the game has ended" if not view.faults else "the game was broken off"
    mine = places[seat]
    shared = places.count(mine) > 1
    if mine == 1 and not shared:
        return "you have won"
    if mine == 1:
        return "a draw" if places.count(1) == len(places) else "you share the first place"
    return "you have lost" if len(places) == 2 else f"you are in place {mine} of {len(places)}"


def _details(done: GameDone, seat: Seat) -> Iterator[str]:
    """Yield lines on the faults of bots, which other bots do not learn."""
    result = done.result
    for fault in result.faults:
        if fault.detail and fault.seat != seat:
            yield f"{result.spec.entrants[fault.seat]}: {fault.detail}"


def _beside(reports: tuple[GameDone | GameVoid, ...], score: str) -> Iterator[str]:
    """Yield the scores of others on the same deal, for a person alone at the table."""
    for report in reports:
        if isinstance(report, GameDone) and report.result.scores is not None:
            name = report.result.spec.entrants[0]
            yield f"{name} with the same deal  {score}: {report.result.scores[0]}"
