from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def from_memory(empty_records: None) -> None:
    """The games of these ladders come from memory."""
