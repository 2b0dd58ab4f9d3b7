"""Nothing half-written is ever visible: write aside, then rename.

What is being written has a name that begins with a dot and is locked by its writer. The kernel drops the lock when the
writer dies, however it dies, so the next call can tell what was left behind from what another process is writing now.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from itertools import count
from pathlib import Path

from vmevalkit.core.errors import Occupied, StoreError, Unwritable

_MARK = ".new-"
_LOCK = ".lock"
_REMEDIES = {
    errno.ENOSPC: "the disk is full; free some space and call again, what is finished is kept",
    errno.EDQUOT: "the disk quota is used up; free some space and call again, what is finished is kept",
    errno.EFBIG: "a file may not grow that large here; raise the limit (ulimit -f) or use another folder",
    errno.EACCES: "permission denied; choose another folder or change its permissions",
    errno.EPERM: "not permitted; choose another folder or change its permissions",
    errno.EROFS: "the file system is read-only; choose another folder",
    errno.EEXIST: "a file of this name is in the way; move the file or choose another folder",
    errno.ENOTDIR: "a part of this path is a file, not a folder; move the file or choose another folder",
    errno.EISDIR: "this is a folder, not a file; move it or choose another place",
    errno.ENAMETOOLONG: "the path is too long; choose a shorter folder or name",
}
_numbers = count()
_syncfs = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)  # Linux alone has it


@contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turn an OSError of the operating system into an Unwritable that names the place and the remedy."""
    try:
        yield
    except OSError as error:
        remedy = _REMEDIES.get(error.errno or 0, error.strerror or str(error))
        place = error.filename or path
        if Path(place).name.startswith(_MARK):  # a name of ours says nothing to anybody
            place = path
        raise Unwritable(f"cannot write {place}: {remedy}") from error


def _aside(target: Path) -> Path:
    return target.with_name(f"{_MARK}{os.getpid()}-{next(_numbers)}-{target.name}"[:200])


def _claim(handle: int, path: Path) -> bool:
    """Lock what was just made at ``path``; False if somebody who cleans up was faster."""
    with suppress(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.lexists(path):
            return True
    os.close(handle)
    return False


def _new_folder(target: Path) -> tuple[Path, int]:
    """A folder beside ``target``, locked; the lock lives as long as the handle."""
    while True:
        aside = _aside(target)
        try:
            aside.mkdir()
            handle = os.open(aside, os.O_RDONLY)
        except FileNotFoundError:  # no parent yet, or removed at once by somebody who cleans up
            target.parent.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            continue
        else:
            if _claim(handle, aside):
                return aside, handle


def _new_file(target: Path) -> tuple[Path, int]:
    """Likewise a file, to be written through the handle."""
    while True:
        aside = _aside(target)
        try:
            handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileNotFoundError:
            target.parent.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            continue
        else:
            if _claim(handle, aside):
                return aside, handle


@contextmanager
def new_folder(target: Path, *, replace: bool = False, durable: bool = False) -> Iterator[Path]:
    """A folder to fill; it appears at ``target``, whole, when the block ends, and never if the block fails.

    Raises Occupied where ``target`` exists, unless ``replace`` is set. ``durable`` waits until the disk has it: right
    for films that cost money, far too slow (up to 30 ms a file) for questions that can be drawn again.
    """
    with storing(target):
        aside, handle = _new_folder(target)
        try:
            yield aside
            if durable:
                _sync(aside)
            _rename_in(aside, target, replace)
            if durable:
                _sync_folder(target.parent)
        except BaseException:
            shutil.rmtree(aside, ignore_errors=True)
            raise
        finally:
            os.close(handle)


@contextmanager
def scratch_folder(beside: Path) -> Iterator[Path]:
    """A hidden folder next to ``beside``, gone when the block ends: for what is renamed out of it."""
    with storing(beside):
        aside, handle = _new_folder(beside)
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
            raise Occupied(
                f"{target} exists already and was left as it is; choose another folder or force it"
            ) from error
        remove_folder(target)
        aside.rename(target)


def remove_folder(folder: Path) -> None:
    """It disappears at once and as a whole, then its parts are deleted."""
    with storing(folder):
        away = _aside(folder)
        folder.rename(away)
        shutil.rmtree(away, ignore_errors=True)  # what stays is hidden, and the next call removes it


def write_file(path: Path, content: bytes | str, *, durable: bool = False) -> None:
    """The file has its old content or the new one, never a part."""
    data = content.encode() if isinstance(content, str) else content
    with storing(path):
        aside, handle = _new_file(path)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(handle, rest) :]
            if durable:
                os.fsync(handle)
            aside.replace(path)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise
        finally:
            os.close(handle)


def prepare_for(path: Path) -> None:
    """See that a file can be written here, before hours are spent on what it shall hold."""
    with storing(path):
        aside, handle = _new_file(path)
        os.close(handle)
        aside.unlink()
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))


def flush(folder: Path) -> None:
    """Bring all that was written so far in the file system of ``folder`` to the disk: for many files far cheaper than
    one by one."""
    with storing(folder):
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
    """Remove what writers that are no longer alive have left in ``folder``; the number of things removed."""
    removed = 0
    try:
        left = [entry for entry in os.scandir(folder) if entry.name.startswith(_MARK)]
    except (FileNotFoundError, NotADirectoryError):
        return 0
    for entry in left:
        with storing(Path(entry.path)):
            removed += _removed_if_dead(Path(entry.path))
    return removed


def _removed_if_dead(path: Path) -> bool:
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False  # its writer has just finished
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False  # its writer lives, or this file system has no locks: then nothing is known, and nothing removed
    else:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        return True
    finally:
        os.close(handle)


def lock_file(folder: Path, name: str = "") -> Path:
    return folder / (f"{_LOCK}-{name}" if name else _LOCK)


@contextmanager
def lock(folder: Path, name: str = "", *, wait: bool = False) -> Iterator[None]:
    """One writer at a time in ``folder``, or in what is called ``name`` there. Without ``wait`` a second one is refused
    at once."""
    path = lock_file(folder, name)
    with storing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            with storing(path):
                fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except StoreError as error:
            if not isinstance(error.__cause__, BlockingIOError):
                raise
            raise Occupied(f"another process is writing in {folder}; wait for it, or use another folder") from None
        yield
    finally:
        os.close(handle)


def file_digest(path: Path) -> str:
    """A short name for the bytes of a file."""
    digest = sha256()
    try:
        handle = os.open(path, os.O_RDONLY)
        try:
            while part := os.read(handle, 1 << 20):
                digest.update(part)
        finally:
            os.close(handle)
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}") from error
    return digest.hexdigest()[:16]


def _sync(folder: Path) -> None:
    for path in [*folder.rglob("*"), folder]:
        _sync_folder(path)


def _sync_folder(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
