"""Runs that several machines played, as people and programs see them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from arena.games.registry import rules_spec
from arena.runs.reader import StoredRun
from arena.runs.store import GAMES, RECORDS, RecordLocation, Stored
from arena.runs.voids import VOIDS, Void
from arena.schedule.schedule import Schedule
from arena.schedule.seeds import Seeds
from arena.values.results import Fault, FaultKind, GameResult, GameSpec, Termination, VoidCause
from arena.views.standings.measured import LISTED, full_section
from arena.views.standings.standings import FORMS, StandingsTable, parts_of, render, table_of
from tests.runs.manifests import identity_of, manifest_of
from tests.tournament.tables import discipline

HEART: Final = rules_spec("dragonheart", 2)
DISCIPLINES: Final = (discipline("anna", "berta", "carla", rules=HEART, name="heart", deals=30),)


def stored(game: GameSpec, machine: str, pace: float = 1.0, *, late: bool = False) -> Stored:
    """A game; if ``late``, carla ran out of time in it, or whoever sat last."""
    seats = len(game.entrants)
    seat = game.entrants.index("carla") if "carla" in game.entrants else seats - 1
    think = [round(pace * 20 * 1000 * (1 + len(name))) for name in game.entrants]
    result = GameResult(
        spec=game,
        termination=Termination.FORFEITED if late else Termination.COMPLETED,
        places=tuple(seats if late and k == seat else 1 for k in range(seats)),
        plies=40,
        digest="",
        scores=None if late else (7,) * seats,
        faults=(Fault(seat, FaultKind.TIMEOUT, 3, "no answer"),) if late else (),
        think_us=tuple(think),
        wall_us=sum(think),
    )
    return Stored(result, RecordLocation(RECORDS, 0, 0), 0, machine=machine)


Played = Callable[[int, GameSpec], Stored]


def run_of(
    folder: Path, played: Played, voids: tuple[Void, ...] = (), games: Any = DISCIPLINES
) -> StoredRun:
    """``played``: a game by the number of its block."""
    (folder / "run.json").write_bytes(msgspec.json.encode(manifest_of(identity_of(*games))))
    plan = Schedule(games, Seeds.of("seed"))
    lines = [
        msgspec.json.encode(played(number, game)) + b"\n"
        for number, block in enumerate(plan.blocks())
        for game in block.games
    ]
    (folder / GAMES).write_bytes(b"".join(lines))
    (folder / VOIDS).write_bytes(b"".join(msgspec.json.encode(void) + b"\n" for void in voids))
    return StoredRun(folder)


def full_page(run: StoredRun) -> StandingsTable:
    return StandingsTable(run.manifest.name, tuple(full_section(part) for part in parts_of(run)))


def rows_of(run: StoredRun) -> list[dict[str, Any]]:
    document = json.loads(render(full_page(run), "json"))
    rows: list[dict[str, Any]] = document["tables"][-1]["panels"]["machines"]
    return rows


def three(number: int, game: GameSpec) -> Stored:
    """The machine of the run, one like it, and a slow one where carla is late in every other deal.

    Blocks are pairings of a deal, three of them; in two carla plays.
    """
    deal, pairing = divmod(number, 3)
    machine = ("", "like", "slow")[deal % 3]
    late = machine == "slow" and pairing > 0 and deal % 2 > 0
    return stored(game, machine, 3.0 if machine == "slow" else 1.0, late=late)


def voids_of(*causes: tuple[str, VoidCause]) -> tuple[Void, ...]:
    """Of the first game, by machine and cause."""
    game = next(Schedule(DISCIPLINES, Seeds.of("seed")).blocks()).games[0]
    return tuple(Void(game.game_id, cause, "why", game.entrants, name) for name, cause in causes)


VOIDED: Final = voids_of(
    ("like", VoidCause.WORKER), ("weak", VoidCause.MACHINE), ("weak", VoidCause.MACHINE)
)


PANEL: Final = """
machines
--------

machine          games    ratio    answer    timeouts     %    blocks    chance    starved    lost    game
-------------  -------  -------  --------  ----------  ----  --------  --------  ---------  ------  ------
slow                60     3.02   18.1 ms         *20  33.3        10       3.3          0       0  658 ms
the run's own       60     1.00   5.98 ms           0   0.0         0       3.3          0       0  220 ms
like                60     1.00   5.98 ms           0   0.0         0       3.3          0       1  220 ms
weak                 0        –         –           0     –         0       0.0          2       0       –
unlike machines are shown, not corrected: every game counts as it was played
ratio: time by answer against the other machines for the same bots, median over bots
answer: wall time, if seats answer equally often; game: wall time; both medians
timeouts: games with one, and their share; blocks: those with one
chance: how many of these would be here if machines made no difference
mark *: more timeouts than chance explains at the 5 % level (Holm): slow
starved: voids because the machine gave a bot too little time
lost: voids with a worker process
"""  # noqa: E501


def test_the_panel_in_every_form(tmp_path: Path) -> None:
    run = run_of(tmp_path, three, VOIDED)
    rows, page = rows_of(run), full_page(run)
    text = render(page, "txt")
    assert text[text.index("\nmachines\n") :] == PANEL
    assert [(row["name"], row["games"], row["significant"]) for row in rows] == [
        ("slow", 60, True), ("", 60, False), ("like", 60, False), ("weak", 0, False),
    ]  # fmt: skip
    lines = csv.DictReader(io.StringIO(render(page, "csv")))
    own = [line for line in lines if line["panel"] == "machines"]
    assert [(line["name"], line["timeout_games"], line["voids_machine"]) for line in own] == [
        (row["name"], str(row["timeout_games"]), str(row["voids"]["machine"])) for row in rows
    ]
    markdown = render(page, "md")
    assert "\n### machines\n" in markdown
    assert "| the run's own |" in markdown
    for form in FORMS:
        assert "slow" not in render(table_of(run), form), "the table alone tells of no machines"


@pytest.mark.parametrize("machine", ["", "far"])
def test_one_machine_is_compared_with_nothing(tmp_path: Path, machine: str) -> None:
    run = run_of(tmp_path, lambda number, game: stored(game, machine))
    for form in FORMS:
        assert "machine" not in render(full_page(run), form)


def test_a_machine_that_only_lost_games_is_told(tmp_path: Path) -> None:
    voids = voids_of(("far", VoidCause.WORKER))
    run = run_of(tmp_path, lambda number, game: stored(game, ""), voids)
    assert [(row["name"], row["voids"]["worker"]) for row in rows_of(run)] == [("", 0), ("far", 1)]
    text = render(full_page(run), "txt")
    assert "no bot ran out of time" in text
    assert "timeouts" not in text


OTHER: Final = discipline("anna", "berta", rules=HEART, name="other", deals=6)
SOLO: Final = discipline("anna", "berta", rules=rules_spec("dragonkrak", 1), name="solo", deals=10)


@pytest.mark.parametrize(
    ("games", "late", "tables"),
    [
        ((*DISCIPLINES, OTHER), False, [False, False, True]),
        ((SOLO,), False, [True]),
        (DISCIPLINES, True, [True]),
    ],
    ids=["with the last table", "alone", "games of withdrawn bots"],
)
def test_machines_of_all_games_of_a_run(tmp_path, games, late, tables) -> None:
    run = run_of(tmp_path, lambda n, game: stored(game, "ab"[n % 2], late=late), games=games)
    page = full_page(run)
    assert bool(page.sections[-1].withdrawn) is late
    document = json.loads(render(page, "json"))
    assert ["machines" in table.get("panels", {}) for table in document["tables"]] == tables
    shares = [row["games"] for row in rows_of(run)]
    assert sum(shares) == run.schedule.games
    assert len(set(shares)) == 1


EVIL: Final = "<script>alert(1)</script>\"'`{{7*7}}\x1b[31m\u202e&amp;"
HOSTILE: Final = {
    "steers": "\x1b[2J\x1b]0;owned\x07\u202enode",
    "markup": EVIL,
    "markdown": "| a | [x](http://x) `y` @all\n# h",
    "huge": "x" * 10_000,
    "wide": "\u6f22" * 10_000,
    "unseen": "\u200b\ufeff",
    "formula": "=1+1",
}


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_hostile_names_do_nothing(tmp_path: Path, name: str) -> None:
    def play(number: int, game: GameSpec) -> Stored:
        return stored(game, name if number % 2 else "", 2.0, late=number % 8 == 1)

    run = run_of(tmp_path, play, voids_of((name, VoidCause.MACHINE)))
    page = full_page(run)
    for form in FORMS:
        shown = render(page, form)
        assert not {"\x1b", "\x07", "\u202e", "\u200b", "\ufeff", "\r"} & set(shown)
        assert max(map(len, shown.splitlines())) < 1200
        assert "<script" not in render(page, "md")
    own = next(row for row in rows_of(run) if row["name"])
    assert len(own["name"]) <= 100
    assert own["name"][:99] == name[:99]
    table = render(page, "txt").split("\nmachines\n")[1].splitlines()
    assert len({line.startswith("# ") for line in render(page, "md").splitlines()}) == 1
    assert len(table) < 16


def test_of_very_many_machines_the_marked_and_the_slowest_are_listed(tmp_path: Path) -> None:
    games = (discipline("anna", "berta", rules=HEART, name="heart", deals=LISTED + 60),)

    def play(number: int, game: GameSpec) -> Stored:
        if number < 40:
            return stored(game, "marked", 0.5, late=True)
        return stored(game, f"m{number}", 1.0 + number / 100)

    run = run_of(tmp_path, play, games=games)
    panel = render(full_page(run), "txt").split("\nmachines\n")[1]
    assert len(rows_of(run)) == LISTED + 21
    assert panel.splitlines()[4].startswith("marked ")
    assert panel.count("\nm") - panel.count("\nmark") - panel.count("\nmachine") == LISTED - 1
    assert f"m{LISTED + 59} " in panel
    assert "21 more are not listed; all: --format csv or json" in panel
