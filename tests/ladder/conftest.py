from __future__ import annotations

import pytest

from arena.tournament import run


@pytest.fixture(autouse=True)
def records_without_content(monkeypatch: pytest.MonkeyPatch) -> None:
    """The games of these ladders come from memory: their records would count as damaged."""
    monkeypatch.setattr(run, "set_damage_aside", lambda folder: 0)
