"""State of a replay on a terminal, and its reaction to keys and time. Pure."""

from __future__ import annotations

from enum import Enum, auto
from typing import Final, NamedTuple

from arena.extensions.browser.terminal.keys import CANCEL, ENTER, ERASE, KEYS, Command
from arena.extensions.browser.viewer.moments import Stops, after, before, matches, stops_of
from arena.referee.records.perspective import SPECTATOR
from arena.values import clean
from arena.values.results import Seat
from arena.views.game.replay import Replay, View, view_of

SPEEDS: Final = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Speeds of playback, in plies per second."""
_PAGE: Final = 10
_LONGEST_INPUT: Final = 200
"""Most bytes that can be typed into a prompt."""
_LONGEST_NUMBER: Final = 9

_JUMPS: Final = {
    Command.NEXT_TURN: ("turns", 1, "turn"),
    Command.PREVIOUS_TURN: ("turns", -1, "turn"),
    Command.NEXT_MOMENT: ("moments", 1, "turning point"),
    Command.PREVIOUS_MOMENT: ("moments", -1, "turning point"),
    Command.NEXT_FAULT: ("faults", 1, "fault"),
    Command.PREVIOUS_FAULT: ("faults", -1, "fault"),
    Command.NEXT_SCORE: ("scores", 1, "change of score"),
    Command.PREVIOUS_SCORE: ("scores", -1, "change of score"),
}
"""Field of ``Stops``, direction and noun of each command that jumps."""
_SCROLLS: Final = {
    Command.UP: -1,
    Command.DOWN: 1,
    Command.PAGE_UP: -_PAGE,
    Command.PAGE_DOWN: _PAGE,
}


class SidePanel(Enum):
    """The part of a ply that is shown besides the board."""

    NONE = auto()
    LEGAL = auto()
    RAW = auto()


class Prompt(NamedTuple):
    """A line that is being typed."""

    command: Command
    """FIND or GO."""
    typed: bytes = b""

    @property
    def text(self) -> str:
        """The typed text, safe to show."""
        return clean.plain(self.typed.decode("utf-8", "ignore"))

    def press(self, key: bytes) -> Prompt:
        """Return the prompt with ``key`` added; ERASE removes the last character."""
        if key in ERASE:
            return self._replace(typed=self.typed.decode("utf-8", "ignore")[:-1].encode())
        is_text = key.isdigit() if self.command is Command.GO else len(key) == 1 and key >= b" "
        if not is_text or len(self.typed) >= _LONGEST_INPUT:
            return self
        return self._replace(typed=self.typed + key)


class Stepper(NamedTuple):
    """A position in a game and how it is shown. Keys and ticks return the next stepper."""

    replay: Replay
    view: View
    position: int
    """Number of plies applied."""
    stops: Stops
    """Stops of the view."""
    help: bool = False
    """True if the keys are explained instead of the game shown."""
    panel: SidePanel = SidePanel.NONE
    scroll: int = 0
    """Lines of the panel that have been scrolled away."""
    playing: bool = False
    speed: float = 1.0
    """Speed of playback in plies per second, one of SPEEDS."""
    prompt: Prompt | None = None
    wanted: str = ""
    """Text of the last search."""
    notice: str = ""
    """Message about the last key."""

    @classmethod
    def begin(cls, replay: Replay, seat: Seat | None) -> Stepper:
        """Return the stepper before the first decision.

        ``seat``: that of the view, may be SPECTATOR; None for all.
        """
        plies = replay.record.plies
        first = next((ply.ply for ply in plies if ply.seat is not None), len(plies))
        view = view_of(replay, seat)
        return cls(replay, view, first, stops_of(view))

    @property
    def last(self) -> int:
        """The position at the end, which is the number of plies."""
        return len(self.view.plies)

    @property
    def period(self) -> float | None:
        """Seconds between ticks; None while playback is off."""
        return 1 / self.speed if self.playing else None

    def tick(self) -> Stepper:
        """Return the stepper one ply further during playback, which ends at the last ply."""
        if not self.playing:
            return self
        position = min(self.position + 1, self.last)
        playing = position < self.last
        return self._replace(position=position, playing=playing, scroll=0, notice="")

    def press(self, key: bytes) -> Stepper | None:
        """Return the stepper after ``key``, or None to quit; unknown keys clear the message."""
        if self.prompt is not None:
            return self._typed(self.prompt, key)
        command = KEYS.get(key)
        if command is Command.QUIT:
            return None
        if self.help:
            return self._replace(help=False)
        quiet = self._replace(notice="")
        if command is None:
            return quiet._look(key)
        return quiet._do(command)

    def _do(self, command: Command) -> Stepper:
        if command in _JUMPS:
            return self._jumped(*_JUMPS[command])
        if command in _SCROLLS:
            return self._replace(scroll=max(0, self.scroll + _SCROLLS[command]))
        match command:
            case Command.NEXT:
                return self._at(min(self.position + 1, self.last))
            case Command.BACK:
                return self._at(max(self.position - 1, 0))
            case Command.FIRST:
                return self._at(0)
            case Command.LAST:
                return self._at(self.last)
            case Command.SLOWEST:
                return self._slowest()
            case Command.PLAY:
                return self._played()
            case Command.FASTER:
                return self._faster(1)
            case Command.SLOWER:
                return self._faster(-1)
            case Command.SPECTATOR:
                return self._seen(SPECTATOR) if len(self.view.end.places) > 1 else self
            case Command.LEGAL:
                return self._toggled(SidePanel.LEGAL)
            case Command.RAW:
                return self._toggled(SidePanel.RAW)
            case Command.FIND | Command.GO:
                return self._replace(prompt=Prompt(command), playing=False)
            case Command.NEXT_MATCH:
                return self._found(self.wanted, 1)
            case Command.PREVIOUS_MATCH:
                return self._found(self.wanted, -1)
            case _:  # HELP; the others are above
                return self._replace(help=True, playing=False)

    def _at(self, position: int) -> Stepper:
        """Return the stepper at ``position``; a move by hand stops playback."""
        return self._replace(position=position, playing=False, scroll=0)

    def _look(self, key: bytes) -> Stepper:
        """Choose the view by a digit: 0 for all, n for seat n-1."""
        if not (key.isdigit() and int(key) <= len(self.view.end.places)):
            return self
        return self._seen(int(key) - 1 if int(key) else None)

    def _seen(self, seat: Seat | None) -> Stepper:
        view = view_of(self.replay, seat)
        return self._replace(view=view, stops=stops_of(view), scroll=0)

    def _jumped(self, name: str, direction: int, noun: str) -> Stepper:
        stops: tuple[int, ...] = getattr(self.stops, name)
        there = (after if direction > 0 else before)(stops, self.position)
        if there is not None:
            return self._at(there)
        if name == "turns":
            return self
        which = "later" if direction > 0 else "earlier"
        notice = f"no {which} {noun}" if stops else f"no {noun} in this view"
        return self._replace(notice=notice)

    def _slowest(self) -> Stepper:
        if self.stops.slowest is None:
            return self._replace(notice="no thinking times in this view")
        return self._at(self.stops.slowest)

    def _played(self) -> Stepper:
        """Toggle playback; at the end of the game it starts from the first ply again."""
        if self.playing or not self.last:
            return self._replace(playing=False)
        position = 0 if self.position == self.last else self.position
        return self._replace(playing=True, position=position, scroll=0)

    def _faster(self, steps: int) -> Stepper:
        index = min(max(SPEEDS.index(self.speed) + steps, 0), len(SPEEDS) - 1)
        return self._replace(speed=SPEEDS[index], notice=f"speed: {SPEEDS[index]:g} per second")

    def _toggled(self, panel: SidePanel) -> Stepper:
        shown = SidePanel.NONE if self.panel is panel else panel
        return self._replace(panel=shown, scroll=0)

    def _typed(self, prompt: Prompt, key: bytes) -> Stepper:
        if key in CANCEL or (key in ERASE and not prompt.typed):
            return self._replace(prompt=None)
        if key not in ENTER:
            return self._replace(prompt=prompt.press(key))
        done = self._replace(prompt=None)
        if not prompt.text:
            return done
        return done._gone(prompt.text) if prompt.command is Command.GO else done._found(prompt.text)

    def _gone(self, number: str) -> Stepper:
        """Go to the position after ply ``number``."""
        if len(number) <= _LONGEST_NUMBER and int(number) < self.last:
            return self._at(int(number) + 1)
        expected = f"expected 0 to {self.last - 1}" if self.last else "but there are no plies"
        return self._replace(notice=f"found ply {number}, {expected}")

    def _found(self, wanted: str, direction: int = 0) -> Stepper:
        """Go to the next match of ``wanted``; searches wrap around at both ends.

        ``direction``: 1 forward, -1 backward, 0 forward including the current position.
        """
        if not wanted:
            return self._replace(notice="nothing to find yet: / finds in the moves")
        found = matches(self.view, wanted)
        if not found:
            return self._replace(wanted=wanted, notice=f'no move with "{wanted}" in this view')
        if direction < 0:
            there = before(found, self.position) or found[-1]
        else:
            there = after(found, self.position - (direction == 0)) or found[0]
        notice = f'match {found.index(there) + 1} of {len(found)} for "{wanted}"'
        return self._at(there)._replace(wanted=wanted, notice=notice)
