"""The task contract through degradations: videos are encoded, decoded, registered and read, without their placement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import dist
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from vmevalkit.baselines.baseline import render_degraded, write_degraded
from vmevalkit.baselines.degradations import DEGRADATIONS
from vmevalkit.baselines.tricks import TRICKS, FrameAt, StateRenderer, Trick
from vmevalkit.core.records import Score
from vmevalkit.eval.api import score_puzzle
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.maze_task import Maze, MazeState
from vmevalkit.tasks.maze_task.lattice import Corridors, centre
from vmevalkit.tasks.maze_task.maze_reasoning import point_along, scene_with_dots
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.rotation_task import View, VoxelPuzzle
from vmevalkit.tasks.rotation_task.scene import angle_between
from vmevalkit.tasks.task import AnyTask

THROUGH = [
    "letterbox_black", "letterbox_grey", "letterbox_white", "cover", "stretch", "zoom_75", "gain_offset", "blur",
    "crf35", "odd_size",
]  # fmt: skip
SECONDS, FPS = 2.0, 12.0
EDGE = 0.1
"""A dot nearer than this to the line between two cells, in cells, is in both."""

through = pytest.mark.parametrize("degradation", THROUGH)
# An example is a video: one that fails is told as it is, as looking for a simpler one would take minutes.
few = settings(max_examples=2, phases=[Phase.generate])


class Witness:
    """A task that keeps the final state which the scorer reads; in all else it is the task."""

    def __init__(self, task: AnyTask) -> None:
        self._task = task
        self.final: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._task, name)

    def consensus_state(self, puzzle: Any, states: Sequence[Any]) -> Any:
        self.final = self._task.consensus_state(puzzle, states)
        return self.final


def moving(state_at: Callable[[float], Any]) -> Trick:
    """The first state for a moment, then the way to the last one, which is held."""

    def prepare(task: AnyTask, puzzle: Any, _rng: Random) -> FrameAt:
        stage = StateRenderer(task, puzzle)
        return lambda x: stage.draw(state_at(x))

    return Trick("moving", "the way to a state", prepare)


def scored(task: Any, puzzle: Any, trick: Trick, degradation: str, path: Path) -> Score:
    """The trick generated through the degradation, coded, and scored without its placement."""
    rng = Random(f"{trick.name}:{degradation}:{puzzle}")
    write_degraded(render_degraded(task, puzzle, trick, DEGRADATIONS[degradation], rng, SECONDS, FPS), path)
    return score_puzzle(task, puzzle, path)


def a_puzzle(name: str, rng: Random) -> Any:
    task = TASKS[name]
    difficulty = rng.choice(sorted(task.difficulties))
    return plan(task, 1, rng.randrange(10**6), task.preset(difficulty))[0]


def a_walk(rng: Random) -> tuple[Maze, Callable[[float], MazeState]]:
    """A maze, and its dot on the way to any place between the centres of any two cells."""
    maze: Maze = a_puzzle("maze", rng)
    cell = (rng.randrange(maze.grid_n), rng.randrange(maze.grid_n))
    way = [centre(passed) for passed in Corridors(maze.passages, cell).path(maze.start, cell)]
    steps = rng.randrange(len(way)) + rng.uniform(EDGE - 0.5, 0.5 - EDGE)
    return maze, lambda t: scene_with_dots(maze, point_along(way, t * steps / max(len(way) - 1, 1)))


def check_maze(maze: Maze, found: MazeState, wanted: MazeState) -> None:
    assert TASKS["maze"].state_key(maze, found) == TASKS["maze"].state_key(maze, wanted)
    assert dist(found.dots[0], wanted.dots[0]) < 0.05


def a_turn(rng: Random) -> tuple[VoxelPuzzle, Callable[[float], View]]:
    """A sculpture, and the camera on the way to any azimuth before the last."""
    puzzle, part = a_puzzle("rotation", rng), rng.random()
    return puzzle, lambda t: TASKS["rotation"].solution(puzzle, t * part)


def check_view(puzzle: VoxelPuzzle, found: View, wanted: View) -> None:
    assert abs(angle_between(wanted.azim_deg, found.azim_deg)) <= 2
    assert abs(found.elev_deg - puzzle.elev_deg) <= 2
    assert set(found.voxels) == set(wanted.voxels)


WAYS: dict[str, tuple[Callable[[Random], Any], Callable[[Any, Any, Any], None]]] = {
    "maze": (a_walk, check_maze),
    "rotation": (a_turn, check_view),
}
every_way = pytest.mark.parametrize("name", WAYS)


@through
@every_way
@few
@given(seed=st.integers(0, 10**6))
def test_the_last_state_is_read(
    tmp_path_factory: pytest.TempPathFactory, name: str, degradation: str, seed: int
) -> None:
    a_way, check = WAYS[name]
    puzzle, state_at = a_way(Random(f"{degradation}:{seed}"))
    witness = Witness(TASKS[name])
    score = scored(witness, puzzle, moving(state_at), degradation, tmp_path_factory.mktemp("video") / "video.mp4")
    assert witness.final is not None, score.explanation
    check(puzzle, witness.final, state_at(1.0))


@pytest.mark.slow
@through
@every_way
@few
@given(seed=st.integers(0, 10**6))
def test_gold_passes_and_a_still_video_does_not(
    tmp_path_factory: pytest.TempPathFactory, name: str, degradation: str, seed: int
) -> None:
    puzzle, path = a_puzzle(name, Random(f"{degradation}:{seed}")), tmp_path_factory.mktemp("video") / "video.mp4"
    right = scored(TASKS[name], puzzle, TRICKS["oracle"], degradation, path)
    assert right.passed, right.explanation
    still = scored(TASKS[name], puzzle, TRICKS["static"], degradation, path)
    assert (still.value, still.outcome, still.failure_mode) == (1, 0.0, "static"), still.explanation
