"""The rules of Dragonrealm for two to four seats, behind the interface of every rules engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

import msgspec

from arena.extensions.games.dragonrealm.rules import events, scoring, view
from arena.extensions.games.dragonrealm.rules.actions import (
    ActionNames,
    AnyAction,
    Dice,
    RemoveGoblins,
    Shuffle,
    Starter,
)
from arena.extensions.games.dragonrealm.rules.box import Box
from arena.extensions.games.dragonrealm.rules.cards import (
    FACE_UP,
    HAND_LIMIT,
    LEVELS,
    OFFERED,
    REMOVED_GOBLINS,
    START_HAND,
    is_event,
)
from arena.extensions.games.dragonrealm.rules.data import read_cards
from arena.extensions.games.dragonrealm.rules.determinize import determinize
from arena.extensions.games.dragonrealm.rules.flow import apply, setup
from arena.extensions.games.dragonrealm.rules.legal import legal_actions
from arena.extensions.games.dragonrealm.rules.state import State, Task, current, initial
from arena.extensions.games.dragonrealm.rules.table import result_of
from arena.games.base import CHANCE, NOBODY, Json, Option, RulesInfo
from arena.games.luck import Luck
from arena.values.results import Outcome, RulesSpec, Seat

OPTIONS: Final = (
    Option(
        name="side",
        choices=("academy", "alley"),
        default="academy",
        help="side of the Adventurers' location: help with rolls, or enhancements for sale",
    ),
    Option(
        name="enhancement_deal",
        choices=("random3", "by_level"),
        default="random3",
        help="what each seat is offered: three at random, or two of level 1 and one of level 2",
    ),
    Option(
        name="min_share_one",
        choices=(False, True),
        default=False,
        help="whether a share of a split reward is at least one coin",
    ),
    Option(
        name="starter",
        choices=("random", "seat_0"),
        default="random",
        help="who has the first turn",
    ),
)
SEATS: Final = (2, 3, 4)

_CHANCE: Final = frozenset(
    (
        "locations",
        "enhancements",
        "deal",
        "goblins",
        "starter",
        "dice",
        "reshuffle",
        "reshuffle_enhancements",
    )
)


@cache
def _seat_of(task: Task) -> Seat | None:
    """Return the seat that decides a task, CHANCE or NOBODY; None: the seat whose turn it is."""
    if task in _CHANCE:
        return CHANCE
    if task == "over":
        return NOBODY
    return int(task[-1]) if task[-1].isdigit() else None


def _unused(seats: int, options: Mapping[str, object]) -> tuple[str, ...]:
    """Return the types of actions that never occur."""
    of_side = ("academy",) if options["side"] == "alley" else ("buy", "end_turn")
    goblins = () if seats == max(SEATS) else ("remove_goblins",)
    return (*of_side, *goblins, *(("starter",) if options["starter"] == "seat_0" else ()))


class DragonrealmRules:
    """Rules engine of Dragonrealm, immutable.

    Takes complete, valid options and the data that ``read_cards`` accepts.
    """

    def __init__(
        self, seats: int, options: Mapping[str, object], data: Mapping[str, object]
    ) -> None:
        self.cards = read_cards(data)
        self.box = Box(seats, options, self.cards)
        self.info = RulesInfo(
            name="dragonrealm",
            title="Dragonrealm",
            seats=seats,
            max_plies=_max_plies(self.box),
            score="coins",
            worst_score=0,
            public=view.PUBLIC,
            unused=_unused(seats, options),
        )
        self.spec = RulesSpec("dragonrealm", seats, dict(options), msgspec.to_builtins(self.cards))
        self._adventurers = tuple(sorted(self.box.numbers + self.box.events))
        self._names = ActionNames(
            self._adventurers, tuple(self.box.locations), tuple(self.box.enhancements), seats
        )
        self._printed = view.Printed(self.box)

    def initial_state(self) -> State:
        """Return the state in which nothing is shuffled yet."""
        return initial(self.info.seats, setup(self.box))

    def to_act(self, state: State) -> Seat:
        """Return the seat that decides, CHANCE or NOBODY."""
        seat = _seat_of(state.todo[-1])
        return state.seat if seat is None else seat

    def legal_actions(self, state: State) -> Sequence[AnyAction]:
        """Return the legal actions: resting, exploring, buying in this order, plain choices first.

        The sequence is never empty.
        """
        return legal_actions(self.box, state)

    def chance(self, state: State, luck: Luck) -> AnyAction:
        """Draw the chance action that is due.

        Streams: "locations:LEVEL", "enhancements" and "enhancements:LEVEL", "goblins", "hands",
        "deck", "starter" and "dice:SEAT". The counter of a deck's stream is the number of its
        shuffles, that of dice the number of the die among all of its seat. So no seat's throws
        depend on the actions of another.
        """
        match state.todo[-1]:
            case "locations":
                return Shuffle("locations", self._location_deck(luck))
            case "enhancements":
                return Shuffle("enhancements", self._enhancement_deck(luck))
            case "reshuffle_enhancements":
                number = 1 + state.enhancement_shuffles
                order = luck.shuffle("enhancements", number, tuple(sorted(state.enhancements)))
                return Shuffle("enhancements", order)
            case "goblins":
                goblins = [card for card in self.box.events if card.startswith("goblins:")]
                return RemoveGoblins(
                    tuple(sorted(luck.shuffle("goblins", 0, goblins)[:REMOVED_GOBLINS]))
                )
            case "deal":
                return Shuffle("adventurers", self._deal(state, luck))
            case "reshuffle":
                order = luck.shuffle("deck", 1 + state.shuffles, tuple(sorted(state.discards)))
                return Shuffle("adventurers", order)
            case "starter":
                return Starter(luck.below("starter", 0, self.info.seats))
            case _:
                return self._throw(state, luck)

    def apply(self, state: State, action: AnyAction) -> State:
        """Return the next state; defined for every legal action and chance action."""
        return apply(self.box, state, action)

    def outcome(self, state: State) -> Outcome | None:
        """Return the outcome: most coins, then most Dragonstones, then shared places (DR-33).

        Returns None before the end.
        """
        if state.todo[-1] != "over":
            return None
        result = result_of(self.box, state.sides, state.ruling)
        return scoring.outcome(result.coins, result.stones, state.ruling)

    def observe(self, state: State, seat: Seat) -> view.Observation:
        """Return what ``seat`` may see now."""
        return view.observe(self._printed, state, seat)

    def describe(self, before: State, action: AnyAction, after: State) -> events.Seen:
        """Return, by seat, what it saw of the ply, or None if it saw nothing."""
        return events.describe(self.box, before, action, after)

    def decode_action(self, data: Json) -> AnyAction:
        """Return the action that parsed JSON stands for; raise InvalidActionError if none."""
        return self._names.decode(data)

    def determinize(self, observation: view.Observation, luck: Luck) -> State:
        """Return a random full state that agrees with everything in ``observation``."""
        return determinize(self.box, observation, luck)

    def is_chance_possible(self, state: State, action: AnyAction) -> bool:
        """Return whether ``action`` is an outcome of the chance event that is due in ``state``."""
        task = state.todo[-1]
        match action:
            case Shuffle("locations", cards):
                return task == "locations" and self._is_location_deck(cards)
            case Shuffle("enhancements", cards):
                if task == "enhancements":
                    return self._is_enhancement_deck(cards)
                is_due = task == "reshuffle_enhancements"
                return is_due and sorted(cards) == sorted(state.enhancements)
            case Shuffle("adventurers", cards):
                if task == "deal":
                    return self._is_deal(state, cards)
                return task == "reshuffle" and sorted(cards) == sorted(state.discards)
            case RemoveGoblins(cards):
                found = all(self.box.events.count(card) >= cards.count(card) for card in cards)
                goblins = all(card.startswith("goblins:") for card in cards)
                return task == "goblins" and found and goblins and len(cards) == REMOVED_GOBLINS
            case Starter(seat):
                return task == "starter" and seat in range(self.info.seats)
            case Dice(faces):
                is_due = task == "dice" and len(faces) == _dice_due(state)
                return is_due and all(face in self.box.dice for face in faces)
            case _:
                return False

    def _location_deck(self, luck: Luck) -> tuple[str, ...]:
        piles = {
            level: list(
                luck.shuffle(
                    f"locations:{level}",
                    0,
                    sorted(card.id for card in self.box.locations.values() if card.level == level),
                )
            )
            for level in (0, *LEVELS)
        }
        return tuple(piles[level].pop() for level in self.box.levels)

    def _is_location_deck(self, cards: tuple[str, ...]) -> bool:
        levels = tuple(self.box.locations[name].level for name in cards)
        return levels == self.box.levels and len(set(cards)) == len(cards)

    def _enhancement_deck(self, luck: Luck) -> tuple[str, ...]:
        names = sorted(self.box.enhancements)
        if not self.box.by_level:
            return luck.shuffle("enhancements", 0, names)
        piles = {
            level: luck.shuffle(
                f"enhancements:{level}", 0, [n for n in names if self.box.level[n] == level]
            )
            for level in (1, 2)
        }
        dealt: tuple[str, ...] = ()
        for seat in range(self.info.seats):
            dealt += (*piles[1][2 * seat : 2 * seat + 2], piles[2][seat])
        rest = [name for name in names if name not in dealt]
        return dealt + luck.shuffle("enhancements", 0, rest)

    def _is_enhancement_deck(self, cards: tuple[str, ...]) -> bool:
        if sorted(cards) != sorted(self.box.enhancements):
            return False
        levels = [self.box.level[name] for name in cards[: OFFERED * self.info.seats]]
        return not self.box.by_level or levels == [1, 1, 2] * self.info.seats

    def _deal(self, state: State, luck: Luck) -> tuple[str, ...]:
        """Return the deck to deal; all cards laid out in the setup are number cards.

        Event cards met during the setup go back into the deck.
        """
        numbers = luck.shuffle("hands", 0, self.box.numbers)
        laid_out = self._laid_out()
        left = list(numbers[laid_out:] + self.box.events)
        for card in state.removed:
            left.remove(card)
        return numbers[:laid_out] + luck.shuffle("deck", 0, left)

    def _is_deal(self, state: State, cards: tuple[str, ...]) -> bool:
        if any(map(is_event, cards[: self._laid_out()])):
            return False
        return sorted(cards + state.removed) == list(self._adventurers)

    def _laid_out(self) -> int:
        return START_HAND * self.info.seats + FACE_UP

    def _throw(self, state: State, luck: Luck) -> Dice:
        first = state.sides[state.seat].thrown
        return Dice(
            tuple(
                self.box.dice[luck.below(f"dice:{state.seat}", number, len(self.box.dice))]
                for number in range(first, first + _dice_due(state))
            )
        )


def _dice_due(state: State) -> int:
    attempt = current(state.attempt)
    return len(attempt.cards) - len(attempt.dice)


def _max_plies(box: Box) -> int:
    """Return a proven bound on the plies of a game; DR-46 bounds its turns.

    Let ``extra`` be the cards that all enhancements together can add to a turn. A turn has one of
    two courses: a Rest with a ply for each draw and discard, or an Explore with at most seven:
    explore, play, throw, no reroll, Academy, place, discard, and two for each die that is thrown
    again. Added to this are the declarations of one-time enhancements, the question at the end of
    the turn and discards to the limit. In the whole game every lasting enhancement is turned up
    once and every card bought once, with a shuffle and a question.

    At most 10 cards, and as many as the enhancements demand, leave the hands in a turn, and one for
    each purchase. A card that is drawn has left a hand or is held at the end, so these and the
    hands bound the number cards drawn, rockslides that fall short included. A fresh deck holds all
    number cards that are not held, and two rockslides that ask every seat.
    """
    names = tuple(box.enhancements)
    extra = box.total(names, "draw_extra") + box.total(names, "draw")
    discards = box.total(names, "then_discard")
    one_time = len(names) - len(box.lasting)
    explore = 7 + 2 * box.total(names, "reroll_dice")
    course = max(2 + extra + discards, explore) + one_time + 1 + (3 + extra)
    held = HAND_LIMIT * box.seats + 3 + extra
    drawn = box.last_turn * (10 + extra + discards) + len(names) + held
    decks = 2 + drawn // max(1, len(box.numbers) - held - FACE_UP)
    return 6 + box.seats + 4 * len(names) + box.last_turn * course + decks * (1 + 2 * box.seats)
