from __future__ import annotations

import io
import json

import pytest

from arena.extensions.studies.plain.pgn import is_pgn, lines_of_pgn


def game(moves: str = "1. e4 *", **tags: str) -> str:
    named = {"Event": "x", "White": "a", "Black": "b", "Result": "1-0"} | tags
    return "".join(f'[{name} "{text}"]\n' for name, text in named.items()) + f"\n{moves}\n\n"


def read(*games: str, encoding: str = "utf-8") -> list[dict[str, object]]:
    data = "".join(games).encode(encoding)
    assert is_pgn(data[:100])
    return [json.loads(line) for line in lines_of_pgn(io.BytesIO(data))]


def test_each_game_with_a_result_is_a_line() -> None:
    found = read(
        game(), game(Result="0-1", White=r"c \"d\""), game(Result="*"), game(Result="1/2-1/2")
    )
    assert found == [
        {"seats": ["a", "b"], "places": [1, 2]},
        {"seats": ['c "d"', "b"], "places": [2, 1]},
        {"seats": ["a", "b"], "places": [1, 1]},
    ]


def test_games_of_a_round_are_a_deal_as_long_as_seats_change() -> None:
    back = {"White": "b", "Black": "a"}
    rounds = [game(Round="1"), game(Round="1", **back), game(Round="1"), game(Round="2.1")]
    found = read(*rounds, game(Round="2.2", **back), game(Round="?"), game(Round="1", Black="c"))
    deals = [line.get("deal") for line in found]
    assert deals == ["1/1", "1/1", "1/2", "2/1", "2/1", None, "1/1"]


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ({"Termination": "time forfeit"}, {"faults": [{"seat": 1, "kind": "timeout"}]}),
        ({"Termination": "Abandoned", "Result": "0-1"}, {"faults": [{"seat": 0, "kind": "crash"}]}),
        ({"Termination": "illegal move"}, {"faults": [{"seat": 1, "kind": "illegal"}]}),
        ({"Termination": "stalled connection"}, {"faults": [{"seat": 1, "kind": "timeout"}]}),
        ({"Termination": "rules infraction", "Result": "1/2-1/2"}, {}),
        ({"Termination": "normal", "Date": "2026.11.01"}, {"played_at": "2026-11-01"}),
        ({"Date": "2026.??.??"}, {}),
    ],
)
def test_a_tag_may_say_how_and_when_it_ended(tags: dict[str, str], expected: object) -> None:
    (line,) = read(game(**tags))
    assert {key: line[key] for key in line if key not in ("seats", "places")} == expected


def test_tags_in_remarks_are_no_tags_and_names_may_be_latin_1() -> None:
    remark = '1. e4 {a\n[White "z"]\n} e5 {b} {\n[Result "0-1"] }'
    assert [each["seats"] for each in read(game(remark), game())] == [["a", "b"]] * 2
    assert read(game(White="Müller"), encoding="latin-1")[0]["seats"] == ["Müller", "b"]


@pytest.mark.parametrize("text", ["", "{}", '{"seats": ["[Event "x"]}', "x", "[1, 2]"])
def test_what_is_no_pgn(text: str) -> None:
    assert not is_pgn(text.encode())
