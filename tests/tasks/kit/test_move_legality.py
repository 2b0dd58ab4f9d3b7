"""Legality of moves, on traces made by hand: no pixels."""

from __future__ import annotations

from collections.abc import Sequence

from vmevalkit.tasks.kit.legality import check_moves
from vmevalkit.tasks.kit.scene import Part, Scene
from vmevalkit.tasks.puzzles.sokoban import TASK, Sokoban
from vmevalkit.tasks.task import FrameReading

ROOM = Sokoban(5, ((2, 2),), ((0, 4),), ((0, 1),), (0, 0))
"""The player pushes the box along the upper row."""
Cells = tuple[tuple[float, float], tuple[float, float]]


def make_scene(box: tuple[float, float], player: tuple[float, float]) -> Scene:
    parts = [
        Part(name, *TASK.position(ROOM, TASK.pieces(ROOM)[i], cell), name.rstrip("0"))
        for i, (name, cell) in enumerate((("box0", box), ("player", player)))
    ]
    return Scene(tuple(parts))


def find(states: Sequence[Cells], extra: tuple[Part, ...] = ()) -> set[str]:
    scenes = [make_scene(*cells) for cells in states for _ in range(3)]
    scenes = [scene.change(extra=extra) for scene in scenes]
    trace = [FrameReading(index / 12, scene) for index, scene in enumerate(scenes)]
    return {finding.name for finding in check_moves(TASK, ROOM, trace).findings}


def test_pushing_is_legal() -> None:
    assert find([((0, 1), (0, 0)), ((0, 1.5), (0, 0.5)), ((0, 2), (0, 1)), ((0, 3), (0, 2)), ((0, 4), (0, 3))]) == set()


def test_pulling_is_not() -> None:
    pulled = [((0, 1), (0, 0)), ((0, 1), (1, 0)), ((0, 1), (1, 1)), ((0.5, 1), (1.5, 1)), ((1, 1), (2, 1))]
    assert find(pulled) == {"illegal_move"}


def test_walking_through_a_wall_is_not() -> None:
    through = [
        ((0, 1), (0, 0)),
        ((0, 1), (1, 0)),
        ((0, 1), (2, 0)),
        ((0, 1), (2, 1)),
        ((0, 1), (2, 2)),
        ((0, 1), (2, 3)),
    ]
    assert find(through) == {"illegal_move"}


def test_a_box_that_moves_by_itself_is_not() -> None:
    assert find([((0, 1), (0, 0)), ((0, 2), (0, 0)), ((0, 3), (0, 0))]) == {"illegal_move"}


def test_a_second_player_is_found() -> None:
    twin = (Part("+player", 200, 200, "player"),)
    assert find([((0, 1), (0, 0)), ((0, 1), (1, 0))], twin) == {"second_piece"}


def test_a_piece_that_vanishes_in_full_sight_is_illegal() -> None:
    scenes = [make_scene((0, 1), (0, 0))] * 3 + [make_scene((0, 1), (0, 0)).change(without=["player"])] * 6
    trace = [FrameReading(index / 12, scene) for index, scene in enumerate(scenes)]
    assert {finding.name for finding in check_moves(TASK, ROOM, trace).findings} == {"illegal_move"}


def test_pieces_of_one_look_have_no_names() -> None:
    """Two boxes are read under each other's names, as after one passed over the other."""
    room = Sokoban(5, (), ((0, 4), (2, 4)), ((0, 1), (2, 1)), (0, 0))
    trace = []
    for index, (pushed, player) in enumerate([(1, 0), (2, 1), (3, 2), (4, 3)]):
        cells = [((2, 1), "box0"), ((0, pushed), "box1"), ((0, player), "player")]
        parts = [
            Part(name, *TASK.position(room, TASK.pieces(room)[0], cell), name.rstrip("01")) for cell, name in cells
        ]
        trace += [FrameReading((3 * index + i) / 12, Scene(tuple(parts))) for i in range(3)]
    assert not check_moves(TASK, room, trace).findings
