"""Git repositories of authors: new commits are put into the folder of submissions.

    submissions/AUTHOR/         the bots of the last commit that was taken
    answers/AUTHOR/_git.txt     the answer to the author
    fetched.json                what was looked at last, by author, see ``TakenCommit``

From there on all is as if the author had put the files there. A commit is fetched once, taken or
refused. A repository that cannot be reached is tried again, each time after a longer delay.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena.entrants.folders import MAX_BYTES, MAX_FILES, Bounds
from arena.extensions.ladder.book import LadderBot, answer
from arena.extensions.ladder.days import Clock, backed_off, day_of
from arena.extensions.ladder.fetching import Fetching, GitSource, TooLarge
from arena.extensions.ladder.file import Ladder, RepositoryFile
from arena.extensions.ladder.intake import AUTHOR_FILE
from arena.extensions.publishing.folders import beside, recover, replace_folder
from arena.extensions.sources.git import GitError
from arena.extensions.sources.revisions import write_bots
from arena.hosting.workspace.trees import remove_tree
from arena.runs.disk import StoreError, read_json, write_atomically, writing
from arena.runs.store import SECRET

FETCHED: Final = "fetched.json"
SHORT: Final = 12
"""Number of digits of a commit that people are shown."""
SECONDS: Final = 60.0
"""Time for one attempt, in seconds."""
EVERY: Final = 300.0
"""Time from one look at a repository to the next, in seconds."""
_LONGEST: Final = 3600.0
"""Longest delay after attempts that failed, in seconds."""
_AT_ONCE: Final = 16
"""Most repositories that are looked at side by side."""
_ANSWER: Final = "_git"
"""Name of the answer; no bot has such a name."""
_MOST_SAID: Final = 300


class TakenCommit(msgspec.Struct, frozen=True):
    """The commit of an author that was looked at last."""

    source: RepositoryFile
    found: str
    """Object that the branch or tag named then; empty while its files are put in place."""
    commit: str = ""
    """Commit whose files are in the folder of submissions."""
    refused: str = ""
    """Reason why ``found`` was not taken; else empty."""


class _FetchResult(NamedTuple):
    """Result of an attempt. Without ``found`` it is made again later."""

    found: str = ""
    refused: str = ""
    late: str = ""
    """Reason why the repository cannot be reached now."""
    commit: str = ""
    """Commit with new files, which are in ``new``."""
    new: Path = Path()


class Repositories:
    """The repositories of a ladder's authors."""

    def __init__(
        self,
        ladder: Ladder,
        clock: Clock,
        say: Callable[[str], None],
        report: Callable[[str], object],
    ) -> None:
        """Read what was fetched, and complete what a kill has ended.

        ``report``: see ``reception.Report``.
        """
        self._ladder = ladder
        self._clock = clock
        self._say = say
        self._report = report
        self._path = ladder.folder / FETCHED
        self._taken: dict[str, TakenCommit] = {}
        with contextlib.suppress(StoreError):  # there is none, or it cannot be read
            self._taken = read_json(self._path, dict[str, TakenCommit])
        self._next = dict.fromkeys(ladder.repositories, 0.0)
        """Earliest next look, in seconds of the clock, by author."""
        self._failed: Counter[str] = Counter()
        """Failed attempts since one succeeded, by author."""
        self._stopped = threading.Event()
        terms = ladder.file.authors
        self._bounds = Bounds(
            min(terms.bots * terms.size, MAX_BYTES), min(terms.bots * terms.files, MAX_FILES)
        )
        for author in ladder.repositories:
            recover(self._folder(author))

    def _folder(self, author: str) -> Path:
        return self._ladder.submissions / author

    def commit(self, author: str) -> str:
        """Return the commit whose files are submitted now; empty without one."""
        known = self._known(author)
        return known.commit if known is not None and known.found else ""

    def _known(self, author: str) -> TakenCommit | None:
        known = self._taken.get(author)
        is_own = known is not None and known.source == self._ladder.repositories.get(author)
        return known if is_own else None

    def look(self) -> None:
        """Fetch new commits of all repositories whose next look is due. Raises StoreError.

        Takes no longer than ``SECONDS`` for each ``_AT_ONCE`` repositories.
        """
        now = self._clock.seconds()
        due = [author for author, when in self._next.items() if when <= now]
        if not due or not self._ladder.submissions.is_dir():  # its disk may not be mounted
            return
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            found = {author: pool.submit(self._attempt, author) for author in due}
            try:
                for author, attempt in found.items():
                    self._settle(author, attempt)
            except BaseException:
                self._stopped.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _settle(self, author: str, attempt: Future[_FetchResult]) -> None:
        """Act on the result of an attempt. Raises StoreError."""
        try:
            found = attempt.result()
        except OSError as error:
            with writing(self._folder(author)):
                raise error
        except Exception as error:
            self._report(f"the repository of {author} is not fetched")
            found = _FetchResult(late=type(error).__name__)
        self._next[author] = self._clock.seconds() + EVERY
        if found.late:
            self._put_off(author, found.late)
            return
        del self._failed[author]
        own = self._ladder.repositories[author]
        if found.refused:
            self._refuse(author, own, found)
        elif found.commit:
            taken = TakenCommit(own, "", found.commit)
            self._note(author, taken)
            with writing(self._folder(author)):
                replace_folder(found.new, self._folder(author))
            self._note(author, msgspec.structs.replace(taken, found=found.found))
            self._tell(author, f"fetched: commit {found.commit}")
            self._say(f"{author}: commit {found.commit[:SHORT]} is fetched")

    def _refuse(self, author: str, own: RepositoryFile, found: _FetchResult) -> None:
        known = self._known(author)
        commit = known.commit if known is not None else ""
        taken = TakenCommit(own, found.found, commit, found.refused)
        if known != taken:
            self._note(author, taken)
            self._say(f"{author}: refused: {found.refused}")
        stays = f"; commit {commit[:SHORT]} stays" if commit else ""
        self._tell(author, f"refused: {found.refused}{stays}")

    def _put_off(self, author: str, why: str) -> None:
        """Try again later, after twice the delay of the attempt before."""
        told = f"{author}: cannot be fetched: {why}"
        delay, so_far = backed_off(self._failed, author, (EVERY, 2, _LONGEST), self._say, told)
        self._next[author] = self._clock.seconds() + delay
        self._tell(author, f"waits: {why}; {so_far}")

    def _tell(self, author: str, first: str) -> None:
        at = day_of(self._clock.now())
        answer(self._ladder.folder, LadderBot(author, _ANSWER), at, first)

    def _note(self, author: str, taken: TakenCommit) -> None:
        self._taken[author] = taken
        data = msgspec.json.format(msgspec.json.encode(self._taken), indent=1) + b"\n"
        with writing(self._path):
            write_atomically(self._path, data, SECRET)

    def _attempt(self, author: str) -> _FetchResult:
        """Look at a repository, and fetch a new commit; runs in a thread. Raises OSError."""
        scratch = beside(self._folder(author), "repository")
        new = beside(self._folder(author))
        try:
            return self._fetched(author, scratch, new)
        except GitError as error:
            return _FetchResult(late=_line(error))
        finally:
            remove_tree(scratch)

    def _fetched(self, author: str, scratch: Path, new: Path) -> _FetchResult:
        """Fetch into the folder ``scratch`` and write to ``new``. Raises GitError, OSError."""
        own = self._ladder.repositories[author]
        protocol, url = _address(own.git, self._ladder.folder)
        if not url:
            return _FetchResult(refused=f"{own.git} leads out of the folder of the ladder")
        remote = GitSource(url, protocol, own.ref, self._bounds, SECONDS, self._stopped)
        fetching = Fetching(remote, scratch)
        found = fetching.newest()
        if not found:
            return _FetchResult(refused=f"{own.git} has no branch or tag {own.ref}")
        known = self._known(author)
        if known is not None and known.found == found:
            if known.refused:
                return _FetchResult(found, known.refused)
            if self._folder(author).is_dir():
                return _FetchResult(found)
        try:
            commit = fetching.fetch()
        except TooLarge as error:
            return _FetchResult(found, f"commit {found[:SHORT]}: {error}")
        new.mkdir(mode=0o700)
        try:
            write_bots(scratch, commit, new, self._bounds, AUTHOR_FILE)
        except BaseException as error:
            remove_tree(new)
            if isinstance(error, GitError):
                return _FetchResult(found, f"commit {commit[:SHORT]}: {_line(error)}")
            raise
        return _FetchResult(found, commit=commit, new=new)


def _address(text: str, folder: Path) -> tuple[str, str]:
    """Return the protocol and the address for git; an empty address if it is not permitted.

    ``text``: address in a file that was checked. ``folder``: that of the ladder.
    """
    protocol, _, rest = text.partition(":")
    if protocol == "file":
        path = Path(os.path.realpath(folder / rest.removeprefix("//")))
        is_inside = path.is_relative_to(os.path.realpath(folder))
        return protocol, path.as_uri() if is_inside else ""
    return (protocol if protocol == "https" else "ssh"), text


def _line(error: GitError) -> str:
    first, *_ = str(error).splitlines() or [""]
    return first[:_MOST_SAID]
