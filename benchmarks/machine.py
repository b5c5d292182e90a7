"""What the figures were measured on, in one line."""

from __future__ import annotations

import datetime
import os
import platform
import sysconfig
from pathlib import Path


def machine() -> str:
    """Date, interpreter and how it was built, processor and how many of them."""
    python = f"{platform.python_implementation()} {platform.python_version()} {_built()}"
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{datetime.date.today()}, {python}, {cores} × {_processor()}"


def _built() -> str:
    """Interpreters built with profile-guided optimisation are faster by a tenth and more."""
    flags = " ".join(str(sysconfig.get_config_var(name)) for name in ("CONFIG_ARGS", "PY_CFLAGS"))
    is_pgo = "--enable-optimizations" in flags or "-fprofile-use" in flags
    return "with PGO" if is_pgo else "without PGO"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())
