"""In a game of teams one entrant plays all seats of a team, in matches alone."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from arena.extensions.matches.options import PlaySettings
from arena.extensions.matches.terms import lineup_text, match_terms
from arena.games.registry import GAMES
from arena.runs.config.tournament import load_tournament, quick_tournament
from arena.schedule.keys import Lineup
from arena.schedule.schedule import Schedule
from arena.schedule.seeds import Seeds
from arena.values.problems import ConfigError
from tests.nim.nim_game import GAME, NimRules, RulesSpec
from tests.tournament.folders import write, write_bot


class Pairs(NimRules):
    """Nim, announced as a game of two teams of two."""

    def __init__(self, *given: object) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self.spec = RulesSpec("pairs", 4, {}, {})
        self.info = msgspec.structs.replace(self.info, name="pairs", seats=4, teams=2)


@pytest.fixture(autouse=True)
def _pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in "abc":
        write_bot(Path(name), f"bot: 1\nname: {name}\ncommand: [python3, main.py]\n")
    pairs = GAME._replace(name="pairs", seats=(4,), build=Pairs, book=None)
    monkeypatch.setitem(GAMES.loaded, "pairs", pairs)


def test_each_two_entrants_play_the_two_teams_and_the_mirror_image() -> None:
    tournament = quick_tournament("pairs", ["a", "b", "c"], deals=1)
    games = [block.games for block in Schedule(tournament.disciplines, Seeds.of("x")).blocks()]
    assert [[game.entrants for game in block] for block in games] == [
        [(one, other) * 2, (other, one) * 2] for one, other in ("ab", "ac", "bc")
    ]
    [discipline] = match_terms(("a", "b"), PlaySettings(games=("pairs:4",))).tournament.disciplines
    assert (discipline.schedule.lineup, lineup_text(discipline)) == (Lineup.TEAMS, "teams of 2")


def test_another_kind_and_a_seat_alone_are_refused() -> None:
    write(
        Path("cup.yaml"),
        "arena: 1\ngame: pairs\nentrants: [{bot: a}, {bot: b}]\nschedule: {kind: round_robin}\n",
    )
    with pytest.raises(ConfigError, match='found "round_robin", expected "match"'):
        load_tournament(Path("cup.yaml"))
    with pytest.raises(ConfigError, match="one entrant plays a whole team"):
        match_terms(("a", "b"), PlaySettings(games=("pairs:4",)), Lineup.ALONE)
