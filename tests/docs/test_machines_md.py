"""The page on machines: its commands are run, and its workflow is played job by job."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.cli.shell import arena, tournament

pytestmark = [pytest.mark.slow, pytest.mark.process]

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs" / "machines.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_every_command_of_the_page(tmp_path: Path) -> None:
    for name in ("bots", "tournaments"):
        shutil.copytree(ROOT / name, tmp_path / name)
    quickstart = tmp_path / "tournaments/quickstart.yaml"
    quickstart.write_text(re.sub(r"deals: \d+", "deals: 3", quickstart.read_text()))
    lines = [line for block in blocks("console") for line in block.splitlines()]
    assert len(lines) == 4
    for line in lines:
        words = line.removeprefix("$ arena ").partition("#")[0].split()
        last = words[-1]
        if "*" in last:
            words[-1:] = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.glob(last))
        done = arena(tmp_path, *words)
        assert done.code == 0, (line, done.err)
        assert done.out, line
    assert (tmp_path / "runs/quickstart.merged/standings.txt").read_text() == done.out


class Runner:
    """Does what the steps of a job say, each job in a clone of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._artifacts = folder / "artifacts"

    def play(self, name: str, job: dict[str, Any], shard: int | None = None) -> None:
        """One job; those of a matrix with their number."""
        clone = self._folder / f"{name}-{shard}"
        shutil.copytree(self._folder / "project", clone)
        for step in job["steps"]:
            own = yaml.safe_load(yaml.safe_dump(step).replace("${{ matrix.shard }}", str(shard)))
            given = own.get("with", {})
            action = own.get("uses", "").partition("@")[0]
            if action == "actions/upload-artifact":
                self._upload(clone / given["path"], given["name"])
            elif action == "actions/download-artifact":
                self._download(clone / given["path"], given)
            elif "run" in own and own["run"].startswith("arena "):
                words = own["run"].split()[1:]
                if words[0] == "merge":
                    shards = sorted((clone / "shards").iterdir())
                    words[1:2] = [str(each.relative_to(clone)) for each in shards]
                done = arena(clone, *words)
                assert done.code == 0, done.err

    def _upload(self, path: Path, name: str) -> None:
        """Without hidden files, empty folders and modes, as there."""
        assert not (self._artifacts / name).exists(), "a name is used once"
        for file in path.rglob("[!.]*"):
            if file.is_file():
                target = self._artifacts / name / file.relative_to(path)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(file.read_bytes())

    def _download(self, path: Path, given: dict[str, Any]) -> None:
        if "name" in given:
            shutil.copytree(self._artifacts / given["name"], path)
            return
        for found in self._artifacts.glob(given["pattern"]):
            shutil.copytree(found, path / found.name)


def test_the_workflow_plays_a_run_in_shards(tmp_path: Path) -> None:
    (block,) = blocks("yaml")
    jobs = yaml.safe_load(block)["jobs"]
    assert list(jobs) == ["open", "play", "merge"]
    assert jobs["play"]["strategy"]["fail-fast"] is False
    assert [jobs[name]["needs"] for name in ("play", "merge")] == ["open", "play"]
    (tmp_path / "project").mkdir()
    tournament(tmp_path / "project", deals=6)
    runner = Runner(tmp_path)
    runner.play("open", jobs["open"])
    for shard in jobs["play"]["strategy"]["matrix"]["shard"]:
        runner.play("play", jobs["play"], shard)
    runner.play("merge", jobs["merge"])
    cup = tmp_path / "merge-None/runs/cup"
    assert arena(tmp_path, "verify", cup).out == "12 of 12 games verified: all as it should be\n"
