"""Sudokus are valid, distinct and reproducible, each with one solution; the documented functions work."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations, permutations, product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.core.errors import Exhausted, Uncertified, UsageError
from vmevalkit.core.jsonable import digest, from_json, to_json
from vmevalkit.media.image import pixel_digest, read_image
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.sudoku_task import (
    TASK,
    CellInk,
    Sudoku,
    SudokuGenerator,
    SudokuParams,
    create_board_image,
    create_dataset,
    create_puzzle,
    create_task_pair,
    generate_prompt,
    generate_solved_sudoku,
)
from vmevalkit.tasks.sudoku_task.grids import list_grids, solve
from vmevalkit.tasks.sudoku_task.sudoku_reasoning import BLANK, SudokuState, filling_order, make_printed_state

quick = settings(max_examples=60)
PROMPT = (
    "Solve this 3x3 Sudoku puzzle. Fill in all the empty cells following Sudoku rules: each row and column must "
    "contain the digits 1, 2, and 3 exactly once. Show the complete solution."
)
LATIN = [
    sum(rows, ())
    for rows in product(permutations((1, 2, 3)), repeat=3)
    if all(len(set(column)) == 3 for column in zip(*rows, strict=True))
]
"""Every Latin square of order 3. It does not use the task's own listing."""


def brute_force(order: int, givens: tuple[int, ...], limit: int = 2) -> list[tuple[int, ...]]:
    """Return solutions by trying digits, the most constrained cell first. It does not use the task's own solver."""
    box = {3: 0, 4: 2, 9: 3}[order]
    grid = [list(givens[row * order : (row + 1) * order]) for row in range(order)]
    found: list[tuple[int, ...]] = []

    def allowed(row: int, column: int) -> set[int]:
        used = {*grid[row], *(line[column] for line in grid)}
        if box:
            top, left = row - row % box, column - column % box
            used |= {grid[r][c] for r in range(top, top + box) for c in range(left, left + box)}
        return set(range(1, order + 1)) - used

    def search() -> None:
        if len(found) == limit:
            return
        empty = [(len(allowed(r, c)), r, c) for r in range(order) for c in range(order) if not grid[r][c]]
        if not empty:
            found.append(tuple(digit for line in grid for digit in line))
            return
        _, row, column = min(empty)
        for digit in sorted(allowed(row, column)):
            grid[row][column] = digit
            search()
            grid[row][column] = 0

    search()
    return found


def has_conflicts(order: int, grid: tuple[int, ...]) -> bool:
    box = {3: 0, 4: 2, 9: 3}[order]
    places = [("row", r, d) for r, c, d in _triples(order, grid)] + [("col", c, d) for r, c, d in _triples(order, grid)]
    if box:
        places += [("box", r // box, c // box, d) for r, c, d in _triples(order, grid)]  # type: ignore[misc]
    return max(Counter(places).values(), default=1) > 1


def _triples(order: int, grid: tuple[int, ...]) -> list[tuple[int, int, int]]:
    return [(place // order, place % order, digit) for place, digit in enumerate(grid) if digit]


def assert_one_solution(puzzle: Sudoku, blanks: int) -> None:
    assert puzzle.givens.count(0) == blanks
    assert not has_conflicts(puzzle.order, puzzle.givens)
    assert brute_force(puzzle.order, puzzle.givens) == [puzzle.solution]
    assert all(given in (0, digit) for given, digit in zip(puzzle.givens, puzzle.solution, strict=True))


@st.composite
def sudokus(draw: st.DrawFn) -> Sudoku:
    order = draw(st.sampled_from([3, 4, 9]))
    blanks = draw(st.integers(1, {3: 7, 4: 10, 9: 50}[order]))
    return TASK.sample(Random(draw(st.integers(0, 10**6))), SudokuParams(order, blanks))


@quick
@given(sudokus())
def test_every_sudoku_has_one_solution_and_names_it(puzzle: Sudoku) -> None:
    assert_one_solution(puzzle, len(puzzle.blanks))
    TASK.certify(puzzle)
    assert from_json(Sudoku, json.loads(json.dumps(to_json(puzzle)))) == puzzle


def test_the_default_questions_are_the_latin_squares_with_one_blank() -> None:
    expected = {
        tuple(0 if place == blank else digit for place, digit in enumerate(square))
        for square in LATIN
        for blank in range(9)
    }
    planned = plan(TASK, 108, 42, TASK.preset())
    assert len(LATIN) == 12 and len(expected) == 108 == TASK.capacity(TASK.preset())
    assert {puzzle.givens for puzzle in planned} == expected
    for puzzle in planned:
        assert_one_solution(puzzle, 1)
    with pytest.raises(Exhausted, match="108"):
        plan(TASK, 109, 42, TASK.preset())


@pytest.mark.slow
@pytest.mark.parametrize(
    "params",
    [SudokuParams(4, 6), SudokuParams(4, 11), SudokuParams(3, 5), SudokuParams(9, 30)],
    ids=lambda params: f"{params.order}-{params.blanks}",
)
def test_a_thousand_questions_are_valid_and_distinct(params: SudokuParams) -> None:
    planned = plan(TASK, 1000, 42, params)
    assert len({TASK.key(puzzle) for puzzle in planned}) == 1000
    assert len({digest(puzzle) for puzzle in planned}) == 1000
    for puzzle in planned:
        assert_one_solution(puzzle, params.blanks)


def test_sudokus_with_the_most_blanks_are_valid() -> None:
    for puzzle in plan(TASK, 20, 3, SudokuParams(9, 54)):
        assert_one_solution(puzzle, 54)
    for puzzle in plan(TASK, 100, 3, SudokuParams(4, 12)):
        assert_one_solution(puzzle, 12)


@pytest.mark.parametrize("blanks", range(1, 8))
def test_the_listed_latin_squares_are_those_of_a_brute_force_search(blanks: int) -> None:
    givens_counts = Counter(
        tuple(0 if place in holes else digit for place, digit in enumerate(square))
        for square in LATIN
        for holes in combinations(range(9), blanks)
    )
    unique = {givens for givens, count in givens_counts.items() if count == 1}
    listed = TASK.catalogue(SudokuParams(3, blanks))
    assert listed is not None
    assert {puzzle.givens for puzzle in listed} == unique
    assert TASK.capacity(SudokuParams(3, blanks)) == len(listed) == len(unique)


def test_the_counts_of_order_four_are_those_of_a_brute_force_search() -> None:
    grids = list_grids(4)
    assert len(set(grids)) == 288
    assert not any(has_conflicts(4, grid) for grid in grids)
    for blanks in (2, 3):
        givens_counts = Counter(
            tuple(0 if place in holes else digit for place, digit in enumerate(grid))
            for grid in grids
            for holes in combinations(range(16), blanks)
        )
        assert TASK.capacity(SudokuParams(4, blanks)) == sum(count == 1 for count in givens_counts.values())
    assert TASK.capacity(SudokuParams(4, 12)) == 25728
    assert TASK.catalogue(SudokuParams(4, 6)) is None
    assert TASK.capacity(SudokuParams(9, 1)) is None


def test_a_listing_is_a_sequence() -> None:
    listed = TASK.catalogue(SudokuParams(4, 2))
    assert listed is not None and len(listed) == 34560
    assert listed[100:103] == [listed[100], listed[101], listed[102]]
    assert listed[-1] == listed[34559]
    with pytest.raises(IndexError):
        listed[34560]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"order": 5}, "order=5"),
        ({"blanks": 0}, "blanks=0"),
        ({"blanks": 8}, "1 to 7"),
        ({"order": 4, "blanks": 13}, "1 to 12"),
        ({"order": 9, "blanks": 60}, "1 to 54"),
    ],
)
def test_impossible_params_are_refused(params: dict[str, int], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        SudokuParams(**params)


def test_certify_refuses_invalid_sudokus() -> None:
    puzzle = TASK.sample(Random(1), SudokuParams(4, 3))
    blank = puzzle.blanks[0]
    swapped = {1: 2, 2: 1, 3: 3, 4: 4}
    twice = list(puzzle.givens)
    twice[blank] = next(d for d in puzzle.givens[4 * (blank // 4) : 4 * (blank // 4) + 4] if d)

    def changed(**fields: object) -> Sudoku:
        return from_json(Sudoku, {**to_json(puzzle), **fields})

    wrong = [
        changed(givens=puzzle.solution),
        changed(givens=[0] * 16),
        changed(givens=twice),
        changed(givens=puzzle.givens[:-1]),
        changed(givens=[7, *puzzle.givens[1:]]),
        changed(solution=[swapped[digit] for digit in puzzle.solution]),
        changed(order=5),
    ]
    for other in wrong:
        with pytest.raises(Uncertified):
            TASK.certify(other)


def test_the_solver_finds_no_solution_or_several() -> None:
    assert solve(3, [1, 1, 0, 0, 0, 0, 0, 0, 0]) == []
    assert len(solve(3, [0] * 9, limit=100)) == 12
    assert solve(4, [1, 2, 3, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0]) == []


def test_metadata_has_the_specified_keys() -> None:
    puzzle = plan(TASK, 1, 42, TASK.preset())[0]
    record = json.loads(json.dumps(TASK.metadata(puzzle)))
    givens = [digit or None for digit in puzzle.givens]
    assert record["puzzle_array"] == record["sudoku_data"]["puzzle"] == givens
    assert record["solution_array"] == record["sudoku_data"]["solution"] == list(puzzle.solution)
    assert record["num_given"] == record["sudoku_data"]["num_given"] == 8
    assert record["sudoku_data"]["difficulty_level"] == 1
    assert givens.count(None) == 1


def test_prompts_name_the_order_and_the_boxes() -> None:
    assert generate_prompt(plan(TASK, 1, 1, TASK.preset())[0]) == PROMPT
    four = generate_prompt(plan(TASK, 1, 1, TASK.preset("medium"))[0])
    nine = generate_prompt(plan(TASK, 1, 1, TASK.preset("hard"))[0])
    assert "4x4 Sudoku" in four and "2x2 box" in four and "digits 1 to 4" in four
    assert "9x9 Sudoku" in nine and "3x3 box" in nine and "digits 1 to 9" in nine


def test_the_board_is_drawn_as_documented() -> None:
    puzzle = plan(TASK, 1, 42, TASK.preset())[0]
    first, final = TASK.first_frame(puzzle), TASK.final_frame(puzzle)
    assert first.shape == final.shape == (600, 600, 3)
    blank = puzzle.blanks[0]
    row, column = divmod(blank, 3)
    for number in range(9):
        r, c = divmod(number, 3)
        cell = first[30 + 180 * r + 10 : 30 + 180 * r + 170, 30 + 180 * c + 10 : 30 + 180 * c + 170]
        blue = (cell == (0, 0, 255)).all(axis=2)
        if number == blank:
            assert (cell == 242).all()
        else:
            assert (cell[0] == 255).all()
            rows = np.flatnonzero(blue.any(axis=1))
            assert 22 <= rows[-1] - rows[0] + 1 <= 26  # the height of digits in 24 points
            assert abs((rows[0] + rows[-1]) / 2 - 79.5) <= 1
    for line in (30, 210, 390, 570):
        assert (first[line - 1 : line + 2, 30:570] == 0).all() and (first[30:570, line - 1 : line + 2] == 0).all()
    answered = final[30 + 180 * row + 10 : 30 + 180 * row + 170, 30 + 180 * column + 10 : 30 + 180 * column + 170]
    assert (answered == (0, 0, 255)).all(axis=2).any() and (answered[0] == 255).all()


@pytest.mark.parametrize(("order", "thick"), [(4, (0, 2, 4)), (9, (0, 3, 6, 9))])
def test_boxes_have_thicker_lines(order: int, thick: tuple[int, ...]) -> None:
    frame = TASK.draw(Sudoku(order, (), ()), SudokuState((BLANK,) * order**2))
    for number in range(order + 1):
        middle = 30 + number * 540 // order
        dark = (frame[30 + 540 // order // 2, middle - 8 : middle + 8] == 0).all(axis=1).sum()
        assert dark == (6 if number in thick else 3)


@quick
@given(sudokus(), st.floats(0, 1))
def test_the_solution_fills_only_blanks_and_is_complete_at_the_end(puzzle: Sudoku, t: float) -> None:
    state = TASK.solution(puzzle, t)
    for place, (given_digit, ink) in enumerate(zip(puzzle.givens, state.cells, strict=True)):
        assert ink == CellInk((given_digit,)) if given_digit else ink.digits in ((), (puzzle.solution[place],))
    assert TASK.solution(puzzle, 0.0).values == puzzle.givens
    assert TASK.solution(puzzle, 1.0).values == puzzle.solution
    assert TASK.accepted(puzzle, TASK.solution(puzzle, 1.0))
    assert TASK.progress(puzzle, TASK.solution(puzzle, 1.0)) == 1.0
    assert not TASK.accepted(puzzle, TASK.solution(puzzle, 0.5))
    assert TASK.progress(puzzle, TASK.solution(puzzle, 0.0)) == 0.0
    assert sorted(filling_order(puzzle)) == list(puzzle.blanks)


def test_the_documented_generator(tmp_path: Path) -> None:
    generator = SudokuGenerator(seed=5)
    solution = generator.generate_solved_sudoku()
    assert tuple(solution) in LATIN
    puzzle = generator.create_puzzle(solution, difficulty_level=1)
    assert puzzle.count(None) == 1
    assert all(digit in (None, right) for digit, right in zip(puzzle, solution, strict=True))
    path = generator.create_board_image(puzzle, tmp_path / "deep" / "board.png")
    question = Sudoku(3, tuple(digit or 0 for digit in puzzle), tuple(solution))
    assert pixel_digest(read_image(path)) == pixel_digest(TASK.first_frame(question))
    again = SudokuGenerator(seed=5)
    assert again.generate_solved_sudoku() == solution and again.create_puzzle(solution) == puzzle
    generated = {tuple(generator.generate_solved_sudoku()) for _ in range(200)}
    assert generated == set(LATIN)


def test_the_documented_functions(tmp_path: Path) -> None:
    assert {tuple(generate_solved_sudoku(seed=seed)) for seed in range(200)} == set(LATIN)
    solution = generate_solved_sudoku(seed=3)
    assert solution == generate_solved_sudoku(seed=3)
    blank = {create_puzzle(solution, seed=seed).index(None) for seed in range(100)}
    assert blank == set(range(9))
    puzzle = create_puzzle(solution, difficulty_level=4, seed=1)
    assert_one_solution(Sudoku(3, tuple(digit or 0 for digit in puzzle), tuple(solution)), 4)
    path = create_board_image(solution, str(tmp_path / "solved.png"))
    assert pixel_digest(read_image(path)) == pixel_digest(TASK.draw(Sudoku(3, (), ()), make_printed_state(solution)))


def test_the_generator_makes_larger_sudokus_and_refuses_invalid_input(tmp_path: Path) -> None:
    generator = SudokuGenerator()
    for order, level in ((4, 7), (9, 40)):
        solution = generator.generate_solved_sudoku(order)
        puzzle = generator.create_puzzle(solution, level)
        assert_one_solution(Sudoku(order, tuple(digit or 0 for digit in puzzle), tuple(solution)), level)
    with pytest.raises(UsageError, match="not a solved sudoku"):
        generator.create_puzzle([1, 1, 1, 2, 2, 2, 3, 3, 3])
    with pytest.raises(UsageError, match="order=2"):
        generator.create_puzzle([1, 2, 2, 1])
    with pytest.raises(UsageError, match="blanks=9"):
        generator.create_puzzle(generator.generate_solved_sudoku(), 9)
    with pytest.raises(UsageError, match="not a 3 x 3 grid"):
        generator.create_board_image([1, 2, 3, 4, 5, 6, 7, 8, 9], tmp_path / "x.png")


def test_create_dataset_writes_questions(tmp_path: Path) -> None:
    dataset = create_dataset(num_samples=6, output_dir=tmp_path)
    assert dataset["name"] == "sudoku_tasks"
    assert [pair["id"] for pair in dataset["pairs"]] == [f"sudoku_{i:04d}" for i in range(6)]
    for pair in dataset["pairs"]:
        puzzle = from_json(Sudoku, pair["puzzle"])
        assert pair["prompt"] == PROMPT and pair["task_category"] == "Sudoku" and pair["difficulty"] == "easy"
        assert np.array_equal(read_image(tmp_path / pair["first_image_path"]), TASK.first_frame(puzzle))
        assert np.array_equal(read_image(tmp_path / pair["final_image_path"]), TASK.final_frame(puzzle))
    with pytest.raises(Exhausted, match="only 108 exist"):
        create_dataset(num_samples=109, output_dir=tmp_path / "more")


def test_create_task_pair_takes_a_sudoku_or_its_fields(tmp_path: Path) -> None:
    generator = SudokuGenerator()
    solution = generator.generate_solved_sudoku()
    puzzle = generator.create_puzzle(solution)
    pair = create_task_pair({"puzzle": puzzle, "solution": solution}, "sudoku_mine", output_dir=tmp_path)
    assert pair["id"] == "sudoku_mine" and pair["puzzle_array"] == puzzle
    again = create_task_pair(pair["puzzle"], "sudoku_again", output_dir=tmp_path)
    assert again["puzzle"] == pair["puzzle"]
    with pytest.raises(UsageError, match="not a valid sudoku"):
        create_task_pair({"order": 3}, "sudoku_bad", output_dir=tmp_path)
    with pytest.raises(UsageError, match="no blank"):
        create_task_pair({"puzzle": solution, "solution": solution}, "sudoku_bad", output_dir=tmp_path)
