"""An audit that goes on where it was interrupted."""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path

import pytest

from dot_task import TASK, Dot, DotScorer, DotTask, careful, follow_the_dot
from vmevalkit.audit import trial_cache as trial_cache_module
from vmevalkit.audit.audit import Trial, plan_trials, run_trials
from vmevalkit.audit.trial_cache import run_remaining_trials, source_digest
from vmevalkit.core.records import Score
from vmevalkit.tasks.kit import digit_network
from vmevalkit.tasks.maze_task.task import MazeTask
from vmevalkit.tasks.sudoku_task.task import SudokuTask

JOBS = plan_trials(TASK, 3, 0, ("oracle", "static", "jumped"))


class Interrupted(BaseException):
    pass


def test_what_is_noted_is_not_done_again(tmp_path: Path) -> None:
    trial_cache = tmp_path / "a" / "trials.jsonl"
    seen: list[Trial] = []

    def stop_after_four(trial: Trial) -> None:
        seen.append(trial)
        if len(seen) == 4:
            raise Interrupted

    with pytest.raises(Interrupted):
        run_remaining_trials(JOBS, careful, trial_cache, on_trial=stop_after_four)
    scored_again: list[Path] = []

    def counted(puzzle: Dot, video: Path) -> Score:
        scored_again.append(video)
        return follow_the_dot(puzzle, video)

    told: list[Trial] = []
    trials = run_remaining_trials(JOBS, DotScorer(counted, "careful"), trial_cache, on_trial=told.append)
    assert len(scored_again) == len(JOBS) - 4
    assert trials == run_trials(JOBS, careful)
    assert len(told) == len(JOBS)


def test_a_line_that_was_cut_off_is_passed_over(tmp_path: Path) -> None:
    trial_cache = tmp_path / "trials.jsonl"
    whole = run_remaining_trials(JOBS[:2], careful, trial_cache)
    trial_cache.write_bytes(trial_cache.read_bytes()[:-9])
    assert run_remaining_trials(JOBS[:2], careful, trial_cache) == whole
    assert (
        len(trial_cache.read_text("utf-8").splitlines()) == 4
    )  # an empty line, a whole one, the torso, and its successor


def test_trials_of_other_code_or_another_seed_are_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trial_cache = tmp_path / "trials.jsonl"
    jobs = JOBS[:1]

    def lines() -> int:
        return len(trial_cache.read_text("utf-8").splitlines())

    run_remaining_trials(jobs, careful, trial_cache)
    run_remaining_trials(jobs, careful, trial_cache)
    assert lines() == 2
    run_remaining_trials([replace(job, seed=1) for job in jobs], careful, trial_cache)
    assert lines() == 3
    monkeypatch.setattr(trial_cache_module, "source_digest", lambda _: "other")
    run_remaining_trials(jobs, careful, trial_cache)
    assert lines() == 4


def test_errors_are_tried_again(tmp_path: Path) -> None:
    trial_cache = tmp_path / "trials.jsonl"

    def failing(puzzle: Dot, video: Path) -> Score:
        raise OSError("no space left")

    (first,) = run_remaining_trials(JOBS[:1], DotScorer(failing, "careful"), trial_cache)
    assert first.error == "OSError: no space left"
    (second,) = run_remaining_trials(JOBS[:1], careful, trial_cache)
    assert second.scored


def test_each_task_depends_on_its_own_code() -> None:
    assert source_digest(DotTask) != source_digest(MazeTask)


def test_a_change_of_data_or_of_a_library_makes_trials_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source_digest.cache_clear()
    before = source_digest(SudokuTask)
    weights = Path(inspect.getfile(digit_network)).parent / "digits.npz"
    reading = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: reading(path) + b"!" * (path == weights))
    source_digest.cache_clear()
    with_other_weights = source_digest(SudokuTask)
    monkeypatch.undo()
    monkeypatch.setattr(trial_cache_module, "version", lambda name: "99" if name == "av" else "1")
    source_digest.cache_clear()
    with_other_library = source_digest(SudokuTask)
    monkeypatch.undo()
    source_digest.cache_clear()
    assert len({before, with_other_weights, with_other_library}) == 3
    assert source_digest(SudokuTask) == before
