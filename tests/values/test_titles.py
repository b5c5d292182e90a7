from __future__ import annotations

import pytest

from arena.values import titles
from arena.values.bad_input import BadInput
from arena.values.problems import check_entrant
from arena.values.titles import called, entitle, is_fit, likeness


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(titles, "_TITLES", {})


@pytest.mark.parametrize(
    "title",
    [
        "A",
        '日本 <b>&"x"',
        "אבגד הוזח",
        "مرحبا",
        "Zoë",
        "🤖",
        "x" * 40,
        "日" * 20,
        "e\u0301",
        "a  b",
    ],
)
def test_any_script_is_a_title(title: str) -> None:
    assert is_fit(title)


@pytest.mark.parametrize(
    "title",
    [
        "", " ", " a", "a ", "x" * 41, "日" * 21, "a\nb", "a\tb", "a\x1b[31m", "a\x00", "a\x7f",
        "a\u202eb", "a\u2066b", "a\u200fb", "a\u200bb", "a\u200db", "\ufeffa", "a\u2028b",
        "\ud800", "\ue000", "\u0301", "a" + "\u0301" * 200,
    ],
)  # fmt: skip
def test_nothing_that_controls_hides_or_turns_text_is_one(title: str) -> None:
    """Nor what is wider than 40 columns, takes none, or is a pile of marks."""
    assert not is_fit(title)


def test_a_bot_is_called_by_its_title_until_another_run_is_opened() -> None:
    entitle({"anna": "Änne", "anna@2": "Änne", "bob": ""})
    assert [*map(called, ("anna", "anna@2", "bob", "else"))] == ["Änne", "Änne@2", "bob", "else"]
    entitle({"anna": ""})
    assert [*map(called, ("anna", "anna@2"))] == ["anna", "Änne@2"]


def test_titles_that_people_take_for_the_same_are_alike() -> None:
    assert likeness("ＡＮＮＡ") == likeness("anna") != likeness("Änna")


def test_who_writes_a_title_is_told_the_name() -> None:
    entitle({"anna": "Anna's finest", "bob": ""})
    with pytest.raises(BadInput) as caught:
        check_entrant("BOT", "Anna's finest", {"bob": 1, "anna": 2}, "a bot of this run")
    expected = """expected a bot of this run (it is the title of "anna")"""
    assert str(caught.value) == f'BOT: found "Anna\'s finest", {expected}'
