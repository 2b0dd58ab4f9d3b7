"""An audit that goes on where it was interrupted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dot_task import TASK, DotTask, careful
from vmevalkit.audit import notebook as notebooks
from vmevalkit.audit.audit import Trial, examine, jobs_for
from vmevalkit.audit.notebook import examine_the_rest, source_digest
from vmevalkit.core.records import Placement, Score
from vmevalkit.tasks.maze_task.task import MazeTask

JOBS = jobs_for(TASK, 3, 0, ("oracle", "static", "jumped"))


class Interrupted(BaseException):
    pass


def test_what_is_noted_is_not_done_again(tmp_path: Path) -> None:
    notebook = tmp_path / "a" / "trials.jsonl"
    seen: list[Trial] = []

    def stop_after_four(trial: Trial) -> None:
        seen.append(trial)
        if len(seen) == 4:
            raise Interrupted

    with pytest.raises(Interrupted):
        examine_the_rest(JOBS, careful, notebook, on_trial=stop_after_four)
    scored_again: list[Path] = []

    def counted(task: Any, puzzle: Any, film: Path, placement: Placement | None) -> Score:
        scored_again.append(film)
        return careful(task, puzzle, film, placement)

    counted.__name__ = careful.__name__
    told: list[Trial] = []
    trials = examine_the_rest(JOBS, counted, notebook, on_trial=told.append)
    assert len(scored_again) == len(JOBS) - 4
    assert trials == examine(JOBS, careful)
    assert len(told) == len(JOBS)


def test_a_line_that_was_cut_off_is_passed_over(tmp_path: Path) -> None:
    notebook = tmp_path / "trials.jsonl"
    whole = examine_the_rest(JOBS[:2], careful, notebook)
    notebook.write_bytes(notebook.read_bytes()[:-9])
    assert examine_the_rest(JOBS[:2], careful, notebook) == whole
    assert (
        len(notebook.read_text("utf-8").splitlines()) == 4
    )  # an empty line, a whole one, the torso, and its successor


def test_trials_of_other_code_or_another_seed_are_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = tmp_path / "trials.jsonl"
    jobs = JOBS[:1]

    def lines() -> int:
        return len(notebook.read_text("utf-8").splitlines())

    examine_the_rest(jobs, careful, notebook)
    examine_the_rest(jobs, careful, notebook)
    assert lines() == 2
    examine_the_rest([replace(job, seed=1) for job in jobs], careful, notebook)
    assert lines() == 3
    monkeypatch.setattr(notebooks, "source_digest", lambda _: "other")
    examine_the_rest(jobs, careful, notebook)
    assert lines() == 4


def test_errors_are_tried_again(tmp_path: Path) -> None:
    notebook = tmp_path / "trials.jsonl"

    def failing(task: Any, puzzle: Any, film: Path, placement: Placement | None) -> Score:
        raise OSError("no space left")

    failing.__name__ = careful.__name__
    (first,) = examine_the_rest(JOBS[:1], failing, notebook)
    assert first.error == "OSError: no space left"
    (second,) = examine_the_rest(JOBS[:1], careful, notebook)
    assert second.scored


def test_each_task_depends_on_its_own_code() -> None:
    assert source_digest(DotTask) != source_digest(MazeTask)
