"""The pictures of the pages, from the runs of the tutorial: ``python -m docs.tools.pictures``.

Needs the extra ``test`` and a Chromium (``CHROMIUM`` names it, if it is not on the path).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, sync_playwright

from docs.tools.steps import TUTORIAL, File, steps

ROOT: Final = Path(__file__).parents[2]
PICTURES: Final = ROOT / "docs" / "pictures"
RUN: Final = "runs/mine"
"""Run of the tutorial that has the report."""
GAME: Final = "1"
PLY: Final = 24
"""Ply of the game with something on the board."""


def arena(folder: Path, words: list[str]) -> None:
    """Run a command in the folder."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-m", "arena", *words], cwd=folder, env=environment, check=True)


def play(folder: Path) -> None:
    """Follow the tutorial in the folder."""
    for name in ("bots", "tournaments"):
        (folder / name).symlink_to(ROOT / name)
    for step in steps(TUTORIAL.read_text("utf-8")):
        if isinstance(step, File):
            (folder / step.name).write_text(step.text, "utf-8")
        elif step.words[0] == "arena":
            arena(folder, step.words[1:])


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
        play(folder)
        arena(folder, ["replay", RUN, GAME, "--html", "-o", "game.html"])
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        report, game = folder / RUN / "report.html", folder / "game.html"
        for scheme in ("light", "dark"):
            picture = take(browser, scheme, report, "", (1000, 760))
            (PICTURES / f"report-{scheme}.png").write_bytes(picture)
        picture = take(browser, "light", game, f"#ply={PLY}&view=all", (1180, 860))
        (PICTURES / "viewer.png").write_bytes(picture)
        browser.close()


if __name__ == "__main__":
    main()
