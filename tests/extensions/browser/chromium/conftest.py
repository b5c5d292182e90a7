"""Chromium, and pages that may neither complain nor ask for anything but themselves."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from playwright import sync_api

from arena.extensions.browser.viewer.viewer import asset, board_scripts, board_styles

WIDE: Final[sync_api.ViewportSize] = {"width": 1280, "height": 800}
NARROW: Final[sync_api.ViewportSize] = {"width": 360, "height": 740}
_PATIENCE_MS: Final = 30_000
"""Milliseconds until an expected change of a page counts as missing, also on a busy machine."""
_PICTURES: Final = "ARENA_SCREENSHOTS"
"""Names a folder, which is made if need be."""
_NAMES: Final = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


@pytest.fixture(scope="package")
def browser() -> Iterator[sync_api.Browser]:
    """The Chromium of this machine; without one tests are skipped, unless pictures are wanted.

    It ends with the last test of this folder: it is large, and other tests have no use for it.
    """
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        if os.environ.get(_PICTURES):
            pytest.fail(f"found no Chromium, and {_PICTURES} wants pictures")
        pytest.skip("needs Chromium")
    sync_api.expect.set_options(timeout=_PATIENCE_MS)
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


class Windows:
    """Pages in windows that stay: those of a new one take four times as long.

    What a page stored, or was permitted, is forgotten when it is closed. Of pages that are open at
    the same time none shares anything with another.
    """

    def __init__(self, browser: sync_api.Browser) -> None:
        self._browser = browser
        self._free: dict[str, list[sync_api.BrowserContext]] = {}

    @contextmanager
    def page(self, **options: Any) -> Iterator[sync_api.Page]:
        """A new page; options are those of ``Browser.new_page``."""
        options = {"viewport": WIDE} | options
        free = self._free.setdefault(repr(sorted(options.items())), [])
        window = free.pop() if free else self._browser.new_context(**options)
        page = window.new_page()
        try:
            yield page
            with contextlib.suppress(sync_api.Error):  # a page without an origin stores nothing
                page.evaluate("localStorage.clear()")
        finally:
            page.close()
        window.clear_permissions()
        window.clear_cookies()
        free.append(window)


@pytest.fixture(scope="package")
def windows(browser: sync_api.Browser) -> Windows:
    return Windows(browser)


@pytest.fixture
def open_page(windows: Windows) -> Iterator[Callable[..., sync_api.Page]]:
    """Opens an HTML file as a person does, from disk; options are those of ``new_page``.

    At the end of the test nothing may have been told on the console, and nothing been asked for
    but files beside the page.
    """
    complaints: list[str] = []

    def opened(file: Path, fragment: str = "", **options: Any) -> sync_api.Page:
        page = pages.enter_context(windows.page(**options))
        page.set_default_timeout(_PATIENCE_MS)
        page.on("console", lambda message: complaints.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        beside = file.resolve().parent.as_uri()

        def asked(url: str) -> None:
            if not url.startswith((beside, "data:", "blob:", "about:")):
                complaints.append(f"request: {url}")

        page.on("request", lambda request: asked(request.url))
        page.goto(file.resolve().as_uri() + fragment)
        return page

    with ExitStack() as pages:
        yield opened
    assert complaints == []


def board_page(folder: Path, game: str, body: str, script: str) -> Path:
    """A page with nothing but the board of a game, which the script draws."""
    styles = "\n".join([asset("theme.css"), asset("cards.css"), *board_styles([game])])
    scripts = [asset("vendor/htm-preact.js"), asset("namespace.js"), *board_scripts([game]), script]
    file = folder / "board.html"
    file.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>board</title>'
        '<meta name="viewport" content="width=device-width">'
        f"<style>{styles}</style>{body}" + "".join(f"<script>{text}</script>" for text in scripts),
        "utf-8",
    )
    return file


def keep_screenshot(page: sync_api.Page, name: str) -> None:
    """Keep a picture of the whole page where screenshots are wanted."""
    if folder := os.environ.get(_PICTURES):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
