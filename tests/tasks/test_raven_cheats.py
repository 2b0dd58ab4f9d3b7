"""Every trick video gets the expected verdict, read from its drawn frames; the reference solution scores 5."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from drawn_videos import check_verdicts

from vmevalkit.baselines.tricks import TRICKS
from vmevalkit.eval.api import score_puzzle
from vmevalkit.media.video import write_video
from vmevalkit.tasks.raven_task import TASK, Tile
from vmevalkit.tasks.raven_task.raven_reasoning import ANSWER, complete_puzzle
from vmevalkit.tasks.raven_task.vocabulary import ATTRIBUTES, ORIENTED

ALWAYS = {
    "wrong_shape": "fail",
    "wrong_number": "fail",
    "wrong_colour": "fail",
    "given_copied": "fail",
    "empty_tile": "fail",
    "question_left": "fail",
    "scribbled": "fail",
    "half_faded": "fail",
    "answer_destroyed": "fail",
    "given_changed": "fail",
    "given_lost": "fail",
    "given_scribbled": "fail",
    "snaps": "pass",
    "corrected": "pass",
    "given_restored": "pass",
    "erased_first": "pass",
    "other_arrangement": "pass",
    "other_size": "pass",
}
SOMETIMES = {"wrong_rotation": "fail", "givens_swapped": "fail", "one_by_one": "pass"}


@pytest.mark.slow
@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_trick_videos_get_the_expected_verdict(difficulty: str) -> None:
    check_verdicts(TASK, difficulty, puzzles=3, failing_below=1)


@pytest.mark.slow
@pytest.mark.parametrize("trick", ["oracle", "paused"])
def test_the_encoded_reference_solution_scores_five(trick: str, tmp_path: Path) -> None:
    """The three red circles hide most of the question mark, so that the end of the dissolve is hard to read."""
    puzzle = complete_puzzle([Tile("circle", 3, 0, ("green", "orange", "red")[i // 3]) for i in range(8)])
    for seed in range(3):
        rng = Random(seed)
        stream = TRICKS[trick].render(TASK, puzzle, rng, TASK.video_seconds, 24.0)
        write_video(tmp_path / "video.mp4", stream.frames, stream.fps)
        score = score_puzzle(TASK, puzzle, tmp_path / "video.mp4")
        assert (score.value, score.findings) == (5, ()), score.explanation


def test_trick_videos_begin_with_the_first_frame_and_change() -> None:
    seen: Counter[str] = Counter()
    for seed in range(60):
        puzzle = TASK.sample(Random(seed), TASK.preset(("easy", "medium", "hard")[seed % 3]))
        cheats = TASK.cheats(puzzle, Random(seed))
        assert {name: video.expected for name, video in cheats.items()}.items() <= {**ALWAYS, **SOMETIMES}.items()
        seen.update(cheats.keys())
        for name, video in cheats.items():
            assert video.why
            assert video.state_at(0.0) == TASK.solution(puzzle, 0.0), name
            assert any(video.state_at(i / 20) != video.state_at(0.0) for i in range(1, 21)), name
            assert TASK.accepted(puzzle, video.state_at(1.0)) == (video.expected == "pass"), name
    assert all(seen[name] == 60 for name in ALWAYS), seen
    assert all(seen[name] >= 20 for name in SOMETIMES), seen


def test_trick_videos_show_what_their_names_say() -> None:
    for seed in range(20):
        puzzle = TASK.sample(Random(seed), TASK.preset("hard"))
        final = {name: video.state_at(1.0) for name, video in TASK.cheats(puzzle, Random(seed)).items()}
        for attribute in ATTRIBUTES:
            if f"wrong_{attribute}" in final:
                found = final[f"wrong_{attribute}"].readings[ANSWER]
                assert isinstance(found, Tile)
                assert [name for name in ATTRIBUTES if found.value(name) != puzzle.answer.value(name)] == [attribute]
        assert ("wrong_rotation" in final) == (puzzle.answer.shape in ORIENTED)
        assert final["given_copied"].readings[ANSWER] in puzzle.tiles[:ANSWER]
        assert final["empty_tile"].readings[ANSWER] == "empty"
        assert final["question_left"].cells[ANSWER].question == 1
        for name in ("given_changed", "given_lost", "given_scribbled"):
            readings = final[name].readings
            assert readings[ANSWER] == puzzle.answer
            assert sum(a != b for a, b in zip(readings, puzzle.tiles, strict=True)) == 1
        destroyed = TASK.cheats(puzzle, Random(seed))["answer_destroyed"]
        assert TASK.accepted(puzzle, destroyed.state_at(0.7))
