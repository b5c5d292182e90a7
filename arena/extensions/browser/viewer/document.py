"""One game as the JSON document that the viewer in a browser reads.

A document holds the views that it was built from and nothing else: a document of one seat's view
contains nothing that this seat could not see.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from arena.extensions.browser.viewer.moments import Moment, course_of, moments
from arena.games.board import BoardDisplay, Json, merged
from arena.referee.records.format import Ply
from arena.referee.records.perspective import SPECTATOR, PlyInformation
from arena.values import clean
from arena.values.results import Seat
from arena.views.game import replay
from arena.views.game.text import fault_lines, result_line

SCHEMA: Final = "arena.viewer/3"


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
    """
    first = views[0]
    scores = first.all_scores()
    course = course_of(first, scores)
    observers: dict[str, Json] = {}
    seats = dict.fromkeys(seat for view in views for seat in view.start)
    for view in views:
        for seat in view.start:
            if replay.key_of(seat) not in observers:
                observers[replay.key_of(seat)] = _observer(view, seat, beyond=SPECTATOR in seats)
    return clean.answer(
        SCHEMA,
        game=_game(first),
        observers=observers,
        views=[
            _view(view, scores if view is first else 0, plies, moments(view, course))
            for view, plies in zip(views, _plies(views, scores), strict=True)
        ],
    )


def patch(before: Json, after: Json) -> Json:
    """Return the change from one JSON value to another: None if equal, ``[after]`` if replaced.

    For two objects it is an object of the patches of changed members, with 0 for removed members.
    For two lists of equally many objects it is an object of the patches by index: ``{"2": …}``.
    """
    return None if before == after else _change(before, after)


def _change(before: Json, after: Json) -> Json:
    """Return ``patch`` of two values that differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        changed = {
            key: _change(before[key], value) if key in before else [value]
            for key, value in after.items()
            if key not in before or before[key] != value
        }
        if not before.keys() <= after.keys():
            changed |= dict.fromkeys((key for key in before if key not in after), 0)
        return changed
    if _are_alike(before, after):
        pairs = enumerate(zip(before, after, strict=True))
        return {str(at): _change(old, new) for at, (old, new) in pairs if old != new}
    return [after]


def _are_alike(before: Json, after: Json) -> bool:
    """Return whether both values, which differ, are lists of equally many objects."""
    if not (isinstance(before, list) and isinstance(after, list) and len(before) == len(after)):
        return False
    return isinstance(before[0], dict) and all(isinstance(item, dict) for item in before + after)


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
        "names": [clean.plain(name) for name in view.header.spec.entrants],
        "score": view.replay.score,
        "notices": list(view.replay.notices),
    }


def _observer(view: replay.View, seat: Seat, *, beyond: bool) -> dict[str, Json]:
    """Return the first observation of ``seat`` and its changes by ply.

    ``beyond``: leave out changes that a spectator sees too.
    """
    before, steps = view.start[seat], list[Json]()
    for given in view.plies.seen.plies:
        _, after, changed = given[seat]
        if not beyond and seat != SPECTATOR:
            changed = *given[SPECTATOR].changed, *changed
        if isinstance(after, dict):
            steps.append(_changes(before, after, changed) or None)
        else:
            steps.append(patch(before, after))
        before = after
    return {"start": view.start[seat], "steps": steps}


def _changes(before: Json, after: Json, names: Iterable[str]) -> dict[str, Json]:
    """Return ``patch`` of two objects whose members ``names`` differ, perhaps in order alone."""
    changes: dict[str, Json] = {}
    for name in names:
        if name not in after:
            changes[name] = 0
        elif name not in before:
            changes[name] = [after[name]]
        elif change := _change(before[name], after[name]):
            changes[name] = change
    return changes


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


def _plies(views: Sequence[replay.View], scores: Sequence[Json]) -> list[list[Json]]:
    """Return by view its plies, or indices of earlier views that show the same ply.

    Views of one game show the same of a ply if they saw the same event and either all or none of
    them know the decision.
    """
    told: list[list[Json]] = [[] for _ in views]
    hidden = [{"seat": None, "words": replay.nothing_seen(view), "hidden": True} for view in views]
    alone = [next(iter(view.start)) if len(view.start) == 1 else None for view in views]
    plies, board = views[0].plies, views[0].board
    for number, (ply, given) in enumerate(zip(plies.record.plies, plies.seen.plies, strict=True)):
        shown: list[tuple[bool, Json, int]] = []
        for index, view in enumerate(views):
            seat = alone[index]
            event = _joint(view, given, ply) if seat is None else given[seat].event
            owned = view.seat is None or view.seat == ply.seat
            if event is None and not owned:
                told[index].append(hidden[index])
                continue
            for was_owned, known, earlier in shown:
                if (known is event or known == event) and was_owned >= owned:
                    if was_owned == owned:
                        told[index].append(earlier)
                        break
                    if not ply.autopilot:  # the words of such a ply also name the autopilot
                        told[index].append(-1 - earlier)
                        break
            else:
                told[index].append(_ply(view, board, number, event, scores, owned))
                shown.append((owned, event, index))
    return told


def _joint(view: replay.View, given: Mapping[Seat, PlyInformation], ply: Ply) -> Json:
    """Return the events that the seats of a view saw of a ply, merged; None if they saw nothing."""
    events = {s: event for s in view.start if (event := given[s].event) is not None}
    return merged(events, ply.seat) or None


def _ply(
    view: replay.View,
    board: BoardDisplay,
    number: int,
    event: Json,
    scores: Sequence[Json],
    owned: bool,
) -> dict[str, Json]:
    """Return a ply for the document.

    ``seat``: None for chance; ``event``: what the view saw; ``legal``: in words. ``owned``: whether
    the view shows the decision.
    """
    plies = view.plies
    ply = plies.record.plies[number]
    words = replay.action_words(board, view.table, event, ply.action, owned and ply.autopilot)
    shown: dict[str, Json] = {
        "seat": ply.seat,
        "words": words + replay.gains_words(view, scores[number], scores[number + 1]),
        "event": {} if event is None else event,
        "action": ply.action if owned else None,
        "think_us": plies.record.measured.think_us[number] if owned else None,
    }
    if not owned:
        return shown
    if ply.info is not None:
        shown["info"] = ply.info
    if ply.autopilot:
        shown["autopilot"] = True
    legal = plies.seen.legal[number]
    if legal and ply.seat is not None:
        asked, table, choice = plies.seen.before(number, ply.seat), view.table, board.choice
        shown["legal"] = [choice(action, asked, table) for action in legal]
        shown["chosen"] = plies.seen.chosen[number]
    return shown
