"""Metadata that is computed when a package is built: the README as an index page shows it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

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
