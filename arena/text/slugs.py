"""Parts of addresses for names from run folders, which are not trusted."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Final

_SAFE: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
_UNSAFE: Final = re.compile(r"[^a-z0-9]+")
_DIGEST: Final = 8


def slugs(names: Iterable[str]) -> dict[str, str]:
    """Return the part of an address for each name; all differ even if case is ignored."""
    found: dict[str, str] = {}
    taken = {"index"}
    for name in names:
        slug = name
        if not _SAFE.fullmatch(name) or name in taken:
            digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
            slug = f"{_UNSAFE.sub('-', name.casefold()).strip('-')[:40]}-{digest[:_DIGEST]}"
            slug = slug.lstrip("-")
        while slug in taken:
            slug += "-2"
        taken.add(slug)
        found[name] = slug
    return found
