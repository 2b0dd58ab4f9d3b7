"""Locks for several processes that work on one folder, each on its own shard."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vmevalkit.core.errors import ConflictError
from vmevalkit.store.atomic import lock, lock_path, os_errors


@contextmanager
def shard_lock(folder: Path, part: int, parts: int) -> Iterator[None]:
    """Allow one writer for each shard, and none for the whole folder.

    Another number of shards at the same time is refused with a ConflictError: two processes could get the same job."""
    with os_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(lock_path(folder), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        with lock(folder, "shards", wait=True):
            _share_lock(handle, folder, parts)
        with lock(folder, f"{part}-of-{parts}"):
            yield
    finally:
        os.close(handle)


def _share_lock(handle: int, folder: Path, parts: int) -> None:
    """Share the folder's lock. Its file contains the number of shards."""
    if _try_flock(handle, fcntl.LOCK_EX):  # no other process has it
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(parts).encode(), 0)
    if not _try_flock(handle, fcntl.LOCK_SH):
        raise ConflictError(f"another process is writing in {folder}; wait for it, or use another folder")
    others = os.pread(handle, 20, 0).decode()
    if others != str(parts):
        raise ConflictError(
            f"other processes are writing in {folder} with --shard i/{others}; use the same number, or wait for them"
        )


def _try_flock(handle: int, kind: int) -> bool:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
