"""Every film gets the verdict it deserves, read from its drawn frames."""

from __future__ import annotations

from random import Random

import pytest
from drawn_films import gold, judged, judged_pictures, still

from vmevalkit.media.canvas import blend
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.rotation_task import TASK, RotationKnobs, RotationPuzzle
from vmevalkit.tasks.rotation_task.snakes import connected, shape_of

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
    "recoloured": "pass",
    "other_way_round": "pass",
    "slow_zoom_75": "pass",
    "overshoot_settles": "pass",
    "with_table": "pass",
    "wobble": "pass",
    "wrong_then_corrected": "pass",
}
KNOBS = {
    "easy": RotationKnobs(),
    "hard": TASK.preset("hard"),
    "coloured": RotationKnobs(voxels=(5, 7), colours=5, angles=(90, 270)),
}


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("kind", KNOBS)
def test_every_film_gets_its_verdict(kind: str, name: str) -> None:
    number = sum(map(ord, name)) % 3
    puzzle = plan(TASK, number + 1, 12, KNOBS[kind])[number]
    films = TASK.films(puzzle, Random(number))
    assert {film: made.expected for film, made in films.items()} == EXPECTED
    film = films[name]
    assert film.state_at(0.0) == TASK.solution(puzzle, 0.0)
    assert judged(TASK, puzzle, film, fps=10.0).passed == (film.expected == "pass")


@pytest.mark.parametrize("number", range(2))
def test_the_solution_passes_and_a_still_film_or_a_dissolve_does_not(number: int) -> None:
    puzzle = plan(TASK, number + 1, 15, TASK.preset())[number]
    first, final = TASK.first_frame(puzzle), TASK.final_frame(puzzle)
    assert judged(TASK, puzzle, gold(TASK, puzzle)).passed
    assert judged(TASK, puzzle, gold(TASK, puzzle), seconds=2.0, fps=8.0).passed
    assert not judged(TASK, puzzle, still(TASK, puzzle)).passed
    assert not judged_pictures(TASK, puzzle, lambda t: blend(first, final, t)).passed


def test_altered_sculptures_are_in_one_piece_and_of_another_shape() -> None:
    for number, puzzle in enumerate(plan(TASK, 20, 4, TASK.preset())):
        films = TASK.films(puzzle, Random(number))
        for name in ("voxel_moved", "voxel_lost", "voxel_added", "another_sculpture"):
            voxels = films[name].state_at(1.0).voxels
            assert connected(voxels) and len(set(voxels)) == len(voxels)
            assert shape_of(voxels).key != shape_of(puzzle.voxels).key
            assert len(voxels) == len(puzzle.voxels) + (name == "voxel_added") - (name == "voxel_lost")


def test_a_sculpture_without_handedness_has_no_mirrored_film() -> None:
    voxels = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (2, 1, 0), (2, 1, 1), (2, 2, 1), (3, 2, 1))
    assert set(TASK.films(RotationPuzzle(voxels, 30.0, 45.0), Random(0))) == set(EXPECTED) - {"mirrored"}
