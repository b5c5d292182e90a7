"""The course of the game: the effect of each action.

``apply`` carries out an action: it removes the action's task from the list and adds the tasks that
follow. Then it works off the list (steps.py) until a seat or chance has to decide.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from msgspec.structs import replace

from arena.extensions.games.dragonrealm.rules.actions import (
    FROM_DECK,
    Academy,
    AnyAction,
    Buy,
    Dice,
    Discard,
    Draw,
    EndTurn,
    Explore,
    Keep,
    Pass,
    Play,
    Put,
    RemoveGoblins,
    Reroll,
    Rest,
    Shuffle,
    Starter,
    Use,
)
from arena.extensions.games.dragonrealm.rules.box import Box
from arena.extensions.games.dragonrealm.rules.cards import (
    ALLEY_ADVENTURERS,
    ALLEY_COINS,
    FACE_UP,
    OFFERED,
    REST_DRAWS,
    ROW,
    START_HAND,
)
from arena.extensions.games.dragonrealm.rules.incidents import Kept, Revealed
from arena.extensions.games.dragonrealm.rules.state import (
    Attempt,
    RowLocation,
    State,
    Task,
    current,
    learn,
)
from arena.extensions.games.dragonrealm.rules.steps import STEPS, succeed
from arena.extensions.games.dragonrealm.rules.table import MutableState


def setup(box: Box) -> tuple[Task, ...]:
    """Return the tasks of a whole game in reverse order: the last one is done first."""
    starter = ("starter",) if box.random_starter else ()
    goblins = ("goblins",) if box.seats == 4 else ()
    keeps = tuple(f"keep:{seat}" for seat in reversed(range(box.seats)))
    return ("turn", *starter, "deal", *goblins, *keeps, "enhancements", "locations")


def apply(box: Box, state: State, action: AnyAction) -> State:
    """Return the next state."""
    table = MutableState(box, state)
    _ACTIONS[type(action)](table, action)
    while True:
        step, argument = _step_of(table.todo[-1])
        if step is None or not step(table, argument):
            return table.freeze()


@cache
def _step_of(task: Task) -> tuple[Callable[[MutableState, str], bool] | None, str]:
    """Return the step of a task and its argument; None for a decision of a seat or of chance."""
    name, _, argument = task.partition(":")
    return STEPS.get(name), argument


def _shuffle(table: MutableState, action: Shuffle) -> None:
    task = table.todo.pop()
    if task == "locations":
        names = action.cards[:ROW]
        table.locations = action.cards[ROW:]
        table.row = [RowLocation(name, (0,) * table.box.seats, 0) for name in names]
        for slot, name in enumerate(names):
            table.tell(Revealed(name, slot))
    elif task == "enhancements":
        for seat, side in enumerate(table.sides):
            offered = action.cards[OFFERED * seat : OFFERED * (seat + 1)]
            table.sides[seat] = replace(side, offered=tuple(sorted(offered)))
        table.enhancements = action.cards[OFFERED * table.box.seats :]
    elif task == "reshuffle_enhancements":
        table.enhancements = action.cards
        table.enhancement_shuffles += 1
    elif task == "reshuffle":
        table.deck, table.discards = action.cards, ()
        table.shuffles += 1
    else:
        _deal(table, action)


def _deal(table: MutableState, action: Shuffle) -> None:
    seats = table.box.seats
    for seat, side in enumerate(table.sides):
        hand = action.cards[START_HAND * seat : START_HAND * (seat + 1)]
        table.sides[seat] = replace(side, hand=tuple(sorted(hand)))
    dealt = START_HAND * seats
    table.face_up = action.cards[dealt : dealt + FACE_UP]
    table.deck = action.cards[dealt + FACE_UP :]


def _keep(table: MutableState, action: Keep) -> None:
    seat = int(table.todo.pop().partition(":")[2])
    table.sides[seat] = replace(table.sides[seat], enhancements=action.enhancements)
    if seat + 1 < table.box.seats:
        return
    table.rejected = tuple(
        tuple(name for name in side.offered if name not in side.enhancements)
        for side in table.sides
    )
    table.enhancements += sum(table.rejected, ())
    table.tell(Kept(tuple(len(side.enhancements) for side in table.sides)))


def _remove_goblins(table: MutableState, action: RemoveGoblins) -> None:
    table.todo.pop()
    table.removed = action.cards


def _starter(table: MutableState, action: Starter) -> None:
    table.todo.pop()
    table.seat = action.seat


def _rest(table: MutableState, action: Rest) -> None:
    table.todo.pop()
    active = table.active()
    draws = REST_DRAWS + table.box.total(active, "draw_extra")
    discards = table.box.total(active, "then_discard")
    table.todo += ["end", *["discard"] * discards, *["draw"] * draws]
    _draw(table, Draw(action.source))


def _draw(table: MutableState, action: Draw) -> None:
    table.todo.pop()
    if action.source == FROM_DECK:
        table.todo.append(f"take:{table.seat}")
        return
    slot = table.face_up.index(action.source)
    table.face_up = (*table.face_up[:slot], None, *table.face_up[slot + 1 :])
    table.give(table.seat, (action.source,))
    table.held = learn(table.held, (action.source,), table.seat)
    table.todo.append(f"refill:{slot}")


def _explore(table: MutableState, action: Explore) -> None:
    table.todo[-1:] = ["end", "cards"]
    slot = [place.location for place in table.row].index(action.location)
    table.attempt = Attempt(slot, action.way)


def _use(table: MutableState, action: Use) -> None:
    name = action.enhancement
    side = table.sides[table.seat]
    if name not in side.shown:
        table.sides[table.seat] = replace(side, shown=(*side.shown, name))
    if table.attempt and name not in table.box.lasting:
        table.attempt = replace(table.attempt, used=(*table.attempt.used, name))
    if not table.attempt:  # during a Rest: it applies to this one too
        effect = table.box.enhancements[name].effect
        task = table.todo.pop()
        table.todo += ["discard"] * effect["then_discard"] + [task] * (1 + effect["draw_extra"])


def _play(table: MutableState, action: Play) -> None:
    table.attempt = replace(current(table.attempt), cards=action.cards)
    table.held = learn(table.held, action.cards, table.seat)
    table.todo[-1:] = ["resolve", "academy", "reroll", "dice"]


def _dice(table: MutableState, action: Dice) -> None:
    table.todo.pop()
    side = table.sides[table.seat]
    table.sides[table.seat] = replace(side, thrown=side.thrown + len(action.faces))
    attempt = current(table.attempt)
    table.attempt = replace(attempt, dice=tuple(sorted(attempt.dice + action.faces)))


def _reroll(table: MutableState, action: Reroll) -> None:
    """Throw the chosen dice again.

    After the throw the seat may continue; a seat that leaves all dice may not (DR-47).
    """
    if not action.dice:
        table.todo.pop()
        return
    attempt = current(table.attempt)
    kept = list(attempt.dice)
    for face in action.dice:
        kept.remove(face)
    rerolled = attempt.rerolled + len(action.dice)
    table.attempt = replace(attempt, dice=tuple(kept), rerolled=rerolled)
    table.todo.append("dice")


def _academy(table: MutableState, action: Academy) -> None:
    table.todo.pop()
    side, count = table.sides[table.seat], action.adventurers
    table.sides[table.seat] = replace(side, supply=side.supply + count, camp=side.camp - count)
    table.attempt = replace(current(table.attempt), academy=count)


def _put(table: MutableState, action: Put) -> None:
    table.todo.pop()
    succeed(table, action.adventurers)


def _discard(table: MutableState, action: Discard) -> None:
    if table.todo[-1] == "discard":
        table.todo.pop()
    table.discard(table.seat, (action.card,))


def _pass(table: MutableState, action: Pass) -> None:
    seat = int(table.todo.pop().rpartition(":")[2])
    passes = list(table.passes)
    passes[seat] = action.cards
    table.passes = tuple(passes)


def _buy(table: MutableState, action: Buy) -> None:
    """Pay adventurers and the price, then take the first card of the level; the others go back."""
    if action.card is not None:
        table.discard(table.seat, (action.card,))
    side = table.sides[table.seat]
    names = table.enhancements
    index = next(i for i, name in enumerate(names) if table.box.level[name] == action.level)
    table.sides[table.seat] = replace(
        side,
        camp=side.camp - ALLEY_ADVENTURERS,
        supply=side.supply + ALLEY_ADVENTURERS,
        coins=side.coins - (0 if action.level == 1 else ALLEY_COINS),
        enhancements=tuple(sorted((*side.enhancements, names[index]))),
    )
    table.enhancements = names[:index] + names[index + 1 :]
    if index:
        table.rejected = ((),) * table.box.seats
        table.todo.append("reshuffle_enhancements")
    else:
        table.rejected = tuple(
            tuple(name for name in names if name in table.enhancements) for names in table.rejected
        )


def _end_turn(table: MutableState, action: EndTurn) -> None:
    table.todo[-1] = "limit"


_ACTIONS: Final[dict[type, Callable[[MutableState, Any], None]]] = {
    Shuffle: _shuffle,
    Keep: _keep,
    RemoveGoblins: _remove_goblins,
    Starter: _starter,
    Rest: _rest,
    Draw: _draw,
    Explore: _explore,
    Use: _use,
    Play: _play,
    Dice: _dice,
    Reroll: _reroll,
    Academy: _academy,
    Put: _put,
    Discard: _discard,
    Pass: _pass,
    Buy: _buy,
    EndTurn: _end_turn,
}
