"""The shell of every page: the templates of report, site and ladder, and a page without scripts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

import jinja2
from markupsafe import Markup

from arena.views.game.viewer import page as viewer
from arena.views.page.blocks.block import PageBlock
from arena.views.page.drawing import escape

PAGE: Final = "arena.views.page"
"""Package of the templates and assets that all pages share."""


def template(name: str, package: str = PAGE) -> jinja2.Template:
    """Return a template of ``package``, which may use those of all pages."""
    return _environment(package).get_template(name)


@cache
def _environment(package: str) -> jinja2.Environment:
    """Return what compiles the templates of a package, each once in a process."""
    packages = dict.fromkeys((package, PAGE))
    return jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(each) for each in packages]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        finalize=lambda value: escape(value) if isinstance(value, str) else value,
    )


def plain_page(title: str, blocks: Sequence[PageBlock], notices: Sequence[str]) -> str:
    """Return the page of a ladder, without scripts; ``notices``: texts below the title."""
    style = "\n".join([viewer.asset("theme.css"), viewer.asset("report.css", PAGE)])
    return template("plain.html.jinja").render(
        title=title,
        generator="arena ladder",
        policy=viewer.policy(()),
        style=Markup(style),
        blocks=blocks,
        notices=notices,
    )
