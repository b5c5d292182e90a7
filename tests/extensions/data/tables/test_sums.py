"""Sums over tables are those of the standings, in every library that reads Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

import arena
from arena.extensions.data.tables.source import ChosenGames
from arena.extensions.data.tables.write import TableOrder, write_tables
from arena.runs.reader import StoredRun
from arena.views.game.rows import GameFilter
from benchmarks.tables import write_run

pytest.importorskip("pyarrow")
BOTS: Final = ("greedy", "random")


def of_pandas(folder: Path) -> tuple[dict[str, float], dict[str, int], int]:
    import pandas as pd

    seats = pd.read_parquet(folder / "seats.parquet")
    plies = pd.read_parquet(folder / "plies.parquet", columns=["bot", "think_us"])
    points, think = seats.groupby("bot").points.sum(), plies.groupby("bot").think_us.sum()
    return points.to_dict(), think.astype(int).to_dict(), len(plies)


def of_polars(folder: Path) -> tuple[dict[str, float], dict[str, int], int]:
    pl: Any = pytest.importorskip("polars")
    seats, plies = (pl.scan_parquet(folder / f"{name}.parquet") for name in ("seats", "plies"))

    def sums(table: Any, column: str) -> dict[str, Any]:
        grouped = table.drop_nulls("bot").group_by("bot").agg(pl.col(column).sum())
        return dict(grouped.collect().iter_rows())

    return (sums(seats, "points"), sums(plies, "think_us"), plies.select(pl.len()).collect().item())


def of_duckdb(folder: Path) -> tuple[dict[str, float], dict[str, int], int]:
    duckdb: Any = pytest.importorskip("duckdb")

    def ask(text: str) -> list[Any]:
        found: list[Any] = duckdb.sql(text).fetchall()
        return found

    grouped = "from '{}' where bot is not null group by bot"
    points = ask("select bot, sum(points) " + grouped.format(folder / "seats.parquet"))
    think = ask("select bot, sum(think_us)::bigint " + grouped.format(folder / "plies.parquet"))
    rows = ask(f"select count(*) from '{folder / 'plies.parquet'}'")
    return dict(points), dict(think), rows[0][0]


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(20_000, marks=pytest.mark.slow),
        pytest.param(1_000_000, marks=[pytest.mark.slow, pytest.mark.soak]),
    ],
)
def data(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sums")
    write_run(folder / "run", "dragonheart", request.param)
    sources = [ChosenGames(StoredRun(folder / "run"), GameFilter())]
    order = TableOrder(("seats", "plies"), "parquet", folder / "data")
    write_tables(sources, order, lambda games: None)
    return folder


@pytest.mark.parametrize("sums", [of_pandas, of_polars, of_duckdb])
def test_sums_are_those_of_the_standings(data, sums) -> None:
    points, think, plies = sums(data / "data")
    run = arena.open(data / "run")
    assert points == {row["bot"]: row["points"] for row in run.standings()}
    assert plies == sum(game["plies"] for game in run.games())
    assert think == {
        bot: sum(row["think_us"] for row in run.seats() if row["bot"] == bot) for bot in BOTS
    }
