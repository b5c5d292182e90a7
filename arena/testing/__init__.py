"""The contract of rules engines, for the tests of packages that bring a game.

In a test of such a package:

    @pytest.mark.parametrize("check", contract(GAME, games=50))
    def test_contract(check: Check) -> None:
        check()

Public modules, from which other floors may import:

    contract
"""

from arena.games.base import Transition
from arena.testing.checks import CHECKS
from arena.testing.contract import Check, ContractResult, contract, results
from arena.testing.play import ContractError, PlayedGame, play

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
