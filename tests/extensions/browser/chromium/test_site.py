"""The pages of a site in a real browser: sorted tables, a game, a narrow window, no script."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from arena.extensions.browser.site.write import Options, write_site
from arena.runs.reader import StoredRun
from tests.extensions.browser.chromium.conftest import NARROW
from tests.extensions.browser.site.competitions import DAY, Competition
from tests.rows import some

pytestmark = [pytest.mark.slow, pytest.mark.process]

Open = Callable[..., Page]
KINDS = (
    "index.html",
    "bots/anna.html",
    "rounds/index.html",
    "rounds/2026-01-02.html",
    "about.html",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That of a league over some days."""
    folder = tmp_path_factory.mktemp("site")
    made = Competition(folder / "cup", ("anna", "berta", "carla"), deals=6)
    made.play({"anna": 200.0}, every=DAY // 10)
    write_site(StoredRun(made.folder), folder / "public", Options())
    return folder / "public"


@pytest.mark.parametrize("page", some([*KINDS], every=4))
@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_pages_are_legible_for_everybody(site: Path, open_page: Open, page: str, size: str) -> None:
    narrow = {"viewport": NARROW, "color_scheme": "dark"}
    shown = open_page(site / "index.html", **(narrow if size == "narrow" else {}))
    shown.goto((site / page).as_uri())
    found = Axe().run(shown, options={"preload": False}).response["violations"]
    assert [each["id"] for each in found] == []
    expect(shown.get_by_role("link", name="Feed")).to_be_visible()
    wide = shown.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, "the page itself never scrolls to the side"


def test_tables_are_sorted_and_games_open(site: Path, open_page: Open) -> None:
    page = open_page(site / "index.html")
    names = page.locator(".r-standings tbody th")
    before = names.all_inner_texts()
    page.get_by_role("button", name="bot", exact=True).click()
    assert names.all_inner_texts() == sorted(before)
    page.get_by_role("link", name="watch").first.click()
    expect(page.get_by_text("what everybody saw")).to_be_visible()
    page.get_by_role("link", name="cup").click()
    expect(page.get_by_role("heading", name="Standings")).to_be_visible()


def test_without_scripts_everything_but_games_is_there(site: Path, open_page: Open) -> None:
    page = open_page(site / "index.html", java_script_enabled=False)
    expect(page.get_by_role("heading", name="Latest games")).to_be_visible()
    page.get_by_role("link", name="anna").first.click()
    expect(page.get_by_role("heading", name="Over time")).to_be_visible()
    page.get_by_role("link", name="watch").first.click()
    expect(page).to_have_title(re.compile("anna"))
