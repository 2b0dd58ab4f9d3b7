"""Files that data made by others name: opened only where they are inside the folder that the data came in.

A path in a record, a cell of a table or a symbolic link may lead anywhere on this machine. What it leads to would be
published by an export, a push or a page. So every reader of such a name comes here.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from pathlib import Path
from typing import BinaryIO

from vmevalkit.core.errors import StoreError
from vmevalkit.store.atomic import os_errors

MOST_BYTES = 1 << 30
"""The largest file that is read whole: no image, and no video of a model, comes near."""
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC  # without O_NONBLOCK a named pipe would wait for its writer


def open_foreign_file(root: Path, name: str | Path, most_bytes: int = MOST_BYTES) -> BinaryIO:
    """Open a file that data names, for reading: a regular file inside ``root``, at most ``most_bytes`` long.

    Symbolic links may lead to other places inside. In a snapshot of the Hugging Face cache they may lead to the blobs
    of the same repository, where the cache keeps its files. Everything else raises StoreError."""
    text = os.fspath(name)
    path = root / text
    try:
        handle = _open_inside(root, text)
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:  # a NUL in the name
        raise StoreError(f"{text!r} is not the name of a file: {error}") from error
    try:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            raise StoreError(f"{path} is not a regular file; replace it by one")
        if about.st_size > most_bytes:
            raise StoreError(f"{path} has {about.st_size:,} bytes, more than the limit of {most_bytes:,}; leave it out")
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_foreign_file(root: Path, name: str | Path, most_bytes: int = MOST_BYTES) -> bytes:
    """Return the content of a file that data names."""
    with open_foreign_file(root, name, most_bytes) as file:
        return file.read()


def copy_foreign_file(root: Path, name: str | Path, target: Path) -> None:
    """Copy a file that data names."""
    with open_foreign_file(root, name) as source, os_errors(target), target.open("wb") as file:
        shutil.copyfileobj(source, file, 1 << 20)


def refuse_link_out(path: Path, *roots: Path) -> None:
    """Raise StoreError where a file or a folder is a link that leads out of all of these folders."""
    try:
        if path.is_symlink():
            _resolve_inside(path, *roots)
    except FileNotFoundError:
        return  # a link to nothing: opening it is the error
    except OSError as error:  # such as a name that is too long
        raise StoreError(f"cannot read {path}: {error.strerror or error}") from error


def join_inside(root: Path, name: str) -> Path:
    """Return the path of a file that a record names, which may not exist. Raises ValueError where it is outside."""
    parts = Path(name).parts
    if not parts or Path(name).is_absolute() or ".." in parts or "\0" in name:
        raise ValueError(f"{name!r} is not the name of a file inside its folder")
    return root / name


def _open_inside(root: Path, name: str) -> int:
    if "/" not in name and name not in ("", ".", ".."):
        try:  # most files are no links, and need no resolved path
            return os.open(root / name, _FLAGS | os.O_NOFOLLOW)
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
    return os.open(_resolve_inside(root / name, root), _FLAGS | os.O_NOFOLLOW)


def _resolve_inside(path: Path, *roots: Path) -> Path:
    """Return the path without links. Raises StoreError where it is outside the roots, OSError where there is none."""
    place = Path(os.path.realpath(path, strict=True))
    inside = [Path(os.path.realpath(root, strict=True)) for root in roots]
    if not any(place.is_relative_to(each) for root in inside for each in (root, *_find_blobs(root))):
        raise StoreError(
            f"{path} leads outside {roots[0]}, to {place}, which would be published; put what it leads to there itself"
        )
    return place


def _find_blobs(root: Path) -> list[Path]:
    """Return the folder that the links of a snapshot of the Hugging Face cache lead to."""
    snapshots = [folder for folder in (root, *root.parents) if folder.name == "snapshots"]
    blobs = [folder.parent / "blobs" for folder in snapshots]
    return [folder for folder in blobs if folder.is_dir() and not folder.is_symlink()]
