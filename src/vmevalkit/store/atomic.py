"""Atomic writes: a file or a folder is written under a hidden name, then renamed.

The hidden name begins with a dot, and its writer locks it. The kernel drops the lock when the writer dies, however it
dies, so a later call can tell leftovers from what another process is writing now.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from itertools import count
from pathlib import Path

from vmevalkit.core.errors import ConflictError, StoreError, Unwritable

_STAGING_PREFIX = ".new-"
_LOCK_NAME = ".lock"
_REMEDIES = {
    errno.ENOSPC: "the disk is full; free some space and run again, finished work is kept",
    errno.EDQUOT: "the disk quota is used up; free some space and run again, finished work is kept",
    errno.EFBIG: "the file exceeds the size limit; raise the limit (ulimit -f) or use another folder",
    errno.EACCES: "permission denied; choose another folder or change its permissions",
    errno.EPERM: "not permitted; choose another folder or change its permissions",
    errno.EROFS: "the file system is read-only; choose another folder",
    errno.EEXIST: "a file of this name is in the way; move the file or choose another folder",
    errno.ENOTDIR: "a part of this path is a file, not a folder; move the file or choose another folder",
    errno.EISDIR: "this is a folder, not a file; move it or choose another place",
    errno.ENAMETOOLONG: "the path is too long; choose a shorter folder or name",
}
_numbers = count()
_syncfs = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)  # only on Linux


@contextmanager
def os_errors(path: Path) -> Iterator[None]:
    """Convert an OSError into an Unwritable that names the place and the remedy."""
    try:
        yield
    except OSError as error:
        remedy = _REMEDIES.get(error.errno or 0, error.strerror or str(error))
        place = error.filename or path
        if Path(place).name.startswith(_STAGING_PREFIX):  # a hidden name means nothing to a user
            place = path
        raise Unwritable(f"cannot write {place}: {remedy}") from error


def _staging_path(target: Path) -> Path:
    return target.with_name(f"{_STAGING_PREFIX}{os.getpid()}-{next(_numbers)}-{target.name}"[:200])


def _try_lock(handle: int, path: Path) -> bool:
    """Lock what was just created at ``path``; False if another process cleaned it up first."""
    with suppress(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.lexists(path):
            return True
    os.close(handle)
    return False


def _create_folder(target: Path) -> tuple[Path, int]:
    """Create a hidden folder next to ``target`` and lock it. Closing the returned handle releases the lock."""
    while True:
        aside = _staging_path(target)
        try:
            aside.mkdir()
            handle = os.open(aside, os.O_RDONLY)
            if _try_lock(handle, aside):
                return aside, handle
        except FileNotFoundError:  # no parent yet, or another process cleaned it up at once
            target.parent.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            continue
        except BaseException:  # Ctrl-C, before the caller knows the folder
            shutil.rmtree(aside, ignore_errors=True)
            raise


def _create_file(target: Path) -> tuple[Path, int]:
    """Create a hidden file next to ``target`` and lock it. It is written through the returned handle."""
    while True:
        aside = _staging_path(target)
        try:
            handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            if _try_lock(handle, aside):
                return aside, handle
        except FileNotFoundError:
            target.parent.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            continue
        except BaseException:  # Ctrl-C, before the caller knows the file
            with suppress(OSError):
                aside.unlink()
            raise


@contextmanager
def new_folder(target: Path, *, replace: bool = False, durable: bool = False) -> Iterator[Path]:
    """Yield a folder to fill. It appears at ``target``, complete, when the block ends, and never if the block fails.

    Raises ConflictError where ``target`` exists, unless ``replace`` is set. ``durable`` waits until the content is on
    the disk: right for videos that cost money, too slow (up to 30 ms a file) for questions that can be drawn again.
    """
    with os_errors(target):
        aside, handle = _create_folder(target)
        try:
            yield aside
            if durable:
                _sync_tree(aside)
            _rename_in(aside, target, replace)
            if durable:
                _sync(target.parent)
        except BaseException:
            shutil.rmtree(aside, ignore_errors=True)
            raise
        finally:
            os.close(handle)


@contextmanager
def scratch_folder(beside: Path) -> Iterator[Path]:
    """Yield a hidden folder next to ``beside``, removed when the block ends. Its files may be renamed out of it."""
    with os_errors(beside):
        aside, handle = _create_folder(beside)
        try:
            yield aside
        finally:
            shutil.rmtree(aside, ignore_errors=True)
            os.close(handle)


def _rename_in(aside: Path, target: Path, replace: bool) -> None:
    try:
        aside.rename(target)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise
        if not replace:
            raise ConflictError(
                f"{target} exists already and was not changed; choose another folder or force it"
            ) from error
        remove_folder(target)
        aside.rename(target)


def remove_folder(folder: Path) -> None:
    """Remove a folder: first it disappears as a whole, by a rename, then its files are deleted."""
    with os_errors(folder):
        hidden = _staging_path(folder)
        folder.rename(hidden)
        shutil.rmtree(hidden, ignore_errors=True)  # leftovers are hidden, and the next ``clean`` removes them


def write_file(path: Path, content: bytes | str | Iterable[bytes], *, durable: bool = False) -> None:
    """Write a file, also from parts. At any moment it has its old content or the new one, never a part."""
    data = content.encode() if isinstance(content, str) else content
    with os_errors(path):
        aside, handle = _create_file(path)
        try:
            with open(handle, "wb", closefd=False) as file:
                file.writelines([data] if isinstance(data, bytes) else data)
            if durable:
                os.fsync(handle)
            aside.replace(path)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise
        finally:
            os.close(handle)


def check_writable(path: Path) -> None:
    """Raise Unwritable where a file cannot be written, before hours are spent on its content."""
    with os_errors(path):
        aside, handle = _create_file(path)
        os.close(handle)
        aside.unlink()
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))


def sync_filesystem(folder: Path) -> None:
    """Sync the file system of ``folder`` to the disk: for many files far cheaper than one by one."""
    with os_errors(folder):
        handle = os.open(folder, os.O_RDONLY)
        try:
            if _syncfs is None:
                os.sync()
            elif _syncfs(handle) != 0:
                number = ctypes.get_errno()
                raise OSError(number, os.strerror(number), str(folder))
        finally:
            os.close(handle)


def clean(folder: Path) -> int:
    """Remove the leftovers of dead writers in ``folder``. Returns how many were removed."""
    removed = 0
    try:
        hidden = [entry for entry in os.scandir(folder) if entry.name.startswith(_STAGING_PREFIX)]
    except (FileNotFoundError, NotADirectoryError):
        return 0
    for entry in hidden:
        with os_errors(Path(entry.path)):
            removed += _remove_if_dead(Path(entry.path))
    return removed


def clean_tree(folder: Path) -> int:
    """Remove the leftovers of dead writers in ``folder`` and below it. Returns how many were removed."""
    visible = [Path(place) for place, _, _ in os.walk(folder) if _STAGING_PREFIX not in place]
    return sum(map(clean, visible))


def _remove_if_dead(path: Path) -> bool:
    """Remove a hidden file or folder unless its writer is alive. Returns whether it was removed."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False  # its writer has just finished
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False  # its writer is alive, or this file system has no locks: then it is unknown, and kept
    else:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        return True
    finally:
        os.close(handle)


def lock_path(folder: Path, name: str = "") -> Path:
    return folder / (f"{_LOCK_NAME}-{name}" if name else _LOCK_NAME)


@contextmanager
def lock(folder: Path, name: str = "", *, wait: bool = False, temporary: bool = False) -> Iterator[None]:
    """Allow one writer at a time in ``folder``, or one for each ``name`` in it.

    A second writer waits with ``wait``, and otherwise gets a ConflictError. The file of a ``temporary`` lock is removed
    at the end."""
    path = lock_path(folder, name)
    with os_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            with os_errors(path):
                fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except StoreError as error:
            if not isinstance(error.__cause__, BlockingIOError):
                raise
            raise ConflictError(f"another process is writing in {folder}; wait for it, or use another folder") from None
        if temporary and not _is_file_at(handle, path):  # its owner removed it meanwhile
            raise ConflictError(f"another process was just writing in {folder}; try again")
        try:
            yield
        finally:
            if temporary:
                path.unlink(missing_ok=True)  # still locked: who opened it before sees that it is gone
    finally:
        os.close(handle)


def _is_file_at(handle: int, path: Path) -> bool:
    """Return whether an open file is still the one at a path."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def file_digest(path: Path) -> str:
    """Return a short hash of a file's content."""
    digest = sha256()
    try:
        handle = os.open(path, os.O_RDONLY)
        try:
            while block := os.read(handle, 1 << 20):
                digest.update(block)
        finally:
            os.close(handle)
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}") from error
    return digest.hexdigest()[:16]


def content_digest(content: bytes) -> str:
    """Return the hash that ``file_digest`` gives a file with this content."""
    return sha256(content).hexdigest()[:16]


def _sync_tree(folder: Path) -> None:
    for path in [*folder.rglob("*"), folder]:
        _sync(path)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
