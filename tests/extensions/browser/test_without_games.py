"""Tables of a run are made of its folder alone: nobody needs the game that was played."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from arena.extensions.browser.page.games import parse_wanted
from arena.extensions.browser.page.render import html
from arena.extensions.browser.page.report import RunReport
from arena.games.game import Game
from arena.games.installed import GameError
from arena.games.registry import Games
from arena.runs.disk import StoreError
from arena.runs.reader import StoredRun
from arena.views.standings.measured import full_section
from arena.views.standings.standings import FORMS, StandingsTable, parts_of, render, table_of
from tests.views.played import run_of

_DRAWING: Final = re.compile(r"(<(style|script).*?</\2>|<meta[^>]*>)\n?", re.DOTALL)
"""What draws boards, which a report without games to step through has too."""


def shown(folder: Path) -> list[str]:
    """Every form of the table, the full page, and the report without games to step through."""
    run = StoredRun(folder)
    full = StandingsTable("cup", tuple(full_section(part) for part in parts_of(run)))
    tables = [render(table, form) for table in (table_of(run), full) for form in FORMS]
    draft = RunReport(run, parse_wanted("0"), is_public=False)
    return [*tables, _DRAWING.sub("", html(draft.page("", int), {}))]


def test_a_table_needs_no_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = run_of(tmp_path / "run", deals=2)
    known = shown(folder)

    def lacking(games: Games, name: str) -> Game:
        raise GameError(games.unknown(name))

    monkeypatch.setattr(Games, "__getitem__", lacking)
    monkeypatch.setattr(Games, "__contains__", lambda games, name: False)
    with pytest.raises(StoreError, match="expected one of"):
        StoredRun(folder).rules("dragonheart-2")
    assert shown(folder) == known
    assert any("provisional card data" in text for text in known)
