"""A game as the person at the table knows it, and the effects of keys. Pure: no terminal here.

The state contains only what is in the messages that a bot in the same seat would get, decoded from
their JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum, auto
from typing import Any, Final, NamedTuple

from arena.games.board import BoardDisplay, Json, TableInfo
from arena.games.boards.guarded import board_of
from arena.results import Seat
from arena.text import clean
from arena.text.screen import CTRL_D, DOWN, END, ENTER, ERASE, HOME, PAGE_DOWN, PAGE_UP, UP
from arena.views.game.replay import NAME_COLUMNS

CLEAR: Final = {b"\x15", b"\x1b", b"\x1b\x1b"}
LEAVE: Final = {b"\x03", CTRL_D}
_ENDS: Final = frozenset({"end", "end_turn"})
"""Types of actions that give up the rest of a turn."""
_PAGE: Final = 5
"""Number of choices that a page key skips."""
_LONGEST: Final = 30
"""Most characters that can be typed."""


class Mode(Enum):
    """Kind of contents that the screen shows."""

    GAME = auto()
    HELP = auto()
    LOG = auto()
    BOARD = auto()
    LEAVE = auto()
    """The question whether to leave, above the game."""
    OVER = auto()


PAGES: Final = {b"?": Mode.HELP, b"l": Mode.LOG, b"\t": Mode.BOARD}
"""Mode of each page that can be scrolled, by the key that shows the page."""


class TableGame(NamedTuple):
    """The facts of a game that do not change while it is played."""

    rules: str
    title: str
    table: TableInfo
    seat: Seat
    """Seat of the person."""
    number: int
    """Number of the game at this table, from 1."""
    page: tuple[str, ...]
    """The rules in lines."""
    data: Mapping[str, Json] = {}
    """Public card data, as bots get it."""
    notices: tuple[str, ...] = ()

    @property
    def board(self) -> BoardDisplay:
        """The board that draws this game."""
        return board_of(self.rules, len(self.table.names))

    @property
    def others(self) -> str:
        """Names of the other players, in words; empty without any."""
        names = self.table.names
        return ", ".join(name for seat, name in enumerate(names) if seat != self.seat)


class Seated(NamedTuple):
    """State of a person in a game. Immutable: messages and keys return the next state."""

    game: TableGame
    mode: Mode = Mode.GAME
    observation: Json = None
    """Last observation; None before the first decision."""
    legal: tuple[Json, ...] = ()
    words: tuple[str, ...] = ()
    """Legal actions in words; empty while others are to move."""
    log: tuple[str, ...] = ()
    """Everything that the person saw, oldest first."""
    news: int = 0
    """Number of lines of ``log`` that the person had seen at the last decision."""
    chosen: str = ""
    """Last decision of the person, in words."""
    cursor: int = 0
    typed: str = ""
    note: str = ""
    """Problem with the last key."""
    top: int = 0
    """First line of a page that is shown; -1 for the end."""
    result: tuple[str, ...] = ()
    """Result of the game; empty while it is played."""

    @property
    def is_asked(self) -> bool:
        """True if the person is to decide."""
        return bool(self.words)

    @property
    def matches(self) -> tuple[int, ...]:
        """Indices of the choices that match what was typed."""
        return matching(self.words, self.typed)

    def act(self, message: Mapping[str, Any]) -> Seated:
        """Return the state with the question of an ``act`` message."""
        game, observation = self.game, message["observation"]
        seen = [game.board.sentence(event, game.table) for event in message["events"]]
        legal = tuple(message["legal"])
        words = [clean.plain(text) for text in message.get("texts", ())] or [
            game.board.choice(action, observation, game.table) for action in legal
        ]
        return self._replace(
            observation=observation,
            legal=legal,
            words=tuple(words),
            log=(*self.log, *seen),
            cursor=_first(legal),
            typed="",
            note="",
        )

    def with_line(self, line: str) -> Seated:
        """Return the state with a line on an event outside the rules, such as a fault of a bot."""
        return self._replace(log=(*self.log, clean.plain(line)))

    def decided(self, index: int) -> Seated:
        """Return the state after the person chose the legal action ``index``."""
        return self._replace(
            legal=(), words=(), chosen=self.words[index], news=len(self.log), typed="", note=""
        )

    def over(self, observation: Json, log: Sequence[str], result: Sequence[str]) -> Seated:
        """Return the state after the end of the game.

        ``log``: all that the seat saw of the game.
        """
        lost = self.log[: self.news]
        return self._replace(
            mode=Mode.OVER,
            observation=observation,
            log=tuple(log),
            news=min(len(lost), len(log)),
            legal=(),
            words=(),
            result=tuple(map(clean.plain, result)),
        )


class Pressed(NamedTuple):
    """The effect of a key."""

    seated: Seated
    choice: int | None = None
    """Index of the legal action that was chosen."""
    left: bool = False
    """True if the person leaves the game, or the screen after the end of the game."""


def _first(legal: Sequence[Json]) -> int:
    """Return the choice highlighted at first, if possible no action that ends a turn by mistake."""
    return next((at for at, action in enumerate(legal) if action["type"] not in _ENDS), 0)


def table_of(names: Sequence[str], options: Mapping[str, Json]) -> TableInfo:
    """Return the table for the boards; names of several seats get the number of the seat."""
    shown = [clean.cut(clean.plain(name), NAME_COLUMNS - 4) for name in names]
    return TableInfo(
        tuple(
            f"{name} ({seat})" if shown.count(name) > 1 else name for seat, name in enumerate(shown)
        ),
        options,
    )


def matching(words: Sequence[str], typed: str) -> tuple[int, ...]:
    """Return the choices that contain every typed word; digits alone are a number and match all."""
    if typed.isdigit():
        return tuple(range(len(words)))
    parts = typed.lower().split()
    return tuple(
        index for index, text in enumerate(words) if all(part in text.lower() for part in parts)
    )


def press(seated: Seated, key: bytes, room: int) -> Pressed:
    """Return the effect of a key; unknown keys change nothing.

    ``room``: lines that a page may have.
    """
    if seated.mode is Mode.LEAVE:
        return _confirm(seated, key)
    if seated.mode is Mode.OVER and key not in PAGES:
        return Pressed(seated, left=True)
    if seated.mode in PAGES.values():
        return Pressed(_scrolled(seated, key, room))
    is_command = not _narrows(seated, key)
    if key in LEAVE or (key == b"q" and is_command):
        return Pressed(seated._replace(mode=Mode.LEAVE))
    if key in PAGES and is_command:
        mode = PAGES[key]
        return Pressed(seated._replace(mode=mode, top=0 if mode is not Mode.LOG else -1, note=""))
    if not seated.is_asked:
        return Pressed(seated)
    if key in ENTER:
        return Pressed(seated, choice=seated.cursor)
    return Pressed(_chosen_with(seated, key))


def _narrows(seated: Seated, key: bytes) -> bool:
    """Return whether a key that is a command elsewhere continues the typed text."""
    letters = seated.typed + key.decode("ascii", "ignore")
    return bool(seated.typed) and key.isalpha() and bool(matching(seated.words, letters))


def interrupted(seated: Seated) -> Pressed:
    """Return the effect of Ctrl-C: first the question whether to leave, then leaving."""
    if seated.mode in (Mode.LEAVE, Mode.OVER) or seated.result:
        return Pressed(seated, left=True)
    return Pressed(seated._replace(mode=Mode.LEAVE))


def _confirm(seated: Seated, key: bytes) -> Pressed:
    if key in (b"y", b"Y") or key in LEAVE:
        return Pressed(seated, left=True)
    return Pressed(seated._replace(mode=Mode.GAME))


def _scrolled(seated: Seated, key: bytes, room: int) -> Seated:
    """Return the effect of a key on a page: it scrolls the page, or any other key closes it.

    ``top``: -1 for the end of the page.
    """
    page = max(1, room - 1)
    steps = ((UP, -1), (DOWN, 1), (PAGE_UP, -page), (PAGE_DOWN | {b" "}, page))
    for keys, step in steps:
        if key in keys:
            return seated._replace(top=max(0, seated.top + step))
    if key in HOME:
        return seated._replace(top=0)
    if key in END:
        return seated._replace(top=-1)
    return seated._replace(mode=Mode.OVER if seated.result else Mode.GAME, top=0)


def _chosen_with(seated: Seated, key: bytes) -> Seated:
    """Move the highlight or narrow the list of choices."""
    matches = seated.matches
    at = matches.index(seated.cursor)
    last = len(matches) - 1
    for keys, place in (
        (UP, at - 1),
        (DOWN, at + 1),
        (PAGE_UP, at - _PAGE),
        (PAGE_DOWN, at + _PAGE),
        (HOME, 0),
        (END, last),
    ):
        if key in keys:
            typed = "" if seated.typed.isdigit() else seated.typed
            cursor = matches[min(max(place, 0), last)]
            return seated._replace(cursor=cursor, typed=typed, note="")
    if key in ERASE:
        return _typed(seated, seated.typed[:-1])
    if key in CLEAR:
        return _typed(seated, "")
    text = key.decode("ascii", "ignore")
    if len(text) == 1 and text.isprintable() and (seated.typed or text != " "):
        return _typed(seated, (seated.typed + text)[:_LONGEST])
    return seated


def _typed(seated: Seated, typed: str) -> Seated:
    """Return the state with ``typed``, or with a note if no choice matches the text."""
    if typed.isdigit():
        if not 1 <= int(typed) <= len(seated.words):
            if len(typed) > 1:  # begin another number: Enter must not take a number given up
                return _typed(seated._replace(typed="", cursor=_first(seated.legal)), typed[-1])
            return seated._replace(note=f"{typed} is no number from 1 to {len(seated.words)}")
        return seated._replace(typed=typed, cursor=int(typed) - 1, note="")
    matches = matching(seated.words, typed)
    if not matches:
        return seated._replace(note=f'no choice has "{typed}"')
    cursor = seated.cursor if seated.cursor in matches else matches[0]
    return seated._replace(typed=typed, cursor=cursor, note="")
