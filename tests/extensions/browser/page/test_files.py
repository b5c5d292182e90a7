"""A page and its folder of games are replaced while the disk fails or arena is killed."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.extensions.browser.page import files as page_files
from arena.extensions.browser.page.files import Files
from tests.extensions.publishing.test_folders import Stop, stop_at_every_call

NAME = "cup.html"


def write(folder: Path, text: str) -> None:
    with Files(folder / NAME) as files:
        files.add(1, text * 200)
        files.finish(f"page of {text}")


def content(folder: Path) -> tuple[str, bool]:
    """Return the page, and whether its games are there."""
    page = (folder / NAME).read_text()
    path = folder / "cup-games/001.js"
    return page, path.is_file() and page[-1] * 200 in path.read_text()


@pytest.mark.parametrize("inside", [100, 10_000])
@pytest.mark.parametrize("stop", Stop)
def test_a_page_has_its_games_wherever_its_successor_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: Stop, inside: int
) -> None:
    def old(folder: Path) -> None:
        monkeypatch.setattr(page_files, "INSIDE", 100)
        write(folder, "x")

    def new(folder: Path) -> None:
        monkeypatch.setattr(page_files, "INSIDE", inside)
        write(folder, "y")

    whole = [("page of x", True), ("page of y", inside == 100)]
    for folder in stop_at_every_call(tmp_path, old, new, stop):
        if stop is Stop.KILLED:
            with Files(folder / NAME):  # a report that fails before it writes
                pass
            games = [path.name for path in folder.glob(".cup-games*")]
            assert games == []
        found = content(folder)
        assert found in whole or (found == ("page of y", False) and inside != 100), folder
    assert content(folder) == whole[1]


@pytest.mark.parametrize("stop", Stop)
def test_a_page_that_stays_the_same_has_its_games_wherever_it_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: Stop
) -> None:
    def page(folder: Path) -> None:
        write(folder, "x")

    monkeypatch.setattr(page_files, "INSIDE", 100)
    for folder in stop_at_every_call(tmp_path, page, page, stop):
        if stop is Stop.KILLED:
            with Files(folder / NAME):
                pass
        assert content(folder) == ("page of x", True)
