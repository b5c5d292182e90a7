"""Replace itself by the package ``arena``, which contains this folder, when a bot imports it."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

_SPEC = spec_from_file_location("arena", Path(__file__).resolve().parents[3] / "__init__.py")
if _SPEC is None or _SPEC.loader is None:
    raise ImportError("arena has no folder")
sys.modules["arena"] = _MODULE = module_from_spec(_SPEC)
_SPEC.loader.exec_module(_MODULE)
