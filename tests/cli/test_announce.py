"""What is said after play."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.cli.terminal.announce import say_where, what_failed
from arena.tournament.progress import Progress


@pytest.mark.parametrize(
    ("on", "again"),
    [(None, "arena run cup"), ("tls://host:8786", "arena run cup --on tls://host:8786")],
)
def test_a_run_goes_on_where_it_was_played(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    on: str | None,
    again: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    progress = Progress(2)
    say_where(tmp_path / "cup", progress, None, interrupted=True, on=on)
    assert capsys.readouterr().err.endswith(f"everything is saved; go on with: {again}\n")
    assert [*what_failed(tmp_path / "cup", progress, on)] == [
        f"2 games still to be played; go on with: {again}"
    ]
