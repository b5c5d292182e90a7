"""The words behind --param."""

from __future__ import annotations

import pytest

from arena.entrants.manifest import BotOption, OptionKind
from arena.extensions.studies.tune.stage import axes_of
from arena.extensions.studies.tune.surface import Axis, CategoricalOption, Number
from arena.values.bad_input import BadInput

DECLARED = {
    "depth": BotOption(type=OptionKind.INT, default=3, min=1, max=9),
    "many": BotOption(type=OptionKind.INT, default=3),
    "risk": BotOption(type=OptionKind.FLOAT, default=0.5),
    "style": BotOption(type=OptionKind.CHOICE, default="bold", choices=("bold", "shy", "odd")),
    "ponder": BotOption(type=OptionKind.BOOL, default=False),
    "note": BotOption(type=OptionKind.TEXT, default=""),
}


@pytest.mark.parametrize(
    ("text", "axis"),
    [
        ("depth=2:8", Number("depth", 2, 8, is_whole=True)),
        ("depth", Number("depth", 1, 9, is_whole=True)),
        ("risk=-1:1.5", Number("risk", -1, 1.5, is_whole=False)),
        ("style", CategoricalOption("style", ("bold", "shy", "odd"))),
        ("style=odd,bold", CategoricalOption("style", ("odd", "bold"))),
        ("ponder", CategoricalOption("ponder", (False, True))),
    ],
)
def test_what_is_searched(text: str, axis: Axis) -> None:
    assert axes_of([text], DECLARED, "mine") == [axis]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([], "--param: missing"),
        (["dept=2:8"], 'found "dept", which mine does not declare, expected "depth", '),
        (["=2:8"], 'found "", which mine does not declare'),
        (
            ["depth=0:8"],
            'found "0:8", expected whole numbers at least 1 and at most 9, as declared',
        ),
        (["depth=2:10"], "at most 9, as declared"),
        (["depth=8:2"], "expected a low end below the high end"),
        (["depth=2:2"], "expected a low end below the high end"),
        (["depth=2.5:8"], "expected two whole numbers: LOW:HIGH"),
        (["depth=2"], "expected two whole numbers: LOW:HIGH"),
        (["depth=2:3:4"], "expected two whole numbers: LOW:HIGH"),
        (["depth="], 'found "", expected two whole numbers'),
        (["risk"], "found no range, expected numbers: --param risk=LOW:HIGH"),
        (["risk=0:nan"], "expected a low end below the high end"),
        (["risk=0:inf"], "expected ends from -1e+15 to 1e+15"),
        (["risk=-1e308:1e308"], "expected ends from -1e+15 to 1e+15"),
        (["many=1:" + "9" * 400], "expected ends from -1e+15 to 1e+15"),
        (["many=1:" + "9" * 5000], "expected two whole numbers: LOW:HIGH"),
        (["style=bold,wild"], 'found "wild", expected "bold", "shy" or "odd", as declared'),
        (["style=bold"], "expected 2 to 20 different values"),
        (["style=bold,bold"], "expected 2 to 20 different values"),
        (["ponder=true"], "found values of a bool, expected --param ponder"),
        (["note=a,b"], "found an option of the type text, expected int, float, bool or choice"),
        (["depth", "depth=2:3"], 'found "depth" a second time'),
        (["depth"] * 11, "found 11, expected at most 10"),
    ],
)
def test_what_cannot_be_searched(texts: list[str], message: str) -> None:
    with pytest.raises(BadInput) as caught:
        axes_of(texts, DECLARED, "mine")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_a_bot_without_options() -> None:
    with pytest.raises(BadInput, match=r"expected options in its bot\.yaml"):
        axes_of(["depth=1:2"], {}, "mine")
