"""Rules and schemas by name, for programs."""

from __future__ import annotations

from typing import Any

from arena.cli.api.documents import schema_of
from arena.cli.api.errors import checked
from arena.games.base import Action, Rules
from arena.games.registry import make_rules, rules_spec


@checked()
def rules(name: str, seats: int | None = None, **options: Any) -> Rules[Any, Action]:
    """Return the rules of a game, with its interface as in docs/simulator.md.

    ``seats``: None for the usual number. ``options``: options of the rules. Raises Error.
    """
    from arena.games.registry import GAMES
    from arena.values.problems import check_one_of

    if name not in GAMES:  # games of families are in it, but not in its list
        check_one_of("rules", name, sorted(GAMES))
    return make_rules(rules_spec(name, seats, options))


@checked()
def schema(what: str) -> dict[str, Any]:
    """Return a JSON Schema, as ``arena schema`` prints it. Raises Error for an unknown name."""
    return schema_of(what, "schema")
