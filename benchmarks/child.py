"""A measurement in a process of its own: one JSON line in, one JSON line out.

Every case starts from the same clean state that way, and several can be let go at once.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Final, Generic, TypeVar

import msgspec

from benchmarks.workshop import ROOT

_READY: Final = "ready\n"

Request = TypeVar("Request", bound=msgspec.Struct)
Result = TypeVar("Result", bound=msgspec.Struct)


class ChildError(RuntimeError):
    """The child failed; the text is what it wrote to standard error."""


class Child(Generic[Result]):
    """A started ``python -m MODULE`` that waits for its request."""

    def __init__(self, module: str, result: type[Result]) -> None:
        """Raises ChildError if it ends before it is ready."""
        self._module = module
        self._result = result
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by ``result``)
        self._process = subprocess.Popen(
            [sys.executable, "-m", module],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        if self._line() != _READY:
            raise self._failure()

    def go(self, request: msgspec.Struct) -> None:
        """Let it measure."""
        if self._process.stdin is not None:
            self._process.stdin.write(msgspec.json.encode(request).decode() + "\n")
            self._process.stdin.flush()

    def result(self) -> Result:
        """What it measured. Raises ChildError."""
        line = self._line()
        if not line:
            raise self._failure()
        self._process.communicate()
        self._errors.close()
        return msgspec.json.decode(line, type=self._result)

    def _line(self) -> str:
        return self._process.stdout.readline() if self._process.stdout is not None else ""

    def _failure(self) -> ChildError:
        self._process.communicate()
        self._errors.seek(0)
        text = self._errors.read().decode("utf-8", "replace")
        self._errors.close()
        return ChildError(f"{self._module} failed:\n{text}")


def call(module: str, request: msgspec.Struct, result: type[Result]) -> Result:
    """Measure in one child. Raises ChildError."""
    child = Child(module, result)
    child.go(request)
    return child.result()


def serve(kind: type[Request], measure: Callable[[Request], msgspec.Struct]) -> None:
    """The child's side."""
    print(_READY, end="", flush=True)
    request = msgspec.json.decode(sys.stdin.readline(), type=kind)
    print(msgspec.json.encode(measure(request)).decode(), flush=True)
