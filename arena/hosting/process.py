"""A bot process: its pipes, its end and its process group.

Pipes are non-blocking and belong to the caller, who reads and writes them (``fileno``
attributes). The process leads a session of its own, so that one signal reaches every descendant
that stayed in its group.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from typing import IO, Final

from arena.hosting.machine import capacity, kernel, orphans, procfs, usage
from arena.hosting.machine.usage import Usage
from arena.hosting.program import Status
from arena.hosting.sandbox import bubblewrap, confine, side_channels, warm
from arena.hosting.sandbox.confine import LaunchPlan, clean_environment
from arena.hosting.sandbox.isolation import IsolationError, Launch, Level
from arena.hosting.sandbox.warm import Child
from arena.hosting.workspace.cells import Cell, Workspace
from arena.hosting.workspace.learning import Given
from arena.values.results import Limits

__all__ = ["BotProcess", "clean_environment"]

_NAP_SECONDS: Final = 0.01
_REAP_SECONDS: Final = 0.5
_STOP_ROUNDS: Final = 5
_MANY_REFUSED: Final = 1000
"""More refused processes than of a pool of threads or children that is larger than allowed."""
_SWARM: Final = 24
"""More processes than a few for each core, at least; threads of one process do not count."""
_STOPPED: Final = "TtZX"


class BotProcess:
    """A started process.

    The constructor raises OSError if the process cannot be started, and IsolationError if its
    isolation level is not available; ``start_error`` returns later failures. From the level
    ``limits`` on, the process ends with the thread that started it.
    """

    def __init__(
        self, launch: Launch, workspace: Workspace | None = None, given: Given | None = None
    ) -> None:
        """Start the process, in a cell of ``workspace``; None for no cell.

        ``given``: files of earlier rounds, see ``Workspace.cell``.
        """
        confined = launch.level is not Level.NONE
        self._limits = launch.limits if confined else Limits(memory=None, cpu=None)
        self._cell = Cell(launch.folder) if workspace is None else workspace.cell(launch, given)
        self.learning = self._cell.learning
        """Folders of what the bot learns, read once the process is killed; None without."""
        self._lock = threading.Lock()
        self._reaping = threading.Lock()
        self._cpu_ended: float | None = None
        """Processor time of the process once it is reaped, in seconds; None if not known."""
        self._status: Status | None = None
        self._excess: str | None = None
        self._killed = False
        try:
            self._plan = confine.plan(launch, self._cell)
            if launch.level.at_least(Level.LANDLOCK):
                side_channels.skip_inode_numbers()
            self._popen = self._start(self._plan)
        except BaseException:
            self._cell.close()
            raise
        if not confined or launch.limits.files is None:
            capacity.lower_files(self.pid)
        entered = self._plan.steps is not None and self._plan.steps.cgroups is not None
        self._group = self._cell.group if entered else None
        self._cell.register(self.pid)
        pipes = [pipe for pipe in self._pipes() if pipe is not None]
        self.stdin, self.stdout, self.stderr = (pipe.fileno() for pipe in pipes)
        for descriptor in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(descriptor, False)
        self.pidfd = _pidfd(self.pid)
        """Readable once the process has ended; None if the system has no such descriptors."""

    @property
    def pid(self) -> int:
        """Process id, which is also the id of its group and session."""
        return self._popen.pid

    @property
    def over_limit(self) -> str | None:
        """Excess that the process was killed for, in words; None if it was not, or still runs."""
        if self._excess is None and self.ended():
            self._excess = self._judge()
        return self._excess

    def exit_status(self) -> int | None:
        """Return the exit status, negative for a signal; None while the process runs.

        Leaves the process unreaped, so that its group id is not reused before ``kill``.
        """
        status = self._ended_with()
        if status is None or not self._plan.depth:
            return status
        return bubblewrap.exit_status(status)

    def ended(self) -> bool:
        """Return whether the process has ended."""
        return self._ended_with() is not None

    def wait(self, seconds: float) -> bool:
        """Wait up to ``seconds`` for the end of the process; return whether it has ended."""
        if self.pidfd is not None:
            poll = select.poll()
            poll.register(self.pidfd, select.POLLIN)
            poll.poll(max(0.0, seconds * 1000))
            return self.ended()
        give_up = time.monotonic() + seconds
        while not self.ended() and time.monotonic() < give_up:
            time.sleep(_NAP_SECONDS)
        return self.ended()

    def start_error(self) -> OSError | IsolationError | None:
        """Return why the bot's program was not started; None if it was.

        An OSError means that the program itself cannot be executed; an IsolationError, that its
        confinement failed or was not finished. Never waits.
        """
        return None if self._status is None else self._status.error(self._plan)

    def usage(self) -> Usage | None:
        """Return the resources used by the process and its descendants; None once it is gone."""
        with self._lock:
            if self._popen.returncode is not None:
                return None
            used = usage.measure(self.pid, self._plan.depth)
            return used if used is None else self._with_times_of_group(used)

    def cpu_ns(self) -> int | None:
        """Return the processor time of ``usage``, in nanoseconds; None once the process is gone.

        With a control group it takes the same time for one process and for many.
        """
        with self._lock:
            if self._popen.returncode is not None:
                return None
            if self._group is not None and (cpu := self._group.cpu_ns()) is not None:
                return cpu
        used = self.usage()
        return used and used.cpu_ns

    def is_swarming(self) -> bool:
        """Return whether the bot runs many more processes than there are cores."""
        with self._lock:
            if self._popen.returncode is not None:
                return False
            if self._group is not None and self._group.refused_forks() > _MANY_REFUSED:
                return True
            most = max(_SWARM, 2 * capacity.cores())
            return len(usage.tree(self.pid)) - self._plan.depth > most

    def times(self) -> Usage | None:
        """Return ``usage`` for its times, in half of the time if a control group has them all."""
        with self._lock:
            if self._popen.returncode is not None:
                return None
            has_all = self._group is not None and self._group.stalled_ns() is not None
            used = Usage(0, None, 0, 0) if has_all else usage.measure(self.pid, self._plan.depth)
            return used if used is None else self._with_times_of_group(used)

    def peak(self) -> int:
        """Return the peak memory of the process and its descendants, in bytes; 0 once gone."""
        with self._lock:
            if self._popen.returncode is not None:
                return 0
            return usage.peak(self.pid, self._plan.depth)

    @property
    def is_kept_in_limits(self) -> bool:
        """True if the kernel enforces its limits on memory and processes."""
        group = self._group
        return group is not None and group.limits_memory and group.limits_processes

    def freeze(self) -> None:
        """Stop the process and all its descendants. Does nothing for a process that is gone."""
        self._pause(signal.SIGSTOP)

    def thaw(self) -> None:
        """Continue the process after ``freeze``."""
        self._pause(signal.SIGCONT)

    def condemn(self, why: str) -> None:
        """Kill the process for exceeding a limit; ``over_limit`` returns ``why``. Thread-safe."""
        with self._lock:
            if self._popen.returncode is None and self._ended_with() is None:
                self._excess = self._excess or why
                self._signal_all()

    def close_stdin(self) -> None:
        """Close the pipe, so that the process reads the end of its input."""
        if self._popen.stdin is not None:
            self._popen.stdin.close()

    def kill(self) -> None:
        """Kill the process and its group, reap it and close everything, its cell too.

        A process that is traced cannot be reaped before its tracer is gone; it is left to
        ``orphans.sweep``. Every wait here is bounded.
        """
        with self._lock:
            if self._killed:
                return
            self._killed = True
            if self._excess is None and self._ended_with() is not None:
                self._excess = self._judge()
            if self.learning is not None and not self.ended():
                self.learning.dropped = "its process did not end in time"
            self._signal_all()
            self.wait(_REAP_SECONDS)
            if self._popen.poll() is None:
                self._popen.returncode = -signal.SIGKILL
            for pipe in self._pipes():
                if pipe is not None:
                    pipe.close()
            if self.pidfd is not None:
                os.close(self.pidfd)
                self.pidfd = None
            if self._status is not None:
                self._status.close()
            self._group = None
            self._cell.close()

    def _with_times_of_group(self, used: Usage) -> Usage:
        """Return ``used`` with times of the control group, which include ended processes."""
        if self._group is None or (cpu := self._group.cpu_ns()) is None:
            return used
        stalled = self._group.stalled_ns()
        if stalled is None:
            return used._replace(cpu_ns=cpu)
        if usage.lets_others_go_first(self._group.members()):
            return used._replace(cpu_ns=cpu, waited_ns=None)
        each = usage.shares(usage.tree(usage.main_process(self.pid, self._plan.depth)))
        return used._replace(cpu_ns=cpu, waited_ns=stalled, is_complete=True, shares=each)

    def _start(self, plan: LaunchPlan) -> subprocess.Popen[bytes] | Child:
        """Start the process that ``plan`` describes. Raises OSError."""
        if plan.steps is None:
            return _popen(plan.command, plan.folder, plan.env, plan.user)
        orphans.keep()
        self._status = Status(plan.steps.token)
        try:
            with contextlib.ExitStack() as stack:
                steps = _file_with(plan.steps.packed())
                stack.callback(os.close, steps)
                end = self._status.write_end
                stack.callback(self._status.close_write_end)
                group = []
                if plan.steps.cgroups and self._cell.group and (folder := self._cell.group.folder):
                    group.append(os.open(folder, os.O_RDONLY))
                    stack.callback(os.close, group[0])
                if (child := warm.start(steps, end, group)) is not None:
                    return child
                command = confine.start(steps, end)
                return _popen(command, "/", self._cell.env, None, (steps, end))
        except BaseException:
            self._status.close()
            raise

    def _ended_with(self) -> int | None:
        """Return the exit status of the started process, which may be bubblewrap."""
        if self._popen.returncode is not None:
            return self._popen.returncode
        if not (hasattr(os, "waitid") and kernel.offered().controls_processes):
            return self._reaped()
        try:
            end = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # reaped by code that ends all processes
            return -signal.SIGKILL
        if end is None:
            return None
        status: int = end.si_status
        return status if end.si_code == os.CLD_EXITED else -status

    def _reaped(self) -> int | None:
        """Reap the process if it has ended, and kill its group at once, while its id is not reused.

        For systems where the end of a process cannot be seen without reaping it: the ``waitid`` of
        macOS does not name the signal that ended a process.
        """
        with self._reaping:
            if self._popen.returncode is None:
                try:
                    pid, status, used = os.wait4(self.pid, os.WNOHANG)
                except ChildProcessError:  # reaped by code that ends all processes
                    return -signal.SIGKILL
                if pid:
                    self._cpu_ended = used.ru_utime + used.ru_stime
                    self._popen.returncode = os.waitstatus_to_exitcode(status)
                    self._signal_group(signal.SIGKILL)
            return self._popen.returncode

    def _judge(self) -> str | None:
        """Return the excess that an ended process was killed for, in words, or None."""
        if self._group is not None and self._group.oom_kills():
            return usage.excess_of_memory(self._limits)
        cpu = self._limits.cpu
        if cpu is None:
            return None
        status = self.exit_status()
        if status == -signal.SIGXCPU or (status == -signal.SIGKILL and self._cpu_seconds() > cpu):
            return f"used more than {cpu:g} s of the processor"
        return None

    def _cpu_seconds(self) -> float:
        """Return the processor time of an ended process that is not reaped yet, in seconds.

        Used for a process that was killed for ignoring SIGXCPU.
        """
        if self._cpu_ended is not None:
            return self._cpu_ended
        used = None if self._group is None else self._group.cpu_ns()
        with contextlib.suppress(OSError):
            return (usage.cpu_ns(self.pid) if used is None else used) / 1e9
        return 0.0

    def _signal_all(self) -> None:
        """Kill all reachable processes; ids of processes not yet reaped cannot belong to others."""
        if self._group is not None:
            self._group.kill()
        if self._popen.returncode is None:
            if self._plan.depth:  # bubblewrap may not have tied its two processes together yet
                self._signal_below()
            self._signal_group(signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def _signal_group(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    def _signal_below(self) -> None:
        for pid in usage.tree(self.pid)[1:]:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)

    def _pause(self, number: signal.Signals) -> None:
        with self._lock:
            if self._popen.returncode is not None:
                return
            if self._group is not None and self._group.freezes:
                (self._group.freeze if number is signal.SIGSTOP else self._group.thaw)()
                return
            if not kernel.offered().shows_processes:
                self._signal_group(number)
                return
            for _ in range(_STOP_ROUNDS):  # a process not stopped yet may wake another
                pids = usage.tree(self.pid)
                for pid in pids:
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.kill(pid, number)
                if number is signal.SIGCONT or all(map(_is_stopped, pids)):
                    return

    def _pipes(self) -> tuple[IO[bytes] | None, ...]:
        return self._popen.stdin, self._popen.stdout, self._popen.stderr


def _popen(
    command: Sequence[str],
    folder: str,
    env: Mapping[str, str],
    user: int | None,
    descriptors: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a process with pipes in a session of its own. Raises OSError."""
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        cwd=folder,
        env=env,
        start_new_session=True,
        user=user,
        group=user,
        extra_groups=None if user is None else (),
        pass_fds=descriptors,
    )


def _file_with(data: bytes) -> int:
    """Return the descriptor of a new file without a name, at its beginning. Raises OSError."""
    if hasattr(os, "memfd_create"):
        file: int = os.memfd_create("plan")
    else:
        with tempfile.TemporaryFile() as named:
            file = os.dup(named.fileno())
    os.write(file, data)
    os.lseek(file, 0, os.SEEK_SET)
    return file


def _is_stopped(pid: int) -> bool:
    try:
        found = procfs.process(pid)
    except OSError:
        return True
    if found.state == "Z" and not found.has_ended:  # other threads may still run
        return all(thread.state in _STOPPED for thread in procfs.threads(pid))
    return found.state in _STOPPED


def _pidfd(pid: int) -> int | None:
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        pidfd: int = os.pidfd_open(pid)
    except OSError:  # old kernel, sandbox or no free descriptor: the process can be polled
        return None
    return pidfd
