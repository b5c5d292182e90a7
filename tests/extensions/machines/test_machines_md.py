"""The files of docs/machines.md that people copy: they are used here as they stand."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

PAGE: Final = (Path(__file__).parents[3] / "docs" / "machines.md").read_text("utf-8")
DOCKERFILE: Final = (Path(__file__).parents[3] / "Dockerfile").read_text("utf-8")
FILES: Final = {
    name: (kind, text)
    for kind, name, text in re.findall(r"^```(\w+) (\S+)\n(.*?)^```", PAGE, re.DOTALL | re.M)
}
HOME: Final = "/home/arena/cluster"
SECONDS: Final = 60.0


def settings() -> dict[str, str]:
    lines = FILES["cluster.env"][1].splitlines()
    return dict(line.split("=", 1) for line in lines)


@pytest.mark.process
@pytest.mark.parametrize("name", [name for name, (kind, _) in FILES.items() if kind == "sh"])
def test_a_script_is_one(name: str) -> None:
    subprocess.run(["sh", "-n"], input=FILES[name][1].encode(), check=True)


def test_settings_are_those_of_dask() -> None:
    config = pytest.importorskip("dask.config")
    pytest.importorskip("distributed")
    known: set[str] = set()
    for defaults in config.defaults:
        known |= {key.replace("_", "-") for key, _ in _flat(defaults)}
    given = {key.replace("_", "-"): value for key, value in _flat(config.collect_env(settings()))}
    assert len(given) == len(settings())
    assert given["distributed.worker.profile.enabled"] is False
    assert given.pop("logging.distributed") == "warning"
    assert given.keys() <= known


def _flat(found: dict[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in found.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


@pytest.mark.parametrize("program", ["scheduler", "worker"])
def test_options_are_those_of_dask(program: str) -> None:
    pytest.importorskip("distributed")
    module = __import__(f"distributed.cli.dask_{program}", fromlist=["main"])
    known = {name for option in module.main.params for name in option.opts + option.secondary_opts}
    text = re.sub(r"\\\n|[\[\]\",]", " ", PAGE).replace("args:", "")
    text = re.sub(r"\n +(?=--)", " ", text)
    calls = re.findall(rf"dask +{program}\b([^\n]*)", text)
    assert len(calls) >= 3
    used = {word for call in calls for word in re.findall(r"(?<!\S)--[a-z-]+", call)}
    assert used >= {"--no-dashboard", "--dashboard-address"}
    assert used <= known


def test_the_pods_have_what_the_settings_name() -> None:
    parts = list(yaml.safe_load_all(FILES["cluster.yaml"][1]))
    assert [each["kind"] for each in parts] == ["Deployment", "Service", "Deployment"]
    keys = {value for key, value in settings().items() if "TLS" in key}
    for part in (parts[0], parts[2]):
        pod = part["spec"]["template"]
        assert pod["metadata"]["labels"] == part["spec"]["selector"]["matchLabels"]
        [container] = pod["spec"]["containers"]
        [mount] = container["volumeMounts"]
        [volume] = pod["spec"]["volumes"]
        assert volume["name"] == mount["name"]
        assert volume["secret"]["defaultMode"] == 0o400
        assert f"--uid {pod['spec']['securityContext']['fsGroup']} " in DOCKERFILE
        for name in ("ca.pem", "node.pem", "node.key"):
            assert f"{mount['mountPath']}/{name}" in keys
            assert f"--from-file=tls/{name}" in PAGE
    assert parts[1]["spec"]["selector"] == parts[0]["spec"]["template"]["metadata"]["labels"]
    assert (
        f"tls://{parts[1]['metadata']['name']}:8786"
        in parts[2]["spec"]["template"]["spec"]["containers"][0]["command"]
    )


@contextmanager
def running(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    process = subprocess.Popen(words, stderr=subprocess.DEVNULL, start_new_session=True, **quiet)
    try:
        yield process
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("openssl"), reason="the page makes certificates with it")
@pytest.mark.soak
def test_certificates_scripts_and_settings_make_a_cluster(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    here = {name: text.replace(HOME, str(tmp_path)) for name, (_, text) in FILES.items()}
    for name in ("make-tls", "cluster.env", "scheduler", "worker"):
        text = here[name].replace("--port 8786", f"--host 127.0.0.1 --port {port}")
        (tmp_path / name).write_text(text)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "dask").write_text(
        f'#!/bin/sh\nexec {sys.executable} -m dask "$@"\n'
    )
    (tmp_path / ".venv" / "bin" / "dask").chmod(0o755)
    subprocess.run(["sh", "make-tls"], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "tls" / "node.key").stat().st_mode & 0o077 == 0
    where = f"tls://127.0.0.1:{port}"

    def doctor(command: str, ours: dict[str, str]) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-m", "arena", "doctor", "--on", command]
        return subprocess.run(words, env=os.environ | ours, capture_output=True, text=True)

    ours = {key: value.replace(HOME, str(tmp_path)) for key, value in settings().items()}
    with running("sh", str(tmp_path / "scheduler")), running("sh", str(tmp_path / "worker"), where):
        give_up = time.monotonic() + SECONDS
        while (done := doctor(where, ours)).returncode:
            assert time.monotonic() < give_up, done.stderr
        without = doctor(where, {})
        plain = doctor(f"tcp://127.0.0.1:{port}", {})
    assert "1 worker on 1 machine" in done.stdout
    assert "Dask wakes often" not in done.stdout
    assert "1 of 1 worker can play" in done.stderr
    assert without.returncode == plain.returncode == 2
    assert "TLS wants certificates, and none are set" in without.stderr
    assert "Traceback" not in without.stderr + plain.stderr
