"""The changes of a bot's folder between two revisions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from arena.documents.problems import printable, quote
from arena.entrants.git import GitError
from arena.entrants.revisions import SHORT, RepositoryFolder, git_errors, locate, resolve, tree_of

_FIELDS: Final = ("%H", "%an", "%aI", "%s")


class FolderCommit(NamedTuple):
    """A commit that changed the folder."""

    commit: str
    """Whole commit name in hex."""
    author: str
    date: str
    """Author date, ISO 8601."""
    subject: str
    tree: str
    """Name of the folder's tree at this commit; empty if there was no such folder."""


class CommitHistory(NamedTuple):
    """The states of a folder from one revision to another."""

    good: FolderCommit
    changes: tuple[FolderCommit, ...]
    """Changes after ``good``, oldest first; the last has the contents of the later revision.

    No two in a row have the same contents, none has those of ``good``, and no earlier one has those
    of the last.
    """

    @property
    def repeated(self) -> Iterator[range]:
        """Yield a range for each change that restores earlier contents: after these, up to it."""
        last: dict[str, int] = {}
        for index, change in enumerate(self.changes):
            if change.tree in last:
                yield range(last[change.tree] + 1, index + 1)
            last.setdefault(change.tree, index)


def history(folder: str, good: str, bad: str) -> CommitHistory:
    """Return the changes of the folder from ``good`` to ``bad``, along first parents.

    Left out are commits that leave the folder unchanged, changes before its last return to the
    contents of ``good``, and changes after it first had the contents of ``bad``. Raises
    ConfigError, also if ``good`` does not lead to ``bad`` or the folder is the same at both.
    """
    with git_errors(folder, good):
        place = locate(folder)
        start = _at(place, resolve(place, good))
    with git_errors(folder, bad):
        end = _at(place, resolve(place, bad))
        if start.tree == end.tree:
            raise GitError(f"the folder is as it was at {printable(good)}, so nothing was lost")
        _check_order(place, start.commit, end.commit, good, bad)
        changes = _between(place, start, end)
        if not changes:
            raise GitError(f"no commit since {printable(good)} changed the folder on this branch")
        return CommitHistory(start, changes)


def _check_order(place: RepositoryFolder, good: str, bad: str, first: str, second: str) -> None:
    """Check that ``good`` is an ancestor of ``bad``. Raises GitError."""
    if place.git.ask("merge-base", "--is-ancestor", good, bad) is not None:
        return
    hint = ""
    if place.git.ask("merge-base", "--is-ancestor", bad, good) is not None:
        hint = " (it is the other way round: good has to be the older one)"
    elif place.git.ask("rev-parse", "--is-shallow-repository") == "true":
        hint = " (the clone is shallow: git fetch --unshallow, or fetch-depth: 0 in a workflow)"
    raise GitError(f"{quote(first)} is no ancestor of {quote(second)}{hint}")


def _at(place: RepositoryFolder, commit: str) -> FolderCommit:
    """Return one commit as a change. Raises GitError if it has no such folder."""
    change = next(_changes(place, "--no-walk", commit))
    if not change.tree:
        missing = f"there was no folder {quote(place.path)} at {commit[:SHORT]}"
        raise GitError(missing)
    return change


def _between(
    place: RepositoryFolder, start: FolderCommit, end: FolderCommit
) -> tuple[FolderCommit, ...]:
    paths = ("--", place.path) if place.path else ()
    words = ("--first-parent", "--reverse", f"{start.commit}..{end.commit}", *paths)
    kept: list[FolderCommit] = []
    for change in _changes(place, *words):
        if change.tree == start.tree:
            kept = []
        elif not kept or kept[-1].tree != change.tree:
            kept.append(change)
    return tuple(kept[: _first(kept, end.tree)])


def _first(changes: Sequence[FolderCommit], tree: str) -> int:
    """Return how many of ``changes`` lead to the first with contents ``tree``; 0 if none has."""
    return next((index for index, each in enumerate(changes, 1) if each.tree == tree), 0)


def _changes(place: RepositoryFolder, *words: str) -> Iterator[FolderCommit]:
    plain = ("--no-show-signature", "--no-patch", "--no-ext-diff", "--no-textconv", "--no-color")
    form = f"--format={'%x00'.join(_FIELDS)}"
    parts = place.git.parts("log", "-z", "--encoding=UTF-8", *plain, form, *words)
    for commit in parts:
        author, date, subject = (next(parts, "") for _ in _FIELDS[1:])
        yield FolderCommit(commit, author, date, subject, tree_of(place, commit))
