"""Steps of building a package: the README as an index page shows it, and the compiled exchange."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(\]\()(?!#|\w+:)")
_PICTURE = re.compile(r'(\b(?:src|srcset)=")(?!\w+:)')


def for_index(text: str, repository: str, version: str) -> str:
    """Return ``text`` with absolute addresses in place of relative links and pictures.

    They lead to the tag of ``version`` in ``repository``, because a package contains no pages.
    """
    text = _LINK.sub(rf"\1{repository}/blob/v{version}/", text)
    return _PICTURE.sub(rf"\1{repository}/raw/v{version}/", text)


class IndexPage(MetadataHookInterface):
    """The hook that hatchling finds in this file."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the README to the metadata of the package."""
        text = Path(self.root, "README.md").read_text("utf-8")
        text = for_index(text, self.config["repository"], metadata["version"])
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


class CompiledExchange(BuildHookInterface[Any]):
    """The hook that compiles ``_exchange.c`` where there are a compiler and the headers of Python.

    Without them, or with ``ARENA_PURE`` in the environment, the package is pure Python: it does the
    same, slower.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the module beside its source, and make a wheel one of this platform."""
        if self.target_name != "wheel":
            return
        name = f"arena/referee/_exchange{sysconfig.get_config_var('EXT_SUFFIX')}"
        target = Path(self.root, name)
        if os.environ.get("ARENA_PURE") or not compiled(
            Path(self.root, "arena/referee/_exchange.c"), target
        ):
            with contextlib.suppress(OSError):
                target.unlink()  # that of an earlier build
            return
        build_data["pure_python"], build_data["infer_tag"] = False, True
        if version != "editable":
            build_data["force_include"][str(target)] = name


def compiled(source: Path, target: Path) -> bool:
    """Compile a module for this Python; return whether that was possible."""
    if sys.platform != "linux":  # elsewhere the clocks of C and Python differ
        return False
    linker = os.environ.get("LDSHARED") or sysconfig.get_config_var("LDSHARED") or "cc -shared"
    part = target.with_suffix(f".{os.getpid()}")
    try:
        digest = hashlib.sha256(source.read_bytes()).hexdigest()
        words = [*shlex.split(linker), "-O2", "-fPIC", f'-DARENA_SOURCE="{digest}"']
        words += [f"-I{sysconfig.get_path('include')}", str(source), "-o", str(part)]
        subprocess.run(words, check=True, capture_output=True)
        part.replace(target)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", b"") or str(error).encode()
        text = said.decode(errors="replace")[:300]
        print(f"arena: no compiled exchange, pure Python is used: {text}")
        return False
    finally:
        with contextlib.suppress(OSError):
            part.unlink()
    return True
