"""The action for GitHub: its structure, and its shell steps run as the runner would."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import pytest
import yaml

from arena.extensions.matches.show.documents import junit_text
from arena.extensions.matches.show.words import strength
from arena.extensions.matches.statistics.report import Distinct, Verdict
from tests.cli.shell import environment
from tests.entrants.repositories import commit, git
from tests.extensions.matches.show.reports import PAIR, TABLE, changed
from tests.projects import project, put

pytestmark = [pytest.mark.slow, pytest.mark.process]

ROOT: Final = Path(__file__).parents[2]
ACTION: Final[dict[str, Any]] = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS: Final[list[dict[str, Any]]] = ACTION["runs"]["steps"]
EXPRESSION: Final = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
SHELL: Final = ["bash", "--noprofile", "--norc", "-eo", "pipefail"]
PYTHON3: Final = f"""#!/bin/sh
# Makes what "python3 -m venv FOLDER" would, with what is installed here already.
[ "$1 $2" = "-m venv" ] || exit 99
mkdir -p "$3/bin"
ln -s {sys.executable} "$3/bin/python"
printf '#!/bin/sh\\necho "$@" > "%s/installed"\\n' "$3" > "$3/bin/pip"
printf '#!/bin/sh\\nexec {sys.executable} -m arena "$@"\\n' > "$3/bin/arena"
chmod +x "$3/bin/pip" "$3/bin/arena"
"""


class Ended(NamedTuple):
    """What a step did."""

    code: int
    outputs: dict[str, str]
    said: str


class Runner:
    """Runs single steps with the variables of GitHub."""

    def __init__(self, temp: Path, workspace: Path, **inputs: str) -> None:
        defaults = {key: str(value.get("default", "")) for key, value in ACTION["inputs"].items()}
        unknown = {key.replace("_", "-") for key in inputs} - defaults.keys()
        assert unknown == set()
        self.inputs = defaults | {key.replace("_", "-"): text for key, text in inputs.items()}
        self.temp = temp
        self.workspace = workspace
        self.summary = temp / "summary.md"

    def install(self) -> Ended:
        programs = self.temp / "programs"
        programs.mkdir()
        (programs / "python3").write_text(PYTHON3)
        (programs / "python3").chmod(0o755)
        return self.run("Install arena", PATH=f"{programs}:{os.environ['PATH']}")

    def run(self, name: str, **variables: str) -> Ended:
        step = next(step for step in STEPS if step["name"] == name)
        script, output = self.temp / "script.sh", self.temp / "output"
        script.write_text(step["run"])
        output.write_text("")
        own = {key: self.evaluated(text) for key, text in step.get("env", {}).items()}
        github = {
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(self.summary),
        }
        done = subprocess.run(
            [*SHELL, str(script)],
            cwd=self.workspace / self.evaluated(step.get("working-directory", ".")),
            env=environment(**github, **own, **variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=100,
            check=False,
        )
        lines = output.read_text().splitlines()
        outputs = dict(line.split("=", 1) for line in lines)
        return Ended(done.returncode, outputs, done.stdout)

    def evaluated(self, text: str) -> str:
        return EXPRESSION.sub(lambda found: self._value(found[1]), text)

    def _value(self, expression: str) -> str:
        known: Mapping[str, str] = {
            "github.action_path": str(ROOT),
            "runner.temp": str(self.temp),
            "toJSON(inputs)": json.dumps(self.inputs, indent=2),
        }
        if expression.startswith("inputs."):
            return self.inputs[expression.removeprefix("inputs.")]
        return known[expression]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    return project(tmp_path / "project")


@pytest.fixture
def temp(tmp_path: Path) -> Path:
    folder = tmp_path / "runner's temp"
    folder.mkdir()
    return folder


def test_every_input_is_described_and_used() -> None:
    text = (ROOT / "action.yml").read_text()
    used = set(re.findall(r"\binputs\.([\w-]+)", text))
    assert used == ACTION["inputs"].keys()
    for name, declared in ACTION["inputs"].items():
        assert declared["description"], name
        assert declared.keys() <= {"description", "required", "default"}
        assert declared.get("required", False) is ("default" not in declared)
        assert isinstance(declared.get("default", ""), str), "GitHub takes texts only"


def test_every_output_is_written() -> None:
    compare = next(step for step in STEPS if step.get("id") == "compare")
    for name, output in ACTION["outputs"].items():
        assert output["description"]
        assert output["value"] == f"${{{{ steps.compare.outputs.{name} }}}}"
        assert re.search(rf'"{name}"|{name}=', compare["run"])


@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.INVALID])
@pytest.mark.parametrize("others", [0, 1])
def test_the_estimate_is_that_of_the_report(tmp_path: Path, verdict: Verdict, others: int) -> None:
    compare = next(step for step in STEPS if step.get("id") == "compare")
    (script,) = re.findall(r"<< 'END'\n(.*?)\nEND\n", compare["run"], re.DOTALL)
    seen = msgspec.structs.replace(PAIR, distinct=Distinct(80, 40, 36.5, 2))
    report = changed(verdict=verdict, games=(seen, *[TABLE] * others))
    (tmp_path / "junit.xml").write_text(junit_text(report))
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "junit.xml"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    (shown,) = re.findall("^elo=(.*)$", done.stdout, re.MULTILINE)
    assert bool(shown) == bool(strength(report))
    assert not shown or float(shown) == PAIR.elo.value


def test_steps_are_as_a_composite_action_wants_them() -> None:
    assert ACTION["runs"]["using"] == "composite"
    for step in STEPS:
        assert ("run" in step) != ("uses" in step), step["name"]
        if "uses" in step:
            assert re.fullmatch(r"actions/[\w/-]+@v\d+", step["uses"])
        else:
            assert step["shell"] == "bash"
            assert EXPRESSION.findall(step["run"]) == [], "what others write is no part of a script"
    known = {step["id"] for step in STEPS if "id" in step}
    assert set(re.findall(r"steps\.(\w+)\.", (ROOT / "action.yml").read_text())) == known


def test_games_are_kept_whatever_the_verdict_but_only_if_there_are_any() -> None:
    restore, keep = (step for step in STEPS if "cache" in step.get("uses", ""))
    assert "always()" in keep["if"]
    assert "steps.compare.outputs.run != ''" in keep["if"]
    assert keep["with"]["path"] == restore["with"]["path"]
    assert keep["with"]["key"] == restore["with"]["key"]
    assert restore["with"]["key"].startswith(restore["with"]["restore-keys"])


def test_better_bot_passes(clone: Path, temp: Path) -> None:
    runner = Runner(
        temp, clone, candidate="bots/mine", games="dragonheart\n dragonkrak:2\n",
        workers="2", args="--set clock.move='2 s' --seed 1",
    )  # fmt: skip
    assert runner.install().code == 0
    installed = (temp / "arena-venv" / "installed").read_text().split()
    assert installed[0] == "install"
    assert installed[-1] == str(ROOT)
    done = runner.run("Compare")
    assert done.code == 0, done.said
    assert "PASS  bots/mine is " in done.said
    assert done.outputs["verdict"] == "pass"
    assert float(done.outputs["llr"]) > 2.9
    assert done.outputs["elo"] == "", "of two games there is no one estimate"
    assert (clone / done.outputs["run"] / "run.json").is_file()
    assert Path(done.outputs["junit"]).is_file()
    assert runner.summary.read_text().startswith("\n### PASS: bots/mine is ")
    assert "Dragonkrak" in runner.summary.read_text()


def test_again_it_answers_from_the_games_that_are_kept(clone: Path, temp: Path) -> None:
    runner = Runner(temp, clone, candidate="bots/mine", games="dragonheart")
    runner.install()
    first, again = runner.run("Compare"), runner.run("Compare")
    assert (first.code, again.code) == (0, 0)
    assert "games are stored" in again.said
    assert again.outputs == first.outputs
    assert len(list((clone / "runs").iterdir())) == 1


def test_outputs_agree_with_the_report(clone: Path, temp: Path) -> None:
    runner = Runner(temp, clone, candidate="bots/mine", games="dragonheart")
    runner.install()
    outputs = runner.run("Compare").outputs
    report = json.loads((clone / outputs["run"] / "match.json").read_text())
    assert outputs["verdict"] == report["verdict"] == "pass"
    assert outputs["run"] == report["run"]
    assert float(outputs["llr"]) == report["llr"]
    assert outputs["elo"] == (
        "" if (elo := report["estimate"]["elo"]["value"]) is None else str(elo)
    )
    assert outputs["unchanged"] == "false"


def test_an_unchanged_bot_is_neutral_with_a_note(clone: Path, temp: Path) -> None:
    runner = Runner(temp, clone, candidate="bots/mine", baseline="@HEAD", games="dragonheart")
    runner.install()
    for choice, code, level in (("neutral", 0, "notice"), ("fail", 4, "error")):
        runner.inputs["on-unchanged"] = choice
        done = runner.run("Compare")
        assert done.code == code, (choice, done.said)
        assert (done.outputs["verdict"], done.outputs["unchanged"]) == ("invalid", "true")
        assert (done.outputs["run"], done.outputs["elo"]) == ("", "")
        assert re.search(rf"^::{level} title=arena compare::INVALID .* same files", done.said, re.M)
        kinds = ("skipped", "error") if code == 0 else ("error", "skipped")
        junit = Path(done.outputs["junit"]).read_text()
        assert [f"<{kind} " in junit for kind in kinds] == [True, False]
    runner.inputs["on-unchanged"] = "perhaps"
    assert runner.run("Compare").code == 2


def test_weaker_bot_fails_the_step(clone: Path, temp: Path) -> None:
    put(clone, "first-legal", "mine")
    runner = Runner(temp, clone, candidate="bots/mine", baseline="@HEAD", games="dragonheart")
    runner.install()
    done = runner.run("Compare")
    assert done.code == 1, done.said
    assert done.outputs["verdict"] == "fail"
    assert "::error title=arena compare::FAIL" in done.said


def test_without_a_verdict(clone: Path, temp: Path) -> None:
    runner = Runner(
        temp, clone, candidate="bots/mine", games="dragonheart", max_games="10", max_time=""
    )  # fmt: skip
    runner.install()
    for choice, code, warns in (("fail", 3, True), ("neutral", 0, True), ("pass", 0, False)):
        runner.inputs["on-inconclusive"] = choice
        done = runner.run("Compare")
        assert done.code == code, (choice, done.said)
        assert done.outputs["verdict"] == "inconclusive"
        assert ("::warning " in done.said) is warns, choice


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"games": "checkers"}, "checkers"),
        ({"games": "dragonheart", "baseline": "@nowhere"}, "nowhere"),
        ({"games": "dragonheart", "args": "--mode sideways"}, "sideways"),
        ({"games": "dragonheart", "args": "--seed '1"}, "args: ValueError: No closing quotation"),
        ({"games": "dragonheart", "on_inconclusive": "maybe"}, 'found "maybe"'),
        ({"games": "dragonheart", "candidate": "--help"}, "--help"),
        ({"games": "$(touch owned)", "args": "`touch owned` $(touch owned)"}, "6 bots"),
    ],
)
def test_bad_input(clone: Path, temp: Path, inputs: dict[str, str], said: str) -> None:
    runner = Runner(temp, clone, **{"candidate": "bots/mine", **inputs})
    runner.install()
    done = runner.run("Compare")
    assert done.code == 2, done.said
    assert said in done.said
    assert done.outputs == {}
    assert not (clone / "owned").exists()


def key(temp: Path, clone: Path, **inputs: str) -> str:
    inputs = {"candidate": "bots/mine", "games": "dragonheart", **inputs}
    done = Runner(temp, clone, **inputs).run("Name the pair")
    assert done.code == 0, done.said
    assert re.fullmatch("[0-9a-f]{64}", done.outputs["key"])
    return done.outputs["key"]


def test_a_pair_keeps_its_name_until_one_of_it_changes(clone: Path, temp: Path) -> None:
    first = key(temp, clone)
    (clone / "unrelated").touch()
    put(clone, "greedy", "other")
    commit(clone, "Something else")
    assert key(temp, clone) == first
    assert key(temp, clone, games="dragonkrak") != first
    put(clone, "collector", "mine")
    commit(clone, "The candidate")
    second = key(temp, clone)
    assert second != first
    git(clone, "push", "--quiet", "origin", "HEAD:main")
    assert key(temp, clone) != second, "the baseline"


@pytest.mark.parametrize(
    "inputs",
    [
        {"candidate": "./bots/mine/"},
        {"candidate": "bots/mine@HEAD~1", "baseline": "bots/mine"},
        {"candidate": "python3 main.py", "baseline": "bots/rival"},
        {"candidate": "bots/mine", "baseline": "@--help"},
        {"candidate": "nowhere", "baseline": "@nowhere"},
        {"working_directory": "bots", "candidate": "mine"},
    ],
)
def test_any_pair_gets_a_name(clone: Path, temp: Path, inputs: dict[str, str]) -> None:
    assert key(temp, clone, **inputs)


def test_a_pair_outside_of_git_gets_a_name(tmp_path: Path, temp: Path) -> None:
    assert key(temp, tmp_path)
