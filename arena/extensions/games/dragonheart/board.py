"""Dragonheart in words, as a board of text, and help for a person who has not read the rules.

Cards and spaces have the names that bots read, independent of the edition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Final

from arena.extensions.games.dragonheart.rules import cards as printed
from arena.extensions.games.dragonheart.rules.view import ROW_TO
from arena.games.board import (
    BoardDisplay,
    Drawing,
    Json,
    Observations,
    TableInfo,
    anyone,
    named_seat,
)

QUAY: Final = printed.SPACES[printed.QUAY]
ROW_SIZE: Final = {
    kind: size for kind, size in zip(printed.KINDS, printed.ROW_SIZE, strict=True) if size
}
"""Number of cards that fill the row of a space; spaces that are not listed hold stacks."""
TAKES: Final = {
    printed.KINDS[kind]: tuple(printed.SPACES[space] for space in spaces)
    for kind, spaces in sorted(
        [*((kind, (space,)) for kind, space in printed.COLLECTS.items()), *printed.CHOICES.items()]
    )
}
"""Spaces that the effect of a kind collects; one of them if there are two."""
_PHASES: Final = {
    "deal": "cards are dealt",
    "starter": "the starter is drawn",
    "play": "{} to play",
    "take": "{} to choose",
    "steal": "{} to steal",
    "over": "the game has ended",
}
_NAME_WIDTH: Final = 16
_EFFECT_COLUMN: Final = 39
"""Column at which the longest effect still ends within 79 columns."""
_CARDS_WIDTH: Final = 15
"""Columns for the cards on a space with an effect: eight cards fit."""


@lru_cache(maxsize=1024)
def _space(space: str) -> str:
    """Return the displayed name of a space or kind."""
    return space.replace("_", " ").capitalize()


def _cards(cards: Sequence[str]) -> str:
    """Return cards in words, grouped by kind in the order given: ``Dwarf 1 2, Ship ×2``."""
    return _grouped(tuple(cards))


@lru_cache(maxsize=4096)
def _grouped(cards: tuple[str, ...]) -> str:
    groups = groupby((card.partition(":") for card in cards), lambda parts: parts[0])
    return ", ".join(_group(kind, [parts[2] for parts in group]) for kind, group in groups)


def _group(kind: str, values: list[str]) -> str:
    if kind != "ship":  # ships carry no number
        return f"{_space(kind)} {' '.join(values)}"
    return _space(kind) + (f" ×{len(values)}" if len(values) > 1 else "")


def sentence(event: Json, table: TableInfo) -> str:
    """Describe an event in words."""
    actor = table.names[event["seat"]]
    match event["type"]:
        case "deal":
            return f"{actor} is dealt {_cards(event['cards'])}"
        case "starter":
            return f"{actor} begins"
        case "play":
            first = [f"{actor} plays {_cards(event['cards'])}", *_collects(event)]
        case "take":
            first = [_taken(event, table)]
        case _:
            card = _cards([event["card"]]) if "card" in event else "a card"
            victim = table.names[1 - event["seat"]]
            first = [f"{actor} steals {card}: it goes on top of the draw pile of {victim}"]
    return "; ".join([*first, *_consequences(event)])


def _collects(event: Json) -> Iterator[str]:
    if "collected" in event:
        yield f"collects {_cards(event['collected'])}"


def _taken(event: Json, table: TableInfo) -> str:
    actor, space = table.names[event["seat"]], _space(event["space"])
    if "collected" not in event:
        return f"{actor} chooses {space}: nothing lies there"
    figure = " and the dragon figure" if event.get("figure") else ""
    return f"{actor} chooses {space}: collects {_cards(event['collected'])}{figure}"


def _consequences(event: Json) -> Iterator[str]:
    row_to = event.get("row_to")
    if row_to is not None:
        yield "the full row goes to the quay" if row_to == QUAY else "the ships leave the board"
    drew = event.get("drew", 0)
    if drew:
        cards = event.get("drawn")
        yield f"draws {_cards(cards) if cards else _count(drew, 'card')}"
    if "final_turn" in event:
        yield f"turn {event['final_turn']} will be the last"
    if event.get("over"):
        yield "the game has ended"


def scores(observation: Json) -> tuple[int, ...]:
    """Return the collected points by seat, the points of the figure included."""
    points = [_points(cards) for cards in observation["collected"]]
    if observation["figure"] is not None:
        points[observation["figure"]] += printed.FIGURE_POINTS
    return tuple(points)


def lines(observations: Observations, table: TableInfo) -> list[str]:
    """Return two lines for each seat, then the spaces with their effects, then the game state."""
    public = anyone(observations)
    shown: list[str] = []
    for seat in range(len(table.names)):
        shown += _seat_lines(seat, public, observations.get(seat), table)
    shown += [_space_line(space, cards) for space, cards in public["board"].items()]
    shown.append(_status(public))
    return shown


def compact(observation: Json, table: TableInfo) -> list[str]:
    """Return the game state, a summary of each seat, the observer's hand and the filled spaces."""
    seats = [
        f"{table.names[seat]}: {_count(points, 'point')}, {_sizes(observation, seat)}"
        for seat, points in enumerate(scores(observation))
    ]
    return [
        _status(observation, table),
        " | ".join(seats),
        *_hand(observation),
        "board: " + (" | ".join(_filled(observation["board"])) or "empty"),
    ]


def _hand(own: Json) -> list[str]:
    """Return the line of the observer's hand, with a known next card; empty for a spectator."""
    if "hand" not in own:
        return []
    notes = _notes(own)
    return [f"hand: {_cards(own['hand']) or 'empty'}" + (f" | {notes}" if notes else "")]


def _seat_lines(seat: int, public: Json, own: Json, table: TableInfo) -> list[str]:
    """Return the lines of a seat; ``own`` is its observation, or None if it is hidden."""
    acts = seat == public["player"] and public["phase"] != "over"
    points = scores(public)[seat]
    first = f"{'>' if acts else ' '} seat {seat}  {table.names[seat]}  {_count(points, 'point')}"
    first += f", {_sizes(public, seat)}"
    if public["figure"] == seat:
        first += ", dragon figure"
    if own is None:
        hidden = _count(public["hand_sizes"][seat], "card")
        return [first, f"  hand    {hidden} that this view does not show"]
    notes = _notes(own)
    hand = _cards(own["hand"]) or "empty"
    return [first, f"  hand    {hand}" + (f"  ({notes})" if notes else "")]


def _sizes(observation: Json, seat: int) -> str:
    hand, pile = observation["hand_sizes"][seat], observation["pile_sizes"][seat]
    notes = ["top known"] if seat in observation.get("top_known", ()) else []
    if pile and seat in observation.get("emptied", ()):
        notes.append("emptied")
    return f"hand {hand}, pile {pile}" + (f" ({', '.join(notes)})" if notes else "")


def _notes(own: Json) -> str:
    """Return what only this seat knows besides its hand."""
    return f"next draw: {_cards([own['top_card']])}" if own.get("top_card") else ""


def _space_line(space: str, cards: Sequence[str]) -> str:
    size = ROW_SIZE.get(space)
    count = f"{len(cards)}/{size}" if size else str(len(cards))
    values = _values(space, cards)
    line = f"  {_space(space):<{_NAME_WIDTH}}{count:>3}{': ' if values else ''}{values}"
    effect = " or ".join(_space(taken) for taken in TAKES.get(space, ()))
    return f"{line:<{_EFFECT_COLUMN}}takes {effect}" if effect else line.rstrip()


def _values(space: str, cards: Sequence[str]) -> str:
    """Return the cards on a space, bottom first; the kind is named only on the quay."""
    if space == QUAY:
        return _cards(sorted(cards))
    if space == "ship":
        return ""
    values = " ".join(card.partition(":")[2] for card in cards)
    if space not in TAKES or len(values) <= _CARDS_WIDTH:
        return values
    return "…" + values[1 - _CARDS_WIDTH :]


def _filled(board: Json) -> Iterator[str]:
    for space, cards in board.items():
        if not cards:
            continue
        name, size = _space(space), ROW_SIZE.get(space)
        row = f" ({len(cards)}/{size})" if size else ""
        yield f"{name}{': ' if space == QUAY else ' '}{_values(space, cards)}".rstrip() + row


def _status(observation: Json, table: TableInfo | None = None) -> str:
    """Return the status line; it names seats with a ``table`` and numbers them without one."""
    player, turn = observation["player"], observation["turn"]
    phase = _PHASES[observation["phase"]].format(named_seat(player, table))
    figure = observation["figure"]
    last = f" of {observation['final_turn']}" if "final_turn" in observation else ""
    parts = [f"turn {turn}{last}: {phase}" if turn else phase]
    parts.append(f"ship rows {observation['ship_sets']}/{printed.SHIP_SETS_TO_END}")
    parts.append(f"figure: {'on the board' if figure is None else named_seat(figure, table)}")
    return " | ".join(parts)


def _points(cards: Sequence[str]) -> int:
    return sum(map(_value, cards))


@lru_cache(maxsize=1024)
def _value(card: str) -> int:
    return int(card.partition(":")[2])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s'[: number != 1]}"


def choice(action: Json, observation: Json, table: TableInfo) -> str:
    """Describe a legal action in words, with what it collects or how full the row is then."""
    if action["type"] == "take":
        return f"Choose {_space(action['space'])}: {_haul(action['space'], observation)}"
    effect = _play_effect(action["cards"], observation)
    return f"Play {_cards(action['cards'])}" + (f": {effect}" if effect else "")


def _haul(space: str, observation: Json) -> str:
    cards = observation["board"][space]
    if not cards:
        return "nothing lies there"
    figure = " and the dragon figure" if _wins_figure(space, observation) else ""
    return f"takes {_values(space, cards)} ({_count(_points(cards), 'point')}){figure}"


def _wins_figure(space: str, observation: Json) -> bool:
    is_there = space == "petrified" and bool(observation["board"][space])
    return is_there and observation["figure"] != observation["seat"]


def _play_effect(cards: Sequence[str], observation: Json) -> str:
    """Describe how full the row is after the play, and what the row or stack then collects."""
    kind = cards[0].partition(":")[0]
    row, size = observation["board"][kind], ROW_SIZE.get(kind)
    if size and len(row) + len(cards) < size:
        return f"row {len(row) + len(cards)}/{size}"
    notes = ["fills the row"] if size else []
    if kind == "dwarf":
        notes.append(f"takes it ({_count(_points([*row, *cards]), 'point')})")
    elif kind in TAKES:
        notes.append(_offer(TAKES[kind], observation))
    if kind == "ship" and _is_last_set(observation):
        notes.append("announces the end")
    return ", ".join(notes)


def _is_last_set(observation: Json) -> bool:
    """Return whether the next full row of ships settles which turn is the last."""
    sets = observation["ship_sets"]
    return sets + 1 == printed.SHIP_SETS_TO_END and "final_turn" not in observation


def _offer(spaces: Sequence[str], observation: Json) -> str:
    """Describe the cards on the one space, or on the two of which one can be chosen."""
    names = [_space(space) for space in spaces]
    board = observation["board"]
    if not any(board[space] for space in spaces):
        return f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} empty"
    worth = [_worth(space, observation) for space in spaces]
    offered = " or ".join(f"{name} ({what})" for name, what in zip(names, worth, strict=True))
    return f"takes {offered}"


def _worth(space: str, observation: Json) -> str:
    cards = observation["board"][space]
    if not cards:
        return "empty"
    figure = ", figure" if _wins_figure(space, observation) else ""
    return _count(_points(cards), "point") + figure


DRAWING: Final = Drawing(
    styles=("show/board.css",),
    scripts=("show/cards.js", "show/map.js", "show/seats.js", "show/board.js"),
    facts={
        "figure_points": printed.FIGURE_POINTS,
        "ship_sets": printed.SHIP_SETS_TO_END,
        "rows": ROW_SIZE,
        "takes": TAKES,
        "to_quay": [printed.KINDS[kind] for kind, to in ROW_TO.items() if to == QUAY],
    },
)
AIM: Final = (
    "Play cards of one kind to their space; most spaces then let you collect the "
    "cards of another one. The values you collect are your points, the dragon figure is worth 3. "
    "The third full row of ships or an empty draw pile brings the end; most points win."
)
TERMS: Final = (
    ("hand, pile", "cards that a seat holds, and those in its draw pile"),
    ("2/4", "two cards lie in a row of four"),
    ("quay", "full rows of knights, huntresses; a full row of ships takes all"),
    ("ship rows", "full rows of ships so far; the third one brings the end"),
    ("figure", "where the dragon figure is: 3 points, and six cards in hand"),
)
_PLAYS: Final = {
    "dwarf": "Who plays the fourth dwarf collects the row.",
    "fire_dragon": "Fire dragons collect what lies on Treasure, and stay as prey of the huntress.",
    "huntress": "Who plays the third huntress collects the fire dragons.",
    "knight": "Who plays the second knight collects the sorceresses or the trolls.",
    "petrified": "Nothing happens at once. Who collects them, by a sorceress, gets the dragon "
    "figure: 3 points, and six cards in hand.",
    "ship": "Who plays the third ship collects the quay, full rows of knights and huntresses. The "
    "third full row of ships brings the end.",
    "sorceress": "A sorceress collects the treasures or the petrified dragons.",
    "treasure": "Nothing happens at once; fire dragons and sorceresses collect treasures, yours "
    "or those of the other seat.",
    "troll": "Trolls collect the sorceresses.",
}


def hint(action: Json, observation: Json, data: Mapping[str, Json]) -> str:
    """Return the consequence of an action."""
    if action["type"] != "play":
        if not observation["board"][action["space"]]:
            return "You collect nothing."
        return "You collect all cards there; their values are your points."
    return _PLAYS.get(action["cards"][0].partition(":")[0], "")


BOARD: Final = BoardDisplay(
    sentence, scores, lines, compact, choice, aim=AIM, terms=TERMS, hint=hint, drawing=DRAWING
)
