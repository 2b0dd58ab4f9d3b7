"""What a person sees: tiles of 150 pixels, a clear question mark, shapes that can be distinguished."""

from __future__ import annotations

from itertools import combinations
from random import Random

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.media.image import Frame
from vmevalkit.tasks.raven_task import TASK, Cell, RavenState, Tile
from vmevalkit.tasks.raven_task.raven_reasoning import ANSWER
from vmevalkit.tasks.raven_task.render import draw, render_coverage
from vmevalkit.tasks.raven_task.scene import EMPTY, QUESTION, SCRIBBLE
from vmevalkit.tasks.raven_task.vocabulary import COLOURS, NUMBERS, POSES

quick = settings(max_examples=15)


def cell_of(frame: Frame, place: int) -> Frame:
    row, column = divmod(place, 3)
    return frame[150 * row : 150 * row + 150, 150 * column : 150 * column + 150]


def inside(frame: Frame, place: int) -> Frame:
    return cell_of(frame, place)[4:-4, 4:-4]


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_the_image_has_nine_tiles_of_150_pixels(difficulty: str) -> None:
    puzzle = TASK.sample(Random(1), TASK.preset(difficulty))
    first, final = TASK.first_frame(puzzle), TASK.final_frame(puzzle)
    assert first.shape == final.shape == (450, 450, 3) and TASK.size(puzzle) == (450, 450)
    for edge in (0, 150, 300, 449):
        assert (first[edge] < 80).all() and (first[:, edge] < 80).all()
    for place in range(9):
        assert (inside(first, place)[0] == 255).all() and (inside(first, place)[:, 0] == 255).all()
    assert all(np.array_equal(cell_of(first, place), cell_of(final, place)) for place in range(ANSWER))
    assert not np.array_equal(cell_of(first, ANSWER), cell_of(final, ANSWER))


def test_the_question_mark_is_large_and_dark_and_in_the_ninth_cell_alone() -> None:
    puzzle = TASK.sample(Random(2), TASK.preset())
    blank = draw(RavenState((EMPTY,) * 9))
    asked = draw(RavenState((EMPTY,) * ANSWER + (QUESTION,)))
    assert all(np.array_equal(cell_of(blank, place), cell_of(asked, place)) for place in range(ANSWER))
    mark = (inside(asked, ANSWER) < 128).all(axis=2)
    rows, columns = np.nonzero(mark)
    assert np.ptp(rows) > 55 and np.ptp(columns) > 30 and mark.sum() > 900
    assert np.array_equal(cell_of(asked, ANSWER), cell_of(TASK.first_frame(puzzle), ANSWER))


def test_nothing_is_drawn_near_edges_that_a_crop_can_cut() -> None:
    for shape, angle_deg in POSES:
        for number in NUMBERS:
            for arrangement in ("usual", "other"):
                rows, columns = np.nonzero(render_coverage(shape, number, angle_deg, arrangement))
                assert min(rows.min(), columns.min()) >= 60 - 51 and max(rows.max(), columns.max()) < 60 + 51


def test_a_tile_shows_as_many_shapes_as_it_says_of_its_colour() -> None:
    for shape, angle_deg in POSES:
        for number in NUMBERS:
            count, _ = cv2.connectedComponents((render_coverage(shape, number, angle_deg) > 100).astype(np.uint8))
            assert count - 1 == number, (shape, angle_deg, number)
    for name, levels in COLOURS.items():
        frame = inside(draw(RavenState((Cell(Tile("square", 1, 0, name)),) * 9)), 4)
        assert tuple(int(level) for level in frame[71, 71]) == levels


def test_poses_differ_in_much_of_their_area_and_are_rotated_by_quarter_turns() -> None:
    planes = {pose: render_coverage(pose[0], 1, pose[1]).astype(np.float32) / 255 for pose in POSES}
    for one, other in combinations(planes, 2):
        union = np.maximum(planes[one], planes[other]).sum()
        assert np.minimum(planes[one], planes[other]).sum() < 0.84 * union, (one, other)
    for (shape, angle_deg), plane in planes.items():
        if angle_deg:
            rotated = np.rot90(planes[shape, 0], -angle_deg // 90)
            assert np.abs(rotated - plane).mean() < 0.004, (shape, angle_deg)


def test_colours_differ_in_hue_and_the_specifications_three_are_among_them() -> None:
    assert {"red", "blue", "green"} <= set(COLOURS)
    inks = {name: 255 - np.array(levels, float) for name, levels in COLOURS.items()}
    for one, other in combinations(inks.values(), 2):
        cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
        assert np.degrees(np.arccos(cosine)) > 20 and np.abs(one - other).max() > 80


@quick
@given(st.integers(0, 10**6), st.sampled_from(["easy", "medium", "hard"]))
def test_the_solution_fades_the_answer_in_and_nothing_else(seed: int, difficulty: str) -> None:
    puzzle = TASK.sample(Random(seed), TASK.preset(difficulty))
    first, final = TASK.first_frame(puzzle).astype(int), TASK.final_frame(puzzle).astype(int)
    shares = []
    for t in np.linspace(0, 1, 9):
        frame = TASK.draw(puzzle, TASK.solution(puzzle, float(t))).astype(int)
        assert np.array_equal(frame[:300], first[:300]) and np.array_equal(frame[:, :300], first[:, :300])
        assert (frame >= np.minimum(first, final) - 2).all() and (frame <= np.maximum(first, final) + 2).all()
        shares.append(np.abs(frame - first).sum() / np.abs(final - first).sum())
    assert shares == sorted(shares) and shares[0] == 0 and shares[-1] == 1
    assert shares[4] == pytest.approx(0.5, abs=0.05)


def test_other_cells_can_be_drawn() -> None:
    tile = Tile("ring", 3, 0, "purple")
    images = [
        draw(RavenState((cell,) * 9))
        for cell in (
            EMPTY, QUESTION, SCRIBBLE, Cell(tile), Cell(tile, 0.4), Cell(tile, 0.4, 0.6), Cell(tile, 1.0, 1.0),
            Cell(tile, arrangement="other"), Cell(tile, scale=0.8), Cell(tile, scribble=True),
        )
    ]  # fmt: skip
    same = [(i, j) for i, j in combinations(range(len(images)), 2) if np.array_equal(images[i], images[j])]
    assert same == [(2, 9)]
