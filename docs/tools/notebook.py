"""The notebook docs/api.ipynb, from docs/api.md: ``python -m docs.tools.notebook`` writes it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

PAGE: Final = Path(__file__).parents[1] / "api.md"
NOTEBOOK: Final = PAGE.with_suffix(".ipynb")
_BLOCK: Final = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$\n?", re.DOTALL | re.MULTILINE)
_COMMAND: Final = re.compile(r"^\$ (arena .*)$", re.MULTILINE)


def notebook() -> str:
    """Return the notebook: a cell for each file and each command of arena, and for the text."""
    cells: list[dict[str, Any]] = []
    text, place = PAGE.read_text("utf-8"), 0
    for block in _BLOCK.finditer(text):
        language, name, code = block.groups()
        _add(cells, "markdown", text[place : block.start()])
        place = block.end()
        if language == "python":
            _add(cells, "code" if name else "markdown", code if name else block[0])
        else:
            _add(cells, "code", "\n".join(f"!{line}" for line in _COMMAND.findall(code)))
    _add(cells, "markdown", text[place:])
    document = {
        "cells": cells,
        "metadata": {"kernelspec": {"display_name": "Python 3", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _add(cells: list[dict[str, Any]], kind: str, text: str) -> None:
    """Add a cell, unless it is empty."""
    if text := text.strip("\n"):
        cell = {"id": f"cell-{len(cells)}", "cell_type": kind, "metadata": {}}
        more = {"execution_count": None, "outputs": []} if kind == "code" else {}
        cells.append(cell | more | {"source": text.splitlines(keepends=True)})


if __name__ == "__main__":
    NOTEBOOK.write_text(notebook(), "utf-8")
