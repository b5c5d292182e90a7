"""All actions that a seat can ever decide on."""

from __future__ import annotations

from collections.abc import Collection
from itertools import product, starmap
from typing import get_args

from arena.extensions.games.dragonkrak.rules.actions import (
    AnyAction,
    CounterOrder,
    End,
    Epidemic,
    Exchange,
    Fly,
    Imprisoned,
    Overflight,
    Place,
    Recruit,
    Reinforcements,
    Remove,
    UndeadDragon,
    Volunteers,
)
from arena.extensions.games.dragonkrak.rules.cards import (
    ARMIES,
    COLOURS,
    DECK,
    HERO,
    SPACES,
    TOWER,
    TROOPS,
    VALUES,
    ColouredSpace,
    Dragon,
)


def action_space(unused: Collection[str]) -> tuple[AnyAction, ...]:
    """Return all actions of a seat but those of the types ``unused``. Only heroes have values."""
    troops = list(product(TROOPS, ARMIES))
    laid = [*troops, *product([HERO], ARMIES, VALUES)]
    found: tuple[AnyAction, ...] = (
        *starmap(Place, laid),
        *(Place(card, SPACES[TOWER]) for card in TROOPS),
        *starmap(Remove, laid),
        *starmap(Exchange, troops),
        End(),
        *map(Fly, ARMIES),
        *starmap(CounterOrder, product(get_args(ColouredSpace), COLOURS)),
        *starmap(Epidemic, product(ARMIES, (1, 2))),
        Imprisoned(),
        *map(Overflight, get_args(Dragon)),
        Reinforcements(),
        *map(Recruit, dict.fromkeys(DECK)),
        *map(UndeadDragon, ARMIES),
        *starmap(Volunteers, laid),
    )
    return tuple(each for each in found if each.__struct_config__.tag not in unused)
