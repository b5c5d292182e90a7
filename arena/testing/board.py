"""The check of a board: its functions show every view of a game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from arena.games.base import CHANCE
from arena.games.board import BoardDisplay, Json, TableInfo, merged, shared
from arena.games.game import Game
from arena.games.guarded_board import checked_board, error_words, texts_of
from arena.games.luck import Luck, derive_key
from arena.results import Seat
from arena.testing.play import ContractError, PlayedGame

BOARD_PLIES: Final = 8
"""Plies of each game of which every view is shown, besides the first and the last one."""
_SPECTATOR: Final[Seat] = -3
"""A number that no seat has, as in ``arena.records.perspective``."""


def board(played: PlayedGame, game: Game) -> int:
    """Check that the board shows each view of a game, a spectator's too, and each event of it."""
    if game.board is None:
        return 0
    every = range(len(played.plies))
    some = Luck(derive_key("plies", played.seed)).shuffle("board", 0, every)[:BOARD_PLIES]
    try:
        shown = checked_board(game, len(played.seats))
        if shown.drawing is not None:
            texts_of(game, shown.drawing)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever a package of others does
        raise ContractError(f"ply 0: board: {error_words(game, error)}") from error
    return sum(
        _check_ply(played, game, shown, number) for number in sorted({every[0], *some, every[-1]})
    )


def _check_ply(played: PlayedGame, game: Game, board: BoardDisplay, number: int) -> int:
    """Show the views before and after a ply, its events and what could have been chosen."""
    rules, ply = played.rules, played.plies[number]
    names = tuple(f"player {seat}" for seat in played.seats)
    table, tested = TableInfo(names, rules.spec.options), 0

    def ask(what: str, function: Callable[..., Any], *given: Any) -> Any:
        nonlocal tested
        tested += 1
        try:
            found = function(*given)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever a package of others does
            raise ContractError(f"ply {number}: {what}: {error_words(game, error)}") from error
        for text in [found] if isinstance(found, str) else found or ():
            if isinstance(text, str) and not text.isprintable():
                raise ContractError(f"ply {number}: {what}: found {text!r}, expected one line")
        return found

    for state in (ply.after,) if number else (ply.before, ply.after):
        for what, view in _views(played, state).items():
            ask(f"lines of {what}", board.lines, view, table)
            for observation in view.values():
                ask(f"compact of {what}", board.compact, observation, table)
                ask(f"scores of {what}", board.scores, observation)
    for what, event in _events(played, number).items():
        ask(f"sentence of the event of {what}", board.sentence, event, table)
    if ply.actor == CHANCE:
        return tested
    words: dict[str, Any] = {}
    observation = _plain(rules.observe(ply.before, ply.actor))
    for action in rules.legal_actions(ply.before):
        plain = _plain(action)
        said = ask("choice", board.choice, plain, observation, table)
        if words.setdefault(said, action) != action and not hasattr(rules, "action_text"):
            raise ContractError(f"ply {number}: choice: found {said!r} for two legal actions")
        ask("hint", board.hint, plain, observation, rules.spec.data)
    return tested


def _views(played: PlayedGame, state: Any) -> dict[str, dict[Seat, Json]]:
    """Return the observations of each view of a state, by the name of the view."""
    rules = played.rules
    seen = {seat: rules.observe(state, seat) for seat in played.seats}
    views = {f"seat {seat}": {seat: _plain(view)} for seat, view in seen.items()}
    if len(seen) > 1:
        views["all seats"] = {seat: _plain(view) for seat, view in seen.items()}
        fields = msgspec.structs.fields(seen[0])
        names = [each.encode_name for each in fields if each.name in rules.info.public]
        public = {name: views["seat 0"][0][name] for name in names if name in views["seat 0"][0]}
        views["a spectator"] = {_SPECTATOR: public}
    return views


def _events(played: PlayedGame, number: int) -> dict[str, Json]:
    """Return the events of a ply, by the name of the view that shows them."""
    ply = played.plies[number]
    given = played.rules.describe(ply.before, ply.action, ply.after)
    events = {seat: _plain(event) for seat, event in enumerate(given) if event is not None}
    named = {f"seat {seat}": event for seat, event in events.items()}
    if not named:
        return {}
    if len(events) == len(given) and isinstance(public := shared([*events.values()]), dict):
        named["a spectator"] = public
    return {**named, "all seats": merged(events, None if ply.actor == CHANCE else ply.actor)}


def _plain(value: Any) -> Json:
    return msgspec.json.decode(msgspec.json.encode(value))
