"""Writes docs/games/openspiel.md and the table of OpenSpiel's games, by playing each of them.

Each game is played in a process of its own at each table size, because some end the interpreter:

    python -m docs.tools.openspiel_games [GAME ...]
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
TABLE: Final = ROOT / "arena" / "extensions" / "games" / "openspiel" / "table.py"
PAGE: Final = ROOT / "docs" / "games" / "openspiel.md"
_MOST_SEATS: Final = 10
_GAMES: Final = 20
"""Random games of each table, unless they take longer than ``_SECONDS``."""
_SECONDS: Final = 6
_LIMIT: Final = 240
"""Seconds after which a process has hung."""
_PLAYERS: Final = ("players", "numPlayers", "num_players")

_REASONS: Final = {
    "(info.max_plies)": "its games exceed OpenSpiel's own bound of their length",
    "(info.worst_score)": "its returns exceed OpenSpiel's own bound",
    "LegalActions unimplemented": "its actions have no numbers",
    "UnicodeDecodeError": "its texts are damaged",
}
"""What a fragment of an error stands for."""


def kinds() -> list[Any]:
    """Return what OpenSpiel says of its games."""
    import pyspiel

    return list(pyspiel.registered_games())


def refusal(kind: Any) -> str:
    """Return why a game cannot be played, as far as OpenSpiel says so; "" if it does not."""
    import pyspiel

    own = dict(kind.parameter_specification)
    if any(isinstance(default, dict) for default in own.values()) and not kind.default_loadable:
        return "it changes another game, which an option cannot name"
    if not kind.default_loadable:
        return "it needs a file or parameters without a default"
    if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        return "it is a mean field game: one player and a population"
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        return "its chance is drawn inside of OpenSpiel, not by the deal"
    return ""


def sizes(kind: Any) -> list[int]:
    """Return the numbers of seats that a game may have."""
    import pyspiel

    if any(name in kind.parameter_specification for name in _PLAYERS):
        most = min(kind.max_num_players, _MOST_SEATS)
        return list(range(kind.min_num_players, most + 1))
    return [pyspiel.load_game(kind.short_name).num_players()]


def probe(member: str, seats: int) -> dict[str, Any]:
    """Play random games at a table, check the contract, and return what was found."""
    from arena.extensions.games.openspiel.family import game_of
    from arena.extensions.games.openspiel.state import installed
    from arena.testing import CHECKS, play

    game = game_of(installed(member, member, (seats,), 1))
    found: dict[str, Any] = {"whole": True, "plies": 0, "games": 0, "shows_all": False}
    begin = time.monotonic()
    rules = game.rules(seats, {}, {})
    for number in range(_GAMES):
        if number and time.monotonic() - begin > _SECONDS:
            break
        played = play(rules, f"{member}:{number}")
        for check in CHECKS:
            check(played, game)
        for ply in played.plies[:: max(1, len(played.plies) // 20)]:
            legal = [] if ply.actor < 0 else rules.legal_actions(ply.before)
            texts = [rules.action_text(ply.before, each) for each in legal]
            if len({*texts}) < len(texts):
                raise ValueError("the texts of actions are not unique")
        last = played.plies[-1].after.engine
        found["whole"] &= all(each == round(each) for each in last.returns())
        found["games"] += 1
        found["plies"] = max(found["plies"], len(played.plies))
        middle = played.plies[len(played.plies) // 2].after
        views = {rules.observe(middle, seat).text for seat in range(seats)}
        found["shows_all"] |= not rules.info.public and views == {str(middle.engine)}
    return found


def probe_apart(member: str, seats: int) -> dict[str, Any]:
    """Run ``probe`` in a process; return its findings, or why there are none as ``reason``."""
    command = [sys.executable, "-m", __spec__.name, "--probe", member, str(seats)]
    try:
        done = subprocess.run(command, capture_output=True, cwd=ROOT, timeout=_LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return {"reason": f"a random game takes more than {_LIMIT} s"}
    if done.returncode < 0:
        return {"reason": f"OpenSpiel ends the interpreter with signal {-done.returncode}"}
    if done.returncode:
        return {"reason": in_words(done.stderr.decode(errors="replace"))}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def in_words(errors: str) -> str:
    """Return what the last line of a traceback says of the game."""
    last = errors.strip().splitlines()[-1]
    words = (text for fragment, text in _REASONS.items() if fragment in last)
    return next(words, last[:200])


def survey(kind: Any) -> dict[str, Any]:
    """Return a row of the table: what is known of a game after it was played."""
    row = {"title": kind.long_name, "seats": [], "scale": 1, "reason": refusal(kind), "plies": 0}
    if row["reason"]:
        return row
    reasons = []
    for seats in sizes(kind):
        found = probe_apart(kind.short_name, seats)
        print(kind.short_name, seats, found, file=sys.stderr, flush=True)
        if "reason" in found:
            reasons.append(found["reason"])
            continue
        row["seats"].append(seats)
        row["plies"] = max(row["plies"], found["plies"])
        row["scale"] = row["scale"] if found["whole"] else 1000
    row["reason"] = "" if row["seats"] else reasons[0]
    return row


def known() -> dict[str, dict[str, Any]]:
    """Return the rows that the files have now."""
    from arena.extensions.games.openspiel.table import GAMES

    plies = re.findall(r"^\| `openspiel\.(\w+)` \|.*\| (\d+) \|", PAGE.read_text(), re.MULTILINE)
    found = dict(plies)
    return {
        member: {**row._asdict(), "plies": int(found.get(member, 0))}
        for member, row in GAMES.items()
    }


def table(rows: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the module with the table of games."""
    lines = [
        '"""OpenSpiel\'s games; written by ``python -m docs.tools.openspiel_games``."""',
        "",
        "from typing import Final, NamedTuple",
        "",
        "",
        "class KnownGame(NamedTuple):",
        '    """One game: what is known without OpenSpiel."""',
        "",
        "    title: str",
        "    seats: tuple[int, ...] = ()",
        "    scale: int = 1",
        '    reason: str = ""',
        '    """Why it cannot be played; empty if it can."""',
        "",
        "",
        "GAMES: Final = {",
    ]
    for member, row in rows.items():
        parts = [_text(row["title"])]
        if row["reason"]:
            parts.append(f"reason={_text(row['reason'])}")
        else:
            parts.append(repr(tuple(row["seats"])))
            parts += [str(row["scale"])] * (row["scale"] != 1)
        lines.append(f'    "{member}": KnownGame({", ".join(parts)}),')
    return "\n".join([*lines, "}", ""])


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def page(rows: Mapping[str, Mapping[str, Any]], version: str, before: str) -> str:
    """Return the page: the text before its table, which people write, and the table."""
    mark = "<!-- table -->"
    plays = sum(not row["reason"] for row in rows.values())
    lines = [
        before.partition(mark)[0] + mark,
        "",
        f"OpenSpiel {version} has {len(rows)} games; {plays} of them can be played.",
        "",
        "| game | title | seats | longest random game | status |",
        "| --- | --- | --- | ---: | --- |",
    ]
    for member, row in rows.items():
        seats = ", ".join(map(str, row["seats"])) or "–"
        status = f"cannot be played: {row['reason']}" if row["reason"] else "plays"
        status = status.replace("|", "\\|")
        if row["scale"] != 1:
            status += "; scores are thousandths"
        cells = f"`openspiel.{member}`", row["title"], seats, str(row["plies"] or "–"), status
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def main(names: list[str]) -> None:
    """Play the named games, or all, and write their rows of the files."""
    if names[:1] == ["--probe"]:
        print(json.dumps(probe(names[1], int(names[2]))))
        return
    from importlib.metadata import version

    chosen = [kind for kind in kinds() if not names or kind.short_name in names]
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(survey, chosen)
        rows = {kind.short_name: row for kind, row in zip(chosen, found, strict=True)}
    if names:
        rows = dict(sorted({**known(), **rows}.items()))
    TABLE.write_text(table(rows), "utf-8")
    PAGE.write_text(page(rows, version("open_spiel"), PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
