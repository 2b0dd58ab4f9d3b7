from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.core.errors import UsageError
from vmevalkit.store import layout


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("oracle", "oracle"),
        ("oracle+letterbox_black", "oracle+letterbox_black"),
        ("org/model-1.5", "org=2Fmodel-1.5"),
        ("..", "=2E."),
        (".hidden", "=2Ehidden"),
        ("two words", "two=20words"),
        ("a=2Fb", "a=3D2Fb"),
    ],
)
def test_names_become_safe_folders(name: str, folder: str) -> None:
    assert layout.folder_name(name) == folder
    assert layout.name_of(folder) == name


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6)


@settings(max_examples=300)
@given(NAMES, NAMES)
def test_names_are_one_part_of_a_path_and_come_back(one: str, other: str) -> None:
    folder = layout.folder_name(one)
    assert Path(folder).name == folder
    assert not folder.startswith(".")
    assert layout.name_of(folder) == one
    assert (layout.folder_name(other) == folder) == (other == one)


def test_a_name_that_is_empty_or_too_long_or_has_a_nul_is_refused() -> None:
    with pytest.raises(UsageError, match="no file name can have"):
        layout.folder_name("a\0b")
    with pytest.raises(UsageError, match="empty"):
        layout.folder_name("")
    with pytest.raises(UsageError, match="too long"):
        layout.folder_name("m" * 81)


def test_paths_are_as_specified(tmp_path: Path) -> None:
    assert layout.question_folder(tmp_path, "maze", "maze_0007") == tmp_path / "maze_task" / "maze_0007"
    assert layout.index_file(tmp_path) == tmp_path / "vmeval_dataset.json"
    job = layout.job_folder(tmp_path, "first", "org/m", "maze", "maze_0007")
    assert job == tmp_path / "first" / "org=2Fm" / "maze_task" / "maze_0007"
    assert layout.sample_folder(job, 0) == job
    assert layout.sample_folder(job, 3) == job / "sample_3"


def test_the_list_of_pairs_is_next_to_questions_or_inside_another_folder() -> None:
    assert layout.dataset_file(Path("data/questions"), "maze") == Path("data/maze_tasks/maze_tasks.json")
    assert layout.dataset_file(Path("elsewhere"), "maze") == Path("elsewhere/maze_tasks/maze_tasks.json")


def test_folders_come_in_natural_order_without_hidden_ones(tmp_path: Path) -> None:
    for name in ("maze_10", "maze_9", ".new-1-2-maze_3", "maze_0001"):
        (tmp_path / name).mkdir()
    (tmp_path / "file").touch()
    assert [path.name for path in layout.subfolders(tmp_path)] == ["maze_0001", "maze_9", "maze_10"]
    assert list(layout.subfolders(tmp_path / "nowhere")) == []
