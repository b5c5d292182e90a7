"""Tables and ratings that programs read: what they give, and what they refuse."""

from __future__ import annotations

import json
import math
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arena
from arena.cli.commands.standings import StandingsOptions, print_standings
from arena.games.base import CHANCE, NOBODY
from tests.schemas import validator
from tests.views.played import BOTS, ONE, run_of

ROW = {"game": "g", "seat": 0, "bot": "a", "place": 1}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> arena.Run:
    return arena.open(run_of(tmp_path_factory.mktemp("api") / "cup", ("dragonkrak", 1), ONE))


def test_tables_are_those_of_the_export(run: arena.Run) -> None:
    assert (run.name, run.bots, run.disciplines) == ("cup", BOTS, ("dragonkrak-1", "dragonheart-2"))
    games = list(run.games())
    lengths = {game["game"]: game["plies"] for game in games}
    plies = list(run.plies())
    assert len(plies) == sum(lengths.values())
    assert [*run.plies().columns][:3] == ["run", "game", "ply"]
    lost = list(run.seats(bot="anna", against=["berta", "carla"], result="lost"))
    assert {row["bot"] for row in lost} <= {"anna", "berta", "carla"}
    faults = {row["game"] for row in run.seats() if row["fault"]}
    assert {game["game"] for game in run.games(fault=True)} == faults > set()
    own = list(run.decisions(view="anna"))
    assert {row["bot"] for row in own} == {"anna"}
    assert all(row["action"] is None for row in run.plies(view="public"))


def test_a_game_is_replayed(run: arena.Run) -> None:
    game = next(iter(run.games(discipline="dragonheart-2", fault=False)))
    rules = arena.rules("dragonheart")
    rows = [row for row in run.plies() if row["game"] == game["game"]]
    assert run.game(game["game"]) == game
    state = rules.initial_state()
    for ply, row in zip(game.replay(), rows, strict=True):
        assert ply.state == state
        seat = rules.to_act(state)
        assert ply.seat == row["seat"] == (None if seat == CHANCE else seat)
        if ply.seat is not None:
            assert ply.legal[row["action_index"]] == ply.action
            assert ply.observation["seat"] == ply.seat
        state = rules.apply(state, rules.decode_action(ply.action))
    assert rules.to_act(state) == NOBODY
    assert game.bots == tuple(row["bot"] for row in run.seats() if row["game"] == game["game"])


@pytest.mark.extensions("studies")
def test_ratings_of_seats_are_the_standings(run: arena.Run) -> None:
    found = list(run.standings())
    assert {row["discipline"] for row in found} == {*run.disciplines}
    rows = [row for row in run.seats() if row["game"].startswith("dragonheart-2/")]
    rated = list(arena.rate(rows))
    assert rated == [row for row in found if row["discipline"] == "dragonheart-2"]
    assert [*arena.rate(run.seats(discipline="dragonheart-2"))] == rated
    assert [each["title"] for each in run.standings().document()["tables"]][-1] == "overall"
    alone = {row["bot"]: row for row in found if row["discipline"] == "dragonkrak-1"}
    for row in arena.rate(run.seats(discipline="dragonkrak-1")):  # less is better there
        own = alone[row["bot"]]  # a forfeit counts as the worst score, of rules or as seen
        assert row["faults"] or (row["rank"], row["games"]) == (own["rank"], own["games"])
    anchored = arena.rate(rows, anchors={"anna": 1500})
    assert next(row["elo"] for row in anchored if row["bot"] == "anna") == 1500
    made = [
        {"game": f"mine:{number}", "seat": seat, "bot": "ab"[seat], "place": 1 + seat}
        for number in range(9)
        for seat in (0, 1)
    ]
    with pytest.raises(arena.Error, match=r"rows: game mine:1: found a second game of these ent"):
        arena.rate(made)
    first, *_ = arena.rate([row | {"game": row["game"][5:]} for row in made])
    assert (first["bot"], first["wins"], first["discipline"]) == ("a", 9, "game-2")


def seats(*places: float, **more: Any) -> list[dict[str, Any]]:
    """Return the rows of a game of ``a``, ``b`` and so on."""
    return [
        ROW | {"seat": seat, "bot": "abc"[seat], "place": place} | more
        for seat, place in enumerate(places)
    ]


def results() -> list[dict[str, Any]]:
    """Return games as lines of results: two groups, deals, a perfect score, faults, three games."""
    lines: list[dict[str, Any]] = []
    for deal in range(12):
        for one, other in (("a", "b"), ("c", "d")):
            for names in ((one, other), (other, one)):
                first = (deal % 3 > 0) == (names[0] == one)
                lines.append({"deal": f"d{deal}", "seats": names, "places": [2 - first, 1 + first]})
        lines.append({"deal": f"d{deal}", "seats": ["b", "e"], "places": [1, 2], "faults": [1]})
        places = [[1, 1, 3], [3, 1, 1], [1, 2, 3]][deal % 3]
        lines.append({"deal": "x", "seats": [*"abc"], "places": places, "discipline": f"t{deal}"})
        lines += [
            {"deal": f"d{deal}", "seats": [name], "scores": [points], "discipline": "alone"}
            for name, points in (("a", deal % 5), ("b", -deal))
        ]
    return lines


@pytest.mark.extensions("studies")
def test_frames_are_rated_as_their_rows(run: arena.Run) -> None:
    pytest.importorskip("pyarrow")
    seats = run.seats(discipline="dragonheart-2")
    rated = [*arena.rate(seats)]
    assert [*arena.rate(seats.to_arrow())] == rated
    for package, frame in (("pandas", seats.to_pandas), ("polars", seats.to_polars)):
        if find_spec(package):
            assert [*arena.rate(frame())] == rated


def test_tables_know_their_length_and_show_their_columns(run: arena.Run) -> None:
    played = {"bot": "anna", "view": "anna"}
    for table in (
        *(run.games(), run.seats(), run.plies(), run.decisions(), run.standings()),
        *(run.seats(bot="anna"), run.plies(**played), run.decisions(**played)),
    ):
        rows = [*table]
        assert len(table) == len(rows)
        shown = repr(table).splitlines()
        assert (
            shown[0] == f"<arena.Table {table.name}, the first {min(3, len(rows))} rows by column:"
        )
        assert [line.split()[0].rstrip(">") for line in shown[1:]] == [*table.columns]
        assert max(map(len, shown)) <= 100
        name = "bot" if table.name == "standings" else "game"
        assert f"  {rows[0][name][:20]}" in repr(table)


def test_seats_tell_of_their_games(run: arena.Run) -> None:
    games = {game["game"]: game for game in run.games()}
    for seat in run.seats():
        game = games[seat["game"]]
        for column in (
            "discipline",
            "deal",
            "block",
            "termination",
            "counted",
            "seats",
            "options",
            "played_at",
        ):
            assert seat[column] == game[column]
        assert game["seats"] == len(game.bots)
        assert isinstance(json.loads(game["options"]), dict)
        assert game["played_at"] > 0


@pytest.mark.extensions("studies")
def test_rows_are_rated_as_the_command_rates_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "results.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in results()))
    print_standings(StandingsOptions(sources=(str(file),), full=True, form="json"))
    expected = json.loads(capsys.readouterr().out)
    rows = []
    for number, line in enumerate(results()):
        faults = dict.fromkeys(line.get("faults", ()), "crash")
        rows += [
            {
                "game": f"g{number}",
                "seat": np.int64(seat),
                "bot": name,
                "place": float(line.get("places", [1])[seat]),
                "score": line.get("scores", [math.nan] * 3)[seat],
                "fault": faults.get(seat),
                "deal": line["deal"],
                "discipline": line.get("discipline"),
            }
            for seat, name in enumerate(line["seats"])
        ]
    rated = arena.rate(rows)
    document = rated.document()
    assert document | {"source": str(file)} == expected
    assert {"groups", "differences", "ranks", "forfeits"} <= {*document["tables"][1]["panels"]}
    of_pairs = {row["bot"]: row for row in rated if row["discipline"] == "game-2"}
    for row in expected["tables"][1]["data"]["rows"]:
        own = of_pairs[row["name"]]
        assert own["faults"] == sum(row["faults"].values())
        assert all(own[key] == row[key] for key in own.keys() & row.keys() - {"faults"})
    assert {bot: (row["group"], row["bound"]) for bot, row in of_pairs.items()} == {
        "a": ("A", ""),
        "b": ("A", ""),
        "c": ("B", "?"),
        "d": ("B", "?"),
        "e": ("C", "<"),
    }
    alone = next(row for row in rated if row["discipline"] == "alone")
    assert (alone["bot"], alone["best"], alone["deals"]) == ("a", 4, None)


@pytest.mark.extensions("studies")
def test_columns_of_games_decide_what_counts() -> None:
    def elo(**more: Any) -> list[Any]:
        rows = [
            row | {"game": f"g{deal}x{seating}", "bot": "ab"[(row["seat"] + seating) % 2]} | extra
            for deal in range(20)
            for seating in (0, 1)
            for row in seats(1, 2)
            for extra in [{key: value(deal, seating) for key, value in more.items()}]
        ]
        return [row["error"] for row in arena.rate(rows) if row["games"]]

    single = elo()
    assert single[0] is not None
    assert elo(deal=lambda deal, _: deal) == [None, None]  # each deal splits
    assert elo(block=lambda deal, _: f"b{deal}", deal=lambda *_: "d") == [None, None]
    assert elo(block=lambda deal, seating: f"b{deal}{seating}") == single
    assert elo(termination=lambda *_: "void") == elo(counted=lambda *_: False) == []
    assert len(elo(counted=lambda deal, _: deal < 15)) == 2
    assert elo(discipline=lambda *_: "x", wall_us=lambda deal, _: deal) == single


@pytest.mark.extensions("studies")
def test_mistakes_are_errors(run: Any) -> None:
    api: Any = arena  # most arguments have a wrong type
    for call, told in (
        (lambda: run.seats(bot="ana"), 'bot: found "ana", expected a bot of this run'),
        (lambda: run.games(discipline="x"), 'discipline: found "x"'),
        (lambda: run.games(fault="laziness"), 'fault: found "laziness"'),
        (lambda: run.plies(view="x"), 'view: found "x", expected a bot of this run, or public'),
        (lambda: run.seats(bot=3), "bot: found 3, expected text or a list of texts"),
        (lambda: run.seats(bots="anna"), 'conditions: found "bots", expected bot, against'),
        (lambda: run.seats(result="won"), "result: found without bot, expected with it"),
        (lambda: run.games(fault=3), "fault: found 3, expected true, false or a kind of fault"),
        (lambda: run.plies(view=["anna"]), "view: found a list, expected text"),
        (lambda: run.game(3), "name: found 3, expected text"),
        (lambda: api.env("dragonheart", seat="x"), 'seat: found "x", expected a whole number'),
        (
            lambda: api.env("dragonheart", seat=0, opponents="random"),
            'opponents: found "random", expected a list',
        ),
        (lambda: api.rate(None), "rows: found nothing, expected rows"),
        (lambda: api.rate("abc"), 'rows: found "abc", expected rows, such as'),
        (lambda: api.rate(["abc"]), 'rows: found "abc", expected a mapping'),
        (lambda: api.rate(ROW), "expected rows, such as run.seats() or a data frame of them"),
        (lambda: api.rate([]), "rows: found none, expected a row for each seat of a game"),
        (lambda: api.rate([{"seat": 0}]), "found a row without game"),
        (lambda: api.rate([ROW | {"game": 1}]), "rows: game: found 1, expected text"),
        (lambda: api.rate([ROW | {"place": "first"}]), 'rows: game g: found "first" in "places"'),
        (lambda: api.rate([ROW | {"place": 0}]), 'rows: game g: found "places" [0], expected a r'),
        (lambda: api.rate(seats(1, 1, 2)), 'found "places" [1, 1, 2], expected a ranking that'),
        (lambda: api.rate(seats(1, float("nan"))), "rows: found a row without place"),
        (lambda: api.rate([ROW | {"dael": 1}]), 'rows: found "dael", expected run, game, seat, '),
        (lambda: api.rate([ROW | {"seat": None}]), "rows: found a row without seat"),
        (lambda: api.rate([ROW | {"seat": "x"}]), 'seat: found "x", expected a whole number'),
        (
            lambda: api.rate([*seats(1), seats(1, 2)[1] | {"deal": "e"}]),
            'rows: game g: deal: found nothing and "e", expected the same for all seats',
        ),
        (lambda: api.rate([ROW | {"seat": 1}]), "found rows of seat 1, expected one for each"),
        (lambda: api.rate([ROW | {"fault": "x"}]), 'found "kind" "x", expected "startup" or "ti'),
        (lambda: api.rate([ROW]), 'found one seat without "scores", expected one score'),
        (lambda: api.rate([ROW], {"b": 1500}), 'anchors: found "b", expected a bot of the rows'),
        (lambda: api.rate([ROW], {"a": float("nan")}), "anchors: a: found nan, expected a num"),
        (lambda: run.game("999"), "expected 1 to"),
    ):
        with pytest.raises(arena.Error) as found:
            call()
        assert told in str(found.value)


def test_rows_fit_their_schemas(run: arena.Run) -> None:
    for table in (run.games(), run.seats(), run.plies(), run.decisions()):
        for row in islice(table, 50):
            validator("tables", table.name).validate(row)


def test_lost_records_are_reported_and_an_empty_run_is_empty(tmp_path: Path) -> None:
    folder = run_of(tmp_path / "cup", ONE, bots=BOTS[:2])
    (folder / "records/0.jsonl.gz").write_bytes(b"")
    run = arena.open(folder)
    with pytest.warns(UserWarning, match=r"cup: left out: plies of 2 games, whose records are los"):
        assert list(run.plies()) == []
    assert len(list(run.games())) == 2
    (folder / "games.jsonl").unlink()
    assert list(arena.open(folder).games()) == list(arena.open(folder).plies()) == []


@pytest.mark.slow
def test_frames_have_the_same_sums(run: arena.Run) -> None:
    points = {row["bot"]: row["points"] for row in run.standings() if row["points"] is not None}
    seats = run.seats()
    assert seats.to_arrow().num_rows == len(list(seats))
    pandas = pytest.importorskip("pandas")
    frame = seats.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame[frame.points.notna()].groupby("bot").points.sum().to_dict() == points
    polars = pytest.importorskip("polars")
    found = seats.to_polars().drop_nulls("points").group_by("bot").agg(polars.col("points").sum())
    assert dict(found.iter_rows()) == points
    duckdb = pytest.importorskip("duckdb")
    rows = duckdb.from_arrow(seats.to_arrow()).filter("points >= 0").aggregate("bot, sum(points)")
    assert dict(rows.fetchall()) == points
