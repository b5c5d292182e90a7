"""Makes the pictures of the README from a real run: ``python docs/pictures/make.py``.

Needs the extra ``test`` and a Chromium (``CHROMIUM`` names it, if it is not on the path).
"""

from __future__ import annotations

import html
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, sync_playwright

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
RUN: Final = ("run", "tournaments/quickstart.yaml")
GAME: Final = "1"
PLY: Final = 24
"""Of the game: far enough for a board that has something on it."""

FRAME: Final = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; padding: 14px 18px; width: 930px; background: {paper}; color: {ink};
  font: 13px/1.45 "DejaVu Sans Mono", monospace; white-space: pre; }}
b {{ color: {accent}; }}
</style><b>$</b> arena {command}
{text}"""
COLOURS: Final = {
    "light": {"paper": "#fbfaf7", "ink": "#26241f", "accent": "#1f6f4a"},
    "dark": {"paper": "#16181c", "ink": "#d8d9dc", "accent": "#6fcf97"},
}


def arena(folder: Path, *words: str) -> str:
    """Return what the command prints, on both streams in their order."""
    for name in ("bots", "tournaments"):
        link = folder / name
        if not link.exists():
            link.symlink_to(ROOT / name)
    command = [sys.executable, "-m", "arena", *words]
    done = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
    )
    return done.stdout.rstrip()


def take(browser: Browser, scheme: str, folder: Path, text: str, page_of_game: Path) -> None:
    """Both pictures in one colour scheme."""
    page = browser.new_page(
        viewport={"width": 1180, "height": 860},
        device_scale_factor=1.25,
        color_scheme="dark" if scheme == "dark" else "light",
    )
    shown = folder / f"{scheme}.html"
    words = {"command": " ".join(RUN), "text": html.escape(text)}
    shown.write_text(FRAME.format(**COLOURS[scheme], **words))
    page.goto(shown.as_uri())
    page.locator("body").screenshot(path=HERE / f"terminal-{scheme}.png")
    page.goto(f"{page_of_game.as_uri()}#ply={PLY}&view=all")
    page.wait_for_timeout(500)
    page.screenshot(path=HERE / f"viewer-{scheme}.png")
    page.close()


def main() -> None:
    """Plays, and takes the pictures."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        folder = Path(scratch)
        text = arena(folder, *RUN)
        arena(folder, "replay", "runs/quickstart", GAME, "--html", "-o", "game.html")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for scheme in COLOURS:
            take(browser, scheme, folder, text, folder / "game.html")
        browser.close()


if __name__ == "__main__":
    main()
