"""Fleets for the tests of executors, which pretend to have hosts or have real ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final

import pytest

from arena.extensions.machines.fleet import Fleet
from arena.tournament.executor import Executor
from tests.extensions.machines.transports import Beside, Pretended, Pretender, bare_setup
from tests.tournament.tables import SEEDS, dragonheart, player

NAMES: Final = ("a", "b", "c")


def pretended(places: int) -> AbstractContextManager[Executor]:
    hosts = [Pretender(f"h{number}", 1) for number in range(places)]
    return Fleet(Pretended(*hosts), bare_setup(), SEEDS)


@contextmanager
def hosts(places: int) -> Iterator[Executor]:
    """Real ones, each a process of its own: the first has all places but one, if there are more."""
    setup = bare_setup(*map(player, NAMES), rules=dragonheart())
    with (
        Beside(*filter(None, (max(1, places - 1), min(1, places - 1)))) as beside,
        Fleet(beside, setup, SEEDS) as fleet,
    ):
        yield fleet


EXECUTORS: Final = [
    pretended,
    pytest.param(hosts, marks=[pytest.mark.soak, pytest.mark.process]),
]
