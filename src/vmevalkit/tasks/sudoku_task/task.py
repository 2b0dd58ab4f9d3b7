"""The sudoku task: the contract, filled from the modules of this folder."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, ClassVar

from vmevalkit.media.image import Frame
from vmevalkit.media.residual import Box
from vmevalkit.tasks.complexity import Complexity
from vmevalkit.tasks.kit.question_pictures import Pictures
from vmevalkit.tasks.pictures.cells import CellScene, find_cell_scene
from vmevalkit.tasks.sudoku_task.cell_board import make_cell_board
from vmevalkit.tasks.sudoku_task.cheats import make_cheats
from vmevalkit.tasks.sudoku_task.grids import BOXES
from vmevalkit.tasks.sudoku_task.PROMPTS import JUDGE_HINT, VIDEO_PROMPT, VIDEO_PROMPT_WITH_BOXES
from vmevalkit.tasks.sudoku_task.reading import SudokuReader
from vmevalkit.tasks.sudoku_task.render import SIDE, box_of_cell, draw_state
from vmevalkit.tasks.sudoku_task.rules import check_trace, is_accepted, measure_progress
from vmevalkit.tasks.sudoku_task.sampling import READING_SCALE
from vmevalkit.tasks.sudoku_task.sudoku_reasoning import (
    CellInk,
    Sudoku,
    SudokuParams,
    SudokuState,
    certify_sudoku,
    count_sudokus,
    list_sudokus,
    sample_sudoku,
    solution_at,
)
from vmevalkit.tasks.task import FINAL_STATE_MATTERS, Offer, Task, majority_index


class SudokuTask(Task[Sudoku, SudokuState, SudokuParams]):
    """Fill the blanks of a Latin square or a sudoku.

    Functions of this folder that have a contract method's signature are bound to its name.
    """

    name = "sudoku"
    title = "Sudoku"
    category = "Sudoku"
    group = "deduction"
    description = "Latin squares and sudokus with blanks, each with one solution"
    version = "3"
    puzzle_type = Sudoku
    params_type = SudokuParams
    difficulties: ClassVar[Mapping[str, SudokuParams]] = {
        "easy": SudokuParams(order=3, blanks=1),
        "medium": SudokuParams(order=4, blanks=6),
        "hard": SudokuParams(order=9, blanks=30),
    }
    reading_scale = READING_SCALE
    may_have_trails = True
    smallest_part_area = 0.003
    tricks = FINAL_STATE_MATTERS
    judge_hint = JUDGE_HINT
    offers = frozenset(
        {
            Offer.FREE_CAMERA,
            Offer.MARGIN,
            Offer.STILL_EDGES,
            Offer.QUICK,
            Offer.ASYMMETRIC,
            Offer.FREE_HUES,
            Offer.WHOLE,
        }
    )
    complexity = Complexity(3**9, 2, 1.0, "low")

    sample = staticmethod(sample_sudoku)
    certify = staticmethod(certify_sudoku)
    catalogue = staticmethod(list_sudokus)
    capacity = staticmethod(count_sudokus)
    solution = staticmethod(solution_at)
    reader = staticmethod(SudokuReader)
    accepted = staticmethod(is_accepted)
    progress = staticmethod(measure_progress)
    check = staticmethod(check_trace)
    cheats = staticmethod(make_cheats)

    def key(self, puzzle: Sudoku) -> Hashable:
        """Puzzles that differ in a digit or a blank are different questions, rotated and relabelled ones too."""
        return puzzle.givens

    def check_puzzle(self, puzzle: Sudoku) -> None:
        cells = puzzle.order**2
        if puzzle.order not in BOXES or (len(puzzle.givens), len(puzzle.solution)) != (cells, cells):
            raise ValueError(f"a grid of order {puzzle.order} does not have {len(puzzle.givens)} cells")
        if not all(0 <= digit <= puzzle.order for digit in (*puzzle.givens, *puzzle.solution)):
            raise ValueError(f"a digit is not within 0 to {puzzle.order}")

    def prompt(self, puzzle: Sudoku) -> str:
        box = BOXES[puzzle.order]
        return VIDEO_PROMPT_WITH_BOXES.format(order=puzzle.order, box=box[0]) if box else VIDEO_PROMPT

    def metadata(self, puzzle: Sudoku) -> dict[str, Any]:
        givens = [digit or None for digit in puzzle.givens]
        solution, num_given = list(puzzle.solution), len(puzzle.givens) - len(puzzle.blanks)
        return {
            "sudoku_data": {
                "puzzle": givens,
                "solution": solution,
                "difficulty_level": len(puzzle.blanks),
                "num_given": num_given,
            },
            "puzzle_array": givens,
            "solution_array": solution,
            "num_given": num_given,
        }

    def size(self, puzzle: Sudoku) -> tuple[int, int]:
        return (SIDE, SIDE)

    def draw(self, puzzle: Sudoku, state: SudokuState) -> Frame:
        return draw_state(puzzle.order, state)

    def learn_looks(self, puzzle: Sudoku, pictures: Pictures) -> CellScene[SudokuState]:
        return find_cell_scene(make_cell_board(puzzle), pictures, self.size(puzzle), self.reading_size(puzzle))

    def is_intact(self, puzzle: Sudoku, state: SudokuState) -> bool:
        """Return whether every given digit is as it was."""
        return all(state.values[cell] == digit for cell, digit in enumerate(puzzle.givens) if digit)

    def state_key(self, puzzle: Sudoku, state: SudokuState) -> Hashable:
        return state.values

    def highlight_boxes(self, puzzle: Sudoku) -> list[Box]:
        return [box_of_cell(puzzle.order, cell) for cell in range(puzzle.order**2)]

    def keep_parts(
        self, puzzle: Sudoku, state: SudokuState, before: SudokuState, is_touched: Callable[[Box], bool]
    ) -> SudokuState:
        cells = tuple(
            old if digit and is_touched(box_of_cell(puzzle.order, cell)) else new
            for cell, (digit, new, old) in enumerate(zip(puzzle.givens, state.cells, before.cells, strict=True))
        )
        return SudokuState(cells, state.unseen)

    def unseen_boxes(self, puzzle: Sudoku, state: SudokuState) -> dict[Hashable, Box]:
        return {cell: box_of_cell(puzzle.order, cell) for cell in state.unseen}

    def deciding_boxes(self, puzzle: Sudoku, state: SudokuState) -> list[Box]:
        """The cells that were blank decide."""
        return [box_of_cell(puzzle.order, cell) for cell in puzzle.blanks]

    def consensus_state(self, puzzle: Sudoku, states: Sequence[SudokuState]) -> SudokuState:
        """Return the majority of each cell."""
        return SudokuState(tuple(_majority_ink(inks) for inks in zip(*(state.cells for state in states), strict=True)))


def _majority_ink(inks: Sequence[CellInk]) -> CellInk:
    return inks[majority_index([ink.value for ink in inks])]


TASK = SudokuTask()
