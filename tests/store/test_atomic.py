from __future__ import annotations

import errno
import operator
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from vmevalkit.core.errors import ConflictError, StoreError
from vmevalkit.store import atomic
from vmevalkit.store.atomic import (
    clean,
    clean_tree,
    file_digest,
    lock,
    new_folder,
    os_errors,
    remove_folder,
    write_file,
)

HOLD = """
import sys
from pathlib import Path
from vmevalkit.store.atomic import new_folder
with new_folder(Path(sys.argv[1])) as aside:
    (aside / "part").write_text("half")
    print("ready", flush=True)
    sys.stdin.read()
"""

LIMITED = """
import resource, signal, sys
from pathlib import Path
from vmevalkit.core.errors import StoreError
from vmevalkit.store.atomic import new_folder, write_file
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
root = Path(sys.argv[1])
try:
    if sys.argv[2] == "file":
        write_file(root / "record.json", b"x" * 10_000)
    else:
        with new_folder(root / "folder") as aside:
            (aside / "small").write_bytes(b"x")
            (aside / "large").write_bytes(b"x" * 10_000)
except StoreError as error:
    print(error)
"""


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "down" / "folder"
    with new_folder(target) as aside:
        (aside / "file").write_text("content")
        assert not target.exists()
        assert aside.name.startswith(".")
    assert (target / "file").read_text() == "content"
    assert names(target.parent) == {"folder"}

    with pytest.raises(ValueError, match="stop"), new_folder(tmp_path / "other") as aside:
        (aside / "file").write_text("content")
        raise ValueError("stop")
    assert names(tmp_path) == {"deep"}


def test_a_folder_that_exists_is_left_alone_unless_it_is_to_be_replaced(tmp_path: Path) -> None:
    target = tmp_path / "folder"
    target.mkdir()
    (target / "old").touch()
    with pytest.raises(ConflictError, match="was not changed"), new_folder(target) as aside:
        (aside / "new").touch()
    assert names(target) == {"old"}
    with new_folder(target, replace=True, durable=True) as aside:
        (aside / "new").touch()
    assert names(target) == {"new"}
    assert names(tmp_path) == {"folder"}


def test_leftovers_of_a_dead_process_are_removed_and_those_of_a_living_one_kept(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "folder")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    assert clean(tmp_path) == 0
    assert len(names(tmp_path)) == 1
    child.kill()
    child.wait()
    child.stdin.close()
    child.stdout.close()
    assert len(names(tmp_path)) == 1
    assert clean(tmp_path) == 1
    assert names(tmp_path) == set()
    assert clean(tmp_path / "nowhere") == 0


def test_cleaning_does_not_disturb_writers(tmp_path: Path) -> None:
    stop = threading.Event()

    def clean_repeatedly() -> None:
        while not stop.is_set():
            clean(tmp_path)

    cleaner = threading.Thread(target=clean_repeatedly)
    cleaner.start()
    try:
        for number in range(200):
            with new_folder(tmp_path / f"folder_{number}") as aside:
                (aside / "file").write_bytes(b"content")
            write_file(tmp_path / "record.json", str(number))
    finally:
        stop.set()
        cleaner.join()
    assert {f"folder_{number}" for number in range(200)} | {"record.json"} == names(tmp_path)
    assert all((tmp_path / f"folder_{number}" / "file").read_bytes() == b"content" for number in range(200))


def test_a_file_is_replaced_at_once(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "record.json"
    write_file(path, "one")
    write_file(path, b"two", durable=True)
    assert path.read_text() == "two"
    assert names(path.parent) == {"record.json"}


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_full_disk_gives_a_clear_message_and_leaves_nothing(tmp_path: Path, what: str) -> None:
    (tmp_path / "record.json").write_text("before")
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path), what], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("cannot write ")
    assert "ulimit" in done.stdout
    assert (tmp_path / "record.json").read_text() == "before"
    assert names(tmp_path) == {"record.json"}


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "disk is full"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "permission"),
        (errno.EIO, "output error"),
    ],
)
def test_errors_of_the_system_name_the_place_and_the_remedy(tmp_path: Path, number: int, words: str) -> None:
    with pytest.raises(StoreError, match=words) as raised, os_errors(tmp_path / "record.json"):
        raise OSError(number, os.strerror(number))
    assert str(tmp_path / "record.json") in str(raised.value)


def test_a_file_in_the_way_of_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    with pytest.raises(StoreError, match="a part of this path is a file, not a folder"):
        write_file(tmp_path / "data" / "record.json", "x")
    with pytest.raises(StoreError, match="data"), new_folder(tmp_path / "data" / "folder"):
        pass


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    with lock(tmp_path / "folder"):
        with pytest.raises(ConflictError, match="another process is writing"), lock(tmp_path / "folder"):
            pass
        with lock(tmp_path / "other"):
            pass
    with lock(tmp_path / "folder"), lock(tmp_path / "other", wait=True):
        pass


def test_a_removed_folder_is_gone(tmp_path: Path) -> None:
    (tmp_path / "folder" / "inside").mkdir(parents=True)
    remove_folder(tmp_path / "folder")
    assert names(tmp_path) == set()


def test_digests_follow_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one")
    (tmp_path / "b").write_bytes(b"one")
    (tmp_path / "c").write_bytes(b"two")
    assert file_digest(tmp_path / "a") == file_digest(tmp_path / "b") != file_digest(tmp_path / "c")
    with pytest.raises(StoreError, match="nowhere"):
        file_digest(tmp_path / "nowhere")


def test_leftovers_are_removed_in_all_folders_below(tmp_path: Path) -> None:
    """As a killed report leaves them: files in its folders of images, and a folder beside."""
    for place in (tmp_path, tmp_path / "strips", tmp_path / "a/b"):
        place.mkdir(parents=True, exist_ok=True)
        (place / ".new-1-0-strip.jpg").write_bytes(b"half")
        (place / "strip.jpg").write_bytes(b"whole")
    (tmp_path / ".new-1-1-report").mkdir()
    (tmp_path / ".new-1-1-report/half").write_bytes(b"half")
    assert clean_tree(tmp_path) == 4
    assert not list(tmp_path.rglob(".new-*")) and len(list(tmp_path.rglob("strip.jpg"))) == 3


def interrupt_after(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose first call is interrupted at its end."""
    calls = count()

    def call(*args: Any, **options: Any) -> Any:
        result = function(*args, **options)
        if not next(calls):
            raise KeyboardInterrupt
        return result

    return call


@pytest.mark.parametrize("moment", ["os.open", "os.mkdir", "_try_lock"])
def test_an_interrupt_while_something_is_created_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    place = f"vmevalkit.store.atomic.{moment}"
    original = operator.attrgetter(moment)(atomic)
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(place, interrupt_after(original))
        with new_folder(tmp_path / "folder"):
            pass
    assert list(tmp_path.iterdir()) == []
    if moment != "os.mkdir":
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(place, interrupt_after(original))
            write_file(tmp_path / "file", b"content")
        assert list(tmp_path.iterdir()) == []
