"""Steps of building a package: the README as an index page shows it, and the compiled exchange."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
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
        if self.target_name != "wheel" or os.environ.get("ARENA_PURE"):
            return
        name = f"arena/referee/_exchange{sysconfig.get_config_var('EXT_SUFFIX')}"
        if not compiled(Path(self.root, "arena/referee/_exchange.c"), Path(self.root, name)):
            return
        build_data["pure_python"], build_data["infer_tag"] = False, True
        if version != "editable":
            build_data["force_include"][str(Path(self.root, name))] = name


def compiled(source: Path, target: Path) -> bool:
    """Compile a module for this Python; return whether that was possible."""
    linker = os.environ.get("LDSHARED") or sysconfig.get_config_var("LDSHARED") or "cc -shared"
    part = target.with_suffix(f".{os.getpid()}")
    words = [*shlex.split(linker), "-O2", "-fPIC", f"-I{sysconfig.get_path('include')}"]
    try:
        subprocess.run([*words, str(source), "-o", str(part)], check=True, capture_output=True)
        part.replace(target)
    except (OSError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", b"") or str(error).encode()
        print(f"arena: no compiled exchange, pure Python is used: {said.decode()[:300]}")
        return False
    finally:
        part.unlink(missing_ok=True)
    return True
