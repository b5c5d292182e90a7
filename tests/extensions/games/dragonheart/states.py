"""Dragonheart for the tests: positions by hand, conservation, and dealing hidden cards anew."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from arena.extensions.games.dragonheart.rules.actions import Play, Shuffle, Steal, Take
from arena.extensions.games.dragonheart.rules.cards import HAND_LIMIT, ROW_SIZE, SPACES, Cards
from arena.extensions.games.dragonheart.rules.rules import DragonheartRules
from arena.extensions.games.dragonheart.rules.state import Phase, Side, State
from arena.games.base import CHANCE, Rules, Transition
from arena.games.luck import Luck
from arena.games.registry import make_rules, resolve
from arena.values.results import Seat
from tests.games.games import PlayedGame, default_data

FOUR = "dwarf:1 dwarf:1 dwarf:1 dwarf:1"
FIVE = f"{FOUR} dwarf:1"
PILE = "treasure:1 treasure:2 treasure:3 treasure:4"


def dragonheart(**options: str) -> DragonheartRules:
    """The rules with the default deck."""
    rules = make_rules(resolve("dragonheart", 2, options, default_data("dragonheart")))
    assert isinstance(rules, DragonheartRules)
    return rules


KOSMOS = dragonheart(edition="kosmos")
FFG = dragonheart(edition="ffg")
DECK = KOSMOS.deck.cards


def cards(text: str) -> Cards:
    """The cards named in a text, as it orders them."""
    return tuple(text.split())


def move(text: str) -> Any:
    """``play troll:1 troll:2``, ``take petrified`` or ``steal ship:0``."""
    kind, *words = text.split()
    makers: dict[str, Any] = {"take": Take, "steal": Steal}
    return Play(tuple(words)) if kind == "play" else makers[kind](*words)


def play(rules: DragonheartRules, position: State, moves: str) -> State:
    """The position after these legal or possible actions."""
    for action in map(move, moves.split("; ")):
        legal = rules.to_act(position) != CHANCE and action in rules.legal_actions(position)
        assert legal or rules.is_chance_possible(position, action)
        position = rules.apply(position, action)
    return position


def state(
    mine: str = "",
    *,
    hand0: str | None = None,
    hand1: str = FIVE,
    pile0: str = PILE,
    pile1: str = PILE,
    emptied: tuple[Seat, ...] = (),
    phase: Phase = Phase.PLAY,
    seat: Seat = 0,
    turn: int = 10,
    ship_sets: int = 0,
    figure: Seat | None = None,
    final_turn: int | None = None,
    choice: int | None = None,
    collected0: str = "",
    collected1: str = "",
    **board: str,
) -> State:
    """A position by hand, cards by space as keywords; it need not be reachable.

    Seat 0 has the cards ``mine`` and dwarfs, five in all, or ``hand0``.
    """
    filled = tuple(sorted([*mine.split(), *FIVE.split()][:5]))
    held = filled if hand0 is None else cards(hand0)
    assert set(board) <= set(SPACES)
    sides = (
        Side(held, cards(pile0), cards(collected0), (), None, 0 in emptied, 0),
        Side(cards(hand1), cards(pile1), cards(collected1), (), None, 1 in emptied, 0),
    )
    spaces = tuple(cards(board.get(space, "")) for space in SPACES)
    return State(phase, seat, turn, sides, spaces, ship_sets, figure, final_turn, choice)


def facts(position: State) -> dict[str, object]:
    """The position under the names that ``state`` takes."""
    first, second = position.sides
    board = {space: " ".join(on) for space, on in zip(SPACES, position.board, strict=True)}
    return board | {
        "hand0": " ".join(first.hand),
        "hand1": " ".join(second.hand),
        "pile0": " ".join(first.pile),
        "pile1": " ".join(second.pile),
        "collected0": " ".join(first.collected),
        "collected1": " ".join(second.collected),
        "emptied": tuple(seat for seat in (0, 1) if position.sides[seat].emptied),
        "phase": position.phase,
        "seat": position.seat,
        "turn": position.turn,
        "ship_sets": position.ship_sets,
        "figure": position.figure,
        "final_turn": position.final_turn,
    }


def check_state(rules: Rules[Any, Any], position: State) -> None:
    """All 100 cards are somewhere; a turn always has a legal play (DH-01, DH-02)."""
    deck = sorted(
        f"{kind}:{value}" for kind, values in rules.spec.data["deck"].items() for value in values
    )
    dealt = [side for side in position.sides if side.hand or side.pile or side.played]
    for side in dealt:
        assert sorted(side.hand + side.pile + side.played) == deck
    on_table = [card for space in position.board for card in space]
    on_table += [card for side in position.sides for card in side.collected]
    on_table += ["ship:0"] * 3 * position.ship_sets
    assert sorted(on_table) == sorted(card for side in position.sides for card in side.played)
    if position.phase is Phase.PLAY:
        assert position.sides[position.seat].hand
        rows = [(size, on) for size, on in zip(ROW_SIZE, position.board, strict=False) if size]
        assert all(len(on) < size for size, on in rows)


def redeal(rules: Rules[Any, Any], ply: Transition, seat: Seat, luck: Luck) -> Transition:
    """The same ply with the cards that ``seat`` has not seen by its end dealt anew."""
    before: State = ply.before
    action = ply.action
    sides = list(before.sides)
    drawn = len(sides[seat].pile) - len(ply.after.sides[seat].pile)
    sides[seat] = _reorder(sides[seat], max(drawn, 0), luck)
    other = 1 - seat
    shown = action.cards if isinstance(action, Play) and ply.actor == other else ()
    sides[other] = _redeal_hand(sides[other], shown, luck)
    if isinstance(action, Shuffle):
        seen = HAND_LIMIT if action.seat == seat else 0
        hidden = luck.shuffle("shuffle", 0, action.cards[seen:])
        action = Shuffle(action.seat, action.cards[:seen][::-1] + hidden)
    if isinstance(action, Steal) and before.seat == seat:
        hand = sides[other].hand
        action = Steal(hand[luck.below("steal", 0, len(hand))])
    changed = replace(before, sides=(sides[0], sides[1]))
    return Transition(ply.actor, changed, action, rules.apply(changed, action))


def _reorder(side: Side, drawn: int, luck: Luck) -> Side:
    """The same hand; the pile in another order below the cards that the seat gets to know."""
    known = max(drawn, 0 if side.returned is None else 1)
    return replace(side, pile=side.pile[:known] + luck.shuffle("own", 0, side.pile[known:]))


def _redeal_hand(side: Side, shown: Cards, luck: Luck) -> Side:
    """Another hand that can play ``shown``, and the rest as its pile."""
    hidden = list(side.hand + side.pile)
    for card in shown:
        hidden.remove(card)
    order = shown + luck.shuffle("other", 0, hidden)
    hand, pile = order[: len(side.hand)], order[len(side.hand) :]
    returned = None if side.returned is None else pile[0]
    return replace(side, hand=tuple(sorted(hand)), pile=pile, returned=returned)


def ending(game: PlayedGame) -> str:
    """Whether the third ship set or an empty draw pile brought the last turn."""
    last: State = next(state for state in game.states if state.final_turn is not None)
    return "ships" if last.ship_sets == 3 else "draw pile"


def starter(game: PlayedGame) -> Seat:
    """The seat that had turn 1."""
    first: State = next(state for state in game.states if state.turn == 1)
    return first.seat
