"""``arena export`` from the outside: who gets what, where it is put, and what is refused."""

from __future__ import annotations

import gzip
import json
import shutil
import zipfile
from pathlib import Path

import pytest

from tests.cli.shell import Result, arena, bot, tournament

pytestmark = [pytest.mark.slow, pytest.mark.process]

TALKER = """
import json, os, sys
name = {name!r}
print("stderr of " + name, os.environ.get("TOKEN", ""), file=sys.stderr, flush=True)
asked = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({{"type": "ready", "protocol": 1}}), flush=True)
    elif message["type"] == "start":
        print("stderr of " + name, file=sys.stderr, flush=True)
    elif message["type"] == "act":
        asked += 1
        if asked == {crash}:
            print("line of " + name, flush=True)
            sys.exit(3)
        answer = {{"type": "action", "id": message["id"], "action": 0, "info": "info of " + name}}
        print(json.dumps(answer), flush=True)
"""
NAMES = ("anna-4711", "berta-815", "carla-42")
SEED = "a long secret seed that nobody guesses"
PASSWORD = "p4ssw0rd"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the finished run ``runs/cup``, in which opponents are hidden."""
    folder = tmp_path_factory.mktemp("secret-place")
    for name, crash in zip(NAMES, (0, 0, 5), strict=True):
        bot(folder, name, TALKER.format(name=name, crash=crash))
    entrants = [f"  - {{bot: {name}, env: {{TOKEN: {PASSWORD}-{name}}}}}\n" for name in NAMES]
    (folder / "cup.yaml").write_text(
        f"arena: 1\nname: cup\ngame: {{rules: dragonkrak, seats: 3}}\nseed: {SEED}\n"
        f"names: hidden\nschedule: {{deals: 2}}\nentrants:\n{''.join(entrants)}"
    )
    done = arena(folder, "run", "cup.yaml", "-q")
    assert (done.code, "carla-42: " in done.out) == (0, True), done  # a fault in each game
    return folder


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def whole(files: dict[str, bytes]) -> str:
    return "".join(files) + b"".join(files.values()).decode()


@pytest.mark.parametrize("name", NAMES)
def test_a_pack_has_nothing_of_anybody_else(place: Path, name: str) -> None:
    done = arena(place, "export", "runs/cup", "--for", name)
    assert done == Result(0, f"cup-for-{name}.zip: 6 games\n", "")
    found = contents(place / f"cup-for-{name}.zip")
    assert {path.partition("/")[0] for path in found} == {f"cup-for-{name}"}
    text = whole(found)
    for other in NAMES:
        assert (other in text) == (other == name)
    assert f"info of {name}" in text
    assert f"stderr of {name}" in text
    assert ("line of" in text) == (name == NAMES[2]), "what is wrong with the last one is its own"
    for secret in (SEED, json.loads((place / "runs/cup/seed.json").read_text())["salt"]):
        assert secret not in text
    assert str(place) not in text


def test_spectators_get_no_private_word(place: Path) -> None:
    done = arena(place, "export", "runs/cup", "--public", "-o", "public", "--json")
    document = json.loads(done.out)
    counts = {"bot": None, "games": 6, "held_back": 0, "expired": 0}
    assert document["data"] == {"path": "public"} | counts
    public = place / "public"
    text = whole({str(p.relative_to(public)): p.read_bytes() for p in public.rglob("*.*")})
    for secret in ("info of", "stderr of", "line of", PASSWORD, SEED, str(place), "bot_seed"):
        assert secret not in text
    assert all(name in text for name in NAMES), "the run is over"
    standings = (public / "standings.txt").read_text()
    assert standings == (place / "runs/cup/standings.txt").read_text()


def test_the_same_run_gives_the_same_bytes(place: Path) -> None:
    for path in ("one.zip", "other.zip"):
        assert arena(place, "export", "runs/cup", "--for", NAMES[0], "-o", path).code == 0
    assert (place / "one.zip").read_bytes() == (place / "other.zip").read_bytes()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ("--for", NAMES[0], "--public"),
            "found --for BOT and --public, expected one of --for BOT, --public, --proof, --tables",
        ),
        (
            ("--for", "ana-4711"),
            '--for: found "ana-4711", expected an entrant of this run (did you mean "anna-4711"?)',
        ),
        (("--for", "x"), '--for: found "x", expected an entrant of this run (such as anna-4711)'),
        (("--public", "--append"), "--append: found without --tables, expected with it"),
        (("--public", "--bot", NAMES[0]), "--bot: found without --tables, expected with it"),
        (("--proof", "--tables", "all"), "found --tables and --proof, expected one"),
        (("--public", "--tables", "decisions"),
         "--tables: found decisions with --public, but spectators see no questions"),
        (("--for", NAMES[0], "--tables", "all", "--against", NAMES[1]),
         "runs/cup: names are hidden, so --bot and --against would show them"),
        (("--tables", "games,all,x"),
         '--tables: found "x", expected all, games, seats, plies or decisions'),
        (("--public", "-o", "no/pack"), "no/pack: the folder no does not exist"),
        (("--public", "-o", "runs", "--force"),
         "runs: found something that is no pack, which --force does not replace"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(place: Path, args: tuple[str, ...], message: str) -> None:
    done = arena(place, "export", "runs/cup", *args)
    assert done == Result(2, "", f"error: {message}\n")


def test_a_damaged_record_leaves_no_pack(tmp_path: Path) -> None:
    assert arena(tmp_path, "run", tournament(tmp_path, deals=1), "-q").code == 0
    records = tmp_path / "runs/cup/records/0.jsonl.gz"
    data = bytearray(records.read_bytes())
    data[len(data) // 4] ^= 1
    records.write_bytes(data)
    done = arena(tmp_path, "export", "runs/cup", "--public", "-o", "pack.zip")
    assert done.code == 2
    assert "records/0.jsonl.gz: the record at byte 0: " in done.err
    assert not list(tmp_path.glob("*pack*"))


def test_games_so_far_of_a_run_that_goes_on(tmp_path: Path) -> None:
    assert arena(tmp_path, "run", tournament(tmp_path, deals=2), "-q").code == 0
    run = tmp_path / "runs/cup"
    games = run / "games.jsonl"
    games.write_text("".join(games.read_text().splitlines(keepends=True)[:3]) + '{"torn')
    (run / "seed.json").chmod(0o600)
    done = arena(tmp_path, "export", "runs/cup", "--for", "anna")
    assert done.out == "cup-for-anna.zip: 2 games\n"
    assert done.err.startswith("1 game is left out until the run has ended")
    manifest = json.loads(contents(tmp_path / "cup-for-anna.zip")["cup-for-anna/manifest.json"])
    assert (manifest["is_over"], manifest["games"], manifest["held_back"]) == (False, 2, 1)
    assert not [path for path in contents(tmp_path / "cup-for-anna.zip") if "seed" in path]


def test_a_run_that_is_over_is_proved_by_everybody(place: Path) -> None:
    done = arena(place, "export", "runs/cup", "--proof", "--json")
    assert done.code == 0, done.err
    counts = {"bot": None, "games": 6, "held_back": 0, "expired": 0}
    assert json.loads(done.out)["data"] == {"path": "cup-proof"} | counts
    commitment = json.loads((place / "runs/cup/run.json").read_text())["commitment"]
    proved = arena(place, "verify", "cup-proof", "--commitment", commitment)
    assert proved.code == 0, proved.out + proved.err
    for path in (place / "cup-proof").rglob("*"):
        data = path.read_bytes() if path.is_file() else b""
        data = gzip.decompress(data) if path.suffix == ".gz" else data
        assert not any(word in data for word in (b"info of", b"stderr of", str(place).encode()))
        assert PASSWORD.encode() not in data
    assert arena(place, "export", "runs/cup", "--proof").code == 2
    assert arena(place, "export", "runs/cup", "--proof", "--force").code == 0


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--proof", "-o", "x.zip"), "--output: found x.zip, expected a folder: a proof is one"),
        (("--proof",), "found no seed that is public, expected a run that has ended, or a ladder"),
    ],
)
def test_a_proof_is_a_folder_of_what_is_public(place, tmp_path, args, said) -> None:
    shutil.copytree(place / "runs" / "cup", tmp_path / "cup")
    if "-o" not in args:
        (tmp_path / "cup" / "seed.json").chmod(0o600)
    done = arena(tmp_path, "export", "cup", *args)
    assert (done.code, said in done.err) == (2, True), done.err
