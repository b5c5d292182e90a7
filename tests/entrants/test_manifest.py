from __future__ import annotations

import platform
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.entrants.manifest import (
    check_options,
    complete_options,
    find_program,
    load_bot,
    missing_programs,
    plays,
)
from arena.values.problems import ConfigError, Problems
from tests.tournament.folders import lines, write, write_bot
from tests.values.refusals import rows

TOP = "bot: 1\nname: x\ncommand: [python3, main.py]\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refusals(manifest: str) -> list[str]:
    write_bot(Path("x"), manifest)
    with pytest.raises(ConfigError) as caught:
        load_bot(Path("x"))
    return [line.removeprefix("x/bot.yaml") for line in lines(caught.value)]


def test_a_small_manifest_has_defaults() -> None:
    manifest = load_bot(write_bot(Path("x"), TOP)).manifest
    assert (manifest.name, manifest.command) == ("x", ("python3", "main.py"))
    assert manifest.version == ""
    assert manifest.protocol == 1
    assert not manifest.deterministic
    assert manifest.plays is None


def test_every_key_is_read() -> None:
    bot = load_bot(
        write_bot(
            Path("x"),
            TOP
            + """\
version: 1.2.0
authors: [a, b]
license: MIT
language: c++
plays: {dragonheart: [2], dragonkrak: [1, 3]}
protocol: 1
build:
  - [make, -s]
options:
  samples: {type: int, default: 20, min: 1, max: 100, help: per decision}
  style: {type: choice, choices: [calm, bold], default: calm}
  depth: {type: float, default: 1}
  loud: {type: bool, default: false}
  book: {type: text, default: ''}
deterministic: true
needs: {g++: '11'}
""",
        )
    )
    manifest = bot.manifest
    assert manifest.build == (("make", "-s"),)
    assert manifest.needs == {"g++": "11"}
    assert plays(manifest, "dragonkrak", 3)
    assert not plays(manifest, "dragonkrak", 2)
    assert not plays(manifest, "dragonrealm", 2)
    assert complete_options(manifest, {"samples": 5}) == {
        "samples": 5,
        "style": "calm",
        "depth": 1,
        "loud": False,
        "book": "",
    }


BAD_WHOLE = r"""
name: x
command: [y]
-> :1:1: bot: missing, expected 1
bot: 2
name: x
command: [python3, main.py]
-> :1:6: bot: found 2, expected 1
bot: 1
name: ../x
command: [python3, main.py]
-> :2:7: name: found "../x", expected a name: 1 to 64 of A-Z a-z 0-9 "." "_" "-", no sign first
bot: 1
name: x
command: python3 main.py
-> :3:10: command: found "python3 main.py", expected [PROGRAM, ARGUMENT, …] or {uci: PROGRAM}
bot: 1
name: x
command: []
-> :3:10: command: found an empty list, expected [PROGRAM, ARGUMENT, …] or {uci: PROGRAM}
bot: 1
name: x
licence: MIT
-> :1:1: command: missing, expected [PROGRAM, ARGUMENT, …] or {uci: PROGRAM}
-> :3:1: unknown key "licence" (did you mean "license"?)
"""
BAD_MORE = r"""
comand: [x]
-> :4:1: unknown key "comand" (did you mean "command"?)
version: 1.10
-> :4:10: version: found 1.1, expected text (in quotes it is text: '1.1')
deterministic: yes
-> :4:16: deterministic: found "yes", expected true or false
needs: {node: 18, gcc: '>=12', python: v3}
-> :4:15: needs.node: found 18, expected a version such as "3.11" (in quotes it is text: '18')
-> :4:24: needs.gcc: found ">=12", expected a version such as "3.11"
-> :4:40: needs.python: found "v3", expected a version such as "3.11"
plays: {dragonheart: 2}
-> :4:22: plays.dragonheart: found 2, expected a list
plays: {dragonheart: [0]}
-> :4:23: plays.dragonheart[0]: found 0, expected a whole number from 1 to 64
options: {a: {type: itn, default: 1}}
-> :4:21: options.a.type: found "itn", expected "int", "float", "bool", "text" or "choice" (did you
   mean "int"?)
options: {a: {type: int}}
-> :4:14: options.a.default: missing, expected true or false, a whole number, a number or text
options: {a: {type: int, default: 0, min: 1, max: 9}}
-> :4:35: options.a.default: found 0, expected a whole number, at least 1, at most 9
options: {a: {type: int, default: 1.5}}
-> :4:35: options.a.default: found 1.5, expected a whole number
options: {a: {type: choice, default: x}}
-> :4:14: options.a.choices: missing, expected the values it can have
options: {a: {type: choice, choices: [x, y], default: z}}
-> :4:55: options.a.default: found "z", expected "x" or "y"
options: {a: {type: text, default: z, min: 1}}
-> :4:44: options.a.min: found a bound, expected one only for int and float
options: {a-b: {type: bool, default: true}}
-> :4:11: options: bad key "a-b", expected letters, digits and "_", a letter first
"""


@pytest.mark.parametrize(("text", "expected"), [*rows(BAD_WHOLE), *rows(BAD_MORE, TOP)])
def test_bad_manifests_and_what_is_said(text: str, expected: list[str]) -> None:
    assert refusals(text + "\n") == expected


def test_python_means_the_python_that_runs_arena(tmp_path: Path) -> None:
    assert find_program("python3", tmp_path) == sys.executable
    assert find_program("python", tmp_path) == sys.executable


def test_programs_of_the_folder_come_before_those_in_path(tmp_path: Path) -> None:
    write(tmp_path / "sh", "")
    assert find_program("sh", tmp_path) == str(tmp_path / "sh")
    assert find_program("./sh", tmp_path) == str(tmp_path / "sh")
    assert find_program("./bash", tmp_path) is None
    (tmp_path / "sub" / "sh").mkdir(parents=True)
    assert find_program("sh", tmp_path / "sub") not in (None, str(tmp_path / "sub" / "sh"))


def missing(manifest: str, *, built: bool = False) -> list[str]:
    problems = missing_programs(load_bot(write_bot(Path("x"), manifest)), built=built)
    with pytest.raises(ConfigError) as caught:
        problems.raise_if_any()
    return lines(caught.value)


NEEDED = 'needed by bot "x"; install it or leave the bot out'


@pytest.mark.parametrize(
    ("manifest", "line"),
    [
        (
            TOP.replace("python3", "no-such-tool"),
            f'x/bot.yaml:3:10: command: "no-such-tool" was not found on PATH ({NEEDED})',
        ),
        (
            TOP.replace("python3", "./tool"),
            f'x/bot.yaml:3:10: command: "./tool" was not found in its folder ({NEEDED})',
        ),
        (TOP.replace("python3", "./"), f'x/bot.yaml:3:10: command: "./" is a folder ({NEEDED})'),
        (
            TOP.replace("python3", "main.py"),
            'x/bot.yaml:3:10: command: "main.py" is not executable: chmod +x main.py',
        ),
        (
            TOP + "needs: {no-such-tool: '1'}\n",
            f'x/bot.yaml:4:23: needs.no-such-tool: "no-such-tool" was not found on PATH ({NEEDED})',
        ),
        (
            TOP + "needs: {python: '99.1'}\n",
            'x/bot.yaml:4:17: needs.python: found "python" '
            f"{platform.python_version()}, expected at least 99.1 ({NEEDED})",
        ),
        (
            TOP + "build: [[no-such-tool, -s]]\n",
            f'x/bot.yaml:4:9: build[0]: "no-such-tool" was not found on PATH ({NEEDED})',
        ),
        (
            TOP + "needs: {no-such-tool: '1'}\nbuild: [[no-such-tool], [no-such-tool, -s]]\n",
            f'x/bot.yaml:4:23: needs.no-such-tool: "no-such-tool" was not found on PATH ({NEEDED})',
        ),
    ],
)
def test_a_missing_toolchain_is_one_line_that_names_it(manifest: str, line: str) -> None:
    assert missing(manifest) == [line]


def test_the_command_of_a_bot_with_a_build_may_come_later() -> None:
    manifest = TOP.replace("python3", "./tool") + "build: [[python3, -V]]\n"
    bot = load_bot(write_bot(Path("x"), manifest))
    missing_programs(bot, built=False).raise_if_any()
    missing_programs(bot, built=True).raise_if_any()


def test_what_builds_a_bot_need_not_be_there_for_a_built_one() -> None:
    manifest = TOP + "build: [[no-such-tool]]\n"
    assert len(missing(manifest)) == 1
    missing_programs(load_bot(write_bot(Path("x"), manifest)), built=True).raise_if_any()


@pytest.mark.parametrize(
    ("given_", "line"),
    [
        ({"sampels": 1}, 'x: options: unknown key "sampels" (did you mean "samples"?)'),
        (
            {"samples": 0},
            "x: options.samples: found 0, expected a whole number, at least 1, at most 100",
        ),
        (
            {"samples": True},
            "x: options.samples: found true, expected a whole number, at least 1, at most 100",
        ),
        (
            {"samples": "9"},
            'x: options.samples: found "9", expected a whole number, at least 1, at most 100',
        ),
    ],
)
def test_options_that_the_manifest_does_not_allow(given_: dict[str, object], line: str) -> None:
    bot = load_bot(write_bot(Path("x")))
    problems = Problems(bot.document)
    check_options(bot, given_, ("options",), problems)
    with pytest.raises(ConfigError) as caught:
        problems.raise_if_any()
    [told] = lines(caught.value)
    assert told.partition(": ")[2] == line.partition(": ")[2]


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=50,
    deadline=None,
)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=80))
def test_no_text_raises_anything_but_config_error(text: str) -> None:
    for manifest in (text, TOP + text):
        with suppress(ConfigError):
            load_bot(write_bot(Path("x"), manifest))


def test_a_manifest_that_is_a_link_is_refused_without_being_read(tmp_path: Path) -> None:
    write(tmp_path / "secret", "password: hunter2\n")
    (write_bot(Path("x")) / "bot.yaml").unlink()
    Path("x/bot.yaml").symlink_to(tmp_path / "secret")
    with pytest.raises(ConfigError) as caught:
        load_bot(Path("x"))
    assert lines(caught.value) == ["x/bot.yaml: found a symbolic link, expected a regular file"]


EXPECTED = "expected a program of the folder, one on PATH, or an absolute path"


@pytest.mark.parametrize(
    "word",
    ["../other/run", "..", "a/../../other/run", "./link", "link", "sub/run", "sub/../x/../link"],
)
@pytest.mark.parametrize("key", ["command", "build"])
def test_a_program_that_is_no_bots_own_is_refused(word: str, key: str) -> None:
    write(Path("other/run"), "#!/bin/sh\n").chmod(0o755)
    write_bot(Path("x"))
    Path("x/link").symlink_to("../other/run")
    Path("x/sub").symlink_to("../other")
    if key == "command":
        told = refusals(TOP.replace("python3", word))
        place = ":3:10: command"
    else:
        told = refusals(TOP + f"build: [[sh], [{word}]]\n")
        place = ":4:15: build[1]"
    assert told == [f'{place}: "{word}" leads out of the bot\'s folder, {EXPECTED}']


def test_a_program_of_the_bots_own_may_be_anywhere_in_its_folder(tmp_path, monkeypatch) -> None:
    installed = write(tmp_path / "installed" / "tool", "")
    monkeypatch.setenv("PATH", f"{installed.parent}:/usr/bin:/bin")
    write_bot(Path("real"))
    Path("x").symlink_to("real")
    Path("real/a").mkdir()
    links = {"inner": "main.py", "shell": "/bin/sh", "tool": str(installed), "round": "round"}
    for name, target in links.items():
        Path("real", name).symlink_to(target)
    own = ["a/../main.py", "./main.py", "gone", "sh", "/proc/self/exe", *links]
    for word in own:
        write_bot(Path("x"), TOP.replace("python3", word) + f"build: [[{word}]]\n")
        assert load_bot(Path("x")).manifest.command[0] == word
        write_bot(Path("x"), TOP.replace("python3", word))
        load_bot(Path("x"))


def test_what_a_build_may_replace_is_not_followed() -> None:
    write_bot(Path("x"), TOP.replace("python3", "build/tool") + "build: [[sh]]\n")
    Path("x/build").symlink_to("/nowhere")
    load_bot(Path("x"))
