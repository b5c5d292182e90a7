"""What is public changes only on purpose."""

from __future__ import annotations

import difflib
import re

import pytest

import arena
from docs.tools.steps import ROOT
from tests.extensions.data.api.public import FILE, text

ADVICE = """\
What docs/stability.md calls public has changed:

{changes}

Was that meant? A removed or changed line needs a new major version, or for a document or table
the next number behind its name; a new line needs a new minor version. Then write CHANGELOG.md and

    python -m tests.extensions.data.api.public
"""


@pytest.mark.extensions
def test_what_is_public_is_as_it_was() -> None:
    before, now = FILE.read_text("utf-8").splitlines(), text().splitlines()
    changes = "\n".join(difflib.unified_diff(before, now, "before", "now", lineterm="", n=0))
    assert not changes, ADVICE.format(changes=changes)


@pytest.mark.extensions("authors")
def test_a_changed_name_is_shown_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    def rate(rows: object, weights: object = None) -> None:
        """Another signature."""

    monkeypatch.setattr(arena, "rate", rate, raising=False)
    with pytest.raises(AssertionError) as failed:
        test_what_is_public_is_as_it_was()
    told = str(failed.value)
    assert "-arena.rate(rows: 'Iterable[Any]'" in told
    assert "+arena.rate(rows: 'object', weights: 'object' = None)" in told
    assert "python -m tests.extensions.data.api.public" in told


def test_the_page_lists_every_name() -> None:
    page = (ROOT / "docs" / "api.md").read_text("utf-8")
    named = set(re.findall(r"`arena\.(\w+)", page))
    assert {*arena.__all__} <= named
