"""Mazes are valid, distinct and reproducible; the documented functions work."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.core.errors import Exhausted, Uncertified, UsageError
from vmevalkit.core.jsonable import digest, from_json, to_json
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import pixel_digest, read_image
from vmevalkit.tasks.maze_task import (
    TASK,
    Maze,
    MazeGenerator,
    MazeParams,
    create_dataset,
    create_task_pair,
    generate_prompt,
)
from vmevalkit.tasks.maze_task.lattice import Corridors, centre, wall_between, wall_count, wall_ends
from vmevalkit.tasks.maze_task.maze_reasoning import initial_walls, max_least_steps, point_along
from vmevalkit.tasks.maze_task.render import DOT_COLOUR, DOT_RADIUS, FLAG_COLOUR, FLAG_OUTLINE, SIZE, geometry_of
from vmevalkit.tasks.planning import plan

quick = settings(max_examples=60)
PROMPT = (
    "Move the green dot from its starting position through the maze paths to the red flag. "
    "Navigate only through open spaces (white)."
)


def bfs(grid_n: int, passages: object, start: tuple[int, int]) -> dict[tuple[int, int], tuple[int, tuple]]:
    """Return steps and previous cell for every cell that is reached. It does not use the task's own search."""
    open_sides = {frozenset(map(tuple, passage)) for passage in passages}  # type: ignore[attr-defined]
    reached = {start: (0, start)}
    queue = deque([start])
    while queue:
        row, column = queue.popleft()
        for cell in ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
            is_inside = 0 <= cell[0] < grid_n and 0 <= cell[1] < grid_n
            if is_inside and cell not in reached and frozenset((cell, (row, column))) in open_sides:
                reached[cell] = (reached[row, column][0] + 1, (row, column))
                queue.append(cell)
    return reached


def assert_one_path(maze: Maze, least_steps: int) -> None:
    """Check that the path is the only one: a connected graph with one edge less than nodes has no loop."""
    reached = bfs(maze.grid_n, maze.passages, maze.start)
    assert len(reached) == maze.grid_n**2
    assert len({frozenset(passage) for passage in maze.passages}) == maze.grid_n**2 - 1
    back = [maze.goal]
    while back[-1] != maze.start:
        back.append(reached[back[-1]][1])
    assert tuple(reversed(back)) == maze.path
    assert len(maze.path) - 1 >= least_steps


@st.composite
def mazes(draw: st.DrawFn) -> tuple[Maze, MazeParams]:
    grid_n = draw(st.integers(2, 12))
    params = MazeParams(grid_n, draw(st.integers(2, min(max_least_steps(grid_n), 3 * grid_n))))
    return TASK.sample(Random(draw(st.integers(0, 10**6))), params), params


@quick
@given(mazes())
def test_every_maze_has_one_path_and_names_it(sampled: tuple[Maze, MazeParams]) -> None:
    maze, params = sampled
    assert_one_path(maze, params.least_steps)
    TASK.certify(maze)
    assert from_json(Maze, json.loads(json.dumps(to_json(maze)))) == maze


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_a_thousand_questions_are_valid_and_distinct(difficulty: str) -> None:
    params = TASK.preset(difficulty)
    planned = plan(TASK, 1000, 42, params)
    assert len({TASK.key(maze) for maze in planned}) == 1000
    assert len({digest(maze) for maze in planned}) == 1000
    for maze in planned:
        assert_one_path(maze, params.least_steps)


def test_the_listed_mazes_are_those_of_a_brute_force_search() -> None:
    sides = [((r, c), (r, c + 1)) for r in range(3) for c in range(2)]
    sides += [((r, c), (r + 1, c)) for r in range(2) for c in range(3)]
    cells = [(r, c) for r in range(3) for c in range(3)]
    trees = [some for some in combinations(sides, 8) if len(bfs(3, some, (0, 0))) == 9]
    assert len(trees) == 192
    for least_steps in (2, 3, 8):
        expected = {
            (frozenset(tree), start, goal)
            for tree in trees
            for start in cells
            for goal, (steps, _) in bfs(3, tree, start).items()
            if steps >= least_steps
        }
        params = MazeParams(3, least_steps)
        listed = TASK.catalogue(params)
        assert listed is not None
        assert {(frozenset(maze.passages), maze.start, maze.goal) for maze in listed} == expected
        assert TASK.capacity(params) == len(listed) == len(expected)
    assert TASK.capacity(MazeParams()) == 7480


def test_all_listed_mazes_can_be_planned_and_no_more() -> None:
    params = MazeParams(3, 8)
    assert len({TASK.key(maze) for maze in plan(TASK, 40, 1, params)}) == 40
    with pytest.raises(Exhausted, match="40"):
        plan(TASK, 41, 1, params)
    assert TASK.capacity(MazeParams(4)) is None


def test_a_listing_is_a_sequence() -> None:
    listed = TASK.catalogue(MazeParams(2, 3))
    assert listed is not None
    assert len(listed) == 8
    assert listed[2:4] == [listed[2], listed[3]]
    assert listed[-1] == list(listed)[7]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"grid_n": 1}, "grid_n=1"),
        ({"grid_n": 13}, "2 to 12"),
        ({"least_steps": 1}, "least_steps=1"),
        ({"grid_n": 3, "least_steps": 9}, "choose 2 to 8"),
        ({"grid_n": 12, "least_steps": 143}, "choose 2 to 54"),
    ],
)
def test_impossible_params_are_refused(params: dict[str, int], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        MazeParams(**params)


@pytest.mark.parametrize("grid_n", range(2, 13))
def test_the_greatest_least_steps_can_be_sampled(grid_n: int) -> None:
    params = MazeParams(grid_n, max_least_steps(grid_n))
    assert TASK.sample(Random(3), params).steps >= params.least_steps


def test_certify_refuses_invalid_mazes() -> None:
    maze = TASK.sample(Random(1), MazeParams())

    def changed(**fields: object) -> Maze:
        return from_json(Maze, {**to_json(maze), **fields})

    loop = next(side for side in (((0, 0), (0, 1)), ((0, 0), (1, 0))) if side in maze.passages)
    wrong = [
        changed(passages=[p for p in maze.passages if p != loop]),
        changed(passages=[*maze.passages, ((0, 0), (2, 2))]),
        changed(passages=maze.passages[::-1]),
        changed(path=maze.path[::-1]),
        changed(start=(3, 0)),
        changed(goal=maze.path[1], path=maze.path[:2]),
        changed(goal=maze.start, path=[maze.start]),
        changed(grid_n=20),
    ]
    for other in wrong:
        with pytest.raises(Uncertified):
            TASK.certify(other)


def test_metadata_has_the_specified_keys_and_the_walls() -> None:
    maze = TASK.sample(Random(5), MazeParams(5, 8))
    record = json.loads(json.dumps(TASK.metadata(maze)))
    assert record["maze_data"] == {
        "generation_method": "Kruskal's minimum spanning tree",
        "solution_length": len(maze.path),
    }
    assert record["maze_size"] == [5, 5]
    assert (record["start_pos"], record["end_pos"]) == (list(maze.start), list(maze.goal))
    assert record["solution_length"] == len(record["path"]) == len(maze.path)
    walls = {tuple(map(tuple, wall)) for wall in record["walls"]}
    for row in range(5):
        for column in range(4):
            closed = ((row, column), (row, column + 1)) not in maze.passages
            assert (((column + 1, row), (column + 1, row + 1)) in walls) == closed
    assert len(walls) == 60 - 24


@quick
@given(mazes())
def test_walls_are_drawn_on_whole_pixels(sampled: tuple[Maze, MazeParams]) -> None:
    maze, _ = sampled
    geometry = geometry_of(maze.grid_n)
    frame = TASK.draw(maze, TASK.solution(maze, 0.0))
    assert frame.shape == (480, 832, 3)
    assert (frame[:20] == 255).all() and (frame[-20:] == 255).all()
    walls = initial_walls(maze)
    for wall in range(wall_count(maze.grid_n)):
        (x, y), (end_x, end_y) = wall_ends(maze.grid_n, wall)
        mid_x, mid_y = (round(v) for v in geometry.pixel(((x + end_x) / 2, (y + end_y) / 2)))
        half = geometry.wall // 2
        place = frame[mid_y - half : mid_y + half, mid_x - half : mid_x + half]
        assert (place == (0 if walls >> wall & 1 else 255)).all()
    blank = TASK.draw(maze, type(TASK.solution(maze, 0.0))((), walls, ()))
    assert set(np.unique(blank)) == {0, 255}


def test_dot_and_flag_have_their_colours_and_are_both_visible_at_the_end() -> None:
    for grid_n in (3, 12):
        maze = TASK.sample(Random(2), MazeParams(grid_n))
        first, final = TASK.first_frame(maze), TASK.final_frame(maze)
        for frame, least_red in ((first, 0.06), (final, 0.03)):
            cell = geometry_of(grid_n).cell ** 2
            assert (frame == (0x22, 0xC5, 0x5E)).all(axis=2).sum() > 0.1 * cell
            assert (frame == (0xEF, 0x44, 0x44)).all(axis=2).sum() > least_red * cell
        x, y = (round(v) for v in geometry_of(grid_n).pixel(centre(maze.goal)))
        assert tuple(final[y, x]) == (0x22, 0xC5, 0x5E)


@quick
@given(mazes())
def test_a_dot_that_has_arrived_is_drawn_over_its_flag(sampled: tuple[Maze, MazeParams]) -> None:
    maze, _ = sampled
    arrived = TASK.solution(maze, 1.0)
    geometry = geometry_of(maze.grid_n)
    canvas = Canvas(*SIZE)
    canvas.paste(TASK.draw(maze, replace(arrived, dots=(), flags=())), 0, 0)
    x, y = geometry.pixel(centre(maze.goal))
    canvas.polygon(FLAG_OUTLINE * geometry.cell + [x, y], fill=FLAG_COLOUR)
    canvas.circle(x, y, DOT_RADIUS * geometry.cell, fill=DOT_COLOUR)
    assert np.array_equal(TASK.draw(maze, arrived), canvas.frame())


@quick
@given(mazes(), st.floats(0, 1))
def test_the_solution_stays_on_the_path_and_arrives(sampled: tuple[Maze, MazeParams], t: float) -> None:
    maze, _ = sampled
    state = TASK.solution(maze, t)
    (x, y), cells = state.dots[0], {centre(cell) for cell in maze.path}
    assert any(abs(x - cx) + abs(y - cy) <= 0.5 + 1e-9 for cx, cy in cells)
    assert TASK.solution(maze, 0.0).dots == (centre(maze.start),)
    assert TASK.solution(maze, 1.0).dots == (centre(maze.goal),)
    assert TASK.accepted(maze, TASK.solution(maze, 1.0))
    assert TASK.progress(maze, TASK.solution(maze, 1.0)) == 1.0
    assert not TASK.accepted(maze, TASK.solution(maze, 0.0))
    assert TASK.progress(maze, TASK.solution(maze, 0.0)) == 0.0


@quick
@given(mazes())
def test_paths_in_the_tree_are_those_of_a_search(sampled: tuple[Maze, MazeParams]) -> None:
    maze, _ = sampled
    corridors = Corridors(maze.passages, maze.goal)
    reached = bfs(maze.grid_n, maze.passages, maze.start)
    for cell, (steps, _) in reached.items():
        path = corridors.path(maze.start, cell)
        assert len(path) == steps + 1
        assert all(not initial_walls(maze) >> wall_between(maze.grid_n, a, b) & 1 for a, b in pairwise(path))
        straight = np.hypot(maze.start[0] - cell[0], maze.start[1] - cell[1])
        assert straight - 1e-9 <= corridors.distance(centre(maze.start), centre(cell)) <= steps + 1e-9


def test_point_along_is_proportional_to_length() -> None:
    corner = [(0.0, 0.0), (3.0, 0.0), (3.0, 1.0)]
    assert point_along(corner, -1) == (0.0, 0.0)
    assert point_along(corner, 0.5) == (2.0, 0.0)
    assert point_along(corner, 0.875) == (3.0, 0.5)
    assert point_along(corner, 2) == (3.0, 1.0)
    assert point_along(corner[:1], 0.5) == (0.0, 0.0)


def test_the_documented_generator(tmp_path: Path) -> None:
    generator = MazeGenerator(seed=5)
    maze, other = generator.generate_solved_maze(grid_n=3), generator.generate_solved_maze()
    assert maze != other
    assert MazeGenerator(seed=5).generate_solved_maze() == maze
    assert (maze.start_pos, maze.end_pos) == (maze.start, maze.goal) == (maze.path[0], maze.path[-1])
    assert MazeGenerator(seed=6).generate_solved_maze() != maze
    first = generator.render_maze(maze, tmp_path / "deep" / "first.png")
    final = generator.render_maze(maze, tmp_path / "final.png", show_solution=True)
    assert pixel_digest(read_image(first)) == pixel_digest(TASK.first_frame(maze))
    assert pixel_digest(read_image(final)) == pixel_digest(TASK.final_frame(maze))
    assert generator.generate_solved_maze(grid_n=12).grid_n == 12
    assert generate_prompt(maze) == PROMPT


def test_create_dataset_writes_questions(tmp_path: Path) -> None:
    dataset = create_dataset(num_samples=6, output_dir=tmp_path)
    assert dataset["name"] == "maze_tasks"
    assert [pair["id"] for pair in dataset["pairs"]] == [f"maze_{i:04d}" for i in range(6)]
    for pair in dataset["pairs"]:
        maze = from_json(Maze, pair["puzzle"])
        assert pair["prompt"] == PROMPT and pair["task_category"] == "Maze" and pair["difficulty"] == "easy"
        assert np.array_equal(read_image(tmp_path / pair["first_image_path"]), TASK.first_frame(maze))
        assert np.array_equal(read_image(tmp_path / pair["final_image_path"]), TASK.final_frame(maze))


def test_create_task_pair_takes_a_maze_or_its_fields(tmp_path: Path) -> None:
    maze = MazeGenerator().generate_solved_maze()
    pair = create_task_pair(maze, "maze_mine", output_dir=tmp_path)
    assert pair["id"] == "maze_mine"
    again = create_task_pair(pair["puzzle"], "maze_again", output_dir=tmp_path)
    assert again["puzzle"] == pair["puzzle"] == to_json(maze)
    with pytest.raises(UsageError, match="not a valid maze"):
        create_task_pair({"grid_n": 3}, "maze_bad", output_dir=tmp_path)
    with pytest.raises(UsageError, match="not the way"):
        create_task_pair({**pair["puzzle"], "path": pair["path"][::-1]}, "maze_bad", output_dir=tmp_path)
