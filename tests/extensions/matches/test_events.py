"""Studies and whom they serve: nothing is printed, everything is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.extensions.matches.options import MatchOptions
from arena.extensions.matches.play import MatchInterrupted, play_match
from arena.extensions.matches.statistics.report import Verdict
from arena.runs.reader import StoredRun
from arena.tournament.events import (
    Ended,
    Event,
    Judge,
    Listener,
    Message,
    Started,
    Tone,
)
from tests.cli.shell import bot

pytestmark = [pytest.mark.slow, pytest.mark.process]


class Ear:
    """Keeps what it is told; ``interrupts``: as a person who ends play at once."""

    def __init__(self, *, interrupts: bool = False) -> None:
        self.messages: list[Message] = []
        self.standing: tuple[str, int | None] | None = None
        self._interrupts = interrupts
        self._judge = Judge()

    def __call__(self, event: Event) -> None:
        match event:
            case Message():
                self.messages.append(event)
            case Started():
                self._judge = event.judge
                if self._interrupts:
                    raise KeyboardInterrupt
            case Ended():
                self.standing = self._judge.standing()


def match(folder: Path, listener: Listener, games: int = 4) -> Verdict:
    options = MatchOptions(
        bots=(str(folder / "anna"), str(folder / "berta")),
        games=("dragonheart",),
        max_games=games,
        settings=("isolation.level=none",),
        output=folder / "run",
    )
    return play_match(options, listener).verdict


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    bot(tmp_path, "anna")
    bot(tmp_path, "berta", version="'2'")
    return tmp_path


def test_a_match_tells_its_listener_and_prints_nothing(bots, capfd) -> None:
    ear = Ear()
    assert match(bots, ear) is Verdict.INCONCLUSIVE
    first, second = ear.messages
    assert first.text.endswith(
        f"match {bots}/anna against {bots}/berta: Dragonheart, Kosmos edition"
    )
    assert second.text.startswith("commitment ")
    assert {first.tone, second.tone} == {Tone.NOTE}
    assert ear.standing is not None
    assert "block 2" in ear.standing[0]
    assert sum(1 for _ in StoredRun(bots / "run").games()) == 4
    assert capfd.readouterr() == ("", "")


def test_a_match_that_a_person_ended_says_how_to_go_on(bots: Path) -> None:
    ear = Ear(interrupts=True)
    with pytest.raises(MatchInterrupted):
        match(bots, ear)
    text = "interrupted, everything is saved; the same command continues"
    assert ear.messages[-1] == Message(text, Tone.LINE)
