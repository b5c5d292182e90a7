"""The page of an unveiling: one file for a projector, which requests nothing."""

from __future__ import annotations

from typing import Final

import msgspec
from markupsafe import Markup

from arena.extensions.browser.page.html import PAGE, Addresses, rendered
from arena.extensions.browser.unveil.steps import Unveiling
from arena.extensions.browser.viewer import viewer
from arena.extensions.browser.viewer.viewer import for_page

GENERATOR: Final = "arena unveil"


def page(shown: Unveiling) -> str:
    """Return the text of the HTML file."""
    script = viewer.asset("unveil.js", PAGE)
    return rendered(
        "unveil.html.jinja",
        Addresses(),
        generator=GENERATOR,
        policy=viewer.policy([script]),
        shown=shown,
        style=Markup("\n".join([viewer.asset("theme.css"), viewer.asset("unveil.css", PAGE)])),
        script=Markup(script),
        document=Markup(viewer.json_for_html(for_page(msgspec.to_builtins(shown)))),
    )
