"""The frozen benchmark: the same questions everywhere, for ever."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from vmevalkit.core.errors import StoreError, UnknownName
from vmevalkit.core.registry import Registry
from vmevalkit.datasets import frozen_sets
from vmevalkit.datasets.frozen_sets import FROZEN_SETS, planned_fingerprint, recreate
from vmevalkit.store.questions import load_questions
from vmevalkit.tasks import TASKS

VMEVAL_1 = FROZEN_SETS["vmeval-1"]


def test_every_task_is_in_it() -> None:
    assert set(VMEVAL_1.fingerprints) == set(TASKS)
    assert VMEVAL_1.questions == 100


@pytest.mark.parametrize("task", sorted(VMEVAL_1.fingerprints))
def test_its_questions_are_the_published_ones(task: str) -> None:
    assert planned_fingerprint(task, VMEVAL_1.questions, VMEVAL_1.seed) == VMEVAL_1.fingerprints[task]


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
