from __future__ import annotations

import os
import platform
from pathlib import Path

import pytest

from arena.entrants.toolchains import find_on_path, need_problem, rust_folder, version_of
from tests.tournament.folders import write

pytestmark = pytest.mark.process

RUSTUP = """\
case "$(basename "$0") $*" in
  "rustup which rustc") [ -d "$RUSTUP_HOME" ] && echo "$RUSTUP_HOME/real/bin/rustc" ;;
  *) echo "error: no default toolchain is configured" >&2; exit 1 ;;
esac
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with rustup and one toolchain; its links are first on PATH."""
    links = tmp_path / "cargo" / "bin"
    write(links / "rustup", f"#!/bin/sh\n{RUSTUP}").chmod(0o755)
    for name in ("rustc", "cargo", "cargo-fmt"):
        (links / name).symlink_to("rustup")
    for name in ("rustc", "cargo"):
        real = tmp_path / "rustup" / "real" / "bin" / name
        write(real, f"#!/bin/sh\necho {name} 1.70.0\n").chmod(0o755)
    monkeypatch.setenv("PATH", str(links), prepend=os.pathsep)
    monkeypatch.setenv("RUSTUP_HOME", str(tmp_path / "rustup"))
    return tmp_path


def test_a_link_to_rustup_is_the_program_of_the_toolchain(home: Path) -> None:
    real = home / "rustup" / "real" / "bin"
    assert rust_folder() == str(real)
    assert find_on_path("cargo") == str(real / "cargo")
    assert find_on_path("cargo-fmt") == str(home / "cargo" / "bin" / "cargo-fmt")
    assert find_on_path("sh") == os.path.abspath(str(find_on_path("sh")))
    assert find_on_path("frobnicate") is None


def test_a_toolchain_tells_its_version_whatever_the_home(home: Path) -> None:
    assert need_problem("rustc", "1.70") == ""
    assert need_problem("cargo", "1.80") == 'found "cargo" 1.70.0, expected at least 1.80'


def test_without_a_toolchain_rustup_itself_is_found(home, monkeypatch) -> None:
    monkeypatch.setenv("RUSTUP_HOME", str(home / "none"))
    assert rust_folder() is None
    assert find_on_path("rustc") == str(home / "cargo" / "bin" / "rustc")


def test_a_compiler_that_is_found_before_rustup_counts(home, monkeypatch) -> None:
    other = write(home / "bin" / "rustc", "#!/bin/sh\necho rustc 1.50.0\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", str(other.parent), prepend=os.pathsep)
    assert rust_folder() is None
    assert find_on_path("rustc") == str(other)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in front of all others of PATH."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    return tmp_path


def program(folder: Path, name: str, script: str) -> None:
    write(folder / name, f"#!/bin/sh\n{script}\n").chmod(0o755)


@pytest.mark.parametrize(
    ("name", "said", "least", "enough"),
    [
        ("node", "v20.9.1", "20", True),
        ("node", "v20.9.1", "20.10", False),
        ("node", "v20.10.0", "20.9", True),
        ("gcc-12", "gcc-12 (Debian 12.2.0-14+deb12u1) 12.2.0", "12.2.0.0", True),
        ("gcc", "gcc (Ubuntu 9.4.0-1ubuntu1) 9.4.0", "11", False),
        ("lua5.4", "Lua 5.4.4  Copyright (C) 1994-2022 Lua.org", "5.4", True),
        ("perl", "This is perl 5, version 36, subversion 0 (v5.36.0) built", "5.30", True),
        ("go", "go version go1.21.5 linux/amd64", "1.22", False),
        ("java", "openjdk version 21 2023-09-19\nOpenJDK (build 21+35)", "21", True),
    ],
)
def test_versions_are_compared_number_by_number(programs, name, said, least, enough) -> None:
    program(programs, name, f"echo '{said}' >&2")
    problem = need_problem(name, least)
    assert (problem == "") is enough
    assert enough or problem.endswith(f", expected at least {least}")


def test_a_version_that_is_too_low_is_named(programs: Path) -> None:
    program(programs, "node", "echo v16.20.2")
    assert need_problem("node", "18") == 'found "node" 16.20.2, expected at least 18'


@pytest.mark.process
@pytest.mark.parametrize("script", ["exit 1", "echo 99.9; exit 1", "echo none", "kill -9 $$"])
def test_a_program_that_does_not_tell_is_a_problem(programs: Path, script: str) -> None:
    program(programs, "node", script)
    expected = '"node" does not tell its version, expected at least 18'
    assert need_problem("node", "18") == expected


@pytest.mark.process
def test_a_program_is_asked_in_a_clean_environment(programs, monkeypatch) -> None:
    monkeypatch.setenv("VERSION", "99.0")
    program(programs, "node", "echo ${VERSION:-1.0}")
    assert need_problem("node", "18") == 'found "node" 1.0, expected at least 18'


@pytest.mark.process
def test_what_a_program_leaves_at_home_when_asked_is_gone(programs: Path) -> None:
    program(programs, "node", f'echo "$HOME" > {programs}/home; touch "$HOME/left" && echo 18.1')
    assert need_problem("node", "18") == ""
    home = Path((programs / "home").read_text().strip())
    assert home.is_absolute()
    assert not home.exists()


@pytest.mark.process
def test_versions_are_told_of_programs_that_work(programs: Path) -> None:
    program(programs, "go", "echo go version go1.19.8 linux/amd64")
    program(programs, "rustc", "echo error: no toolchain 1.2.3; exit 1")
    program(programs, "frobnicate", "echo 1.2.3")
    names = ("go", "rustc", "frobnicate", "missing")
    assert [version_of(str(programs / name)) for name in names] == ["1.19.8", "", "", ""]


@pytest.mark.process
def test_a_program_that_does_not_end_is_not_waited_for(
    programs: Path, monkeypatch: pytest.MonkeyPatch, leaves_nothing: None
) -> None:
    monkeypatch.setattr("arena.entrants.toolchains._SECONDS", 0.2)
    program(programs, "node", "echo 99.9; exec sleep 600")
    assert "does not tell" in need_problem("node", "18")


def test_an_unknown_program_need_only_be_there_and_is_not_started(programs: Path) -> None:
    program(programs, "frobnicate", f"touch {programs}/started")
    assert need_problem("frobnicate", "7") == ""
    assert not (programs / "started").exists()
    assert need_problem("frobnicat", "7") == '"frobnicat" was not found on PATH'


def test_no_program_is_found_by_a_path() -> None:
    assert need_problem("/bin/sh", "1") == '"/bin/sh" was not found on PATH'


def test_python_is_the_one_that_runs_arena(programs: Path) -> None:
    program(programs, "python3", "echo Python 99.9")
    own = platform.python_version()
    assert need_problem("python3", own) == ""
    assert need_problem("python", "99") == f'found "python" {own}, expected at least 99'
