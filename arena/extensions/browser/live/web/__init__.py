"""The page of a watched run: the files that a server sends besides the document."""

from __future__ import annotations

from typing import Final, NamedTuple

from arena.extensions.browser.viewer.viewer import asset

STATE: Final = "state"
"""Name under which the page requests the document, relative to its own address."""


class PageFile(NamedTuple):
    """A file of the page."""

    kind: str
    """Media type of the file."""
    data: bytes


def parts() -> dict[str, PageFile]:
    """Return all files of the page, by name relative to its own address."""
    styles = "\n".join([asset("theme.css"), _own("watch.css")])
    names = ("charts.js", "watch.js")
    scripts = "\n".join([asset("vendor/htm-preact.js"), *map(_own, names)])
    return {
        "": PageFile("text/html; charset=utf-8", _own("watch.html").encode()),
        "watch.css": PageFile("text/css; charset=utf-8", styles.encode()),
        "watch.js": PageFile("text/javascript; charset=utf-8", scripts.encode()),
    }


def _own(name: str) -> str:
    return asset(name, __package__)
