"""One game as the JSON document that the viewer in a browser reads.

A document holds the views that it was built from and nothing else: a document of one seat's view
contains nothing that this seat could not see.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise, starmap
from typing import Final

from arena.extensions.browser.viewer.moments import Moment, course_of, moments, result_line
from arena.games.board import Json, merged
from arena.referee.records.perspective import ABSENT, SPECTATOR, GameViews
from arena.values import clean
from arena.values.results import Seat
from arena.values.titles import called
from arena.views.game import replay
from arena.views.game.text import fault_lines

SCHEMA: Final = "arena.viewer/4"
_PARTS: Final = frozenset((dict, list))
"""Types of the items of lists that are compared item by item."""


def document(views: Sequence[replay.View]) -> dict[str, Json]:
    """Return the viewer's document of one game, in JSON types.

    ``views``: views of that game, at least one.

    ``observers`` has by seat (``"0"``, ``"spectator"``) the observation before the first ply and
    its ``patch`` for each ply. ``views`` has the observers of each view, and what it shows of each
    ply.

    Data that views share is stored once. Where a spectator is among the observers, a change that a
    spectator sees is stored for the spectator only: it applies to the other observers too. A number
    instead of a ply, or of all scores, is the index of an earlier view that has the same; for a
    ply, -1 less that index means the same ply without its decision, which this view does not show.
    ``words`` are those of all legal actions, which plies have by their numbers.
    """
    plies = _Plies(views)
    course = course_of(views[0], plies.scores)
    seats = dict.fromkeys(seat for view in views for seat in view.start)
    seen, beyond = views[0].replay.seen, SPECTATOR in seats
    told = zip(views, plies.by_view(), [plies.scores, *[0] * len(views)], strict=False)
    return clean.answer(
        SCHEMA,
        game=_game(views[0]),
        observers={replay.key_of(seat): _observer(seen, seat, beyond=beyond) for seat in seats},
        views=[_view(view, scores, shown, moments(view, course)) for view, shown, scores in told],
        words=[*plies.words],
    )


def patch(before: Json, after: Json) -> Json:
    """Return the change from one JSON value to another: None if equal, ``[after]`` if replaced.

    For two objects it is an object of the patches of changed members, with 0 for removed members.
    For two lists of equally many objects and lists it is an object of the patches by index:
    ``{"2": …}``. For a list that grows at its end it is an object of the new items: ``{"+": […]}``.
    """
    return None if before == after else _change(before, after)


def _change(before: Json, after: Json) -> Json:
    """Return ``patch`` of two values that differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        changed = {
            key: [value] if was is ABSENT else _change(was, value)
            for key, value in after.items()
            if (was := before.get(key, ABSENT)) is not value and was != value
        }
        if not before.keys() <= after.keys():
            changed |= dict.fromkeys((key for key in before if key not in after), 0)
        return changed
    if isinstance(before, list) and isinstance(after, list):
        if len(before) == len(after) and _PARTS.issuperset(map(type, chain(before, after))):
            pairs = enumerate(zip(before, after, strict=True))
            return {
                str(at): _change(old, new)
                for at, (old, new) in pairs
                if old is not new and old != new
            }
        if 0 < len(before) < len(after) and after[: len(before)] == before:
            return {"+": after[len(before) :]}
    return [after]


def _game(view: replay.View) -> dict[str, Json]:
    return {
        "id": view.header.spec.game_id,
        "discipline": view.header.spec.discipline,
        "number": view.replay.number,
        "games": view.replay.games,
        "run": view.replay.run,
        "rules": view.header.rules,
        "title": view.replay.title,
        "options": view.header.options,
        "names": [clean.plain(called(name)) for name in view.header.spec.entrants],
        "score": view.replay.score,
        "notices": list(view.replay.notices),
    }


def _observer(seen: GameViews, seat: Seat, *, beyond: bool) -> dict[str, Json]:
    """Return the first observation of ``seat`` and its changes by ply.

    ``beyond``: leave out changes that a spectator sees too.
    """
    observer = seen.observers[seat]
    if observer.columns is None:
        return {"start": observer[0], "steps": [*starmap(patch, pairwise(observer))]}
    told = seen.observers[SPECTATOR].columns if beyond and seat != SPECTATOR else None
    steps: list[dict[str, Json] | None] = [None] * (len(observer) - 1)
    for name, column in observer.columns.items():
        if told and name in told:
            continue
        for start, (before, after) in zip(column.starts[1:], pairwise(column.values), strict=True):
            change: Json = [after]
            if after is ABSENT:
                change = 0
            elif before is not ABSENT and type(after) in _PARTS:
                change = _change(before, after)
                if not change:  # the same members in another order
                    continue
            step = steps[start - 1]
            if step is None:
                steps[start - 1] = {name: change}
            else:
                step[name] = change
    return {"start": observer[0], "steps": steps}


def _view(
    view: replay.View, scores: Json, plies: Sequence[Json], worth: Iterable[Moment]
) -> dict[str, Json]:
    return {
        "key": replay.key_of(view.seat),
        "name": replay.view_name(view),
        "observers": [replay.key_of(seat) for seat in view.start],
        "bot_seeds": {str(seat): seed for seat, seed in view.bot_seeds.items()},
        "plies": plies,
        "scores": scores,
        "moments": [moment._asdict() for moment in worth],
        "termination": view.end.termination.value,
        "places": view.end.places,
        "final": view.end.scores,
        "result": result_line(view),
        "faults": [
            {"seat": fault.seat, "ply": fault.ply, "lines": list(fault_lines(view, fault))}
            for fault in view.faults
        ],
    }


class _Plies:
    """The plies of a game as its views show them.

    Views of one game show the same of a ply if they saw the same event and either all or none of
    them know the decision.
    """

    def __init__(self, views: Sequence[replay.View]) -> None:
        first = views[0]
        self.scores = first.all_scores()
        self.words: dict[str, int] = {}
        """Numbers of the words of legal actions."""
        self._views = views
        self._board, self._table = first.board, first.table
        self._record, self._seen = first.replay.record, first.replay.seen
        self._alone = [next(iter(view.start)) if len(view.start) == 1 else None for view in views]
        scored = pairwise(self.scores)
        self._gains = [replay.gains_words(self._table.names, *pair) for pair in scored]
        self._hidden = [
            {"seat": None, "words": replay.nothing_seen(view), "hidden": True} for view in views
        ]

    def by_view(self) -> list[list[Json]]:
        """Return the plies of each view, or indices of earlier views that show the same ply."""
        rows: list[list[Json]] = []
        usual: dict[Seat | None, list[Json]] = {}
        for number, (ply, events) in enumerate(
            zip(self._record.plies, self._seen.events, strict=True)
        ):
            is_usual = not ply.autopilot and len(set(map(id, events.values()))) == 1
            if is_usual and ply.seat in usual and (event := events[SPECTATOR]) is not None:
                owned = self._views[0].seat in (None, ply.seat)
                rows.append([self._ply(number, event, owned), *usual[ply.seat]])
                continue
            row = self._row(number, events)
            rows.append(row)
            if is_usual and all(isinstance(each, int) for each in row[1:]):
                usual[ply.seat] = row[1:]
        return [[row[index] for row in rows] for index in range(len(self._views))]

    def _row(self, number: int, events: Mapping[Seat, Json]) -> list[Json]:
        """Return what stands for a ply in each view."""
        ply = self._record.plies[number]
        row: list[Json] = []
        shown: list[tuple[bool, Json, int]] = []
        for index, view in enumerate(self._views):
            if (seat := self._alone[index]) is not None:
                event = events[seat]
            else:
                event = merged(view.plies.events(number), ply.seat) or None
            owned = view.seat is None or view.seat == ply.seat
            if event is None and not owned:
                row.append(self._hidden[index])
                continue
            for was_owned, known, earlier in shown:
                if was_owned >= owned and (known is event or known == event):
                    if was_owned == owned:
                        row.append(earlier)
                        break
                    if not ply.autopilot:  # the words of such a ply also name the autopilot
                        row.append(-1 - earlier)
                        break
            else:
                row.append(self._ply(number, event, owned))
                shown.append((owned, event, index))
        return row

    def _ply(self, number: int, event: Json, owned: bool) -> dict[str, Json]:
        """Return a ply for the document.

        ``seat``: None for chance; ``event``: what the view saw; ``legal``: numbers of words.
        ``owned``: whether the view shows the decision.
        """
        ply, table = self._record.plies[number], self._table
        autopilot = owned and ply.autopilot
        words = replay.action_words(self._board, table, event, ply.action, autopilot)
        shown: dict[str, Json] = {
            "seat": ply.seat,
            "words": words + self._gains[number],
            "event": {} if event is None else event,
            "action": ply.action if owned else None,
            "think_us": self._record.measured.think_us[number] if owned else None,
        }
        if not owned:
            return shown
        if ply.info is not None:
            shown["info"] = ply.info
        if ply.autopilot:
            shown["autopilot"] = True
        legal = self._seen.legal[number]
        if legal and ply.seat is not None:
            asked, choice = self._seen.observers[ply.seat][number], self._board.choice
            told, known = [choice(action, asked, table) for action in legal], self.words
            shown["legal"] = [known.setdefault(each, len(known)) for each in told]
            shown["chosen"] = self._seen.chosen[number]
        return shown


def all_views(game: replay.Replay) -> list[replay.View]:
    """Return all views of a game: of everything, each seat and, with several seats, a spectator."""
    seats = range(len(game.record.header.spec.entrants))
    public = [SPECTATOR] if len(seats) > 1 else []
    return [replay.view_of(game, seat) for seat in (None, *seats, *public)]
