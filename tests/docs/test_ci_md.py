"""The page on CI: its commands are run in a small repository, its files are read."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
import yaml

from arena import __version__
from arena.cli.terminal.console import Exit
from arena.extensions.matches.outputs import exit_code
from arena.extensions.matches.statistics.report import (
    Criteria,
    DisciplineReport,
    MatchReport,
    MatchSide,
    Verdict,
)
from arena.extensions.matches.statistics.sprt import NELO, between, expectation
from tests.cli.shell import environment
from tests.entrants.repositories import commit
from tests.projects import project, put

pytestmark = [pytest.mark.slow, pytest.mark.process]

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs" / "ci.md").read_text()
INSTALL: Final = "pip install botarena"
MERGE_REQUEST: Final = {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "GITHUB_BASE_REF": "main"}


class Ended(NamedTuple):
    code: int
    out: str
    err: str


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def shell(folder: Path, script: str, interpreter: str = "bash") -> Ended:
    """Run lines where ``arena`` is this arena, already installed."""
    programs = folder.parent / "programs"
    if not programs.exists():
        programs.mkdir()
        for name, command in (("arena", f'exec {sys.executable} -m arena "$@"'), ("pip", ":")):
            (programs / name).write_text(f"#!/bin/sh\n{command}\n")
            (programs / name).chmod(0o755)
    path = f"{programs}:{os.environ['PATH']}"
    done = subprocess.run(
        [interpreter, "-c", script],
        cwd=folder,
        env=environment(PATH=path, GITHUB_STEP_SUMMARY="", GITHUB_ACTIONS="", **MERGE_REQUEST),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    return project(tmp_path / "project")


def test_plain_lines_ask_git_first(clone: Path) -> None:
    (asks,) = (block for block in blocks("sh") if not block.startswith("#!"))
    changed_bot = shell(clone, f"{asks}exit 77")
    assert changed_bot.code == 77
    put(clone, "random", "mine")
    commit(clone, "As on main")
    assert shell(clone, f"{asks}exit 77").code == 0


def test_digests_are_equal_if_no_move_changes(clone: Path) -> None:
    (block,) = (each for each in blocks("console") if "diff" in each)
    lines = re.findall(r"^\$ (.*)$", block, re.MULTILINE)
    with (clone / "bots" / "mine" / "main.py").open("a") as file:
        file.write("# tidier\n")
    done = shell(clone, "set -e\n" + "\n".join(lines).replace("@origin/main", "@HEAD"))
    assert done.code == 0, done
    put(clone, "first-legal", "mine")
    assert shell(clone, f"rm -r runs/new\n{lines[1]}\n{lines[2]}").code == 1


def hook() -> str:
    (found,) = (block for block in blocks("sh") if block.startswith("#!/bin/sh\n"))
    return found


def push(clone: Path, name: str) -> Ended:
    where = clone / ".git" / "hooks" / "pre-push"
    where.parent.mkdir(exist_ok=True)
    where.write_text(hook())
    where.chmod(0o755)
    return shell(clone, f"git push --quiet origin HEAD:{name}")


def test_hook_lets_a_better_bot_through(clone: Path) -> None:
    done = push(clone, "better")
    assert done.code == 0, done.err
    assert "PASS  bots/mine is " in done.out + done.err
    assert shell(clone, "git ls-remote origin").out.count("refs/heads/better") == 1


def test_hook_stops_a_weaker_bot(clone: Path) -> None:
    shell(clone, "git push --quiet origin HEAD:main")
    put(clone, "first-legal", "mine")
    commit(clone, "Take the first")
    done = push(clone, "weaker")
    assert done.code != 0
    assert "FAIL  bots/mine is " in done.out + done.err
    assert "refs/heads/weaker" not in shell(clone, "git ls-remote origin").out


def test_hook_lets_through_what_cannot_be_told(clone: Path) -> None:
    script = hook().replace("--max-time '2 min'", "--max-games 4")
    assert script != hook()
    assert shell(clone, script, "sh").code == 0
    assert "INCONCLUSIVE" in shell(clone, script, "sh").out


def yaml_pages() -> list[dict[str, Any]]:
    return [yaml.safe_load(block) for block in blocks("yaml")]


def test_workflow_uses_the_action_as_it_is() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    workflow = yaml_pages()[0]
    checkout, use = workflow["jobs"]["compare"]["steps"]
    assert checkout["with"]["fetch-depth"] == 0
    assert use["uses"] == f"OWNER/arena@v{__version__}"
    assert use["with"].keys() <= action["inputs"].keys()
    required = {name for name, each in action["inputs"].items() if each.get("required")}
    assert required <= use["with"].keys()
    assert workflow["permissions"] == {"contents": "read"}
    named = set(re.findall(r"`(?:steps\.strength\.outputs)?\.(\w+)`", PAGE))
    assert named == action["outputs"].keys()


def test_lines_of_the_workflow_run(clone: Path) -> None:
    steps = yaml_pages()[1]["jobs"]["compare"]["steps"]
    lines = [step["run"] for step in steps if "run" in step]
    assert lines[0] == INSTALL
    done = shell(clone, "set -e\n" + "\n".join(lines))
    assert done.code == 0, done.err
    assert done.out.startswith("PASS  bots/mine is ")


def test_lines_for_gitlab_run(clone: Path) -> None:
    job = yaml_pages()[2]["strength"]
    assert job["script"][0] == INSTALL
    assert job["allow_failure"]["exit_codes"] == [Exit.INCONCLUSIVE]
    assert job["cache"]["paths"] == ["runs/"]
    shell(clone, "git update-ref -d refs/remotes/origin/main")
    done = shell(clone, "set -e\n" + "\n".join(job["script"]))
    assert done.code == 0, done.err
    assert (clone / job["artifacts"]["reports"]["junit"]).is_file()


def test_lines_for_jenkins_run(clone: Path) -> None:
    (pipeline,) = blocks("groovy")
    ((script,), (report,)) = (
        re.findall(pattern, pipeline, re.DOTALL)
        for pattern in ("'''(.*?)'''", r"testResults: '(.*?)'")
    )
    install, compare = script.split(INSTALL)
    assert "python3 -m venv .venv" in install
    done = shell(clone, compare.replace(".venv/bin/", ""))
    assert done.code == 0, done.err
    assert (clone / report).is_file()
    assert pipeline.count("{") == pipeline.count("}")
    assert f"code == {Exit.INCONCLUSIVE.value}" in pipeline


def test_verdicts_have_the_exit_codes_of_the_page() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d) \|", PAGE, re.MULTILINE)
    assert rows == [(each.value, str(exit_code(each).value)) for each in Verdict]


def test_games_to_expect_are_those_of_the_formulas() -> None:
    rows = re.findall(r"^\| 0 and (\d+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|", PAGE, re.MULTILINE)
    assert len(rows) == 5
    for bound, *shown in rows:
        t = 2**0.5 * float(bound) / NELO
        bounds = between(0, float(bound)).bounds
        for share, text in zip((0.0, 0.5, 2.0), shown, strict=True):
            games = max(40, 2 * expectation(share * t, 0, t, bounds).blocks)
            assert float(text.replace(",", "")) == pytest.approx(games, rel=0.05), (bound, share)


def test_every_field_of_the_report_is_explained() -> None:
    explained = set(re.findall(r"`(\w+)`", PAGE.partition("**JSON**")[2]))
    kinds = (MatchReport, DisciplineReport, MatchSide, Criteria)
    fields = {name for kind in kinds for name in kind.__struct_fields__}
    assert fields - explained == set()


def test_links_of_the_page_lead_somewhere() -> None:
    for link in re.findall(r"\]\(([^)]+)\)", PAGE):
        name, _, section = link.partition("#")
        path = ROOT / "docs" / (name or "ci.md")
        assert path.is_file(), link
        titles = re.findall(r"^#+ (.*)$", path.read_text(), re.MULTILINE)
        sections = {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}
        assert not section or section in sections, link
