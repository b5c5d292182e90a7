"""A game that a person plays, from the first question to the result."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto
from typing import Any, NamedTuple

from arena.games.registry import make_rules
from arena.records.read import parse, unpack
from arena.results import GameDone, GameSpec, GameVoid, RulesSpec, Seat
from arena.studies.play.host import Failed, GamesEnd, Heard
from arena.views.game.find import replayed
from arena.views.game.replay import View, view_of
from arena.views.game.text import end_lines
from arena.views.table.state import Seated, TableGame, table_of


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
    spec: GameSpec
    seat: Seat
    number: int
    """Number of the game at this table, from 1."""
    notices: tuple[str, ...]

    def game(self) -> TableGame:
        """Return the game as the person is shown it."""
        return TableGame(
            rules=self.rules.name,
            title=make_rules(self.rules).info.title,
            table=table_of(self.spec.entrants, self.rules.options),
            seat=self.seat,
            number=self.number,
            data=self.rules.data,
            notices=self.notices,
        )

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
            lines += _beside(ended.reports[1:], view.score)
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


def verdict(view: View, seat: Seat) -> str:
    """Return the result of a game for a seat, in a few words."""
    places = view.places
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
