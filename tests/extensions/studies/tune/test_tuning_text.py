"""What a search for the best options tells a person to do."""

from __future__ import annotations

from typing import Any, Final

import pytest
import yaml

from arena.entrants.manifest import BotOption, OptionKind
from arena.extensions.matches.statistics.report import Range, Verdict
from arena.extensions.studies.tune.text import tuning_text
from arena.extensions.studies.tune.tuning import SCHEMA, Parameter, Tuned

FIGURE: Final = BotOption(type=OptionKind.INT, default=0, min=0, max=12, help="so, or: else")
RISK: Final = BotOption(type=OptionKind.FLOAT, default=0.5, min=0)
STYLE: Final = BotOption(type=OptionKind.CHOICE, default="bold", choices=("bold", "on", "a b"))
PONDER: Final = BotOption(type=OptionKind.BOOL, default=False)


def row(declared: BotOption, found: Any, lost: float = 12, error: float = 47) -> Parameter:
    return Parameter(
        name="an_option",
        type=declared.type,
        low=0 if declared.min is not None else None,
        high=12 if declared.min is not None else None,
        values=declared.choices,
        default=declared.default,
        found=found,
        worst=declared.default,
        lost=Range(lost, lost - error, lost + error),
        declared=declared,
    )


def text(verdict: Verdict, *rows: Parameter) -> str:
    found = Tuned(
        schema=SCHEMA,
        arena="0",
        verdict=verdict,
        reason="so it is",
        bot="mine",
        disciplines=("dragonheart-2",),
        parameters=rows,
        options={each.name: each.found for each in rows},
        games=96,
        stages=1,
        match=None,
        run="runs/tune-mine",
    )
    return tuning_text(found, None, color=False)


@pytest.mark.parametrize("verdict", [each for each in Verdict if each is not Verdict.PASS])
def test_what_was_not_shown_is_not_recommended(verdict: Verdict) -> None:
    said = text(verdict, row(FIGURE, 7))
    assert "keep the default (an_option: 0)" in said
    assert "bot.yaml" not in said
    assert "entrant" not in said


@pytest.mark.parametrize(
    ("declared", "found"),
    [(FIGURE, 7), (RISK, 1e-7), (RISK, 2.0), (STYLE, "on"), (STYLE, "a b"), (PONDER, True)],
)
def test_what_was_shown_can_be_pasted(declared: BotOption, found: Any) -> None:
    said = text(Verdict.PASS, row(declared, found, lost=80))
    own = yaml.safe_load(said.rpartition(" there:\n")[2])["options"]["an_option"]
    assert own.pop("type") == declared.type.value
    assert own.pop("default") == found
    assert own == {
        key: list(value) if isinstance(value, tuple) else value
        for key in ("min", "max", "choices", "help")
        if (value := getattr(declared, key)) not in (None, (), "")
    }
    assert "keep the default" not in said


def test_a_flat_surface_is_told() -> None:
    assert "too few" in text(Verdict.INCONCLUSIVE, row(FIGURE, 7))
    assert "too few" in text(Verdict.FAIL, row(FIGURE, 7), row(PONDER, False))
    assert "too few" not in text(Verdict.FAIL, row(FIGURE, 7), row(PONDER, True, lost=90))


def test_of_a_search_without_an_end_nothing_is_said() -> None:
    assert "keep" not in text(Verdict.INVALID)
