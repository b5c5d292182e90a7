"""The tasks that a table works off without a decision.

Each step returns False if a seat or chance has to decide after all. A seat with only one
possibility is not asked, unless asking only sometimes would reveal face-down cards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from arena.extensions.games.dragonrealm.rules.box import Box
from arena.extensions.games.dragonrealm.rules.cards import (
    ALLEY_ADVENTURERS,
    ALLEY_COINS,
    HAND_LIMIT,
    ROCKSLIDE_PASSES,
    Card,
    Cards,
    is_event,
)
from arena.extensions.games.dragonrealm.rules.incidents import (
    Drew,
    FaceUp,
    Failure,
    Left,
    Passed,
    Placed,
    Rockslide,
    Spent,
    Success,
    Waiting,
)
from arena.extensions.games.dragonrealm.rules.scoring import DEAD, TURN_LIMIT
from arena.extensions.games.dragonrealm.rules.state import RowLocation, State, current, slide
from arena.extensions.games.dragonrealm.rules.table import MutableState, without


def can_buy(box: Box, state: State | MutableState, level: int) -> bool:
    """Return whether the seat to act can pay for an enhancement of this level and gets one.

    Only coins won so far count (DR-39).
    """
    side = state.sides[state.seat]
    if not box.has_alley or side.camp < ALLEY_ADVENTURERS:
        return False
    pays = bool(free_cards(state)) if level == 1 else side.coins >= ALLEY_COINS
    return pays and any(box.level[name] == level for name in state.enhancements)


def free_cards(state: State | MutableState) -> Cards:
    """Return the cards with which the seat to act can pay: those it has not played."""
    hand = state.sides[state.seat].hand
    return without(hand, state.attempt.cards) if state.attempt else hand


def missing(box: Box, state: State | MutableState) -> int:
    """Return by how much the present total is short of what the location needs."""
    attempt = current(state.attempt)
    bonus = box.added(_active(box, state), attempt.way) + attempt.academy
    needed = box.locations[state.row[attempt.slot].location].needs(attempt.way)
    return needed - sum(attempt.dice) - bonus


def rerolls(box: Box, state: State | MutableState) -> int:
    """Return how many dice the seat whose turn it is can still throw again."""
    rerolled = current(state.attempt).rerolled
    return box.total(_active(box, state), "reroll_dice") - rerolled


def _active(box: Box, state: State | MutableState) -> tuple[str, ...]:
    """Return the enhancements that apply to the Explore (DR-25, DR-47)."""
    lasting = tuple(name for name in state.sides[state.seat].shown if name in box.lasting)
    return lasting + current(state.attempt).used


def _begin(table: MutableState, _: str) -> bool:
    table.turn = table.turn or 1
    return False


def _take(table: MutableState, argument: str) -> bool:
    """Move a card from the deck to a hand; event cards are replaced after their effect (DR-07)."""
    if not table.deck:
        return _refill_deck(table)
    card = table.draw()
    if is_event(card):
        _happen(table, card)
        return True
    table.todo.pop()
    seat = int(argument)
    table.give(seat, (card,))
    table.tell(Drew(seat, card))
    return True


def _refill(table: MutableState, argument: str) -> bool:
    """Move a card from the deck to the face-up cards, by the rule of ``_take`` (DR-36)."""
    if not table.deck:
        return _refill_deck(table)
    card = table.draw()
    if is_event(card):
        _happen(table, card)
        return True
    table.todo.pop()
    slot = int(argument)
    table.face_up = (*table.face_up[:slot], card, *table.face_up[slot + 1 :])
    table.tell(FaceUp(card))
    return True


def _refill_deck(table: MutableState) -> bool:
    """Make the discards the new deck; without any, nothing is drawn (DR-06)."""
    if table.discards:
        table.todo.append("reshuffle")
        return False
    table.todo.pop()
    return True


def _happen(table: MutableState, card: Card) -> None:
    """Discard an event card from the deck and apply its effect at once."""
    table.discards += (card,)
    _event(table, card)


def _event(table: MutableState, card: Card) -> None:
    name, _, argument = card.partition(":")
    if name == "goblins":
        table.add_goblin(card)
        return
    table.tell(Rockslide(card))
    table.todo.append(f"slide:{argument}")
    seats = table.box.seats
    order = [(table.seat + i) % seats for i in reversed(range(seats))]
    table.todo += [f"pass:{argument}:{seat}" for seat in order]


def _late_event(table: MutableState, card: str) -> bool:
    table.todo.pop()
    _event(table, card)
    return True


def _ask_to_pass(table: MutableState, argument: str) -> bool:
    """Ask which cards the seat passes; a seat with too few cards to choose passes all."""
    direction, _, seat = argument.partition(":")
    if len(table.sides[int(seat)].hand) > ROCKSLIDE_PASSES[direction]:
        return False
    table.todo.pop()
    return True


def _slide(table: MutableState, direction: str) -> bool:
    """Pass the cards of all seats at once (DR-35), then draw missing cards in the order of play."""
    table.todo.pop()
    box, count = table.box, ROCKSLIDE_PASSES[direction]
    passes = tuple(
        chosen or side.hand for chosen, side in zip(table.passes, table.sides, strict=True)
    )
    sizes = tuple(len(side.hand) for side in table.sides)
    step = box.neighbour(0, direction)
    table.held = slide(table.held, passes, sizes, step)
    for seat, cards in enumerate(passes):
        side = table.sides[seat]
        table.sides[seat] = replace(side, hand=without(side.hand, cards))
    for seat, cards in enumerate(passes):
        receiver = box.neighbour(seat, direction)
        table.give(receiver, cards)
        table.tell(Passed(seat, receiver, len(cards), cards))
    table.passes = ((),) * box.seats
    order = [(table.seat + i) % box.seats for i in range(box.seats)]
    short = [seat for seat in order for _ in range(count - len(passes[(seat - step) % box.seats]))]
    table.todo += [f"short:{seat}" for seat in reversed(short)]
    return True


def _short(table: MutableState, argument: str) -> bool:
    """Draw a missing card; event cards queue behind those already waiting (DR-08)."""
    if not table.deck:
        return _refill_deck(table)
    card = table.draw()
    if not is_event(card):
        table.todo.pop()
        table.give(int(argument), (card,))
        table.tell(Drew(int(argument), card))
        return True
    table.discards += (card,)
    table.tell(Waiting(card))
    place = len(table.todo)
    while table.todo[place - 1].startswith(("short:", "event:")):
        place -= 1
    table.todo.insert(place, f"event:{card}")
    return True


def _ask_to_reroll(table: MutableState, _: str) -> bool:
    """Ask for a reroll.

    Face-down enhancements may help a roll that is too low. So that they are not revealed, each seat
    that has any is asked (DR-47).
    """
    side = table.sides[table.seat]
    face_down = len(side.enhancements) > len(side.shown)
    if rerolls(table.box, table) or (face_down and missing(table.box, table) > 0):
        return False
    table.todo.pop()
    return True


def _ask_academy(table: MutableState, _: str) -> bool:
    """Ask how many adventurers return from the Academy.

    Adventurers that are there came in earlier turns (DR-20). They do not help in the Dungeon
    (DR-21).
    """
    location = table.box.locations[table.row[current(table.attempt).slot].location]
    helps = not table.box.has_alley and location.special != "no_academy"
    if helps and table.sides[table.seat].camp:
        return False
    table.todo.pop()
    return True


def _resolve(table: MutableState, _: str) -> bool:
    """Compare the total with the printed value (DR-24, DR-25, DR-45)."""
    attempt = current(table.attempt)
    needed = table.box.locations[table.row[attempt.slot].location].needs(attempt.way)
    short = missing(table.box, table)
    if short > 0:
        _fail(table, needed - short, needed)
        return True
    table.tell(Success(needed - short, needed))
    table.todo[-1] = "place"
    return True


def placeable(box: Box, state: State | MutableState) -> tuple[int, ...]:
    """Return the numbers of adventurers that may be placed (DR-16, DR-17, DR-18, DR-38)."""
    attempt, supply = current(state.attempt), state.sides[state.seat].supply
    has_ring = attempt.way in box.locations[state.row[attempt.slot].location].gold
    return (1, 2) if has_ring and supply > 1 else (min(1, supply),)


def _ask_to_place(table: MutableState, _: str) -> bool:
    """Ask how many to place; adventurers that return from the Alley can be placed (DR-49)."""
    counts = placeable(table.box, table)
    if len(counts) > 1 or can_buy(table.box, table, 1) or can_buy(table.box, table, 2):
        return False
    table.todo.pop()
    succeed(table, counts[0])
    return True


def succeed(table: MutableState, adventurers: int) -> None:
    """Carry out a success: place, score, refill the row, discard, draw (DR-27), or end (DR-29)."""
    attempt, seat = current(table.attempt), table.seat
    active = table.active()
    place, side = table.row[attempt.slot], table.sides[seat]
    leave = min(place.goblins, table.box.total(active, "remove_goblin_here"))
    if leave:  # DR-48
        table.goblins += leave
        table.tell(Left(place.location, leave))
    placed = list(place.adventurers)
    placed[seat] += adventurers
    table.row[attempt.slot] = RowLocation(place.location, tuple(placed), place.goblins - leave)
    table.sides[seat] = replace(
        side,
        supply=side.supply - adventurers,
        enhancements=tuple(name for name in side.enhancements if name not in attempt.used),
        shown=tuple(name for name in side.shown if name not in attempt.used),
    )
    table.attempt = None
    table.tell(Placed(place.location, adventurers))
    if attempt.used:
        table.spent += attempt.used
        table.tell(Spent(seat, attempt.used))
    table.score_if_complete(attempt.slot)
    if table.todo[-1] != "over":
        table.discard(seat, attempt.cards)
        table.todo.append(f"take:{seat}")


def _fail(table: MutableState, total: int, needed: int) -> None:
    """Send an adventurer away, then apply the location's condition; the cards stay in the hand."""
    attempt, seat = current(table.attempt), table.seat
    special = table.box.locations[table.row[attempt.slot].location].special
    side = table.sides[seat]
    sent = min(1, side.supply) if special != "no_academy" else 0  # DR-19, DR-21
    table.sides[seat] = replace(side, supply=side.supply - sent, camp=side.camp + sent)
    table.tell(Failure(total, needed, sent))
    draws = table.box.total(table.active(), "draw")
    table.attempt = None
    table.todo[-1:] = [f"take:{seat}"] * draws
    if special == "fail_discard_one":
        table.todo.append("discard")  # DR-22: before the draw


def _ask_to_discard(table: MutableState, _: str) -> bool:
    hand = table.sides[table.seat].hand
    if len(hand) > 1:
        return False
    table.todo.pop()
    if hand:
        table.discard_unasked(hand)
    return True


def _ask_to_buy(table: MutableState, _: str) -> bool:
    """Ask what to buy at the end of the turn (DR-40, DR-41, DR-49)."""
    if can_buy(table.box, table, 1) or can_buy(table.box, table, 2):
        return False
    table.todo[-1] = "limit"
    return True


def _limit(table: MutableState, _: str) -> bool:
    """Discard to nine cards at the end of the turn, then begin the next one (DR-04, DR-05)."""
    if len(table.sides[table.seat].hand) > HAND_LIMIT:
        return False
    if table.turn == table.box.last_turn or _is_dead(table):
        table.finish(TURN_LIMIT if table.turn == table.box.last_turn else DEAD)
        return False
    table.seat = table.box.neighbour(table.seat, "left")
    table.turn += 1
    table.todo[-1] = "turn"
    return False


def _is_dead(table: MutableState) -> bool:
    """Return whether nobody has an adventurer to place or can ever get one back (DR-50).

    That is possible only with an Alley: no purchase can be paid or brings a card, and no goblin can
    be added beside adventurers. An enhancement that could remove a goblin does not prevent the end.
    """
    box = table.box
    if not box.has_alley or any(side.supply for side in table.sides):
        return False
    levels = {box.level[name] for name in table.enhancements}
    for side in table.sides:
        payable = {1, 2} if side.coins >= ALLEY_COINS else {1}
        if side.camp >= ALLEY_ADVENTURERS and levels & payable:
            return False
    return table.goblins == 0 or not any(
        sum(place.adventurers) for place in table.row if not box.is_dragon(place.location)
    )


STEPS: Final[dict[str, Callable[[MutableState, str], bool]]] = {
    "turn": _begin,
    "take": _take,
    "refill": _refill,
    "short": _short,
    "event": _late_event,
    "pass": _ask_to_pass,
    "slide": _slide,
    "reroll": _ask_to_reroll,
    "academy": _ask_academy,
    "resolve": _resolve,
    "place": _ask_to_place,
    "discard": _ask_to_discard,
    "end": _ask_to_buy,
    "limit": _limit,
}
"""Steps by the name of the task; all other names are decisions of a seat or of chance."""
