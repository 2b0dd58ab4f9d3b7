"""Several processes on one folder, each with a part of the work."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vmevalkit.core.errors import Occupied
from vmevalkit.store.commit import lock, lock_file, storing


@contextmanager
def shard_lock(folder: Path, part: int, parts: int) -> Iterator[None]:
    """One writer for each part, and none for the whole. Work that is being cut into another number of parts is refused:
    two processes could hold the same job."""
    with storing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(lock_file(folder), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        with lock(folder, "shards", wait=True):
            _join(handle, folder, parts)
        with lock(folder, f"{part}-of-{parts}"):
            yield
    finally:
        os.close(handle)


def _join(handle: int, folder: Path, parts: int) -> None:
    """Share the folder's lock; its file says into how many parts the work is cut."""
    if _locked(handle, fcntl.LOCK_EX):  # nobody else is here
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(parts).encode(), 0)
    if not _locked(handle, fcntl.LOCK_SH):
        raise Occupied(f"another process is writing in {folder}; wait for it, or use another folder")
    others = os.pread(handle, 20, 0).decode()
    if others != str(parts):
        raise Occupied(
            f"other processes are writing in {folder} with --shard i/{others}; use the same number, or wait for them"
        )


def _locked(handle: int, kind: int) -> bool:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
