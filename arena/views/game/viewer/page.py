"""The page of one game: a file that opens from disk and requests nothing from a network."""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterable, Iterator
from importlib import resources
from typing import Any, Final

import msgspec

from arena.games.guarded_board import drawing_texts
from arena.text import clean

STYLES: Final = ("theme.css", "cards.css", "viewer.css", "viewer/forms.css", "generic.css")
SCRIPTS: Final = (
    "vendor/htm-preact.js",
    "namespace.js",
    "viewer/model.js",
    "viewer/place.js",
    "viewer/theme.js",
    "viewer/keys.js",
    "viewer/timeline.js",
    "viewer/moves.js",
    "viewer/panel.js",
    "viewer/transport.js",
    "viewer/help.js",
    "viewer/shell.js",
    "viewer.js",
    "generic.js",
)
"""Scripts in the order of their dependencies; the board of the game follows them."""
_MOUNT: Final = """arena.replay(document.getElementById("app"),
  JSON.parse(document.getElementById("game").textContent));"""


def asset(name: str, package: str = __package__) -> str:
    """Return the text of a file in the folder ``assets`` of a package."""
    return resources.files(package).joinpath("assets", name).read_text("utf-8")


def board_styles(games: Iterable[str]) -> Iterator[str]:
    """Yield the styles of the boards that these games provide."""
    for game in games:
        if (drawing := drawing_texts(game)) is not None:
            yield from drawing.styles


def board_scripts(games: Iterable[str]) -> Iterator[str]:
    """Yield the scripts of the boards, each after the facts that it needs of its rules."""
    for game in games:
        if (drawing := drawing_texts(game)) is not None:
            facts = json_for_html(msgspec.Raw(drawing.facts))
            yield f"arena.facts[{json_for_html(game)}] = {facts};"
            yield from drawing.scripts


def json_for_html(value: Any) -> str:
    """Return JSON that is safe in a ``<script>`` of HTML: no text in it ends the element."""
    return clean.json_text(msgspec.json.encode(value)).replace("<", "\\u003c")


def policy(scripts: Iterable[str], *, also: str = "") -> str:
    """Return a Content-Security-Policy that allows these scripts and no requests.

    ``also``: a further source from which the page may load scripts.
    """
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    hashes = (f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    sources = " ".join([also, *hashes]).strip()
    return (
        f"default-src 'none'; script-src {sources}; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'"
    )


def _listed(view: dict[str, Any]) -> str:
    """Return the plies of a view as a list, for a browser without JavaScript."""
    plies = "\n".join(f"<li>{html.escape(ply['words'])}</li>" for ply in view["plies"])
    return f"""<p>{html.escape(view["result"])}</p>
<p>Shown: {html.escape(view["name"])}. The board needs JavaScript, which is switched off here.</p>
<ol start="0">
{plies}
</ol>"""


def page(document: dict[str, Any]) -> str:
    """Return the game as one HTML file."""
    game = document["game"]
    styles = "\n".join([*map(asset, STYLES), *board_styles([game["rules"]])])
    viewer = "\n".join(map(asset, SCRIPTS))
    scripts = [viewer, *board_scripts([game["rules"]]), _MOUNT]
    elements = "\n".join(f"<script>{script}</script>" for script in scripts)
    title = html.escape(clean.shown(f"{' – '.join(game['names'])} · {game['title']}"))
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{html.escape(policy(scripts))}">
<title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<style>{styles}</style></head><body><div id="app"></div>
<noscript><div class="stage"><h1>{title}</h1>
{_listed(document["views"][0])}</div></noscript>
<script type="application/json" id="game">{json_for_html(document)}</script>
{elements}</body></html>
"""
