"""What a release uploads, installed in an empty environment and used outside of the clone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from email import message_from_string
from email.message import Message
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

import pytest

import arena
from arena.entrants.folders import folder_digest
from arena.hosting.workspace.trees import is_foreign

pytestmark = [
    pytest.mark.slow,
    pytest.mark.process,
    pytest.mark.timeout(600),
    pytest.mark.skipif(
        find_spec("build") is None or find_spec("hatchling") is None,
        reason="pip install -e '.[package]' brings what builds packages",
    ),
]

ROOT: Final = Path(__file__).parents[1]


class Packages(NamedTuple):
    wheel: Path
    sdist: Path

    def metadata(self) -> Message:
        with zipfile.ZipFile(self.wheel) as wheel:
            name = next(name for name in wheel.namelist() if name.endswith("/METADATA"))
            return message_from_string(wheel.read(name).decode())

    def files(self) -> set[str]:
        with zipfile.ZipFile(self.wheel) as wheel:
            return {name for name in wheel.namelist() if name.startswith("arena/")}


class Home(NamedTuple):
    """An environment, and a folder to work in that is in no clone."""

    bin: Path
    folder: Path

    def pip(self, *words: str | Path) -> None:
        self.run("pip", "install", "--quiet", "--disable-pip-version-check", *words)

    def arena(self, *words: str) -> str:
        return self.run("arena", *words)

    def run(self, program: str, *words: str | Path) -> str:
        kept = {key: text for key, text in os.environ.items() if not key.startswith("PYTHON")}
        done = subprocess.run(
            [self.bin / program, *words], cwd=self.folder, env=kept, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=500, check=False,
        )  # fmt: skip
        assert done.returncode == 0, (program, words, done.stdout, done.stderr)
        return done.stdout

    def installed(self) -> set[str]:
        """The files of the package as pip notes them, without what Python compiled."""
        (noted,) = self.bin.parent.glob("lib/python3*/site-packages/botarena-*.dist-info/RECORD")
        names = {line.partition(",")[0] for line in noted.read_text().splitlines()}
        return {n for n in names if n.startswith("arena/") and "__pycache__" not in n}


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Packages:
    """Built as a release is: the wheel from the source distribution."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    env = {key: text for key, text in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(build, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return Packages(wheel, sdist)


@pytest.fixture(scope="module")
def home(packages: Packages, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """With the wheel, and nothing but what it asks for."""
    folder = tmp_path_factory.mktemp("home")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    work = folder / "work"
    work.mkdir()
    made = Home(folder / "venv" / "bin", work)
    made.pip(packages.wheel)
    return made


def test_an_index_page_has_no_link_into_the_clone(packages: Packages) -> None:
    metadata = packages.metadata()
    assert (metadata["Name"], metadata["Version"]) == ("botarena", arena.__version__)
    page = str(metadata.get_payload())
    links = re.findall(r'(?:\]\(|src=|srcset=)"?([^)"\s]+)', page)
    assert len(links) > 20
    repository = f"{metadata['Project-URL'].rpartition(' ')[2]}/"
    for link in links:
        assert link.startswith(("https://", "#")), link
        kind, _, path = link.removeprefix(repository).partition(f"/v{arena.__version__}/")
        if kind in ("blob", "raw"):
            assert (ROOT / path.partition("#")[0]).exists(), link


@pytest.mark.soak
def test_a_wheel_does_all_that_a_clone_does(home: Home, packages: Packages) -> None:
    assert home.arena("--version") == f"arena {arena.__version__}\n"
    assert home.installed() == packages.files()
    assert home.arena("demo") in (ROOT / "README.md").read_text("utf-8")
    home.arena("init")
    home.arena("run", "tournament.yaml", "--set", "schedule.deals=1", "-q")
    assert "dragonrealm" in home.arena("rules")
    home.arena("new-bot", "mine", "--language", "python")
    cup = ("run", "-g", "dragonheart", "mine", "builtin:greedy", "builtin:sampler", "-n", "2")
    home.arena(*cup, "-o", "cup", "-q", "--isolation", "sandbox")
    played = json.loads((home.folder / "cup" / "run.json").read_text())["identity"]["entrants"]
    for name in ("greedy", "sampler"):
        assert played[name]["digest"] == folder_digest(ROOT / "bots" / name, is_foreign)
    home.arena("verify", "cup")
    home.arena("report", "cup", "--games", "1")
    home.arena("site", "cup", "public")


@pytest.mark.soak
def test_a_source_distribution_installs_the_same(home: Home, packages: Packages) -> None:
    home.pip("--force-reinstall", "--no-deps", packages.sdist)
    assert home.installed() == packages.files()
    assert home.arena("--version") == f"arena {arena.__version__}\n"
