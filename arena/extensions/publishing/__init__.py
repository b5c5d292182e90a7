"""Hand out games of runs: code that pages in a browser and tables of games share.

``visible`` says which games a reader may see, ``processes`` prepares them in several processes, and
``folders`` replaces a folder as a whole.
"""

from __future__ import annotations

from arena.extensions import Extension

EXTENSION = Extension(name="publishing", summary="Hand out games that readers may see.")
