"""Every film gets the verdict it deserves, read from its drawn frames."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import cv2
import numpy as np
import pytest

from vmevalkit.media.canvas import blend
from vmevalkit.media.picture import Frame
from vmevalkit.media.sighting import Sighting
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.rotation_task import TASK, RotationKnobs, RotationPuzzle, View
from vmevalkit.tasks.rotation_task.snakes import connected, shape_of
from vmevalkit.tasks.task import Glimpse, readable

EXPECTED = {
    "under_rotation_half": "fail",
    "full_turn": "fail",
    "mirrored": "fail",
    "voxel_moved": "fail",
    "voxel_lost": "fail",
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


def passes(
    puzzle: RotationPuzzle, picture_at: Callable[[float], Frame], seconds: float = 3.0, fps: float = 10.0
) -> bool:
    """The film shrunk, read and judged, without registration; the last picture stands for a while."""
    reader = TASK.reader(puzzle)
    count = round(seconds * fps)
    before: View | None = None
    trace = []
    for i in range(count):
        frame = picture_at(min(1.0, 1.2 * i / (count - 1)))
        small = np.asarray(cv2.resize(frame, TASK.reading_size(puzzle), interpolation=cv2.INTER_AREA))
        state = reader.read(Sighting(small, i / fps), before)
        before = state or before
        trace.append(Glimpse(i / fps, state))
    read = readable(trace)
    final = TASK.settle(puzzle, [state for at_s, state in read if at_s > read[-1][0] - 0.5])
    return TASK.accepted(puzzle, final) and not any(found.gating for found in TASK.check(puzzle, trace).findings)


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("kind", KNOBS)
def test_every_film_gets_its_verdict(kind: str, name: str) -> None:
    number = sum(map(ord, name)) % 3
    puzzle = plan(TASK, number + 1, 12, KNOBS[kind])[number]
    films = TASK.films(puzzle, Random(number))
    assert {film: made.expected for film, made in films.items()} == EXPECTED
    film = films[name]
    assert film.state_at(0.0) == TASK.solution(puzzle, 0.0)
    assert passes(puzzle, lambda t: TASK.draw(puzzle, film.state_at(t))) == (film.expected == "pass")


@pytest.mark.parametrize("number", range(2))
def test_the_solution_passes_and_a_still_film_or_a_dissolve_does_not(number: int) -> None:
    puzzle = plan(TASK, number + 1, 15, TASK.preset())[number]
    first, final = TASK.first_frame(puzzle), TASK.final_frame(puzzle)
    assert passes(puzzle, lambda t: TASK.draw(puzzle, TASK.solution(puzzle, t)))
    assert passes(puzzle, lambda t: TASK.draw(puzzle, TASK.solution(puzzle, t)), seconds=2.0, fps=8.0)
    assert not passes(puzzle, lambda _: first)
    assert not passes(puzzle, lambda t: blend(first, final, t))


def test_altered_sculptures_are_in_one_piece_and_of_another_shape() -> None:
    for number, puzzle in enumerate(plan(TASK, 20, 4, TASK.preset())):
        films = TASK.films(puzzle, Random(number))
        for name in ("voxel_moved", "voxel_lost", "another_sculpture"):
            voxels = films[name].state_at(1.0).voxels
            assert connected(voxels) and len(set(voxels)) == len(voxels)
            assert shape_of(voxels).key != shape_of(puzzle.voxels).key
            assert len(voxels) == len(puzzle.voxels) - (name == "voxel_lost")


def test_a_sculpture_without_handedness_has_no_mirrored_film() -> None:
    voxels = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (2, 1, 0), (2, 1, 1), (2, 2, 1), (3, 2, 1))
    assert set(TASK.films(RotationPuzzle(voxels, 30.0, 45.0), Random(0))) == set(EXPECTED) - {"mirrored"}
