"""What is said after play."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.cli.terminal.announce import say_change, say_where, what_failed
from arena.runs.config.tournament import load_tournament
from arena.runs.field import FieldChange
from arena.tournament.progress import Progress
from arena.values.results import Fault, FaultKind, GameResult, GameSpec, Termination
from tests.cli.shell import tournament as cup
from tests.runs.manifests import ENTRANT


@pytest.mark.parametrize(
    ("on", "again"),
    [(None, "arena run cup"), ("tls://host:8786", "arena run cup --on tls://host:8786")],
)
def test_a_run_goes_on_where_it_was_played(tmp_path, monkeypatch, capsys, on, again) -> None:
    monkeypatch.chdir(tmp_path)
    progress = Progress(2)
    say_where(tmp_path / "cup", progress, None, interrupted=True, on=on)
    assert capsys.readouterr().err.endswith(f"everything is saved; go on with: {again}\n")
    assert [*what_failed(tmp_path / "cup", progress, on)] == [
        f"2 games still to be played; go on with: {again}"
    ]


def test_a_bot_with_faults_is_told_how_to_see_one_again(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    progress = Progress(5)
    names = ("slow", "frail")
    for deal, faulty in enumerate([(), (0,), (0,), (0,), (1,)]):
        kind = FaultKind.CRASH if faulty == (1,) else FaultKind.TIMEOUT
        faults = tuple(Fault(seat, kind, 2, "") for seat in faulty)
        spec = GameSpec(f"heart-2/{deal}", "heart-2", f"heart-2:{deal}", 0, names)
        progress.add(GameResult(spec, Termination.FORFEITED, (1, 2), 3, "00", None, faults))
    say_where(tmp_path / "cup", progress, None, interrupted=False, bots={"slow": "bots/slow"})
    assert capsys.readouterr().err.splitlines()[:-1] == [
        "slow: timeout in 3 games: arena try bots/slow --from 'cup#heart-2/1' --seat 0 --no-clock",
        "frail: crash in 1 game: arena try BOT --from 'cup#heart-2/4' --seat 1",
    ]


def test_who_was_withdrawn_is_not_said_to_enter(tmp_path, capsys) -> None:
    tournament = load_tournament(cup(tmp_path, deals=1))
    change = FieldChange(
        number=1,
        created="",
        before="",
        entered=dict.fromkeys(("anna", "berta"), ENTRANT),
        left=(),
        pairings={},
    )
    say_change(change, tournament, {"berta"})
    assert capsys.readouterr().err.splitlines() == [
        "anna enters",
        "berta is back and does not play: it was withdrawn",
    ]


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("schedule: {deals: 1}", ""),
        pytest.param(
            "schedule: {kind: swiss, rounds: 1, deals: 1}",
            "; it forfeits its games left in an unfinished round",
            marks=pytest.mark.extensions("rounds"),
        ),
        pytest.param(
            "schedule: {kind: ladder, rounds: 1, deals: 1}",
            "",
            marks=pytest.mark.extensions("rounds"),
        ),
    ],
)
def test_an_entrant_that_leaves_is_said_to_forfeit_unfinished_rounds_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, more: str
) -> None:
    path = cup(tmp_path, deals=1)
    path.write_text(path.read_text().replace("schedule: {deals: 1}", kind))
    change = FieldChange(number=1, created="", before="", entered={}, left=("anna",), pairings={})
    say_change(change, load_tournament(path), ())
    assert capsys.readouterr().err == f"anna plays no more; its games stand{more}\n"
