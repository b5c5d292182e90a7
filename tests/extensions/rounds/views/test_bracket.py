"""A bracket as text and as a drawing."""

from __future__ import annotations

import random
import re
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from wcwidth import wcswidth

from arena.extensions.rounds.following import stages
from arena.extensions.rounds.views.bracket import KnockoutData, bracket_lines, bracket_svg, is_drawn
from arena.extensions.rounds.views.knockout import knockout_data, knockout_panels
from tests.extensions.rounds.test_following import SEEDS, by_name
from tests.extensions.rounds.test_knockout import Knockout


def shown(cup: Knockout) -> KnockoutData:
    *_, now = stages(
        cup.field, cup.schedule, cup.played, cup.verdict, SEEDS, is_over=cup.manifest.is_over
    )
    return knockout_data(now, {name: name for name in now.players}, {})


def over(size: int, upto: int = 99, **plan: Any) -> KnockoutData:
    cup = Knockout([f"bot-{number:02}" for number in range(1, size + 1)], **plan)
    luck = random.Random(size)
    for _ in range(upto):
        if not cup.follow():
            break
        strength = {name: luck.random() for name in cup.field.identities}
        cup.play(lambda one, other, own=strength: own[one] > own[other])  # type: ignore[misc]
    return shown(cup)


def test_lines_of_a_bracket() -> None:
    cup = Knockout(["anna", "berta", "carla", "dora", "emil"], third_place=True)
    for _ in range(2):
        cup.follow()
        cup.play(by_name)
    assert cup.follow() == (("carla", "dora"), ("anna", "berta"))
    lines = bracket_lines(shown(cup), 80)
    assert (
        "\n".join(lines)
        == """\
quarter-final     semi-final     final
                  anna 2     ─┐
                              ├─ anna  ─┐
dora 2        ─┐              │         │
               ├─ dora 0     ─┘         │
emil 0        ─┘                        ├─
                                        │
                  berta 2    ─┐         │
                              ├─ berta ─┘
                  carla 0    ─┘

third place
dora        ─┐
             ├─
carla       ─┘"""
    )


@pytest.mark.parametrize("size", [2, 4, 8, 11, 16, 32])
@pytest.mark.parametrize("lives", [1, 2])
def test_every_tie_of_a_bracket_is_drawn_once(size: int, lives: int) -> None:
    data = over(size, lives=lives)
    assert is_drawn(data)
    drawn = ElementTree.fromstring(str(bracket_svg(data)))
    titles = [each.text or "" for each in drawn.iter("title")][1:]
    assert sorted(title.partition(":")[0] for title in titles) == sorted(
        tie.name for tie in data.ties
    )
    assert len(data.ties) in (size - 1, 2 * size - 2, 2 * size - 1)
    boxes = [
        tuple(float(each.attrib[key]) for key in ("x", "y", "width", "height"))
        for each in drawn.iter("rect")
    ]
    width, height = float(drawn.attrib["width"]), float(drawn.attrib["height"])
    assert all(x >= 0 and x + w <= width and y >= 0 and y + h <= height for x, y, w, h in boxes)
    for at, (x, y, _, h) in enumerate(boxes):  # none lies upon another
        assert not any(x == left and y < top < y + h for left, top, *_ in boxes[at + 1 :])
    lines = bracket_lines(data, None)
    assert data.winner is not None
    assert any(line.endswith(data.winner) or f"{data.winner} (" in line for line in lines)


def test_a_bracket_of_more_than_32_has_its_last_five_rounds() -> None:
    data = over(64)
    drawn = str(bracket_svg(data))
    assert len(re.findall("<rect", drawn)) == 31
    assert len(data.ties) == 63


def test_a_narrow_terminal_cuts_names_and_then_has_no_bracket() -> None:
    data = over(8)
    wide = bracket_lines(data, 200)
    width = max(map(wcswidth, wide))
    assert bracket_lines(data, width) == wide
    assert bracket_lines(data, 30) == ()
    (bracket, *_) = knockout_panels(data, "knockout", "", {})
    assert "(too narrow here to be drawn)" in bracket.piece(30).lines


def test_names_of_bots_are_only_text() -> None:
    data = over(2)
    evil = "<script>x</script>"
    (tie,) = data.ties
    side = tie.sides[0]
    other = msgspec.structs.replace(side, name=evil)
    tie = msgspec.structs.replace(tie, sides=(other, tie.sides[1]))
    drawn = str(bracket_svg(msgspec.structs.replace(data, ties=(tie,))))
    assert "<script" not in drawn
    assert "&lt;script" in drawn


def test_tables_of_four_are_a_list() -> None:
    data = over(8, seats=4, advance=2)
    assert not is_drawn(data)
    panels = knockout_panels(data, "knockout", "", {})
    assert [panel.key for panel in panels] == ["knockout", "knockout_places"]
    assert [tie.name for tie in data.ties] == ["heat 1.1", "heat 1.2", "final"]


def test_half_a_knockout_tells_what_is_known() -> None:
    data = over(8, upto=1, lives=2)
    assert not data.is_over
    names = {tie.name: [side.name or side.tie for side in tie.sides] for tie in data.ties}
    assert names["losers 4.1"] == ["winners 3.1", "losers 3.1"]
    (bracket, ties, *_) = knockout_panels(data, "knockout", "stage 2: ", {})
    assert bracket.data is None
    assert ties.data is data
    assert ties.title == "stage 2: ties, the last ones first"
    assert sorted(ties.tables[0].columns[4].cells) == [*["open"] * 4, *["points"] * 4], (
        "not drawn yet"
    )
