from __future__ import annotations

import pytest

from arena.extensions.browser.viewer.viewer import for_page
from arena.values import titles
from arena.values.titles import entitle


def test_a_document_for_a_page_has_titles_where_it_has_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(titles, "_TITLES", {})
    entitle({"anna": "Änne"})
    found = for_page({"rows": ({"name": "anna", "id": "anna"},), "entrants": ["anna", "bob"]})
    assert found == {"rows": [{"name": "Änne", "id": "anna"}], "entrants": ["Änne", "bob"]}
