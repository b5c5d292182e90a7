"""A run of three stored games."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.views.game.replays import write_run


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """To be read only."""
    folder = tmp_path_factory.mktemp("runs") / "cup"
    write_run(folder)
    return folder
