"""The folder of a bot at a revision of its git repository."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Final, NamedTuple

from arena.entrants import cache
from arena.entrants.folders import (
    MAX_DEPTH,
    MAX_FILES,
    Bounds,
    FolderError,
    FolderSize,
    files_of,
    framed,
    is_no_source,
)
from arena.entrants.manifest import MANIFEST_FILE, load_bot
from arena.entrants.names import Revision
from arena.extensions.sources.git import Blobs, Git, GitError, TreeEntry, blob_name
from arena.hosting.workspace.trees import is_foreign
from arena.values.problems import ConfigError, did_you_mean, file_error, quote

_DIGITS: Final = 8
"""Number of digits of a commit in the version of a clone."""
_SHORT: Final = 12
"""Number of digits of a commit that people are shown."""

_TREE: Final = "tree"
_LINK: Final = "120000"
_OF_ENTRY: Final = frozenset(
    {errno.EEXIST, errno.EILSEQ, errno.EINVAL, errno.ENAMETOOLONG, errno.ENOENT, errno.ENOTDIR}
)
"""Errors by which a file system refuses a name, and a link without a target."""
_PLAIN: Final = "100644"
_EXECUTABLE: Final = "100755"
_MAX_LINK: Final = 4096
_LFS: Final = b"version https://git-lfs.github.com/spec/v"
_MAX_LFS: Final = 1024
"""Largest size of a Git LFS pointer in bytes; real pointers are shorter."""
_NAMES: Final = 2000
"""Largest number of branches and tags among which a similar one is searched."""


class _RepositoryFolder(NamedTuple):
    """The place of a folder in a repository."""

    git: Git
    path: str
    """Path from the top of the repository; empty: the top itself."""


def take_out(folder: str, revision: str) -> Revision:
    """Return the bot in a folder at a revision, as ``entrants.names.take_out`` says.

    Raises GitError; ConfigError if nothing can be cached.
    """
    with _git_errors():
        place = _locate(folder)
        commit = _resolve(place, revision)
        return Revision(_folder(place, commit, _tree(place, commit)), commit)


def _locate(folder: str) -> _RepositoryFolder:
    """Return the place of a folder; it need not exist any more. Raises GitError."""
    try:
        whole = os.path.realpath(folder)
    except (OSError, ValueError):
        raise GitError(f"no such folder: {quote(folder)}") from None
    near = whole
    while not os.path.isdir(near):
        near = os.path.dirname(near)
    git = Git(near)
    try:
        bare = git.text("rev-parse", "--is-bare-repository") == "true"
        top = git.text("rev-parse", "--absolute-git-dir" if bare else "--show-toplevel")
    except GitError as error:
        raise _unusable(folder, error) from None
    path = os.path.relpath(whole, os.path.realpath(top))
    return _RepositoryFolder(Git(top), "" if path == os.curdir else path)


def _resolve(place: _RepositoryFolder, revision: str) -> str:
    """Return the commit that a revision stands for, in hex. Raises GitError."""
    known = f"{revision}^{{commit}}"
    if revision and revision.isprintable() and not revision.startswith("-"):
        commit = place.git.ask("rev-parse", "--verify", "--quiet", known)
        if commit:
            return commit
    expected = f"expected a commit, branch or tag of {place.git.folder}"
    hint = _similar(place.git, revision)
    raise GitError(f"no such revision: {quote(revision)}, {expected}{hint}")


def commit_of(folder: str) -> str:
    """Return the checked out commit if the bot in ``folder`` equals it, else an empty string.

    The folder must have every file of the commit byte for byte, and no other file that counts for
    the bot. The result is also empty if that cannot be determined; never raises.
    """
    try:
        place = _locate(folder)
        commit = _resolve(place, "HEAD")
        kept = _files(place.git, _tree(place, commit))
        return commit if _is_clean(Path(folder), kept) else ""
    except (GitError, ConfigError, FolderError, OSError):
        return ""


def described(clone: str) -> str:
    """Return the first digits of the commit of a clone, with ``-dirty`` if tracked files differ.

    Empty if that cannot be determined.
    """
    words = ("describe", "--always", "--exclude=*", f"--abbrev={_DIGITS}", "--dirty")
    return Git(clone).ask(*words) or ""


def _unusable(folder: str, error: GitError) -> GitError:
    said = str(error)
    if "not a git repository" in said or "must be run in a work tree" in said:
        return GitError(f"{quote(folder)} is in no git repository")
    if "dubious ownership" in said:
        hint = "its owner is another user; see safe.directory in git help config"
        return GitError(f"{said} ({hint})")
    return error


def _similar(git: Git, revision: str) -> str:
    """Return a hint at a branch or tag with a similar name, in parentheses, or ""."""
    if git.ask("rev-parse", "--is-shallow-repository") == "true":
        hint = "the clone is shallow: git fetch --unshallow, or fetch-depth: 0 in a workflow"
        return f" ({hint})"
    listed = git.ask("for-each-ref", f"--count={_NAMES}", "--format=%(refname:short)") or ""
    hint = did_you_mean(revision, listed.splitlines())
    return f" ({hint})" if hint else ""


def _tree(place: _RepositoryFolder, commit: str) -> str:
    """Return the name of the folder's tree. Raises GitError."""
    if not place.path:
        return place.git.text("rev-parse", "--verify", f"{commit}^{{tree}}")
    found = next(place.git.entries(commit, place.path), None)
    if found is not None and found.kind == _TREE:
        return found.oid
    if found is None:
        above, name = os.path.split(place.path)
        beside = place.git.entries(commit, f"{above}/" if above else "")
        folders = [os.path.basename(each.path) for each in beside if each.kind == _TREE]
        hint = did_you_mean(name, folders)
        missing = f"there was no folder {quote(place.path)} at {commit[:_SHORT]}"
        raise GitError(f"{missing} ({hint})" if hint else missing)
    kinds = {"commit": "a submodule, whose files are in another repository"}
    kind = kinds.get(found.kind, "a symbolic link" if found.mode == _LINK else "a file")
    raise GitError(f"at {commit[:_SHORT]}, {quote(place.path)} was {kind}, expected a folder")


def _files(git: Git, tree: str, bounds: Bounds | None = None, beside: str = "") -> list[TreeEntry]:
    """Return the files of ``tree``; with ``beside``, those that ``write_bots`` is to write.

    Raises GitError for forbidden entries, and beyond bounds.
    """
    found = list(islice(git.entries(tree, deep=True), MAX_FILES + 1))
    if beside:
        found = _of_bots(found, beside)
    tally = FolderSize(bounds)
    try:
        for entry in found:
            tally.add_entry()
            tally.add_bytes(entry.size)
            _check(entry)
    except FolderError as error:
        raise GitError(str(error)) from None
    return [entry for entry in found if entry.kind != _TREE]


def _of_bots(found: list[TreeEntry], beside: str) -> list[TreeEntry]:
    """Return what is in the folders of bots, and the file ``beside``. Raises GitError."""
    if len(found) > MAX_FILES:
        raise GitError(f"more than {MAX_FILES:,} files and folders")
    steps = [entry.path.split("/") for entry in found if entry.kind != _TREE]
    if [MANIFEST_FILE] in steps:
        return found
    bots = {top for top, *below in steps if below == [MANIFEST_FILE]}
    if not bots:
        raise GitError(f"no {MANIFEST_FILE}, neither at its top nor in a folder there")
    return [entry for entry in found if entry.path.split("/")[0] in bots or entry.path == beside]


def write_bots(repository: Path, commit: str, target: Path, bounds: Bounds, beside: str) -> None:
    """Write the bots of a commit to the empty folder ``target``.

    These are the folders at its top with a bot.yaml, with the file ``beside`` next to them, or the
    whole commit if it is a bot. ``bounds`` limit all their files together. Raises GitError for what
    cannot be taken, and OSError.
    """
    git = Git(str(repository))
    _write_all(git, _files(git, commit, bounds, beside), target)


def _check(entry: TreeEntry) -> None:
    shown = entry.path
    steps = entry.path.split("/")
    if entry.kind == "commit":
        raise GitError(f"{shown} is a submodule, whose files are in another repository")
    if any(step in ("", ".", "..") or step.lower() == ".git" for step in steps):
        raise GitError(f"{shown} is no path for a file")
    if len(steps) > MAX_DEPTH:
        raise GitError(f"more than {MAX_DEPTH} folders deep")
    if entry.mode == _LINK and entry.size > _MAX_LINK:
        raise GitError(f"{shown} is no symbolic link")


def _folder(place: _RepositoryFolder, commit: str, tree: str) -> Path:
    """Return the folder in the cache with the files of ``tree``.

    Raises GitError, ConfigError, OSError, FolderError.
    """
    files = _files(place.git, tree)
    if all(entry.path != MANIFEST_FILE for entry in files):
        missing = f"there was no {MANIFEST_FILE} at {commit[:_SHORT]}"
        hint = f"only a folder with a {MANIFEST_FILE} can be taken from a revision"
        raise GitError(f"{missing} ({hint})")
    kept = cache.cache_folder(cache.REVISIONS) / _key(files)
    found = cache.fetch(kept)
    if found is None:
        _make(place.git, files, kept)
        found = cache.fetch(kept)
    if found is None:
        raise GitError(f"what was taken out is gone from {kept}")
    return found[0]


def _key(files: Iterable[TreeEntry]) -> str:
    """Return a name for exactly these files.

    It is derived from the names of the contents, which are verified when read. The name of a tree
    would have to be trusted.
    """
    total = hashlib.sha256()
    for entry in files:
        for part in (entry.mode, entry.oid, entry.path):
            total.update(framed(os.fsencode(part)))
    return total.hexdigest()


def _make(git: Git, files: Sequence[TreeEntry], kept: Path) -> None:
    """Write ``files`` to the folder ``kept`` in the cache.

    Raises GitError, ConfigError, OSError, FolderError.
    """
    with cache.making(cache.REVISIONS) as unfinished:
        target = unfinished / cache.FILES
        target.mkdir()
        _write_all(git, files, target)
        cache.finish(unfinished, kept)
        cache.tidy(cache.REVISIONS)


def _write_all(git: Git, files: Iterable[TreeEntry], target: Path) -> None:
    """Write ``files`` to the empty folder ``target``. Raises GitError, OSError."""
    with git.blobs() as blobs:
        # Links come last, so that no file is ever written through one.
        for entry in sorted(files, key=lambda each: each.mode == _LINK):
            try:
                _write(blobs, entry, target / entry.path)
            except OSError as error:
                if error.errno not in _OF_ENTRY:
                    raise
                raise GitError(f"no path for a file here: {entry.path}") from None


def _write(blobs: Blobs, entry: TreeEntry, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with _new(path, 0o755 if entry.mode == _EXECUTABLE else 0o644) as file:
        blobs.read(entry, file)
        if entry.size <= _MAX_LFS or entry.mode == _LINK:
            file.seek(0)
            short = file.read()
    if entry.mode == _LINK:
        path.unlink()
        _link(short, entry, path)
    elif entry.size <= _MAX_LFS and short.startswith(_LFS):
        hint = "only a checkout with git lfs has them: name its folder, or commit the file itself"
        raise GitError(f"{entry.path} is only a pointer of Git LFS ({hint})")


def _new(path: Path, mode: int) -> IO[bytes]:
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    file = os.fdopen(os.open(path, flags, mode), "w+b")
    os.fchmod(file.fileno(), mode)
    return file


def _link(text: bytes, entry: TreeEntry, path: Path) -> None:
    try:
        os.symlink(text, os.fsencode(path))
    except ValueError:
        raise GitError(f"{entry.path} is no symbolic link") from None


def _is_clean(folder: Path, kept: Iterable[TreeEntry]) -> bool:
    """Return whether the folder has exactly these files.

    Raises OSError, FolderError, ConfigError.
    """
    expected = {entry.path: entry for entry in kept}
    skip = is_no_source if load_bot(folder).manifest.build else is_foreign
    if any(not _is_same(folder / path, entry) for path, entry in expected.items()):
        return False
    return all(path in expected for path in files_of(folder, skip))


def _is_same(path: Path, entry: TreeEntry) -> bool:
    """Return whether a file equals its entry. Raises OSError."""
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        mode = _LINK
    elif not stat.S_ISREG(found.st_mode):
        return False
    else:
        mode = _EXECUTABLE if found.st_mode & stat.S_IXUSR else _PLAIN
    if found.st_size != entry.size or mode != entry.mode:
        return False
    data = os.fsencode(os.readlink(path)) if mode == _LINK else path.read_bytes()
    return blob_name(data, like=entry.oid) == entry.oid


@contextlib.contextmanager
def _git_errors() -> Iterator[None]:
    """Turn errors of files and git into a GitError."""
    try:
        yield
    except FolderError as error:
        raise GitError(str(error)) from None
    except OSError as error:
        raise GitError(f"cannot be taken out: {file_error(error)}") from None
