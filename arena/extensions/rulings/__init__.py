"""Rule on bots and games of a run, as the organiser of a competition.

A ruling is a line of entries.jsonl with its author and its reason. What follows from it is read
with the games, see ``runs.growth.rulings``; this extension has the command that makes them.
"""

from __future__ import annotations

from arena.extensions import Extension, listed

_COMMANDS = f"{__name__}.commands"

EXTENSION = Extension(
    name="rulings",
    summary="Disqualify bots, and rule on games, with a reason that everybody sees.",
    commands=tuple(
        listed(_COMMANDS, "Host", (15, "ruling", "Rule on a bot or a game, with a reason."))
    ),
    documents={"arena.rulings/1": f"{_COMMANDS}.ruling:RulingsDocument"},
)
