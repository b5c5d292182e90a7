"""The page around one game: a file that opens from disk and asks nothing of a network."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from typing import Any, Final

import msgspec

STYLES: Final = ("theme.css", "cards.css")
SCRIPTS: Final = ("vendor/htm-preact.js", "namespace.js", "viewer.js")
"""In the order in which they need each other; boards come after them."""


def asset(name: str) -> str:
    """The text of a file that belongs to the pages."""
    return resources.files(__package__).joinpath("assets", name).read_text("utf-8")


def boards(suffix: str) -> Iterator[str]:
    """The texts of all boards' files of a kind."""
    folder = resources.files(__package__).joinpath("assets", "boards")
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(suffix):
            yield file.read_text("utf-8")


def page(document: dict[str, Any]) -> str:
    """The game as one HTML file."""
    data = msgspec.json.encode(document).decode().replace("<", "\\u003c")
    styles = "\n".join([*map(asset, STYLES), *boards(".css")])
    scripts = "\n".join([*map(asset, SCRIPTS), *boards(".js")])
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>arena</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>{styles}</style></head><body><div id="app"></div>
<script type="application/json" id="game">{data}</script>
<script>{scripts}
arena.replay(document.getElementById("app"),
  JSON.parse(document.getElementById("game").textContent));</script></body></html>
"""
