"""The rules of Dragonkrak for one to four seats, behind the interface of every rules engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, get_args

from arena.extensions.games.dragonkrak.rules import actions, events, legal, setup, turn, view
from arena.extensions.games.dragonkrak.rules.actions import (
    AnyAction,
    ChanceAction,
    End,
    Exchange,
    Fly,
    Place,
    Recruit,
    Remove,
    Volunteers,
)
from arena.extensions.games.dragonkrak.rules.cards import DECK, MAX_TURNS, TOKENS, TROOPS
from arena.extensions.games.dragonkrak.rules.determinize import determinize
from arena.extensions.games.dragonkrak.rules.space import action_space
from arena.extensions.games.dragonkrak.rules.state import Phase, State, initial_state, outcome_of
from arena.games.base import CHANCE, NOBODY, Json, Option, RulesError, RulesInfo
from arena.games.luck import Luck
from arena.values.results import Outcome, RulesSpec, Seat

OPTIONS: Final = (
    Option(
        name="hero_value",
        choices=("nearest", "declared"),
        default="nearest",
        help="whether a hero takes the next value, or any that fits",
    ),
    Option(
        name="volunteers_counts",
        choices=(True, False),
        default=True,
        help="whether inserting volunteers is enough for a turn",
    ),
    Option(
        name="variant",
        choices=("standard", "two_dragons"),
        default="standard",
        help="whether the undead dragon is in play as well",
        seats=(1,),
    ),
)
SEATS: Final = (1, 2, 3, 4)

_TACTICS, _FLIGHT, _RECRUIT = Phase.TACTICS, Phase.FLIGHT, Phase.RECRUIT


class DragonkrakRules:
    """Rules engine of Dragonkrak, immutable. Takes complete, valid options and no data."""

    def __init__(
        self, seats: int, options: Mapping[str, object], data: Mapping[str, object]
    ) -> None:
        for key in data:
            raise RulesError(("data", key), f"expected no data, got {key!r}")
        self.info = RulesInfo(
            name="dragonkrak",
            title="Dragonkrak",
            seats=seats,
            max_plies=_max_plies(seats),
            score="deserters" if seats == 1 else "cards left",
            worst_score=len(TROOPS) if seats == 1 else len(DECK),
            less_is_better=True,
            public=view.PUBLIC,
            unused=("fly", "imprisoned", "undead_dragon", "tokens") if seats == 1 else (),
        )
        self.spec = RulesSpec("dragonkrak", seats, dict(options), {})
        self._declared = options["hero_value"] == "declared"
        self._counts = options["volunteers_counts"] is True
        two_dragons = options.get("variant") == "two_dragons"
        self._initial = initial_state(seats, two_dragons=two_dragons)

    def initial_state(self) -> State:
        """Return the state in which nothing is dealt yet."""
        return self._initial

    def to_act(self, state: State) -> Seat:
        """Return the seat that decides, CHANCE or NOBODY."""
        phase = state.phase
        if phase is _TACTICS or phase is _FLIGHT or phase is _RECRUIT:
            return state.seat
        return NOBODY if phase is Phase.OVER else CHANCE

    def legal_actions(self, state: State) -> Sequence[AnyAction]:
        """Return the legal actions, placements first, tokens last; never empty."""
        return legal.legal_actions(state, declared=self._declared, counts=self._counts)

    def action_space(self) -> Sequence[AnyAction]:
        """Return all actions of a seat, placements first."""
        return action_space(self.info.unused)

    def chance(self, state: State, luck: Luck) -> ChanceAction:
        """Draw the chance action that is due.

        Streams: "armies", "deck:SEAT" and "camp:SEAT", "tokens:SEAT", "starter".
        """
        return setup.chance(state, luck)

    def apply(self, state: State, action: AnyAction) -> State:
        """Return the next state; defined for every legal action and chance action."""
        if type(action) is Volunteers:
            return turn.volunteers(state, action, counts=self._counts)
        return _EFFECTS.get(type(action), turn.use_token)(state, action)

    def outcome(self, state: State) -> Outcome | None:
        """Return the outcome by cards left, fewest first; with one seat, by its deserters.

        Returns None before the end.
        """
        return outcome_of(state)

    observe = staticmethod(view.observe)
    describe = staticmethod(events.describe)

    def decode_action(self, data: Json) -> AnyAction:
        """Return the action that parsed JSON stands for; raise InvalidActionError if none."""
        return actions.decode(data)

    def determinize(self, observation: view.Observation, luck: Luck) -> State:
        """Return a random full state that agrees with everything in ``observation``."""
        return determinize(observation, luck)

    def is_chance_possible(self, state: State, action: AnyAction) -> bool:
        """Return whether ``action`` is an outcome of the chance event that is due in ``state``."""
        return isinstance(action, ChanceAction) and setup.is_possible(state, action)


_EFFECTS: Final[dict[type[AnyAction], Callable[[State, Any], State]]] = {
    Place: turn.place,
    Fly: turn.fly,
    End: turn.end,
    Remove: turn.remove,
    Exchange: turn.exchange,
    Recruit: turn.recruit,
    **dict.fromkeys(get_args(ChanceAction), setup.apply),
}
"""Effects of all actions but tokens."""


def _max_plies(seats: int) -> int:
    """Return a proven bound on the plies of a game.

    A turn begins with at most three cards in the hand, and each placement, removal, exchange and
    insertion takes one from it; with the end and the flight that makes five plies. In the whole
    game, reinforcements bring one card more and one recruit, and no token is played twice. Chance
    deals armies, camps, tokens and the starter. With one seat every turn but the last leaves one
    card less in the hand and the camp (DK-45); with several the turns are counted (DK-42).
    """
    turns = setup.camp_size(1) if seats == 1 else MAX_TURNS
    return 5 * turns + 2 + len(TOKENS) + 2 + 2 * seats
