"""What new-bot writes plays: in every language, each game at each table, and everywhere alike."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from arena.extensions.authors.kit.folder import own_files
from arena.extensions.authors.kit.languages import LANGUAGES
from arena.games.registry import GAMES
from arena.hosting.sandbox.isolation import Level
from arena.hosting.sandbox.probes import probe
from tests.cli.shell import arena
from tests.extensions.authors.kit.toolchains import language
from tests.kuhn.test_outside import Home, home
from tests.rows import some

__all__ = ["home"]

ROOT: Final = Path(__file__).parents[4]
RANDOM: Final = ROOT / "bots/random"
NAMES: Final = ("a", "b", "c", "d")
TABLES: Final = [
    (name, seats) for name in GAMES if not GAMES[name].extra for seats in GAMES[name].seats
]

WHOLE: Final = ("python", "javascript")
BRIEF: Final = ("cpp", "go", "java", "rust")
"""Languages whose bots play one game; before a release they play what those of WHOLE do."""

STRAY: Final = {
    "python": 'print("stray"); __import__("os").system("echo child")',
    "javascript": "console.log('stray'); process.stdout.write('stray'); "
    "require('child_process').execSync('echo child');",
    "cpp": 'std::puts("stray"); [[maybe_unused]] int status = std::system("echo child");',
    "go": 'fmt.Println("stray"); it := exec.Command("echo", "child"); '
    "it.Stdout = os.Stdout; it.Run()",
    "java": 'System.out.println("stray"); '
    'try { new ProcessBuilder("echo", "child").start().waitFor(); } catch (Exception none) {}',
    "rust": 'println!("stray"); std::process::Command::new("echo").arg("child").status().unwrap();',
}
"""Prints, here and in a child process, in the language of the bot."""
IMPORTS: Final = {"go": 'import "fmt"\nimport "os"\nimport "os/exec"\n'}
"""What that needs."""
HAVE_NO_DUP: Final = {"javascript", "java"}
"""Where a child process prints to its parent."""
OPTIONS: Final = {
    "python": 'print(game.option("figure", 6) + 1, game.option("share", 0.5) / 4, '
    'game.option("style", "bold") + "!", int(game.option("ponder", False)), '
    'game.option("none", 5))',
    "javascript": 'console.log(game.option("figure", 6) + 1, game.option("share", 0.5) / 4, '
    'game.option("style", "bold") + "!", +game.option("ponder", false), game.option("none", 5));',
    "cpp": 'std::printf("%d %g %s %d %d\\n", game.option("figure", 6) + 1, '
    'game.option("share", 0.5) / 4, (game.option("style", "bold") + "!").c_str(), '
    'game.option("ponder", false) ? 1 : 0, game.option("none", 5));',
    "go": 'ponder := 0; if kit.Option(game, "ponder", false) { ponder = 1 }; '
    'println(fmt.Sprint(kit.Option(game, "figure", 6)+1, kit.Option(game, "share", 0.5)/4, " ", '
    'kit.Option(game, "style", "bold")+"! ", ponder, kit.Option(game, "none", 5)))',
    "java": 'System.out.println((game.option("figure", 6) + 1) + " " '
    '+ game.option("share", 0.5) / 4 + " " + game.option("style", "bold") + "! " '
    '+ (game.option("ponder", false) ? 1 : 0) + " " '
    '+ game.option("none", 5));',
    "rust": 'println!("{} {} {} {} {}", _game.option("figure", 6) + 1, '
    '_game.option("share", 0.5) / 4.0, _game.option("style", "bold".to_string()) + "!", '
    '_game.option("ponder", false) as i32, _game.option("none", 5));',
}
"""Prints options of each type, and one that is not set."""
INFO: Final = {
    "python": "game.info.eval, game.info.text, game.info.nodes = 0.25, 'a \"b\"\\n\\\\', 12; "
    "game.info.p[0] = 0.5",
    "javascript": "game.info = { eval: 0.25, text: 'a \"b\"\\n\\\\', nodes: 12, p: { 0: 0.5 } };",
    "cpp": 'game.info.eval = 0.25; game.info.text = "a \\"b\\"\\n\\\\"; game.info.nodes = 12; '
    "game.info.p[0] = 0.5;",
    "go": 'game.Info = kit.Info{Eval: 0.25, Text: "a \\"b\\"\\n\\\\", Nodes: 12, '
    "P: map[int]float64{0: 0.5}}",
    "java": 'game.info.eval = 0.25; game.info.text = "a \\"b\\"\\n\\\\"; game.info.nodes = 12; '
    "game.info.p.put(0, 0.5);",
    "rust": '_game.info.eval = Some(0.25); _game.info.text = "a \\"b\\"\\n\\\\".to_string(); '
    "_game.info.nodes = 12; _game.info.p.insert(0, 0.5);",
}
"""Sets all that is drawn of an answer."""
DECLARED: Final = """options:
  figure: {type: int, default: 7}
  share: {type: float, default: 2}
  style: {type: choice, default: careful, choices: [bold, careful]}
  ponder: {type: bool, default: true}
"""

pytestmark = [pytest.mark.slow, pytest.mark.process]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The plies of a small tournament of four bots of a language, by game."""

    @cache
    def play(name: str) -> dict[str, list[str]]:
        folder = tmp_path_factory.mktemp(name)
        manifest = make(folder, "bot", name) / "bot.yaml"
        if name == "java":  # or 16 machines make better code of it: three times the work
            text = manifest.read_text().replace(
                "java, ", "java, -XX:TieredStopAtLevel=1, -XX:+UseSerialGC, ", 1
            )
            assert "TieredStop" in text
            manifest.write_text(text)
        tables = "".join(f"  - {{rules: {game}, seats: {seats}}}\n" for game, seats in TABLES)
        entrants = "".join(f"  - {{bot: bot, name: {each}}}\n" for each in NAMES)
        head = "arena: 1\nseed: kit\nschedule: {deals: 1, max_pairings: 2}\n"
        head += "clock: {move: 20 s, startup: 60 s}\n"
        level = "sandbox" if probe(Level.LANDLOCK).works else "limits"
        cup = f"{head}isolation: {level}\ngames:\n{tables}entrants:\n{entrants}"
        (folder / "cup.yaml").write_text(cup)
        done = arena(folder, "run", "cup.yaml", "-o", "run", "-q", "-j", "1")
        assert done.code == 0, done.err
        return plies(folder / "run")

    return play


def make(folder: Path, name: str, language_name: str, *options: str) -> Path:
    """A new bot in the folder."""
    done = arena(folder, "new-bot", name, "--language", language(language_name).name, *options)
    assert (done.code, done.err) == (0, "")
    return folder / name


def plies(run: Path) -> dict[str, list[str]]:
    """By game every action, and how it ended."""
    found: dict[str, list[str]] = {}
    for file in sorted(run.glob("records/*.gz")):
        with gzip.open(file, "rt") as lines:
            for line in lines:
                entry = json.loads(line)
                if entry["line"] == "header":
                    game = found.setdefault(entry["spec"]["game_id"], [])
                elif entry["line"] in ("ply", "end"):
                    game.append(line)
    return found


@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    "name", [*WHOLE[1:], *(pytest.param(n, marks=pytest.mark.soak) for n in BRIEF)]
)
def test_it_plays_each_game_at_each_table_as_in_python_without_a_fault(name, played) -> None:
    games: dict[str, list[str]] = played(name)
    assert games == played("python")
    tables = {game_id.partition("/")[0] for game_id in games}
    assert tables == {f"{game}-{seats}" for game, seats in TABLES}
    ends = [json.loads(lines[-1]) for lines in games.values()]
    assert all(end["line"] == "end" for end in ends)
    assert [end for end in ends if end.get("faults") or end.get("fault")] == []


@pytest.mark.timeout(200)
@pytest.mark.parametrize(
    "name", [*BRIEF, *(pytest.param(n, marks=pytest.mark.soak) for n in WHOLE)]
)
def test_a_stray_print_loses_no_game(name: str, tmp_path: Path) -> None:
    bot = make(tmp_path, "bot", name, "--game", "dragonheart")
    insert(bot, name, STRAY[name], IMPORTS.get(name, ""))
    done = arena(tmp_path, "run", "-g", "dragonheart", "-n", "1", "-q", "-o", "run", "bot", RANDOM)
    assert (done.code, "fault" in done.err) == (0, False), done.err
    said = (tmp_path / "run/logs/bot.stderr").read_text()
    assert "stray" in said
    assert "child" in said or name in HAVE_NO_DUP


def insert(bot: Path, name: str, statement: str, imports: str = "") -> None:
    """Put a statement where a decision of dragonheart begins."""
    [own] = own_files(LANGUAGES[name], [GAMES["dragonheart"]])
    text = (bot / own).read_text()
    step = next(line for line in text.splitlines() if " 1. " in line)
    text = text.replace(step, step[: -len(step.lstrip())] + statement)
    text = text.replace("kit::Game&)", "kit::Game& game)")  # which is not used before
    (bot / own).write_text(text.replace("import ", imports + "import ", 1))


@pytest.mark.timeout(200)
@pytest.mark.parametrize(
    "name", [*BRIEF, *(pytest.param(n, marks=pytest.mark.soak) for n in WHOLE)]
)
def test_an_option_has_its_type_and_info_is_kept(name: str, tmp_path: Path) -> None:
    bot = make(tmp_path, "bot", name, "--game", "dragonheart")
    both = f"{OPTIONS[name]}; {INFO[name]}"
    insert(bot, name, both, 'import "fmt"\n' if name == "go" else "")
    with (bot / "bot.yaml").open("a") as manifest:
        manifest.write(DECLARED)
    done = arena(tmp_path, "run", "-g", "dragonheart", "-n", "1", "-q", "-o", "run", "bot", RANDOM)
    assert (done.code, "fault" in done.err) == (0, False), done.err
    assert "8 0.5 careful! 1 5" in (tmp_path / "run/logs/bot.stderr").read_text()
    found = [
        json.loads(line).get("info") for game in plies(tmp_path / "run").values() for line in game
    ]
    expected = {"eval": 0.25, "text": 'a "b"\n\\', "p": {"0": 0.5}, "nodes": 12}
    assert [info for info in found if info] == [expected] * len([info for info in found if info])
    assert expected in found


@pytest.mark.parametrize(("game", "seats"), some(TABLES, every=8))
def test_it_is_better_than_chance(game: str, seats: int, tmp_path: Path) -> None:
    make(tmp_path, "bot", "python", "--game", game)
    others = [RANDOM]
    for index in range(seats - 2):
        (tmp_path / f"random{index}").mkdir()
        for file in ("main.py", "bot.yaml"):
            text = (RANDOM / file).read_text()
            renamed = text.replace("name: random", f"name: random{index}")
            (tmp_path / f"random{index}" / file).write_text(renamed)
        others.append(tmp_path / f"random{index}")
    deals = {1: 20, 2: 8, 3: 2, 4: 1}[seats]
    options = ["-g", game, "-s", str(seats), "-n", str(deals), "--seed", "kit", "-q"]
    done = arena(tmp_path, "run", *options, "-o", "run", "bot", *others)
    assert done.code == 0, done.err
    assert done.out.splitlines()[2].split()[:2] == ["1", "bot"], done.out


@pytest.mark.parametrize("name", some([*LANGUAGES], every=6))
def test_a_game_of_others_is_begun_by_the_first_legal_action(name, tmp_path, home) -> None:
    found = language(name)
    bot = Home(tmp_path, home.installed)
    done = bot.arena("new-bot", "mine", "--language", found.name, "-g", "kuhn")
    assert done.code == 0, done.err
    done = bot.arena("run", "-g", "kuhn", "-n", "2", "-q", "mine", RANDOM, "-o", "run")
    assert (done.code, "fault" in done.err) == (0, False), done.err
