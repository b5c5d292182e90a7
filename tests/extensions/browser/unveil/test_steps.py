"""What an unveiling shows before, and in which order it shows the rest."""

from __future__ import annotations

import pytest

from arena.extensions.browser.unveil.steps import unveiling
from arena.runs.growth.past import as_of
from arena.runs.reader import StoredRun
from arena.values.bad_input import NothingToDo
from arena.values.results import player_of
from arena.views.standings.run_view import view_of
from arena.views.standings.standings import table_of
from tests.cli.shell import arena
from tests.extensions.browser.site.competitions import Competition, swiss
from tests.rows import some
from tests.tournament.test_histories import KINDS, History


def ranking(run: StoredRun) -> list[tuple[str, int | None, str]]:
    found = view_of(run.manifest.kind).ranking(table_of(run).sections[-1])
    return [(each.name, each.place, each.value) for each in found]


@pytest.mark.extensions("rounds")
def test_a_cup_is_unveiled_from_its_frozen_table_to_the_final_one(tmp_path) -> None:
    made, *_ = swiss(tmp_path / "cup", 6, 4, 2)
    made.finish()
    run = StoredRun(made.folder)
    shown = unveiling(run, 2)
    known = sorted(shown.bots, key=lambda bot: bot.known)
    frozen = as_of(run, 2, "--until")
    assert [(b.name, b.known_place, b.known_value) for b in known] == ranking(frozen)
    assert [(b.name, b.place, b.value) for b in shown.bots] == ranking(run)
    for bot in shown.bots:
        assert [each[:8] for each in bot.results] == ["round 3:", "round 4:"]
    assert shown.end.startswith(f"{shown.bots[0].name} wins. With ")
    done = arena(tmp_path, "unveil", "cup", "--until", "2", "--text")
    lines = [line for line in done.out.splitlines() if line[:4].strip().endswith(".")]
    assert [line.split()[1].rstrip(":") for line in lines] == [b.name for b in shown.bots[::-1]]
    assert done.out.rstrip().endswith(shown.end)


@pytest.mark.slow
@pytest.mark.usefixtures("empty_records")
@pytest.mark.extensions("rounds")
@pytest.mark.parametrize("kind", some([*KINDS], every=4))
def test_every_history_can_be_unveiled(kind, tmp_path) -> None:
    history = History(tmp_path, kind, seed=3)
    for _ in range(6):
        if history.play(2, 0):
            break
    run = StoredRun(history.folder / "run")
    if not table_of(run).sections[-1].games.counting:  # everybody was withdrawn
        with pytest.raises(NothingToDo):
            unveiling(run, None)
        return
    rounds = sum(map(bool, run.manifest.field.rounds[1:])) if run.manifest.grows else 0
    for until in (None, *range(1, rounds)):
        shown = unveiling(run, until)
        names = [player_of(bot.name) for bot in shown.bots]
        assert len(set(names)) == len(names)
        assert sorted(bot.known for bot in shown.bots) == [*range(len(names))]
        places = [bot.place for bot in shown.bots if bot.place is not None]
        assert places == sorted(places)
        assert {player_of(name) for name, place, _ in ranking(run) if place} <= {*names}


@pytest.mark.usefixtures("empty_records")
@pytest.mark.extensions("rounds")
def test_a_round_of_two_parts_is_told_to_each_bot_by_its_own(tmp_path) -> None:
    history = History(tmp_path, "knockout", seed=5, hard=False)
    history.play(1, 0)
    shown = unveiling(StoredRun(tmp_path / "run"), None)
    told = {each.split("(")[1].split(")")[0] for bot in shown.bots for each in bot.results}
    assert {"final", "third place"} < told
    assert not any("third place" in title and "final" in title for title in told)


def test_nothing_to_unveil(tmp_path) -> None:
    Competition(tmp_path / "league", ("anna", "berta"))
    with pytest.raises(NothingToDo, match="no game of this run counts yet"):
        unveiling(StoredRun(tmp_path / "league"), None)
    both = arena(tmp_path, "unveil", "league", "--text", "-o", "page.html")
    assert (both.code, "--text: found --output" in both.err) == (2, True)
    (tmp_path / "notes.html").write_text("mine")
    taken = arena(tmp_path, "unveil", "league", "-o", "notes.html")
    assert (taken.code, "something else than a page of arena unveil" in taken.err) == (2, True)
