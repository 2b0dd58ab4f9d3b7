from __future__ import annotations

import numpy as np
import pytest

from vmevalkit.core.records import Finding
from vmevalkit.datasets.generate import generate
from vmevalkit.eval.evidence_strip import COLUMNS, MAX_ROWS, WIDTH, choose_rows
from vmevalkit.eval.experiment import score_experiment
from vmevalkit.eval.trace_record import make_trace_record
from vmevalkit.media.image import Frame, read_image
from vmevalkit.runs.run import run
from vmevalkit.store.scores import Scored, load_scores
from vmevalkit.store.traces import read_trace, trace_bytes
from vmevalkit.tasks.task import FrameReading


def make_trace(*states: object) -> list[FrameReading[object]]:
    return [FrameReading(index / 10, state) for index, state in enumerate(states)]


def test_a_row_shows_the_frames_around_a_finding() -> None:
    trace = make_trace(*range(30))
    [row] = choose_rows([Finding("jump", True, "It jumps.", 1.5)], trace)
    assert (row.frames, row.marked) == ((11, 14, 15, 19, 29), 15)


def test_a_row_shows_where_the_scene_is_seen_again() -> None:
    trace = make_trace(*range(10), *[None] * 10, *range(20, 30))
    [row] = choose_rows([Finding("not_shown", True, "It hides.", 1.0)], trace)
    assert {9, 10, 20} <= set(row.frames) and row.marked == 10


def test_findings_at_one_time_share_a_row_and_those_that_gate_come_first() -> None:
    trace = make_trace(*range(100))
    remarks = [Finding("remark", False, "-", seconds / 10) for seconds in range(0, 50, 5)]
    gating = [Finding("wall", True, "-", 7.0), Finding("jump", True, "-", 7.1), Finding("whole", True, "-", None)]
    rows = choose_rows([*remarks, *gating], trace)
    assert len(rows) == MAX_ROWS
    assert [len(row.findings) for row in rows] == [1, 2, 1]
    assert [row.marked for row in rows] == [0, 70, 99]
    assert all(len(row.frames) <= COLUMNS for row in rows)
    assert choose_rows([], trace) == []


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Scored]:
    root = tmp_path_factory.mktemp("strips")
    generate(["maze"], n=1, seed=3, out=root / "questions")
    run(["oracle", "through_wall", "noise"], root / "questions", "first", root / "outputs", seconds=2)
    score_experiment("first", root / "outputs", root / "evaluations")
    return {scored.model: scored for scored in load_scores(root / "evaluations", "first")}


def test_a_trace_says_what_was_read_from_each_frame(scores: dict[str, Scored]) -> None:
    for model in ("oracle", "through_wall"):
        path = scores[model].trace
        assert path is not None and path.stat().st_size < 10_000
        trace = read_trace(path)
        assert trace is not None and trace["duration_s"] == pytest.approx(2.0, abs=0.05)
        frames = len(trace["seconds"])
        assert {len(trace[name]) for name in ("status", "progress", "accepted", "unexplained", "state")} == {frames}
        assert trace["status"] == "r" * frames
        assert trace["progress"][0] == 0 and trace["progress"][-1] == 1 and trace["accepted"][-1] is True
        assert trace["states"][trace["state"][0]]["dots"][0] != trace["states"][trace["state"][-1]]["dots"][0]
    assert scores["noise"].trace is None and scores["noise"].evidence is None


def count_pixels(image: Frame, colour: tuple[int, int, int]) -> int:
    return int((np.abs(image.astype(int) - colour).max(axis=2) < 60).sum())


def test_a_strip_marks_what_is_wrong_over_the_frames(scores: dict[str, Scored]) -> None:
    assert scores["oracle"].evidence is None, "nothing was found"
    path = scores["through_wall"].evidence
    assert path is not None and path.stat().st_size < 100_000
    strip = read_image(path)
    rows = strip.shape[0] / strip.shape[1]
    assert strip.shape[1] == WIDTH and 0.1 < rows < 1
    assert count_pixels(strip, (220, 38, 38)) > 1000, "the frame, and the box around the dot"
    assert count_pixels(strip, (0, 160, 220)) > 50, "the outline of what was read"


class StrangeTask:
    """A stand-in for a task of other people whose states are not plain records."""

    def progress(self, _puzzle: object, _state: object) -> float:
        return 0.5

    def accepted(self, _puzzle: object, _state: object) -> bool:
        return False


def test_states_of_any_kind_have_a_trace() -> None:
    states = ({"at": np.array([0.12345, 2.0])}, {"at": np.float64(3)}, {1, "a"}, object())
    record = make_trace_record(StrangeTask(), None, make_trace(*states, None))  # type: ignore[arg-type]
    assert record["states"][:2] == [{"at": [0.123, 2.0]}, {"at": 3.0}]
    assert all(isinstance(state, str) for state in record["states"][2:])
    assert record["status"] == "rrrru"
    assert b"object" in trace_bytes(record)
