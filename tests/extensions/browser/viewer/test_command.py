"""``arena replay --html``, and the view of a spectator: which file, which flags."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
from base64 import b64decode
from pathlib import Path

import pytest

from arena.cli.commands.replay import ReplayOptions, check_forms, opened, replay_game
from arena.extensions.browser.viewer.file import file_name
from arena.referee.records.perspective import SPECTATOR
from arena.runs.disk import StoreError
from arena.runs.reader import StoredRun
from arena.values.bad_input import BadInput
from tests.cli.shell import arena

pytestmark = [pytest.mark.slow, pytest.mark.process]

GAME = "dragonheart-2/greedy+random:0:0"
NAME = "dragonheart-2-greedy+random-0-0"


def write(folder: Path, output: Path | None, **options: object) -> None:
    replay_game(ReplayOptions(folder=folder, game="1", as_html=True, output=output, **options))


@pytest.mark.parametrize(
    ("game_id", "whose", "name"),
    [
        (GAME, None, f"{NAME}.html"),
        (GAME, 0, f"{NAME}-seat-0.html"),
        (GAME, SPECTATOR, f"{NAME}-spectator.html"),
        ("../x:0", None, None),
        ("é/\ud800:0", None, None),
        ("d/" + "x" * 500, 3, None),
    ],
)
def test_names_of_files(game_id, whose, name):
    found = file_name(game_id, whose)
    assert len(found) < 160
    assert found.isascii()
    assert not set("/\\:*?\"<>| '") & set(found)
    assert not found.startswith((".", "-"))
    if name is not None:
        assert found == name


def test_ids_that_differ_have_files_that_differ():
    ids = ["d/a b:0", "d/a-b:0", "d/a?b:0", "d-a-b:0?", "d/" + "x" * 500, "d/" + "x" * 501]
    assert len({file_name(game_id, None) for game_id in ids}) == len(ids)


def views_on(path: Path) -> list[str]:
    """The keys of the views that a page holds."""
    text = path.read_text("utf-8")
    assert text.startswith("<!doctype html>")
    found = re.search(r'id="game">([^<]*)</script>', text)
    assert found is not None
    return [each["key"] for each in json.loads(gzip.decompress(b64decode(found[1])))["views"]]


def test_a_page_is_written_and_its_path_printed(made, tmp_path):
    done = arena(tmp_path, "replay", made, "1", "--html")
    assert (done.code, done.out, done.err) == (0, f"{NAME}.html\n", "")
    assert views_on(tmp_path / f"{NAME}.html") == ["all", "0", "1", "spectator"]
    for flags, name in ((["--seat", "1"], "-seat-1"), (["--spectator"], "-spectator")):
        done = arena(tmp_path, "replay", made, "1", "--html", *flags)
        assert (done.code, done.out) == (0, f"{NAME}{name}.html\n")
        assert views_on(tmp_path / f"{NAME}{name}.html") == [name.removeprefix("-seat").strip("-")]


def test_an_older_page_is_replaced_through_a_link_too(made, tmp_path, capsys):
    file, link = tmp_path / "game.html", tmp_path / "link.html"
    link.symlink_to(file)
    for name in (file, link):
        file.write_text("<!DOCTYPE html>old")
        write(made, name)
        assert file.read_text("utf-8").startswith("<!doctype html>")
        assert capsys.readouterr().out == f"{name}\n"
    assert link.is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["game.html", "link.html"]


def test_what_is_no_page_is_not_replaced(made, tmp_path):
    with pytest.raises(BadInput, match=r"found the folder .*, expected the name of a file"):
        write(made, tmp_path)
    file = tmp_path / "notes.md"
    file.write_text("# Notes")
    with pytest.raises(BadInput, match=r"--output: .*notes\.md holds something else than a page"):
        write(made, file)
    assert file.read_text() == "# Notes"


@pytest.mark.parametrize("place", ["none/game.html", "file/game.html", "x" * 300])
def test_a_place_that_cannot_be_written(made, tmp_path, place):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError) as caught:
        write(made, tmp_path / place)
    assert str(caught.value).startswith(f"{tmp_path / place}: cannot be written: ")


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"as_html": True, "plies": "5"}, "found both --html and --plies, expected one of them"),
        ({"as_html": True, "as_json": True}, "found both --html and --json, expected one of them"),
        ({"output": Path("x")}, "--output: found without --html, expected with it"),
    ],
)
def test_flags_that_exclude_each_other(given, problem):
    usual = {"folder": Path("cup"), "game": "1"}
    check_forms(ReplayOptions(**usual))
    with pytest.raises(BadInput) as caught:
        check_forms(ReplayOptions(**usual, **given))
    assert str(caught.value) == problem


def test_one_view_at_a_time(made):
    def whose(**asked):
        return opened(StoredRun(made), ReplayOptions(folder=made, game="1", **asked))[1]

    with pytest.raises(BadInput, match="found both --seat and --spectator"):
        whose(seat=0, spectator=True)
    assert whose(spectator=True) == SPECTATOR
    assert whose(seat=1) == 1
    assert whose() is None


def test_what_a_spectator_is_told(made):
    text = arena(made.parent, "replay", "cup", "1", "--spectator", "--plies", "-4").out
    assert "view: what everybody saw" in text
    shown = arena(made.parent, "replay", "cup", "1", "--spectator", "--json", "--plies", "2-6").out
    data = json.loads(shown)["data"]
    assert data["header"]["view"] == "spectator"
    assert data["header"]["bot_seeds"] == {}
    assert {ply["action"] for ply in data["plies"]} == {None}
    assert "hand" not in shown.replace("hand_sizes", "")


def test_views_have_no_names_where_bots_were_told_none(made, tmp_path):
    run = tmp_path / "cup"
    shutil.copytree(made, run)
    manifest = json.loads((run / "run.json").read_text())
    manifest["identity"]["names"] = "hidden"
    (run / "run.json").write_text(json.dumps(manifest))
    for flags, name in ((["--seat", "1"], "game-seat-1"), (["--spectator"], "game-spectator")):
        done = arena(tmp_path, "replay", "cup", "1", "--html", *flags)
        assert (done.code, done.out) == (0, f"{name}.html\n")
        text = (tmp_path / f"{name}.html").read_text("utf-8")
        title, data = text.partition("<title>")[2], text.partition('id="game">')[2]
        page = title.partition("</title>")[0] + data.partition("</script>")[0]
        for told in (page, arena(tmp_path, "replay", "cup", "1", *flags).out):
            assert "seat 0" in told
            assert "greedy" not in told
            assert "random:" not in told
    assert "greedy" in arena(tmp_path, "replay", "cup", "1").out, "the organiser is told all"
