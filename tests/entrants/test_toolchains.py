from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.entrants.toolchains import find_on_path, need_problem, rust_folder
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


def test_without_a_toolchain_rustup_itself_is_found(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUSTUP_HOME", str(home / "none"))
    assert rust_folder() is None
    assert find_on_path("rustc") == str(home / "cargo" / "bin" / "rustc")


def test_a_compiler_that_is_found_before_rustup_counts(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = write(home / "bin" / "rustc", "#!/bin/sh\necho rustc 1.50.0\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", str(other.parent), prepend=os.pathsep)
    assert rust_folder() is None
    assert find_on_path("rustc") == str(other)
