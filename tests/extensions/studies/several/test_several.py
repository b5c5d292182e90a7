"""Several runs and files of results in one table."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from arena.extensions.studies.several.several import (
    PooledResults,
    ResultsSource,
    pooled,
    rated_parts,
)
from arena.games.registry import rules_spec
from arena.runs.config.keys import Ratings
from arena.runs.disk import StoreError
from arena.runs.reader import StoredRun
from arena.runs.store import GAMES, RECORDS, RecordLocation, Stored
from arena.runs.voids import VOIDS, Void
from arena.schedule.keys import Discipline
from arena.schedule.pairings import WHOLE, Shard
from arena.schedule.schedule import Schedule
from arena.schedule.seeds import Seeds
from arena.values.bad_input import BadInput
from arena.values.results import Fault, FaultKind, GameResult, GameSpec, Termination, VoidCause
from arena.views.standings.asked import Asked
from arena.views.standings.measured import full_section
from arena.views.standings.standings import SectionData, StandingsTable, parts_of, render
from tests.runs.manifests import ENTRANT, identity_of, manifest_of
from tests.tournament.tables import discipline

HEART: Final = rules_spec("dragonheart", 2)
THREE: Final = discipline("anna", "berta", "carla", rules=HEART, name="heart", deals=12)


def places(game: GameSpec, first: str) -> tuple[int, ...]:
    """``first`` wins two deals of three, and else who sits first."""
    deal = int(game.block.rsplit(":", 1)[1])
    wins = first in game.entrants and deal % 3 > 0
    seat = game.entrants.index(first) if wins else deal % 2
    return (1, 2) if seat == 0 else (2, 1)


def run_of(
    folder: Path,
    *,
    first: str = "anna",
    digests: dict[str, str] | None = None,
    commitment: str = "",
    created: str = "2026-01-01T00:00:00+00:00",
    anchor: tuple[str, float] | None = None,
    games: Discipline = THREE,
    shard: Shard | None = None,
    share: slice = slice(None),
    faulty: str = "",
) -> Path:
    """A run of which the games in ``share`` are stored; ``first`` wins most of its own."""
    folder.mkdir()
    entrants = {
        name: msgspec.structs.replace(ENTRANT, digest=(digests or {}).get(name, name[0] * 64))
        for name in games.entrants
    }
    ratings = None if anchor is None else Ratings(anchor=anchor[0], elo=anchor[1])
    identity = identity_of(games, entrants=entrants, ratings=ratings)
    manifest = manifest_of(identity, commitment or str(folder))
    manifest = msgspec.structs.replace(manifest, created=created, shard=shard)
    (folder / "run.json").write_bytes(msgspec.json.encode(manifest))
    plan = Schedule((games,), Seeds.of("seed"), shard or WHOLE)
    lines = [line_of(game, first, faulty) for block in plan.blocks() for game in block.games]
    (folder / GAMES).write_bytes(b"".join(lines[share]))
    return folder


def line_of(game: GameSpec, first: str, faulty: str) -> bytes:
    seat = game.entrants.index(faulty) if faulty in game.entrants else None
    # A bot in capitals fails in every game, any other in its first deals.
    if faulty.lower() in game.entrants and faulty.isupper():
        seat = game.entrants.index(faulty.lower())
    fails = seat is not None and (faulty.isupper() or game.block.endswith(":0"))
    result = GameResult(
        spec=game,
        termination=Termination.FORFEITED if fails else Termination.COMPLETED,
        places=tuple(1 + (k == seat) for k in range(2)) if fails else places(game, first),
        plies=40,
        digest="",
        scores=None if fails else (7, 7),
        faults=(Fault(seat or 0, FaultKind.TIMEOUT, 3, "no answer"),) if fails else (),
    )
    return msgspec.json.encode(Stored(result, RecordLocation(RECORDS, 0, 0), 1_800_000_000)) + b"\n"


def file_of(path: Path, games: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(game) + "\n" for game in games))
    return path


def pool_of(*paths: Path, **how: bool) -> PooledResults:
    return pooled([ResultsSource(path, path.name) for path in paths], **how)


def shown(parts: list[SectionData], form: str = "txt") -> str:
    """The tables without headlines: several runs have no winner."""
    sections = (part.section._replace(headline=None) for part in parts)
    return render(StandingsTable("x", tuple(sections)), form)


def games_of(parts: list[SectionData]) -> dict[str, int]:
    return {row.name: row.games for row in parts[-1].section.standings.rows}


def together(*paths: Path, asked: Asked | None = None, **how: bool) -> list[SectionData]:
    pool = pool_of(*paths, **how)
    return rated_parts(pool, (asked or Asked()).model(pool.tally.entrants, pool.anchors))


def test_one_run_alone_has_its_own_table(tmp_path: Path) -> None:
    run = run_of(tmp_path / "a")
    assert shown(together(run)) == shown(parts_of(StoredRun(run)))
    assert shown(together(run), "json") == shown(parts_of(StoredRun(run)), "json")


def test_two_runs_are_added_block_by_block(tmp_path: Path) -> None:
    one, other = run_of(tmp_path / "a"), run_of(tmp_path / "b", first="berta")
    parts = together(one, other)
    assert games_of(parts) == {"anna": 96, "berta": 96, "carla": 96}
    assert parts[-1].ratings is not None
    assert parts[-1].ratings.blocks == 72
    assert "seed" not in shown(parts)
    assert shown(together(other, one)) == shown(parts)


def test_versions_of_a_bot_are_apart_in_the_order_of_time_or_joined(tmp_path: Path) -> None:
    new = run_of(tmp_path / "new", digests={"anna": "2" * 64}, created="2026-03-01T00:00:00+00:00")
    old = run_of(tmp_path / "old", digests={"anna": "1" * 64})
    again = run_of(
        tmp_path / "again", digests={"anna": "1" * 64}, created="2026-04-01T00:00:00+00:00"
    )
    apart = together(new, again, old)
    assert games_of(apart) == {"anna@1": 96, "anna@2": 48, "berta": 144, "carla": 144}
    told = "anna@1 is 111111111111, from 2026-01-01 on; anna@2 is 222222222222, from 2026-03-01 on"
    assert told in shown(apart).splitlines()
    joined = together(new, again, old, joined=True)
    assert games_of(joined) == {"anna": 144, "berta": 144, "carla": 144}
    assert "anna: 2 versions count as one bot" in shown(joined).splitlines()


def test_many_versions_are_told_in_a_short_line(tmp_path: Path) -> None:
    runs = [
        run_of(
            tmp_path / f"{month}",
            digests={"anna": f"{month}" * 64},
            created=f"2026-0{month}-01T00:00:00+00:00",
        )
        for month in range(1, 7)
    ]
    ends = "anna@1 (111111111111, from 2026-01-01 on) to anna@6 (666666666666, from 2026-06-01 on)"
    told = f"anna: 6 versions, {ends}; --history anna lists them"
    assert told in shown(together(*runs)).splitlines()


def test_options_make_versions_too(tmp_path: Path) -> None:
    one, other = run_of(tmp_path / "a"), run_of(tmp_path / "b")
    manifest = json.loads((other / "run.json").read_text())
    manifest["identity"]["entrants"]["anna"]["options"]["depth"] = 3
    (other / "run.json").write_text(json.dumps(manifest))
    assert "with no option" in shown(together(one, other))
    assert "with depth 3" in shown(together(one, other))


def test_folders_of_one_run_are_one(tmp_path: Path) -> None:
    whole = run_of(tmp_path / "whole", commitment="one")
    parts = [run_of(tmp_path / f"s{k}", commitment="one", shard=Shard(k, 2)) for k in (1, 2)]
    copy = run_of(tmp_path / "copy", commitment="one", share=slice(0, 31))
    expected = shown(together(whole))
    assert shown(together(*parts)) == expected
    both = together(copy, whole)
    assert games_of(both) == games_of(together(whole))
    assert "copy and whole are one run: 31 games met twice counted once" in shown(both)
    assert both[-1].ratings is not None
    assert both[-1].ratings.ratings == together(whole)[-1].ratings.ratings  # type: ignore[union-attr]
    assert shown(together(whole, whole)) == expected


def test_copies_that_went_differently_are_refused(tmp_path: Path) -> None:
    one = run_of(tmp_path / "a", commitment="one")
    other = run_of(tmp_path / "b", commitment="one", first="berta")
    told = r"a and \S*b: the game heart/\S+ of one run went differently in the two"
    with pytest.raises(StoreError, match=told):
        together(one, other)


ONE: Final = [
    {
        "id": f"g{k}",
        "deal": f"d{k // 2}",
        "seats": ["anna", "dora"] if k % 2 else ["dora", "anna"],
        "places": [2, 1] if k % 3 == 0 else [1, 2],
    }
    for k in range(24)
]


def test_games_with_one_id_count_once(tmp_path: Path) -> None:
    one, other = file_of(tmp_path / "a", ONE), file_of(tmp_path / "b", [*ONE[12:], ONE[0]])
    assert games_of(together(one, other)) == {"anna": 24, "dora": 24}
    assert "13 games with an id met before: counted once" in shown(together(one, other))


def test_an_id_of_games_that_went_differently_is_refused(tmp_path: Path) -> None:
    one = file_of(tmp_path / "a", ONE)
    other = file_of(tmp_path / "b", [ONE[3] | {"places": [1, 1]}])
    with pytest.raises(BadInput, match=r'^a and b: found the id "g3" for games that went diff'):
        together(one, other)
    alone = file_of(tmp_path / "c", [ONE[3], ONE[3] | {"places": [1, 1]}])
    with pytest.raises(BadInput, match=r'^c: found the id "g3" for games'):
        together(alone)


def test_deals_of_two_files_are_two_deals_and_equal_files_one(tmp_path: Path) -> None:
    games = [{key: value for key, value in game.items() if key != "id"} for game in ONE]
    one, other = file_of(tmp_path / "a", games), file_of(tmp_path / "b", games[::-1])
    assert games_of(together(one, other)) == {"anna": 48, "dora": 48}
    same = file_of(tmp_path / "c", games)
    assert games_of(together(one, same)) == {"anna": 24, "dora": 24}
    assert "c holds what a does: counted once" in shown(together(one, same))


def test_runs_and_files_share_their_bots(tmp_path: Path) -> None:
    run, file = run_of(tmp_path / "a"), file_of(tmp_path / "f", ONE)
    parts = together(file, run)
    assert [part.section.title for part in parts] == ["game-2", "heart", "overall"]
    assert games_of(parts) == {"anna": 72, "berta": 48, "carla": 48, "dora": 24}


def test_other_rules_make_another_table(tmp_path: Path) -> None:
    rules = msgspec.structs.replace(HEART, data=HEART.data | {"status": "other"})
    one = run_of(tmp_path / "a")
    games = discipline("anna", "berta", "carla", rules=rules, name="heart", deals=12)
    other = run_of(tmp_path / "b", games=games, created="2026-02-01T00:00:00+00:00")
    parts = together(one, other)
    assert [part.section.title for part in parts] == ["heart", "heart@2", "overall"]
    assert "heart@2 is heart of b, where it has other rules" in shown(parts)


def test_other_numbers_of_seats_are_refused(tmp_path: Path) -> None:
    run = run_of(tmp_path / "a")
    three = [{"discipline": "heart", "seats": ["x", "y", "z"], "places": [1, 2, 3]}]
    with pytest.raises(BadInput, match=r"^f: found 3 seats in discipline 'heart', not 2"):
        together(run, file_of(tmp_path / "f", three))


def test_one_anchor_of_the_runs_is_used(tmp_path: Path) -> None:
    one = run_of(tmp_path / "a", anchor=("carla", 900))
    other = run_of(tmp_path / "b")
    same = run_of(tmp_path / "c", anchor=("carla", 900))
    text = shown(together(one, other, same))
    assert re.search(r"carla +900 +anchor", text)


@pytest.mark.parametrize(
    ("anchor", "digests", "named"),
    [
        (("berta", 900), {}, "berta at 900 Elo"),
        (("carla", 1000), {}, "carla at 1000 Elo"),
        (("carla", 900), {"carla": "9" * 64}, "carla@2 at 900 Elo"),
    ],
)
def test_different_anchors_are_refused_with_what_to_do(tmp_path, anchor, digests, named) -> None:
    one = run_of(tmp_path / "a", anchor=("carla", 900))
    other = run_of(
        tmp_path / "b", anchor=anchor, digests=digests, created="2026-02-01T00:00:00+00:00"
    )
    with pytest.raises(BadInput) as refused:
        together(one, other)
    assert f"{named} (b)" in str(refused.value)
    assert "choose with --anchor BOT=ELO" in str(refused.value)
    together(one, other, asked=Asked(("berta=900",)))
    assert "the mean is set to 1000" in shown(together(one, other, asked=Asked(elo=1000)))


def test_several_anchors_are_told(tmp_path: Path) -> None:
    run = run_of(tmp_path / "a")
    asked = Asked(("anna=1200+-30", "carla=1000"), prior=0, seats=False)
    parts = together(run, asked=asked)
    text = shown(parts)
    assert re.search(r"anna is set to 1200 ±30 \(here \d+\) and carla is set to 1000 Elo", text)
    assert "seats were taken to be worth nothing\nprior: none\n" in text
    (table,) = json.loads(shown(parts, "json"))["tables"]
    assert table["data"]["anchors"] == [
        {"name": "anna", "elo": 1200.0, "error": 30.0},
        {"name": "carla", "elo": 1000.0, "error": 0.0},
    ]
    assert (table["data"]["prior"], table["data"]["seat_terms"]) == (0.0, False)
    assert table["data"]["anchor"] is None


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (Asked(("ann=5",)), '--anchor: found "ann", expected a bot of the results (did you mean'),
        (Asked(("anna=x",)), '--anchor: found "anna=x", expected BOT, BOT=ELO or'),
        (Asked(("anna=1e7",)), '--anchor: found "anna=1e7", expected'),
        (Asked(("anna=5", "anna")), '--anchor: found "anna" twice'),
        (Asked(("anna=5",), elo=3), "--elo: found it beside --anchor"),
    ],
)
def test_anchors_that_are_none(tmp_path: Path, asked: Asked, told: str) -> None:
    with pytest.raises(BadInput, match=re.escape(told)):
        together(run_of(tmp_path / "a"), asked=asked)


def test_numbers_that_cannot_be_used() -> None:
    for asked, told in (
        (Asked(elo=float("nan")), "--elo: found nan"),
        (Asked(prior=-1), "--prior: found -1"),
        (Asked(prior=float("inf")), "--prior: found inf"),
    ):
        with pytest.raises(BadInput, match=told):
            asked.check()


def test_faults_are_left_out_of_the_second_fit(tmp_path: Path) -> None:
    run, file = run_of(tmp_path / "a", faulty="carla"), file_of(tmp_path / "f", ONE)
    parts = together(run, file, full=True)
    assert parts[-1].clean is not None
    # Deal 0 of the two pairings with carla is left out, in the run alone.
    fitted = full_section(parts[-1])
    text = render(StandingsTable("x", (fitted,)), "txt")
    assert re.search(r"carla +4 ", text[text.index("games lost by a bot") :])
    assert parts[0].clean is not None
    assert together(run, file)[-1].clean is None


def test_a_bot_that_a_run_gave_up_counts_in_the_others(tmp_path: Path) -> None:
    one = run_of(tmp_path / "a", faulty="CARLA")
    other = run_of(tmp_path / "b")
    parts = together(one, other)
    assert games_of(parts) == {"anna": 72, "berta": 72, "carla": 48}
    (gone,) = parts[-1].section.withdrawn
    assert (gone.name, gone.reason.endswith("(in a)")) == ("carla", True)
    assert parts[-1].section.annulled == 48


def test_runs_that_are_not_finished_or_have_other_clocks_say_so(tmp_path: Path) -> None:
    one = run_of(tmp_path / "a", share=slice(0, 10))
    other = run_of(tmp_path / "b")
    manifest = json.loads((other / "run.json").read_text())
    manifest["identity"]["clock"]["move"] = 2.0
    (other / "run.json").write_text(json.dumps(manifest))
    text = shown(together(one, other))
    assert "a: 10 of 72 games played so far" in text.splitlines()
    assert "the runs have different clocks: a: " in text
    for path in (one, other):
        (path / "seed.json").write_text('{"seed": "7", "salt": "x"}')
    assert "a and b have one seed" in shown(together(one, other))


def test_voids_of_copies_count_as_often_as_in_any_of_them(tmp_path: Path) -> None:
    one = run_of(tmp_path / "a", commitment="one")
    other = run_of(tmp_path / "b", commitment="one")
    for path, times in ((one, 2), (other, 3)):
        void = Void("heart/anna+berta:0:0", VoidCause.MACHINE, "busy", ("anna", "berta"))
        (path / VOIDS).write_bytes(times * (msgspec.json.encode(void) + b"\n"))
    assert together(one, other)[-1].section.voids["machine"].times == 3
