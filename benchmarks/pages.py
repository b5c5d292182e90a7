"""How quickly the pages open and step, in a Chromium without a window.

    python -m benchmarks.pages [--run RUN]

Plays 1,000 games, writes their report and opens it; then steps through the longest of some games
of Dragonrealm for four, with a key pressed sixty times a second for five seconds. With ``--run``
the report is that of another run. Needs Chromium and playwright.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from arena.runs.reader import StoredRun

ROOT: Final = Path(__file__).parent.parent
DEALS: Final = 500
STEPS: Final = 300
PER_SECOND: Final = 60
_WIDE: Final[ViewportSize] = {"width": 1280, "height": 800}
_PRESS: Final = """async ([steps, perSecond]) => {
  const shown = new Set();
  let frames = 0, looking = true;
  const look = () => {
    frames += 1;
    shown.add(document.querySelector(".move[aria-current]")?.dataset.ply);
    if (looking) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  const began = performance.now();
  for (let step = 1; step <= steps; step += 1) {
    dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
    const due = began + (step * 1000) / perSecond - performance.now();
    await new Promise((resolve) => setTimeout(resolve, Math.max(due, 0)));
  }
  const seconds = (performance.now() - began) / 1000;
  looking = false;
  return { seconds, frames, shown: shown.size };
}"""


def main() -> int:
    options = _options()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        print("found no Chromium", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="arena-pages-") as scratch, sync_playwright() as driver:
        folder = Path(scratch)
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        _report(browser, options.run or _played(folder / "run", "dragonheart", 2, DEALS), folder)
        _steps(browser, _played(folder / "long", "dragonrealm", 4, 2), folder)
        browser.close()
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pages", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--run", type=Path, help="a run folder")
    return parser.parse_args()


def _arena(*arguments: object) -> float:
    """Run a command; the seconds it took."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "arena", *map(str, arguments)]
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True)
    return time.perf_counter() - began


def _played(folder: Path, game: str, seats: int, deals: int) -> Path:
    bots = ["bots/random", "bots/greedy", "bots/random", "bots/greedy"][:seats]
    _arena("run", "-g", game, "-s", seats, *bots, "-n", deals, "-q", "-o", folder, "--seed", "1")
    return folder


def _report(browser: Browser, run: Path, folder: Path) -> None:
    games = sum(1 for _ in StoredRun(run).games())
    target = folder / "report.html"
    seconds = _arena("report", run, "-o", target, "-q")
    beside = sum(file.stat().st_size for file in folder.glob("report-games/*"))
    size = target.stat().st_size
    print(f"report of {games} games: {size / 1e6:.1f} MB and {beside / 1e6:.1f} MB beside it,")
    print(f"  written in {seconds:.1f} s")
    for attempt in ("first", "again"):
        page, opened = _opened(browser, target, "#list a")
        print(f"  {attempt}: opened in {opened:.2f} s")
        page.close()


def _opened(browser: Browser, file: Path, wanted: str) -> tuple[Page, float]:
    """The page, and the seconds until something wanted is there and two frames are drawn."""
    page = browser.new_page(viewport=_WIDE)
    began = time.perf_counter()
    page.goto(file.as_uri())
    page.locator(wanted).first.wait_for()
    page.evaluate("new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))")
    return page, time.perf_counter() - began


def _steps(browser: Browser, run: Path, folder: Path) -> None:
    longest = max(StoredRun(run).games(), key=lambda game: game.result.plies)
    target = folder / "game.html"
    _arena("replay", run, longest.result.spec.game_id, "--html", "-o", target)
    page, opened = _opened(browser, target, ".move[aria-current]")
    page.keyboard.press("Home")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    before = _busy(session)
    told: dict[str, Any] = page.evaluate(_PRESS, [STEPS, PER_SECOND])
    busy = (_busy(session) - before) / STEPS * 1000
    plies = longest.result.plies
    print(f"game of {plies} plies: {target.stat().st_size / 1e6:.1f} MB, opened in {opened:.2f} s")
    print(f"  {STEPS} plies in {told['seconds']:.2f} s: {STEPS / told['seconds']:.0f} a second,")
    print(f"  {told['shown']} of them drawn in {told['frames']} frames,")
    print(f"  {busy:.1f} ms of the page's thread for each ply")
    page.close()


def _busy(session: Any) -> float:
    """Seconds for which the thread of the page has worked."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(float(each["value"]) for each in metrics if each["name"] == "TaskDuration")


if __name__ == "__main__":
    sys.exit(main())
