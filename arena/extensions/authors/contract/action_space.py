"""The check that rules list all actions that seats can decide on."""

from __future__ import annotations

from typing import Final

import msgspec

from arena.extensions.authors.contract.play import ContractError, PlayedGame
from arena.games.game import Game
from arena.games.luck import Luck, derive_key

_READ_BACK: Final = 50
"""Listed actions that are written and read in each game."""
_SHOWN: Final = 200


def action_space(played: PlayedGame, game: Game) -> int:
    """Check that ``action_space`` has every legal action, each once, and the same when rebuilt."""
    rules, spec = played.rules, played.rules.spec
    listed = [*rules.action_space()]  # type: ignore[attr-defined]  # an optional method
    known = {*listed}
    if len(known) < len(listed):
        raise ContractError("action_space: found an action twice")
    again = game.rules(spec.seats, spec.options, spec.data)
    if [*again.action_space()] != listed:  # type: ignore[attr-defined]  # an optional method
        raise ContractError("action_space: differs when the rules are built again")
    luck = Luck(derive_key("action_space", played.seed))
    for action in luck.shuffle("actions", 0, listed)[:_READ_BACK]:
        found = rules.decode_action(msgspec.json.decode(msgspec.json.encode(action)))
        if found != action:
            raise ContractError(f"action_space: {action!r:.{_SHOWN}} is read as {found!r}")
    tested = 0
    for number, ply in enumerate(played.plies):
        for action in rules.legal_actions(ply.before) if ply.actor >= 0 else ():
            if action not in known:
                raise ContractError(f"ply {number}: action_space: lacks {action!r:.{_SHOWN}}")
            tested += 1
    return tested
