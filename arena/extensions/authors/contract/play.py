"""Random games of any rules, kept action by action."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from arena.games.base import CHANCE, NOBODY, Rules, Transition, wrong_info
from arena.games.board import BoardDisplay, Json, TableInfo, merged, shared
from arena.games.game import Game
from arena.games.guarded_board import checked_board, error_words, texts_of
from arena.games.luck import Luck, derive_key
from arena.values.results import Seat

_ARENA: Final = str(Path(__file__).parents[3])
"""Folder of arena's own code."""


class ContractError(AssertionError):
    """Rules break their contract; the text says where in a game, and what was found."""


class PlayedGame(NamedTuple):
    """A finished game of random legal actions."""

    rules: Rules[Any, Any]
    seed: str
    """Seed from which ``play`` plays the same game again."""
    plies: tuple[Transition, ...]

    @property
    def states(self) -> tuple[Any, ...]:
        """The states, the first and the last one included."""
        return (self.plies[0].before, *(ply.after for ply in self.plies))

    @property
    def seats(self) -> range:
        """The seats of the table."""
        return range(self.rules.info.seats)


class _LuckOnce(Luck):
    """The luck of one game, in which no number is drawn twice.

    An order may be: a deck that is shuffled once gives its cards one by one.
    """

    __slots__ = ("_drawn",)

    def __init__(self, key: bytes) -> None:
        super().__init__(key)
        self._drawn = set[tuple[str, int]]()

    def below(self, stream: str, counter: int, bound: int) -> int:
        if (stream, counter) in self._drawn:
            raise ContractError(
                f"chance: found below({stream!r}, {counter}, …) again, which gives the same luck; "
                "expected another counter for each number of a game"
            )
        self._drawn.add((stream, counter))
        return super().below(stream, counter, bound)


def play(rules: Rules[Any, Any], seed: str) -> PlayedGame:
    """Play a game of uniformly random legal actions.

    ``seed``: names its deal and its choices. Raises ContractError if the rules raise an exception,
    if their ``info`` has a value of a wrong type, if chance draws a number twice, if nobody and
    nothing is to act, or if the game is longer than ``info.max_plies``.
    """
    luck = _LuckOnce(derive_key("deal", seed))
    choices = Luck(derive_key("choices", seed))
    plies: list[Transition] = []
    with _at(plies, rules):
        if wrong := wrong_info(rules.info):
            raise ContractError(f"info: expected {wrong}")
        state = rules.initial_state()
        while (actor := rules.to_act(state)) != NOBODY:
            if actor != CHANCE and actor not in range(rules.info.seats):
                seats = f"a seat below {rules.info.seats}, CHANCE or NOBODY"
                raise ContractError(f"to_act: found {actor!r}, expected {seats}")
            if len(plies) == rules.info.max_plies:
                expected = f"the end after at most {rules.info.max_plies} plies (info.max_plies)"
                raise ContractError(f"to_act: found {actor!r}, expected {expected}")
            if actor == CHANCE:
                action = rules.chance(state, luck)
            else:
                legal = rules.legal_actions(state)
                if not legal:
                    raise ContractError(f"legal_actions: found none for seat {actor}")
                action = legal[choices.below("choice", len(plies), len(legal))]
            after = rules.apply(state, action)
            plies.append(Transition(actor, state, action, after))
            state = after
        if not plies:
            raise ContractError("to_act: found NOBODY in the initial state, expected a game")
    return PlayedGame(rules, seed, tuple(plies))


@contextmanager
def _at(plies: list[Transition], rules: Rules[Any, Any]) -> Iterator[None]:
    """Raise ContractError with the ply at which the rules went wrong."""
    try:
        yield
    except ContractError as error:
        raise ContractError(f"ply {len(plies)}: {error}") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever a package of others does
        what = f"{type(rules).__name__} raised {raised(error)}"
        raise ContractError(f"ply {len(plies)}: {what}") from error


def raised(error: BaseException) -> str:
    """Return an exception in words, with the place that raised it or called what did.

    The place is the innermost one outside of arena, if there is one.
    """
    frames = traceback.extract_tb(error.__traceback__)
    outside = [frame for frame in frames if not frame.filename.startswith(_ARENA)]
    place = (outside or frames)[-1]
    where = f"{Path(place.filename).name}:{place.lineno} in {place.name}"
    text = f": {error}" if str(error) else ""
    return f"{type(error).__name__}{text} ({where})"


BOARD_PLIES: Final = 8
"""Plies of each game of which every view is shown, besides the first and the last one."""
_SPECTATOR: Final[Seat] = -3
"""A number that no seat has, as in ``arena.referee.records.perspective``."""


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
