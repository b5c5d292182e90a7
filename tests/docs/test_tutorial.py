"""Every step of the tutorial works, and prints what the page shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.tools.steps import TUTORIAL, Command, follow, steps


def test_lines_of_dots_stand_for_any_lines() -> None:
    (step,) = steps("```console\n$ arena it  # now\n...\nb 0123456789ab\n...\n```\n")
    assert isinstance(step, Command)
    assert step.words == ["arena", "it"]
    assert step.prints("a\nb ba9876543210\n")
    assert step.prints("b 0123456789ab\nc\nd\n")
    assert not step.prints("a\nb 1\nc\n")


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.timeout(900)
def test_every_step_prints_what_is_shown(tmp_path: Path) -> None:
    seen = 0
    for step, printed in follow(TUTORIAL.read_text("utf-8"), tmp_path):
        assert not step.shown or step.prints(printed), printed
        seen += 1
    assert seen > 8
    assert (tmp_path / "runs/mine/report.html").is_file()
