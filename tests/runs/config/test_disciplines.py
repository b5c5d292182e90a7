"""Tournaments of several games, table sizes and schedules, and what is said of bad ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.runs.config.disciplines import excess
from arena.runs.config.texts import resolved_yaml
from arena.runs.config.tournament import Tournament, load_tournament, quick_tournament
from arena.runs.identity import differences, identity
from arena.schedule.keys import Discipline, Schedule, Seatings
from arena.schedule.schedule import Schedule as Plan
from arena.schedule.seeds import Seeds
from arena.values.problems import ConfigError
from arena.values.results import RulesSpec
from tests.tournament.folders import league, lines, write, write_bot
from tests.values.refusals import bad

BOTS = ("a", "b", "c", "d", "e")
ENTRANTS = "entrants: [{glob: ../bots/any-*}]\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(league(tmp_path))
    for name in BOTS:
        manifest = f"bot: 1\nname: {name}\ncommand: [python3, main.py]\n"
        write_bot(Path(f"bots/any-{name}"), manifest)


def load(text: str, *overrides: str) -> Tournament:
    return load_tournament(write(Path("cups/t.yaml"), "arena: 1\n" + text + ENTRANTS), overrides)


def refusals(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(text)
    return [line.removeprefix("cups/t.yaml") for line in lines(caught.value)]


ALL = """\
games:
  - dragonheart
  - {name: ffg, rules: dragonheart, options: {edition: ffg}, schedule: {deals: 3}}
  - {rules: dragonkrak, seats: 4, entrants: [e, a, b, d], schedule: {seatings: all}}
  - {rules: dragonkrak, seats: 1, options: {variant: two_dragons}}
schedule: {deals: 7, max_pairings: 4}
"""


def test_a_tournament_of_several_games() -> None:
    heart, ffg, krak, solo = load(ALL).disciplines
    assert (heart.name, ffg.name, krak.name, solo.name) == (
        "dragonheart-2",
        "ffg",
        "dragonkrak-4",
        "dragonkrak-1",
    )
    assert heart.entrants == ffg.entrants == solo.entrants == BOTS
    assert krak.entrants == ("e", "a", "b", "d")
    assert heart.schedule == Schedule(deals=7, max_pairings=4)
    assert ffg.schedule == Schedule(deals=3, max_pairings=4)
    assert krak.schedule == Schedule(deals=7, max_pairings=4, seatings=Seatings.ALL)
    assert ffg.rules.options["edition"] == "ffg"
    assert solo.rules.options["variant"] == "two_dragons"
    assert "variant" not in krak.rules.options


def test_its_games_are_counted_by_discipline() -> None:
    plan = Plan(load(ALL).disciplines, Seeds.of(""))
    games = {name: plan.games_of(name) for name in ("dragonheart-2", "ffg", "dragonkrak-4")}
    assert games == {"dragonheart-2": 4 * 7 * 2, "ffg": 4 * 3 * 2, "dragonkrak-4": 7 * 24}
    assert plan.games_of("dragonkrak-1") == 5 * 7
    assert plan.games == sum(games.values()) + 35


def test_a_resolved_file_of_several_games_reads_as_the_same_tournament() -> None:
    tournament = load(ALL)
    again = load_tournament(write(Path("again.yaml"), resolved_yaml(tournament)))
    assert differences(identity(again), identity(tournament)) == []


def test_a_resolved_file_says_where_what_a_game_has_comes_from() -> None:
    text = [" ".join(line.split()) for line in resolved_yaml(load(ALL)).splitlines()]
    assert "- name: ffg # cups/t.yaml:4" in text
    assert "edition: ffg # cups/t.yaml:4" in text
    assert "edition: kosmos # default" in text
    assert "deals: 3 # cups/t.yaml:4" in text
    assert text.count("deals: 7 # cups/t.yaml:7") == 3
    assert "rules: dragonheart # cups/t.yaml:3" in text


def test_two_runs_with_other_games_are_told_apart() -> None:
    fewer = ALL.replace("  - dragonheart\n", "")
    assert differences(identity(load(ALL)), identity(load(fewer))) == [
        "games: dragonheart-2 is only in the run"
    ]


def test_a_field_may_shrink_once_the_run_has_begun(tmp_path: Path) -> None:
    """Else the run could not end: there is nobody left to meet."""
    entrants, file = "entrants: [{bot: builtin:greedy}]", tmp_path / "cup.yaml"
    for schedule in ("{kind: gauntlet, focus: [greedy]}", "{}"):
        file.write_text(f"arena: 1\ngame: dragonheart\n{entrants}\nschedule: {schedule}\n")
        assert len(load_tournament(file, has_begun=True).entrants) == 1
        with pytest.raises(ConfigError, match=r"found (0|1) entrant"):
            load_tournament(file)


def test_the_smallest_table_is_the_default_but_nobody_plays_alone_unasked() -> None:
    assert load("game: dragonkrak\n").disciplines[0].rules.seats == 2


def test_a_quick_tournament_has_a_table_size() -> None:
    bots = [f"bots/any-{name}" for name in BOTS]
    [krak] = quick_tournament("dragonkrak", bots, seats=3).disciplines
    assert krak.name == "dragonkrak-3"
    [solo] = quick_tournament("dragonkrak", bots[:1], seats=1).disciplines
    assert solo.entrants == ("a",)
    with pytest.raises(ConfigError) as caught:
        quick_tournament("dragonkrak", bots, seats=5)
    assert lines(caught.value) == ["-s 5: found 5, expected 1, 2, 3 or 4"]


NO_FOCUS = "found gauntlet without focus, expected focus: [NAME, …] beside it"
SAME = "(everybody plays the same deals there)"
HEART = "game: dragonheart\n"
KRAK = "game: {rules: dragonkrak, seats: 3}\n"
SOLO = "game: {rules: dragonkrak, seats: 1}\n"


BAD_FILES = r"""
game: dragonheart
games: [dragonheart]
-> :1:1: found game and games, expected one of "game" and "games"
games: []
-> :1:1: found no entry in games, expected one of "game" and "games"
games: [dragonheart, {rules: dragonheart, options: {edition: ffg}}]
-> :2:22: games[1]: a second game is called "dragonheart-2" (give one of them a name of its own)
games: [{rules: dragonheart, entrants: [a, x, a]}]
-> :2:44: games[0].entrants[1]: found "x", expected an entrant
-> :2:47: games[0].entrants[2]: found "a" a second time
game: {rules: dragonkrak, seats: 4, entrants: [a, b, c]}
-> :2:47: game.entrants: found 3 entrants, expected at least 4 (dragonkrak-4 has 4 seats)
game: {rules: dragonkrak, options: {variant: two_dragons}}
-> :2:46: game.options.variant: found variant at 2 seats (it is for 1 seat)
game: {rules: dragonkrak, options: {volunteers_counts: 1, hero_value: declard}}
-> :2:56: game.options.volunteers_counts: found 1, expected true or false
-> :2:71: game.options.hero_value: found "declard", expected "nearest" or "declared" (did you mean
   "declared"?)
game: dragonheart
schedule: {kind: gauntlet}
-> :3:18: schedule.kind: <NO_FOCUS>
game: dragonheart
schedule: {focus: [a]}
-> :3:19: schedule.focus: found focus with the kind round_robin (it belongs to the kind gauntlet)
game: dragonheart
schedule: {kind: gauntlet, focus: [a, z]}
-> :3:39: schedule.focus[1]: found "z", expected an entrant
game: {rules: dragonkrak, seats: 3}
schedule: {kind: gauntlet, focus: [a, b, c, d]}
-> :3:35: schedule.focus: found 1 entrant besides the focus, expected at least 2
game: dragonheart
schedule: {kind: pairings, pairings: [[a, b], [b, a], [a], [a, a], [a, q]]}
-> :3:47: schedule.pairings[1]: found this pairing a second time
-> :3:55: schedule.pairings[2]: found 1 name, expected 2
-> :3:64: schedule.pairings[3][1]: found "a" a second time
-> :3:72: schedule.pairings[4][1]: found "q", expected an entrant
game: {rules: dragonkrak, seats: 1}
schedule: {kind: pairings, pairings: [[a]]}
-> :3:18: schedule.kind: found kind at a table of one seat <SAME>
-> :3:38: schedule.pairings: found pairings at a table of one seat <SAME>
game: dragonheart
schedule: {max_pairings: 0}
-> :3:26: schedule.max_pairings: found 0, expected a whole number from 1 to 10,000
game: {rules: dragonkrak, seats: 2, entrants: [a, b]}
schedule: {kind: gauntlet, focus: [a, b, c]}
-> :3:42: schedule.focus[2]: found "c", expected an entrant
games: [{name: Overall, rules: dragonheart}]
-> :2:16: games[0].name: found "Overall" (the table of all is called so)
game: dragonheart
schedule: {kind: pairings, pairings: [[a, b]], max_pairings: 1}
-> :3:62: schedule.max_pairings: found max_pairings with the kind pairings (all that are listed are
   played)
games: [{rules: dragonkrak, seats: 1, schedule: {seatings: all}}]
-> :2:60: games[0].schedule.seatings: found seatings at a table of one seat <SAME>
game: {rules: dragonheart, entrants: [a, b, c, d]}
-> :3:19: entrants[0].glob: entrant "e" plays no game (no entrants or pairings of a game name it)
games: [{rules: dragonheart, schedule: {kind: gauntlet}}]
-> :2:47: games[0].schedule.kind: <NO_FOCUS>
"""


@bad(BAD_FILES, NO_FOCUS=NO_FOCUS, SAME=SAME)
def test_bad_files_and_what_is_said(text: str, expected: list[str]) -> None:
    assert refusals(text + "\n") == expected


def test_a_tournament_without_a_game_is_refused() -> None:
    assert refusals("") == [':1:1: found neither, expected one of "game" and "games"']


def test_a_game_for_one_ignores_who_meets_whom_in_the_others() -> None:
    games = "games: [dragonheart, {rules: dragonkrak, seats: 1}]\n"
    plan = "schedule: {kind: gauntlet, focus: [a], deals: 3}\n"
    heart, solo = load(games + plan).disciplines
    assert heart.schedule.kind == "gauntlet"
    assert solo.schedule == Schedule(deals=3)


def test_too_many_pairings_are_refused_before_they_are_made() -> None:
    bots = "".join(f"  - {{command: [python3], name: bot-{k}}}\n" for k in range(120))
    text = f"arena: 1\n{KRAK.replace('3', '4')}entrants:\n{bots}"
    path = write(Path("cups/big.yaml"), text)
    with pytest.raises(ConfigError) as caught:
        load_tournament(path)
    assert lines(caught.value) == [
        "cups/big.yaml:1:1: schedule.max_pairings: found 8,214,570 pairings in dragonkrak-4,"
        " expected at most 1,000,000 (max_pairings: N plays a balanced choice of N)"
    ]
    capped = load_tournament(path, ["schedule.max_pairings=50"])
    assert Plan(capped.disciplines, Seeds.of("")).games == 50 * 50 * 4


def test_a_listed_pairing_is_played() -> None:
    plan = "schedule: {kind: pairings, pairings: [[a, b, c], [c, d, e]]}\n"
    [played] = load(KRAK + plan).disciplines
    assert played.schedule.kind == "pairings"
    assert Plan([played], Seeds.of("")).pairings("dragonkrak-3") == 2


def some_play(**games: str) -> None:
    for name, rules in games.items():
        manifest = f"bot: 1\nname: {name}\nplays: {{{rules}}}\ncommand: [python3, main.py]\n"
        write_bot(Path(f"bots/any-{name}"), manifest)


SEVERAL = """\
games:
  - dragonheart
  - {rules: dragonkrak, seats: 4, schedule: {deals: 2}}
  - {name: two, rules: dragonkrak, seats: 2, entrants: [c, d]}
  - {name: alone, rules: dragonkrak, seats: 1}
"""


def test_games_that_not_all_play_get_entrants_of_their_own_by_pasting_the_message() -> None:
    some_play(a="dragonheart: [2]", b="dragonheart: [2], dragonkrak: [1, 4]")
    with pytest.raises(ConfigError) as caught:
        load(SEVERAL)
    [problem] = caught.value.problems
    assert (problem.where, problem.path) == ("cups/t.yaml:3:3", "games")
    assert problem.found == 'found 1 entrant that by its bot.yaml does not play all: "a"'
    head, _, pasted = str(caught.value).partition("such as\n")
    assert "\n" not in head
    assert pasted == (
        "games:\n"
        "  - dragonheart\n"
        "  - {rules: dragonkrak, seats: 4, schedule: {deals: 2}, entrants: [b, c, d, e]}\n"
        "  - {name: two, rules: dragonkrak, seats: 2, entrants: [c, d]}\n"
        "  - {name: alone, rules: dragonkrak, seats: 1, entrants: [b, c, d, e]}\n"
        "\n1 error; nothing was started"
    )
    yaml = pasted.partition("\n\n")[0] + "\n"
    played = {each.name: each.entrants for each in load(yaml).disciplines}
    assert played == {
        "dragonheart-2": BOTS,
        "dragonkrak-4": BOTS[1:],
        "two": ("c", "d"),
        "alone": BOTS[1:],
    }


def test_able_are_the_bots_that_play_the_game() -> None:
    some_play(a="dragonheart: [2]", b="dragonheart: [2], dragonkrak: [1, 4]")
    krak = "{rules: dragonkrak, seats: %d, entrants: able}"
    games = ["{rules: dragonheart, entrants: able}", krak % 4, krak % 2]
    played = load(f"games: [{', '.join(games)}]\n").disciplines
    assert [each.entrants for each in played] == [BOTS, BOTS[1:], BOTS[2:]]


def test_who_is_able_must_be_enough_and_everybody_play_something() -> None:
    some_play(a="dragonrealm: [2]")
    [idle] = refusals("game: {rules: dragonheart, entrants: able}\n")
    assert 'entrant "a" plays no game' in idle
    some_play(**dict.fromkeys(BOTS[1:], "dragonrealm: [2]"))
    [few] = refusals("game: {rules: dragonheart, entrants: able}\n")
    assert "game.entrants: found 0 entrants, expected at least 2" in few


def test_many_that_do_not_play_every_game_are_counted() -> None:
    for number in range(9):
        some_play(**{f"n{number}": "dragonheart: [2]"})
    with pytest.raises(ConfigError) as caught:
        load("games: [dragonheart, {rules: dragonkrak, seats: 4}]\n")
    [problem] = caught.value.problems
    assert problem.found.startswith("found 9 entrants that by their bot.yaml do not play all: ")
    assert problem.found.endswith('"n0", "n1", "n2", "n3", "n4" and 4 more')
    pasted = problem.expected.partition("such as\n")[2]
    assert len(load(pasted).disciplines[0].entrants) == 14


@pytest.mark.parametrize(
    "text",
    [
        "games: [dragonheart, {rules: dragonrealm, seats: 2}]\n",  # nobody is left for it
        "games: [dragonkrak, {rules: dragonkrak, seats: 3}]\n",  # one plays none of them
        "games: [dragonheart, dragonkrak]\nschedule: {kind: gauntlet, focus: [a]}\n",
    ],
)
def test_where_no_list_of_entrants_helps_each_bot_is_told(text: str) -> None:
    some_play(**dict.fromkeys(BOTS[:4], "dragonheart: [2]"))
    if "dragonrealm" in text:
        some_play(e="dragonheart: [2]")
    told = refusals(text)
    assert told
    assert all("does not play dragon" in line for line in told)


def said(names: str, schedule: Schedule, seats: int = 2) -> list[str]:
    rules = RulesSpec("toy", seats, {}, {})
    return excess([Discipline("toy", rules, tuple(names.split()), schedule)] * 2)


def test_more_pairings_than_there_are_is_said_once() -> None:
    assert said("a b c", Schedule(max_pairings=7)) == [
        "max_pairings: found 7, and toy has only 3 pairings: all are played"
    ]
    assert said("a b c", Schedule(max_pairings=3)) == said("a", Schedule(), seats=1) == []
