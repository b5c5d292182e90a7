"""The names that programs import: what they give, and what they refuse."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

import arena
from tests.schemas import validator
from tests.views.played import ONE, run_of

ROOT: Final = Path(arena.__file__).parent


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> arena.Run:
    return arena.open(run_of(tmp_path_factory.mktemp("api") / "cup", ("dragonkrak", 1), ONE))


def test_names_are_loaded_when_they_are_used() -> None:
    assert {*arena.__all__} <= {*dir(arena)}
    for name in arena.__all__:
        assert getattr(arena, name) is not None
    missing = "opne"
    with pytest.raises(AttributeError, match="module 'arena' has no attribute 'opne'"):
        getattr(arena, missing)
    code = "import sys, arena; print([n for n in sys.modules if n.startswith('arena')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['arena']\n"


def test_names_of_an_extension_say_that_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = "needs the extension data, which is not here: pip install botarena"
    for module in ("", ".api", ".api.library", ".api.play", ".api.rate"):
        monkeypatch.setitem(sys.modules, f"arena.extensions.data{module}", None)
    for name in ("env", "rate", "play", "rules"):
        with pytest.raises(ImportError, match=f"arena.{name} {missing}"):
            exec(f"from arena import {name}", {})


def test_mistakes_are_errors(tmp_path: Path) -> None:
    api: Any = arena  # most arguments have a wrong type
    for call, told in (
        (lambda: api.open(tmp_path), "found no run.json, expected the folder of a run"),
        (lambda: api.rules("halma"), 'rules: found "halma", expected'),
        (lambda: api.rules("dragonheart", edition="x"), "x"),
        (lambda: api.schema("x"), 'schema: found "x"'),
        (lambda: api.open(None), "folder: found nothing, expected a path"),
        (lambda: api.schema(None), "what: found nothing, expected text"),
    ):
        with pytest.raises(arena.Error) as found:
            call()
        assert told in str(found.value)


def test_lines_fit_their_schemas(run: arena.Run) -> None:
    lines = (run.folder / "games.jsonl").read_text().splitlines()
    for line in lines:
        validator("result").validate(json.loads(line))
    records = gzip.decompress((run.folder / "records/0.jsonl.gz").read_bytes()).splitlines()
    kinds = set()
    for text in records[:200] + records[-200:]:
        kinds.add((value := json.loads(text))["line"])
        validator("record").validate(value)
    assert kinds == {"header", "ply", "end", "measured", "seal"}
