"""Every step of the tutorial and of the how-to pages works, and prints what the page shows."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from docs.tools.site import INDEX, navigation
from docs.tools.steps import (
    MARKERS,
    NOT_RUN,
    NUMBERS_VARY,
    ROOT,
    Command,
    Done,
    clone,
    follow,
    shell,
    steps,
)
from tests.cli.shell import arena
from tests.docs.projects import candidates, has_sandbox
from tests.docs.test_site import targets
from tests.projects import project

CLONES: Final[dict[str, Callable[[Path], Path]]] = {
    "docs/ci.md": lambda folder: project(folder / "project"),
    "docs/comparing.md": candidates,
}
"""What the reader of a page has; of others a clone of arena."""
NEEDS: Final = {
    "docs/api.md": "pettingzoo",
    "docs/data.md": "pandas",
    "docs/learning-agents.md": "pettingzoo",
    "docs/machines.md": "distributed",
}
LONG: Final = {"docs/tutorial.md": "arena compare mine builtin:greedy -g dragonkrak:2 --seed 1"}
"""Commands that take a minute and leave nothing for the steps after them."""
TESTED: Final = {"docs/agents.md", "docs/api.md", "docs/data.md", "docs/machines.md"}
"""Pages that take long, or of which other tests try the same."""
SANDBOXED: Final = {"docs/agents.md", "docs/competitions.md", "docs/ladder.md"}


def pages() -> list[str]:
    """The tutorial and the how-to pages."""
    entries = navigation((ROOT / INDEX).read_text("utf-8"))
    sections = [entry for entry in entries if entry.keys() & {"Tutorial", "How-to"}]
    return targets(sections)


def commands(page: str) -> list[Command]:
    found = steps((ROOT / page).read_text("utf-8"))
    return [step for step in found if isinstance(step, Command)]


RUN: Final = [page for page in pages() if any(each.marker != NOT_RUN for each in commands(page))]


def test_lines_of_dots_and_ellipses_stand_for_any_text() -> None:
    (step,) = steps("```console\n$ arena it  # exit code 3: now\n...\nb 0123456789ab\n...\n```\n")
    assert isinstance(step, Command)
    assert step.words == ["arena", "it"]
    assert step.code == 3
    assert step.prints("a\nb ba9876543210\n")
    assert step.prints("b 0123456789ab\nc\nd\n")
    assert not step.prints("a\nb 1\nc\n")
    assert Command("", "took … s\n").prints("took 1.5 s\n")
    assert not Command("", "took … s\n").prints("took\n1.5 s\n")


def test_a_marker_has_its_reason() -> None:
    (step,) = steps("<!-- numbers vary: measured -->\n```console\n$ arena it\na  1.5\n--\n```\n")
    assert isinstance(step, Command)
    assert (step.marker, step.reason) == (NUMBERS_VARY, "measured")
    assert step.prints("a 12\n----\n")
    assert not step.prints("b 12\n----\n")


@pytest.mark.parametrize("page", pages())
def test_markers_are_known(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    assert {each.marker for each in commands(page)} <= MARKERS
    shown = sum(line.startswith("$ ") for line in text.splitlines())
    assert len(commands(page)) == shown, "every line with a prompt is in a console block"


def run(line: str, folder: Path) -> Done:
    """Run a command line; one without anything for a shell without the start of arena."""
    command = line.partition("  #")[0]
    if command.startswith("arena ") and not re.search(r"[&|;$*<>]", command):
        return Done(*arena(folder, *shlex.split(command)[1:]))
    return shell(line, folder)


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("page", "is_whole"),
    [
        *(pytest.param(page, False, marks=[pytest.mark.soak] * (page in TESTED)) for page in RUN),
        *(pytest.param(page, True, marks=pytest.mark.soak) for page in LONG),
    ],
)
def test_every_step_prints_what_is_shown(page: str, is_whole: bool, tmp_path: Path) -> None:
    if page in SANDBOXED and not has_sandbox():
        pytest.skip("this machine has no sandbox")
    if page in NEEDS:
        pytest.importorskip(NEEDS[page])
    folder = CLONES.get(page, clone)(tmp_path)
    text = (ROOT / page).read_text("utf-8")
    if page in LONG and not is_whole:
        block = f"```console\n$ {LONG[page]}\n"
        assert text.count(block) == 1
        text = text.replace(block, f"<!-- {NOT_RUN}: long -->\n{block}")
    for step, done in follow(text, folder, run):
        assert done.code == step.code, (step.line, done)
        if step.shown:
            assert step.prints(done.out) or step.prints(done.err), (step.line, done)
    if after := AFTER.get(page):
        after(folder)


def found_by_its_seed(folder: Path) -> None:
    """A competitor quotes the seed of a game without names, and there is one game with it."""
    shutil.rmtree(folder / "pack", ignore_errors=True)
    done = arena(folder, "export", "runs/competition", "--for", "greedy", "-o", "pack")
    assert done.code == 0
    first = (folder / "pack/games/01.jsonl").read_text().partition("\n")[0]
    records = (folder / "runs/competition/records/0.jsonl.gz").read_bytes()
    found = [line for line in lines(records) if str(json.loads(first)["bot_seed"]) in line]
    assert len(found) == 1
    assert found[0].startswith('{"line":"header","format":1,"spec":{"game_id":"dragonheart-2/')


def lines(records: bytes) -> list[str]:
    """Of all members of the file, as ``zcat`` shows them."""
    found = ""
    while records:
        member = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
        found += member.decompress(records).decode()
        records = member.unused_data
    return found.splitlines()


def has_report(folder: Path) -> None:
    assert (folder / "runs/mine/report.html").is_file()


AFTER: Final = {"docs/competitions.md": found_by_its_seed, "docs/tutorial.md": has_report}
"""What else must hold after the commands of a page."""
