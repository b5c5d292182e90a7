"""The box: all components that a game with given seats and options is played with."""

from __future__ import annotations

from collections.abc import Mapping

from arena.extensions.games.dragonrealm.rules.actions import (
    FROM_DECK,
    Discard,
    Draw,
    Explore,
    Rest,
)
from arena.extensions.games.dragonrealm.rules.cards import (
    DRAGON,
    KEPT,
    LEVELS,
    POSITIONS,
    ROCKSLIDE_CARDS,
    TURNS_PER_SEAT,
    VALUES,
    WAYS,
    Cards,
    Way,
    location_levels,
)
from arena.extensions.games.dragonrealm.rules.data import CardSet, Enhancement, Location
from arena.games.base import RulesError
from arena.values.results import Seat


class Box:
    """Components of one game, constant.

    Raises RulesError if the cards do not suffice for these seats and options.
    """

    def __init__(self, seats: int, options: Mapping[str, object], cards: CardSet) -> None:
        self.seats = seats
        self.has_alley = options["side"] == "alley"
        self.by_level = options["enhancement_deal"] == "by_level"
        self.min_share_one = bool(options["min_share_one"])
        self.random_starter = options["starter"] == "random"
        self.last_turn = TURNS_PER_SEAT * seats
        self.levels = location_levels(seats)
        self.dice = cards.dice
        self.numbers: Cards = tuple(f"{s}:{value:02d}" for s in cards.suits for value in VALUES)
        self.events: Cards = (
            *(f"goblins:{place}" for place in POSITIONS for _ in range(cards.goblins[place])),
            *ROCKSLIDE_CARDS,
        )
        self.locations: dict[str, Location] = {
            card.id: card for card in cards.locations if card.min_players <= seats
        }
        self.enhancements: dict[str, Enhancement] = {card.id: card for card in cards.enhancements}
        self.level: dict[str, int] = {card.id: card.level for card in cards.enhancements}
        self.lasting = frozenset(card.id for card in cards.enhancements if not card.one_time)
        sources = (FROM_DECK, *self.numbers)
        self.rests = {source: Rest(source) for source in sources}
        self.draws = {source: Draw(source) for source in sources}
        self.discards = {card: Discard(card) for card in self.numbers}
        self.explores = {name: tuple(Explore(name, way) for way in WAYS) for name in self.locations}
        self._check_deal()

    def is_dragon(self, location: str) -> bool:
        """Return whether completing ``location`` ends the game."""
        return self.locations[location].level == DRAGON

    def total(self, names: tuple[str, ...], key: str) -> int:
        """Return the sum of the effect ``key`` over enhancements."""
        return sum([self.enhancements[name].effect.get(key, 0) for name in names]) if names else 0

    def added(self, names: tuple[str, ...], way: Way) -> int:
        """Return what enhancements add to a roll for this way (DR-25)."""
        effects = (self.enhancements[name].effect for name in names)
        return sum(effect["add"] for effect in effects if effect.get("action") == way)

    def neighbour(self, seat: Seat, direction: str) -> Seat:
        """Return the seat to the left, which is the next seat, or to the right (DR-34)."""
        return (seat + (1 if direction == "left" else -1)) % self.seats

    def _check_deal(self) -> None:
        for level in (DRAGON, *LEVELS):
            needed = self.levels.count(level)
            found = sum(card.level == level for card in self.locations.values())
            if found < needed:
                raise RulesError(
                    ("data", "locations"),
                    f"expected at least {needed} of level {level} for {self.seats} seats, "
                    f"got {found}",
                )
        for level, kept in KEPT.items():
            found = sum(card.level == level for card in self.enhancements.values())
            if self.by_level and found < kept * self.seats:
                raise RulesError(
                    ("data", "enhancements"),
                    f"expected at least {kept * self.seats} of level {level} for "
                    f"{self.seats} seats, got {found}",
                )
