"""The runs, and what is called on each: one function for each folder of ``expected``."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from arena.cli.app import commands
from arena.games.registry import GAMES
from tests.goldens.bots import put
from tests.goldens.workshop import Workshop

EXPECTED: Final = Path(__file__).parent / "expected"


def _cup(shop: Workshop, head: str, *bots: str, tail: str = "") -> None:
    """``cup.yaml`` with bots that choose as they are called."""
    for name in bots:
        put(shop.folder / "bots", name, name)
    entrants = "".join(f"  - bot: bots/{name}\n" for name in bots)
    shop.write("cup.yaml", f"arena: 1\nname: cup\n{head}seed: 17\nentrants:\n{entrants}{tail}")


def _tables(
    shop: Workshop, run: str = "cup", forms: Sequence[str] = ("txt",), *, full: bool = False
) -> None:
    """Standings as text and data; that all forms hold the same is held by the tests of cells."""
    for form in forms:
        shop.call(f"standings/{form}.txt", f"standings {run} --format {form}")
        if form == "txt" or full:
            shop.call(f"standings/full-{form}.txt", f"standings {run} --full --format {form}")


def _folder(shop: Workshop, run: str = "cup", *, games: bool = True) -> None:
    """What is in the run folder; with ``games``: the lines and a record of them."""
    shop.tree("folder/names.txt", run)
    for name in (
        *["games.jsonl"] * games,
        "seed.json",
        "standings.txt",
        "standings.json",
    ):
        shop.file(f"folder/{name}", f"{run}/{name}")
    shop.records("folder/records", run, whole=int(games))


def _packs(shop: Workshop, bot: str, run: str = "cup", *, games: bool = True) -> None:
    """Packs: of one bot as a zip file, of everybody as a folder."""
    shop.call("export/for.txt", f"export {run} --for {bot}")
    shop.pack("export/for", f"cup-for-{bot}.zip", games)
    shop.call("export/public.txt", f"export {run} --public -o public --json")
    shop.pack("export/public", "public", games)


def duel(shop: Workshop) -> None:
    """Two seats: Dragonheart, three bots."""
    _cup(
        shop,
        "game: dragonheart\nschedule: {deals: 4}\nclock: {move: 20 s}\n",
        *("first", "last", "chance"),
        tail="ratings: {anchor: first, elo: 1000}\n",
    )
    shop.call("run/dry.txt", "run cup.yaml --dry-run")
    shop.call("run/dry-set.txt", "run cup.yaml --dry-run --set clock.move='2 s' -n 9 --name other")
    shop.call("run/dry-json.txt", "run cup.yaml --dry-run --json")
    shop.call("run/played.txt", "run cup.yaml -o cup -j 1 -v", real=True)
    shop.call("run/again.txt", "run cup.yaml -o cup -j 1")
    shop.call("run/again-quiet.txt", "run cup -q -j 1")
    shop.call("run/again-json.txt", "run cup --json -q -j 1")
    shop.shape("run/manifest-shape.json", "cup/run.json")
    _tables(shop, forms=("txt", "md", "csv", "json"), full=True)
    _folder(shop)
    _packs(shop, "last")
    shop.call("export/again.txt", "export cup --for last")
    shop.call("export/nobody.txt", "export cup --for nobody")
    shop.call("export/tables.txt", "export cup --tables all --format jsonl -o tables")
    shop.file("export/tables-card.md", "tables/README.md")
    shop.call(
        "export/tables-json.txt", "export cup --tables games,seats --format csv --bot last --json"
    )
    for form in ("txt", "md", "csv", "json"):
        shop.call(f"games/{form}.txt", f"games cup --bot last --decided --format {form}")
    shop.call("games/close.txt", "games cup --sort margin --reverse --limit 3")
    shop.call("games/lost.txt", "games cup --bot last --against chance --result lost")
    shop.call("games/none.txt", "games cup --margin 500-")
    shop.call("replay/games.txt", "replay cup")
    shop.call("replay/all.txt", "replay cup 1")
    shop.call("replay/seat.txt", "replay cup 1 --seat 0 --plies 0-20")
    shop.call("replay/spectator.txt", "replay cup 2 --spectator --plies -12")
    shop.call("replay/by-id.txt", "replay cup dragonheart-2/first+last:0:0 --plies 5")
    shop.call("replay/json.txt", "replay cup 3 --json")
    shop.call("replay/color.txt", "replay cup 1 --plies 3-9 --color always")
    shop.call("replay/html.txt", "replay cup 1 --html -o game.html")
    shop.page("replay/html", "game.html")
    shop.call("replay/html-seat.txt", "replay cup 1 --html --seat 1 -o seat.html")
    shop.call("replay/html-json.txt", "replay cup 1 --html --json")
    shop.page("replay/html-seat", "seat.html")
    shop.call("report/all.txt", "report cup")
    shop.page("report/all", "cup/report.html")
    shop.call(
        "report/spectator.txt", "report cup -j 1 --view spectator --games 2 -o public.html --json"
    )
    shop.page("report/spectator", "public.html", games=0)
    shop.call("report/none.txt", "report cup --games none -q -o none.html")
    shop.call("site/first.txt", "site cup public-site -j 1")
    shop.call("site/again.txt", "site cup public-site -j 1 --games 1 --json")
    shop.call("verify/text.txt", "verify cup")
    shop.call("verify/json.txt", "verify cup --json")
    shop.call("verify/commitment.txt", "verify cup --commitment 0123456789abcdef")
    shop.call("watch/once.txt", "watch cup --once", real=True)
    shop.call("watch/end.txt", "watch cup")
    shop.call("plan/text.txt", "plan cup --pair first,chance -j 2")
    shop.call("plan/json.txt", "plan cup --pair first,chance --difference 40 --json -j 2")
    shop.call("plan/precision.txt", "plan cup --precision 30 -j 2")


def four(shop: Workshop) -> None:
    """Four seats: Dragonkrak, five bots, opponents hidden, played by two workers."""
    put(shop.folder / "bots", "other", "chance")
    _cup(
        shop,
        "game: {rules: dragonkrak, seats: 4}\n"
        "schedule: {deals: 2, max_pairings: 4}\nnames: hidden\n"
        "clock: {move: 20 s}\nisolation: none\n",
        *("first", "last", "chance"),
        tail="  - bot: bots/other\n  - {bot: bots/first, name: twin}\n",
    )
    shop.call("run/dry.txt", "run cup.yaml --dry-run")
    shop.call("run/played.txt", "run cup.yaml -o cup -j 2 -q")
    _tables(shop)
    _packs(shop, "last", games=False)
    shop.tree("folder/names.txt", "cup")
    shop.file("folder/standings.txt", "cup/standings.txt")
    shop.records("folder/records", "cup")
    shop.call("games.txt", "games cup --sort swing")
    shop.call("replay/all.txt", "replay cup 1")
    shop.call("replay/seat.txt", "replay cup 1 --seat 3 --plies 0-12")
    shop.call("replay/spectator.txt", "replay cup 2 --spectator --plies -12")
    shop.call("replay/html.txt", "replay cup 2 --html -o game.html")
    shop.call("report/all.txt", "report cup --games 4 -j 1 -o report.html")
    shop.page("report/all", "report.html", games=0)
    shop.call("verify.txt", "verify cup")
    shop.call("plan.txt", "plan cup --pair first,chance -j 2")


def solo(shop: Workshop) -> None:
    """One seat: Dragonkrak alone, two variants."""
    _cup(
        shop,
        "games:\n  - {name: solo, rules: dragonkrak, seats: 1}\n"
        "  - {name: two-dragons, rules: dragonkrak, seats: 1, options: {variant: two_dragons}}\n"
        "schedule: {deals: 6}\nclock: {move: 20 s}\nisolation: none\n",
        *("first", "last", "chance"),
    )
    shop.call("run/dry.txt", "run cup.yaml --dry-run")
    shop.call("run/played.txt", "run cup.yaml -o cup -j 1")
    _tables(shop, forms=("txt", "json"))
    _folder(shop, games=False)
    shop.call("replay/all.txt", "replay cup 1")
    shop.call("replay/seat.txt", "replay cup two-dragons/chance:0:0 --seat 0")
    shop.call("replay/html.txt", "replay cup 1 --html -o game.html")
    shop.page("replay/html", "game.html", games=0)
    shop.call("report/all.txt", "report cup --games 2 -j 1 -o report.html")
    shop.page("report/all", "report.html", games=0)
    shop.call("verify.txt", "verify cup")
    shop.call("watch.txt", "watch cup --once")
    shop.call("plan.txt", "plan cup --pair first,chance -g two-dragons -j 2")


def several(shop: Workshop) -> None:
    """Several games in one file; some of them not for all entrants."""
    put(shop.folder / "bots", "dice", "chance")
    _cup(
        shop,
        "games:\n  - {rules: dragonheart, schedule: {deals: 2}}\n"
        "  - {rules: dragonkrak, seats: 2}\n  - {rules: dragonkrak, seats: 3}\n"
        "  - {rules: dragonrealm, seats: 2, entrants: [chance, dice]}\n"
        "  - {name: alley, rules: dragonrealm, seats: 2, options: {side: alley}, "
        "entrants: [chance, dice]}\n"
        "  - {name: alone, rules: dragonkrak, seats: 1, schedule: {deals: 3}}\n"
        "schedule: {deals: 1}\nclock: {move: 20 s}\nisolation: none\n",
        *("first", "last", "chance"),
        tail="  - bot: bots/dice\nratings: {anchor: chance, elo: 1500}\n",
    )
    shop.call("run/dry.txt", "run cup.yaml --dry-run")
    shop.call("run/dry-json.txt", "run cup.yaml --dry-run --json")
    shop.call("run/played.txt", "run cup.yaml -o cup -j 1 -q")
    _tables(shop, forms=("txt", "json"))
    _folder(shop, games=False)
    for game in (
        "dragonkrak-2/chance+first:0:0",
        "dragonkrak-3/chance+first+last:0:0",
        "dragonrealm-2/chance+dice:0:0",
        "alley/chance+dice:0:0",
    ):
        name = game.partition("/")[0]
        shop.call(f"replay/{name}.txt", f"replay cup {game}")
        shop.call(f"replay/{name}-seat.txt", f"replay cup {game} --seat 1 --plies 0-25")
    shop.call("report/all.txt", "report cup --games 6 -j 1 -o report.html")
    shop.page("report/all", "report.html", games=0)
    shop.call("verify.txt", "verify cup --json")
    shop.call("watch/once.txt", "watch cup --once")


def match(shop: Workshop) -> None:
    """Matches: passed, failed, inconclusive, of several games, invalid.

    The first is decided by the last game that it may have: no slow machine finishes one more.
    """
    for name in ("first", "last", "chance"):
        put(shop.folder / "bots", name, name)
    put(shop.folder / "bots", "crashing", "first", "crash")
    shop.call(
        "passed/played.txt",
        "compare bots/chance bots/first -g dragonheart --seed 5 -j 1 -o passed --max-games 130 "
        "--junit passed.xml --markdown passed.md --badge passed.json --set clock.move='20 s'",
    )
    for name in ("passed.xml", "passed.md", "passed.json"):
        shop.file(f"passed/{name}", name)
    again = (
        "compare bots/chance bots/first -g dragonheart --seed 5 -j 1 -o passed --max-games 130 "
        "--set clock.move='20 s'"
    )
    shop.call("passed/again.txt", again)
    shop.call("passed/again-json.txt", f"{again} --json -q")
    shop.call("passed/again-github.txt", f"{again} -q", GITHUB_ACTIONS="true")
    shop.tree("passed/names.txt", "passed")
    shop.file("passed/match.json", "passed/match.json")
    shop.shape("passed/manifest-shape.json", "passed/run.json")
    shop.call("passed/verify.txt", "verify passed")
    _tables(shop, "passed")
    shop.call("looked/watch.txt", "watch passed --once")
    shop.call("looked/plan.txt", "plan passed -j 2")
    shop.call("looked/report.txt", "report passed --games 2 -j 1 -o report.html")
    shop.page("looked/report", "report.html", games=0)
    shop.call(
        "others/failed.txt",
        "compare bots/first bots/chance -g dragonheart --seed 5 -j 1 -o failed "
        "--max-games 400 --junit failed.xml -q",
        GITHUB_ACTIONS="true",
    )
    shop.file("others/failed.xml", "failed.xml")
    shop.call(
        "others/inconclusive.txt",
        "compare bots/last bots/chance -g dragonkrak:1 -g dragonkrak:3 --seed 5 "
        "-j 1 -o both --max-games 12 --markdown both.md",
    )
    shop.file("others/inconclusive.md", "both.md")
    shop.call(
        "others/inconclusive-json.txt",
        "compare bots/last bots/chance -g dragonkrak:1 -g dragonkrak:3 --seed 5 "
        "-j 1 -o both --max-games 12 --json -q",
    )
    shop.call("others/same-files.txt", "compare bots/last bots/last -g dragonheart")
    shop.call(
        "others/same-files-allowed.txt",
        "compare bots/last bots/last -g dragonheart --allow-unchanged --junit same.xml -q",
        GITHUB_ACTIONS="true",
    )
    shop.file("others/same-files.xml", "same.xml")
    shop.call(
        "others/faulty.txt",
        "compare bots/crashing bots/chance -g dragonheart --seed 5 -j 1 -o faulty "
        "--max-games 200 --markdown faulty.md -q",
    )
    shop.file("others/faulty.md", "faulty.md")
    shop.call(
        "others/other-test.txt",
        "compare bots/chance bots/first -g dragonheart --seed 6 -j 1 -o passed",
    )


def faults(shop: Workshop) -> None:
    """Faults of every kind that does not hang on the machine's memory, and withdrawals."""
    for name in ("startup", "crash", "timeout", "malformed", "illegal", "protocol", "overflow"):
        put(shop.folder / "bots", name, "chance", name)
    bots = "".join(
        f"  - bot: bots/{name}\n"
        for name in ("startup", "crash", "malformed", "illegal", "protocol", "overflow")
    )
    put(shop.folder / "bots", "first", "first")
    put(shop.folder / "bots", "chance", "chance")
    shop.write(
        "cup.yaml",
        "arena: 1\nname: cup\ngames:\n"
        "  - {rules: dragonheart, schedule: {kind: gauntlet, focus: [first], deals: 3}}\n"
        "  - {rules: dragonkrak, seats: 3, schedule: {max_pairings: 12, deals: 1}}\n"
        "seed: 17\nclock: {move: 20 s}\nisolation: none\nbreaker: {faults: 60 %, after: 4}\n"
        f"entrants:\n  - bot: bots/first\n  - bot: bots/chance\n{bots}",
    )
    shop.write(
        "slow.yaml",
        "arena: 1\nname: slow\ngame: dragonheart\nschedule: {deals: 1}\nseed: 17\n"
        "clock: {move: 2 s}\nisolation: none\n"
        "entrants:\n  - bot: bots/first\n  - bot: bots/timeout\n",
    )
    shop.call("run/played.txt", "run cup.yaml -o cup -j 1 -v")
    shop.call("run/again.txt", "run cup.yaml -o cup -j 1 -q")
    shop.call("run/slow.txt", "run slow.yaml -o slow -j 1 -v")
    _tables(shop, forms=("txt", "json"))
    _folder(shop)
    _packs(shop, "crash", games=False)
    shop.call("games/faults.txt", "games cup --faults --plies -40 --limit 12")
    shop.call("games/crash.txt", "games cup --fault crash --against first --format md")
    shop.call("replay/all.txt", "replay cup 2")
    shop.call("replay/dragonkrak.txt", "replay cup 40")
    shop.call("replay/slow.txt", "replay slow 1")
    shop.call("report/faults.txt", "report cup --games faults -j 1 -o report.html --json")
    shop.page("report/faults", "report.html", games=0)
    shop.call("verify.txt", "verify cup")
    shop.call("watch/once.txt", "watch cup --once")


def half(shop: Workshop) -> None:
    """Stopped half-way, as a kill leaves it; then played to its end."""
    _cup(
        shop,
        "game: dragonheart\nschedule: {deals: 3}\nclock: {move: 20 s}\n",
        "first",
        "last",
        "chance",
    )
    shop.call("finished.txt", "run cup.yaml -o cup -j 1 -q")
    games = shop.folder / "cup" / "games.jsonl"
    lines = games.read_text("utf-8").splitlines(keepends=True)
    games.write_text("".join(lines[:7]) + lines[7][:50], "utf-8")
    for path in (shop.folder / "cup").glob("standings.*"):
        path.unlink()
    _tables(shop)
    shop.call("watch.txt", "watch cup --once")
    shop.call("watch-json.txt", "watch cup --once --json")
    shop.call("verify.txt", "verify cup")
    shop.call("games.txt", "games cup")
    shop.call("replay.txt", "replay cup 2 --plies 0-6")
    shop.call("export.txt", "export cup --for last --json")
    shop.call("report.txt", "report cup --games none -j 1 -o report.html")
    shop.page("report", "report.html")
    shop.call("other-file.txt", "run cup.yaml -o cup -n 9")
    shop.call("resumed.txt", "run cup -j 1")
    shop.call("verify-resumed.txt", "verify cup")


def shards(shop: Workshop) -> None:
    """Opened, played in two shards and merged: first one of them, then both."""
    _cup(
        shop,
        "game: dragonheart\nschedule: {deals: 3}\nclock: {move: 20 s}\nisolation: none\n",
        *("first", "last", "chance"),
    )
    shop.call("dry.txt", "run cup.yaml --shard 2/2 --dry-run")
    shop.call("early.txt", "run cup.yaml --shard 2/2")
    shop.call("open.txt", "run cup.yaml --commit")
    shop.call("open-json.txt", "run cup.yaml --commit --json -q")
    shop.call("first.txt", "run cup.yaml --shard 1/2 -j 1")
    shop.call("standings.txt", "standings runs/cup.1of2")
    shop.call("verify-shard.txt", "verify runs/cup.1of2")
    shop.call("watch.txt", "watch runs/cup.1of2 --once")
    shop.call("missing.txt", "merge runs/cup.1of2")
    shop.call("partial.txt", "merge runs/cup.1of2 --partial -o part")
    shop.call("second.txt", "run cup.yaml --shard 2/2 -j 1 -q")
    shop.call("merged.txt", "merge runs/cup.1of2 runs/cup.2of2")
    shop.call("merged-json.txt", "merge runs/cup.1of2 runs/cup.2of2 -o again --json -q")
    shop.call("verify.txt", "verify runs/cup.merged")
    shop.tree("names.txt", "runs")
    shop.shape("manifest-shape.json", "runs/cup.1of2/run.json")


def bad(shop: Workshop) -> None:
    """Bad input: files with several problems, damaged folders, options that do not fit."""
    _cup(shop, "game: dragonheart\nschedule: {deals: 1}\nclock: {move: 20 s}\n", "first", "last")
    shop.call("files/fine.txt", "run cup.yaml -o cup -j 1 -q")
    shop.write(
        "several.yaml",
        "arena: 1\ngame: dragonhart\nentrants:\n  - bot: bots/first\n  - bot: bots/nobody\n"
        "  - {command: [], name: a/b}\nseed: 1\nschedule: {deals: many, kind: robin}\n"
        "clock: {mov: 500 ms, startup: 5 parsecs}\nratings: {anchor: first, elo: high}\nfoo: 1\n",
    )
    shop.write("broken.yaml", "arena: 1\ngame: [dragonheart\nentrants: {\n")
    shop.write("old.yaml", "arena: 7\ngame: dragonheart\n")
    shop.write(
        "options.yaml",
        "arena: 1\ngame: {rules: dragonheart, seats: 5, options: {edition: none}}\n"
        "entrants: [{bot: bots/first}, {bot: bots/first}]\n"
        "schedule: {kind: gauntlet, focus: [x]}\n",
    )
    shop.write(
        "league/ladder.yaml",
        "arena: 1\ngame: {rules: dragonheart, entrants: [first]}\nschedule: {kind: swiss}\n"
        "anchors: [{bot: ../bots/first, elo: 1}, {bot: ../bots/last, elo: 2}]\n"
        "budget: {}\nauthors: {bot: 1, size: 1 TiB}\nkeep: 12 h\ncheck: none\n",
    )
    shop.call("files/ladder.txt", "ladder league")
    shop.call("files/ladder-json.txt", "ladder league --status --json")
    shop.call("files/no-ladder.txt", "ladder bots")
    for name in ("several", "broken", "old", "options", "missing"):
        shop.call(f"files/{name}.txt", f"run {name}.yaml")
    shop.call("files/several-json.txt", "run several.yaml --json")
    shop.write("bots/first2/bot.yaml", "bot: 1\nname: 7\ncomand: x\nplays: {dragonheart: [9]}\n")
    shop.call("files/bot.txt", "run -g dragonheart bots/first bots/first2")
    shop.call("files/set.txt", "run cup.yaml --set clock.moove=3 --set seed")
    shop.write(
        "results.jsonl",
        '{"seats": ["a", "b"], "places": [1, 2]}\n'
        '{"seats": ["a"], "places": [3], "x": 1}\n{nonsense\n',
    )
    shop.call("files/results.txt", "standings results.jsonl --full")
    for golden, line in {
        "no-command": "",
        "unknown-command": "standing cup",
        "unknown-option": "run cup.yaml --worker 3",
        "no-such-value": "standings cup --format pdf",
        "missing-argument": "replay",
        "no-game-to-show": "replay cup --html",
        "no-such-bot": "games cup --bot frist",
        "no-such-fault": "games cup --fault crsh",
        "no-such-margin": "games cup --margin 9-3",
        "no-such-order": "games cup --sort speed",
        "negative-limit": "games cup --limit -3",
        "no-run": "games bots",
        "no-such-game": "replay cup 77",
        "no-such-plies": "replay cup 1 --plies 9-3",
        "seat-and-spectator": "replay cup 1 --seat 0 --spectator",
        "no-such-rules": "rules dragonfly",
        "no-such-ruling": "rules dragonheart --ruling DH-99",
        "no-such-schema": "schema cup",
        "no-such-layer": "vectors dragonheart --layer plies",
        "no-such-option": "vectors dragonheart --option edition=first",
        "no-depth": "vectors dragonheart --depth 2",
        "workers": "run cup.yaml -j 0",
        "isolation": "run cup.yaml --isolation much",
        "sprt": "compare --pairs 1,2,3",
        "compare": "compare bots/first bots/last -g dragonkrak:9 --alpha 2",
    }.items():
        shop.call(f"lines/{golden}.txt", f"{line}")
    for golden, line in {
        "json": "standings nowhere --json",
        "plan": "plan --draws 2",
        "play": "play dragonheart --against bots/nobody",
        "try": "try bots/first --from cup#77@3",
        "check": "check bots/nobody",
        "export": "export cup",
        "tune": "tune bots/first --param depth=2:8 -g dragonheart",
        "doctor": "doctor --isolation all",
        "watch": "watch nowhere --once",
        "report": "report cup --games some",
        "site": "site cup bots",
        "site-url": "site cup site --url example.org",
    }.items():
        shop.call(f"more-lines/{golden}.txt", f"{line}")
    _damage(shop)


def _damage(shop: Workshop) -> None:
    """Run folders in which something is not as arena wrote it."""

    def change(run: str, name: str, old: str, new: str) -> None:
        path = shop.folder / run / name
        text = path.read_text("utf-8")
        assert old in text, (name, old)
        path.write_text(text.replace(old, new, 1), "utf-8")

    for name in ("no-manifest", "manifest", "format", "game", "result", "records", "empty"):
        shop.copy("cup", name)
    (shop.folder / "no-manifest/run.json").unlink()
    change("manifest", "run.json", '"disciplines"', '"diciplines"')
    change("format", "run.json", '"format": 3', '"format": 99')
    change("game", "games.jsonl", '"places":[', '"places":[7,')
    change("result", "games.jsonl", '"plies":', '"plies":1')
    (shop.folder / "records/records/0.jsonl.gz").write_bytes(b"nothing")
    (shop.folder / "empty/games.jsonl").write_text("", "utf-8")
    for name in ("no-manifest", "manifest", "format", "game", "result", "records", "empty"):
        for line in ("standings", "verify"):
            shop.call(f"damaged-{line}/{name}.txt", f"{line} {name}")
    for line in (
        "watch --once",
        "report -q",
        "replay",
        "export --public",
        "plan",
        "verify --json",
        "run",
    ):
        first, _, rest = line.partition(" ")
        for name in ("game", "records"):
            more = {"replay": " 1 --plies 0-2", "export": f" -o {name}-pack"}.get(first, "")
            shop.call(
                f"damaged-{name}/{first}{'-json' * ('json' in rest)}.txt",
                " ".join(f"{first} {name} {rest}{more}".split()),
            )


def tools(shop: Workshop) -> None:
    """What needs no run: help, rules, schemas, planning, tests and ratings of results."""
    shop.call("help/arena.txt", "--help")
    shop.call("help/arena-real.txt", "--help", real=True)
    for name, found in commands().items():
        group = found.purpose.lower().replace(" ", "-")
        shop.call(f"help/{group}/{name}.txt", f"{name} --help")
    shop.call("version.txt", "--version")
    shop.call("init/first.txt", "init")
    shop.call("init/again.txt", "init")
    shop.file("init/tournament.yaml", "tournament.yaml")
    shop.call("rules/all.txt", "rules")
    for game in GAMES:
        shop.call(f"rules/{game}.txt", f"rules {game}")
    shop.call("rules/ruling.txt", "rules dragonheart --ruling DH-04")
    shop.call("rules/color.txt", "rules dragonheart --color always")
    for what in (
        "protocol",
        "tournament",
        "ladder",
        "bot",
        "record",
        "result",
        "tables",
        "dragonrealm",
    ):
        shop.call(f"schema/{what}.txt", f"schema {what}")
    shop.call("vectors/steps.txt", "vectors dragonheart --count 4 --allow-unmet")
    shop.call(
        "vectors/counts.txt",
        "vectors dragonkrak -s 3 --layer counts --depth 2 --divide --count 2 --allow-unmet",
    )
    shop.call(
        "vectors/games.txt", "vectors dragonrealm --option side=alley --layer games --count 1"
    )
    shop.call("plan/gain.txt", "plan --mode gain")
    shop.call("plan/no-regression.txt", "plan --mode no-regression --json")
    shop.call("plan/precision.txt", "plan --precision 20 --draws 0.3")
    shop.call("plan/difference.txt", "plan --difference 10 --true 15 --block-games 4")
    shop.call("sprt/h1.txt", "compare --pairs 365,16618,36229,16974,390 --elo0 0 --elo1 2")
    shop.call(
        "sprt/json.txt",
        "compare --wdl 21404,40708,21184 --elo0 0.5 --elo1 2.5 --scale logistic --json",
    )
    shop.call("sprt/no-regression.txt", "compare --pairs 1,2,3,2,1 --mode no-regression")
    games: list[dict[str, object]] = []
    for deal in range(12):
        for seats in (["a", "b"], ["b", "a"], ["b", "c"], ["c", "b"], ["a", "c"]):
            places = [(1, 2), (2, 1), (1, 1), (1, 2)][(deal * 7 + len(games)) % 4]
            games.append({"deal": f"d{deal}", "seats": seats, "places": places})
        games.append(
            {
                "discipline": "three",
                "seats": ["c", "a", "b"],
                "places": [1 + deal % 2, 2 - deal % 2, 3],
            }
        )
        games.append(
            {"discipline": "alone", "deal": f"d{deal}", "seats": ["a"], "scores": [deal * 5 % 7]}
        )
        games.append(
            {"discipline": "alone", "deal": f"d{deal}", "seats": ["b"], "scores": [deal * 3 % 7]}
        )
    games.append({"seats": ["a", "b"], "places": [2, 1], "faults": [0]})
    shop.write("results.jsonl", "".join(json.dumps(game) + "\n" for game in games))
    for form in ("txt", "csv", "json"):
        shop.call(f"ratings/{form}.txt", f"standings results.jsonl --full --format {form}")
    shop.call(
        "ratings/short.txt",
        "standings - --anchor a --elo 0",
        answers=(shop.folder / "results.jsonl").read_text(),
    )
    shop.call("doctor/text.txt", "doctor")
    shop.call("new-bot/said.txt", "new-bot mine --language python")  # no toolchain to be missing
    shop.tree("new-bot/names.txt", "mine")
    shop.call("new-bot/again.txt", "new-bot mine --language python")
    shop.call("new-game/said.txt", "new-game pig")
    shop.tree("new-game/names.txt", "pig")


def seats(shop: Workshop) -> None:
    """Commands that play beside a tournament: without a file, with a person."""
    for name in ("first", "last", "chance"):
        put(shop.folder / "bots", name, name)
    shop.call(
        "run/no-file.txt",
        "run -g dragonkrak -s 1 bots/first bots/last -n 3 --seed 4 -o alone -j 1 --isolation none",
    )
    shop.call(
        "run/no-file-dry.txt",
        "run -g dragonrealm -s 3 bots/first bots/last bots/chance -n 2 --dry-run --seed 4",
    )
    shop.call(
        "play/lines.txt",
        "play dragonheart --against bots/first --seed 3 --seat 0 -o table",
        answers="1\n" * 400,
    )
    shop.call(
        "play/again.txt",
        "play dragonheart --against bots/first --seed 3 --seat 0 -o table",
        answers="?\nx\n1\nq\n",
    )
    shop.call(
        "play/dragonkrak.txt",
        "play dragonkrak -s 3 --against bots/first bots/last --seed 3 -o krak",
        answers="1\n" * 400,
    )
    shop.call(
        "play/dragonrealm.txt",
        "play dragonrealm --against bots/last --seed 3 --as me -o realm",
        answers="1\n" * 900,
    )
    shop.call("play/standings.txt", "standings table")
    shop.tree("play/names.txt", "table")


RUNS: Final[dict[str, Callable[[Workshop], None]]] = {
    function.__name__: function
    for function in (duel, four, solo, several, match, faults, half, shards, bad, tools, seats)
}
"""By the name of the folder of ``expected``."""
