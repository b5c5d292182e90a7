"""Start positions make games without chance comparable: what is stronger is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.referee.records.read import parse, unpack
from arena.runs.store import all_lines, read_record
from tests.nim.test_repeated import Home, installed
from tests.rows import some

pytestmark = [pytest.mark.slow, pytest.mark.process]
__all__ = ["installed"]

BOOK = "# sticks and seat\n" + "".join(f"{left} {s}\n" for left in range(5, 50) for s in (0, 1))


@pytest.fixture
def home(tmp_path: Path, installed: Path) -> Home:
    (tmp_path / "nim.book").write_text(BOOK)
    return Home(tmp_path, installed)


def test_bots_that_repeat_their_moves_are_compared_from_a_book_and_verified(home: Home) -> None:
    code, found = home.compare("perfect", "timid", "--positions", "nim.book")
    assert (code, found["verdict"]) == (0, "pass")
    [game] = found["games"]
    assert game["distinct"] is None, "no game repeats another"
    done = home.arena("verify", "run")
    assert (done.code, done.err) == (0, "")
    begun: dict[str, set[str]] = {}
    for _, stored in all_lines(home.folder / "run"):
        first = parse(unpack(read_record(home.folder / "run", stored.record)))[0].plies[0]
        assert first.seat is None
        begun.setdefault(stored.result.spec.deal, set()).add(first.action["text"])
    by_deal = sorted(begun.items(), key=lambda item: int(item[0].rpartition(":")[2]))
    texts = [text for _, (text,) in by_deal]
    assert len({*texts[:90]}) == min(len(texts), 90), "each deal another, in both seatings"
    assert "start_position" in home.arena("replay", "run", "1").out


def test_a_short_book_that_is_played_again_counts_once(home: Home) -> None:
    (home.folder / "nim.book").write_text("9 0\n10 1\n")
    code, found = home.compare("perfect", "timid", "--positions", "nim.book")
    assert (code, found["verdict"]) == (4, "invalid")
    assert found["games"][0]["distinct"]["blocks"] == 2


@pytest.mark.parametrize("seed", some(range(20), every=20))
@pytest.mark.soak
def test_the_stronger_one_is_found_with_every_seed(home: Home, seed: int) -> None:
    bots, code = (("perfect", "timid"), 0) if seed % 2 else (("timid", "perfect"), 1)
    given = ("--positions", "nim.book") if seed % 4 < 2 else ("--positions", "3")
    assert home.compare(*bots, *given, "--seed", str(seed))[0] == code
    assert home.arena("verify", "run").code == 0
