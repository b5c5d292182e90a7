"""The package of docs/extensions.md, beside arena: its command, and a run of its kind."""

from __future__ import annotations

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
    ]
    (home / "rings").mkdir(parents=True)
    for name, text in files:
        (home / name).write_text(text)
    (point,) = re.findall(r"^rings = \"(.*)\"$", PAGE, re.MULTILINE)
    announce(home, "rings", "1.0", {"rings": point}, extensions.GROUP)
    return home


def test_its_command_and_its_kind_work_as_arenas_own(tmp_path: Path) -> None:
    home = installed(tmp_path / "installed")
    (tmp_path / "cup.yaml").write_text(CUP)
    path = os.pathsep.join([str(home), *filter(None, [os.environ.get("PYTHONPATH")])])

    def beside(*args: str) -> Result:
        return arena(tmp_path, *args, env=environment(PYTHONPATH=path))

    assert beside("neighbours", "b", "a", "c").out == "a b\nb c\na c\n"
    done = beside("run", "cup.yaml", "-q")
    assert done.code == 0, done.err
    assert "first-legal" in beside("standings", "run").out
    assert beside("verify", "run").code == 0
    asked = beside("neighbour")
    assert (asked.code, 'did you mean "neighbours"?' in asked.err) == (2, True)
    for words in (("run", "cup.yaml", "-q"), ("standings", "run")):
        refused = arena(tmp_path, *words)
        assert (refused.code, "ring" in refused.err) == (2, True)
    (home / "rings" / "ring.py").unlink()
    told = "warning: extension rings: rings.ring:RingKind cannot be loaded: ModuleNotFoundError"
    assert told in beside("run", "cup.yaml", "-q").err
