"""The reader of scenes: what is drawn is read, what is covered is hidden, and what is erased is gone."""

from __future__ import annotations

from collections import Counter
from math import hypot
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.media.image import Frame
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.kit.looks import cut_looks
from vmevalkit.tasks.kit.move_task import MoveTask
from vmevalkit.tasks.kit.reader import SceneReader
from vmevalkit.tasks.kit.scene import Scene
from vmevalkit.tasks.kit.scene_task import SceneTask
from vmevalkit.tasks.planning import plan

NAMES = [name for name, task in TASKS.items() if isinstance(task, SceneTask)]


def get(name: str, index: int = 0) -> tuple[SceneTask[Any, Any], Any]:
    task = TASKS[name]
    assert isinstance(task, SceneTask)
    return task, plan(task, index + 1, 8, task.preset())[index]


def shrink(task: SceneTask[Any, Any], puzzle: Any, image: Frame) -> Frame:
    return np.asarray(cv2.resize(image, task.reading_size(puzzle), interpolation=cv2.INTER_AREA), np.uint8)


def read(task: SceneTask[Any, Any], puzzle: Any, *images: Frame) -> Scene | None:
    """Read images one after another, the first frame first."""
    reader, state = task.reader(puzzle), None
    for index, image in enumerate((task.first_frame(puzzle), *images)):
        state = reader.read(RegisteredFrame(shrink(task, puzzle, image), index / 10), state)
    return state


def cover(image: Frame, x: float, y: float, size: int, colour: tuple[int, int, int]) -> Frame:
    changed = image.copy()
    changed[round(y) - size : round(y) + size, round(x) - size : round(x) + size] = colour
    return changed


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=10)
@given(t=st.floats(0, 1))
def test_the_scene_that_is_drawn_is_read(name: str, t: float) -> None:
    task, puzzle = get(name)
    drawn = task.solution(puzzle, t)
    scene = read(task, puzzle, *[task.draw(puzzle, drawn)] * 2)
    assert scene is not None and not scene.extra
    for name_hidden in scene.hidden:  # a player stands over a key, or takes it at this moment
        below = drawn.get(name_hidden) or scene.get(name_hidden)
        assert below is not None
        assert any(hypot(p.x - below.x, p.y - below.y) < 20 for p in drawn.parts if p.name != name_hidden)
    alike = Counter(part.look for part in drawn.parts) if isinstance(task, MoveTask) else Counter()
    for part in drawn.parts:
        seen = scene.get(part.name)
        if alike[part.look] > 1:  # nobody can tell which is which
            same = [other for other in scene.parts if other.look == part.look]
            seen = min(same, key=lambda other: hypot(other.x - part.x, other.y - part.y))
        assert seen is not None
        assert abs(seen.x - part.x) < 4 and abs(seen.y - part.y) < 4
        assert abs((seen.angle - part.angle + 90) % 180 - 90) < 5
        if part.opacity in (0, 1):
            assert seen.look == part.look


def test_a_covered_piece_is_hidden_and_an_erased_one_is_gone() -> None:
    task, puzzle = get("sokoban")
    start = task.solution(puzzle, 0.0)
    piece = start.parts[-1]
    covered = read(task, puzzle, cover(task.first_frame(puzzle), piece.x, piece.y, 45, (250, 120, 200)))
    assert covered is not None and piece.name in covered.hidden and covered.get(piece.name) is not None
    erased = read(task, puzzle, task.draw(puzzle, start.change(without=[piece.name])))
    assert erased is not None and erased.get(piece.name) is None and piece.name not in erased.hidden


def test_a_piece_outside_of_the_picture_is_hidden() -> None:
    task, puzzle = get("sokoban")
    frame = shrink(task, puzzle, task.first_frame(puzzle))
    player = task.solution(puzzle, 0.0).parts[-1]
    visible = np.ones(frame.shape[:2], bool)
    visible[:, max(0, round(player.x / 2) - 18) : round(player.x / 2) + 18] = False
    scene = task.reader(puzzle).read(RegisteredFrame(frame, 0.0, visible), None)
    assert scene is not None and "player" in scene.hidden


def test_a_second_player_is_seen() -> None:
    task, puzzle = get("sokoban")
    player = task.solution(puzzle, 0.0).parts[-1]
    free = next(
        cell
        for cell in task.places(puzzle, None)
        if cell not in (*puzzle.walls, *puzzle.boxes, *puzzle.marks, puzzle.player)
    )
    x, y = task.position(puzzle, None, free)
    twin = type(player)("twin", x, y, player.look)
    scene = read(task, puzzle, task.draw(puzzle, task.solution(puzzle, 0.0).change(extra=(twin,))))
    assert scene is not None and [part.look for part in scene.extra] == ["player"]


def test_a_queen_on_a_highlighted_square_is_read() -> None:
    task, puzzle = get("n_queens")
    end = task.solution(puzzle, 1.0)
    cell = end.get(next(iter(task.answers(puzzle)[0])))
    assert cell is not None
    final = task.final_frame(puzzle)
    box = np.s_[round(cell.y) - 26 : round(cell.y) + 26, round(cell.x) - 26 : round(cell.x) + 26]
    light = (final[box] > 220).all(axis=2)
    final[box][light] = (255, 240, 130)
    scene = read(task, puzzle, final)
    assert scene is not None and task.accepted(puzzle, scene)


@pytest.mark.parametrize("name", ["sokoban", "n_queens", "colouring"])
def test_looks_cut_from_a_restyled_question_read_its_answer(name: str) -> None:
    """The question's own frames are recoloured; the looks come from them alone."""
    task, puzzle = get(name)
    first, final = (frame[..., ::-1].copy() for frame in (task.first_frame(puzzle), task.final_frame(puzzle)))
    stage = task.stage(puzzle)
    frames = [(first, stage.start.parts), (final, task.solution(puzzle, 1.0).parts)]
    reader = SceneReader(stage, cut_looks(stage, task.reading_scale, frames))
    state = None
    for index, image in enumerate((first, final)):
        state = reader.read(RegisteredFrame(shrink(task, puzzle, image), index / 10), state)
    assert state is not None and task.accepted(puzzle, state)


def test_a_patch_of_another_colour_is_not_a_second_piece() -> None:
    task, puzzle = get("knights_path")
    image = task.first_frame(puzzle)
    covered = read(task, puzzle, cover(image, 60, image.shape[0] - 60, 24, (30, 30, 30)))
    assert covered is not None and not covered.extra


@pytest.mark.parametrize(("colour", "is_read"), [((17, 17, 17), False), ((255, 236, 160), True)])
def test_ink_on_black_is_hidden_and_on_a_pale_field_it_is_read(colour: tuple[int, int, int], is_read: bool) -> None:
    task, puzzle = get("count_shapes")
    solved = task.final_frame(puzzle)
    [(name, look)] = task.answers(puzzle)[0].items()  # type: ignore[attr-defined]
    cell = task.solution(puzzle, 1.0).get(name)
    assert cell is not None
    field, (height, width) = task.first_frame(puzzle).copy(), solved.shape[:2]
    left, top, right, bottom = task.part_box(puzzle, cell)
    field[round(top * height) - 5 : round(bottom * height) + 5, round(left * width) - 5 : round(right * width) + 5] = (
        colour
    )
    is_ink = (solved != task.first_frame(puzzle)).any(axis=2)
    field[is_ink] = np.minimum(solved, field)[is_ink]
    scene = read(task, puzzle, solved, field, field)
    assert scene is not None
    seen = scene.get(name)
    assert (name not in scene.hidden and seen is not None and seen.look == look) is is_read


def test_a_thin_part_that_turns_is_read_on_ground_of_another_light() -> None:
    task, puzzle = get("clock")
    frames = [
        np.clip(task.draw(puzzle, task.solution(puzzle, t)) * 0.88, 0, 255).astype(np.uint8) for t in (0.1, 0.2, 0.3)
    ]
    scene, drawn = read(task, puzzle, *frames), task.solution(puzzle, 0.3)
    assert scene is not None and not scene.hidden
    for part in drawn.parts:
        seen = scene.get(part.name)
        assert seen is not None and abs((seen.angle - part.angle + 180) % 360 - 180) <= 2
