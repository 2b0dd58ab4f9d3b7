"""The sudoku as a task: the contract, filled from the modules of this folder."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from vmevalkit.media.picture import Frame
from vmevalkit.tasks.sudoku_task import films, rules, sudoku_reasoning
from vmevalkit.tasks.sudoku_task.grids import BOXES
from vmevalkit.tasks.sudoku_task.lens import READING_SCALE
from vmevalkit.tasks.sudoku_task.PROMPTS import VIDEO_PROMPT, VIDEO_PROMPT_WITH_BOXES
from vmevalkit.tasks.sudoku_task.reading import SudokuReader
from vmevalkit.tasks.sudoku_task.render import SIDE, draw
from vmevalkit.tasks.sudoku_task.sudoku_reasoning import Sudoku, SudokuKnobs, SudokuState
from vmevalkit.tasks.task import ANSWER_COUNTS, Checked, Film, Task, Trace


class SudokuTask(Task[Sudoku, SudokuState, SudokuKnobs]):
    """Fill the blanks of a Latin square or a sudoku."""

    name = "sudoku"
    title = "Sudoku"
    category = "Sudoku"
    description = "Latin squares and sudokus with blanks, each with one solution"
    version = "1"
    puzzle_type = Sudoku
    knobs_type = SudokuKnobs
    difficulties: ClassVar[Mapping[str, SudokuKnobs]] = {
        "easy": SudokuKnobs(order=3, blanks=1),
        "medium": SudokuKnobs(order=4, blanks=6),
        "hard": SudokuKnobs(order=9, blanks=30),
    }
    reading_scale = READING_SCALE
    tricks = ANSWER_COUNTS

    def sample(self, rng: Random, knobs: SudokuKnobs) -> Sudoku:
        return sudoku_reasoning.sample(rng, knobs)

    def key(self, puzzle: Sudoku) -> Hashable:
        return sudoku_reasoning.key(puzzle)

    def certify(self, puzzle: Sudoku) -> None:
        sudoku_reasoning.certify(puzzle)

    def catalogue(self, knobs: SudokuKnobs) -> Sequence[Sudoku] | None:
        return sudoku_reasoning.listing(knobs)

    def capacity(self, knobs: SudokuKnobs) -> int | None:
        return sudoku_reasoning.counted(knobs)

    def prompt(self, puzzle: Sudoku) -> str:
        box = BOXES[puzzle.order]
        return VIDEO_PROMPT_WITH_BOXES.format(order=puzzle.order, box=box[0]) if box else VIDEO_PROMPT

    def metadata(self, puzzle: Sudoku) -> dict[str, Any]:
        shown = [digit or None for digit in puzzle.givens]
        solution, given = list(puzzle.solution), len(puzzle.givens) - len(puzzle.blanks)
        return {
            "sudoku_data": {
                "puzzle": shown,
                "solution": solution,
                "difficulty_level": len(puzzle.blanks),
                "num_given": given,
            },
            "puzzle_array": shown,
            "solution_array": solution,
            "num_given": given,
        }

    def size(self, puzzle: Sudoku) -> tuple[int, int]:
        return (SIDE, SIDE)

    def solution(self, puzzle: Sudoku, t: float) -> SudokuState:
        return sudoku_reasoning.solution(puzzle, t)

    def draw(self, puzzle: Sudoku, state: SudokuState) -> Frame:
        return draw(puzzle.order, state)

    def reader(self, puzzle: Sudoku) -> SudokuReader:
        return SudokuReader(puzzle)

    def accepted(self, puzzle: Sudoku, state: SudokuState) -> bool:
        return rules.accepted(puzzle, state)

    def progress(self, puzzle: Sudoku, state: SudokuState) -> float:
        return rules.progress(puzzle, state)

    def check(self, puzzle: Sudoku, trace: Trace[SudokuState]) -> Checked:
        return rules.check(puzzle, trace)

    def settle(self, puzzle: Sudoku, states: Sequence[SudokuState]) -> SudokuState:
        return rules.settle(states)

    def identity(self, puzzle: Sudoku, state: SudokuState) -> Hashable:
        return rules.identity(state)

    def films(self, puzzle: Sudoku, rng: Random) -> dict[str, Film[SudokuState]]:
        return films.films(puzzle, rng)


TASK = SudokuTask()
