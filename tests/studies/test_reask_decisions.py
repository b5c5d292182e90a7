"""Files of wanted decisions: written from games, read, asked; and what is wrong with bad ones."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from arena.cli.commands.write.reask import ReaskOptions, reask_bot
from arena.documents.bad_input import BadInput
from arena.documents.problems import ConfigError
from arena.games.registry import GAMES
from arena.studies.reask import decisions
from tests.cli.shell import BOT, arena, bot, exit_code
from tests.schemas import validator
from tests.tournament.folders import lines

ROOT: Final = Path(__file__).parents[2]
GREEDY: Final = ROOT / "bots" / "greedy"
PAGE: Final = (ROOT / "docs" / "golden-decisions.md").read_text()

pytestmark = [
    pytest.mark.slow,
    pytest.mark.process,
    pytest.mark.usefixtures("spared", "leaves_nothing"),
]

EVENTS = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready", "protocol": 1, "wants": ["events"]}', flush=True)
    elif message["type"] == "start":
        seen = []
    elif message["type"] == "act":
        seen += message["events"]
        told = json.dumps(seen, sort_keys=True)
        action = {"type": "action", "id": message["id"], "action": 0, "info": told}
        print(json.dumps(action | {"action": sum(map(ord, told)) % 2}), flush=True)
"""
"""Decides by all it has seen, so it answers the same only if it has seen the same."""


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Asks a bot; gives the exit code and what was printed."""

    def ask(source: Path, bot: Path | str, **options: Any) -> tuple[int, str]:
        chosen = ReaskOptions(source=source, bot=str(bot), **options)
        code = exit_code(lambda: reask_bot(chosen))
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return ask


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of every game, ``run``: greedy, random bots."""
    folder = tmp_path_factory.mktemp("decisions")
    for name in ("anna", "berta"):
        bot(folder, name)
    (folder / "cup.yaml").write_text(
        f"""\
arena: 1
seed: 3
clock: {{move: 1 min, startup: 1 min}}
schedule: {{deals: 1}}
games:
  - {{rules: dragonheart, entrants: [greedy, anna]}}
  - {{rules: dragonkrak, seats: 1, entrants: [greedy]}}
  - {{rules: dragonkrak, seats: 3}}
  - {{rules: dragonrealm, seats: 2, entrants: [greedy, anna]}}
entrants: [{{bot: "{GREEDY}"}}, {{bot: anna}}, {{bot: berta}}]
output: {{folder: run}}
"""
    )
    result = arena(folder, "run", "cup.yaml", "-q")
    assert result.code == 0, result.err
    return folder


# The page and the example


def page_example() -> str:
    (found,) = re.findall(r"```yaml wanted\.yaml\n(.*?)```", PAGE, re.DOTALL)
    return str(found)


def test_the_example_of_the_page(ask: Any, tmp_path: Path) -> None:
    path = tmp_path / "wanted.yaml"
    path.write_text(page_example())
    assert ask(path, GREEDY) == (0, "greedy asked 1 decision: 1 as wanted, 0 not\n")
    first = BOT.replace('rng.randrange(len(message["legal"]))', "0")
    code, told = ask(path, bot(tmp_path, "first", first))
    assert code == 1
    assert f"{path}:6:5: the figure:\n      turn 15: seat 0 to choose" in told
    assert '  wanted:   {"type":"take","space":"petrified"}\n' in told
    assert '  now:      {"type":"take","space":"treasure"}\n' in told
    assert told.endswith("  The petrified cards bring the figure besides.\n")


def test_every_key_is_on_the_page() -> None:
    for entry in (decisions.DecisionsFile, decisions.WantedEntry):
        for key in entry.__struct_fields__:
            assert re.search(rf"^\| .*`{key}`.* \|", PAGE, re.MULTILINE), key


def test_greedy_decides_as_its_file_wants(ask: Any) -> None:
    code, told = ask(GREEDY / "decisions.yaml", GREEDY, repeat=2)
    assert code == 0
    assert told.startswith("greedy asked 4 decisions: 4 as wanted, 0 not\n\ndeterministic: ")


# Written from games


@pytest.mark.parametrize("game", ["1", "3", "5", "6"])
def test_what_is_written_is_what_was_decided(cup, ask, tmp_path, game) -> None:
    path = tmp_path / "wanted.yaml"
    code, told = ask(cup / "run", GREEDY, games=(game,), write=path, plies="0-60")
    number = int(told.removeprefix(f"{path}: ").split()[0])
    assert (code, number > 3) == (0, True)
    assert ask(path, GREEDY)[1].startswith(f"greedy asked {number} decisions: {number} as wanted")


def test_events_are_those_since_the_start(cup: Path, ask: Any, tmp_path: Path) -> None:
    home = bot(tmp_path, "events", EVENTS, plays="{dragonheart: [2]}")
    run = ("-g", "dragonheart", home, cup / "berta", "-n", "1", "-o", "own", "-q", "--seed", "1")
    assert arena(tmp_path, "run", *run).code == 0
    path = tmp_path / "wanted.yaml"
    ask(tmp_path / "own", home, write=path)
    assert ask(path, home)[0] == 0
    path.write_text(re.sub(r"      - .\"type\":\"deal\".*\n", "", path.read_text()))
    assert ask(path, home)[0] == 1


def test_only_decisions_with_a_choice_are_written(cup: Path, ask: Any, tmp_path: Path) -> None:
    path = tmp_path / "wanted.yaml"
    ask(cup / "run", GREEDY, games=("1",), write=path)
    entries = path.read_text().split("  - name: ")[1:]
    assert all(entry.partition("legal:")[2].count("      - ") > 1 for entry in entries)


def test_card_data_of_ones_own_is_written(cup: Path, ask: Any, tmp_path: Path) -> None:
    data = (ROOT / "arena/games/dragonheart/hobby_2016.yaml").read_text()
    (tmp_path / "deck.yaml").write_text(data.replace("hobby_2016", "mine"))
    game = ("-g", "dragonheart", "--data", "deck.yaml", GREEDY, cup / "anna", "-n", "1", "-q")
    assert arena(tmp_path, "run", *game, "-o", "own").code == 0
    path = tmp_path / "wanted.yaml"
    ask(tmp_path / "own", GREEDY, write=path, plies="3-9")
    assert '"data_id":"mine"' in path.read_text()
    assert ask(path, GREEDY)[0] == 0


def test_a_file_is_replaced_only_by_force(cup: Path, ask: Any, tmp_path: Path) -> None:
    path = tmp_path / "wanted.yaml"
    path.write_text("mine")
    with pytest.raises(BadInput, match="exists already; --force replaces it"):
        ask(cup / "run", GREEDY, games=("1",), write=path)
    assert path.read_text() == "mine"
    assert ask(cup / "run", GREEDY, games=("1",), write=path, force=True)[0] == 0


def test_a_file_that_would_be_too_large(cup, ask, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(decisions, "MAX_BYTES", 1 << 12)
    with pytest.raises(BadInput, match="choose fewer with --id, --seat and --plies"):
        ask(cup / "run", GREEDY, write=tmp_path / "wanted.yaml")
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_write(cup: Path, ask: Any, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="found no decision to write"):
        ask(cup / "run", GREEDY, games=("1",), plies="9000", write=tmp_path / "wanted.yaml")


# Verdicts and deadlines


@pytest.mark.parametrize(
    ("answer", "code"),
    [("accept: [{type: take, space: treasure}]", 1),
     ("accept: [{type: take, space: treasure}, {type: take, space: petrified}]", 0),
     ("avoid: [{type: take, space: petrified}]", 1),
     ("avoid: [{type: take, space: treasure}]", 0)],
)  # fmt: skip
def test_verdicts(ask: Any, tmp_path: Path, answer: str, code: int) -> None:
    path = tmp_path / "wanted.yaml"
    path.write_text(edited("accept:\n      - {type: take, space: petrified}", answer))
    assert ask(path, GREEDY)[0] == code


def test_a_bot_that_hangs_has_the_time_of_the_file(ask: Any, tmp_path: Path) -> None:
    path = tmp_path / "wanted.yaml"
    path.write_text(edited("move: 1 s", "move: 200 ms"))
    hanging = bot(
        tmp_path, "hang", BOT.replace("action = rng", "__import__('time').sleep(600); a = rng")
    )
    code, told = ask(path, hanging)
    assert code == 1
    assert "now:      fault timeout: no line within" in told
    assert "1 fault\n" in told


def test_a_bot_that_does_not_play_the_game(ask: Any, tmp_path: Path) -> None:
    path = tmp_path / "wanted.yaml"
    path.write_text(page_example())
    home = bot(tmp_path, "solo", plays="{dragonkrak: [1]}")
    with pytest.raises(ConfigError) as caught:
        ask(path, home)
    assert lines(caught.value) == [f"{path}:6:5: the bot does not play dragonheart at 2 seats"]


# Bad files


def edited(old: str, new: str) -> str:
    text = page_example()
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("decisions: 1\n", "", ["1:1: decisions: missing, expected 1"]),
        ("decisions: 1", "decisions: 2", ["1:12: decisions: found 2, expected 1"]),
        ("move: 1 s", "mov: 1 s", ['2:9: clock: unknown key "mov" (did you mean "move"?)']),
        ("rules: dragonheart", "rules: dragonhart",
         [f"4:16: games.two.rules: expected one of {', '.join(GAMES)}, openspiel.GAME, "
          "got 'dragonhart'"]),
        ("seats: 2}", "seats: 3}", ["4:36: games.two.seats: dragonheart has 2 seats, got 3"]),
        ("game: two", "game: twoo",
         ['8:11: wanted[0].game: found "twoo", expected one of games (did you mean "two"?)']),
        ("    seat: 0\n", "    seat: 2\n",
         ["9:11: wanted[0].seat: found 2, expected a seat from 0 to 1"]),
        ("    seat: 0\n", "    seat: 1\n",
         ["13:13: wanted[0].observation.seat: found 0, expected 1, as in seat"]),
        ("space: petrified}", "space: troll}",
         ['11:9: wanted[0].accept[0]: found {"type":"take","space":"troll"}, expected one of '
          "legal"]),
        ("type: take, space: petrified}", "type: tak}",
         ["11:9: wanted[0].accept[0]: no action of dragonheart: Invalid value 'tak' - at "
          "`$.type`"]),
        ("accept:", "unwanted:",
         ['10:5: wanted[0]: unknown key "unwanted" (known: name, comment, game, seat, seed, '
          "options, accept, avoid, observation, events, legal)"]),
        ("    accept:\n      - {type: take, space: petrified}\n", "",
         ['6:5: wanted[0]: found neither "accept" nor "avoid", expected an action']),
        ("    accept:\n      - {type: take, space: petrified}\n",
         "    avoid: [{type: take, space: petrified}, {type: take, space: treasure}]\n",
         ["10:12: wanted[0].avoid: found all legal actions"]),
        ("phase: take", "phase: 7",
         ["12:18: wanted[0].observation: no observation of dragonheart: Expected `str`, got `int` "
          "- at `$.phase`"]),
        ("      - {type: take, space: treasure}\n      - {type: take, space: petrified}\n",
         "      - {type: take, space: petrified}\n      - {type: take, space: petrified}\n",
         ['27:9: wanted[0].legal[1]: found {"type":"take","space":"petrified"} a second time']),
        ("    legal:\n", "    legals:\n", [
            '25:5: wanted[0]: unknown key "legals" (did you mean "legal"?)',
            "6:5: wanted[0].legal: missing, expected a list of at least 1",
        ]),
        ("observation: {", "observation: [{", None),
        ("decisions: 1\n", "decisions: &a 1\n", ["1:12: decisions: found the anchor &a, expected "
                                                "the value alone"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(ask, tmp_path, old, new, expected) -> None:
    path = tmp_path / "wanted.yaml"
    path.write_text(edited(old, new))
    with pytest.raises(ConfigError) as caught:
        ask(path, GREEDY)
    found = [line.removeprefix(f"{path}:") for line in lines(caught.value)]
    if expected is None:
        assert len(found) == 1
    else:
        assert sorted(found) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ": the file is empty, expected a mapping of keys to values"),
        ("decisions: 1\ngames: {}\nwanted: []\n",
         ":3:9: wanted: found no decision, expected a list of at least 1"),
        ("decisions: 1\ngames: []\nwanted: {}\n", ":2:8: games: found a list, expected a mapping"),
        ("decisions: 1\ngames: {a: 1}\nwanted: [1]\n",
         ":2:12: games.a: found 1, expected a mapping with the keys rules, seats, options, data"),
    ],
)  # fmt: skip
def test_files_without_a_decision(ask: Any, tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "wanted.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        ask(path, GREEDY)
    assert lines(caught.value)[0] == f"{path}{expected}"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"games": ("1",)}, "--id: expected none, as all of the decisions of a file are asked"),
        ({"seat": 0}, "--seat: expected none, as all of the decisions of a file are asked"),
        ({"write": Path("x.yaml")}, "--write: expected games, found a file of wanted decisions"),
    ],
)
def test_flags_that_choose_among_games(ask, tmp_path, options, text) -> None:
    path = tmp_path / "wanted.yaml"
    path.write_text(page_example())
    with pytest.raises(BadInput, match=f"^{re.escape(text)}$"):
        ask(path, GREEDY, **options)


def test_what_was_written_as_json(cup: Path, ask: Any, tmp_path: Path) -> None:
    path = tmp_path / "wanted.yaml"
    _, told = ask(cup / "run", GREEDY, games=("1",), plies="0-9", write=path, as_json=True)
    document = json.loads(told)
    validator(document["schema"]).validate(document)
    assert document["schema"] == "arena.reask/1"
    assert document["data"] == {"path": str(path), "decisions": path.read_text().count("- name: ")}
