"""Every mistake of a beginner is found by its name, with its cause and the line that mends it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from arena.extensions.authors.bots import Setting
from arena.extensions.authors.check.check import best_level, check
from arena.extensions.authors.check.finding import Name, Weight
from arena.hosting.sandbox.isolation import Level
from arena.values.results import TimeControl
from tests.extensions.authors.check.mistakes import MISTAKES, Mistake
from tests.rows import some

SETTING = Setting(TimeControl(move=1.0, startup=3.0))
HINTS = {*(Name.NOT_REPEATABLE, Name.OTHER_SPELLING), *(Name.WANTS_UNUSED, Name.LEAVES_PROCESSES)}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.process,
    pytest.mark.usefixtures("spared", "leaves_nothing"),
]


def level_for(mistake: Mistake, folder: Path) -> Level:
    if not mistake.sandboxed:
        return Level.LIMITS
    level = best_level(str(folder), None)
    if not level.at_least(Level.LANDLOCK):
        pytest.skip("no sandbox here")
    return level


@pytest.mark.parametrize(
    "mistake", some(MISTAKES, every=16), ids=lambda each: each.title.replace(" ", "_")
)
def test_a_mistake_is_found_by_its_name(mistake: Mistake, tmp_path: Path) -> None:
    if mistake.tool and shutil.which(mistake.tool) is None:
        pytest.skip(f"no {mistake.tool} here")
    folder = mistake.write(tmp_path)
    report = check(str(folder), level_for(mistake, folder), setting=SETTING)
    found = {finding.name: finding for finding in report.findings}
    assert mistake.name in found, [(each.name, each.what) for each in report.findings]
    assert set(mistake.also) <= set(found)
    assert not mistake.alone or set(found) == {mistake.name, *mistake.also}
    finding = found[mistake.name]
    assert mistake.what in finding.what
    assert mistake.code in finding.code
    assert finding.why
    assert finding.mend
    expected = Weight.HINT if mistake.name in HINTS else Weight.FAULT
    assert finding.weight is expected
    assert report.passed == (expected is Weight.HINT)
