"""Registration of OpenSpiel's games as a family of games of arena."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from arena.extensions.games.openspiel.state import (
    ACTION_TYPES,
    Event,
    Observation,
    SpielGame,
    installed,
)
from arena.extensions.games.openspiel.table import GAMES
from arena.games.base import Rules, RulesError
from arena.games.game import Family, Game

_EXTRA: Final = "openspiel"


def _members() -> Mapping[str, str]:
    return {
        member: f"{row.title} (cannot be played)" if row.reason else row.title
        for member, row in GAMES.items()
    }


def _load(member: str) -> Game:
    row = GAMES[member]
    if row.reason:
        raise RulesError(("rules",), row.reason)
    try:
        facts = installed(member, row.title, row.seats, row.scale)
    except ModuleNotFoundError as error:
        text = f"it needs {error.name}: pip install 'botarena[{_EXTRA}]'"
        raise RulesError(("rules",), text) from None
    except LookupError as error:
        raise RulesError(("rules",), str(error.args[0])) from None
    return game_of(facts)


def game_of(facts: SpielGame) -> Game:
    """Return the game of these facts."""

    def build(
        seats: int, options: Mapping[str, object], data: Mapping[str, object]
    ) -> Rules[Any, Any]:
        from arena.extensions.games.openspiel.rules import OpenSpielRules

        return OpenSpielRules(facts, seats, options, data)

    return Game(
        name=facts.name,
        title=facts.title,
        package=__package__,
        seats=facts.seats,
        options=facts.options,
        build=build,
        action_types=ACTION_TYPES,
        observation_type=Observation,
        event_types=(Event,),
        extra=_EXTRA,
    )


FAMILY: Final = Family("openspiel", "Games of OpenSpiel", _members, _load)
