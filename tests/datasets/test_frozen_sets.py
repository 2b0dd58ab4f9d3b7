"""The frozen benchmark: the same questions everywhere, for ever."""

from __future__ import annotations

import platform
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from vmevalkit.core.errors import Exhausted, StoreError, UnknownName
from vmevalkit.core.registry import Registry
from vmevalkit.datasets import frozen_sets
from vmevalkit.datasets.frozen_sets import FROZEN_SETS, freeze, planned_fingerprints, recreate
from vmevalkit.store.questions import load_questions
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.kit.scene_task import SceneTask

VMEVAL_1, VMEVAL_2 = FROZEN_SETS["vmeval-1"], FROZEN_SETS["vmeval-2"]


def test_every_task_with_a_folder_is_in_it() -> None:
    folders = {name for name, task in TASKS.items() if not isinstance(task, SceneTask)}
    assert set(VMEVAL_1.fingerprints) == set(VMEVAL_1.pixel_fingerprints) == folders
    assert VMEVAL_1.questions == 100


@pytest.mark.parametrize("task", sorted(VMEVAL_1.fingerprints))
def test_its_puzzles_and_pixels_are_the_published_ones(task: str) -> None:
    puzzles, pixels = planned_fingerprints(task, VMEVAL_1.questions, VMEVAL_1.seed)
    assert puzzles == VMEVAL_1.fingerprints[task]
    if (sys.platform, platform.machine()) == ("linux", "x86_64"):
        assert pixels == VMEVAL_1.pixel_fingerprints[task]


def test_the_second_benchmark_has_all_difficulties_of_many_tasks() -> None:
    assert (VMEVAL_2.questions, VMEVAL_2.difficulty) == (60, "easy,medium,hard")
    assert set(VMEVAL_1.fingerprints) < set(VMEVAL_2.fingerprints) == set(VMEVAL_2.pixel_fingerprints) <= {*TASKS}


@pytest.mark.slow
@pytest.mark.parametrize("task", sorted(VMEVAL_2.fingerprints))
def test_puzzles_and_pixels_of_the_second_one_are_the_published_ones(task: str) -> None:
    puzzles, pixels = planned_fingerprints(task, VMEVAL_2.questions, VMEVAL_2.seed, VMEVAL_2.difficulties)
    assert puzzles == VMEVAL_2.fingerprints[task]
    if (sys.platform, platform.machine()) == ("linux", "x86_64"):
        assert pixels == VMEVAL_2.pixel_fingerprints[task]


def test_the_second_one_is_recreated_with_three_difficulties_in_turn(tmp_path: Path) -> None:
    recreate("vmeval-2", tmp_path, tasks=["clock"])
    found = [question.metadata["difficulty"] for question in load_questions(tmp_path)]
    assert found == ["easy", "medium", "hard"] * 20


def test_freezing_keeps_what_is_frozen_and_adds_new_tasks() -> None:
    small = freeze("small", ["clock"], 3, 5, ["easy"])
    kept = replace(small, fingerprints={"clock": "kept"})
    more = freeze("small", ["maze", "clock"], 3, 5, ["easy"], kept)
    assert (
        more.fingerprints["clock"] == "kept" and more.pixel_fingerprints["clock"] == small.pixel_fingerprints["clock"]
    )
    assert list(more.fingerprints) == ["clock", "maze"]
    with pytest.raises(Exhausted, match="no more questions of sudoku"):
        planned_fingerprints("sudoku", 200, 5, ["easy"])


def test_it_is_recreated_and_a_twin_beside_it(tmp_path: Path) -> None:
    made = recreate("vmeval-1", tmp_path / "frozen", tasks=["object_subtraction"])
    assert made.tasks[0].fingerprint == VMEVAL_1.fingerprints["object_subtraction"]
    assert recreate("vmeval-1", tmp_path / "frozen", tasks=["object_subtraction"]).tasks[0].kept == 100
    twin = recreate("vmeval-1", tmp_path / "twin", tasks=["object_subtraction"], seed=7)
    assert twin.tasks[0].fingerprint != made.tasks[0].fingerprint
    questions, twins = (load_questions(tmp_path / place) for place in ("frozen", "twin"))
    assert [question.id for question in questions] == [question.id for question in twins]
    assert not {str(question.metadata["puzzle"]) for question in questions} & {
        str(question.metadata["puzzle"]) for question in twins
    }


def test_other_questions_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = replace(VMEVAL_1, questions=3)
    monkeypatch.setattr(frozen_sets, "FROZEN_SETS", Registry("benchmark", lambda: {"vmeval-1": other}))
    with pytest.raises(StoreError, match=r"questions of object_subtraction in .* are not those of vmeval-1"):
        recreate("vmeval-1", tmp_path, tasks=["object_subtraction"])


def test_an_unknown_benchmark_gets_the_nearest_name(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean 'vmeval-1'"):
        recreate("vmeval1", tmp_path)
