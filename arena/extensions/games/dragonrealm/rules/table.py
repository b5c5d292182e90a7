"""The table: a private working copy of a state, with what its pieces and cards can do.

Actions and steps (flow.py, steps.py) change it and then freeze it. Incidents without a decision are
kept with the resulting state, for the description of the ply.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence

from msgspec.structs import astuple, replace

from arena.extensions.games.dragonrealm.rules import scoring
from arena.extensions.games.dragonrealm.rules.box import Box
from arena.extensions.games.dragonrealm.rules.cards import CAMP_STONES, POSITIONS, ROW, Card, Cards
from arena.extensions.games.dragonrealm.rules.incidents import (
    Discarded,
    Final,
    Goblins,
    Incident,
    ResultView,
    Revealed,
    Scored,
)
from arena.extensions.games.dragonrealm.rules.state import RowLocation, Side, State, forget
from arena.values.results import Seat


class MutableState:
    """One state in progress."""

    __slots__ = (
        "attempt",
        "box",
        "deck",
        "discards",
        "enhancement_shuffles",
        "enhancements",
        "face_up",
        "goblins",
        "held",
        "incidents",
        "locations",
        "passes",
        "rejected",
        "removed",
        "row",
        "ruling",
        "seat",
        "shuffles",
        "sides",
        "spent",
        "todo",
        "turn",
        "unclaimed",
    )

    def __init__(self, box: Box, state: State) -> None:
        self.box = box
        self.incidents: list[Incident] = []
        self.todo = list(state.todo)
        self.seat = state.seat
        self.turn = state.turn
        self.sides = list(state.sides)
        self.row = list(state.row)
        self.locations = state.locations
        self.unclaimed = state.unclaimed
        self.deck = state.deck
        self.discards = state.discards
        self.face_up = state.face_up
        self.goblins = state.goblins
        self.removed = state.removed
        self.enhancements = state.enhancements
        self.rejected = state.rejected
        self.spent = state.spent
        self.attempt = state.attempt
        self.passes = state.passes
        self.held = state.held
        self.shuffles = state.shuffles
        self.enhancement_shuffles = state.enhancement_shuffles
        self.ruling = state.ruling

    def freeze(self) -> State:
        """Return the state that has been reached."""
        return State(
            tuple(self.todo),
            self.seat,
            self.turn,
            tuple(self.sides),
            tuple(self.row),
            self.locations,
            self.unclaimed,
            self.deck,
            self.discards,
            self.face_up,
            self.goblins,
            self.removed,
            self.enhancements,
            self.rejected,
            self.spent,
            self.attempt,
            self.passes,
            self.held,
            self.shuffles,
            self.enhancement_shuffles,
            self.ruling,
            tuple(self.incidents),
        )

    def tell(self, incident: Incident) -> None:
        """Record an incident."""
        self.incidents.append(incident)

    def active(self) -> tuple[str, ...]:
        """Return the enhancements that apply for the seat whose turn it is (DR-25, DR-47)."""
        shown = self.sides[self.seat].shown
        lasting = tuple([name for name in shown if name in self.box.lasting])
        return lasting + self.attempt.used if self.attempt else lasting

    def draw(self) -> Card:
        """Take the top card of the deck, which must not be empty."""
        card = self.deck[0]
        self.deck = self.deck[1:]
        return card

    def give(self, seat: Seat, cards: Cards) -> None:
        """Add cards to a hand."""
        side = self.sides[seat]
        hand = list(side.hand)
        for card in cards:
            insort(hand, card)
        self.sides[seat] = replace(side, hand=tuple(hand))

    def discard(self, seat: Seat, cards: Cards) -> None:
        """Move cards from a hand to the discards, openly."""
        side = self.sides[seat]
        self.sides[seat] = replace(side, hand=without(side.hand, cards))
        self.discards += cards
        self.held = forget(self.held, cards)

    def discard_unasked(self, cards: Cards) -> None:
        """Discard cards of the seat whose turn it is, without a choice."""
        self.discard(self.seat, cards)
        self.tell(Discarded(self.seat, cards))

    def add_goblin(self, card: Card) -> None:
        """Apply a Goblins! card (DR-11, DR-12, DR-13, DR-14)."""
        slot = self._goblin_slot(card)
        if slot is None or self.goblins == 0:
            self.tell(Goblins(card))
            return
        place = self.row[slot]
        self.goblins -= 1
        self.row[slot] = replace(place, goblins=place.goblins + 1)
        self.tell(Goblins(card, place.location))
        self.score_if_complete(slot)

    def score_if_complete(self, slot: int) -> None:
        """Score and replace a full location at once; a full Dragon ends the game (DR-10)."""
        place = self.row[slot]
        location = self.box.locations[place.location]
        if sum(place.adventurers) + place.goblins < location.spaces:
            return
        self._score(place)
        del self.row[slot]  # DR-15: without a new one the others close up
        if self.box.is_dragon(place.location):
            self.finish()
        elif self.locations:
            self.row.insert(slot, RowLocation(self.locations[0], (0,) * self.box.seats, 0))
            self.tell(Revealed(self.locations[0], slot))
            self.locations = self.locations[1:]

    def finish(self, ruling: str = "") -> None:
        """End the game: score every location in the row as if complete (DR-43).

        ``ruling`` is the one that ends it if no Dragon is complete.
        """
        self.ruling = ruling
        for place in self.row:
            self._score(place)
        self.row = []
        self.todo = ["over"]
        self.tell(Final(*astuple(result_of(self.box, self.sides, ruling))))

    def _goblin_slot(self, card: Card) -> int | None:
        """Return the slot a card names; of two locations the middle is the one without a Dragon.

        Returns None if that location is a Dragon.
        """
        position = POSITIONS.index(card.partition(":")[2])
        if len(self.row) == ROW:
            slot = position
        elif len(self.row) == 1:
            slot = 0
        else:
            slot = (0, int(self.box.is_dragon(self.row[0].location)), 1)[position]
        return None if self.box.is_dragon(self.row[slot].location) else slot

    def _score(self, place: RowLocation) -> None:
        location = self.box.locations[place.location]
        coins, winner = scoring.pay(
            location.reward,
            place.adventurers,
            place.goblins,
            min_share_one=self.box.min_share_one,
        )
        for seat, side in enumerate(self.sides):
            if place.adventurers[seat]:
                self.sides[seat] = replace(
                    side,
                    supply=side.supply + place.adventurers[seat],
                    coins=side.coins + coins[seat],
                    won=(*side.won, location.id) if seat == winner else side.won,
                )
        self.goblins += place.goblins
        if winner is None:
            self.unclaimed += (location.id,)
        self.tell(Scored(location.id, coins, winner))


def stones_of(box: Box, sides: Sequence[Side]) -> tuple[int, ...]:
    """Return the Dragonstones by seat: won locations, adventurers left behind, enhancements."""
    return tuple(
        sum(box.locations[name].stones for name in side.won)
        + min(side.camp, CAMP_STONES)
        + box.total(side.enhancements, "dragonstones")
        for side in sides
    )


def result_of(box: Box, sides: Sequence[Side], ruling: str) -> ResultView:
    """Return the result at the end; ``ruling``: the one that ended the game, or ""."""
    stones = stones_of(box, sides)
    bonus = scoring.stone_bonus(stones)
    return ResultView(
        tuple(
            side.coins + box.total(side.enhancements, "coins") + more
            for side, more in zip(sides, bonus, strict=True)
        ),
        stones,
        bonus,
        tuple(side.enhancements for side in sides),
        ruling,
    )


def without(hand: Cards, cards: Cards) -> Cards:
    """Return the hand after some of its cards have left it."""
    rest = list(hand)
    for card in cards:
        rest.remove(card)
    return tuple(rest)
