"""Plain results: the same table as a run would give, and one clear message for anything else."""

from __future__ import annotations

import io
import json
import random
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from arena.extensions.studies.plain.lines import KEYS, decoded
from arena.extensions.studies.plain.pairs import PairColumns, RepeatedError
from arena.extensions.studies.plain.read import (
    LONGEST,
    Dates,
    ResultsError,
    SeenGames,
    copy_clean,
    read_results,
)
from arena.ratings.counting.scored import FORFEIT
from arena.ratings.counting.tally import Tally
from arena.ratings.elo.standings import standings
from arena.values.results import FaultKind, GameResult, Termination
from tests.ratings.fits import fit
from tests.ratings.made_games import game, replaced
from tests.rows import some

PAIR = '{"deal": "d", "seats": ["a", "b"], "places": [1, 2]}'


def written(path: Path, lines: list[object]) -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("".join(f"{text}\n" for text in texts))
    return path


def read(tmp_path: Path, *lines: object) -> Tally:
    return read_results(written(tmp_path / "r.jsonl", list(lines)))


def line_of(result: GameResult, deal: str) -> dict[str, object]:
    line: dict[str, object] = {
        "deal": deal,
        "seats": result.spec.entrants,
        "places": result.places,
        "discipline": result.spec.discipline,
    }
    if result.faults:
        line["faults"] = [fault.seat for fault in result.faults]
        line["termination"] = result.termination
    return line


def random_games(seed: int, seats: int, bots: int = 6) -> list[tuple[str, GameResult]]:
    """Deals with their games: ties, faults, blocks with one seating missing."""
    rng = random.Random(seed)
    names = [f"bot {k}" for k in range(bots)]
    found = []
    for table in combinations(names, seats):
        for k in range(rng.randrange(1, 6)):
            block = f"{'+'.join(table)}:{k}"
            for turn in range(seats):
                if rng.random() < 0.1:
                    continue
                order = table[turn:] + table[:turn]
                faulty = [seat for seat in range(seats) if rng.random() < 0.05]
                ended = faulty and (seats == 2 or rng.random() < 0.5)
                strength = [
                    -1 if seat in faulty else 0 if ended else rng.randrange(4)
                    for seat in range(seats)
                ]
                places = [
                    seats if own < 0 else 1 + sum(other > own for other in strength)
                    for own in strength
                ]
                ending = Termination.FORFEITED if ended else Termination.COMPLETED
                played = game(order, places, block=block, faulty=faulty, termination=ending)
                found.append((str(k), played))
    rng.shuffle(found)
    return found


def table_of(tally: Tally):
    return standings(tally, fit(tally))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_table_is_that_of_the_equivalent_run(tmp_path, seats, seed):
    played = random_games(seed, seats)
    run = Tally()
    for _, result in played:
        run.add(result)
    plain = read(tmp_path, *(line_of(result, deal) for deal, result in played))
    assert table_of(plain) == table_of(run)


@pytest.mark.parametrize("lone", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(5))
def test_counting_at_once_gives_the_counts_of_one_by_one(tmp_path, seed, lone):
    """Without faults every chunk goes the short way."""
    rng = random.Random(seed)
    played = [
        (None if rng.random() < lone else deal, replaced(result, faults=()))
        for deal, result in random_games(seed, 2, bots=9)
        if not result.faults
    ]
    run, lines = Tally(), []
    for k, (deal, result) in enumerate(played):
        alone = replaced(result.spec, block=f"alone {k}")
        run.add(replaced(result, spec=alone) if deal is None else result)
        lines.append(line_of(result, deal) if deal else {**line_of(result, ""), "deal": None})
    by_hand = [
        {key: value for key, value in line.items() if key != "deal" or value} for line in lines
    ]
    by_hand.sort(key=lambda line: "deal" not in line)
    for own in (lines, by_hand):
        found = read(tmp_path, *own).counts["d-2"]
        assert found.pairs.cells() == run.counts["d-2"].pairs.cells()


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_ordinary_lines_go_the_short_way(end):
    text = f"{PAIR}\n{PAIR}{end}".encode()
    chunk, other = decoded(text), decoded(text.replace(b"}", b', "scores": [1, 2]}'))
    assert chunk is not None
    assert other is not None
    assert (chunk.bare, other.bare) == (True, False)
    assert chunk.seats == [("a", "b")] * 2


def test_many_chunks_and_sparse_numbers(tmp_path):
    """More bots than a dense table of pairs would hold, and lines over several reads."""
    rng, run, lines = random.Random(1), Tally(), []
    for k in range(3_000):
        one, other = rng.sample(range(2_000), 2)
        entrants = (f"b{one}", f"b{other}")
        places = rng.choice([(1, 2), (2, 1), (1, 1)])
        run.add(game(entrants, places, block=str(k), discipline="game-2"))
        lines.append({"seats": entrants, "deal": str(k), "places": places})
    assert read(tmp_path, *lines).counts["game-2"].pairs.cells() == (
        run.counts["game-2"].pairs.cells()
    )


@pytest.mark.parametrize(
    "text",
    [
        PAIR,
        f"\ufeff{PAIR}\n",
        f"{PAIR}\r\n",
        f"\n  \n{PAIR}\n\n",
        '{"places":[1,2],"seats":["\\u0061","b"],"deal":"d","faults":null,"info":{"a":[1]}}\n',
        '{"deal":"d","seats":["a","b"],"places":[1,2],"info":"free","scores":[3,-4]}\n',
        '{"deal":"d","seats":["a","b"],"places":[1,2],"discipline":"game-2"}\n',
        '{"seats":["a","b"],"places":[1,2],"termination":"completed","faults":[]}\n',
        PAIR + '\n{"seats":["a","b"],"places":[2,2],"faults":[0,1],"termination":"void"}\n',
    ],
)
def test_ways_to_write_a_game(tmp_path, text):
    path = tmp_path / "r.jsonl"
    path.write_bytes(text.encode())
    tally = read_results(path)
    cells = tally.counts["game-2"].pairs.cells()
    assert tally.disciplines == ("game-2",)
    assert sum(cells["a", "b"]) == 1
    assert table_of(tally).rows[0].name == "a"


def test_faults_are_counted_with_their_kinds(tmp_path):
    tally = read(
        tmp_path,
        {"seats": ["a", "b"], "places": [2, 1], "faults": [0]},
        {"seats": ["a", "b"], "places": [1, 2], "faults": [{"seat": 1, "kind": "timeout"}]},
        {"seats": ["a", "b", "c"], "places": [1, 1, 3], "faults": [2], "termination": "forfeited"},
    )
    assert tally.faults("a") == {FaultKind.CRASH: 1}
    assert tally.faults("b") == {FaultKind.TIMEOUT: 1}
    assert tally.faults("c") == {FaultKind.CRASH: 1}


def test_solo_games_are_rated_by_their_scores_more_being_better(tmp_path):
    tally = read(
        tmp_path,
        {"deal": "x", "seats": ["a"], "scores": [3]},
        {"deal": "x", "seats": ["b"], "places": [1], "scores": [5]},
        {"deal": "y", "seats": ["a"], "faults": [0]},
        {"deal": "y", "seats": ["b"], "scores": [-7]},
    )
    solo = tally.solo["game-1"]
    assert list(solo.scores("a")) == [3, FORFEIT]
    assert (solo.less_is_better, solo.worst_score) == (False, -7)
    assert table_of(tally).rows[0].name == "b"


TWO, THREE = (
    {"seats": list(names), "places": [*range(1, 1 + len(names))]} for names in ("ab", "abc")
)


@pytest.mark.parametrize(
    ("lines", "blocks"),
    [
        ([TWO] * 3, 3),  # without a deal
        ([THREE] * 3, 3),
        ([{**THREE, "deal": "x"}, {**THREE, "deal": "x", "seats": ["b", "c", "a"]}], 1),
        # of one set of entrants, however often each sits
        ([{**THREE, "deal": "x", "seats": list(names)} for names in ("aab", "bba")], 1),
    ],
)
def test_blocks_are_games_of_a_deal(tmp_path, lines, blocks):
    assert table_of(read(tmp_path, *lines)).blocks == blocks


def test_a_name_may_sit_on_several_seats_and_hold_any_character(tmp_path):
    tally = read(
        tmp_path,
        {"deal": "1", "seats": ["a", "a"], "places": [1, 2]},
        {"deal": "1", "seats": ["a", "a", "\x1b[2J\n"], "places": [1, 1, 3]},
    )
    assert tally.record("a").games == 2
    assert tally.entrants == ("\x1b[2J\n", "a")


GOOD = '{"deal":"g","seats":["a","b"],"places":[1,2]}'
WRONG = [
    ("{", "no JSON at column 2"),
    ("nonsense", "no JSON at column 1"),
    (f"{GOOD} {GOOD}", "no JSON at column"),
    ("[1]", "found [1], expected an object"),
    ('{"seats":["a","b"],"places":[NaN,2]}', "NaN, which is no JSON"),
    ('{"seats":["a","b"],"places":[1e999,2]}', 'found Infinity in "places"'),
    ('{"seats":["a","b"],"places":[1,' + "9" * 5000 + "]}", "a number of thousands of digits"),
    ('{"seats":["a","b"],"places":[1,' + "9" * 90 + "]}", "expected a whole number from"),
    ('{"seats":["a","b"],"places":[1,4294967297]}', "expected a whole number from"),
    ('{"seats":["a","b"],"places":[1.0,2]}', 'found 1.0 in "places"'),
    ('{"seats":["a","b"],"places":[true,2]}', 'found true in "places"'),
    ('{"seats":["a","b"],"places":[1]}', '"places" [1], expected 2 whole numbers'),
    ('{"seats":["a","b"],"places":[1,3]}', "expected a ranking that skips the places of ties"),
    ('{"seats":["a","b"],"places":[0,1]}', "expected a ranking"),
    ('{"seats":["a","b","c"],"places":[1,1,2]}', "1, 1, 3"),
    ('{"seats":["a","b"],"places":[1,2],"faults":[0]}', "placed behind all others"),
    ('{"seats":["a","b"],"places":[1,1],"faults":[0]}', "placed behind all others"),
    ('{"seats":["a","b"],"places":[2,1],"faults":[2]}', "seats from 0 to 1, each once"),
    ('{"seats":["a","b"],"places":[2,1],"faults":[0,0]}', "seats from 0 to 1, each once"),
    ('{"seats":["a","b"],"places":[2,1],"faults":[{"seat":0,"kind":"x"}]}', '"kind" "x"'),
    ('{"seats":["a","b"],"places":[2,1],"faults":{"seat":0}}', "a list of seats"),
    ('{"seats":["a","b"]}', 'no key "places"'),
    ('{"places":[1,2]}', 'no key "seats"'),
    ('{"seats":"ab","places":[1,2]}', "a list of names"),
    ('{"seats":["a",""],"places":[1,2]}', 'found "" in "seats"'),
    ('{"seats":["a"," "],"places":[1,2]}', 'found " " in "seats"'),
    (f'{{"seats":["a","{"b" * 201}"],"places":[1,2]}}', "expected a name of up to 200 characters"),
    ('{"seats":["a",1],"places":[1,2]}', 'found 1 in "seats"'),
    ('{"seats":["a","\\ud800"],"places":[1,2]}', "half a character"),
    ('{"seats":[],"places":[]}', "0 seats, expected 1 to 16"),
    ('{"seats":["a","b"],"places":[1,2],"seats":["b","a"]}', 'the key "seats" twice'),
    ('{"deal":"x","seats":["a","b"],"deal":"y","places":[1,2]}', 'the key "deal" twice'),
    ('{"deal":17,"seats":["a","b"],"places":[1,2]}', '"deal" 17, expected text'),
    ('{"deal":"","seats":["a","b"],"places":[1,2]}', '"deal" ""'),
    ('{"id":"","seats":["a","b"],"places":[1,2]}', '"id" ""'),
    ('{"id":7,"seats":["a","b"],"places":[1,2]}', '"id" 7, expected text'),
    ('{"played_at":"May","seats":["a","b"],"places":[1,2]}', '"played_at" "May", expected a date'),
    ('{"played_at":1.5,"seats":["a","b"],"places":[1,2]}', '"played_at" 1.5, expected text'),
    ('{"discipline":"","seats":["a","b"],"places":[1,2]}', '"discipline" ""'),
    ('{"discipline":"a/b","seats":["a","b"],"places":[1,2]}', "no / in it"),
    ('{"seat":["a","b"],"places":[1,2]}', 'unknown key "seat", expected "seats"'),
    ('{"seats":["a","b"],"places":[1,2],"fault":[1]}', 'unknown key "fault", expected "faults"'),
    ('{"seats":["a","b"],"places":[1,2],"zzz":1}', '("info" may hold anything)'),
    ('{"seats":["a","b"],"places":[1,2],"termination":"lost"}', '"termination" "lost"'),
    ('{"seats":["a","b"],"places":[1,2],"scores":[1]}', '"scores" [1]'),
    ('{"seats":["a","b"],"places":[1,2],"scores":[1,1000000001]}', "expected a whole number"),
    ('{"seats":["a"]}', 'one seat without "scores"'),
    ('{"seats":["a"],"places":[2],"scores":[1]}', '"places" [2]'),
    ('{"seats":["a","b","c"],"places":[1,2,3],"discipline":"game-2"}', "expected 2, as in lines"),
    ("[" * 50_000, "too deep in each other"),
    (GOOD, "a second game of these entrants on these seats and this deal"),
]


@pytest.mark.parametrize("blank", [False, True])
def test_a_wrong_line_is_named_with_what_was_found(tmp_path, blank):
    for text, message in WRONG:
        check_wrong_line(tmp_path, text, message, blank)


def check_wrong_line(tmp_path, text, message, blank):
    path = written(tmp_path / "r.jsonl", [PAIR, "" if blank else GOOD, GOOD.replace("g", "h")])
    path.write_text(path.read_text() + ("" if not blank else f"{GOOD}\n") + f"{text}\n{PAIR}\n")
    with pytest.raises(ResultsError) as caught:
        read_results(path)
    assert caught.value.where == f"{path}:{5 if blank else 4}"
    assert message in str(caught.value)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400


def test_larger_games_are_told_apart_by_deal_and_seats(tmp_path):
    line = {**THREE, "deal": "x"}
    with pytest.raises(ResultsError, match=r"r\.jsonl:3: found a second game"):
        read(tmp_path, line, {**line, "seats": ["b", "c", "a"]}, line)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "found no game, expected lines such as"),
        (b"\n\n", "found no game"),
        (b"\xef\xbb\xbf", "found no game"),
        (PAIR.encode("utf-16"), "found text in UTF-16"),
        (PAIR.encode() + b'\n{"deal":"e","sea', ":2: found a torn last line"),
        (b'{"seats":["\xff"]}\n', "no UTF-8"),
        (b'{"seats":["' + b"a" * 10_000_000, f"expected at most {LONGEST} bytes"),
        (b'{"seats":["' + b"a" * 1_100_000 + b'"]}\n', f"expected at most {LONGEST} bytes"),
    ],
    ids=["empty", "blank", "mark", "utf-16", "torn", "bytes", "endless", "long"],
)
def test_a_file_that_is_none(tmp_path, content, message):
    path = tmp_path / "r.jsonl"
    path.write_bytes(content)
    with pytest.raises(ResultsError) as caught:
        read_results(path)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["missing", "."])
def test_a_path_that_cannot_be_read(tmp_path, name):
    with pytest.raises(ResultsError, match="expected a file of results"):
        read_results(tmp_path / name)


def test_columns_refuse_what_they_cannot_hold():
    columns = PairColumns()
    assert not columns.add_ranked(["d"], ["x"], [("a", "b", "c")], [(1, 2, 3)])
    assert not columns.add_ranked(["d"], ["x"], [("a", "a")], [(1, 2)])
    assert len(columns) == 0
    assert columns.add_ranked(["d"], ["x", "x"], [("a", "b")] * 2, [(1, 2)] * 2)
    with pytest.raises(RepeatedError) as caught:
        list(columns.blocks())
    assert caught.value.row == 1


SEEDS = [
    PAIR,
    '{"deal":"d","seats":["a","b"],"places":[1,2],"scores":[3,-4],"termination":"completed"}',
    '{"seats":["a","b","c"],"places":[1,1,3],"faults":[2],"discipline":"x","deal":"e"}',
    '{"seats":["a","b"],"places":[2,1],"faults":[{"seat":0,"kind":"limit"}],"info":{"seats":[1]}}',
    '{"seats":["s"],"scores":[-3],"deal":"x","info":null}',
]
PIECES = [
    *'{}[],:"\\ \n\r\t',
    *["NaN", "-", "1", "2", "e9", "null", "é"],
    '"seats"',
    '"deal":',
    "\ufeff",
]


def mangled(rng: random.Random) -> bytes:
    text = "\n".join(rng.choices(SEEDS, k=rng.randrange(1, 4)))
    for _ in range(rng.randrange(4)):
        where, length = rng.randrange(len(text)), rng.choice([0, 0, 1, 3, 12])
        piece = rng.choice([*PIECES, text[where : where + 12], ""])
        text = text[:where] + piece + text[where + length :]
    return text.encode()


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(4), every=2))
def test_whatever_is_written_there_is_a_tally_or_one_message(tmp_path, monkeypatch, seed):
    """And the short way through many lines at once ends as the long way does, line by line."""
    rng, path = random.Random(seed), tmp_path / "r.jsonl"

    def outcome() -> object:
        try:
            tally = read_results(path)
        except ResultsError as error:
            return str(error)
        cells = {name: counts.pairs.cells() for name, counts in tally.counts.items()}
        rows = [[tally.record(name).points, tally.faults(name)] for name in tally.entrants]
        return tally.disciplines, tally.entrants, cells, rows

    short = []
    texts = [mangled(rng) for _ in range(500)]
    for text in texts:
        path.write_bytes(text)
        short.append(outcome())
    monkeypatch.setattr("arena.extensions.studies.plain.read.decoded", lambda text: None)
    for text, found in zip(texts, short, strict=True):
        path.write_bytes(text)
        assert outcome() == found, text
    assert all(found.isprintable() for found in short if isinstance(found, str))
    read = [found for found in short if not isinstance(found, str)]
    assert 50 < len(read) < 450


def test_the_examples_of_the_page_are_true(tmp_path):
    page = (Path(__file__).parents[4] / "docs" / "results-format.md").read_text()
    example = page.split("```json\n")[1].split("```")[0]
    path = tmp_path / "results.jsonl"
    path.write_text(example)
    tally = read_results(path)
    assert (tally.entrants, table_of(tally).blocks) == (("anna", "ben"), 1)
    path.write_text(example + PAIR.replace("places", "place") + "\n")
    with pytest.raises(ResultsError) as caught:
        read_results(path)
    assert str(caught.value).removeprefix(f"{tmp_path}/") in page
    assert all(f"`{key}`" in page for key in KEYS)


def test_clean_results_lack_whole_blocks(tmp_path: Path) -> None:
    lines = [
        {"deal": "1", "seats": ["a", "b"], "places": [1, 2]},
        {"deal": "1", "seats": ["b", "a"], "places": [2, 1], "faults": [0]},
        {"deal": "1", "seats": ["a", "c"], "places": [1, 2]},
        {"seats": ["a", "b"], "places": [1, 2], "faults": [1]},
        {"seats": ["a", "b"], "places": [2, 1]},
        {"deal": "2", "seats": ["a", "b"], "places": [1, 1], "discipline": "x"},
        {"deal": "1", "seats": ["a", "b"], "places": [1, 1], "discipline": "x"},
        {"deal": "s", "seats": ["a"], "scores": [3]},
        {"deal": "s", "seats": ["b"], "faults": [0]},
    ]
    path, clean = tmp_path / "all.jsonl", io.BytesIO()
    text = "\n".join(json.dumps(line) for line in lines)
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n", 2).encode())
    assert copy_clean(path, clean) == 4
    kept = [json.loads(line) for line in clean.getvalue().splitlines()]
    assert kept == [lines[2], lines[4], lines[5], lines[6]]
    (tmp_path / "clean.jsonl").write_bytes(clean.getvalue())
    assert read_results(tmp_path / "clean.jsonl").faults("a") == {}


@pytest.mark.parametrize("more", [{}, {"id": "x"}, {"faults": []}])
def test_dates_of_everybody_are_the_first_and_the_last(tmp_path: Path, more: Any) -> None:
    days = ["2026-03-02", "2026-03-01T12:00:00+02:00", None, "2026-04-01T00:00:00Z"]
    lines = [
        {"seats": ["a", "b"], "places": [1, 2], "played_at": day, **more}
        | ({"id": f"x{n}"} if more.get("id") else {})
        for n, day in enumerate(days)
    ]
    dates = Dates()
    read_results(written(tmp_path / "r.jsonl", lines), dates=dates)
    assert dates["a"] == dates["b"] == (1772359200, 1775001600, 1)


def test_an_id_that_was_met_counts_once_and_keeps_no_date(tmp_path: Path) -> None:
    line = {"id": "x", "seats": ["a", "b"], "places": [1, 2], "played_at": "2026-03-02"}
    met, dates = SeenGames(), Dates()
    first = read_results(written(tmp_path / "a", [line]), met=met, dates=dates)
    later = {**line, "played_at": "2026-05-01", "deal": "d", "info": 3}
    again = read_results(written(tmp_path / "b", [later]), met=met, dates=dates)
    assert (table_of(first).blocks, again.entrants, met.again) == (1, (), 1)
    assert dates["a"].last == dates["a"].first
