from __future__ import annotations

import pytest

from arena.extensions.machines.direct import check_address, is_open
from arena.values.bad_input import BadInput


@pytest.mark.parametrize(
    "where",
    [
        "dask",
        "tls://10.0.0.5:8786",
        "tls://[fd00::5]:8786",
        "tls://scheduler.example.org:8786",
        "tcp://127.0.0.1:8786",
        "tcp://127.9.9.9:8786",
        "tcp://[::1]:8786",
        "tcp://localhost:8786",
    ],
)
def test_where_games_can_be_played(where: str) -> None:
    check_address(where)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("tcp://10.0.0.5:8786", "expected tls:// for what is not on this machine"),
        ("tcp://0.0.0.0:8786", "expected tls://"),
        ("tcp://far:8786", "expected tls://"),
        ("tcp://localhost.example.org:8786", "expected tls://"),
        ("tcp://[fd00::5]:8786", "expected tls://"),
        ("tcp://127.0.0.1", "expected dask, tls://HOST:PORT"),
        ("tcp://127.0.0.1:port", "expected dask, tls://HOST:PORT"),
        ("tcp://[::1", "expected dask, tls://HOST:PORT"),
        ("tls://:8786", "expected dask, tls://HOST:PORT"),
        ("ws://127.0.0.1:8786", "expected dask, tls://HOST:PORT"),
        ("127.0.0.1:8786", "expected dask, tls://HOST:PORT"),
        ("", "expected dask, tls://HOST:PORT"),
        ("tls://far:0", "expected dask, tls://HOST:PORT"),
        ("tls://far:65536", "expected dask, tls://HOST:PORT"),
        ("tls://user:word@far:1", "expected dask, tls://HOST:PORT"),
        ("tcp://127.0.0.1:1/path", "expected dask, tls://HOST:PORT"),
        ("tcp://127.0.0.1:1\n", "expected dask, tls://HOST:PORT"),
        (f"tls://{'a' * 1000}:1", "expected dask, tls://HOST:PORT"),
    ],
)
def test_where_they_cannot(where: str, expected: str) -> None:
    with pytest.raises(BadInput) as caught:
        check_address(where)
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"address": "tls://10.0.0.1:8786", "id": "x"}', None),
        (None, "No such file or directory, expected a file that a scheduler has written"),
        ("", "found no address"),
        ("[]", "found no address"),
        ("{}", "found no address"),
        ('{"address": 5}', "found no address"),
        ('{"address": "other.json"}', "found no address"),
        ('{"address": "inproc://1/2/3"}', "expected dask, tls://HOST:PORT"),
        ('{"address": "tcp://10.0.0.1:8786"}', "expected tls:// for what is not on this machine"),
    ],
)
def test_a_scheduler_file_is_no_way_around_it(tmp_path, text, why) -> None:
    file = tmp_path / "s.json"
    if text is not None:
        file.write_text(text)
    if why is None:
        check_address(str(file))
        return
    with pytest.raises(BadInput) as caught:
        check_address(str(file))
    assert why in str(caught.value)


def test_what_is_open_to_others() -> None:
    assert is_open("tcp://10.0.0.5:1")
    assert not is_open("tcp://127.0.0.1:1")
    assert not is_open("tls://10.0.0.5:1")
