"""SVG and HTML from patterns."""

from __future__ import annotations

from markupsafe import Markup, escape


def made(pattern: str, *values: object, **named: object) -> Markup:
    """Return ``Markup(pattern).format(…)`` in a third of the time.

    Values are strings and numbers. Strings are escaped, except for Markup.
    """
    found = [escape(value) if isinstance(value, str) else value for value in values]
    known = {
        name: escape(value) if isinstance(value, str) else value for name, value in named.items()
    }
    return Markup(pattern.format(*found, **known))
