"""Puzzles are sound, distinct and reproducible, and the document's names, checklist and commands work."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.core.errors import Exhausted, Uncertified, UnknownName, UsageError
from vmevalkit.core.jsonable import digest, from_json, to_json
from vmevalkit.media.image import read_image
from vmevalkit.runner.TASK_CATALOG import TASK_CATALOG
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.rotation_puzzle_task import (
    TASK,
    RotationPuzzle,
    RotationPuzzleGenerator,
    RotationPuzzleParams,
    RotationPuzzleRenderer,
    Square,
    create_dataset,
    create_task_pair,
    generate_prompt,
)
from vmevalkit.tasks.rotation_puzzle_task.solution import animate_turns, list_reference_turns

few_examples = settings(max_examples=60)
EXAMPLE = Path(__file__).parents[2] / "examples" / "create_questions.py"
PROMPT = (
    "Solve this rotation puzzle by rotating the four squares to connect the pipe paths. Each square can be rotated 90 "
    "degrees clockwise or counterclockwise. Rotate the squares so that all pipe paths connect to form a continuous "
    "path. Keep the camera view fixed in the top-down perspective and maintain all square positions unchanged. Stop "
    "the video when all pipes are connected and the puzzle is solved."
)
AROUND = ["top", "right", "bottom", "left"]
STEPS = {"top": (-1, 0), "right": (0, 1), "bottom": (1, 0), "left": (0, -1)}
ALL_KINDS = ("L", "I", "T")
Pieces = tuple[frozenset[str], ...]


def find_open_sides(square: Square, angle: int) -> frozenset[str]:
    """Return the open sides of a rotated square, computed without the task's code."""
    return frozenset(AROUND[(AROUND.index(side) + angle // 90) % 4] for side in square.sides)


def is_all_connected(rows: int, cols: int, pieces: list[frozenset[str]]) -> bool:
    """Return whether a walk through matching ends reaches every square."""
    reached, todo = {(0, 0)}, [(0, 0)]
    while todo:
        row, col = todo.pop()
        for side in pieces[row * cols + col]:
            cell = (row + STEPS[side][0], col + STEPS[side][1])
            back = AROUND[(AROUND.index(side) + 2) % 4]
            if not (0 <= cell[0] < rows and 0 <= cell[1] < cols) or cell in reached:
                continue
            if back in pieces[cell[0] * cols + cell[1]]:
                reached.add(cell)
                todo.append(cell)
    return len(reached) == rows * cols


def has_no_loose_end(rows: int, cols: int, pieces: Sequence[frozenset[str]]) -> bool:
    """Return whether every end meets the end of a neighbour, or the edge of the grid."""
    for place, piece in enumerate(pieces):
        for side, (down, right) in STEPS.items():
            row, col = place // cols + down, place % cols + right
            back = AROUND[(AROUND.index(side) + 2) % 4]
            if 0 <= row < rows and 0 <= col < cols and (side in piece) != (back in pieces[row * cols + col]):
                return False
    return True


def search_fewest_turns(puzzle: RotationPuzzle) -> int:
    """Return the fewest squares to rotate, over all orientations of all squares."""
    fewest = 99
    start = [find_open_sides(square, square.initial_angle) for square in puzzle.squares]
    turns = [
        [find_open_sides(square, square.initial_angle + angle) for angle in (0, 90, 180, 270)]
        for square in puzzle.squares
    ]
    for pieces in product(*turns):
        turned = sum(now != then for now, then in zip(pieces, start, strict=True))
        if turned < fewest and is_all_connected(puzzle.rows, puzzle.cols, list(pieces)):
            fewest = turned
    return fewest


def prove(puzzle: RotationPuzzle, params: RotationPuzzleParams, count: bool) -> None:
    """Check that a puzzle is connected at 0 degrees, without loose ends, and not at first; with ``count``, that its
    turns are the fewest."""
    assert (puzzle.rows, puzzle.cols) == (params.rows, params.cols)
    answer = [find_open_sides(square, 0) for square in puzzle.squares]
    assert is_all_connected(puzzle.rows, puzzle.cols, answer)
    assert has_no_loose_end(puzzle.rows, puzzle.cols, answer)
    assert not is_all_connected(
        puzzle.rows, puzzle.cols, [find_open_sides(square, square.initial_angle) for square in puzzle.squares]
    )
    turned = [square for square in puzzle.squares if square.initial_angle]
    assert all(find_open_sides(square, square.initial_angle) != find_open_sides(square, 0) for square in turned)
    assert params.least_turns <= len(turned) <= params.most_turns
    if count:
        assert search_fewest_turns(puzzle) == len(turned)


@pytest.mark.parametrize(("difficulty", "count_existing"), [("easy", 114), ("medium", 130), ("hard", 49)])
def test_every_question_of_a_difficulty_is_proven_by_brute_force(difficulty: str, count_existing: int) -> None:
    params = TASK.preset(difficulty)
    assert TASK.capacity(params) == count_existing
    planned = plan(TASK, count_existing, 42, params)
    assert (
        len({TASK.key(puzzle) for puzzle in planned}) == len({digest(puzzle) for puzzle in planned}) == count_existing
    )
    for puzzle in planned:
        prove(puzzle, params, count=True)
        assert len({square.sides for square in puzzle.squares}) == 4  # the four patterns, shuffled
    with pytest.raises(Exhausted, match=f"only {count_existing} exist"):
        plan(TASK, count_existing + 1, 42, params)


def count_turns(state: Pieces, other: Pieces) -> int:
    """Return how many squares must be rotated to reach another layout; 99 where other pipes are in it."""
    if any(len(one) != len(two) for one, two in zip(state, other, strict=True)):
        return 99
    return sum(one != two for one, two in zip(state, other, strict=True))


def count_quarters(state: Pieces, other: Pieces) -> int:
    """Return how many quarter turns lead to another layout; 99 for each square with another pipe."""
    return sum(
        min(
            (min(k, 4 - k) for k in range(4) if {AROUND[(AROUND.index(side) + k) % 4] for side in one} == two),
            default=99,
        )
        for one, two in zip(state, other, strict=True)
    )


def find_askable(states: Sequence[Pieces]) -> dict[Pieces, int]:
    """Return the layouts of 2 x 2 squares from which an answer without loose ends is as near as any, by squares to
    rotate and by quarter turns, and how near."""
    linked = [state for state in states if is_all_connected(2, 2, list(state))]
    answers = [state for state in linked if has_no_loose_end(2, 2, state)]
    fewest = {
        state: min(count_turns(state, other) for other in answers)
        for state in states
        if min(count_turns(state, other) for other in answers) == min(count_turns(state, other) for other in linked)
    }
    return {
        state: turns
        for state, turns in fewest.items()
        if 0 < turns < 99
        and min(count_quarters(state, other) for other in answers if count_turns(state, other) == turns)
        == min(count_quarters(state, other) for other in linked)
    }


def test_5_of_13_connected_layouts_have_no_loose_end_and_those_they_are_nearest_to_are_questions() -> None:
    bends = [frozenset((AROUND[k], AROUND[(k + 1) % 4])) for k in range(4)]
    states = list(product(bends, repeat=4))
    assert sum(is_all_connected(2, 2, list(state)) for state in states) == 13
    assert sum(is_all_connected(2, 2, list(state)) and has_no_loose_end(2, 2, state) for state in states) == 5
    askable = find_askable(states)
    params = RotationPuzzleParams(least_turns=1, most_turns=4)
    questions = {
        tuple(find_open_sides(square, square.initial_angle) for square in puzzle.squares): len(puzzle.squares_to_turn)
        for puzzle in plan(TASK, len(askable), 1, params)
    }
    assert questions == askable
    assert Counter(questions.values()) == {1: 32, 2: 82, 3: 48, 4: 1}


def test_a_puzzle_whose_answer_has_a_loose_end_still_loads() -> None:
    pattern = [("right", "bottom"), ("bottom", "left"), ("top", "right"), ("top", "right")]
    squares = [{"sides": sides, "initial_angle": 90 * (place == 0)} for place, sides in enumerate(pattern)]
    puzzle = from_json(RotationPuzzle, {"rows": 2, "cols": 2, "squares": squares})
    assert not has_no_loose_end(2, 2, [find_open_sides(square, 0) for square in puzzle.squares])
    TASK.certify(puzzle)
    assert TASK.accepted(puzzle, TASK.solution(puzzle, 1.0))


@pytest.mark.parametrize(
    "params",
    [
        RotationPuzzleParams(2, 2, ALL_KINDS, 1, 4),
        RotationPuzzleParams(2, 4, ("L",), 1, 5),
        RotationPuzzleParams(3, 3, ALL_KINDS, 2, 5),
    ],
)
def test_1000_questions_of_larger_params_are_proven_and_distinct(params: RotationPuzzleParams) -> None:
    planned = plan(TASK, 1000, 42, params)
    assert len({TASK.key(puzzle) for puzzle in planned}) == 1000
    for puzzle in planned:
        prove(puzzle, params, count=False)


@pytest.mark.parametrize(
    "params",
    [
        RotationPuzzleParams(2, 2, ALL_KINDS, 1, 4),
        RotationPuzzleParams(2, 2, ("T",), 1, 2),
        RotationPuzzleParams(2, 3, ("L",), 1, 4),
        RotationPuzzleParams(2, 3, ("L", "I"), 2, 4),
    ],
)
def test_fewest_squares_to_rotate_equal_brute_force(params: RotationPuzzleParams) -> None:
    for puzzle in plan(TASK, 12, 3, params):
        prove(puzzle, params, count=True)


def test_capacity_of_four_squares_with_other_kinds_equals_brute_force() -> None:
    straight = [frozenset(("top", "bottom")), frozenset(("left", "right"))]
    threes = [frozenset(AROUND) - {side} for side in AROUND]
    states = list(product((*straight, *threes), repeat=4))
    askable = find_askable(states)
    params = RotationPuzzleParams(2, 2, ("I", "T"), 1, 4)
    listed = TASK.catalogue(params)
    assert listed is not None and TASK.capacity(params) == len(askable)
    assert {tuple(find_open_sides(s, s.initial_angle) for s in puzzle.squares) for puzzle in listed} == set(askable)


@st.composite
def puzzles(draw: st.DrawFn) -> tuple[RotationPuzzle, RotationPuzzleParams]:
    rows, cols = draw(st.integers(2, 4)), draw(st.integers(2, 6))
    kinds = draw(st.sampled_from([("L", "I"), ALL_KINDS, ("T", "L"), ("I", "T")] + [("L",)] * (min(rows, cols) == 2)))
    params = RotationPuzzleParams(rows, cols, kinds, 1, 4)
    seed = draw(st.integers(0, 10**6))
    for attempt in range(400):
        try:
            puzzle = TASK.sample(Random(f"{seed}:{attempt}"), params)
            TASK.certify(puzzle)
        except Uncertified:
            continue
        return puzzle, params
    raise AssertionError(f"no puzzle with {params}")


@few_examples
@given(puzzles())
def test_puzzles_of_any_size_are_certified(case: tuple[RotationPuzzle, RotationPuzzleParams]) -> None:
    puzzle, params = case
    prove(puzzle, params, count=False)
    TASK.certify(puzzle)
    assert from_json(RotationPuzzle, json.loads(json.dumps(to_json(puzzle)))) == puzzle


@few_examples
@given(puzzles(), st.floats(0, 1))
def test_solution_rotates_one_square_after_the_other(
    case: tuple[RotationPuzzle, RotationPuzzleParams], t: float
) -> None:
    puzzle, _ = case
    first, last = TASK.solution(puzzle, 0.0), TASK.solution(puzzle, 1.0)
    assert not TASK.accepted(puzzle, first) and TASK.progress(puzzle, first) == 0.0
    assert TASK.accepted(puzzle, last) and TASK.progress(puzzle, last) == 1.0
    now = TASK.solution(puzzle, t)
    assert [(p.x, p.y, p.shape) for p in now.pipes] == [(p.x, p.y, p.shape) for p in first.pipes]
    on_the_way = [n for n, (a, b, c) in enumerate(zip(first.pipes, now.pipes, last.pipes, strict=True)) if a != b != c]
    assert len(on_the_way) <= 1
    angles = animate_turns(puzzle, list_reference_turns(puzzle), t)
    for number, angle in enumerate(angles):
        assert abs(angle - puzzle.squares[number].initial_angle) <= 180
    assert not any(TASK.accepted(puzzle, TASK.solution(puzzle, k / 40)) for k in range(30))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"rows": 1}, "1 x 2"),
        ({"cols": 7}, "2 to 6"),
        ({"kinds": ("X",)}, "kinds"),
        ({"kinds": ()}, "kinds"),
        ({"kinds": ("L", "L")}, "each once"),
        ({"kinds": ("I",)}, "add another kind"),
        ({"rows": 3, "cols": 3}, "add another kind"),
        ({"least_turns": 0}, "0 to 2"),
        ({"least_turns": 3}, "3 to 2"),
        ({"most_turns": 5}, "4 squares"),
    ],
)
def test_invalid_params_are_refused(params: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        RotationPuzzleParams(**params)  # type: ignore[arg-type]


def test_certify_refuses_invalid_puzzles() -> None:
    puzzle = plan(TASK, 1, 5, TASK.preset("hard"))[0]
    solved = [Square(square.sides, 0) for square in puzzle.squares]
    apart = [Square(("top", "left"), 0), Square(("top", "right"), 0), *puzzle.squares[2:]]
    wrong = [
        RotationPuzzle(2, 2, tuple(solved)),
        RotationPuzzle(2, 2, tuple(apart)),
        RotationPuzzle(2, 2, puzzle.squares[:3]),
        RotationPuzzle(2, 2, (Square(("top",), 90), *puzzle.squares[1:])),
        RotationPuzzle(2, 2, (Square(("top", "up"), 90), *puzzle.squares[1:])),
        RotationPuzzle(2, 2, (Square(puzzle.squares[0].sides, 45), *puzzle.squares[1:])),
    ]
    for other in wrong:
        with pytest.raises(Uncertified):
            TASK.certify(other)


def test_certify_refuses_a_target_that_is_not_nearest() -> None:
    loop = [("right", "bottom"), ("bottom", "left"), ("top", "right"), ("left", "top")]
    # One turn is enough for a path: the last square; the other turn is not needed.
    squares = [Square(loop[0], 180), Square(loop[1], 90), Square(loop[2], 0), Square(loop[3], 0)]
    with pytest.raises(Uncertified, match="2 squares are rotated where 1"):
        TASK.certify(RotationPuzzle(2, 2, tuple(squares)))


def test_questions_depend_on_seed_and_not_on_their_number() -> None:
    for params in (TASK.preset("medium"), RotationPuzzleParams(3, 3, ALL_KINDS, 2, 4)):
        assert plan(TASK, 4, 1, params) == plan(TASK, 12, 1, params)[:4]
        assert plan(TASK, 4, 1, params) != plan(TASK, 4, 2, params)


def test_targets_and_rotated_squares_are_varied() -> None:
    case = plan(TASK, 110, 3, TASK.preset("easy"))
    targets = Counter(tuple(square.sides for square in puzzle.squares) for puzzle in case)
    assert len(targets) == 4  # a path is nearer than the closed loop
    assert max(targets.values()) < 35
    turned = Counter(number for puzzle in case for number in puzzle.squares_to_turn)
    assert min(turned[number] for number in range(4)) > 20


# -- the document ---------------------------------------------------------------------------------------------------


def find_blue_ends(frame: np.ndarray, position: list[int], size: int = 140) -> dict[str, bool]:
    """Return for each side of a square whether there is a blue end in the middle of it."""
    x, y = position
    half = size // 2 - 4
    points = {"top": (x, y - half), "right": (x + half, y), "bottom": (x, y + half), "left": (x - half, y)}
    return {side: tuple(frame[py, px]) == (0x3B, 0x82, 0xF6) for side, (px, py) in points.items()}


def test_quality_checklist_of_the_document(tmp_path: Path) -> None:
    dataset = create_dataset(num_samples=12, difficulties=["easy", "medium", "hard"], seed=42, output_dir=tmp_path)
    for pair in dataset["pairs"]:
        folder = tmp_path / "rotation_puzzle_task" / pair["id"]
        names = {"first_frame.png", "final_frame.png", "prompt.txt", "question_metadata.json"}
        assert {path.name for path in folder.iterdir()} == names
        record = json.loads((folder / "question_metadata.json").read_text())
        first, final = read_image(folder / "first_frame.png"), read_image(folder / "final_frame.png")
        assert first.shape == final.shape == (512, 768, 3) and record["canvas_size"] == [768, 512]
        assert record["num_squares"] == len(record["squares"]) == 4
        assert record["task_id"] == folder.name and record["domain"] == "rotation_puzzle"
        assert record["camera"]["view"] == "top-down"
        # All squares are centred in a 2 x 2 grid, 140 pixels wide and 20 apart.
        assert [square["position"] for square in record["squares"]] == [[304, 176], [464, 176], [304, 336], [464, 336]]
        for square in record["squares"]:
            assert square["target_angle"] == 0
            initial, target = find_blue_ends(first, square["position"]), find_blue_ends(final, square["position"])
            quarters = square["initial_angle"] // 90
            assert {side for side in AROUND if target[side]} == set(square["pipe_pattern"])
            shown = {AROUND[(AROUND.index(side) + quarters) % 4] for side in square["pipe_pattern"]}
            assert {side for side in AROUND if initial[side]} == shown
        # No angle numbers, labels or connecting lines: two colours, and none of the blue outside the squares.
        for frame in (first, final):
            blue = (frame == (0x3B, 0x82, 0xF6)).all(axis=2)
            assert not blue[:106].any() and not blue[406:].any() and not blue[246:266].any()
            assert not blue[:, :234].any() and not blue[:, 534:].any() and not blue[:, 374:394].any()
            ground = (frame == (0xF8, 0xFA, 0xFC)).all(axis=2)
            assert (ground ^ blue).all()
        assert (folder / "prompt.txt").read_text() == PROMPT == pair["prompt"]
        assert record["difficulty"] == {0: "easy", 1: "medium", 2: "hard"}[pair["index"] % 3]
        needed = {"easy": (1, 2), "medium": (2, 3), "hard": (3, 4)}[record["difficulty"]]
        assert needed[0] <= sum(square["initial_angle"] != 0 for square in record["squares"]) <= needed[1]


def test_dataset_of_several_difficulties_has_no_duplicates(tmp_path: Path) -> None:
    dataset = create_dataset(120, ["easy", "medium"], 1, output_dir=tmp_path)
    assert dataset["name"] == "rotation_puzzle_tasks"
    assert [pair["id"] for pair in dataset["pairs"]] == [f"rotation_puzzle_{i:04d}" for i in range(120)]
    questions = {TASK.key(from_json(RotationPuzzle, pair["puzzle"])) for pair in dataset["pairs"]}
    assert len(questions) == 120
    again = create_dataset(4, ["easy", "medium"], 1, output_dir=tmp_path / "again")
    assert [pair["puzzle"] for pair in again["pairs"]] == [pair["puzzle"] for pair in dataset["pairs"][:4]]
    with pytest.raises(Exhausted, match="only 49 exist"):
        create_dataset(50, ["hard"], output_dir=tmp_path / "more")
    with pytest.raises(UnknownName, match="did you mean 'hard'"):
        create_dataset(4, ["hardest"], output_dir=tmp_path / "more")
    with pytest.raises(UsageError, match="difficulties of rotation_puzzle is empty"):
        create_dataset(4, [], output_dir=tmp_path / "more")
    with pytest.raises(UsageError, match="at least 1"):
        create_dataset(0, output_dir=tmp_path / "more")
    assert not (tmp_path / "more").exists()


def test_dataset_takes_params_of_larger_grids(tmp_path: Path) -> None:
    wide = RotationPuzzleParams(3, 4, ALL_KINDS, 1, 6)
    dataset = create_dataset(3, ["medium"], params=wide, output_dir=tmp_path)
    assert [pair["difficulty"] for pair in dataset["pairs"]] == ["custom"] * 3
    assert all(2 <= pair["rotations_needed"] <= 3 and pair["num_squares"] == 12 for pair in dataset["pairs"])
    assert dataset["pairs"][0]["prompt"].startswith("Solve this rotation puzzle by rotating the twelve squares to")


def test_generator_and_renderer_of_the_document(tmp_path: Path) -> None:
    generator = RotationPuzzleGenerator(seed=5)
    case = [generator.generate_puzzle("medium") for _ in range(6)]
    same = RotationPuzzleGenerator(seed=5)
    assert [same.generate_puzzle("medium") for _ in range(6)] == case
    assert RotationPuzzleGenerator(seed=6).generate_puzzle("medium") != case[0]
    assert all(2 <= len(puzzle.squares_to_turn) <= 3 for puzzle in case)
    renderer = RotationPuzzleRenderer()
    first = renderer.render_first_frame(case[0], tmp_path / "deep" / "first.png")
    final = renderer.render_final_frame(to_json(case[0]), tmp_path / "final.png")
    assert np.array_equal(read_image(first), TASK.first_frame(case[0]))
    assert np.array_equal(read_image(final), TASK.final_frame(case[0]))
    assert generate_prompt(case[0]) == PROMPT
    record = generator.generate_question("rotation_puzzle_mine", "hard", output_dir=tmp_path)
    assert record["id"] == "rotation_puzzle_mine" and record["rotations_needed"] >= 3
    wide = generator.generate_puzzle(params=RotationPuzzleParams(3, 3, ALL_KINDS, 2, 4))
    assert len(wide.squares) == 9


def test_create_task_pair_takes_a_puzzle_or_its_fields(tmp_path: Path) -> None:
    puzzle = RotationPuzzleGenerator().generate_puzzle()
    pair = create_task_pair(puzzle, "rotation_puzzle_mine", output_dir=tmp_path)
    again = create_task_pair(pair["puzzle"], "rotation_puzzle_again", output_dir=tmp_path)
    assert again["puzzle"] == pair["puzzle"] == to_json(puzzle)
    with pytest.raises(UsageError, match="not a valid rotation puzzle"):
        create_task_pair({"rows": 2}, "rotation_puzzle_bad", output_dir=tmp_path)
    with pytest.raises(UsageError, match="do not fill"):
        create_task_pair({**pair["puzzle"], "squares": []}, "rotation_puzzle_bad", output_dir=tmp_path)


def test_command_of_the_document(tmp_path: Path) -> None:
    completed = subprocess.run(
        [sys.executable, str(EXAMPLE), "--task", "rotation_puzzle", "--pairs-per-domain", "50"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert completed.returncode == 0, completed.stderr
    assert completed.stdout.splitlines()[0] == "rotation_puzzle: 50 drawn, 0 kept"
    folder = tmp_path / "data" / "questions" / "rotation_puzzle_task"
    assert sorted(path.name for path in folder.glob("rotation*")) == [f"rotation_puzzle_{i:04d}" for i in range(50)]


def test_catalog_row_of_the_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = TASK_CATALOG["rotation_puzzle"]
    assert {name: row[name] for name in ("name", "description", "module", "create_function")} == {
        "name": "Rotation Puzzle",
        "description": "Pipe puzzle with rotatable squares",
        "module": "vmevalkit.tasks.rotation_puzzle_task",
        "create_function": "create_dataset",
    }
    monkeypatch.chdir(tmp_path)
    assert len(row["process_dataset"](create_dataset(num_samples=2), 2)) == 2
    assert (tmp_path / "data" / "rotation_puzzle_tasks" / "rotation_puzzle_tasks.json").is_file()
