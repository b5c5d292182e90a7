"""Chess and Chess960, with the board of python-chess.

A state holds a board that nobody changes any more. The draws for which a player would have to ask
an arbiter come by themselves (CH-01, CH-02), because no bot can ask.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import chess
import msgspec

from arena.extensions.games.chess.space import action_space
from arena.extensions.games.chess.types import Action, Event, Move, Observation, Placement
from arena.games.base import (
    CHANCE,
    NOBODY,
    InvalidActionError,
    Json,
    RulesInfo,
)
from arena.games.luck import Luck
from arena.values.results import Outcome, RulesSpec, Seat

SEATS: Final = 2
_MAX_PLIES: Final = 1 + 2 * 5899
"""A pawn moves or something is captured every 50 moves at the latest, 118 times at most."""
_DRAWN: Final = Outcome((1, 1), (1, 1))
_WON: Final = (Outcome((2, 0), (1, 2)), Outcome((0, 2), (2, 1)))
"""Outcomes of a mate, by the seat that gave it."""
_Key: TypeAlias = tuple[int, ...]
_decoder = msgspec.json.Decoder(Placement | Move)


class State(NamedTuple):
    """A position with all that led to it."""

    board: chess.Board
    """Never changed."""
    start: str
    """Starting position, as FEN; empty before it is drawn."""
    moves: tuple[str, ...] = ()
    seen: tuple[_Key, ...] = ()
    """Positions since the last capture or move of a pawn, this one included."""
    legal: tuple[Move, ...] = ()
    outcome: Outcome | None = None

    def __hash__(self) -> int:
        """Return the hash of what leads to the position; a board has none."""
        return hash((self.start, self.moves))


_FORM: Final = re.compile("([a-h][1-8]){2}[nbrq]?")
"""A move as UCI writes it. The null move, 0000, does not match."""
_EMPTY: Final = State(chess.Board(None), "")


class ChessRules:
    """See the page of rules. Seat 0 has the white pieces."""

    def __init__(
        self, seats: int, options: Mapping[str, object], data: Mapping[str, object]
    ) -> None:
        """Build the rules from complete options; there is no data."""
        self._is_960 = options["start"] == "chess960"
        self.spec = RulesSpec("chess", seats, dict(options), dict(data))
        self.info = RulesInfo(
            name="chess",
            title="Chess",
            seats=seats,
            max_plies=_MAX_PLIES,
            score="half points",
            worst_score=0,
            public=("player", "start", "moves"),
            unused=() if self._is_960 else ("setup",),
        )

    def initial_state(self) -> State:
        return _EMPTY if self._is_960 else self.position(chess.STARTING_FEN)

    def position(self, fen: str) -> State:
        """Return the state that begins with a position. Raises ValueError for an impossible one."""
        return self.line(fen, ())

    def line(self, fen: str, moves: Sequence[str]) -> State:
        """Return the state that begins with moves from a position. Raises as ``position``."""
        board = chess.Board(fen, chess960=self._is_960)
        if not board.is_valid():
            wrong = [flag.name or "" for flag in chess.Status if flag & board.status()]
            words = ", ".join(wrong).lower().replace("_", " ")
            raise ValueError(f"expected a possible position, found {words}")
        start, played, earlier = board.fen(), list[str](), tuple[_Key, ...]()
        for uci in moves:
            try:
                move = board.parse_uci(uci)
            except ValueError:
                raise ValueError(f"found {uci!r}, expected a legal move") from None
            played.append(board.uci(move))
            earlier = () if board.is_zeroing(move) else (*earlier, _key(board))
            board.push(move)
        return _reached(board.copy(stack=False), start, tuple(played), earlier)

    def to_act(self, state: State) -> Seat:
        if not state.start:
            return CHANCE
        return NOBODY if state.outcome is not None else _seat(state.board.turn)

    def legal_actions(self, state: State) -> Sequence[Move]:
        return state.legal

    def action_space(self) -> Sequence[Move]:
        return action_space()

    def chance(self, state: State, luck: Luck) -> Placement:
        board = chess.Board.from_chess960_pos(luck.below("start", 0, 960))
        return Placement(board.fen())

    def apply(self, state: State, action: Action) -> State:
        if isinstance(action, Placement):
            return self.position(action.fen)
        board = state.board.copy(stack=False)
        move = chess.Move.from_uci(action.uci)
        earlier = () if state.board.is_zeroing(move) else state.seen
        board.push(move)
        return _reached(board, state.start, (*state.moves, action.uci), earlier)

    def outcome(self, state: State) -> Outcome | None:
        return state.outcome

    def observe(self, state: State, seat: Seat) -> Observation:
        actor = self.to_act(state)
        return Observation(seat, actor if actor >= 0 else None, state.start, state.moves)

    def describe(self, before: State, action: Action, after: State) -> Sequence[Event]:
        if isinstance(action, Placement):
            event = Event("setup", fen=action.fen)
        else:
            event = Event("move", self.to_act(before), uci=action.uci)
        return (event,) * SEATS

    def decode_action(self, data: Json) -> Action:
        try:
            action: Action = _decoder.decode(msgspec.json.encode(data))
        except (msgspec.MsgspecError, TypeError) as error:
            raise InvalidActionError(str(error)) from None
        try:
            if isinstance(action, Placement):
                self.position(action.fen)
            elif not _FORM.fullmatch(action.uci):
                raise ValueError(
                    f"found {action.uci[:20]!r}, expected a move such as e2e4 or e7e8q"
                )
        except ValueError as error:
            raise InvalidActionError(str(error)) from None
        return action

    def determinize(self, observation: Observation, luck: Luck) -> State:
        """Return the state itself: nothing is hidden."""
        if not observation.start:
            return _EMPTY
        state = self.position(observation.start)
        for uci in observation.moves:
            state = self.apply(state, Move(uci))
        return state

    def is_chance_possible(self, state: State, action: Action) -> bool:
        if state.start or not isinstance(action, Placement):
            return False
        board = chess.Board(action.fen, chess960=True)
        number = board.chess960_pos()
        return number is not None and action.fen == chess.Board.from_chess960_pos(number).fen()


def _reached(
    board: chess.Board, start: str, moves: tuple[str, ...], earlier: tuple[_Key, ...]
) -> State:
    legal = _moves(board)
    seen = (*earlier, _key(board))
    return State(board, start, moves, seen, legal, _outcome(board, legal, seen))


def _outcome(board: chess.Board, legal: Sequence[Move], seen: Sequence[_Key]) -> Outcome | None:
    if not legal:
        return _WON[_seat(not board.turn)] if board.is_check() else _DRAWN
    if board.is_insufficient_material():
        return _DRAWN  # CH-03
    if len(seen) > 8 and seen.count(seen[-1]) > 2:
        return _DRAWN._replace(ruling="CH-01")
    return _DRAWN._replace(ruling="CH-02") if board.halfmove_clock >= 100 else None


def _seat(color: chess.Color) -> Seat:
    return 0 if color == chess.WHITE else 1


def _key(board: chess.Board) -> _Key:
    """Return what makes two positions the same: pieces, turn, castling, en passant (CH-01)."""
    passing = (board.ep_square or 0) if board.has_legal_en_passant() else 0
    return (
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
        board.occupied_co[chess.WHITE],
        board.clean_castling_rights(),
        passing,
        board.turn,
    )


_known: dict[int, Move] = {}
"""Every move met so far, by its squares and promotion: at most 5 × 64 × 64."""


def _moves(board: chess.Board) -> tuple[Move, ...]:
    found = []
    for move in board.generate_legal_moves():
        number = (move.promotion or 0) << 12 | move.from_square << 6 | move.to_square
        action = _known.get(number)
        if action is None:
            action = _known[number] = Move(move.uci())
        found.append(action)
    return tuple(found)
