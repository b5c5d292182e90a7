"""The lists of columns in docs/data.md, from the code: ``python -m docs.tools.data_page``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from arena.extensions.data.tables.card import column_lines
from arena.extensions.data.tables.columns import TABLES

PAGE: Final = Path(__file__).parents[1] / "data.md"
_HEADING: Final = "## Columns\n"


def page() -> str:
    """Return the Markdown of the page with its lists as the code has them."""
    before, heading, after = PAGE.read_text("utf-8").partition(_HEADING)
    introduction = re.split(r"^### ", after, flags=re.MULTILINE)[0].strip("\n")
    lists = (
        f"### {name}\n\nA row for each {table.row}.\n\n" + "\n".join(column_lines(table)) + "\n"
        for name, table in TABLES.items()
    )
    return f"{before}{heading}\n{introduction}\n\n" + "\n".join(lists)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
