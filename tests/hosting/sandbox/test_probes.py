from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.hosting.sandbox import probes
from arena.hosting.sandbox.isolation import IsolationError, Level
from arena.hosting.sandbox.probes import Probe, probe, resolve
from tests.hosting.bots import needs_linux

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("leaves_nothing")]


@pytest.fixture(autouse=True)
def own_answers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing is remembered from or for another test, and nothing stays on disk.

    Folders of pytest are closed to other users, so there a bot could not read anyway.
    """
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        monkeypatch.setattr(tempfile, "tempdir", folder)
        probe.cache_clear()
        yield
        probe.cache_clear()
        assert list(Path(folder).iterdir()) == []


@pytest.mark.parametrize("level", list(Level))
def test_a_level_that_works_lets_nothing_through(level: Level) -> None:
    found = probe(level)
    if not found.works:
        pytest.skip(found.detail)
    assert found.detail.startswith("tried and closed: root")
    assert all(way in found.detail for way in probes._CLOSED[level])


@needs_linux
def test_the_program_does_get_out_where_nothing_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else nothing that a probe says would mean anything."""
    monkeypatch.setitem(probes._CLOSED, Level.NONE, frozenset(probes._OPEN))
    found = probe(Level.NONE)
    assert not found.works
    for way in ("privileges", "memory", "files", "network", "processes", "writing"):
        assert probes._OPEN[way] in found.detail


def say(works: dict[Level, bool], monkeypatch: pytest.MonkeyPatch) -> None:
    def told(level: Level) -> Probe:
        return Probe(level, works[level], "" if works[level] else f"no {level} in this test")

    monkeypatch.setattr(probes, "probe", told)


@pytest.mark.parametrize(
    ("landlock", "bubblewrap", "expected"),
    [
        (True, True, Level.BUBBLEWRAP),
        (True, False, Level.LANDLOCK),
        (False, True, Level.BUBBLEWRAP),
    ],
)
def test_a_sandbox_is_the_strongest_that_works(landlock, bubblewrap, expected, monkeypatch) -> None:
    say({Level.LANDLOCK: landlock, Level.BUBBLEWRAP: bubblewrap}, monkeypatch)
    assert resolve("sandbox") is expected


def test_no_sandbox_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    say({Level.LANDLOCK: False, Level.BUBBLEWRAP: False}, monkeypatch)
    with pytest.raises(IsolationError, match="no bubblewrap in this test; landlock: no landlock"):
        resolve("sandbox")


def test_a_level_that_is_missing_is_never_replaced_by_a_weaker_one(monkeypatch) -> None:
    say({Level.LIMITS: True, Level.LANDLOCK: False}, monkeypatch)
    assert resolve("limits") is Level.LIMITS
    with pytest.raises(IsolationError, match="isolation landlock: not available here: no landlock"):
        resolve("landlock")


def test_a_program_that_does_not_work_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "_ATTEMPTS", "import sys; sys.exit('no such module')")
    found = probe(Level.LIMITS)
    assert not found.works
    assert "no such module" in found.detail
