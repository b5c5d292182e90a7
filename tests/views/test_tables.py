"""A block shows itself: the same table as text, Markdown, rows and data."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from arena.views.tables import Column, Emphasis, PageBlock, Sign

LIST = ({"name": "a", "faults": {"crash": 1}}, {"name": "b\x1b", "faults": {}})
BLOCK = PageBlock.of("k", "title", [Column("x", "left", ["1"])], ["remark"], LIST)


class Picture:
    signs: Sequence[Sign] = ()

    def lines(self, width: int | None) -> Sequence[str]:
        return ["╱╲"] if width is None else []

    def svg(self) -> str:
        return ""


@pytest.mark.parametrize(
    ("emphasis", "head"),
    [(Emphasis.PLAIN, ["title", "-----"]), (Emphasis.BOLD, ["\x1b[1mtitle\x1b[0m"])],
)
def test_text(emphasis: Emphasis, head: list[str]) -> None:
    assert BLOCK.piece(None).text(emphasis) == [*head, "", "x", "---", "1", "remark"]
    assert BLOCK._replace(tables=()).piece(None).text(emphasis) == [*head, "remark"]


def test_a_block_of_a_picture() -> None:
    drawn = BLOCK._replace(tables=(), figures=[Picture()])
    assert drawn.piece(None) == ("title", ["╱╲", "remark"], False)
    assert drawn.piece(3).lines == ["(too narrow here to be drawn)", "remark"]


def test_markdown() -> None:
    assert "\n".join(BLOCK.markdown()) == "### title\n\n| x   |\n|-----|\n| 1   |\n\n- remark\n"
    assert list(BLOCK._replace(tables=(), remarks=()).markdown()) == ["### title\n"]


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        (LIST, [("k", {"name": "a", "faults_crash": 1}), ("k", {"name": "b\x1b"})]),
        (
            {"q": 1.5, "sure": True, "parts": [{"n": 1}], "names": ["a"]},
            [("k", {"q": 1.5, "sure": 1, "names": '["a"]'}), ("k.parts", {"n": 1})],
        ),
        (None, []),
    ],
)
def test_rows(data: object, rows: list[tuple[str, dict[str, object]]]) -> None:
    assert list(BLOCK._replace(data=data).rows()) == rows
