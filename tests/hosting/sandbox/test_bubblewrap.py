from __future__ import annotations

import pytest

from arena.hosting.sandbox import bubblewrap
from arena.hosting.sandbox.paths import FileSystemView

pytestmark = pytest.mark.process

SEEN = FileSystemView(("/opt/tool", "/usr"), (("/bin", "usr/bin"),))


def options(*, writable: bool = False, temporary_bytes: int | None = 1 << 20) -> tuple[str, ...]:
    return bubblewrap.options(
        SEEN,
        "/cells/7/bot",
        {"PATH": "/usr/bin"},
        place="/bot",
        writable=writable,
        temporary_bytes=temporary_bytes,
    )


def holds(words: tuple[str, ...], *part: str) -> bool:
    return any(words[at : at + len(part)] == part for at in range(len(words)))


def test_what_is_shown_is_read_only() -> None:
    words = options()
    assert holds(words, "--ro-bind", "/usr", "/usr")
    assert holds(words, "--ro-bind", "/opt/tool", "/opt/tool")
    assert holds(words, "--symlink", "usr/bin", "/bin")
    assert holds(words, "--ro-bind", "/cells/7/bot", "/bot")
    assert "--bind" not in words
    assert words[-4:] == ("--remount-ro", "/dev", "--remount-ro", "/")


def test_a_builder_writes_into_its_folder() -> None:
    words = options(writable=True)
    assert holds(words, "--bind", "/cells/7/bot", "/bot")
    assert words.count("--bind") == 1


@pytest.mark.parametrize(
    ("size", "expected"), [(1 << 20, ("--size", "1048576", "--tmpfs", "/tmp")), (None, ())]
)
def test_temporary_files_have_a_bound(size: int | None, expected: tuple[str, ...]) -> None:
    words = options(temporary_bytes=size)
    assert holds(words, *expected)
    assert holds(words, "--size", str(size or 64 << 20), "--tmpfs", "/dev/shm")


def test_nothing_of_ours_is_inherited() -> None:
    words = options()
    assert {"--unshare-all", "--unshare-user", "--disable-userns", "--clearenv"} <= set(words)
    assert {"--new-session", "--die-with-parent"} <= set(words)
    assert words.index("--clearenv") < words.index("--setenv")


@pytest.mark.parametrize(
    ("status", "expected"),
    [(0, 0), (1, 1), (127, 127), (128, 128), (137, -9), (139, -11), (255, 255)],
)
def test_a_signal_is_told_as_subprocess_tells_it(status: int, expected: int) -> None:
    assert bubblewrap.exit_status(status) == expected


@pytest.mark.parametrize(
    ("message", "remedy"),
    [
        ("bwrap: setting up uid map: Permission denied", "AppArmor"),
        ("bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", "AppArmor"),
        ("bwrap: No permissions to create new namespace, likely because ...", "forbidden"),
        ("bwrap: Unknown option --disable-userns", "0.8"),
        ("bwrap: something new", "by hand"),
    ],
)
def test_messages_come_with_a_remedy(message: str, remedy: str) -> None:
    assert remedy in bubblewrap.remedy(message)


def test_bubblewrap_is_found_without_a_search_path(monkeypatch: pytest.MonkeyPatch) -> None:
    with_path = bubblewrap.find()
    monkeypatch.delenv("PATH")
    assert bubblewrap.find() == with_path
