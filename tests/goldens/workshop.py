"""Calls commands in a folder and notes what they print and write."""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import types
import zipfile
from pathlib import Path
from typing import Any, Final, NoReturn

from tests.cli import warm
from tests.goldens import forms
from tests.goldens.normal import normal, steady
from tests.schemas import check_document

ROOT: Final = Path(__file__).parents[2]
_STREAM: Final = re.compile(
    r"(^--- std(?:out|err)\n)(.*?)(?=^--- stderr$|\Z)", re.DOTALL | re.MULTILINE
)
_REPEATED: Final = 5
"""A text of fewer lines is repeated in each golden that has it."""


class Workshop:
    """A folder in which commands are called, and the goldens that came of it.

    ``texts``: by the golden's path below its run's folder. A command is called in a fork of this
    process, which has imported arena already: the same program, ten times as fast.
    """

    def __init__(self, folder: Path, *, whole: bool = False) -> None:
        """``whole``: long texts are not shortened."""
        self.folder = folder
        self._whole = whole
        self.texts: dict[str, str] = {}
        self._owners: dict[str, str] = {}
        self._places = {str(folder): "<here>", str(ROOT): "<project>"}
        self._environment = {
            key: value
            for key, value in os.environ.items()
            if key in ("PATH", "PYTHONHASHSEED", "TMPDIR", "PYTHONPATH")
        } | {
            "HOME": str(folder),
            "XDG_CACHE_HOME": str(folder / ".cache"),
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "COLUMNS": "100",
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def call(
        self, golden: str, line: str, *, answers: str = "", real: bool = False, **extra: str
    ) -> int:
        """Calls ``arena LINE`` and notes all it printed; returns the exit code.

        ``real``: as a process of its own. ``extra``: environment variables.
        """
        printed = self.folder / ".printed"
        said = self.folder / ".said"
        asked = self.folder / ".asked"
        asked.write_text(answers, "utf-8")
        arguments = shlex.split(line)
        environment = self._environment | extra
        with asked.open("rb") as stdin, printed.open("wb") as out, said.open("wb") as err:
            if real:
                code = subprocess.run(
                    [sys.executable, "-m", "arena", *arguments],
                    cwd=self.folder,
                    env=environment,
                    stdin=stdin,
                    stdout=out,
                    stderr=err,
                    check=False,
                ).returncode
            elif not (pid := os.fork()):
                for number, file in enumerate((stdin, out, err)):
                    os.dup2(file.fileno(), number)
                self._become_arena(arguments, environment)
            else:
                code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        check_document(printed.read_text("utf-8"))
        told = "".join(
            f"--- {name}\n{text if text.endswith(chr(10)) else text + '⏎' + chr(10)}"
            for name, path in (("stdout", printed), ("stderr", said))
            if (text := path.read_text("utf-8"))
        )
        found = normal(f"$ arena {line}\nexit code {code}\n{told}", self._places)
        self._add(
            golden,
            _STREAM.sub(lambda part: part[1] + self._once(golden, forms.document(part[2])), found),
        )
        for path in (printed, said, asked):
            path.unlink()
        return code

    def _become_arena(self, arguments: list[str], environment: dict[str, str]) -> NoReturn:
        """In the fork: what ``arena ARGUMENTS`` does, to its end.

        Nothing of the parent's is tidied up at the end; arena leaves nothing to be done there.
        """
        code: Any = 70
        try:
            os.environ.clear()
            os.environ.update(environment)
            os.chdir(self.folder)
            sys.argv = ["arena", *arguments]
            sys.modules["__main__"] = types.ModuleType("__main__")
            sys.stdin = os.fdopen(0, "r", encoding="utf-8")
            sys.stdout = os.fdopen(1, "w", encoding="utf-8")
            sys.stderr = os.fdopen(2, "w", buffering=1, encoding="utf-8")
            warm.fork_workers()
            from arena.cli import main

            code = 0
            try:
                main()
            except SystemExit as end:
                code = end.code
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code if isinstance(code, int) else int(code is not None))

    def note(self, golden: str, text: str) -> None:
        """Note a text as it is, but for what differs from time to time."""
        self._add(golden, self._once(golden, normal(text, self._places)))

    def _add(self, golden: str, text: str) -> None:
        assert golden not in self.texts, golden
        self.texts[golden] = text

    def _once(self, golden: str, text: str) -> str:
        """Return the text, shortened, or the name of the golden of this run that has it already."""
        if self._whole or text.count("\n") < _REPEATED:
            return text
        owner = self._owners.setdefault(text, golden)
        return forms.shortened(text) if owner == golden else f"(as in {owner})\n"

    def file(self, golden: str, path: str) -> None:
        """Notes a file that was written; JSON lines indented."""
        text = (self.folder / path).read_text("utf-8")
        whole = forms.lines_indented if path.endswith(".jsonl") else forms.document
        self.note(golden, whole(text))

    def shape(self, golden: str, path: str) -> None:
        """Notes the keys of a JSON file and the types of what they hold."""
        value = json.loads((self.folder / path).read_text("utf-8"))
        self.note(golden, forms.indented(forms.shape(value)) + "\n")

    def page(self, golden: str, path: str, games: int = 1) -> None:
        """Note what a page reads and its data: of the games the first ``games``."""
        page = forms.page(
            (self.folder / path).read_text("utf-8"), lambda markup: normal(markup, self._places)
        )
        self._add(f"{golden}/page.txt", self._once(golden, page.text))
        others = ""
        for name, value in page.data.items():
            text = forms.indented(steady(value)) + "\n"
            if games <= 0:
                others += f"{forms.digest(normal(text, self._places))}  {name}\n"
            else:
                self.note(f"{golden}/{name}.json", text)
                games -= name.startswith("game-")
        if others:
            self.note(f"{golden}/other-games.txt", others)

    def records(self, golden: str, run: str, whole: int = 1) -> None:
        """Notes the records of a run by game: the first ones whole, of the others a digest."""
        found: dict[str, list[str]] = {}
        for path in (self.folder / run / "records").iterdir():
            member: list[str] = []
            for line in gzip.decompress(path.read_bytes()).decode().splitlines():
                value = json.loads(line)
                if value["line"] in ("measured", "seal"):
                    continue
                if value["line"] == "header":
                    member = found[value["spec"]["game_id"]] = []
                member.append(forms.indented(steady(value)) + "\n")
        others = ""
        for number, (name, lines) in enumerate(sorted(found.items())):
            text = normal("".join(lines), self._places)
            if number < whole:
                self.note(f"{golden}/{number + 1}.jsonl", text)
            else:
                others += f"{forms.digest(text)}  {name}\n"
        self.note(f"{golden}/others.txt", others)

    def pack(self, golden: str, path: str, games: bool) -> None:
        """Note the files of a pack; with ``games`` also its lines of games and the first game."""
        source = self.folder / path
        if source.is_dir():
            files = {
                str(file.relative_to(source)): file.read_text("utf-8")
                for file in source.rglob("*")
                if file.is_file()
            }
        else:
            with zipfile.ZipFile(source) as packed:
                files = {name: packed.read(name).decode() for name in packed.namelist()}
        digests = ""
        first = min((name for name in files if "games/" in name), default="")
        for name, text in sorted(files.items()):
            form = forms.lines_indented(text) if name.endswith(".jsonl") else forms.document(text)
            if "games" in name:
                digests += f"{forms.digest(normal(form, self._places))}  {name}\n"
            if "games" not in name or (games and ("games/" not in name or name == first)):
                self.note(f"{golden}/{name.replace('/', '-')}", form)
        self.note(f"{golden}/games.txt", digests)

    def tree(self, golden: str, path: str) -> None:
        """Notes the names below a folder."""
        top = self.folder / path
        names = sorted(str(p.relative_to(top)) + "/" * p.is_dir() for p in top.rglob("*"))
        self.note(golden, "".join(f"{name}\n" for name in names))

    def write(self, path: str, text: str) -> None:
        """A file for commands to read."""
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text, "utf-8")

    def copy(self, source: str, target: str) -> Path:
        """A copy of a run folder, to do something with."""
        shutil.copytree(self.folder / source, self.folder / target)
        return self.folder / target
