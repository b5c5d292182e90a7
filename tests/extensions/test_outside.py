"""The package of docs/extensions.md, beside arena: its command, a run of its kind, its section."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from pathlib import Path
from typing import Final

import pytest

from arena import extensions
from tests.cli.shell import Result, arena, environment
from tests.kuhn.install import announce

pytestmark = [pytest.mark.slow, pytest.mark.process]

PAGE: Final = (Path(__file__).parents[2] / "docs" / "extensions.md").read_text("utf-8")
CUP: Final = """
arena: 1
game: dragonheart
seed: 1
schedule: {kind: ring, deals: 2}
output: {folder: run}
entrants:
  - bot: builtin:random
  - bot: builtin:greedy
  - bot: builtin:first-legal
"""


def installed(home: Path) -> Path:
    """The files of the page, as an installer would put them."""
    files = re.findall(r"```python\n# (rings/\w+\.py)\n(.*?)```", PAGE, re.DOTALL)
    assert [name for name, _ in files] == [
        "rings/__init__.py",
        "rings/neighbours.py",
        "rings/ring.py",
        "rings/gaps.py",
    ]
    (home / "rings").mkdir(parents=True)
    for name, text in files:
        (home / name).write_text(text)
    (point,) = re.findall(r"^rings = \"(.*)\"$", PAGE, re.MULTILINE)
    announce(home, "rings", "1.0", {"rings": point}, extensions.GROUP)
    return home


def beside(folder: Path, *args: str) -> Result:
    """What arena does in a folder, beside the package installed there."""
    path = [str(folder / "installed"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return arena(folder, *args, env=environment(PYTHONPATH=os.pathsep.join(path)))


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package, and a run of its kind."""
    folder = tmp_path_factory.mktemp("outside")
    installed(folder / "installed")
    (folder / "cup.yaml").write_text(CUP)
    done = beside(folder, "run", "cup.yaml", "-q")
    assert done.code == 0, done.err
    return folder


def test_its_command_and_its_kind_work_as_arenas_own(cup: Path) -> None:
    assert beside(cup, "neighbours", "b", "a", "c").out == "a b\nb c\na c\n"
    assert "first-legal" in beside(cup, "standings", "run").out
    assert beside(cup, "verify", "run").code == 0
    asked = beside(cup, "neighbour")
    assert (asked.code, 'did you mean "neighbours"?' in asked.err) == (2, True)
    for words in (("run", "cup.yaml", "-q"), ("standings", "run")):
        refused = arena(cup, *words)
        assert (refused.code, "ring" in refused.err) == (2, True)
    assert "kind of schedule ring: it needs rings 1.0: install that" in refused.err
    ring = cup / "installed" / "rings" / "ring.py"
    kept = ring.rename(cup / "ring.py")
    told = "warning: extension rings: rings.ring:RingKind cannot be loaded: ModuleNotFoundError"
    assert told in beside(cup, "run", "cup.yaml", "-q").err
    kept.rename(ring)


@pytest.mark.soak
@pytest.mark.extensions("studies")
def test_its_section_is_shown_in_every_form(cup: Path) -> None:
    def full(form: str) -> str:
        done = beside(cup, "standings", "run", "--full", "--format", form)
        assert done.code == 0, done.err
        return done.out

    (table,) = json.loads(full("json"))["tables"]
    gaps = {row["name"]: row["gap"] for row in table["panels"]["rings.gaps"]}
    assert gaps.keys() == {"random", "greedy", "first-legal"}
    rows = csv.DictReader(io.StringIO(full("csv")))
    ours = [row for row in rows if row["panel"] == "rings.gaps"]
    assert {row["name"]: float(row["gap"]) for row in ours} == gaps
    lines = {" ".join(line.split()) for line in full("txt").splitlines()}
    assert {f"{name} {gap:.1f}" for name, gap in gaps.items()} <= lines
    assert "### gaps between neighbours" in full("md")
    assert beside(cup, "report", "run", "-o", "report.html", "--games", "none").code == 0
    assert beside(cup, "site", "run", "site", "--games", "0").code == 0
    for page in ("report.html", "site/index.html"):
        text = (cup / page).read_text("utf-8")
        assert text.count("gaps between neighbours") or text.count("Gaps between neighbours"), page
        assert all(f">{gap:.1f}<" in text for gap in gaps.values()), page


@pytest.mark.extensions("studies")
def test_a_section_that_fails_is_one_remark(cup: Path) -> None:
    gaps = cup / "installed" / "rings" / "gaps.py"
    whole = gaps.read_text()
    gaps.write_text(whole.replace("yield PageBlock", "yield {}; PageBlock"))
    done = beside(cup, "standings", "run", "--full")
    gaps.write_text(whole)
    assert done.code == 0, done.err
    told = "extension rings: rings.gaps:gaps: AttributeError: 'dict' object has no attribute"
    assert told in " ".join(done.out.split())
