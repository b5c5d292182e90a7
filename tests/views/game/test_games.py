"""``arena games``: what it lists, by which conditions, and that its numbers are those of others."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec
import pytest

from arena.cli.commands.replay import ReplayOptions, replay_game
from arena.cli.commands.standings import StandingsOptions, print_standings
from arena.cli.games import GamesOptions, list_games
from arena.runs.reader import StoredRun
from arena.runs.store import RECORDS, RecordLocation, Stored
from arena.schedule.keys import Discipline, Schedule
from arena.values.bad_input import BadInput, NothingToDo
from arena.values.results import (
    Fault,
    FaultKind,
    GameResult,
    SeatUsage,
    Termination,
    forfeit_places,
)
from arena.views.game.find import find, load
from arena.views.game.replay import sentence, view_of
from arena.views.game.rows import (
    GameOrder,
    GameRow,
    LeadCourse,
    game_rows,
    lead_course,
)
from tests.games.games import OWN
from tests.runs.manifests import identity_of, manifest_of
from tests.views.game.replays import autopilot_replay, rules_of
from tests.views.game.viewer_games import TITLES, random_replay

BOTS: Final = ("anna", "berta", "carla")


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 60 games without records, some forfeited, stored in any order."""
    folder = tmp_path_factory.mktemp("games") / "cup"
    folder.mkdir()
    game = Discipline("dragonheart-2", rules_of().spec, BOTS, Schedule(deals=10))
    manifest = manifest_of(identity_of(game))
    (folder / "run.json").write_bytes(msgspec.json.encode(manifest))
    schedule, random = manifest.schedule(), Random(1)
    lines = [_stored(schedule.game_at(number), random) for number in range(schedule.games)]
    random.shuffle(lines)
    (folder / "games.jsonl").write_bytes(msgspec.json.Encoder().encode_lines(lines))
    return folder


def _stored(spec: Any, random: Random) -> Stored:
    scores = random.randrange(30), random.randrange(30)
    places = (1 + (scores[0] < scores[1]), 1 + (scores[1] < scores[0]))
    faulty = [0, 1][: random.randrange(3)] if random.random() < 0.3 else []
    kinds = list(FaultKind)
    ended: dict[str, Any] = {"termination": Termination.COMPLETED, "scores": scores}
    if faulty:
        places = forfeit_places(faulty, 2)
        faults = tuple(Fault(seat, random.choice(kinds), 0, "") for seat in faulty)
        ended = {"termination": Termination.FORFEITED, "faults": faults}
    result = GameResult(spec, places=places, plies=random.randrange(1, 9), digest="00", **ended)
    spent = tuple(SeatUsage((3, 1), random.randrange(1, 9)) for _ in places)
    return Stored(result, RecordLocation(RECORDS, 0, 0), 0, spent=random.choice([spent, ()]))


def listed(folder: Path, capsys: pytest.CaptureFixture[str], **options: Any) -> Any:
    list_games(GamesOptions(folder=folder, form="json", as_json=True, **options))
    return json.loads(capsys.readouterr().out)


def test_numbers_are_those_of_replay_and_points_those_of_the_standings(cup, capsys) -> None:
    found = listed(cup, capsys)["data"]
    assert [each["number"] for each in found["games"]] == [*range(1, found["stored"] + 1)]
    run, points = StoredRun(cup), dict.fromkeys(BOTS, 0.0)
    for game in found["games"]:
        result = find(run, str(game["number"])).stored.result
        assert result.spec.game_id == game["game"]
        one, two = game["seats"]
        if not (one["fault"] and two["fault"]):
            share = 0.5 + (two["place"] - one["place"]) / 2
            points[one["bot"]] += share
            points[two["bot"]] += 1 - share
        if game["margin"] is not None:
            assert game["margin"] == abs(one["score"] - two["score"])
    print_standings(StandingsOptions(sources=(str(cup),), form="json"))
    [table] = json.loads(capsys.readouterr().out)["tables"]
    assert {row["name"]: row["points"] for row in table["data"]["rows"]} == points


def test_the_course_is_that_of_the_replay(made, capsys) -> None:
    run = StoredRun(made)
    found = listed(made, capsys, sort=GameOrder.SWING)
    assert found["data"]["planned"] == 4
    for game in found["data"]["games"]:
        view = view_of(load(run, find(run, game["game"])), None)
        assert game["plies"] == len(view.plies)
        assert [seat["score"] for seat in game["seats"]] == [*(view.end.scores or (None, None))]
        margins = [one - two for one, two in (scores for scores in view.all_scores() if scores)]
        changes = [abs(new - old) for old, new in pairwise(margins)]
        assert game["swing"] == max(changes)
        assert changes[game["swing_ply"]] == game["swing"]
        assert (game["decided"] is None) == bool(view.faults)
        if game["decided"] is not None:
            assert game["margin"] == abs(margins[-1])
            after = [margin * margins[-1] > 0 for margin in margins[game["decided"] + 1 :]]
            assert all(after)
            assert not margins[game["decided"]] * margins[-1] > 0


def test_a_ply_has_one_number_everywhere(made, capsys) -> None:
    run = StoredRun(made)
    for game in listed(made, capsys, sort=GameOrder.SWING)["data"]["games"]:
        replay = load(run, find(run, game["game"]))
        view = view_of(replay, None)
        last = len(view.plies) - 1
        options = ReplayOptions(folder=made, game=str(game["number"]), plies=f"{last}")
        replay_game(options)
        faults = [seat["fault"] for seat in game["seats"] if seat["fault"]]
        text = capsys.readouterr().out
        assert all(f" at ply {fault['ply']}: {fault['kind']}" in text for fault in faults)
        for ply in {0, last, game["decided"] or 0, game["swing_ply"]}:
            words = sentence(view, view.plies[ply])
            replay_game(replace(options, plies=str(ply)))
            assert f"{ply:4}  {words}" in capsys.readouterr().out.splitlines()
            replay_game(replace(options, plies=str(ply), as_json=True))
            [told] = json.loads(capsys.readouterr().out)["data"]["plies"]
            assert told["ply"] == ply


@pytest.mark.parametrize(("title", "seats"), [each for each in TITLES if each[0] in OWN])
def test_the_lead_of_every_game(title: str, seats: int) -> None:
    view = view_of(random_replay(title, seats), None)
    course = lead_course(view)
    assert (course.swing is None) == (seats == 1)
    if view.end.places.count(1) > 1 or seats == 1:
        assert course.decided is None
    else:
        assert course.decided in range(len(view.plies))


def test_a_fault_decides_no_course() -> None:
    course = lead_course(view_of(autopilot_replay(), None))
    assert course.decided is None


def test_records_that_are_gone_are_unknown_and_not_zero(made, capsys, monkeypatch) -> None:
    monkeypatch.setattr(StoredRun, "is_expired", lambda run, record: record.offset == 0)
    found = listed(made, capsys, sort=GameOrder.SWING)
    assert found["data"]["games"][-1]["swing"] is None
    assert found["data"]["games"][0]["swing"] > 0
    assert found["warnings"] == [
        "the course of 1 game is unknown: it has no record any more",
        "the slowest move of 3 games is unknown: it is not stored",
    ]


def test_replay_without_a_game_lists_them(made, capsys) -> None:
    list_games(GamesOptions(folder=made))
    expected = capsys.readouterr().out
    replay_game(ReplayOptions(folder=made))
    assert capsys.readouterr().out == expected
    assert "3 of 4 planned games are stored\n" in expected
    assert expected.endswith(f"arena replay {made} 1 steps through one\n")
    with pytest.raises(BadInput, match="GAME: missing"):
        replay_game(ReplayOptions(folder=made, seat=0))


def test_a_run_without_games(cup, tmp_path) -> None:
    (tmp_path / "run.json").write_bytes((cup / "run.json").read_bytes())
    with pytest.raises(NothingToDo, match="no game of this run is stored yet"):
        list_games(GamesOptions(folder=tmp_path))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bots": ("ana",)}, '--bot: found "ana", expected a bot of this run (did you mean "anna'),
        ({"against": ("\x1b",)}, '--against: found "\\x1b", expected a bot of this run (such as a'),
        ({"result": "won"}, "--result: found without --bot, expected with it"),
        ({"margin": "9-3"}, '--margin: found "9-3", which is backwards: expected 3-9'),
        ({"plies": "few"}, '--plies: found "few", expected 5, 5-20, 5- or -20'),
        ({"discipline": "x"}, '--discipline: found "x", expected dragonheart-2'),
    ],
)  # fmt: skip
def test_conditions_that_cannot_be(cup, options, message) -> None:
    with pytest.raises(BadInput) as caught:
        list_games(GamesOptions(folder=cup, **options))
    assert str(caught.value).startswith(message)


def _rows(cup: Path) -> list[GameRow]:
    """Rows of two and of four seats, some with a course of the lead."""
    random, rows = Random(2), game_rows(StoredRun(cup), lambda row: True).rows
    for number in range(61, 90):
        seats = random.choices(["anna", "berta", "dora"], k=4)
        places = tuple(random.choice([(1, 1, 3, 4), (4, 1, 2, 2), (1, 2, 3, 4)]))
        own = rows[number % 7]
        found = own._replace(number=number, discipline="krak-4", names=tuple(seats), places=places)
        rows.append(found._replace(lead=LeadCourse(random.choice([None, 3, 5]), number % 5, 1)))
    return rows
