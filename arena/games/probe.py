"""Import packages of others in a process of their own, before they are imported here.

A compiled package may end the interpreter while it is imported, without an exception. What
was found is kept in the user's cache until a file of the package changes.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from typing import Final

_SECONDS: Final = 60
"""Time after which an import counts as hung."""
_MOST_FILES: Final = 2_000
_SURVIVED: Final = 113
"""Exit status of a child that an import, even one that failed, did not end; a rare one."""
_CHILD: Final = """
import os, sys
sys.path[:] = {path!r}
try:
    import {module}
except BaseException:
    pass
os._exit({code})
"""


def why_fatal(module: str) -> str:
    """Return why ``module`` must not be imported in this process; "" if it may be tried.

    An import that fails with an exception may be tried: here the exception says more.
    """
    if module in sys.modules:
        return ""
    spec = None
    with contextlib.suppress(ImportError, ValueError):
        spec = find_spec(module.partition(".")[0])
    if spec is None:
        return ""
    stamp = _stamp(spec)
    kept = _folder() / f"{module}-{stamp}" if stamp else None
    if kept is not None:
        with contextlib.suppress(OSError):
            return kept.read_text("utf-8")
    found = _tried(module)
    if kept is not None:
        with contextlib.suppress(OSError):
            _keep(kept, found, module)
    return found


def _tried(module: str) -> str:
    """Import ``module`` in a child; return how the import ended the child, if it did."""
    command = [sys.executable, "-c", _CHILD.format(path=sys.path, module=module, code=_SURVIVED)]
    nothing = subprocess.DEVNULL
    try:
        done = subprocess.run(
            command, stdin=nothing, stdout=nothing, stderr=nothing, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"importing {module} takes more than {_SECONDS} s"
    except OSError:  # no process can be started: the import itself will show
        return ""
    status = done.returncode
    if status == _SURVIVED:
        return ""
    how = f"signal {-status}" if status < 0 else f"exit status {status}"
    return f"importing {module} ends the interpreter with {how}"


def _stamp(spec: ModuleSpec) -> str:
    """Return a digest of names, sizes and times of the files of a package; "" if unknown."""
    with contextlib.suppress(OSError):
        places = list(spec.submodule_search_locations or [spec.origin or ""])
        files = [path for place in places for path in _files(Path(place))]
        if 0 < len(files) <= _MOST_FILES:
            facts = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
            text = repr((sys.version, sys.executable, sorted(facts)))
            return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    return ""


def _files(place: Path) -> list[Path]:
    """Return the files of a package that are imported."""
    if place.is_file():
        return [place]
    return [path for ending in ("py", "so") for path in place.rglob(f"*.{ending}")]


def _folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME", "")
    base = base if os.path.isabs(base) else os.path.expanduser("~/.cache")
    return Path(base, "arena", "packages")


def _keep(path: Path, found: str, module: str) -> None:
    """Write what was found of a module, in place of what was found of its earlier files."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for old in path.parent.glob(f"{module}-*"):
        old.unlink(missing_ok=True)
    unfinished = path.with_name(f".new-{os.getpid()}")
    unfinished.write_text(found, "utf-8")
    os.replace(unfinished, path)
