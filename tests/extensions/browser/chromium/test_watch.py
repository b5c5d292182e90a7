"""The page of a run that is played: it fills, ends, and asks nobody but the server it came from."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect

from tests.cli.shell import arena, bot, command, environment
from tests.extensions.browser.chromium.conftest import NARROW, WIDE, Windows, keep_screenshot
from tests.rows import some

pytestmark = [pytest.mark.slow, pytest.mark.process]

BOTS = Path(__file__).parents[4] / "bots"


@contextmanager
def serving(run: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """``arena watch --web`` and its address."""
    process = subprocess.Popen(
        command("watch", run, "--web"), env=environment(), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    with process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().strip()
        finally:
            process.terminate()


Watched = Callable[..., AbstractContextManager[Page]]


@pytest.fixture
def watched(windows: Windows) -> Iterator[Watched]:
    """Opens the page of a run that is served, which asks for nothing but what lies below it."""
    complaints: list[str] = []

    @contextmanager
    def opened(run: Path, **options: Any) -> Iterator[Page]:
        with serving(run) as (_, address), windows.page(**options) as page:
            page.set_default_timeout(30_000)
            page.on("console", lambda message: complaints.append(f"console: {message.text}"))
            page.on("pageerror", lambda error: complaints.append(f"error: {error}"))

            def asked(url: str) -> None:
                if not url.startswith((address, "data:")):
                    complaints.append(f"request: {url}")

            page.on("request", lambda request: asked(request.url))
            page.goto(address)
            yield page  # which is closed before the server, which it would miss

    yield opened
    assert complaints == []


def accessible(page: Page) -> None:
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("match")
    done = arena(
        home, "compare", BOTS / "greedy", BOTS / "random", "-g", "dragonheart",
        "-g", "dragonkrak:1", "-q", "-o", "run",
    )  # fmt: skip
    assert done.code == 0
    return home / "run"


def test_a_run_is_watched_to_its_end(tmp_path: Path, watched: Watched) -> None:
    for name in ("anna", "berta"):
        bot(tmp_path, name)
    first = ("run", "-g", "dragonheart", "anna", "berta", "-n", "40", "-o", "run", "-j", "1", "-q")
    running = subprocess.Popen(
        command(*first), cwd=tmp_path, env=environment(), stdout=subprocess.DEVNULL
    )
    with running:
        while not (tmp_path / "run" / "run.json").exists():
            assert running.poll() is None
        with watched(tmp_path / "run") as page:
            expect(page.get_by_role("heading", name="Standings")).to_be_visible()
            expect(page.locator("tbody tr")).to_have_count(2)
            expect(page.locator(".phase")).to_contain_text("finished", timeout=60_000)
            expect(page.locator(".facts").first).to_contain_text("80 of 80")
            expect(page.locator("tbody tr").first).to_contain_text("80")
            expect(page.locator(".rows li")).to_have_count(20)
            expect(page).to_have_title(re.compile("^100 % .* – arena$"))
        assert running.wait(60) == 0


@pytest.mark.parametrize("scheme", some(["dark", "light"], every=2))
@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_a_match_in_every_size_and_colour(match, watched, viewport, scheme) -> None:
    with watched(match, viewport=viewport, color_scheme=scheme) as page:
        expect(page.get_by_role("img", name="log-likelihood ratio")).to_be_visible()
        expect(page.locator(".verdict")).to_contain_text("PASS")
        page.get_by_role("button", name="Dragonkrak").click()
        expect(page.locator("thead")).to_contain_text("deserters")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        accessible(page)
        keep_screenshot(page, f"watch-{'wide' if viewport is WIDE else 'narrow'}-{scheme}")


STAGES = """\
arena: 1
game: dragonheart
seed: 1
schedule: {deals: 1, stages: [{kind: swiss, rounds: 2}, {kind: knockout, first: 4}]}
entrants: [{glob: bot-*}]
"""


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament of two stages whose first round was played."""
    home = tmp_path_factory.mktemp("cup")
    for letter in "abcde":
        bot(home, f"bot-{letter}")
    (home / "cup.yaml").write_text(STAGES)
    assert arena(home, "run", "cup.yaml", "-q", "--rounds", "1", "-o", "run").code == 0
    return home


@pytest.mark.soak
def test_a_tournament_by_rounds_is_followed_to_its_last_tie(cup: Path, watched: Watched) -> None:
    run = cup / "run"
    with watched(run) as page:

        def heads() -> list[str]:
            return page.locator("h2").all_inner_texts()

        expect(page.locator("h2").first).to_have_text("Stage 1, swiss: places after 1 of 2 rounds")
        assert heads()[1:3] == ["Stage 1, swiss: round 1", "Ratings"]
        places = page.get_by_role("region", name="Stage 1, swiss: places")
        expect(places.locator("tbody tr")).to_have_count(5)
        expect(page.get_by_role("region", name="round 1")).to_contain_text("bye")
        assert arena(cup, "run", "cup.yaml", "-q", "-o", "run").code == 0
        expect(page.locator("h2").first).to_have_text("Stage 2, knockout: bracket")
        expect(page.locator(".phase")).to_contain_text("finished")
        assert heads()[1:4] == [
            "Stage 2, knockout: ties, the last ones first",
            "Stage 2, knockout: places",
            "Stage 1, swiss: places after 2 of 2 rounds",
        ]
        expect(page.get_by_role("img", name="Bracket with 3 ties")).to_be_visible()
        expect(page.locator(".facts").first).to_contain_text("2 of 2")
    for viewport in (WIDE, NARROW):
        for scheme in ("light", "dark"):
            with watched(run, viewport=viewport, color_scheme=scheme) as page:
                expect(page.get_by_role("img", name="Bracket with 3 ties")).to_be_visible()
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
                accessible(page)
                size = "wide" if viewport is WIDE else "narrow"
                keep_screenshot(page, f"watch-rounds-{size}-{scheme}")


HIDE = """is => {
    Object.defineProperty(document, "hidden", { value: is, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_a_server_that_is_away_is_told_and_found_again(match: Path, browser: Browser) -> None:
    asked: list[str] = []

    def away(route: Route) -> None:
        route.abort()

    with serving(match) as (_, address):
        page = browser.new_page()
        page.clock.install()
        page.on("request", lambda request: asked.append(request.url))
        page.goto(address)
        expect(page.locator(".phase")).to_contain_text("finished")

        page.route("**/state", away)
        page.clock.run_for(10_000)
        expect(page.get_by_text("No answer.")).to_be_visible()
        expect(page.locator("tbody tr")).to_have_count(2)
        page.unroute("**/state", away)
        page.clock.run_for(20_000)
        expect(page.get_by_text("No answer.")).to_be_hidden()

        page.evaluate(HIDE, True)
        asked.clear()
        page.clock.run_for(60_000)
        assert asked == [], "nobody looks"
        with page.expect_request("**/state"):
            page.evaluate(HIDE, False)
        page.close()


def test_names_are_text(tmp_path: Path, match: Path, watched: Watched) -> None:
    text = "<img src=x onerror=alert(1)>"
    run = tmp_path / "run"
    run.mkdir()
    for name in ("run.json", "games.jsonl", "match.json"):
        (run / name).write_text((match / name).read_text())
    found = (run / "run.json").read_text()
    (run / "run.json").write_text(found.replace('"name": "run"', f'"name": "{text}"', 1))
    with watched(run) as page:
        expect(page.get_by_role("heading", name=text)).to_be_visible()
        assert page.locator("img").count() == 0
