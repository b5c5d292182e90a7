"""Check what the rules of a package return, once, where they enter arena.

Arena's own games are tested and are not checked again. Errors name the package and, where the
package's code is known, the file and the line.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, NoReturn, TypeAlias

import msgspec

from arena.games.base import (
    CHANCE,
    MOST_BYTES,
    NOBODY,
    Action,
    InvalidActionError,
    Json,
    Rules,
    RulesInfo,
    wrong_info,
    wrong_outcome,
)
from arena.games.game import Game
from arena.games.installed import GameError, error_text, in_words, place_in
from arena.games.positions import PositionBook
from arena.values.results import Outcome, RulesSpec, Seat

_SHORT: Final = 200
"""Largest size of an action that is remembered, in bytes of JSON."""
_MOST_KNOWN: Final = 50_000
_FOUND: Final = 100
"""Length of a wrong value in a message, in characters."""

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder().decode

Check: TypeAlias = Callable[[Any], str]
"""Returns what was expected instead of a value; "" for a value that is right."""


class Border:
    """The border between one package and arena: a wrong value raises GameError.

    KeyboardInterrupt passes, because the user may have interrupted the package.
    """

    def __init__(self, game: Game, whose: object) -> None:
        """``whose``: the package and its version, for messages."""
        self._game = game
        self._whose = whose

    def guard(
        self,
        what: str,
        function: Callable[..., Any],
        check: Check = lambda found: "",
        passing: type[Exception] | tuple[()] = (),
    ) -> Callable[..., Any]:
        """Return ``function`` of the package, checked. Exceptions of the type ``passing`` pass."""

        def call(*given: Any) -> Any:
            try:
                found = function(*given)
            except passing:
                raise
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # whatever a package of others does
                raise self._failed(error) from error
            if expected := check(found):
                self.refuse(what, function, repr(found), expected)
            return found

        return call

    def refuse(self, what: str, function: object, found: str, expected: str) -> NoReturn:
        """Raise GameError for what ``function`` of the package returned."""
        code = getattr(function, "__code__", None)
        place = f" ({os.path.basename(code.co_filename)}:{code.co_firstlineno})" if code else ""
        words = in_words(found)
        words = words if len(words) <= _FOUND else words[: _FOUND - 1] + "…"
        raise self._error(f"{what}: found {words}, expected {expected}{place}")

    def _failed(self, error: BaseException) -> GameError:
        """Return the error of a package whose code raised ``error``, with its innermost line."""
        package = self._game.package.partition(".")[0]
        place = place_in(package, error) or place_in("", error)
        text = in_words(error_text(error))
        return self._error(f"{text}{place and f' ({place})'}")

    def _error(self, text: str) -> GameError:
        return GameError(f"{self._game.name} of {self._whose} failed: {text}")


class GuardedRules:
    """Rules of a package whose methods return what ``Rules`` states, or raise GameError."""

    def __init__(self, border: Border, game: Game, rules: Rules[Any, Action]) -> None:
        """Check the facts of ``rules`` of the package. Raises GameError."""
        self._border, self._rules = border, rules
        self._known: set[bytes] = set()
        """Actions, as JSON, that ``decode_action`` has read back."""
        self.info: RulesInfo = border.guard("info", lambda: rules.info, wrong_info)()
        self.spec: RulesSpec = border.guard("spec", lambda: rules.spec, _wrong_spec)()
        if self.info.seats != self.spec.seats:
            found, expected = f"{self.info.seats} seats", f"{self.spec.seats}, as in spec"
            border.refuse("info", None, found, expected)
        seats, kinds = self.info.seats, frozenset(game.action_types)

        def method(name: str, *how: Any) -> Callable[..., Any]:
            function = border.guard(name, lambda: getattr(rules, name))()
            return border.guard(name, function, *how)

        self.initial_state: Callable[[], Any] = method("initial_state")
        self.to_act: Callable[[Any], Seat] = method("to_act", _seat(seats))
        self.legal_actions: Callable[..., Sequence[Action]] = method(
            "legal_actions", _actions(kinds)
        )
        self.chance: Callable[..., Action] = method("chance", _action(kinds))
        self._apply = method("apply")
        self._outcome = method("outcome", _outcome(seats))
        self.observe: Callable[[Any, Seat], Json] = method("observe", _wrong_json)
        self.describe: Callable[..., Sequence[Json]] = method("describe", _events(seats))
        self.decode_action: Callable[[Json], Action] = method(
            "decode_action", _action(kinds), InvalidActionError
        )
        self.determinize: Callable[..., Any] = method(
            "determinize",
            lambda found: "",
            NotImplementedError,  # optional, see ``Rules``
        )
        self.is_chance_possible: Callable[..., bool] = method("is_chance_possible", _wrong_truth)
        if hasattr(rules, "action_text"):
            self.action_text: Callable[..., str] = method("action_text", _wrong_line)
        if hasattr(rules, "action_space"):
            self.action_space: Callable[[], Sequence[Action]] = method(
                "action_space", _action_list(kinds)
            )
        if hasattr(rules, "simultaneous"):
            self.simultaneous: Callable[..., Sequence[Seat]] = method(
                "simultaneous", _ascending(seats)
            )

    def apply(self, state: Any, action: Action) -> Any:
        """Return the next state, if ``action`` can be read back from its record."""
        try:
            text = _encode(action)
        except (TypeError, ValueError, RecursionError) as error:
            self._border.refuse("an action", None, repr(action), f"a value with JSON: {error}")
        if text not in self._known:
            self._read_back(action, text)
        return self._apply(state, action)

    def outcome(self, state: Any) -> Outcome | None:
        """Return the outcome, or None exactly while a seat or chance has to act."""
        found: Outcome | None = self._outcome(state)
        if (found is None) is (self.to_act(state) == NOBODY):
            expected = "an Outcome at the end" if found is None else "None before the end"
            self._border.refuse("outcome", self._rules.outcome, repr(found), expected)
        return found

    def _read_back(self, action: Action, text: bytes) -> None:
        """Remember an action that is equal to what its JSON is decoded to. Raises GameError."""
        found: object
        try:
            found = self.decode_action(_decode(text))
        except InvalidActionError as error:
            found = error
        if found != action:
            what = f"decode_action of {text.decode()[:_FOUND]}"
            function = getattr(self._rules, "decode_action", None)
            self._border.refuse(what, function, repr(found), in_words(repr(action))[:_FOUND])
        if len(text) <= _SHORT and len(self._known) < _MOST_KNOWN:
            self._known.add(text)


def guarded_book(border: Border, book: PositionBook) -> PositionBook:
    """Return the reader of books of a package; ValueError, which refuses a text, passes."""
    place = border.guard("book.place", book.place, passing=ValueError)
    return book._replace(place=place)


def _wrong_spec(found: Any) -> str:
    return "" if isinstance(found, RulesSpec) and not _wrong_json(found) else "a RulesSpec"


def _seat(seats: int) -> Check:
    expected = f"a seat below {seats}, CHANCE or NOBODY, as int"
    right = frozenset(range(min(CHANCE, NOBODY), seats))
    return lambda found: "" if type(found) is int and found in right else expected


def _ascending(seats: int) -> Check:
    expected = f"a tuple, list or range of seats below {seats}, ascending"

    def check(found: Any) -> str:
        if type(found) not in (tuple, list, range) or any(type(each) is not int for each in found):
            return expected
        is_right = [*found] == sorted({*found} & {*range(seats)})
        return "" if is_right else expected

    return check


def _action(kinds: Collection[type]) -> Check:
    return lambda found: "" if type(found) in kinds else "one of Game.action_types"


def _actions(kinds: frozenset[type]) -> Check:
    expected = "a tuple or list, not empty, of Game.action_types"

    def check(found: Any) -> str:
        is_right = type(found) in (tuple, list) and found and kinds.issuperset(map(type, found))
        return "" if is_right else expected

    return check


def _action_list(kinds: frozenset[type]) -> Check:
    wrong = _actions(kinds)

    def check(found: Any) -> str:
        return wrong(found) or ("each action once" if len({*found}) < len(found) else "")

    return check


def _outcome(seats: int) -> Check:
    return lambda found: "" if found is None else wrong_outcome(found, seats)


def _events(seats: int) -> Check:
    expected = f"a tuple or list of {seats} events, by seat"

    def check(found: Any) -> str:
        if type(found) not in (tuple, list) or len(found) != seats:
            return expected
        return _wrong_json(found)

    return check


def _wrong_json(found: Any) -> str:
    try:
        size = len(_encode(found))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        return f"a value with JSON: {error}"
    return "" if size <= MOST_BYTES else f"at most {MOST_BYTES:,} bytes of JSON, not {size:,}"


def _wrong_truth(found: Any) -> str:
    return "" if type(found) is bool else "True or False"


def _wrong_line(found: Any) -> str:
    return "" if isinstance(found, str) and found.isprintable() else "one line of text"
