"""Memory does not grow with the dataset: a question that is finished leaves almost nothing behind.

``benchmarks/memory.py`` measures the whole processes with up to 100,000 questions.
"""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from vmevalkit.datasets import generate as generating
from vmevalkit.datasets.generate import generate
from vmevalkit.eval.experiment import score_experiment
from vmevalkit.runs.cost_estimate import estimate_cost
from vmevalkit.store.record_spool import RecordSpool, SpooledRecords

FEW, MANY = 30, 150
ROUNDS = 3
"""The least peak of so many counts: threads that other tests have left behind allocate too."""
LIMIT_BYTES = 2000
"""For each further question. The record of a maze takes about 20,000."""


def measure_growth(step: Callable[[int], object]) -> float:
    """Return how much the peak of memory grows with each question."""
    step(FEW)  # fills caches
    few, many = (min(_measure_peak(step, n) for _ in range(ROUNDS)) for n in (FEW, MANY))
    return (many - few) / (MANY - FEW)


def _measure_peak(step: Callable[[int], object], n: int) -> int:
    gc.collect()
    tracemalloc.start()
    try:
        step(n)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_a_question_leaves_almost_nothing_in_memory(tmp_path: Path) -> None:
    sys.path.insert(0, str(Path(__file__).parents[2]))
    from benchmarks.memory import EXPERIMENT, write_runs_and_scores

    def generate_again(n: int) -> None:
        generate(["maze"], n, out=tmp_path / str(n) / "questions")

    for n in (FEW, MANY):
        generate_again(n)
        write_runs_and_scores(tmp_path / str(n))
    steps: dict[str, Callable[[int], object]] = {
        "generate again": generate_again,
        "dry run": lambda n: estimate_cost(["static"], tmp_path / str(n) / "questions", "new", tmp_path / "new"),
        "score again": lambda n: score_experiment(
            EXPERIMENT, tmp_path / str(n) / "outputs", tmp_path / str(n) / "evaluations", keep_results=False
        ),
    }
    growth = {name: measure_growth(step) for name, step in steps.items()}
    assert max(growth.values()) < LIMIT_BYTES, growth


def test_missing_questions_are_drawn_whether_their_puzzles_were_kept_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = generate(["maze"], 8, out=tmp_path / "whole").tasks[0]
    for most, place in ((100, tmp_path / "kept"), (2, tmp_path / "planned again")):
        monkeypatch.setattr(generating, "MAX_GAPS", most)
        generate(["maze"], 8, out=place)
        for number in (0, 2, 3, 5):
            for file in (place / "maze_task" / f"maze_{number:04d}").iterdir():
                file.unlink()
            (place / "maze_task" / f"maze_{number:04d}").rmdir()
        made = generate(["maze"], 8, out=place).tasks[0]
        assert (made.drawn, made.kept) == (4, 4)
        assert (made.fingerprint, made.pixel_fingerprint) == (whole.fingerprint, whole.pixel_fingerprint)
        assert (place / "maze_tasks" / "maze_tasks.json").read_text().count('"id":"maze_000') == 8


def test_records_come_back_in_order_and_leave_no_file(tmp_path: Path) -> None:
    spool, other = RecordSpool(tmp_path), RecordSpool(tmp_path)
    for number in (3, 1, 2, 1):
        spool.put(number, {"number": number, "large": 2**70})
    spool.remove(2)
    other.add({"number": 9})
    records = SpooledRecords(spool, other)
    assert [record["number"] for record in records] == [1, 3, 9]
    assert (len(records), records[-1], records[0]["large"]) == (3, {"number": 9}, 2**70)
    assert [record["number"] for record in records[1:]] == [3, 9]
    assert (3 in spool, 2 in spool, len(spool)) == (True, False, 2)
    assert list(tmp_path.iterdir()) == []
