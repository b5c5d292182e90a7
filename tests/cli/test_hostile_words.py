"""Nothing that others wrote reaches a terminal or a page as more than text."""

from __future__ import annotations

import io
import unicodedata

import pytest

from arena.cli.terminal import console
from arena.values import clean

HOSTILE = "a\x1b[2Jb\x1b]0;t\x07c\x9b1md\u202ee\u2066f\u200bg\x08\x7f\r\ue000\ud800z"


@pytest.mark.parametrize("is_colored", [True, False])
def test_only_our_attributes_pass_and_only_in_colour(
    is_colored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(console, "has_color", lambda each: is_colored)
    ours = "\x1b[1mbold\x1b[0m \x1b[31mred\x1b[0m\x1b[1;32mpass\x1b[0m"
    shown = console.harmless(f"{ours}\t{HOSTILE}\n\x1b[8mhidden\x1b[1;1H", stream)
    assert shown.startswith(ours) is is_colored
    rest = shown.removeprefix(ours)
    assert not {c for c in rest if unicodedata.category(c) in clean.UNSAFE} - {"\n", "\t"}
    assert console.harmless(shown, stream) == shown
