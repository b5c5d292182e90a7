"""The documentation as a web site: ``python -m docs.tools.site [FOLDER]``; a broken link fails.

The pages stay plain Markdown with relative links, as a code host shows them. They are copied to a
scratch folder with the layout of the repository, adapted to the generator's Markdown, and built
with Zensical. The navigation is the lists of docs/README.md.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
HERE: Final = Path(__file__).parent
INDEX: Final = "docs/README.md"
TOP: Final = ("README", "ARCHITECTURE", "CHANGELOG", "CONTRIBUTING", "SECURITY", "protocol")
SECTIONS: Final = ("Tutorial", "How-to", "Reference", "Explanation")
"""Sections of the index that are sections of the navigation."""
LOOSE: Final = "More"
"""Section of the index whose pages stand in the navigation by themselves, in its order."""

_FENCE: Final = re.compile(r"^( *)(`{3,}|~{3,})(\w*).*$")
_FENCED: Final = re.compile(r"^( *```.*?^ *```)$", re.DOTALL | re.MULTILINE)
_ITEM: Final = re.compile(r"^( *)([-*]|\d+\.) +(?=\S)")
_LINK: Final = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def pages() -> list[str]:
    """Return the paths of all pages, relative to the repository."""
    found = [*(ROOT / "docs").rglob("*.md"), ROOT / "benchmarks" / "README.md"]
    return sorted([f"{name}.md" for name in TOP] + [str(path.relative_to(ROOT)) for path in found])


def navigation(index: str) -> list[Any]:
    """Return the navigation: names with a page or a list each, from the lists of the index."""
    found: list[Any] = [{"Home": "README.md"}]
    for section in re.split(r"^## ", index, flags=re.M)[1:]:
        title, _, text = section.partition("\n")
        if title not in (*SECTIONS, LOOSE):
            continue
        entries: list[Any] = found if title == LOOSE else []
        below = entries
        for group, name, target in re.findall(
            r"^(?:\*\*(.+)\*\*|- \[(.+?)\]\((\S+?)\).*)$", text, re.M
        ):
            if group:
                below = []
                entries.append({group: below})
            else:
                below.append({name: str((Path("docs") / target).as_posix())})
        if title != LOOSE:
            found.append({title: entries})
    return json.loads(json.dumps(found).replace("docs/../", ""))


def adapted(text: str, page: str) -> str:
    """Return the Markdown of a page for the generator.

    Nested lists get four spaces a level, lists an empty line before them, fences one word. A link
    to a file that is no page becomes its text, because the site does not hold that file.
    """
    known = set(pages())

    def link(found: re.Match[str]) -> str:
        target = found[2].partition("#")[0]
        if not target or "://" in target:
            return found[0]
        path = (ROOT / page).parent.joinpath(target).resolve().relative_to(ROOT)
        is_page = str(path) in known or path.suffix == ".png"
        return found[0] if is_page or not (ROOT / path).exists() else found[1]

    parts = _FENCED.split(text)
    parts[::2] = [_LINK.sub(link, part) for part in parts[::2]]
    return "\n".join(_lines("".join(parts).splitlines())) + "\n"


def _lines(lines: list[str]) -> Iterator[str]:
    """Yield the lines with the generator's indentation."""
    columns: list[int] = []  # where the text of each open list item begins
    shift, fence, before = 0, "", ""
    for line in lines:
        found = _FENCE.match(line)
        if fence:
            yield (" " * shift + line) if shift > 0 else line[-shift:]
            if found and found[2].startswith(fence) and not found[3]:
                fence = ""
            continue
        indent = len(line) - len(line.lstrip())
        item = _ITEM.match(line)
        if line and (item or found or not before):
            while columns and indent < columns[-1]:
                columns.pop()
        inside = len(columns)
        shift = 4 * inside - (columns[-1] if columns else 0) if line else 0
        if indent < (columns[-1] if columns else 0):
            shift = 0  # a line that continues its item without indentation
        if item:
            if before and not _ITEM.match(before) and not inside:
                yield ""
            columns.append(item.end())
        text = line
        if found:
            fence = found[2]
            text = f"{found[1]}{found[2]}{found[3]}"
        yield (" " * shift + text) if shift >= 0 else text[-shift:]
        before = line


def toml(value: Any) -> str:
    """Return a value of strings, lists and tables as inline TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def stage(folder: Path) -> Path:
    """Write the pages and the configuration to ``folder``; return the configuration."""
    for page in pages():
        path = folder / "pages" / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(adapted((ROOT / page).read_text("utf-8"), page), "utf-8")
    shutil.copytree(ROOT / "docs" / "pictures", folder / "pages" / "docs" / "pictures")
    shutil.copy(HERE / "site.css", folder / "pages" / "site.css")
    nav = navigation((ROOT / INDEX).read_text("utf-8"))
    config = (HERE / "zensical.toml").read_text("utf-8").replace("nav = []", f"nav = {toml(nav)}")
    path = folder / "zensical.toml"
    path.write_text(config, "utf-8")
    return path


def build(into: Path) -> int:
    """Build the site strictly; return the exit code of the generator."""
    with tempfile.TemporaryDirectory() as scratch:
        config = stage(Path(scratch))
        command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
        done = subprocess.run([*command, "-f", str(config)], cwd=scratch, check=False)
        if done.returncode == 0:
            shutil.rmtree(into, ignore_errors=True)
            shutil.copytree(Path(scratch) / "site", into)
    return done.returncode


def main() -> None:
    """Build the site into the folder that is given."""
    parser = argparse.ArgumentParser(prog="python -m docs.tools.site", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "docs")
    asked = parser.parse_args()
    code = build(asked.folder)
    if code == 0:
        print(f"{asked.folder}/index.html")
    sys.exit(code)


if __name__ == "__main__":
    main()
