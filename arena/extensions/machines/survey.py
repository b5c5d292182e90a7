"""Find out what the workers of a Dask cluster can do by running ``arena doctor`` at each."""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

import dask
import msgspec
from distributed import Client, Worker

from arena import __version__
from arena.extensions.machines.checkup import TIMING, Checkup
from arena.extensions.machines.cluster import connect, errors_named, in_words, way_to
from arena.extensions.machines.direct import is_open
from arena.extensions.machines.survey_report import Survey, Surveyed
from arena.games.registry import GAMES
from arena.hosting.machine import capacity
from arena.hosting.sandbox.isolation import Level
from arena.values.bad_input import printable

_DOCTOR_SECONDS: Final = 30.0
"""Time limit on the doctor beside a worker, in seconds."""
_ANSWER_SECONDS: Final = 40.0
"""Time limit on a worker's answer, in seconds: a little more than the doctor's."""
_TRIP_SECONDS: Final = 5.0
_TRIPS: Final = 11
_AT_ONCE: Final = 4
"""Number of workers whose round trip is measured at the same time."""
_LITTLE: Final = 512 << 20
"""Memory that a worker with relays for arena may take, in bytes."""
_NOISY: Final = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.gil.enabled": False,
}
"""Settings that make Dask wake a hundred times a second, with the values that prevent this."""


class Facts(msgspec.Struct, frozen=True):
    """Facts that a worker reports about itself."""

    threads: int
    cores: tuple[int, ...]
    """Numbers of the cores that the worker may use."""
    listens: tuple[str, ...]
    """Addresses at which the worker accepts connections; 0.0.0.0 is every one of its machine."""
    kernel: str
    """Boot id: the same for all workers of one machine, containers included, between restarts."""
    nanny: bool
    memory_limit: int
    """Memory limit of the worker, in bytes; 0 if it has no limit."""
    noisy: tuple[str, ...]
    """Names of Dask settings that disturb bots."""
    doctor: str
    """Output of the doctor; empty if it failed."""
    failure: str
    """Reason why the doctor failed, in one line; empty if it did not."""


def survey(where: str) -> Survey:
    """Survey all workers that are there now. Raises BadInput if there is no such cluster."""
    with way_to(where, capacity.cores()) as target, errors_named(where), connect(target) as client:
        info = client.scheduler_info(n_workers=-1)
        names = {address: str(each["name"]) for address, each in info["workers"].items()}
        threads = {address: each["nthreads"] for address, each in info["workers"].items()}
        loop = client.loop.asyncio_loop
        asked = asyncio.run_coroutine_threadsafe(_ask_all(client, list(names)), loop)
        answers = asked.result()
    facts = {address: found for address, (_, found) in answers.items() if isinstance(found, Facts)}
    workers = []
    for address, (trip, found) in answers.items():
        name = names[address]
        known = Surveyed(
            address=address,
            name=name,
            label=address if name == address else f"{name} {address}",
            threads=threads[address],
            round_trip_us=trip,
        )
        if isinstance(found, Facts):
            known = _judged(known, found, facts)
        else:
            known = msgspec.structs.replace(known, problem=found)
        workers.append(known)
    workers.sort(key=lambda each: (each.machine, each.address))
    return Survey(scheduler=str(info["address"]), workers=tuple(workers))


async def _ask_all(
    client: Client, workers: Sequence[str]
) -> dict[str, tuple[float | None, Facts | str]]:
    """Return, by worker address, the round trip in µs and the facts or why they are missing."""
    few = asyncio.Semaphore(_AT_ONCE)
    trips = await asyncio.gather(*(_round_trip(client, each, few) for each in workers))
    found = await asyncio.gather(*map(_ask, [client] * len(workers), workers, trips))
    return dict(zip(workers, zip(trips, found, strict=True), strict=True))


async def _round_trip(client: Client, worker: str, few: asyncio.Semaphore) -> float | None:
    """Return the median round trip in µs; None if the worker does not answer."""
    took = []
    async with few:
        for _ in range(_TRIPS):
            began = time.perf_counter()
            if isinstance(await _run(client, worker, _TRIP_SECONDS, os.getpid), Exception):
                return None
            took.append(time.perf_counter() - began)
    return statistics.median(took) * 1e6


async def _ask(client: Client, worker: str, trip: float | None) -> Facts | str:
    if trip is None:
        return "does not answer"
    found = await _run(client, worker, _ANSWER_SECONDS, look)
    try:
        return msgspec.json.decode(found, type=Facts) if isinstance(found, bytes) else _why(found)
    except msgspec.MsgspecError:
        return f"answers otherwise than arena {__version__}"


def _why(found: object) -> str:
    late = f"does not answer within {_ANSWER_SECONDS:.0f} s"
    return late if isinstance(found, TimeoutError) else in_words(found)


async def _run(client: Client, worker: str, seconds: float, what: Any) -> Any:
    """Return the result of ``what`` at the worker, or the exception; wait up to ``seconds``."""
    try:
        asked = client.run(what, workers=[worker], on_error="return")
        return (await asyncio.wait_for(asked, seconds))[worker]
    except Exception as error:  # of the network, of Dask, or of unpickling at the worker
        return error


# Functions that run at the worker


async def look(dask_worker: Worker) -> bytes:
    """Return the facts of this worker as JSON, without disturbing other users of the worker."""
    doctor, failure = await asyncio.to_thread(_doctor)
    manager = dask_worker.memory_manager
    noisy = [key for key, quiet in _NOISY.items() if dask.config.get(key, quiet) != quiet]
    facts = Facts(
        threads=dask_worker.state.nthreads,
        cores=tuple(sorted(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else (),
        listens=tuple(str(each.listen_address) for each in dask_worker.listeners),
        kernel=capacity.boot_id(),
        nanny=dask_worker.nanny is not None,
        memory_limit=int(getattr(manager, "memory_limit", None) or 0),
        noisy=tuple(noisy),
        doctor=doctor,
        failure=failure,
    )
    return msgspec.json.encode(facts)


def _doctor() -> tuple[str, str]:
    """Run the doctor in its own process; return its output and the reason of a failure."""
    words = [sys.executable, "-P", "-m", "arena", "doctor", "--json"]
    where = os.pathsep.join(filter(None, sys.path))
    try:
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            env=os.environ | {"PYTHONPATH": where},
            timeout=_DOCTOR_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "", f"arena doctor took longer than {_DOCTOR_SECONDS:.0f} s there"
    except OSError as error:
        return "", f"arena doctor cannot be started there: {error.strerror}"
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit status {done.returncode}"]
        return "", f"arena doctor failed there: {last[0]}"
    return done.stdout, ""


# Evaluation of the answers


def _judged(known: Surveyed, facts: Facts, all_facts: dict[str, Facts]) -> Surveyed:
    """Return ``known`` completed by the worker's facts and their consequences."""
    try:
        checkup = msgspec.json.decode(facts.doctor, type=Checkup) if facts.doctor else None
    except msgspec.MsgspecError:
        return msgspec.structs.replace(known, problem="its arena has another doctor")
    if checkup is None:
        return msgspec.structs.replace(known, problem=printable(facts.failure)[:300])
    return msgspec.structs.replace(
        known,
        machine=checkup.machine,
        threads=facts.threads,
        problem=_problem(checkup),
        notes=(*_notes(known.address, facts, all_facts), *_notes_of(checkup)),
        checkup=checkup,
    )


def _problem(checkup: Checkup) -> str:
    if checkup.arena != __version__:
        return f"has arena {checkup.arena}, not {__version__}"
    if not any(checkup.works(level) for level in Level):
        return "no level of isolation works there"
    return ""


def _notes(address: str, facts: Facts, all_facts: dict[str, Facts]) -> Iterator[str]:
    """Yield warnings about Dask on the worker, and about cores that workers share."""
    if any(map(is_open, facts.listens)):
        where = ", ".join(facts.listens)
        yield f"listens at {where}: without TLS all who reach that run programs there; use --host"
    sharing = {
        other: found
        for other, found in all_facts.items()
        if found.kernel and found.kernel == facts.kernel and {*found.cores} & {*facts.cores}
    } or {address: facts}
    threads = sum(found.threads for found in sharing.values())
    several = len({core for found in sharing.values() for core in found.cores})
    if several and threads > several:
        others = sorted(sharing.keys() - {address})
        whom = f" with {', '.join(others)}" if others else ""
        yield f"{threads} threads on {several} cores{whom}: bots share cores; use --nthreads"
    if not facts.kernel:
        yield "does not tell which machine it is on (boot_id): its bots are kept on no cores"
    if facts.noisy:
        yield f"Dask wakes often on the cores of bots: turn off {', '.join(facts.noisy)}"
    if not facts.nanny:
        yield "has no nanny: it does not come back if its process dies"
    if 0 < facts.memory_limit < _LITTLE:
        yield f"Dask ends it at {facts.memory_limit >> 20} MB: use --memory-limit 0"


def _notes_of(checkup: Checkup) -> Iterator[str]:
    """Yield warnings of the doctor that do not prevent games, and differences in games."""
    for name, here in GAMES.sources().items():
        there = checkup.games.get(name, "")
        if here != there:
            yield f"{name}: {there or 'missing'} there, {here or 'missing'} here"
    for finding in checkup.findings:
        if not finding.good and finding.section in (TIMING, "folders"):
            yield f"{finding.name}: {finding.detail}"
