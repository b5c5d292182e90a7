"""A check as a whole: honest bots pass, hostile ones do not, and its report is kept to."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from arena.extensions.authors.bots import Setting
from arena.extensions.authors.check.check import best_level, check
from arena.extensions.authors.check.finding import CaseOutcome, Finding, Name, Report, Weight
from arena.extensions.authors.check.table import CASES, ESSENTIAL
from arena.extensions.authors.commands.check import CheckOptions, _shown, check_bot
from arena.extensions.authors.commands.try_ import TryOptions, try_bot
from arena.extensions.authors.kit.folder import create
from arena.extensions.authors.kit.languages import LANGUAGES
from arena.games.registry import GAMES
from arena.hosting.sandbox.isolation import Isolation, Level
from arena.values.bad_input import BadInput
from arena.values.problems import ConfigError
from arena.values.results import TimeControl
from tests.cli.shell import exit_code
from tests.extensions.authors.check.mistakes import MISTAKES, PYTHON
from tests.referee.processes import BOTS
from tests.rows import some

ROOT: Final = Path(__file__).parents[4]
PATIENT: Final = Setting(TimeControl(move=20.0, startup=60.0))
"""On a machine that has much else to do."""
QUICK: Final = Setting(TimeControl(move=1.0, startup=3.0))
LEVELS: Final = [pytest.param("limits", marks=pytest.mark.soak), "sandbox"]
OF_THE_PROJECT: Final = ["random", "collector", "greedy", "first-legal", "last-legal", "minnow"]
"""The last one thinks for half a minute; a compiled bot is there among the templates, too."""
HONEST: Final = [
    *some([(name, "sandbox") for name in OF_THE_PROJECT[:-1]], every=5),
    pytest.param("minnow", "sandbox", marks=pytest.mark.soak),
    *(pytest.param(name, "limits", marks=pytest.mark.soak) for name in OF_THE_PROJECT),
]

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("spared", "leaves_nothing")]


def folder(home: Path, program: str, plays: str = "{dragonheart: [2]}") -> Path:
    """A bot in Python."""
    bot = home / "bot"
    bot.mkdir()
    (bot / "main.py").write_text(program)
    text = f"bot: 1\nname: bot\nplays: {plays}\ncommand: [python3, main.py]\n"
    (bot / "bot.yaml").write_text(text)
    return bot


def hostile(home: Path, file: str, bot: str) -> Path:
    """A toy, or a hostile bot of a file."""
    place = home / "bot"
    shutil.copytree(BOTS, place, ignore=shutil.ignore_patterns("__pycache__"))
    words = f"python3, {file if file == 'toys.py' else f'hostile/{file}'}, {bot}"
    text = f"bot: 1\nname: bot\nplays: {{dragonheart: [2]}}\ncommand: [{words}]\n"
    (place / "bot.yaml").write_text(text)
    return place


def sandbox(bot: Path) -> Level:
    level = best_level(str(bot), None)
    if not level.at_least(Level.LANDLOCK):
        pytest.skip("no sandbox here")
    return level


def mistaken(home: Path, name: Name) -> None:
    """The bot in Python with this mistake."""
    next(each for each in MISTAKES if each.name is name and not each.tool).write(home)


def labelled(out: str) -> dict[str, str]:
    """What stands after each label of a finding."""
    return dict(line.split(maxsplit=1) for line in out.splitlines() if line.startswith("  "))


def without_exchange(finding: Finding) -> Finding:
    """What is the same in every check."""
    return msgspec.structs.replace(finding, exchange=())


class TestHonest:
    """Nothing is found in bots that make no mistake."""

    pytestmark = pytest.mark.slow

    def found(self, bot: Path, level: str, program: str | None) -> Report:
        if program is not None and shutil.which(program) is None:
            pytest.skip(f"no {program} here")
        at = sandbox(bot) if level == "sandbox" else Level.LIMITS
        report = check(str(bot), at, setting=PATIENT)
        assert not report.findings, [(each.name, each.what) for each in report.findings]
        return report

    @pytest.mark.parametrize(("name", "level"), HONEST)
    def test_of_the_project(self, name: str, level: str) -> None:
        program = {"last-legal": "node", "minnow": "cc"}.get(name)
        report = self.found(ROOT / "bots" / name, level, program)
        assert CaseOutcome.FOUND not in {case.outcome for case in report.cases}

    @pytest.mark.parametrize("level", LEVELS)
    @pytest.mark.parametrize("language", some([*LANGUAGES], every=len(LANGUAGES)))
    def test_of_the_kit(self, language: str, level: str, tmp_path: Path) -> None:
        programs = {"python": "python3", "javascript": "node", "cpp": "g++"}
        programs |= {"rust": "rustc", "java": "javac"}
        create(tmp_path / "mine", LANGUAGES[language], [GAMES["dragonkrak"]])
        self.found(tmp_path / "mine", level, programs.get(language, language))


HOSTILES: Final = [
    ("life.py", "hangs_at_start", {Name.SLOW_START, Name.NO_READY}),
    ("life.py", "hangs_before_reading", {Name.SLOW_START}),
    ("life.py", "exits_at_start", {Name.ENDS_AT_START}),
    ("life.py", "prints_a_banner", {Name.PRINT}),
    ("life.py", "speaks_another_protocol", {Name.BAD_READY}),
    ("life.py", "wants_the_unknown", {Name.BAD_READY}),
    ("life.py", "segfaults", {Name.SIGNAL}),
    ("life.py", "fails_with_a_traceback", {Name.CRASH}),
    ("life.py", "stays_after_bye", {Name.STAYS_AFTER_BYE}),
    ("life.py", "exits_at_over", {Name.EXITS_AFTER_OVER}),
    ("pipes.py", "floods_without_a_line_end", {Name.LINE_TOO_LONG}),
    ("pipes.py", "floods_lines", {Name.PRINT, Name.NOT_JSON, Name.MALFORMED}),
    ("messages.py", "sends_invalid_utf_8", {Name.NOT_UTF_8}),
    ("messages.py", "sends_single_quotes", {Name.PYTHON_REPR}),
    ("messages.py", "sends_plain_text", {Name.PRINT}),
    ("messages.py", "sends_nan", {Name.NOT_A_NUMBER}),
    ("messages.py", "repeats_a_key", {Name.REPEATED_KEY}),
    ("messages.py", "sends_a_text_as_action", {Name.ACTION_TYPE}),
    ("messages.py", "sends_no_id", {Name.NO_ID}),
    ("messages.py", "sends_no_action", {Name.NO_ACTION}),
    ("messages.py", "sends_a_number_as_id", {Name.ID_TYPE}),
    ("messages.py", "sends_an_unknown_type", {Name.UNKNOWN_TYPE}),
    ("messages.py", "sends_an_unknown_action", {Name.UNKNOWN_ACTION}),
    ("messages.py", "sends_a_negative_index", {Name.ILLEGAL_ACTION}),
    ("messages.py", "sends_another_id", {Name.WRONG_ID}),
    ("order.py", "answers_twice", {Name.ANSWERS_TWICE}),
    ("order.py", "answers_over", {Name.ANSWERS_OVER}),
    ("order.py", "is_ready_twice", {Name.ANSWERS_UNASKED}),
    ("toys.py", "answers_early", {Name.ANSWERS_START}),
    ("toys.py", "prints_while_thinking", {Name.PRINT}),
    ("toys.py", "half_line_then_exit", {Name.EXITS}),
    ("toys.py", "leaves_a_daemon", {Name.LEAVES_PROCESSES}),
    ("pipes.py", "closes_stdout", {Name.TOO_SLOW, Name.SILENT}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("file", "bot", "expected"), some(HOSTILES, every=12))
def test_hostile_bots_are_found(file: str, bot: str, expected: set[Name], tmp_path: Path) -> None:
    report = check(str(hostile(tmp_path, file, bot)), Level.LIMITS, setting=QUICK)
    found = [each for each in report.findings if each.name in expected]
    assert found, [(each.name, each.what) for each in report.findings]
    assert all(each.mend and each.why and each.link for each in found)


@pytest.mark.slow
def test_a_report_has_every_case_once_and_faults_first(tmp_path: Path) -> None:
    program = PYTHON.replace("wants=[]", "wants=['legal']").replace(
        '    elif message["type"] == "over":\n        end(message)\n',
        '    elif message["type"] not in ("over", "bye"):\n        sys.exit(7)\n',
    )
    report = check(str(folder(tmp_path, program)), Level.NONE, setting=PATIENT)
    assert tuple(case.name for case in report.cases) == CASES
    assert [each.name for each in report.findings] == [Name.UNKNOWN_MESSAGE, Name.WANTS_UNUSED]
    assert [each.weight for each in report.findings] == [Weight.FAULT, Weight.HINT]
    assert not report.passed
    again = check(str(tmp_path / "bot"), Level.NONE, setting=PATIENT)
    one, two = ([without_exchange(x) for x in r.findings] for r in (report, again))
    assert (one, report.cases) == (two, again.cases)


def test_what_is_no_bot_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        check(str(tmp_path / "nobody"), Level.NONE)
    bot = folder(tmp_path, PYTHON)
    with pytest.raises(ValueError, match="plays none of the games: it plays dragonheart"):
        check(str(bot), Level.NONE, games=["dragonrealm"])


@pytest.mark.parametrize(
    ("plays", "what"),
    [
        (
            "{dragonhart: [2]}",
            'bot.yaml:3:9: plays: unknown key "dragonhart" (did you mean "dragonheart"?)',
        ),
        ("{dragonheart: [9]}", "bot.yaml:3:22: plays.dragonheart: found 9, expected 2 seats"),
    ],
)
def test_a_game_that_nobody_knows_is_found(plays: str, what: str, tmp_path: Path) -> None:
    bot = folder(tmp_path, PYTHON, plays)
    report = check(str(bot), Level.NONE)
    assert [(each.name, each.what) for each in report.findings] == [(Name.UNKNOWN_GAME, what)]
    assert not report.passed
    with pytest.raises(ValueError, match=r"plays none of the games: it plays no game .*; bot.yaml"):
        check(str(bot), Level.NONE, games=["dragonheart"])


def test_all_problems_of_a_manifest_are_told(tmp_path: Path) -> None:
    bot = folder(tmp_path, PYTHON)
    text = (bot / "bot.yaml").read_text()
    (bot / "bot.yaml").write_text(text.replace("command", "comand"))
    (found,) = check(str(bot), Level.NONE).findings
    assert 'bot.yaml:4:1: unknown key "comand" (did you mean "command"?)' in found.what
    assert "command: missing" in found.what


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "file", "returned", "found"),
    [
        ("python", "dragonheart.py", "legal[0]", "Play("),
        ("python", "dragonheart.py", "None", "None"),
        ("python", "dragonheart.py", "0.0", "0.0"),
        ("javascript", "dragonheart.js", "legal[0]", "{ type: 'play'"),
        ("javascript", "dragonheart.js", "undefined", "undefined"),
    ],
)
def test_what_choose_returns_is_told_by_the_kit(language, file, returned, found, tmp_path) -> None:
    if language == "javascript" and shutil.which("node") is None:
        pytest.skip("no node here")
    bot = tmp_path / "mine"
    create(bot, LANGUAGES[language], [GAMES["dragonheart"]])
    text = (bot / file).read_text()
    changed = text.replace("return best(", f"return {returned}\n    return best(", 1)
    (bot / file).write_text(changed)
    (finding,) = check(str(bot), Level.NONE, setting=PATIENT).findings
    assert finding.name is Name.ACTION_TYPE
    assert f"choose returned {found}" in finding.what
    assert "expected the index of an action: 0 to " in finding.what
    assert finding.mend.startswith("let choose return the index")
    if language == "python":
        line = next(n for n, line in enumerate(text.splitlines(), 1) if "def choose" in line)
        assert f'{file}", line {line}, in choose' in finding.said


def test_a_program_that_cannot_begin_is_told_to_read_the_error(tmp_path: Path) -> None:
    (finding,) = check(str(folder(tmp_path, "if True\n")), Level.NONE, setting=PATIENT).findings
    assert finding.name is Name.ENDS_AT_START
    assert "SyntaxError" in finding.what
    assert 'main.py", line 1' in finding.said
    assert finding.mend.startswith("read the error above")


@pytest.mark.slow
def test_endless_waits_are_told_and_followed_no_further(tmp_path: Path) -> None:
    report = check(str(hostile(tmp_path, "life.py", "hangs")), Level.LIMITS, setting=QUICK)
    (finding,) = report.findings
    assert (finding.name, finding.what) == (
        Name.WAITS,
        "no answer after 4 s, and used no processor time: it waits or sleeps",
    )


_SHORT: Final = "for line in sys.stdin:\n    if len(line) > 65536: sys.exit()\n"
"""As a reader does that stops at long lines."""


class TestTheCommand:
    """What is printed, what is kept, what it ends with."""

    @pytest.fixture
    def tell(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> Callable[..., tuple[int, str, str]]:
        monkeypatch.chdir(tmp_path)

        def tell(**options: Any) -> tuple[int, str, str]:
            chosen = CheckOptions(bot="bot", **{"isolation": "none"} | options)
            code = exit_code(lambda: check_bot(chosen))
            return code, *capsys.readouterr()

        return tell

    @pytest.fixture
    def feed(self, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
        """Sends a kept exchange again; gives the exit code and what was printed."""

        def feed(kept: Path, *, no_clock: bool = True) -> tuple[int, str]:
            chosen = TryOptions(bot="bot", isolation=Isolation.NONE, feed=kept, no_clock=no_clock)
            code = exit_code(lambda: try_bot(chosen))
            return code, capsys.readouterr().out

        return feed

    @pytest.mark.slow
    def test_a_bot_that_is_well(self, tell: Any, tmp_path: Path) -> None:
        folder(tmp_path, PYTHON)
        code, out, err = tell()
        assert (code, out.splitlines()) == (
            0,
            [
                "bot at none, python, seed 1",
                "",
                f"{len(CASES)} of {len(CASES)} cases passed",
                "it would lose no game by a fault",
            ],
        )
        assert err.splitlines()[:2] == ["checking at none", f"1/{len(CASES)}  manifest and build"]
        assert not (tmp_path / "checks").exists()

    @pytest.mark.slow
    def test_a_finding_can_be_sent_again(self, tell: Any, feed: Any, tmp_path: Path) -> None:
        mistaken(tmp_path, Name.LATER_GAME)
        code, out, _ = tell(only=(CASES[-2],))
        assert code == 1
        lines = labelled(out)
        assert lines["see"].startswith("protocol.md#")
        assert lines["code"].startswith("if message['type'] == 'start'")
        kept = Path("checks/bot/later-game.jsonl")
        assert lines["again"] == f"arena try bot --isolation none --feed {kept}"
        code, out = feed(kept)
        assert (code, "AssertionError" in out) == (1, True)

    @pytest.mark.slow
    def test_what_no_file_shows_is_shown_by_its_case(self, tell: Any, tmp_path: Path) -> None:
        mistaken(tmp_path, Name.LINES_TOGETHER)
        code, out, err = tell(only=("lines together",))
        lines = labelled(out)
        assert (code, "again" in lines) == (1, False)
        assert lines["check"] == "arena check bot --isolation none --case 'lines together'"
        assert "fault: lines-together" in out
        steps = [line.split("  ")[0] for line in err.splitlines()[1:]]
        assert steps == ["1/4", "2/4", "3/4", "4/4"]
        code, out, _ = tell(only=("delays",))
        assert (code, "4 of 4 cases passed" in out) == (0, True)

    def test_a_quick_check_with_another_clock(self, tell: Any, tmp_path: Path) -> None:
        folder(tmp_path, PYTHON.replace("return 0", "return 99"))
        code, out, err = tell(quick=True, clock="20 s")
        assert (code, err.splitlines()[1]) == (1, f"1/{len(ESSENTIAL)}  manifest and build")
        assert "--case 'a game' --clock 'move: 20 s'" in out

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"quick": True, "only": ("start",)}, "found --case and --quick"),
            ({"clock": "soon"}, r"--clock:1:\S+ move: found \"soon\""),
            ({"games": ("dragonrealm",)}, "--game: bot plays none of the games"),
        ],
    )
    def test_what_cannot_be(self, tell, tmp_path, options, said) -> None:
        folder(tmp_path, PYTHON)
        with pytest.raises((BadInput, ConfigError), match=said):
            tell(**options)

    def test_an_estimate_comes_before_a_long_part(self, capsys: pytest.CaptureFixture[str]) -> None:
        with _shown(quiet=False, is_all=True) as told:
            told("start", 1, 3, None)
            told("a game", 2, 3, 250.0)
            told("the rest", 3, 3, 30.0)
        assert capsys.readouterr().err.splitlines() == [
            "1/3  start",
            "this takes about 0:04:10; --quick tries the essential cases alone",
            "2/3  a game  left 0:04:10",
            "3/3  the rest  left 0:00:30",
        ]

    @pytest.mark.slow
    def test_an_unknown_message_can_be_sent_again(self, tell, feed, tmp_path) -> None:
        mistaken(tmp_path, Name.UNKNOWN_MESSAGE)
        assert tell(only=("unknown messages",), output=Path("kept"))[0] == 1
        code, out = feed(Path("kept/unknown-message.jsonl"))
        assert (code != 0, "what is x_of_a_later_version" in out) == (True, True)

    @pytest.mark.slow
    def test_a_long_line_at_the_start_can_be_sent_again(self, tell, feed, tmp_path) -> None:
        short = PYTHON.replace("for line in sys.stdin:\n", _SHORT)
        assert short != PYTHON
        folder(tmp_path, short)
        assert tell(only=("long lines",))[0] == 1
        kept = Path("checks/bot/long-line.jsonl")
        code, out = feed(kept, no_clock=False)
        assert code != 0
        assert "before ready: the process ended (exit status 0)" in out
        (tmp_path / "bot" / "main.py").write_text(PYTHON)
        code, out = feed(kept)
        assert (code, '"type": "action"' in out) == (0, True)

    def test_as_a_document(self, tell: Any, tmp_path: Path) -> None:
        folder(tmp_path, PYTHON.replace("return 0", "return 99"))
        code, out, err = tell(as_json=True)
        assert (code, err) == (1, "")
        told = json.loads(out)
        head = {"schema": "arena.check/1", "passed": False, "isolation": "none"}
        assert told | head == told
        (finding,) = told["findings"]
        assert (finding["name"], finding["weight"]) == ("illegal-action", "fault")
        where = {"rules": "dragonheart", "seats": 2, "seat": 0, "deal": 0, "number": 1}
        assert finding["where"] == where
        assert Path(finding["exchange"]).is_file()
