"""One game as the JSON document that the viewer in a browser reads.

A document holds the views it was made of and nothing else: what a seat could not see is in no
document that was made of that seat's view alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import arena
from arena.games.board import Json
from arena.records.perspective import SPECTATOR, plain
from arena.results import Seat
from arena.text import clean
from arena.views.game.moments import moments
from arena.views.game.replay import Shown, View, is_shown, sentence, view_name
from arena.views.game.text import fault_lines, result_line

SCHEMA: Final = "arena.viewer/1"


def document(views: Sequence[View]) -> dict[str, Json]:
    """What the viewer shows of one game, in JSON types; ``views``: of that game, at least one.

    ``observers`` has by seat (``"0"``, ``"spectator"``) the observation before the first ply and
    for each ply how it changes, see ``patch``. ``views`` tells which observers a view has, and what
    it shows of each ply.
    """
    first = views[0]
    observers: dict[str, Json] = {}
    for view in views:
        for seat in view.start:
            observers.setdefault(key_of(seat), _observer(view, seat))
    return {
        "schema": SCHEMA,
        "arena": arena.__version__,
        "game": _game(first),
        "observers": observers,
        "views": [_view(view) for view in views],
    }


def key_of(seat: Seat | None) -> str:
    """A view or observer in a document: ``all``, ``spectator``, ``0`` …"""
    if seat is None:
        return "all"
    return "spectator" if seat == SPECTATOR else str(seat)


def patch(before: Json, after: Json) -> Json:
    """How a JSON value becomes another: None if it stays, ``[after]`` if it is replaced.

    An object that stays one becomes an object of the patches of its changed members, 0 for those
    that are gone.
    """
    if before == after:
        return None
    if not (isinstance(before, dict) and isinstance(after, dict)):
        return [after]
    changed = {
        key: patch(before[key], value) if key in before else [value]
        for key, value in after.items()
        if key not in before or before[key] != value
    }
    return changed | dict.fromkeys((key for key in before if key not in after), 0)


def _game(view: View) -> dict[str, Json]:
    return {
        "id": view.spec.game_id,
        "discipline": view.spec.discipline,
        "number": view.number,
        "games": view.games,
        "run": view.run,
        "rules": view.rules,
        "title": view.title,
        "options": view.options,
        "names": [clean.plain(name) for name in view.spec.entrants],
        "score": view.score,
        "notices": list(view.notices),
    }


def _observer(view: View, seat: Seat) -> dict[str, Json]:
    seen = [view.start[seat], *(ply.after[seat] for ply in view.plies)]
    return {
        "start": seen[0],
        "steps": [patch(before, after) for before, after in pairwise(seen)],
    }


def _view(view: View) -> dict[str, Json]:
    positions = range(len(view.plies) + 1)
    return {
        "key": key_of(view.seat),
        "name": view_name(view),
        "observers": [key_of(seat) for seat in view.start],
        "bot_seeds": {str(seat): seed for seat, seed in view.bot_seeds.items()},
        "plies": [_ply(view, ply) for ply in view.plies],
        "scores": [view.scores_at(position) for position in positions],
        "moments": [moment._asdict() for moment in moments(view)],
        "termination": view.termination.value,
        "places": view.places,
        "final": view.scores,
        "result": result_line(view),
        "faults": [
            {"seat": fault.seat, "ply": fault.ply, "lines": list(fault_lines(view, fault))}
            for fault in view.faults
        ],
    }


def _ply(view: View, ply: Shown) -> dict[str, Json]:
    """``seat``: None for chance; ``event``: what the view saw; ``legal``: in words."""
    shown: dict[str, Json] = {"seat": ply.seat, "words": sentence(view, ply)}
    if not is_shown(ply):
        return shown | {"hidden": True}
    shown |= {"event": ply.event, "action": ply.action, "think_us": ply.think_us}
    if ply.info is not None:
        shown["info"] = ply.info
    if ply.autopilot:
        shown["autopilot"] = True
    if ply.legal and ply.seat is not None:
        asked, table = ply.before[ply.seat], view.table
        shown["legal"] = [view.board.choice(action, asked, table) for action in ply.legal]
        # a record that was never written has tuples where JSON has lists
        shown["chosen"] = ply.legal.index(plain(ply.action))
    return shown
