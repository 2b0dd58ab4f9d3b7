"""The contract through what providers do to films: a film is coded, found and read, by the scorer's own way and without
being told where the puzzle lies in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import dist
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from vmevalkit.baselines.artefacts import ARTEFACTS
from vmevalkit.baselines.baseline import film, write
from vmevalkit.baselines.tricks import TRICKS, Shot, Stage, Trick
from vmevalkit.core.records import Score
from vmevalkit.eval.api import score_puzzle
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.maze_task import Maze, MazeState
from vmevalkit.tasks.maze_task.lattice import Corridors, centre
from vmevalkit.tasks.maze_task.maze_reasoning import along, scene
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.rotation_task import RotationPuzzle, View
from vmevalkit.tasks.rotation_task.scene import angle_between
from vmevalkit.tasks.task import AnyTask

THROUGH = [
    "letterbox_black", "letterbox_grey", "letterbox_white", "cover", "stretch", "zoom_75", "gain_offset", "blur",
    "crf35", "odd_size",
]  # fmt: skip
SECONDS, FPS = 2.0, 12.0
EDGE = 0.1
"""A dot nearer than this to the line between two cells, in cells, is in both."""

through = pytest.mark.parametrize("artefact", THROUGH)
# An example is a film: one that fails is told as it is, as looking for a simpler one would take minutes.
few = settings(deadline=None, derandomize=True, max_examples=2, phases=[Phase.generate])


class Witness:
    """A task that keeps the final state which the scorer reads; in all else it is the task."""

    def __init__(self, task: AnyTask) -> None:
        self._task = task
        self.final: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._task, name)

    def settle(self, puzzle: Any, states: Sequence[Any]) -> Any:
        self.final = self._task.settle(puzzle, states)
        return self.final


def moving(state_at: Callable[[float], Any]) -> Trick:
    """The first state for a moment, then the way to the last one, which is held."""

    def prepare(task: AnyTask, puzzle: Any, _rng: Random) -> Shot:
        stage = Stage(task, puzzle)
        return lambda x: stage.draw(state_at(x))

    return Trick("moving", "the way to a state", prepare)


def scored(task: Any, puzzle: Any, trick: Trick, artefact: str, path: Path) -> Score:
    """The trick filmed through the artefact, coded, and scored without its placement."""
    rng = Random(f"{trick.name}:{artefact}:{puzzle}")
    write(film(task, puzzle, trick, ARTEFACTS[artefact], rng, SECONDS, FPS), path)
    return score_puzzle(task, puzzle, path)


def a_puzzle(name: str, rng: Random) -> Any:
    task = TASKS[name]
    difficulty = rng.choice(sorted(task.difficulties))
    return plan(task, 1, rng.randrange(10**6), task.preset(difficulty))[0]


def a_walk(rng: Random) -> tuple[Maze, Callable[[float], MazeState]]:
    """A maze, and its dot on the way to any place between the centres of any two cells."""
    maze: Maze = a_puzzle("maze", rng)
    cell = (rng.randrange(maze.grid_n), rng.randrange(maze.grid_n))
    way = [centre(passed) for passed in Corridors(maze.passages, cell).way(maze.start, cell)]
    steps = rng.randrange(len(way)) + rng.uniform(EDGE - 0.5, 0.5 - EDGE)
    return maze, lambda t: scene(maze, along(way, t * steps / max(len(way) - 1, 1)))


def check_maze(maze: Maze, found: MazeState, wanted: MazeState) -> None:
    assert TASKS["maze"].identity(maze, found) == TASKS["maze"].identity(maze, wanted)
    assert dist(found.dots[0], wanted.dots[0]) < 0.05


def a_turn(rng: Random) -> tuple[RotationPuzzle, Callable[[float], View]]:
    """A sculpture, and the camera on the way to any azimuth before the last."""
    puzzle, part = a_puzzle("rotation", rng), rng.random()
    return puzzle, lambda t: TASKS["rotation"].solution(puzzle, t * part)


def check_view(puzzle: RotationPuzzle, found: View, wanted: View) -> None:
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
def test_the_last_state_is_read(tmp_path_factory: pytest.TempPathFactory, name: str, artefact: str, seed: int) -> None:
    a_way, check = WAYS[name]
    puzzle, state_at = a_way(Random(f"{artefact}:{seed}"))
    witness = Witness(TASKS[name])
    score = scored(witness, puzzle, moving(state_at), artefact, tmp_path_factory.mktemp("film") / "film.mp4")
    assert witness.final is not None, score.explanation
    check(puzzle, witness.final, state_at(1.0))


@through
@every_way
@few
@given(seed=st.integers(0, 10**6))
def test_gold_passes_and_a_still_film_does_not(
    tmp_path_factory: pytest.TempPathFactory, name: str, artefact: str, seed: int
) -> None:
    puzzle, path = a_puzzle(name, Random(f"{artefact}:{seed}")), tmp_path_factory.mktemp("film") / "film.mp4"
    right = scored(TASKS[name], puzzle, TRICKS["oracle"], artefact, path)
    assert right.passed, right.explanation
    still = scored(TASKS[name], puzzle, TRICKS["static"], artefact, path)
    assert (still.value, still.outcome, still.failure_mode) == (1, 0.0, "static"), still.explanation
