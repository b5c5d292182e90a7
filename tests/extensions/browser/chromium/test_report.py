"""The page of a run in a real browser: tables, the list of games, and games in their place."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from arena.extensions.browser.commands.report import ReportOptions, write_run_page
from arena.extensions.browser.page import files
from tests.cli.shell import BOT, arena, bot
from tests.extensions.browser.chromium.conftest import NARROW, keep_screenshot

pytestmark = [pytest.mark.slow, pytest.mark.process]

Open = Callable[..., Page]
LIES = """
import json, sys
asked = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1}), flush=True)
    elif message["type"] == "act":
        asked += 1
        if asked == 40:
            print("<script>document.title = 'taken'</script>", file=sys.stderr, flush=True)
            sys.exit(3)
        print(json.dumps({"type": "action", "id": message["id"], "action": 0}), flush=True)
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of two disciplines with faults."""
    folder = tmp_path_factory.mktemp("reported")
    bot(folder, "anna", BOT)
    bot(folder, "berta", BOT)
    bot(folder, "crasher", LIES)
    (folder / "cup.yaml").write_text(
        "arena: 1\nname: cup\nseed: 1\nschedule: {deals: 2}\nratings: {anchor: anna, elo: 1000}\n"
        "games:\n  - {rules: dragonheart}\n  - {rules: dragonkrak, seats: 1}\n"
        "entrants:\n  - bot: anna\n  - bot: berta\n  - bot: crasher\n"
    )
    done = arena(folder, "run", "cup.yaml", "-q")
    assert done.code == 0, done
    return folder / "runs" / "cup"


@pytest.fixture(scope="module")
def file(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the run, in a folder of its own."""
    path = tmp_path_factory.mktemp("page") / "cup.html"
    write_run_page(ReportOptions(folder=run, output=path, workers=1, quiet=True))
    return path


@pytest.fixture
def show(file: Path, open_page: Open) -> Open:
    """Opens the page, ready to be used."""

    def shown(fragment: str = "", path: Path = file, **options: object) -> Page:
        page = open_page(path, fragment, **options)
        page.wait_for_selector("html[data-ready]", state="attached")
        return page

    return shown


def first_column(page: Page, table: str) -> list[str]:
    return page.locator(f"{table} tbody th").all_inner_texts()


def rows(page: Page) -> list[str]:
    """The numbers of the listed games."""
    return page.locator(".r-list tbody th").all_inner_texts()


def test_tables_are_sorted_by_their_heads(show) -> None:
    page = show("#of-dragonheart-2")
    table = "#of-dragonheart-2 .r-standings table"
    head = page.locator(f"{table} thead th", has_text="bot")
    head.locator("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    assert first_column(page, table) == ["anna", "berta", "crasher"]
    head.locator("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    assert first_column(page, table) == ["crasher", "berta", "anna"]
    by = page.locator(f"{table} thead th", has_text="loss")
    by.locator("button").click()
    losses = page.locator(f"{table} tbody tr td:nth-child({by.evaluate('e => e.cellIndex') + 1})")
    found = [int(text) for text in losses.all_inner_texts()]
    assert found == sorted(found, reverse=True)
    assert page.locator(f"{table} [aria-sort]").count() == 1


def test_disciplines_are_tabs(show) -> None:
    page = show()
    expect(page.get_by_role("tab")).to_have_text(
        ["overall", "Dragonheart, Kosmos edition", "Dragonkrak"]
    )
    expect(page.locator(".r-chapter:visible")).to_have_count(1)
    page.get_by_role("tab", name="Dragonkrak").click()
    expect(page.locator("#of-dragonkrak-1")).to_be_visible()
    expect(page.locator("#of-overall")).to_be_hidden()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("tab", name="Dragonheart")).to_be_focused()
    expect(page.locator("#of-dragonheart-2")).to_be_visible()


def test_the_list_is_filtered(show) -> None:
    page = show()
    output = page.locator(".r-filter output")
    expect(output).to_have_text("18 of 18")
    page.get_by_label("bot", exact=True).select_option("crasher")
    page.get_by_label("discipline", exact=True).select_option("Dragonheart, Kosmos edition")
    expect(output).to_have_text("8 of 18")
    page.get_by_label("fault", exact=True).select_option("any fault")
    faulty = int(output.inner_text().split()[0])
    assert 0 < faulty < 8
    expect(page.locator(".r-list a.r-fault")).to_have_count(faulty)
    page.get_by_label("result", exact=True).select_option("won")
    expect(page.locator(".r-empty")).to_be_visible()
    page.get_by_role("button", name="Clear").click()
    expect(output).to_have_text("18 of 18")
    page.get_by_label("plies from", exact=True).fill("1000")
    expect(output).to_have_text("0 of 18")


def test_the_list_is_sorted_by_a_hidden_column_on_a_phone(show) -> None:
    page = show(viewport=NARROW)
    page.get_by_label("sorted by").select_option("plies")
    lengths = page.locator(".r-list td.r-plies")
    expect(lengths.first).to_be_visible()
    falling = [int(text) for text in lengths.all_inner_texts()]
    assert falling == sorted(falling, reverse=True)
    page.get_by_role("button", name="reverse the order").click()
    assert int(lengths.first.inner_text()) == min(falling)


def test_a_cell_of_the_crosstable_leads_to_the_games_of_the_pair(show) -> None:
    page = show("#of-dragonheart-2")
    page.locator("#of-dragonheart-2 .r-matrix a[href*='bot=anna&against=berta']").click()
    expect(page.get_by_label("bot", exact=True)).to_have_value("anna")
    expect(page.get_by_label("against", exact=True)).to_have_value("berta")
    expect(page.locator(".r-filter output")).to_have_text("4 of 18")
    expect(page.locator("#games")).to_be_in_viewport()


def test_a_game_is_played_in_place_and_left_again(show, run: Path) -> None:
    page = show()
    page.get_by_label("discipline", exact=True).select_option("Dragonheart, Kosmos edition")
    row = page.locator(".r-list tbody tr").first
    scores = [int(text) for text in row.locator(".r-player b").all_inner_texts()]
    row.locator("th a").click()
    expect(page.locator("#report")).to_be_hidden()
    expect(page.locator("#viewer .board")).to_be_visible()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".where b")).to_have_text("ply 0")
    page.keyboard.press("End")
    if scores:
        shown = [int(text) for text in page.locator(".scoreboard .score").all_inner_texts()]
        assert shown == scores
    page.get_by_label("next game of the list").click()
    expect(page).to_have_url(re.compile("#game=.*:1"))
    page.get_by_role("link", name="← Report").click()
    expect(page.locator("#report")).to_be_visible()
    expect(page.locator("#viewer")).to_be_hidden()
    expect(page.get_by_label("discipline", exact=True)).to_have_value("Dragonheart, Kosmos edition")
    page.go_back()
    expect(page.locator("#viewer .board")).to_be_visible()


def test_the_games_of_a_deal_are_stepped_side_by_side(show) -> None:
    page = show("#game=dragonheart-2/anna%2Bberta:1:0&ply=11&view=1")
    names = page.locator(".column-title .name:visible")
    page.get_by_label("other games of the deal").select_option(index=1)
    expect(page.locator(".column-title .where")).to_have_text(["ply 11", "ply 11"])
    page.keyboard.press("ArrowRight")
    expect(page.locator(".column-title .where")).to_have_text(["ply 12", "ply 12"])
    one, other, *rest = names.all_inner_texts()
    assert rest == [other, one]
    assert [each["id"] for each in Axe().run(page).response["violations"]] == []
    page.get_by_role("button", name="exchange the two games").click()
    expect(names).to_have_text([other, one, one, other])
    expect(page.locator(".where b")).to_have_text("ply 12")
    page.set_viewport_size(NARROW)
    expect(page.locator(".stage:visible")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    page.get_by_role("button", name="exchange the two games").click()
    expect(page).to_have_url(re.compile(r"game=[^&]*:1:0&.*beside=[^&]*:1:1"))
    page.keyboard.press("Escape")
    expect(page.locator("#report")).to_be_visible()


def test_an_address_leads_to_a_ply_of_a_view(show) -> None:
    page = show("#game=dragonheart-2/anna%2Bberta:1:1&ply=11&view=1")
    expect(page.locator(".where b")).to_have_text("ply 11")
    expect(page.locator(".views [aria-pressed='true']")).to_contain_text(re.compile("anna|berta"))
    assert page.locator(".board").is_visible()
    page.evaluate("location.hash = '#game=nobody:1'")
    expect(page.get_by_role("status")).to_have_text("This report has no such game.")
    page.get_by_role("link", name="Back to the report").click()
    expect(page.locator("#report")).to_be_visible()


def test_the_menu_leads_to_a_bot_and_a_folded_table(show) -> None:
    page = show()
    page.locator(".r-menu > summary").click()
    page.locator(".r-menu summary", has_text="3 bots").click()
    page.locator(".r-menu").get_by_role("link", name="berta").click()
    expect(page.locator("#bot-berta")).to_be_in_viewport()
    expect(page.locator(".r-menu > ul")).to_be_hidden()
    page.evaluate("location.hash = '#of-dragonheart-2-1'")
    expect(page.locator("#of-dragonheart-2")).to_be_visible()


def test_a_fault_leads_to_its_ply_and_its_words_are_only_words(show) -> None:
    page = show()
    page.locator("#faults").get_by_role("link", name="crasher").click()
    section = page.locator("#bot-crasher")
    section.locator("summary", has_text="crasher: crash").click()
    expect(section.locator("pre").first).to_contain_text("<script>document.title")
    section.locator(".r-quote a").first.click()
    expect(page.locator("#viewer .board")).to_be_visible()
    assert "taken" not in page.title()


def test_games_in_a_folder_are_loaded_when_they_are_opened(
    run: Path, tmp_path: Path, show, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "INSIDE", 1000)
    path = tmp_path / "beside.html"
    write_run_page(ReportOptions(folder=run, output=path, workers=1, quiet=True))
    assert (tmp_path / "beside-games").is_dir()
    page = show(path=path)
    expect(page.locator("#games .r-intro")).to_contain_text("beside-games")
    page.locator(".r-list tbody th a").first.click()
    expect(page.locator("#viewer .board")).to_be_visible()


def test_a_folder_that_is_missing_is_told(run, tmp_path, browser, monkeypatch) -> None:
    monkeypatch.setattr(files, "INSIDE", 1000)
    path = tmp_path / "alone.html"
    write_run_page(ReportOptions(folder=run, output=path, workers=1, quiet=True))
    shutil.rmtree(tmp_path / "alone-games")
    page = browser.new_page()
    page.goto(f"{path.as_uri()}#game=dragonheart-2/anna%2Bberta:1:1")
    expect(page.get_by_role("status")).to_contain_text("001.js is not beside this page")
    page.close()


@pytest.mark.parametrize("options", [{}, {"viewport": NARROW, "color_scheme": "dark"}])
def test_anybody_can_read_it(show, options) -> None:
    page = show("#of-dragonheart-2", **options)
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= page.viewport_size["width"]
    name = "report-narrow-dark" if options else "report"
    keep_screenshot(page, name)
    found = Axe().run(page).response["violations"]
    assert [each["id"] for each in found] == []


def test_print_has_all_disciplines_and_no_controls(show) -> None:
    page = show()
    page.emulate_media(media="print")
    expect(page.locator(".r-chapter:visible")).to_have_count(3)
    expect(page.locator(".r-tabs")).to_be_hidden()


def test_rows_and_columns_keep_their_names_where_a_table_scrolls(show: Open) -> None:
    page = show(viewport=NARROW)
    page.get_by_role("tab", name="Dragonheart").click()
    table = page.locator("table.r-matrix:visible").first
    room = table.locator("..")
    room.evaluate("(room) => { room.style.width = '120px'; room.scrollLeft = 60; }")
    left = room.bounding_box()
    assert left is not None
    room.evaluate("(room) => { room.style.maxHeight = '150px'; room.scrollTop = 20; }")
    for part in ("tbody tr:first-child th", "thead th:first-child"):
        box = table.locator(part).bounding_box()
        assert box is not None
        assert left["x"] - 1 <= box["x"] < left["x"] + 5
    assert left["y"] - 1 <= box["y"] < left["y"] + 5
