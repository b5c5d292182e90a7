"""Documents of ``--json``, and the JSON Schemas of what arena reads and writes, and of games.

The schema of a document is that of its structure.
"""

from __future__ import annotations

from typing import Any, Final

from arena import extensions
from arena.games.registry import GAMES
from arena.referee.protocol.messages import MESSAGES, PROTOCOL
from arena.values.bad_input import BadInput, needed_extension
from arena.values.problems import check_one_of, quote
from arena.values.schema import DIALECT, components, of_lines, of_type

_STRUCTURES: Final = {
    "arena.error/1": "arena.values.schema:ErrorDocument",
    "arena.games/1": "arena.views.game.list_text:GamesDocument",
    "arena.match/1": "arena.ratings.match.report:MatchReport",
    "arena.opened/1": "arena.cli.commands.run:OpenedDocument",
    "arena.ratings/1": "arena.views.standings.tables:StandingsDocument",
    "arena.replay/1": "arena.views.game.text:ReplayDocument",
    "arena.standings/2": "arena.views.standings.tables:StandingsDocument",
    "arena.verify/1": "arena.cli.commands.verify:VerifyDocument",
}
"""Structure of each document that no extension brings, as module and class."""


def documents() -> dict[str, str]:
    """Return module and class of the structure of each document, by name."""
    return dict(sorted((extensions.places("documents") | _STRUCTURES).items()))


def document_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a document. ``name``: one of ``documents()``."""
    return of_type(extensions.load(documents()[name]), name)


_FILES: Final = {
    "protocol": "arena.cli.documents:_protocol_schema",
    "tournament": "arena.runs.config.schemas:schema_tournament",
    "bot": "arena.runs.config.schemas:schema_bot",
    "record": "arena.referee.records.format:schema",
    "result": "arena.runs.store:schema",
}
"""Functions that return the schemas of other things than games and documents."""


def files() -> dict[str, str]:
    """Return module and function of the schema of each thing that is no game or document."""
    return _FILES | extensions.places("schemas") | _FILES  # listed first, and never replaced


def schema_of(what: str, where: str = "WHAT") -> dict[str, Any]:
    """Return a JSON Schema by its name, or by the name of a game or a document.

    ``where``: the argument that gave the name. Raises BadInput for an unknown name, and for one
    whose extension is not here.
    """
    if place := files().get(what):
        made: dict[str, Any] = extensions.load(place)()
        return made
    if what in documents():
        return document_schema(what)
    if hint := needed_extension(what):
        raise BadInput(f"{where}: {quote(what)} {hint}")
    check_one_of(where, what, [*files(), *sorted(GAMES), *documents()])
    return _game_schema(what)


def _protocol_schema() -> dict[str, Any]:
    return of_lines(MESSAGES, f"arena protocol {PROTOCOL}", "One JSON object per line.")


def _game_schema(game: str) -> dict[str, Any]:
    """Return the schemas of a game's observations, events and actions, by name under ``$defs``."""
    family = GAMES[game]
    types = (family.observation_type, *family.event_types, *family.action_types)
    _, definitions = components(types)
    about = {"title": f"{family.title}: observation, events and actions"}
    return DIALECT | about | {"$defs": definitions}
