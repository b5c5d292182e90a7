"""The bots that come with the project: whole games through the real referee, and manners."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.entrants.manifest import load_bot
from arena.extensions.games.dragonheart.rules.cards import SPACES
from arena.games.registry import GAMES, make_rules, rules_spec
from arena.hosting.process import clean_environment
from arena.hosting.sandbox.isolation import Launch
from arena.referee.records.read import unpack
from arena.runs.config.tournament import load_tournament, quick_tournament
from arena.tournament.players import build
from arena.values.results import Termination
from tests.games.games import OWN
from tests.matches import dragonheart, play, seated
from tests.rows import some

pytestmark = [pytest.mark.slow, pytest.mark.process]

ROOT = Path(__file__).parents[2]
BOTS = sorted({path.parent.name for path in ROOT.glob("bots/*/bot.yaml")} - {"openspiel"})
SMALL: dict[str, dict[str, int]] = {
    "sampler": {"playouts": 10, "turns": 2},
    "ismcts": {"playouts": 5},
}
"""Options with which a bot that searches is quick, and decides the same again."""
NEEDS = {"last-legal": "node", "minnow": "cc"}
"""The program without which a bot cannot be had."""

HELLO = '{"type":"hello","protocol":[1,2],"limits":{"new":{}},"startup":10,"new":[1,{"id":"no"}]}'
START = '{"type":"start","new":"}]","seed":7,"seat":0,"rules":"dragonheart"}'
EMPTY_BOARD: dict[str, list[str]] = {space: [] for space in SPACES}
ACT = json.dumps(
    {
        "new": {"id": "wrong", "legal": [1, 2, 3], "type": "over"},
        "type": "act",
        "id": 'a \\ and a "',
        "legal": [{"type": "play", "cards": ["troll:1"], "new": "]}"}],
        "observation": {
            "seat": 0,
            "phase": "play",
            "turn": 1,
            "hand": ["troll:1"],
            "board": EMPTY_BOARD | {"new": []},
            "figure": None,
            "new": 1,
        },
        "events": [{"type": "new"}],
        "time_left": None,
    }
)
BYE = '{"type":"bye","new":null}'

Launcher = Callable[[str], Launch]


@pytest.fixture(scope="module")
def launch(tmp_path_factory: pytest.TempPathFactory) -> Launcher:
    """How to start a bot, built from a copy so that nothing is written beside its source."""
    copies = tmp_path_factory.mktemp("bots")

    def launch_of(name: str) -> Launch:
        if name in NEEDS and shutil.which(NEEDS[name]) is None:
            pytest.skip(f"bot {name} needs {NEEDS[name]}, which is not on PATH")
        folder = copies / name
        if not folder.exists():
            unbuilt = shutil.ignore_patterns("build")
            shutil.copytree(ROOT / "bots" / name, folder, ignore=unbuilt)
        entrant = build(quick_tournament("dragonheart", [str(folder)] * 2).entrants[0])
        return Launch(entrant.command, entrant.folder)

    return launch_of


@pytest.fixture
def talk(launch: Launcher) -> Iterator[Callable[[str], subprocess.Popen[str]]]:
    """Starts a bot with its pipes open."""
    started: list[subprocess.Popen[str]] = []

    def start(name: str) -> subprocess.Popen[str]:
        how = launch(name)
        pipe = subprocess.PIPE
        env = clean_environment({})
        bot = subprocess.Popen(
            how.command, cwd=how.folder, env=env, stdin=pipe, stdout=pipe, stderr=pipe, text=True
        )
        started.append(bot)
        return bot

    yield start
    for bot in started:
        bot.kill()
        bot.communicate()


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_plays_without_fault_and_the_same_again(launch: Launcher, name: str) -> None:
    rules, pair = dragonheart(), [launch(name), launch("random")]
    options = (SMALL.get(name, {}), {})
    with seated(pair) as players:
        warm = [play(rules, players, deal, options=options).result for deal in (1, 2)][1]
    with seated(pair) as players:
        cold = play(rules, players, deal=2, options=options).result
    assert warm.termination is Termination.COMPLETED
    assert warm.digest == cold.digest


@pytest.mark.parametrize(
    ("name", "game", "seats"),
    some([(bot, name, s) for bot in SMALL for name in OWN for s in GAMES[name].seats], every=3),
)
def test_a_bot_that_searches_plays_every_game_at_every_table(launch, name, game, seats) -> None:
    rules, others = make_rules(rules_spec(game, seats)), ["greedy"] * (seats - 1)
    options = (SMALL[name], *({},) * (seats - 1))
    with seated([launch(name), *map(launch, others)]) as players:
        result = play(rules, players, deal=1, options=options).result
    assert result.termination is Termination.COMPLETED
    assert result.faults == ()


def test_ismcts_keeps_to_a_count_of_playouts_and_tells_of_them(launch: Launcher) -> None:
    with seated([launch("ismcts"), launch("random")]) as players:
        record = play(dragonheart(), players, 1, options=(SMALL["ismcts"], {})).record
    told = [json.loads(line).get("info") for line in unpack(record).splitlines()]
    infos = [info for info in told if info]
    assert infos
    assert all(info["nodes"] == SMALL["ismcts"]["playouts"] for info in infos)
    assert all(0 <= info["eval"] <= 1 for info in infos)


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_ignores_what_it_does_not_know_and_ends_with_its_input(talk, name) -> None:
    bot = talk(name)
    lines = [HELLO, '{"type":"weather"}', START, ACT, '{"type":"over"}', START, ACT]
    answers, complaints = bot.communicate("".join(f"{line}\n" for line in lines), timeout=60)
    assert complaints == ""
    ready, *actions = map(json.loads, answers.splitlines())
    assert (ready["type"], ready["protocol"], ready["name"]) == ("ready", 1, name)
    assert actions == [{"type": "action", "id": json.loads(ACT)["id"], "action": 0}] * 2
    assert bot.returncode == 0


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_ends_at_bye(talk: Callable[[str], subprocess.Popen[str]], name: str) -> None:
    bot = talk(name)
    assert bot.stdin is not None
    bot.stdin.write(f"{HELLO}\n{BYE}\n")
    bot.stdin.flush()
    assert bot.wait(timeout=60) == 0


@pytest.mark.parametrize(
    ("strong", "weak", "least"),
    [("collector", "random", 0.7), ("greedy", "random", 0.85), ("greedy", "collector", 0.75)],
)
def test_the_python_bots_differ_in_strength(launch, strong, weak, least) -> None:
    rules, wins, deals = dragonheart(), 0, range(15)
    with seated([launch(strong), launch(weak)]) as (a, b):
        for deal in deals:
            wins += play(rules, [a, b], deal).result.places == (1, 2)
            wins += play(rules, [b, a], deal).result.places == (2, 1)
    assert wins / (2 * len(deals)) > least


@pytest.mark.parametrize("name", BOTS)
def test_the_manifest_and_the_bot_agree(name: str) -> None:
    manifest = load_bot(ROOT / "bots" / name).manifest
    (source,) = [path for path in (ROOT / "bots" / name).iterdir() if path.stem in ("main", name)]
    assert manifest.name == name
    assert manifest.deterministic == (name not in SMALL)  # those go by the clock
    assert manifest.version in source.read_text("utf-8")


@given(
    st.floats(0.2, 100), st.none() | st.floats(0.2, 10_000), st.floats(0, 5), st.floats(0.01, 10)
)
def test_a_search_keeps_a_part_of_its_time(move, bank, increment, most) -> None:
    clock = {"move": move, "bank": bank, "increment": increment, "startup": 10.0}
    left = move if bank is None else min(move, bank)
    question, endless = {"time_left": left}, {"time_left": None}
    sampler, ismcts = module("sampler"), module("ismcts")
    for seconds in (
        sampler.seconds_for(question, clock),
        ismcts.seconds_for(question, clock, most),
    ):
        assert seconds <= 0.9 * left
        if bank is not None:  # as much again for many more moves
            assert seconds <= bank / 25 + increment
    assert ismcts.seconds_for(question, clock, most) <= most
    assert ismcts.seconds_for(endless, clock, most) == most
    assert sampler.seconds_for(endless, clock) > most


@cache
def module(name: str) -> Any:
    """What starts a bot, as a module."""
    folder = ROOT / "bots" / name
    spec = spec_from_file_location(f"{name}_main", folder / "main.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.path.insert(0, str(folder))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop("search", None)
    return module


def test_the_ladder_has_its_rungs_in_every_game() -> None:
    tournament = load_tournament(ROOT / "tournaments" / "ladder.yaml")
    rungs = ["random", "collector", "greedy", "sampler", "ismcts"]
    for each in tournament.disciplines:
        assert list(each.entrants) == [name for name in rungs if each.rules.name in plays_of(name)]


def plays_of(name: str) -> Collection[str]:
    """The games of a bot, by its manifest."""
    return load_bot(ROOT / "bots" / name).manifest.plays or GAMES


def test_the_bot_in_c_compiles_without_a_warning(tmp_path: Path) -> None:
    if shutil.which("cc") is None:
        pytest.skip("there is no cc on PATH")
    flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O2"]
    source = ROOT / "bots" / "minnow" / "minnow.c"
    subprocess.run(["cc", *flags, "-o", tmp_path / "minnow", source], check=True)


def test_quickstart_needs_only_python() -> None:
    tournament = load_tournament(ROOT / "tournaments" / "quickstart.yaml")
    assert {entrant.name for entrant in tournament.entrants} == {"random", "collector", "greedy"}
    assert [each.schedule.deals for each in tournament.disciplines] == [50]
    assert tournament.seed == "1"
    assert tournament.ratings is not None
    assert (tournament.ratings.anchor, tournament.ratings.elo) == ("random", 1000)


def test_languages_has_every_bot() -> None:
    for name, program in NEEDS.items():
        if shutil.which(program) is None:
            pytest.skip(f"bot {name} needs {program}, which is not on PATH")
    tournament = load_tournament(ROOT / "tournaments" / "languages.yaml")
    assert sorted(entrant.name for entrant in tournament.entrants) == sorted({*BOTS} - {*SMALL})
