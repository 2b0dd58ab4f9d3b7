"""The rotation puzzle as a task: the table of the functions that implement the contract."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, ClassVar

from vmevalkit.media.image import Frame
from vmevalkit.media.residual import Box
from vmevalkit.tasks.complexity import Complexity
from vmevalkit.tasks.evidence import MotionLimits
from vmevalkit.tasks.kit.question_pictures import Pictures
from vmevalkit.tasks.rotation_puzzle_task.cheats import list_cheats
from vmevalkit.tasks.rotation_puzzle_task.pictured import PipePicture, find_pipes
from vmevalkit.tasks.rotation_puzzle_task.planes import READING_SCALE
from vmevalkit.tasks.rotation_puzzle_task.PROMPTS import JUDGE_HINT, NUMBERS, VIDEO_PROMPT
from vmevalkit.tasks.rotation_puzzle_task.puzzle import (
    RotationPuzzle,
    RotationPuzzleParams,
    build_question_key,
    certify,
)
from vmevalkit.tasks.rotation_puzzle_task.reading import PipeReader
from vmevalkit.tasks.rotation_puzzle_task.render import draw_scene
from vmevalkit.tasks.rotation_puzzle_task.rules import (
    build_state_key,
    check_trace,
    is_accepted,
    is_intact,
    measure_progress,
)
from vmevalkit.tasks.rotation_puzzle_task.sampling import list_puzzles, sample_puzzle
from vmevalkit.tasks.rotation_puzzle_task.scene import SIZE, Pipe, PipeScene, compute_turn_deg, get_layout
from vmevalkit.tasks.rotation_puzzle_task.solution import get_solution_scene, list_connected_scenes
from vmevalkit.tasks.rotation_puzzle_task.states import find_consensus_state, get_visible_pipe
from vmevalkit.tasks.task import PROCESS_MATTERS, Offer, Task


class RotationPuzzleTask(Task[RotationPuzzle, PipeScene, RotationPuzzleParams]):
    """Rotate the squares until all pipes are connected."""

    name = "rotation_puzzle"
    title = "Rotation Puzzle"
    category = "RotationPuzzle"
    group = "deduction"
    description = "Pipe puzzle with rotatable squares"
    version = "3"
    puzzle_type = RotationPuzzle
    params_type = RotationPuzzleParams
    difficulties: ClassVar[Mapping[str, RotationPuzzleParams]] = {
        "easy": RotationPuzzleParams(least_turns=1, most_turns=2),
        "medium": RotationPuzzleParams(least_turns=2, most_turns=3),
        "hard": RotationPuzzleParams(least_turns=3, most_turns=4),
    }
    anchored = False
    reading_scale = READING_SCALE
    tricks = PROCESS_MATTERS
    judge_hint = JUDGE_HINT
    offers = frozenset({Offer.STILL_EDGES, Offer.QUICK, Offer.FREE_HUES, Offer.WHOLE, Offer.SOLID_ANSWER})
    complexity = Complexity(4**4, 2, 0.0, "medium")
    smallest_part_area = 0.0015
    motion = MotionLimits(free_steps=0.45, max_steps=0.75, what="a pipe", unit="degrees", scale=90)
    may_have_trails = True

    sample = staticmethod(sample_puzzle)
    key = staticmethod(build_question_key)
    certify = staticmethod(certify)
    catalogue = staticmethod(list_puzzles)
    solution = staticmethod(get_solution_scene)
    reader = PipeReader
    accepted = staticmethod(is_accepted)
    accepted_states = staticmethod(list_connected_scenes)
    progress = staticmethod(measure_progress)
    check = staticmethod(check_trace)
    is_intact = staticmethod(is_intact)
    consensus_state = staticmethod(find_consensus_state)
    state_key = staticmethod(build_state_key)
    cheats = staticmethod(list_cheats)

    def learn_looks(self, puzzle: RotationPuzzle, pictures: Pictures) -> PipePicture:
        return find_pipes(puzzle, pictures, self.first_frame(puzzle))

    def moving_parts(self, puzzle: RotationPuzzle, state: PipeScene) -> dict[Hashable, Any]:
        pipes = {home: get_visible_pipe(state, home) for home in range(len(puzzle.squares))}
        return {home: pipe for home, pipe in pipes.items() if pipe is not None}

    def unseen_boxes(self, puzzle: RotationPuzzle, state: PipeScene) -> dict[Hashable, Box]:
        hidden = {pipe.home for pipe in state.pipes if not pipe.is_visible}
        return {home: box for home, box in self.part_boxes(puzzle, state).items() if home in hidden}

    def part_boxes(self, puzzle: RotationPuzzle, state: PipeScene) -> dict[Hashable, Box]:
        layout = get_layout(puzzle.rows, puzzle.cols)
        half, (width, height) = layout.square / 2, SIZE
        return {
            home: ((x - half) / width, (y - half) / height, (x + half) / width, (y + half) / height)
            for home, (x, y) in enumerate(layout.centres)
        }

    def count_steps(self, puzzle: RotationPuzzle, part: Hashable, before: Pipe, after: Pipe) -> float:
        return abs(compute_turn_deg(after.shape, before.angle_deg, after.angle_deg)) / 90

    def check_puzzle(self, puzzle: RotationPuzzle) -> None:
        if len(puzzle.squares) != puzzle.rows * puzzle.cols:
            raise ValueError(f"a grid of {puzzle.rows}x{puzzle.cols} has {len(puzzle.squares)} squares")
        if any(square.initial_angle not in (0, 90, 180, 270) for square in puzzle.squares):
            raise ValueError("an initial angle is not 0, 90, 180 or 270 degrees")

    def prompt(self, puzzle: RotationPuzzle) -> str:
        return VIDEO_PROMPT.format(number=NUMBERS[len(puzzle.squares)])

    def metadata(self, puzzle: RotationPuzzle) -> dict[str, Any]:
        layout = get_layout(puzzle.rows, puzzle.cols)
        squares = [
            {
                "position": list(map(int, layout.centres[number])),
                "row": number // puzzle.cols,
                "col": number % puzzle.cols,
                "initial_angle": square.initial_angle,
                "target_angle": 0,
                "pipe_pattern": list(square.sides),
            }
            for number, square in enumerate(puzzle.squares)
        ]
        return {
            "num_squares": len(puzzle.squares),
            "squares": squares,
            "square_size": layout.square,
            "canvas_size": list(SIZE),
            "camera": {"view": "top-down", "fixed": True},
            "rotations_needed": len(puzzle.squares_to_turn),
        }

    def size(self, puzzle: RotationPuzzle) -> tuple[int, int]:
        return SIZE

    def draw(self, puzzle: RotationPuzzle, state: PipeScene) -> Frame:
        return draw_scene(get_layout(puzzle.rows, puzzle.cols).square, state)


TASK = RotationPuzzleTask()
