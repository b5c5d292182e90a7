"""Studies and whom they serve: nothing is printed, everything is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from arena.config.tournament import Tournament
from arena.ratings.match.report import Verdict
from arena.runs.reader import StoredRun
from arena.studies.listener import Listener, MatchProgress, PlayResult
from arena.studies.match.judged import MatchInterrupted
from arena.studies.match.play import MatchOptions, play_match
from arena.tournament.prepare import play
from arena.tournament.progress import Progress
from arena.tournament.run import Run
from arena.tournament.session import Judge, SessionCallbacks
from tests.cli.shell import bot

pytestmark = [pytest.mark.slow, pytest.mark.process]


class Ear:
    """Keeps what it is told; plays in earnest, or is as if a person had ended play at once."""

    def __init__(self, *, plays: bool = True) -> None:
        self.notes: list[str] = []
        self.said: list[str] = []
        self.warnings: list[str] = []
        self.standing: MatchProgress | None = None
        self._plays = plays

    def note(self, text: str) -> None:
        self.notes.append(text)

    def say(self, text: str) -> None:
        self.said.append(text)

    def warn(self, text: str) -> None:
        self.warnings.append(text)

    def play(
        self,
        tournament: Tournament,
        run: Run,
        started: Callable[[Progress, int], None],
        judge: Judge | None = None,
        deals: int | None = None,
        standing: Callable[[], MatchProgress] | None = None,
    ) -> PlayResult:
        progress = Progress(run.schedule.games)
        if not self._plays:
            started(progress, 1)
            return PlayResult(progress, interrupted=True, run=run)

        def nothing(*_: object) -> None:
            pass

        hears = SessionCallbacks(lambda now: started(now, 1), nothing, nothing, nothing, nothing)
        progress = play(tournament, run, 1, hears, nothing, judge, deals)
        self.standing = standing and standing()
        return PlayResult(progress, interrupted=False, run=run)


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
    assert ear.notes[0].endswith(
        f"match {bots}/anna against {bots}/berta: Dragonheart, Kosmos edition"
    )
    assert ear.notes[1].startswith("commitment ")
    assert (ear.said, ear.warnings) == ([], [])
    assert ear.standing is not None
    assert ear.standing.blocks == 2
    assert sum(1 for _ in StoredRun(bots / "run").games()) == 4
    assert capfd.readouterr() == ("", "")


def test_a_match_that_a_person_ended_says_how_to_go_on(bots: Path) -> None:
    ear = Ear(plays=False)
    with pytest.raises(MatchInterrupted):
        match(bots, ear)
    assert ear.said == ["interrupted, everything is saved; the same command continues"]
