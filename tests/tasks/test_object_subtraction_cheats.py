"""Every trick video gets its expected verdict, from drawn frames and some from encoded videos."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from drawn_videos import judged

from vmevalkit.baselines.baseline import find_trick, render_degraded, write_degraded
from vmevalkit.baselines.degradations import DEGRADATIONS
from vmevalkit.core.records import Score
from vmevalkit.eval.api import score_puzzle
from vmevalkit.tasks.object_subtraction_task import TASK, ObjectSubtraction, ObjectSubtractionParams

ALWAYS_PRESENT = {
    "wrong_object": "fail",
    "one_too_many": "fail",
    "all_removed": "fail",
    "come_back": "fail",
    "half_faded": "fail",
    "kept_moved": "fail",
    "kept_recoloured": "fail",
    "kept_reshaped": "fail",
    "kept_resized": "fail",
    "repainted": "fail",
    "nudged": "pass",
    "jitter": "pass",
    "restored": "pass",
    "together": "pass",
}
SOMETIMES_PRESENT = {
    "one_too_few": "fail", "object_added": "fail", "other_order": "pass", "faded": "pass", "slid_out": "pass",
    "shrunk": "pass",
}  # fmt: skip
ALL = ObjectSubtractionParams(levels=("L1", "L2", "L3", "L4"))


@pytest.mark.slow
@pytest.mark.parametrize("animation", ["fade", "slide", "shrink"])
def test_every_trick_video_gets_its_verdict(animation: str) -> None:
    seen: Counter[str] = Counter()
    for seed in range(6):
        puzzle = TASK.sample(Random(seed), replace(ALL, animation=animation))
        cheats = TASK.cheats(puzzle, Random(seed))
        assert {name: cheats[name].expected for name in ALWAYS_PRESENT} == ALWAYS_PRESENT
        assert {name: video.expected for name, video in cheats.items()}.items() <= (
            ALWAYS_PRESENT | SOMETIMES_PRESENT
        ).items()
        seen.update(list(cheats))
        for name, video in cheats.items():
            score = judged(TASK, puzzle, video)
            assert score.passed == (video.expected == "pass"), (seed, name, score.explanation)
    ways = {"fade": "faded", "slide": "slid_out", "shrink": "shrunk"}
    assert set(seen) == {*ALWAYS_PRESENT, *SOMETIMES_PRESENT} - {ways[animation]}


def test_trick_videos_on_a_large_canvas_get_their_verdicts() -> None:
    puzzle = TASK.sample(Random(5), replace(ALL, canvas=512))
    for name, video in TASK.cheats(puzzle, Random(5)).items():
        score = judged(TASK, puzzle, video)
        assert score.passed == (video.expected == "pass"), (name, score.explanation)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "finding"),
    [
        ("wrong_object", "kept_lost"),
        ("one_too_many", "kept_lost"),
        ("kept_moved", "kept_moved"),
        ("kept_recoloured", "kept_recoloured"),
        ("kept_reshaped", "kept_reshaped"),
        ("kept_resized", "kept_resized"),
        ("object_added", "object_added"),
    ],
)
def test_trick_videos_fail_for_the_expected_reason(name: str, finding: str) -> None:
    counts = Counter(
        found.name
        for seed in range(10)
        if name in (cheats := TASK.cheats(puzzle := TASK.sample(Random(seed), ALL), Random(seed)))
        for found in judged(TASK, puzzle, cheats[name]).findings
        if found.gating
    )
    assert counts[finding] >= 6 and counts.most_common(1)[0][0] == finding


def score_trick(puzzle: ObjectSubtraction, name: str, degradation: str, path: Path, fps: float = 24.0) -> Score:
    """Return the score of a trick video that is generated, encoded and registered."""
    rng = Random(f"{name}:{degradation}")
    trick = find_trick(TASK, puzzle, name, rng)
    assert trick is not None
    write_degraded(render_degraded(TASK, puzzle, trick, DEGRADATIONS[degradation], rng, 3.0, fps), path)
    return score_puzzle(TASK, puzzle, path)


SEVERAL_TARGETS = TASK.sample(Random(3), ObjectSubtractionParams(levels=("L2",)))


@pytest.mark.parametrize(
    ("trick", "value"),
    [("oracle", 5), ("fps8", 5), ("cut_to_final", 4), ("crossfade", 4), ("static", 1), ("slid_out", 5), ("shrunk", 5)],
)
def test_values_of_encoded_videos(trick: str, value: int, tmp_path: Path) -> None:
    assert len(SEVERAL_TARGETS.targets) > 1
    score = score_trick(SEVERAL_TARGETS, trick, "plain", tmp_path / "video.mp4")
    assert score.value == value, score.explanation
    assert score.passed == (value >= 4)
    if trick == "static":
        assert score.outcome == 0.0 and score.failure_mode == "static"


@pytest.mark.slow
@pytest.mark.parametrize("degradation", list(DEGRADATIONS))
def test_solution_passes_and_moved_object_fails_through_every_degradation(degradation: str, tmp_path: Path) -> None:
    for seed, level in ((1, "L1"), (2, "L3")):
        puzzle = TASK.sample(Random(seed), ObjectSubtractionParams(levels=(level,)))
        right = score_trick(puzzle, "oracle", degradation, tmp_path / f"{seed}.mp4", 12.0)
        assert right.passed, right.explanation
        assert right.metrics["kept_object_stability"] < 2.0
        assert right.metrics["final_object_match"] > 0.93
        wrong = score_trick(puzzle, "kept_moved", degradation, tmp_path / f"{seed}-wrong.mp4", 12.0)
        assert not wrong.passed and wrong.value is not None
