"""``arena run`` of a tournament by rounds: played to its end, killed, changed, verified."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.extensions.rounds.pairing.dutch import pair
from tests.cli.shell import BOT, arena, bot
from tests.extensions.rounds.pairing.tournaments import before
from tests.extensions.rounds.pairing.trf_reader import read
from tests.rows import some
from tests.tournament.folders import unbind

pytestmark = [pytest.mark.slow, pytest.mark.process]

NAMES = ("anna", "berta", "carla", "dora", "emil")


THREE = "{kind: swiss, rounds: 3, deals: 1}"
TWO = THREE.replace("3", "2")


def cup(
    folder: Path, names: tuple[str, ...], schedule: str = THREE, more: str = "seed: 1\n"
) -> Path:
    """``cup.yaml``, and the bots that are not there yet."""
    for name in names:
        if not (folder / name).exists():
            bot(folder, name)
    path = folder / "cup.yaml"
    game = "" if "game" in more else "game: dragonheart\n"
    path.write_text(
        f"arena: 1\n{game}{more}schedule: {schedule}\nentrants:\n"
        + "".join(f"  - bot: {name}\n" for name in names)
    )
    return path


def rounds(folder: Path) -> list[tuple[Any, Any]]:
    """Pairings and byes of each."""
    lines = (folder / "runs/cup/entries.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    return [
        (next(iter(each["pairings"].values()), []), each["follows"]["byes"])
        for each in found
        if "follows" in each
    ]


def games(folder: Path) -> list[Any]:
    """What was played and how it ended, by id."""
    lines = (folder / "runs/cup/games.jsonl").read_text().splitlines()
    results = [json.loads(line)["result"] for line in lines]
    return sorted((each["spec"]["game_id"], each["places"]) for each in results)


def tables(folder: Path) -> Any:
    return json.loads(arena(folder, "standings", "runs/cup", "--format", "json").out)["tables"]


def places(folder: Path) -> Any:
    (table,) = tables(folder)
    return table["panels"]["rounds"]


def verified(folder: Path) -> None:
    done = arena(folder, "verify", "runs/cup")
    assert (done.code, "all as it should be" in done.out) == (0, True), done.out + done.err


def stop_after(folder: Path, kept_games: int, kept_rounds: int) -> None:
    """As if a kill had come when so much was on disk."""
    for name, kept in (("games", kept_games), ("entries", kept_rounds)):
        path = folder / f"runs/cup/{name}.jsonl"
        if path.exists():  # a league has no entries
            lines = path.read_bytes().splitlines(keepends=True)
            path.write_bytes(b"".join(lines[:kept]))
    unbind(folder / "runs/cup")


def test_a_tournament_is_played_to_its_end_and_proved(tmp_path: Path) -> None:
    path = cup(tmp_path, NAMES)
    done = arena(tmp_path, "run", path)
    assert done.code == 0, done.err
    assert "round 1 of 3: anna v carla, berta v dora; emil has a bye" in done.err
    assert done.err.count("round ") >= 3
    assert "places after 3 of 3 rounds" in done.out
    assert "3 rounds played: the places are final" in done.out
    found = rounds(tmp_path)
    assert [len(met) for met, _ in found] == [2, 2, 2, 0]
    assert len({tuple(pair) for met, _ in found for pair in met}) == 6
    assert len({name for _, byes in found for name in byes}) == 3
    verified(tmp_path)
    table = places(tmp_path)
    assert (table["over"], table["planned"]) == (3, 3)
    points = [each["points"] for each in table["places"]]
    assert points == sorted(points, reverse=True)
    assert sum(points) == 9  # 3 a round, a bye among them
    assert set(table["places"][0]["tie_breaks"]) == {"buchholz_cut_1", "direct_encounter", "blocks"}
    again = arena(tmp_path, "run", path)
    assert (again.code, again.out) == (0, done.out)
    assert rounds(tmp_path) == found
    shard = arena(tmp_path, "run", path, "--shard", "1/2")
    assert (shard.code, "no shard of it" in shard.err) == (2, True)
    markdown = arena(tmp_path, "standings", "runs/cup", "--format", "md").out
    shown = arena(tmp_path, "watch", "runs/cup", "--once").out
    full = arena(tmp_path, "standings", "runs/cup", "--full").out
    for text, mark in ((done.out, ""), (shown, ""), (full, ""), (markdown, "### ")):
        heads = [f"{mark}places after 3 of 3 rounds", f"{mark}round 3", f"{mark}ratings"]
        assert [line for line in text.splitlines() if line in heads] == heads
    assert arena(tmp_path, "report", "runs/cup").code == 0
    page = (tmp_path / "runs/cup/report.html").read_text()
    assert page.index(">Places after 3 of 3 rounds<") < page.index(">Standings by rating<")
    assert arena(tmp_path, "replay", "runs/cup", "dragonheart-2/round2/" + "x").code == 2


def test_its_report_file_has_the_rounds_that_are_over_and_the_places_of_the_table(played) -> None:
    done = arena(played, "standings", "runs/cup", "--format", "trf")
    assert (done.code, done.err) == (0, "")
    found = read(done.out)
    assert [each.name for each in found.players] == list(NAMES)
    assert (found.rounds, found.played) == (3, 3)
    for number, (met, byes) in enumerate(rounds(played)[:3], 1):
        again = pair(before(found, number), colours=False)
        assert {frozenset(NAMES[n - 1] for n in each) for each in again.pairs} == set(
            map(frozenset, met)
        )
        assert again.bye == NAMES.index(byes[0]) + 1
    ranks = {line[14:47].strip(): int(line[85:89]) for line in done.out.splitlines()[6:]}
    points = {each.name: found.score(each) / 10 for each in found.players}
    table = places(played)["places"]
    assert ranks == {each["name"]: each["place"] for each in table}
    assert points == {each["name"]: each["points"] for each in table}
    stop_after(played, 5, 2)
    assert read(arena(played, "standings", "runs/cup", "--format", "trf").out).played == 1


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tournament that was played."""
    folder = tmp_path_factory.mktemp("whole")
    assert arena(folder, "run", cup(folder, NAMES)).code == 0
    return folder


@pytest.fixture
def played(whole: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(whole, tmp_path, dirs_exist_ok=True)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("runs/cup", "--full"), "found trf beside another option, expected it alone"),
        (("runs/cup", "--anchor", "anna"), "found trf beside another option, expected it alone"),
        (("runs/cup", "runs/cup"), "found trf, expected the folder of one run"),
        (("-",), "found trf, expected the folder of one run"),
        (
            ("runs/plain",),
            "for a run of the kind round_robin at 2 seats, expected a swiss tournament",
        ),
        (("runs/three",), "for a run of the kind swiss at 3 seats, expected a swiss tournament"),
    ],
)
def test_what_has_no_report_file(words: tuple[str, ...], expected: str, three: Path) -> None:
    done = arena(three, "standings", *words, "--format", "trf")
    assert (done.code, done.out) == (2, "")
    assert expected in done.err


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a round robin and a tournament by rounds at three seats."""
    folder = tmp_path_factory.mktemp("three")
    game = "game: {rules: dragonkrak, seats: 3}\nname: three\n"
    one = THREE.replace("3", "1")
    assert arena(folder, "run", cup(folder, NAMES[:3], one, game)).code == 0
    plain = ("run", "-g", "dragonheart", *NAMES[:2], "-n", "1", "--name", "plain")
    assert arena(folder, *plain).code == 0
    return folder


KILLS = ((12, 3), (11, 3), (8, 3), (8, 2), (5, 2), (4, 1), (0, 1), (0, 0))
"""Games and rounds that a kill leaves."""


@pytest.mark.parametrize(
    ("seed", "kills"), some([("", KILLS[1::3]), ("seed: 1\n", KILLS)], every=2)
)
def test_a_kill_at_any_moment_changes_nothing(tmp_path, seed, kills) -> None:
    path = cup(tmp_path, NAMES, more=seed)
    assert arena(tmp_path, "run", path).code == 0
    found, played = rounds(tmp_path), games(tmp_path)
    for kept in kills:
        stop_after(tmp_path, *kept)
        assert arena(tmp_path, "run", path).code == 0
        assert (rounds(tmp_path), games(tmp_path)) == (found, played)
    verified(tmp_path)


def test_the_field_changes_between_rounds(tmp_path: Path) -> None:
    path = cup(tmp_path, NAMES[:4])
    assert arena(tmp_path, "run", path).code == 0
    stop_after(tmp_path, 4, 1)  # the first round is over, the second not drawn
    (tmp_path / "runs/cup/standings.json").unlink()
    assert "its next round is not drawn yet" in arena(tmp_path, "verify", "runs/cup").err
    done = arena(tmp_path, "verify", "runs/cup", "--json")
    assert json.loads(done.out)["warnings"] == ["its next round is not drawn yet"]
    (tmp_path / "anna/main.py").write_text(BOT + "# better\n")
    path = cup(tmp_path, ("anna", "carla", "dora", "emil", "fred"))
    done = arena(tmp_path, "run", path)
    assert done.code == 0, done.err
    for line in ("anna@2 enters: anna has changed since", "emil enters", "berta plays no more"):
        assert line in done.err
    second = {name for pair in rounds(tmp_path)[1][0] for name in pair} | {*rounds(tmp_path)[1][1]}
    assert second == {"anna@2", "carla", "dora", "emil", "fred"}
    table = {each["name"]: each for each in places(tmp_path)["places"]}
    assert set(table) == {"anna@2", "berta", "carla", "dora", "emil", "fred"}
    verified(tmp_path)
    path = cup(tmp_path, NAMES)
    done = arena(tmp_path, "run", path)
    assert done.code == 2
    assert "its rounds have ended" in done.err


def test_a_tournament_of_which_one_bot_is_left_has_ended(tmp_path: Path) -> None:
    path = cup(tmp_path, NAMES[:3])
    assert arena(tmp_path, "run", path, "-q", "--rounds", "1").code == 0
    cup(tmp_path, NAMES[:1])
    done = arena(tmp_path, "run", path, "-q")
    assert done.code == 0, done.err
    assert "1 of 3 rounds played: no further one could be paired" in done.out
    verified(tmp_path)
    done = arena(tmp_path, "run", path, "-q", "-o", "other")
    assert done.code == 2
    assert "entrants: found 1 entrant, expected at least 2" in done.err


def test_a_bot_that_fails_keeps_what_it_won_and_its_opponents_too(tmp_path: Path) -> None:
    bot(tmp_path, "emil", "raise SystemExit\n")
    path = cup(tmp_path, (*NAMES[:3], "emil"), more="seed: 1\nbreaker: {starts: 2}\n")
    done = arena(tmp_path, "run", path)
    assert done.code == 0, done.err
    assert "emil was withdrawn: could not be started; what it won in rounds that had" in done.err
    assert rounds(tmp_path)[0][0] == [["anna", "carla"], ["berta", "emil"]]
    assert all("emil" not in pair for met, _ in rounds(tmp_path)[1:] for pair in met)
    table = {each["name"]: each for each in places(tmp_path)["places"]}
    assert table["emil"]["points"] == 0
    assert table["emil"]["elo"] is None
    first = next(each for each in places(tmp_path)["meetings"] if "emil" in each["names"])
    assert (first["points"], first["is_played"]) == ([1, 0], False)
    verified(tmp_path)


def test_tables_of_four_with_byes(tmp_path: Path) -> None:
    game = "seed: 1\ngame: {rules: dragonkrak, seats: 4}\n"
    path = cup(tmp_path, NAMES, TWO, game)
    done = arena(tmp_path, "run", path)
    assert done.code == 0, done.err
    found = rounds(tmp_path)
    assert [(len(met), len(byes)) for met, byes in found] == [(1, 1), (1, 1), (0, 0)]
    assert found[0][1] != found[1][1]
    assert set(places(tmp_path)["places"][0]["tie_breaks"]) == {"opponents", "blocks"}
    verified(tmp_path)


def test_so_many_rounds_are_played_and_no_more(tmp_path: Path) -> None:
    path = cup(tmp_path, NAMES[:4])
    done = arena(tmp_path, "run", path, "--rounds", "2")
    assert (done.code, len(rounds(tmp_path))) == (0, 2)
    assert "stopped after round 2 of 3" in done.err
    bot(tmp_path, "fred")
    cup(tmp_path, (*NAMES[:4], "fred"))  # between two rounds
    stop_after(tmp_path, 6, 2)
    done = arena(tmp_path, "run", path, "--rounds", "1")  # what was begun is one
    assert (done.code, "stopped after round 2 of 3" in done.err) == (0, True)
    done = arena(tmp_path, "run", path, "--rounds", "1")
    assert (done.code, "stopped" in done.err) == (0, False)
    assert rounds(tmp_path)[-1][0] == []  # it is over, and said so
    pairings, byes = rounds(tmp_path)[2]
    assert "fred" in {*byes, *(name for pair in pairings for name in pair)}
    verified(tmp_path)


def test_a_match_may_be_of_several_games(tmp_path: Path) -> None:
    more = "seed: 1\ngames: [{rules: dragonheart}, {rules: dragonkrak, seats: 2}]\n"
    path = cup(tmp_path, NAMES[:4], TWO, more)
    assert arena(tmp_path, "run", path).code == 0
    verified(tmp_path)
    whole = games(tmp_path)
    assert len(whole) == 2 * 2 * 2 * 2  # rounds, tables, games, seatings
    stop_after(tmp_path, 11, 2)
    assert arena(tmp_path, "run", path).code == 0
    assert games(tmp_path) == whole
    shown = [table.get("panels", {}) for table in tables(tmp_path)]
    assert ["rounds" in each for each in shown] == [False, False, True]
    meetings = shown[2]["rounds"]["meetings"]
    assert {sum(each["blocks"]) for each in meetings} == {4.0}


RANKING = """
seed: 1
ranking: {points: {win: 3, draw: 1}, bonus: {margin: 20}, order: [PTS, DE, margin, SB]}
"""


def matches(folder: Path, *, of_rounds: bool) -> dict[str, dict[str, tuple[float, int]]]:
    """By match the points of games and the margin of each bot, from the stored games."""
    found: dict[str, dict[str, tuple[float, int]]] = {}
    for line in (folder / "runs/cup/games.jsonl").read_text().splitlines():
        result = json.loads(line)["result"]
        spec, places = result["spec"], result["places"]
        key = spec["block"].rpartition(":")[0] if of_rounds else spec["block"]
        own = found.setdefault(key, dict.fromkeys(spec["entrants"], (0.0, 0)))
        for k, name in enumerate(spec["entrants"]):
            points, margin = own[name]
            won = (places[k] < places[1 - k]) + (places[0] == places[1]) / 2
            ahead = result["scores"][k] - result["scores"][1 - k]
            own[name] = points + won, margin + ahead
    return found


@pytest.mark.parametrize("schedule", some(["{deals: 2}", TWO], every=2))
def test_points_of_the_organiser_are_the_same_everywhere_and_after_a_kill(
    tmp_path: Path, schedule: str
) -> None:
    path = cup(tmp_path, NAMES[:4], schedule, RANKING)
    done = arena(tmp_path, "run", path)
    assert done.code == 0, done.err
    verified(tmp_path)
    is_swiss = schedule == TWO
    key, title = ("rounds", "2 of 2 rounds") if is_swiss else ("league", "12 matches")
    (before,) = tables(tmp_path)
    table = before["panels"][key]
    points = dict.fromkeys(NAMES[:4], 0)
    margins = dict.fromkeys(NAMES[:4], 0)
    for match in matches(tmp_path, of_rounds=is_swiss).values():
        for name, (own, margin) in match.items():
            other = sum(each for each, _ in match.values()) - own
            points[name] += (own > other) * 3 + (own == other) + (own > other and margin >= 20)
            margins[name] += margin
    assert {each["name"]: each["points"] for each in table["places"]} == points
    found = {each["name"]: each["tie_breaks"]["margin"] for each in table["places"]}
    assert found == margins
    assert [each["points"] for each in table["places"]] == sorted(points.values(), reverse=True)
    if is_swiss:  # the second round is paired by the points of the first
        again = [each["points"] for each in table["meetings"]]
        assert all(sum(each) in (2, 3, 4) for each in again)
    head, tied = f"places after {title}", len({*points.values()}) < 4
    markdown = arena(tmp_path, "standings", "runs/cup", "--format", "md").out
    for text in (done.out, arena(tmp_path, "standings", "runs/cup").out, markdown):
        assert head in text
        assert ("the first tie is broken by " in text) == tied
    assert arena(tmp_path, "report", "runs/cup").code == 0
    assert f">P{head[1:]}<" in (tmp_path / "runs/cup/report.html").read_text()
    stop_after(tmp_path, 3, 1)
    assert arena(tmp_path, "run", path).code == 0
    assert tables(tmp_path) == [before]
    other = arena(tmp_path, "run", path, "--set", "ranking.points.win=2")
    assert (other.code, "ranking.points.win: the run has 3.0" in other.err) == (2, True)


def test_a_ladder_has_a_table_by_points_below_its_ratings(tmp_path: Path) -> None:
    path = cup(tmp_path, NAMES[:4], "{kind: ladder, rounds: 3, deals: 1}", RANKING)
    done = arena(tmp_path, "run", path)
    assert done.code == 0, done.err
    (table,) = tables(tmp_path)
    found = table["panels"]["league"]
    points = dict.fromkeys(NAMES[:4], 0)
    met = matches(tmp_path, of_rounds=True)
    for match in met.values():
        for name, (own, margin) in match.items():
            points[name] += (own > 1) * 3 + (own == 1) + (own > 1 and margin >= 20)
    assert found["matches"] == len(met)
    assert {each["name"]: each["points"] for each in found["places"]} == points
    assert done.out.index("Elo") < done.out.index(f"places after {len(met)} matches")


def test_another_draw_is_found(played: Path) -> None:
    entries = played / "runs/cup/entries.jsonl"
    *lines, text = entries.read_text().splitlines()
    last = json.loads(text)
    last["follows"]["results"] = "0" * 64
    entries.write_text("\n".join([*lines, json.dumps(last, separators=(",", ":"))]) + "\n")
    done = arena(played, "verify", "runs/cup")
    assert done.code == 1
    assert f"entries.jsonl line {len(lines) + 1}" in done.out + done.err


GAME = "game: dragonheart"
GAMES = "games: [dragonheart, {{rules: dragonkrak, {}}}]"


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("rounds: 3, ", "", "schedule.kind: found swiss without rounds, expected rounds: N"),
        ("rounds: 3", "rounds: 0", "schedule.rounds: found 0, expected"),
        ("rounds: 3", "rounds: 3, max_pairings: 4", "found max_pairings with the kind swiss"),
        (
            "kind: swiss, ",
            "",
            "found rounds with the kind round_robin (it belongs to the kind swiss)",
        ),
        (
            GAME,
            GAMES.format("schedule: {deals: 2}"),
            "games[1].schedule: found another schedule than in dragonheart",
        ),
        (GAME, GAMES.format("seats: 3"), "games[1]: found 3 seats in rounds of 2"),
        (
            GAME,
            GAMES.format("entrants: [anna, berta]"),
            "games[1]: found another list of entrants than in dragonheart",
        ),
        (GAME, "game: {rules: dragonkrak, seats: 1}", "found kind at a table of one seat"),
    ],
)
def test_what_cannot_be_is_told_in_a_sentence(tmp_path, was, now, said) -> None:
    path = cup(tmp_path, NAMES[:3])
    path.write_text(path.read_text().replace(was, now))
    done = arena(tmp_path, "run", path, "--dry-run")
    assert done.code == 2
    assert said in done.err


def test_rounds_are_of_a_tournament_that_has_some(tmp_path: Path) -> None:
    path = cup(tmp_path, NAMES[:3])
    path.write_text(path.read_text().replace("kind: swiss, rounds: 3, ", ""))
    done = arena(tmp_path, "run", path, "--rounds", "2")
    assert (done.code, "--rounds: found 2, but what is played" in done.err) == (2, True)


def test_the_commitment_to_rounds_is_there_before_the_first(tmp_path: Path) -> None:
    path = cup(tmp_path, NAMES[:3])
    done = arena(tmp_path, "run", path, "--commit")
    commitment = done.out.split()[1]
    assert (done.code, "--shard" in done.err) == (0, False)
    shard = arena(tmp_path, "run", path, "--shard", "1/2")
    assert (shard.code, "no shard of it" in shard.err) == (2, True)
    played = arena(tmp_path, "run", path)
    assert (played.code, "shard" in played.err) == (0, False)
    proved = arena(tmp_path, "verify", "runs/cup", "--commitment", commitment)
    assert proved.out.endswith("the commitment is the one that was given\n"), proved.err


SMALL = """
import sys
from arena.extensions.rounds.pairing import criteria
criteria.MOST_BITS = int(sys.argv.pop(1))
from arena.cli import main
main()
"""


def small(folder: Path, bits: int, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """``arena WORDS`` with weights of so many bits."""
    line = [sys.executable, "-c", SMALL, str(bits), *map(str, words)]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)


def test_a_round_whose_criteria_have_no_place_in_a_weight_is_refused(played: Path) -> None:
    path = "cup.yaml"
    found = rounds(played)
    said = (
        "found 5 players whose pairing by the Dutch system has more criteria than fit into a "
        "weight of 1 bits, expected fewer players or rounds; what was played stands"
    )
    checked = small(played, 1, "verify", "runs/cup")
    assert checked.returncode == 2
    assert f"error: round 1 of 3: {said}" in checked.stderr.splitlines()
    stop_after(played, 4, 1)
    for target in (path, "runs/cup"):
        done = small(played, 1, "run", target)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"error: round 2 of 3: {said}" in done.stderr.splitlines()
        assert "Traceback" not in done.stderr
        assert len(games(played)) == 4
    assert arena(played, "run", path).code == 0
    assert rounds(played) == found
