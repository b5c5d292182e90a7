"""Chess keeps the contract of rules, as a package of others tests its game."""

from __future__ import annotations

import pytest

from arena.games.registry import GAMES
from arena.testing import Check, contract

pytest.importorskip("chess")


@pytest.mark.parametrize("check", contract(GAMES["chess"], games=2))
def test_contract(check: Check) -> None:
    check()
