"""The site of the documentation, and the page of commands."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from arena.cli.app import load
from docs.tools import cli_page, notebook, site
from docs.tools.steps import Command, steps

ROOT = Path(__file__).parents[2]


def targets(entries: list[Any]) -> list[str]:
    """The pages of a navigation."""
    found: list[str] = []
    for entry in entries:
        for target in entry.values():
            found += [target] if isinstance(target, str) else targets(target)
    return found


def test_navigation_has_every_page_once() -> None:
    entries = site.navigation((ROOT / site.INDEX).read_text("utf-8"))
    loose = ["Glossary", "Questions and answers", "Security policy", "Changing arena", "Changelog"]
    assert [next(iter(entry)) for entry in entries] == ["Home", *site.SECTIONS, *loose]
    assert sorted(targets(entries)) == sorted({*site.pages()} - {site.INDEX})


def _anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}


def test_links_lead_somewhere() -> None:
    for name in site.pages():
        page = ROOT / name
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
            if "://" not in link:
                target, _, anchor = link.partition("#")
                to = page.parent / target if target else page
                assert to.exists(), (name, link)
                assert not anchor or anchor in _anchors(to), (name, link)


def test_a_newcomer_takes_the_readme_in() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 120


@pytest.mark.extensions
def test_page_of_commands_is_what_the_code_says() -> None:
    from docs.tools import data_page

    assert cli_page.PAGE.read_text("utf-8") == cli_page.page(), "python -m docs.tools.cli_page"
    assert data_page.PAGE.read_text("utf-8") == data_page.page(), "python -m docs.tools.data_page"
    assert notebook.NOTEBOOK.read_text("utf-8") == notebook.notebook(), (
        "python -m docs.tools.notebook"
    )


def test_lines_of_a_table_on_fairness_are_those_of_the_readme() -> None:
    (step,) = steps((ROOT / "docs" / "fairness.md").read_text("utf-8"))
    assert isinstance(step, Command)
    lines = set(step.shown.splitlines()) - {"..."}
    assert len(lines) == 2
    assert lines <= set((ROOT / "README.md").read_text("utf-8").splitlines())


@pytest.mark.extensions
def test_commands_of_pages_have_known_options() -> None:
    for step in chain.from_iterable(steps((ROOT / page).read_text()) for page in site.pages()):
        if isinstance(step, Command) and step.words[0] == "arena" and step.words[1][0] != "-":
            name, *words = step.words[1:]
            known = {"-h", "--help"} | {
                option for each in load(name).params for option in each.opts + each.secondary_opts
            }
            used = {word for word in words if re.fullmatch(r"--?[a-z][\w-]*", word)}
            assert used - {"-hex"} <= known, step.words


def test_markdown_of_a_code_host_is_adapted() -> None:
    text = (
        "Words:\n- one, [code](arena/cli), [page](protocol.md)\n  - below\n    more\n"
        "1. first\n   second\n\n   ```yaml games\n   a: 1\n   ```\n"
    )
    assert site.adapted(text, "README.md") == (
        "Words:\n\n- one, code, [page](protocol.md)\n    - below\n        more\n"
        "\n1. first\n    second\n\n    ```yaml\n    a: 1\n    ```\n"
    )


@pytest.mark.slow
@pytest.mark.process
def test_site_is_built_and_a_broken_link_fails(tmp_path: Path) -> None:
    pytest.importorskip("zensical")
    assert site.build(tmp_path / "site") == 0
    for page in site.pages():
        assert (
            (tmp_path / "site" / page.replace("README.md", "index.md"))
            .with_suffix(".html")
            .is_file()
        )
    found = json.loads((tmp_path / "site" / "search.json").read_text("utf-8"))
    assert "withdrawn" in json.dumps(found)
    config = site.stage(tmp_path / "broken")
    with (tmp_path / "broken" / "pages" / "docs" / "faq.md").open("a") as page:
        page.write("\n[nowhere](glossary.md#nowhere)\n")
    command = [sys.executable, "-m", "zensical", "build", "--strict", "-f", str(config)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "anchor does not exist" in done.stdout + done.stderr
    shutil.rmtree(tmp_path / "broken")
