"""Pages, docstrings, comments and messages use plain words: no turn of phrase listed here."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]

BANNED: Final = {
    "told, tells": r"\b(un)?told\b|\btells\b",
    "whoever": r"\b([Ww]hoever|whomever)\b",
    "whom": r"\b(?<!meet )(?<!meets )(?<!met )(?<!played )whom\b(?! (they|it) )",
    "he, him, his": r"\b(he|him|his|himself)\b",
    "comes to, came of": r"(?<!goblin )\b(comes|came) (to|of)\b(?! (an end|a halt|one))",
    "made of": r"\bmade of\b",
    "by now": r"\bby now\b",
    "anew": r"\banew\b",
    "so many": r"\bso many\b(?! \w+ that)",
    "so far as": r"\bso far as\b",
    "in vain": r"\bin vain\b",
    "in hand": r"(?<!cards )\bin hand\b",
    "is over": r"\b(is|are|was|were) over(?! (a|an|the|it|its|their|this|that|all|time|\d|`))\b",
    "goes on": r"\b(goes|went|gone) on\b(?! top)",
    "put aside": r"\bput aside\b",
    "is none": r"(?<!there )(?<!There )\b(is|are) none\b",
    "taken in": r"\btaken in\b",
    "of it only": r"\b[Oo]f (it|them) only\b",
}
"""Turn of phrase → pattern. The plain words for them: CONTRIBUTING.md."""

PAGES: Final = [
    *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md")),
    ROOT / "protocol.md",
    ROOT / "benchmarks" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]


def findings(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and turn of each banned turn in `text`; code spans and blocks are left out."""
    text = re.sub(
        r"^```.*?^```", lambda found: "\n" * found[0].count("\n"), text, flags=re.M | re.S
    )
    text = re.sub(r"``?[^`\n]+``?", "", text)
    for turn, pattern in BANNED.items():
        for found in re.finditer(pattern, text):
            yield text.count("\n", 0, found.start()) + 1, turn


def spoken(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of each docstring, comment and message of a Python file."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value


def test_code_uses_plain_words() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{start + line - 1}: {turn}"
        for path in (ROOT / "arena").rglob("*.py")
        for start, text in spoken(path.read_text())
        for line, turn in findings(text)
    ]
    assert not found, "\n".join(sorted(found))


def test_pages_use_plain_words() -> None:
    found = [
        f"{page.relative_to(ROOT)}:{line}: {turn}"
        for page in PAGES
        for line, turn in findings(page.read_text())
    ]
    assert not found, "\n".join(sorted(found))


def test_long_pages_list_their_sections() -> None:
    for page in PAGES:
        text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
        if len(text.splitlines()) > 80 and page.name not in ("hostile-bots.md", "protocol.md"):
            head, *sections = re.split(r"^## ", text, flags=re.M)
            titles = [section.partition("\n")[0] for section in sections]
            anchors = [re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles]
            lines = "\n".join(f"- [{t}](#{a})" for t, a in zip(titles, anchors, strict=True))
            assert all(f"(#{anchor})" in head for anchor in anchors), f"{page}:\n{lines}"


def test_private_turns_are_found() -> None:
    private = "Whoever is told of it goes on by now. The run is over, and he has games in hand."
    assert {turn for _, turn in findings(private)} == {
        *("whoever", "told, tells", "goes on", "by now", "is over", "he, him, his", "in hand")
    }
    plain = "Who meets whom is shown over time. There is none. So many games that it ends."
    assert list(findings(plain)) == []
