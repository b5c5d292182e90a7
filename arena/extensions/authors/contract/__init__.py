"""The contract of rules: tests that every game must pass; packages import ``arena.testing``."""

from arena.extensions.authors.contract.checks import CHECKS
from arena.extensions.authors.contract.play import ContractError, PlayedGame, play
from arena.extensions.authors.contract.tables import Check, ContractResult, contract, results
from arena.games.base import Transition

__all__ = (
    "CHECKS",
    "Check",
    "ContractError",
    "ContractResult",
    "PlayedGame",
    "Transition",
    "contract",
    "play",
    "results",
)
