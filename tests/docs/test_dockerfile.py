"""The image has what the tests need, and gets what a wheel is built from."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
DOCKERFILE: Final = (ROOT / "Dockerfile").read_text("utf-8")
FOR_TESTS_ALONE: Final = {"chromium"}
IN_THE_BASE: Final = {"python3-venv"}


def packages(text: str) -> set[str]:
    """What the first ``apt-get install`` names."""
    install = text.replace("\\\n", " ").partition("apt-get install ")[2]
    words = re.split(r"[&>\n]", install, maxsplit=1)[0].split()
    return {word for word in words if not word.startswith("-")}


def test_the_packages_are_those_that_ci_installs() -> None:
    needed = packages((ROOT / ".ci" / "run").read_text("utf-8")) - FOR_TESTS_ALONE - IN_THE_BASE
    assert packages(DOCKERFILE) == needed
    assert "bubblewrap" in needed


def test_the_image_gets_what_a_wheel_is_built_from() -> None:
    rules = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    kept = {rule[1:] for rule in rules if rule.startswith("!")}
    hatch = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]
    wheel = hatch["build"]["targets"]["wheel"]
    needed = {path.partition("/")[0] for path in wheel["only-include"]}
    assert kept == needed | {"hatch_build.py", "LICENSE", "pyproject.toml", "README.md"}
    assert all((ROOT / name).exists() for name in kept)


def test_every_stage_is_named_or_the_last_and_no_cache_stays() -> None:
    stages = re.findall(r"^FROM (\S+)(?: AS (\w+))?$", DOCKERFILE, re.MULTILINE)
    bases = {base.replace("-slim", "") for base, _ in stages}  # the one that compiles is not slim
    assert len(bases) == 1
    assert ":" in bases.pop(), "the base image has a tag"
    assert [bool(name) for _, name in stages] == [True] * (len(stages) - 1) + [False]
    assert DOCKERFILE.count("pip ") == DOCKERFILE.count("--no-cache-dir")
    assert "rm -rf /var/lib/apt/lists/*" in DOCKERFILE
    last = DOCKERFILE.rpartition("FROM ")[2]
    assert re.search(r"^USER (?!root)", last, re.MULTILINE)
