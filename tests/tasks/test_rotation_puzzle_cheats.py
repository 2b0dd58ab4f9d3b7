"""Every trick video gets its expected verdict from its drawn frames."""

from __future__ import annotations

from random import Random

import pytest
from drawn_videos import gold, judged, still

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.rotation_puzzle_task import TASK, PipeScene, RotationPuzzleParams
from vmevalkit.tasks.task import StateTrajectory

EXPECTED = {
    "repainted": "fail",
    "one_jumps": "fail",
    "fades_away_and_back": "fail",
    "travels": "fail",
    "square_moved": "fail",
    "pipe_vanishes": "fail",
    "pipe_added": "fail",
    "colour_changed": "fail",
    "turned_too_little": "fail",
    "overturned": "fail",
    "pipe_reshaped": "fail",
    "overshoot_settles": "pass",
    "other_way_round": "pass",
    "all_at_once": "pass",
    "other_order": "pass",
}
PARAMS = {
    "medium": TASK.preset("medium"),
    "kinds": RotationPuzzleParams(2, 2, ("L", "I", "T"), 1, 3),
    "nine": RotationPuzzleParams(3, 3, ("L", "I", "T"), 2, 4),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PARAMS)
def test_every_trick_video_gets_its_verdict(name: str) -> None:
    for seed, puzzle in enumerate(plan(TASK, 2, 11, PARAMS[name])):
        cheats = TASK.cheats(puzzle, Random(seed))
        assert {video: cheats[video].expected for video in EXPECTED} == EXPECTED
        assert set(cheats) - set(EXPECTED) <= {"another_answer", "one_short"}
        assert ("one_short" in cheats) == (len(puzzle.squares_to_turn) > 1)
        for video_name, video in cheats.items():
            assert judged(TASK, puzzle, video).passed == (video.expected == "pass"), (video_name, seed, puzzle)


@pytest.mark.parametrize("name", PARAMS)
@pytest.mark.parametrize(("seconds", "fps"), [(2.0, 8.0), (4.0, 24.0)])
def test_solution_passes_and_still_video_and_cut_fail(name: str, seconds: float, fps: float) -> None:
    puzzle = plan(TASK, 1, 7, PARAMS[name])[0]
    assert judged(TASK, puzzle, gold(TASK, puzzle), seconds, fps).passed
    assert not judged(TASK, puzzle, still(TASK, puzzle), seconds, fps).passed
    cut: StateTrajectory[PipeScene] = StateTrajectory(lambda t: TASK.solution(puzzle, float(t > 0.5)), "fail", "cut")
    assert not judged(TASK, puzzle, cut, seconds, fps).passed


def test_trick_videos_start_with_first_frame_and_change() -> None:
    for params in PARAMS.values():
        for seed, puzzle in enumerate(plan(TASK, 6, 3, params)):
            first = TASK.solution(puzzle, 0.0)
            for name, video in TASK.cheats(puzzle, Random(seed)).items():
                assert video.state_at(0.0) == first, name
                assert video.why
                assert any(video.state_at(i / 20) != first for i in range(1, 21)), name


def test_trick_videos_do_what_they_describe() -> None:
    others = 0
    for seed, puzzle in enumerate(plan(TASK, 30, 5, TASK.preset("medium"))):
        cheats = TASK.cheats(puzzle, Random(seed))
        end = {name: video.state_at(1.0) for name, video in cheats.items()}
        right = {name for name, video in cheats.items() if video.expected == "pass"}
        assert all(TASK.accepted(puzzle, end[name]) for name in right)
        on_the_way = {"repainted", "one_jumps", "fades_away_and_back", "travels"}
        assert all(TASK.accepted(puzzle, end[name]) for name in on_the_way)
        assert not any(TASK.accepted(puzzle, end[name]) for name in set(cheats) - right - on_the_way)
        assert any(TASK.accepted(puzzle, cheats["overturned"].state_at(i / 60)) for i in range(61))
        assert max(len(cheats["repainted"].state_at(i / 60).pipes) for i in range(61)) == 5
        assert len(end["pipe_added"].new_pipes) == 1 and len(end["pipe_vanishes"].pipes) == 3
        if "another_answer" in cheats:
            others += 1
            assert end["another_answer"] != TASK.solution(puzzle, 1.0)
    assert others == 30


def test_middle_of_solution_is_not_accepted() -> None:
    for params in PARAMS.values():
        for puzzle in plan(TASK, 30, 9, params):
            assert not any(TASK.accepted(puzzle, TASK.solution(puzzle, k / 60)) for k in range(45))
