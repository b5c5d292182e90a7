"""A person at the table: messages and keys lead from state to state, a state has one screen."""

from __future__ import annotations

import pytest
from wcwidth import wcswidth

from arena.games.boards.guarded import board_of
from arena.games.dragonrealm.show.choices import chance_of
from arena.views.table.screen import page_room, page_top, screen
from arena.views.table.state import Mode, Pressed, Seated, interrupted, matching, press, table_of
from tests.views.standings.tables import game, question, questions

UP, DOWN, HOME, END = b"\x1b[A", b"\x1b[B", b"\x1b[H", b"\x1b[F"
PAGE_UP, PAGE_DOWN, ENTER, ERASE, ESCAPE = b"\x1b[5~", b"\x1b[6~", b"\n", b"\x7f", b"\x1b"
TABLES = [
    ("dragonheart", 2), ("dragonkrak", 1), ("dragonkrak", 2), ("dragonkrak", 3),
    ("dragonkrak", 4), ("dragonrealm", 2), ("dragonrealm", 3), ("dragonrealm", 4),
]  # fmt: skip
FIVE = question("dragonheart", 2, 0)
"""The first decision of a game: five choices."""


def keys(text: str) -> list[bytes]:
    return [character.encode() for character in text]


def after(seated: Seated, *pressed: bytes, rows: int = 24) -> Pressed:
    found = Pressed(seated)
    for key in pressed:
        assert not found.left
        now = found.seated._replace(top=page_top(found.seated, 79, rows))
        found = press(now, key, page_room(rows))
    return found


def lines(seated: Seated, columns: int = 79, rows: int = 24) -> list[str]:
    return [line.text.rstrip() for line in screen(seated, columns, rows)]


def test_the_first_question_has_this_screen() -> None:
    assert FIVE.words[0].startswith("Play ")
    shown = lines(FIVE)
    assert len(shown) == 24
    assert shown[0] == "Dragonheart, Kosmos edition, game 1: you are human, seat 0, against random"
    assert shown[-1].endswith("? help  q leave")
    assert "human is dealt " in "\n".join(shown)
    at = shown.index(f"your move: {len(FIVE.words)} choices")
    width = len(str(len(FIVE.words)))
    for number, words in enumerate(FIVE.words, 1):
        mark = ">" if number == 1 else " "
        assert shown[at + number] == f"{mark} {number:>{width}}  {words}"
    strong = [line.text for line in screen(FIVE, 79, 24) if line.strong]
    assert f"> {1:>{width}}  {FIVE.words[0]}" in strong


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "seats"), TABLES)
@pytest.mark.parametrize(("columns", "rows"), [(79, 24), (119, 45), (50, 15)])
def test_every_question_of_a_game_fits(rules: str, seats: int, columns: int, rows: int) -> None:
    asked = questions(rules, seats, seats - 1)
    for seated in asked[:: max(1, len(asked) // 25)]:
        for cursor in {0, len(seated.words) - 1}:
            shown = screen(seated._replace(cursor=cursor), columns, rows)
            assert len(shown) == rows
            assert all(wcswidth(line.text) <= columns for line in shown)
            assert any(line.text.startswith("> ") and line.strong for line in shown)
            assert any(line.text.startswith("your move: ") for line in shown)
        assert len(set(seated.words)) == len(seated.words)


def test_a_large_window_shows_the_whole_board_and_a_small_one_the_short_one() -> None:
    seated = question("dragonkrak", 4, 0)
    assert [line for line in lines(seated, 99, 45) if line.startswith(" tower ")]
    assert not [line for line in lines(seated, 79, 24) if line.startswith(" tower ")]
    assert [line for line in lines(seated, 79, 24) if "tower: " in line]


def test_the_board_stays_whatever_is_highlighted_or_typed() -> None:
    for rules, seats in TABLES:
        for seated in questions(rules, seats)[:12]:
            rule = {lines(seated._replace(cursor=at)).index("─" * 79)
                    for at in range(len(seated.words))}  # fmt: skip
            typed = after(seated, b"e").seated
            assert {lines(typed).index("─" * 79)} == rule
            assert len(rule) == 1


def test_what_happened_since_the_last_decision_is_told() -> None:
    second = question("dragonheart", 2, 1)
    assert second.log[second.news].startswith("human plays ")
    assert second.log[second.news + 1].startswith("random ")
    shown = "\n".join(lines(second))
    assert "human plays " in shown
    assert "human is dealt" not in shown, "that was told before"


@pytest.mark.parametrize(
    ("pressed", "cursor"),
    [
        ([], 0), ([DOWN], 1), ([DOWN, DOWN, UP], 1), ([UP], 0), ([END], -1), ([END, DOWN], -1),
        ([END, HOME], 0), ([PAGE_DOWN], 5), ([PAGE_DOWN, PAGE_UP], 0), ([b"3"], 2),
        ([b"1", b"2"], 11), ([b"1", b"2", ERASE], 0), ([b"3", DOWN, b"2"], 1),
        ([b"\x1bOB", b"\x1bOA"], 0), ([b"\xc3", b"\x1b[15~"], 0), ([b"9", b"9"], 8),
        ([b"0"], 0), ([b" "], 0),
    ],
)  # fmt: skip
def test_where_keys_lead(pressed: list[bytes], cursor: int) -> None:
    many = question_with(12)
    found = after(many, *pressed)
    assert found.choice is None
    assert found.seated.cursor == cursor % len(many.words)


def question_with(choices: int) -> Seated:
    """A question with at least so many choices."""
    return next(each for each in questions("dragonrealm", 2) if len(each.words) >= choices)


@pytest.mark.parametrize("number", [1, 2, 5])
def test_a_number_and_enter_decide(number: int) -> None:
    assert after(FIVE, *keys(str(number)), ENTER).choice == number - 1


def test_letters_narrow_the_list() -> None:
    seated = question_with(12)
    found = after(seated, *keys("storm")).seated
    left = [index for index, words in enumerate(seated.words) if "storm" in words.lower()]
    assert 0 < len(left) < len(seated.words)
    assert found.matches == tuple(left)
    assert found.cursor == left[0]
    shown = lines(found)
    assert f'your move: {len(left)} of {len(seated.words)} choices have "storm"' in "\n".join(shown)
    assert not [line for line in shown if "by sneak" in line]
    assert after(found, DOWN, ENTER).choice == left[1]
    assert after(found, ESCAPE).seated.matches == tuple(range(len(seated.words)))
    assert after(found, *[ERASE] * 5).seated.typed == ""


def test_what_leaves_nothing_is_refused_and_told() -> None:
    found = after(question_with(12), *keys("stx")).seated
    assert found.typed == "st"
    assert 'your move: no choice has "stx"' in "\n".join(lines(found))
    found = after(FIVE, b"9", b"9").seated
    assert (found.typed, found.cursor) == ("", 0)
    assert f"your move: 9 is no number from 1 to {len(FIVE.words)}" in lines(found)


def test_another_number_replaces_one_that_it_cannot_go_on_with() -> None:
    found = after(FIVE, b"2", b"4").seated
    assert (found.typed, found.cursor, found.note) == ("4", 3, "")
    assert after(FIVE, b"2", b"4", ENTER).choice == 3
    assert after(FIVE, b"2", b"9").seated.note == f"9 is no number from 1 to {len(FIVE.words)}"


def test_the_first_decision_begins_with_the_aim_if_there_is_room() -> None:
    assert "most points win." in " ".join(lines(FIVE))
    assert "most points win." not in " ".join(lines(question("dragonheart", 2, 1)))
    assert "most points win." not in " ".join(lines(FIVE, 79, 15))


@pytest.mark.parametrize(("rules", "seats"), TABLES)
def test_a_board_has_an_aim_terms_in_the_help_and_hints(rules: str, seats: int) -> None:
    board = board_of(rules, 2)
    assert board.aim_at(seats)
    shown = " ".join(lines(after(question(rules, seats, 0), b"?").seated, 119, 45))
    assert "on the board:" in shown
    for word, meaning in board.terms:
        assert f"{word:<12} {meaning}" in shown
        assert len(f"  {word:<12} {meaning}") <= 79
    for seated in questions(rules, seats):
        for action in seated.legal:
            text = board.hint(action, seated.observation, seated.game.data)
            assert text or action["type"] == "reroll", action
            assert len(text) <= 150, "two lines"


def test_a_part_of_a_long_list_says_which_part_it_is() -> None:
    many = question_with(12)
    number = len(many.words)
    low = "\n".join(lines(many._replace(cursor=number - 1), 79, 16))
    assert f"of {number} ↓↑" in low
    assert f"> {number}  {many.words[-1]}" in low
    assert "↓↑" not in "\n".join(lines(many, 79, 60)).replace("↑↓", "")


def test_letters_of_commands_are_letters_once_typing_has_begun() -> None:
    seated = question_with(12)
    assert after(seated, b"l").seated.mode is Mode.LOG
    typed = after(seated, *keys("pl")).seated
    assert typed.mode is Mode.GAME
    assert typed.typed == "pl", '"Explore" has it'
    assert after(typed, b"q").seated.mode is Mode.LEAVE, "nothing has plq"


@pytest.mark.parametrize(
    ("key", "title"),
    [(b"?", "keys and rules"), (b"l", "the game so far"), (b"\t", "the board as you see it")],
)
def test_pages_come_and_go(key: bytes, title: str) -> None:
    shown = after(FIVE, key).seated
    assert lines(shown)[0].startswith(title)
    assert after(shown, b"x").seated == FIVE
    assert after(shown, b"q").seated == FIVE, "q leaves the page, not the game"


def test_pages_are_scrolled() -> None:
    page = tuple(f"line {number}" for number in range(100))
    seated = FIVE._replace(game=FIVE.game._replace(page=page))
    first = after(seated, b"?")
    assert lines(first.seated)[1].startswith("Play cards")
    assert lines(after(first.seated, DOWN, DOWN, UP).seated)[0].startswith(
        "keys and rules: lines 2-23 of "
    )
    last = after(first.seated, *[PAGE_DOWN] * 50).seated
    assert lines(last)[-2] == "line 99"
    assert lines(after(last, UP).seated)[-2] == "line 98", "beyond the end nothing is counted"
    assert lines(after(last, HOME).seated) == lines(first.seated)
    assert lines(after(first.seated, END).seated) == lines(last)
    late = questions("dragonheart", 2)[20]
    shown = lines(after(late, b"l").seated)
    assert shown[-2].split()[-1] == late.log[-1].split()[-1], "the log opens at its end"


def test_leaving_is_asked_first() -> None:
    for key in (b"q", b"\x04", b"\x03"):
        asked = after(FIVE, key)
        assert not asked.left
        assert lines(asked.seated)[-1] == "leave? the game is not counted: y/n"
        assert after(asked.seated, b"n").seated == FIVE
        assert after(asked.seated, ENTER).seated == FIVE
        assert after(asked.seated, b"y").left
    asked = interrupted(FIVE)
    assert (asked.seated.mode, asked.left) == (Mode.LEAVE, False)
    assert interrupted(asked.seated).left


def test_keys_while_others_are_to_move() -> None:
    waiting = FIVE.decided(1)
    shown = lines(waiting)
    assert f"you chose: {FIVE.words[1]}" in shown
    assert "random to move …" in shown
    assert after(waiting, ENTER).choice is None
    assert after(waiting, b"3", DOWN).seated == waiting
    assert after(waiting, b"l").seated.mode is Mode.LOG
    assert after(waiting, b"q").seated.mode is Mode.LEAVE


def test_before_the_first_card() -> None:
    shown = lines(Seated(game("dragonheart", 2)))
    assert "most points win." in "\n".join(shown)
    assert "the bots are started: random" in shown
    assert lines(after(Seated(game("dragonheart", 2)), b"\t").seated)[1] == "no card is dealt yet"


def test_the_end() -> None:
    log = [*FIVE.log, "human plays Troll 1", "random plays Dwarf 1; the game has ended"]
    over = FIVE.decided(0).over(FIVE.observation, log, ["you have won", "human 3 \x1b[2J"])
    shown = lines(over)
    assert "random plays Dwarf 1; the game has ended" in shown
    assert "you have won" in shown
    assert "\x1b" not in "".join(shown)
    assert shown[-1] == "Tab board  l log  any other key leaves"
    assert after(over, b"x").left
    assert after(over, b"l", b"x").seated.mode is Mode.OVER
    assert interrupted(over).left


def test_a_fault_is_told() -> None:
    told = FIVE.with_line("the bot of random\x07 failed").log[-1]
    assert told == "the bot of random\N{REPLACEMENT CHARACTER} failed"


@pytest.mark.parametrize(("columns", "rows"), [(39, 24), (80, 11), (5, 2), (1, 1)])
def test_a_window_that_is_too_small(columns: int, rows: int) -> None:
    shown = screen(FIVE, columns, rows)
    assert len(shown) <= rows
    assert all(wcswidth(line.text) <= columns for line in shown)


def test_equal_names_are_told_apart() -> None:
    assert table_of(["a", "b", "a"], {}).names == ("a (0)", "b", "a (2)")
    assert "\x1b" not in table_of(["\x1b[2J"], {}).names[0]


def test_matching_takes_words_in_any_order() -> None:
    words = ["Play Dwarf 1", "Play Dwarf 2", "Play Troll 1"]
    assert matching(words, "dw 2") == (1,)
    assert matching(words, "1 play") == (0, 2)
    assert matching(words, "2") == (0, 1, 2), "a number is no text"


def test_other_rules_have_no_hints() -> None:
    board = board_of("toy", 2)
    assert (board.aim_at(2), board.terms, board.hint({"type": "say"}, {}, {})) == ("", (), "")


DICE = {"dice": [1, 2, 2, 3, 3, 4]}


def test_hints_go_by_what_is_seen() -> None:
    hint = board_of("dragonheart", 2).hint
    board = {"treasure": ["treasure:1"], "petrified": []}
    told = [hint({"type": "take", "space": space}, {"board": board}, {}) for space in board]
    assert told == [
        "You collect all cards there; their values are your points.", "You collect nothing.",
    ]  # fmt: skip
    hint = board_of("dragonrealm", 2).hint
    cards = {"type": "play", "cards": ["bell:01"]}
    for bonus, begin in (
        (3, "The throw alone cannot succeed;"),
        (4, "The throw succeeds in 17 of 100 "),
    ):
        seen = {"attempt": {"needed": 8, "bonus": bonus}}
        assert hint(cards, seen, DICE).startswith(begin)
    row = {"row": [{"id": "mill", "gold": ["storm"]}]}
    for way in ("storm", "sneak"):
        text = hint({"type": "explore", "location": "mill", "way": way}, row, DICE)
        assert ("you may place two" in text) == (way == "storm")


@pytest.mark.parametrize(
    ("dice", "needed", "chance"), [(1, 1, 1), (1, 4, 1 / 6), (2, 8, 1 / 36), (1, 5, 0), (0, 0, 1)]
)
def test_the_chance_of_a_throw(dice: int, needed: int, chance: float) -> None:
    assert chance_of(dice, needed, (1, 2, 2, 3, 3, 4)) == pytest.approx(chance)


def test_no_chance_without_faces() -> None:
    assert chance_of(1, 1, ()) is None
