"""The page of an unveiling: keys, sizes of windows, and what it says to those who do not see it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from arena.extensions.browser.unveil.page import page as page_of
from arena.extensions.browser.unveil.steps import Unveiling, unveiling
from arena.runs.reader import StoredRun
from tests.extensions.browser.site.competitions import swiss

pytestmark = [pytest.mark.slow, pytest.mark.process, pytest.mark.extensions("rounds")]

Open = Callable[..., Page]
SIZES = {"phone": (390, 844), "projector": (1280, 720), "large": (3840, 2160)}


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Unveiling, Path]:
    folder = tmp_path_factory.mktemp("unveil")
    made, *_ = swiss(folder / "cup", 24, 5, 2)
    made.finish()
    found = unveiling(StoredRun(made.folder), 3)
    (folder / "unveil.html").write_text(page_of(found))
    return found, folder / "unveil.html"


@pytest.mark.parametrize("size", SIZES)
def test_it_is_legible_at_every_size(shown, open_page: Open, size: str) -> None:
    width, height = SIZES[size]
    scheme = "light" if size == "projector" else "dark"
    page = open_page(shown[1], viewport={"width": width, "height": height}, color_scheme=scheme)
    for step in range(12):
        page.keyboard.press("PageDown")
        marked = page.locator("tr.next" if step % 2 == 0 else "tr.done").first
        expect(marked).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert page.evaluate("document.documentElement.scrollHeight - innerHeight") <= 0
    for key in ("PageUp", "End"):
        page.keyboard.press(key)
        page.wait_for_timeout(1000)  # colours change slowly
        found = Axe().run(page, options={"preload": False}).response["violations"]
        assert [each["id"] for each in found] == []
    said, frame = page.locator("#said").bounding_box(), page.locator("#frame").bounding_box()
    assert said["y"] + said["height"] <= frame["y"], "the table covers no sentence"


def test_keys_go_from_the_known_table_to_the_final_one_and_back(shown, open_page: Open) -> None:
    found, path = shown
    page = open_page(path)
    names = page.locator("#rows th")
    known = [bot.name for bot in sorted(found.bots, key=lambda bot: bot.known)]
    assert names.all_inner_texts() == known
    page.keyboard.press("ArrowRight")
    expect(page.locator("#said")).to_have_text(f"Next: {found.bots[-1].name}")
    page.get_by_role("button", name="next").click()
    last = f"Place {found.bots[-1].place}: {found.bots[-1].name}, {found.bots[-1].value}"
    expect(page.locator("#said")).to_have_text(last)
    page.keyboard.press("End")
    shown_names = [text.split("\n")[0] for text in names.all_inner_texts()]
    assert shown_names == [bot.name for bot in found.bots]
    expect(page.locator("#said")).to_have_text(found.end)
    expect(page.get_by_role("button", name="next")).to_be_disabled()
    page.keyboard.press("Home")
    assert names.all_inner_texts() == known
