"""Kuhn poker: three cards, two seats, one bet. What arena is told of it."""

from typing import Final

from kuhn_poker.contract import check_state, redeal
from kuhn_poker.rules import ACTION_TYPES, OPTIONS, Event, KuhnRules, Observation

from arena.games.game import Game

GAME: Final = Game(
    name="kuhn",
    title="Kuhn poker",
    package=__package__,
    seats=(2,),
    options=OPTIONS,
    build=KuhnRules,
    action_types=ACTION_TYPES,
    observation_type=Observation,
    event_types=(Event,),
    data_file="deck.yaml",
    page_file="rules.md",
    check_state=check_state,
    redeal=redeal,
)
