"""Documents of ``--json`` and their schemas."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

import arena
from arena.cli.documents import documents, schema_of

ROOT: Final = Path(arena.__file__).parent


@pytest.mark.extensions
def test_every_document_has_a_schema() -> None:
    files = {"arena.pack/1", "arena.site/1", "arena.site-ratings/1", "arena.tables/1"}
    sources = (path.read_text("utf-8") for path in ROOT.rglob("*.py"))
    named = {name for text in sources for name in re.findall(r'"(arena\.[a-z-]+/\d+)"', text)}
    assert {*documents()} == named - files - {"arena.viewer/4"}
    for name in documents():
        assert schema_of(name)["title"] == name
