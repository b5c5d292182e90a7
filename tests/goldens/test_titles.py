"""Games have one name in all that people read; ids and keys keep theirs."""

import re
from pathlib import Path

EXPECTED = Path(__file__).parent / "expected"
RUNS = ("duel", "four", "solo", "several", "faults", "half", "match", "seats", "shards")
GAMES = "dragon(?:heart|krak|realm)"
KEYS = re.compile(
    rf"{GAMES}-\d[-/:.]\S*"  # ids of games and of parts of a page
    rf'|"(?:tab-|#)?(?:of-)?{GAMES}-\d[^"]*"'
    r"|^\$ .*|^Discipline \S+$"
    rf"|^[ -]*(?:rules|name): .*|arena.facts\S*|games\.{GAMES}\S+"  # what people type
    rf"|(?:-g|run|rules|folder:|/runs/) ?\S*{GAMES}\S*",
    re.MULTILINE,
)
OTHER = re.compile(rf"\b{GAMES}\b|Drachen\w+")


def test_no_form_for_people_names_a_game_by_its_key_or_by_a_foreign_title() -> None:
    found, titled = [], 0
    for path in [each for run in RUNS for each in (EXPECTED / run).rglob("*")]:
        text = path.read_text("utf-8") if path.suffix in (".txt", ".md", ".html") else ""
        if "csv" not in path.name and '"schema"' not in text:
            titled += "Dragonheart, Kosmos edition" in text
            lines = KEYS.sub("", text).splitlines()
            found += [
                f"{path.relative_to(EXPECTED)}: {each}" for each in lines if OTHER.search(each)
            ]
    assert not found, "\n".join(found)
    assert titled > 30
