"""A table with a person: what is played there, and which deal is next."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.entrants.entrants import EntrantKind
from arena.extensions.browser.table.kind import PersonRun
from arena.extensions.browser.table.tournament import (
    MET,
    meet,
    next_games,
    opponent,
    table_tournament,
)
from arena.games.registry import GAMES
from arena.hosting.sandbox.isolation import Isolation, Level
from arena.runs.config.tournament import Tournament
from arena.runs.disk import StoreError
from arena.runs.field import EntrantIdentity
from arena.runs.identity import identity
from arena.runs.manifest import Until, read_manifest
from arena.runs.store import RECORDS, RecordLocation, Stored
from arena.schedule.keys import Lineup
from arena.tournament.prepare import with_bots
from arena.tournament.run import Run, open_run
from arena.values.problems import ConfigError
from arena.values.results import GameResult, GameSpec, Termination, Then
from tests.entrants.repositories import git, repository
from tests.games.games import OWN
from tests.tournament.folders import write_bot

MANIFEST = "bot: 1\nname: {}\ncommand: [python3, main.py]\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("anna", "berta"):
        write_bot(tmp_path / name, MANIFEST.format(name))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table(rules: str, *bots: str, seats: int | None = None, **more: Any) -> Tournament:
    return table_tournament(rules, bots, person="human", seats=seats, **more)


def begun(rules: str, *bots: str, seats: int | None = None) -> Run:
    return open_run(table(rules, *bots, seats=seats), Path(), None, Until.PERSON)


def store(run: Run, spec: GameSpec) -> None:
    """As if it had been played."""
    places = tuple(range(1, 1 + len(spec.entrants)))
    result = GameResult(spec, Termination.COMPLETED, places, 1, "", places)
    line = msgspec.json.encode(Stored(result, RecordLocation(RECORDS, 0, 0), 0))
    with (run.folder / "games.jsonl").open("ab") as file:
        file.write(line + b"\n")


@pytest.mark.parametrize(
    ("rules", "seats", "bots", "names"),
    [
        ("dragonheart", None, ["anna"], {"human", "anna"}),
        ("dragonkrak", 1, [], {"human"}),
        ("dragonkrak", 1, ["anna", "berta"], {"human", "anna", "berta"}),
        ("dragonkrak", 3, ["anna"], {"human", "anna"}),
        ("dragonkrak", 3, ["anna", "anna"], {"human", "anna"}),
        ("dragonkrak", 4, ["anna", "berta"], {"human", "anna", "berta", "berta-2"}),
        ("dragonkrak", 4, ["anna", "anna", "berta"], {"human", "anna", "anna-2", "berta"}),
    ],
)
def test_who_sits_at_the_table(rules, seats, bots, names) -> None:
    tournament = table(rules, *bots, seats=seats)
    assert {entrant.name for entrant in tournament.entrants} == names
    person = tournament.entrants[0]
    assert (person.name, person.kind) == ("human", EntrantKind.PERSON)
    assert (person.command, person.isolation) == ((), Isolation.NONE)
    (discipline,) = tournament.disciplines
    schedule = discipline.schedule
    is_match = len(names) == 2 < discipline.rules.seats
    assert is_match == (schedule.kind == "match") == (schedule.lineup is Lineup.ALONE)
    assert tournament.breaker.then is Then.IGNORE
    assert tournament.clock.move == 10.0


def test_a_bot_may_be_called_like_the_person() -> None:
    tournament = table_tournament("dragonheart", ["anna"], person="anna")
    assert [entrant.name for entrant in tournament.entrants] == ["anna", "anna-2"]
    assert tournament.entrants[0].kind is EntrantKind.PERSON


def test_the_person_is_no_program_in_the_identity() -> None:
    wanted = identity(table("dragonheart", "anna"))
    assert wanted.entrants["human"] == EntrantIdentity(
        digest="", command=(), options={}, isolation=Isolation.NONE, env={}
    )


@pytest.mark.parametrize(
    ("arguments", "more", "message"),
    [
        (("dragonheart", "anna", "berta"), {}, "--against berta: found 2 bots, expected at most 1"),
        (("dragonheart", "anna"), {"seats": 3}, "-s 3: found 3, expected 2"),
        (("dragonheart", "anna"), {"overrides": ["schedule.deals=3"]},
         '--set schedule.deals=3: found "schedule.deals" (it has an option'),
        (("dragonheart", "anna"), {"overrides": ["game.seats=3"]}, '--set game.seats=3: found "g'),
        (("dragonheart", "anna"), {"overrides": ["seed=1"]}, '--set seed=1: found "seed"'),
        (("dragonheart", "nobody"), {}, 'nobody: found "nobody", expected a f'),
        (("dragonheart", "anna"), {"data": "no.yaml"}, '--data no.yaml: found "no.y'),
    ],
)  # fmt: skip
def test_what_is_refused(arguments: tuple[str, ...], more: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        table(*arguments, **more)
    assert str(caught.value.problems[0]).startswith(message)


def test_a_builtin_bot_plays_if_none_is_given() -> None:
    names = [each.name for each in table("dragonkrak", seats=3).entrants]
    assert names == ["human", "greedy"]


def test_settings_reach_the_game() -> None:
    settings = ["game.options.edition=ffg", "clock.move=2s"]
    tournament = table("dragonheart", "anna", overrides=settings)
    assert tournament.disciplines[0].rules.options["edition"] == "ffg"
    assert tournament.clock.move == 2.0


@pytest.mark.parametrize(
    ("rules", "seats", "bots"),
    [
        ("dragonheart", 2, ["anna"]),
        ("dragonkrak", 3, ["anna"]),
        ("dragonkrak", 3, ["anna", "berta"]),
    ],
)
def test_each_game_is_another_deal_and_the_next_seat(rules, seats, bots) -> None:
    run = begun(rules, *bots, seats=seats)
    sat, deals = [], []
    for _ in range(2 * seats):
        (spec,) = next_games(run, "human", None)
        sat.append(spec.entrants.index("human"))
        deals.append(spec.deal)
        store(run, spec)
    assert sat == [*range(seats)] * 2
    assert len(set(deals)) == len(deals)


def test_a_seat_may_be_asked_for_and_the_others_come_first_afterwards() -> None:
    run = begun("dragonkrak", "anna", seats=3)
    (spec,) = next_games(run, "human", 1)
    assert spec.entrants == ("anna", "human", "anna")
    store(run, spec)
    seats = []
    for _ in range(2):
        (spec,) = next_games(run, "human", None)
        seats.append(spec.entrants.index("human"))
        store(run, spec)
    assert seats == [0, 2]
    with pytest.raises(ConfigError, match="--seat: found 3, expected 0 or 1 or 2"):
        next_games(run, "human", 3)


def test_a_deal_that_was_shown_is_not_dealt_again() -> None:
    run = begun("dragonheart", "anna")
    (left,) = next_games(run, "human", None)
    meet(run, left)
    assert (run.folder / MET).read_text() == '{"deals":1}\n'
    (spec,) = next_games(run, "human", None)
    assert spec.deal != left.deal
    assert spec.entrants == left.entrants, "a game that was left is no turn in that seat"


def test_alone_the_others_play_the_same_deal_afterwards() -> None:
    run = begun("dragonkrak", "anna", "berta", seats=1)
    games = next_games(run, "human", None)
    assert [spec.entrants for spec in games] == [("human",), ("anna",), ("berta",)]
    assert len({spec.deal for spec in games}) == 1


def test_the_run_says_that_a_person_plays() -> None:
    run = begun("dragonheart", "anna")
    manifest = read_manifest(run.folder)
    assert isinstance(manifest.kind, PersonRun)
    assert run.manifest.machine.isolation["human"] is Level.NONE


@pytest.mark.parametrize("deals", ["-1", "100001", "1" + "0" * 30])
def test_a_count_of_deals_that_cannot_be(deals: str) -> None:
    run = begun("dragonheart", "anna")
    (run.folder / MET).write_text(f'{{"deals":{deals}}}')
    with pytest.raises(StoreError, match="found something else than arena writes there"):
        next_games(run, "human", None)


def test_a_person_is_not_built() -> None:
    seated = table("dragonheart", "anna")
    person, bot = with_bots(seated).entrants
    assert (person, bot.name) == (seated.entrants[0], "anna")


@pytest.mark.process
@pytest.mark.extensions("sources")
def test_bots_are_named_as_on_every_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    repo = repository(tmp_path / "repo")
    monkeypatch.chdir(repo)
    commits = [each.commit for each in table("dragonheart", "bots/mine@v1").entrants]
    assert commits == ["", git(repo, "rev-parse", "v1")]
    assert table("dragonheart", "builtin:greedy").entrants[1].given == "builtin:greedy"


def test_every_game_has_an_opponent() -> None:
    for game in OWN:
        assert {opponent(game, seats) for seats in GAMES[game].seats} == {"builtin:greedy"}
    assert opponent("kuhn", 2) == "builtin:random"
