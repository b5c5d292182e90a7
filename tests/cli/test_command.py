"""A command from its options: what is written on the line, and the one value that comes of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from arena.cli.command import command
from arena.cli.common import AsJson
from arena.extensions.matches.statistics.report import Scale
from arena.values.bad_input import BadInput
from arena.values.option import Arg, Opt, Settings, Workers


@dataclass(frozen=True, kw_only=True)
class Options:
    """Do nothing.

    But well.
    """

    words: Annotated[tuple[str, ...], Arg("", metavar="WORD...")]
    games: Annotated[tuple[str, ...], Opt("", "--game -g")] = ()
    share: Annotated[float, Opt("", most=1, least=0)] = 0.5
    workers: Workers = None
    settings: Settings = ()
    as_json: AsJson = False
    color_of: Annotated[str | None, Opt("", "--hue", one_of=("red", "blue"))] = None
    loud: Annotated[bool, Opt("")] = False
    level: Annotated[int | None, Opt("", least=1)] = None
    ids: Annotated[tuple[str, ...], Opt("", "--id")] = ()
    scale: Annotated[Scale, Opt("Bounds.", "--scale -b")] = Scale.NORMALIZED


USUAL = Options(words=("a",))


def given(*args: str) -> Any:
    """What the command was called with."""
    found: list[Options] = []

    def do(options: Options) -> None:
        found.append(options)

    do.__annotations__["options"] = Options
    command(do)(list(args), standalone_mode=False)
    return found[0]


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("a", USUAL),
        ("a b", Options(words=("a", "b"))),
        ("a -g x --game y", Options(words=("a",), games=("x", "y"))),
        ("a --share 1 -j 3", Options(words=("a",), share=1.0, workers=3)),
        ("a --json", Options(words=("a",), as_json=True)),
        ("a --format json", Options(words=("a",), as_json=True)),
        ("a --format txt --color never --debug -q --verbose", USUAL),
        ("a --hue red", Options(words=("a",), color_of="red")),
        ("a --loud --level 2", Options(words=("a",), loud=True, level=2)),
        ("a --id 3 --id 4", Options(words=("a",), ids=("3", "4"))),
        ("a -b logistic", Options(words=("a",), scale=Scale.LOGISTIC)),
        ("a --set x=1", Options(words=("a",), settings=("x=1",))),
        (
            "a --isolation none --set x=1",
            Options(words=("a",), settings=("x=1", "isolation.level=none")),
        ),
    ],
)
def test_a_line_becomes_one_value(line: str, options: Options) -> None:
    assert given(*line.split()) == options


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("a --share 2", '--share: found "2", expected a number from 0 to 1'),
        ("a -j 0", '--workers: found "0", expected a whole number of at least 1'),
        ("a -j 1.5", '--workers: found "1.5", expected a whole number of at least 1'),
        ("a --format md", '--format: found "md", expected txt or json'),
        ("a --isolation jail", '--isolation: found "jail", expected '),
        ("a --hue rad", '--hue: found "rad", expected red or blue (did you mean "red"?)'),
        ("a --scale 1", '--scale: found "1", expected normalized or logistic'),
        ("a --level 0", '--level: found "0", expected a whole number of at least 1'),
    ],
)
def test_what_does_not_fit_is_told(line: str, said: str) -> None:
    with pytest.raises(BadInput, match=re.escape(said)):
        given(*line.split())


def test_the_docstring_is_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(IndexError):
        given("--help")
    shown = capsys.readouterr().out
    assert "  Do nothing.\n\n  But well.\n" in shown
    for flag in (
        "-g, --game",
        "-j, --workers",
        "--isolation",
        "--format txt|json",
        "--hue red|blue",
        "-b, --scale normalized|logistic",
        "Bounds. Default: normalized.",
    ):
        assert flag in shown
    assert " [OPTIONS] WORD...\n" in shown
