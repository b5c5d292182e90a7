"""The board of a game that has none of its own, which also says what a board of one's own gets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from arena.extensions.browser.page.html import game_page as page_of
from arena.extensions.browser.viewer.document import all_views, document
from arena.games.board import GENERIC, Drawing
from arena.games.registry import GAMES
from tests.kuhn.install import loaded
from tests.views.game.viewer_games import random_replay

pytestmark = pytest.mark.slow


def test_a_game_from_outside_is_drawn(tmp_path: Path, open_page: Callable[..., Page]) -> None:
    with loaded(tmp_path):
        replay = random_replay("kuhn", 2)
        file = tmp_path / "game.html"
        file.write_text(page_of(document(all_views(replay))), "utf-8")
    page = open_page(file)
    board = page.locator(".board .generic")
    assert board.locator("section h3").all_inner_texts() == ["●anna", "▲bob"]
    page.keyboard.press("End")
    assert "jack" in board.inner_text() or "queen" in board.inner_text()
    assert page.locator(".notice").count() == 0
    page.evaluate(
        """() => {
          const seen = { note: "one line", board: " +-+\\n |K|\\n", more: [{ text: "a\\n b" }] };
          const props = { observations: { 0: seen }, names: ["anna", "bob"] };
          htmPreact.render(htmPreact.html`<${arena.boards.generic} ...${props} />`,
            document.body.appendChild(document.createElement("aside")));
        }"""
    )
    assert page.locator("aside .generic pre").all_text_contents() == [" +-+\n |K|\n", "a\n b"]
    page.keyboard.press("p")
    assert board.locator("section").count() == 1


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("arena.boards.kuhn = = 1;", "Uncaught SyntaxError: Unexpected token '='"),
        ("arena.boards.kuhn = () => null.more;", "TypeError: Cannot read properties of null"),
        ("", 'no script sets arena.boards["kuhn"]'),
    ],
)
def test_a_board_that_cannot_be_drawn_says_why(script, words, tmp_path, windows) -> None:
    with loaded(tmp_path) as game:
        (tmp_path / "kuhn_poker" / "board.js").write_text(script)
        board = GENERIC._replace(drawing=Drawing((), ("board.js",)))
        GAMES.loaded["kuhn"] = game._replace(board=lambda: board)
        file = tmp_path / "game.html"
        file.write_text(page_of(document(all_views(random_replay("kuhn", 2)))), "utf-8")
    with windows.page() as page:
        page.goto(file.resolve().as_uri())
        notice = page.locator(".board .notice")
        expect(notice).to_contain_text(f"the board of kuhn could not be drawn: {words}")
        assert page.locator(".board .generic section").count() == 2
