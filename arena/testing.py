"""The contract of rules engines, for the tests of packages that bring a game.

In a test of such a package:

    @pytest.mark.parametrize("check", contract(GAME, games=50))
    def test_contract(check: Check) -> None:
        check()

The extension ``authors`` brings it. Types are in the stub beside this file.
"""

import arena

_HOME = "arena.extensions.authors.contract"


def __getattr__(name: str) -> object:
    """Load a name of the contract."""
    return arena.load(f"testing.{name}", f"{_HOME}:{name}")
