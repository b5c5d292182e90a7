"""The languages of the kit, each skipped where this machine has not what it needs."""

from __future__ import annotations

import pytest

from arena.entrants.toolchains import need_problem
from arena.extensions.authors.kit.languages import LANGUAGES, Language


def language(name: str) -> Language:
    """The language, if bots in it can be built and started here."""
    found = LANGUAGES[name]
    problems = [need_problem(*need) for need in found.needs]
    if any(problems):
        pytest.skip(f"kit in {found.title}: {'; '.join(filter(None, problems))}")
    return found
