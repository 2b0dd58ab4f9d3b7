"""What a push takes and what a pull can write, without a bucket."""

from __future__ import annotations

from pathlib import Path

import pytest

from vmevalkit.core.errors import StoreError
from vmevalkit.store.bucket import find_folder_objects, list_files_to_push


def test_a_push_takes_no_file_from_elsewhere_and_no_resume_codes(tmp_path: Path) -> None:
    folder = tmp_path / "data/evaluations/e/annotation"
    folder.mkdir(parents=True)
    (folder / "ann.jsonl").write_text("{}")
    (folder / "resume_codes.json").write_text("{}")
    (folder / "again.jsonl").symlink_to("ann.jsonl")
    names = {"evaluations/e/annotation/again.jsonl", "evaluations/e/annotation/ann.jsonl"}
    for part in ("", "evaluations/e/"):
        assert set(list_files_to_push(tmp_path / "data", [part])) == names
    (tmp_path / "private").write_text("secret")
    (folder / "link.jsonl").symlink_to(tmp_path / "private")
    with pytest.raises(StoreError, match="leads outside"):
        list_files_to_push(tmp_path / "data", [""])


def test_a_data_folder_on_another_disk_is_still_pushed(tmp_path: Path) -> None:
    (tmp_path / "disk/e/m").mkdir(parents=True)
    (tmp_path / "disk/e/m/journal.jsonl").write_text("")
    (tmp_path / "data").mkdir()
    (tmp_path / "data/outputs").symlink_to(tmp_path / "disk")
    assert list(list_files_to_push(tmp_path / "data", ["outputs/e/"])) == ["outputs/e/m/journal.jsonl"]


def test_an_object_named_like_a_folder_does_not_block_a_pull(tmp_path: Path) -> None:
    (tmp_path / "questions").mkdir()
    names = ["outputs", "outputs/e", "outputs/e/m/a.json", "outputs/ee", "questions"]
    assert find_folder_objects(names, tmp_path) == ("outputs", "outputs/e", "questions")
