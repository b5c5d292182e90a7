"""The pictures of the pages, from the runs of the tutorial: ``python -m docs.tools.pictures``.

Needs the extra ``test`` and a Chromium (``CHROMIUM`` names it, if it is not on the path).
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, sync_playwright

from docs.tools.steps import ROOT, TUTORIAL, clone, follow, shell

PICTURES: Final = ROOT / "docs" / "pictures"
REPORT: Final = "runs/mine/report.html"
VIEWER: Final = "game.html"
"""Pages that the tutorial writes."""
PLY: Final = 95
"""Ply of the game with much on the board."""


def take(browser: Browser, scheme: str, page: Path, anchor: str, size: tuple[int, int]) -> bytes:
    """Return a picture of the top of a page in a colour scheme."""
    width, height = size
    shown = browser.new_page(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    shown.goto(page.as_uri() + anchor)
    shown.wait_for_timeout(500)
    picture = shown.screenshot()
    shown.close()
    return picture


def main() -> None:
    """Play the tutorial and take the pictures."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        folder = Path(scratch)
        for step, done in follow(TUTORIAL.read_text("utf-8"), clone(folder), shell):
            print(*step.words)
            if done.code != step.code:
                sys.exit(done.err)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        report, game = folder / REPORT, folder / VIEWER
        for scheme in ("light", "dark"):
            picture = take(browser, scheme, report, "", (1000, 760))
            (PICTURES / f"report-{scheme}.png").write_bytes(picture)
        picture = take(browser, "light", game, f"#ply={PLY}&view=all", (1180, 860))
        (PICTURES / "viewer.png").write_bytes(picture)
        browser.close()


if __name__ == "__main__":
    main()
