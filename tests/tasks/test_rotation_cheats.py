"""Every trick video gets its verdict, read from its drawn frames."""

from __future__ import annotations

from random import Random

import pytest
from drawn_videos import gold, judged, judged_pictures, still

from vmevalkit.media.canvas import blend
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.rotation_task import TASK, RotationParams, VoxelPuzzle
from vmevalkit.tasks.rotation_task.snakes import describe_shape, is_connected

EXPECTED = {
    "under_rotation_half": "fail",
    "full_turn": "fail",
    "mirrored": "fail",
    "voxel_moved": "fail",
    "voxel_lost": "fail",
    "voxel_added": "fail",
    "voxel_changed_on_table": "fail",
    "another_sculpture": "fail",
    "final_elevation_off_20": "fail",
    "jump_to_final": "fail",
    "overshoot_stays": "fail",
    "recoloured": "fail",
    "other_way_round": "pass",
    "slow_zoom_75": "pass",
    "overshoot_settles": "pass",
    "with_table": "pass",
    "wobble": "pass",
    "wrong_then_corrected": "pass",
}
PARAMS = {
    "easy": RotationParams(),
    "hard": TASK.preset("hard"),
    "coloured": RotationParams(voxels=(5, 7), colours=5, angles=(90, 270)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("kind", PARAMS)
def test_every_video_gets_its_verdict(kind: str, name: str) -> None:
    number = sum(map(ord, name)) % 3
    puzzle = plan(TASK, number + 1, 12, PARAMS[kind])[number]
    cheats = TASK.cheats(puzzle, Random(number))
    assert {cheat: trajectory.expected for cheat, trajectory in cheats.items()} == EXPECTED
    video = cheats[name]
    assert video.state_at(0.0) == TASK.solution(puzzle, 0.0)
    assert judged(TASK, puzzle, video, fps=10.0).passed == (video.expected == "pass")


@pytest.mark.slow
@pytest.mark.parametrize("number", range(2))
def test_the_solution_passes_and_a_still_video_or_a_crossfade_fails(number: int) -> None:
    puzzle = plan(TASK, number + 1, 15, TASK.preset())[number]
    first, final = TASK.first_frame(puzzle), TASK.final_frame(puzzle)
    assert judged(TASK, puzzle, gold(TASK, puzzle)).passed
    assert judged(TASK, puzzle, gold(TASK, puzzle), seconds=2.0, fps=8.0).passed
    assert not judged(TASK, puzzle, still(TASK, puzzle)).passed
    assert not judged_pictures(TASK, puzzle, lambda t: blend(first, final, t)).passed


def test_altered_sculptures_are_in_one_piece_and_of_another_shape() -> None:
    for number, puzzle in enumerate(plan(TASK, 20, 4, TASK.preset())):
        cheats = TASK.cheats(puzzle, Random(number))
        for name in ("voxel_moved", "voxel_lost", "voxel_added", "another_sculpture"):
            voxels = cheats[name].state_at(1.0).voxels
            assert is_connected(voxels) and len(set(voxels)) == len(voxels)
            assert describe_shape(voxels).key != describe_shape(puzzle.voxels).key
            assert len(voxels) == len(puzzle.voxels) + (name == "voxel_added") - (name == "voxel_lost")


def test_an_achiral_sculpture_has_no_mirrored_video() -> None:
    voxels = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (2, 1, 0), (2, 1, 1), (2, 2, 1), (3, 2, 1))
    assert set(TASK.cheats(VoxelPuzzle(voxels, 30.0, 45.0), Random(0))) == set(EXPECTED) - {"mirrored"}


def test_a_sculpture_of_four_voxels_has_another_one() -> None:
    """Of four voxels there are only three shapes, two of which are mirror images."""
    for number, puzzle in enumerate(plan(TASK, 6, 2, RotationParams(voxels=(4, 4), colours=4))):
        for seed in range(20):
            other = TASK.cheats(puzzle, Random(20 * number + seed))["another_sculpture"].state_at(1.0).voxels
            assert describe_shape(other).key != describe_shape(puzzle.voxels).key
