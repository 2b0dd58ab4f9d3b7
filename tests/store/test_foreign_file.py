"""Files that data names are opened in one place, inside the folder that the data came in."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest

import vmevalkit
from vmevalkit.core.errors import StoreError
from vmevalkit.store.foreign_file import copy_foreign_file, join_inside, read_foreign_file
from vmevalkit.store.questions import load_question

SRC = Path(vmevalkit.__file__).parent


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "secret.txt").write_text("secret")
    inside = tmp_path / "set"
    (inside / "images").mkdir(parents=True)
    (inside / "images/a.png").write_bytes(b"image")
    return inside


@pytest.mark.parametrize(
    "name", ["../secret.txt", "images/../../secret.txt", "link", "folder/secret.txt", "/etc/hostname"]
)
def test_nothing_outside_is_read(root: Path, name: str) -> None:
    (root / "link").symlink_to(root.parent / "secret.txt")
    (root / "folder").symlink_to(root.parent)
    with pytest.raises(StoreError, match="leads outside"):
        read_foreign_file(root, name)


@pytest.mark.parametrize("name", ["images/a.png", "images/../images/a.png", "link"])
def test_files_and_links_inside_are_read(root: Path, name: str) -> None:
    (root / "link").symlink_to("images/a.png")
    assert read_foreign_file(root, name) == b"image"
    assert read_foreign_file(root, str(root / name)) == b"image", "an absolute name inside is the same file"


def test_a_snapshot_of_the_hugging_face_cache_links_to_its_blobs(tmp_path: Path) -> None:
    snapshot = tmp_path / "datasets--a--b/snapshots/0123/data"
    snapshot.mkdir(parents=True)
    blobs = tmp_path / "datasets--a--b/blobs"
    blobs.mkdir()
    (blobs / "ff00").write_bytes(b"image")
    (snapshot / "a.png").symlink_to("../../../blobs/ff00")
    assert read_foreign_file(snapshot, "a.png") == b"image"
    (tmp_path / "token").write_text("secret")
    (snapshot / "b.png").symlink_to("../../../../token")
    with pytest.raises(StoreError, match="leads outside"):
        read_foreign_file(snapshot, "b.png")
    (blobs / "ff00").unlink()
    blobs.rmdir()
    blobs.symlink_to(tmp_path)  # a cache that somebody packed
    (snapshot / "c.png").symlink_to("../../../blobs/token")
    with pytest.raises(StoreError, match="leads outside"):
        read_foreign_file(snapshot, "c.png")


def test_only_regular_files_within_the_limit(root: Path) -> None:
    os.mkfifo(root / "pipe")
    for name in ("pipe", "images"):
        with pytest.raises(StoreError, match="not a regular file"):
            read_foreign_file(root, name)
    with pytest.raises(StoreError, match="more than the limit of 4"):
        read_foreign_file(root, "images/a.png", 4)
    for name in ("nothing.png", "a\0b", "x" * 300, ""):
        with pytest.raises(StoreError):
            read_foreign_file(root, name)


def test_a_copy_has_the_content(root: Path, tmp_path: Path) -> None:
    copy_foreign_file(root, "images/a.png", tmp_path / "copy.png")
    assert (tmp_path / "copy.png").read_bytes() == b"image"


@pytest.mark.parametrize("name", ["../a", "/etc/hostname", "a/../../b", "", "a\0b"])
def test_a_record_names_files_of_its_own_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="inside its folder"):
        join_inside(tmp_path, name)
    assert join_inside(tmp_path, "video/a..b.mp4") == tmp_path / "video/a..b.mp4"


def test_a_prompt_is_not_a_link_to_elsewhere(root: Path) -> None:
    (root / "images/first_frame.png").write_bytes(b"image")
    (root / "images/prompt.txt").symlink_to("../../secret.txt")
    with pytest.raises(StoreError, match="leads outside"):
        load_question(root / "images")


OPENERS = {"open", "fdopen", "read_bytes", "read_text", "imread", "copyfile", "copy2", "copytree"}
PACKAGES = ("exchange", "store", "report", "results", "vqa", "play", "reward", "runs", "eval")
"""Packages that read data of others."""
ALLOWED = {
    "exchange/importing.py": {"_import_question", "_redraw"},  # what was written here
    "exchange/sources.py": {"_read_shard"},  # the tar reader, on a file that is open
    "eval/annotation/page.py": {"read_asset"},  # of the package
    "eval/annotation/labels.py": {"_append", "read_events"},  # logs of our own
    "play/server.py": {"do_GET"},  # of the package
    "report/media_files.py": {"_read_size"},  # a copy that the report has made
    "report/provenance.py": {"collect_provenance"},  # a table named by the user
    "report/pages.py": {"write_assets"},  # of the package
    "results/cache.py": {"_load"},  # a file of our own, by its fixed name
    "reward/service.py": {"_read_video"},  # writes what was uploaded
    "runs/experiment_file.py": {"read_experiment"},  # named by the user
    "runs/inference_runner.py": {"_write_question"},  # named by the user
    "store/answer_log.py": {"__init__", "_load"},  # a file of our own, by its fixed name
    "store/atomic.py": {
        "_create_file", "_create_folder", "_remove_if_dead", "_sync", "file_digest", "lock", "sync_filesystem",
        "write_file",
    },  # writes, or gives out a digest alone
    "store/bucket.py": {"upload", "_digest"},  # files that the listing has checked
    "store/foreign_file.py": {"open_foreign_file", "copy_foreign_file", "_open_inside"},
    "store/journal.py": {"__init__", "_read_records"},  # a file of our own, by its fixed name
    "store/records.py": {"read_record", "read_dataset_head"},  # JSON by its fixed name: else an error
    "store/runs.py": {"_write"},
    "store/shards.py": {"shard_lock"},
    "store/video_map.py": {"_read_csv"},  # named by the user
    "vqa/dataset.py": {"_make_part"},  # bytes that were read
    "vqa/samples.py": {"read_run", "read_samples"},  # JSON by its fixed name
    "vqa/task_file.py": {"_read"},  # named by the user, and loaded as code
    "vqa/task_files/mmsi.py": {"decode_image"},  # what lmms_eval has loaded
}  # fmt: skip
"""Functions of these packages that open files in another way, with why that is safe."""


def test_no_other_way_to_open() -> None:
    found: dict[str, set[str]] = {}
    for path in sorted(path for package in PACKAGES for path in (SRC / package).rglob("*.py")):
        for function in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            for node in ast.walk(function):
                if isinstance(node, ast.Call):
                    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                    if name in OPENERS:
                        found.setdefault(path.relative_to(SRC).as_posix(), set()).add(function.name)
    assert found == ALLOWED
