"""What comes before play: workers, bots, the folder, and the bots' workspace."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import msgspec
import pytest

from arena import extensions
from arena.extensions import Extension, Found
from arena.hosting.sandbox.isolation import Level
from arena.runs.config.tournament import Tournament, load_tournament
from arena.runs.disk import StoreError
from arena.runs.manifest import Until
from arena.tournament import players
from arena.tournament.players import BuildCallbacks, built, installed
from arena.tournament.prepare import opened, opener_of_shards, remote, with_bots, with_workers
from arena.tournament.run import ConfigMismatch, levels_of
from arena.values.bad_input import BadInput
from arena.values.problems import ConfigError
from arena.values.results import Limits
from tests.tournament.folders import league, write, write_bot

TEXT = """\
arena: 1
game: dragonheart
seed: 1
execution: {workers: 3}
entrants: [bot: ../bots/random, bot: ../bots/greedy]
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(league(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def load(*overrides: str) -> Tournament:
    return load_tournament(write(Path("cups/t.yaml"), TEXT), overrides)


@pytest.mark.parametrize(("given", "workers"), [(None, 3), (1, 1)])
def test_workers_of_the_command_line_come_first(given: int | None, workers: int) -> None:
    assert with_workers(load(), given).execution.workers == workers


@pytest.mark.extensions("machines")
def test_what_plays_on_other_machines_is_found_by_the_scheme(monkeypatch) -> None:
    """Without an extension that takes an address, or plays shards, one line says so."""
    queue = Extension("queues", "Play in queues.", remotes={"queue": "queues:FLEET"})
    anything = Extension("any", "Play anywhere.", remotes={"": "any:FLEET"})
    monkeypatch.setattr(extensions, "load", lambda place: partial("{} {}".format, place))
    monkeypatch.setattr(extensions, "every", lambda: Found((queue, anything), ()))
    assert str(remote("queue://HERE")) == "queues:FLEET queue://HERE"
    assert str(remote("DASK")) == "any:FLEET DASK"
    monkeypatch.setattr(extensions, "every", lambda: Found((queue,), ()))
    with pytest.raises(BadInput, match='--on: "dask": no extension brings it'):
        with_workers(load(), None, "dask")
    with pytest.raises(BadInput, match="a shard of a run: no extension brings it"):
        opener_of_shards()


def test_bots_are_built_when_nothing_is_left_of_killed_runs(monkeypatch) -> None:
    monkeypatch.setattr(players, "clear_abandoned", lambda: 2)
    told: list[int] = []
    tournament = load()
    ready = with_bots(tournament, BuildCallbacks(told.append))
    assert told == [2]
    assert msgspec.structs.replace(ready, entrants=tournament.entrants) == tournament
    assert ready.entrants == built(tournament.entrants)


@pytest.mark.parametrize(
    ("until", "what", "flag"),
    [
        (None, "a run of another config, which cannot be resumed", "--name or --output"),
        pytest.param(
            *(Until.MATCH, "another match, which this one cannot go on with", "-o"),
            marks=pytest.mark.extensions("matches"),
        ),
        pytest.param(
            *(Until.PERSON, "the games of another table", "-o"),
            marks=pytest.mark.extensions("browser"),
        ),
    ],
)
def test_a_folder_of_another_config_is_refused_with_what_to_do(until, what, flag) -> None:
    folder = Path("run")
    with opened(load(), folder, None, until) as run:
        assert not run.resumed
    with opened(load(), folder, None, until) as run:
        assert run.resumed
    with pytest.raises(ConfigMismatch) as caught, opened(load("seed=2"), folder, None, until):
        pass
    assert str(caught.value) == (
        f"run: holds {what}:\n  seed: the run has another one\nplay into another folder ({flag})"
    )


def test_an_open_folder_is_nobody_elses() -> None:
    playing = opened(load(), Path("run"), None)
    another = opened(load(), Path("run"), None)
    with playing, pytest.raises(StoreError, match=r"^run: another arena"), another:
        pass
    with opened(load(), Path("run"), None) as run:
        assert run.resumed


def test_bots_have_a_workspace_for_as_long_as_they_are_wanted() -> None:
    entrants = load("isolation=none").entrants
    with installed(entrants, levels_of(entrants), Limits()) as local:
        workspace = Path(local.workspace)
        assert local.bots.keys() == {"random", "greedy"}
        for bot in local.bots.values():
            assert bot.launch.level is Level.NONE
            assert Path(bot.launch.folder).is_relative_to(workspace)
    assert not workspace.exists()


BROKEN = """\
bot: 1
name: {name}
plays: {{dragonheart: [2]}}
command: [python3, main.py]
build: [[python3, -c, "print('no luck for {name}'); exit(3)"]]
"""


def broken(*names: str) -> None:
    """Bots that cannot be built."""
    for name in names:
        write_bot(Path("bots") / name, BROKEN.format(name=name))


@pytest.mark.extensions("sources")
def test_all_bots_that_cannot_be_built_are_reported_at_once() -> None:
    broken("random", "greedy")
    with pytest.raises(ConfigError) as caught:
        with_bots(load("isolation=none"))
    assert [each.where for each in caught.value.problems] == ["bots/random", "bots/greedy"]
    assert all("ended with status 3" in each.found for each in caught.value.problems)
