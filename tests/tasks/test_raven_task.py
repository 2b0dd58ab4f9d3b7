"""Matrices have one answer by every known rule, are distinct and reproducible; the specification's names work."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from vmevalkit.core.errors import Exhausted, Uncertified, UnknownName, UsageError
from vmevalkit.core.jsonable import digest, from_json, to_json
from vmevalkit.media.image import read_image
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.raven_task import (
    TASK,
    AttributeRule,
    Raven,
    RavenGenerator,
    RavenParams,
    Tile,
    create_dataset,
    create_task_pair,
    generate_prompt,
)
from vmevalkit.tasks.raven_task.matrices import list_fillings
from vmevalkit.tasks.raven_task.raven_reasoning import complete_puzzle, find_answer, generate_from_seed
from vmevalkit.tasks.raven_task.rule_space import KINDS, list_rules
from vmevalkit.tasks.raven_task.vocabulary import ATTRIBUTES, ORIENTED, VALUES

quick = settings(max_examples=80)
PROMPT = "This is Raven's Progressive Matrices like task. Complete the missing pattern in this 3x3 matrix."
ORIENTED_SHAPES = {"triangle", "arrow", "half_disc", "tee", "corner"}
CANDIDATES = {
    "shape": [*ORIENTED_SHAPES, "square", "circle", "plus", "star", "ring"],
    "number": list(range(-8, 13)),
    "angle_deg": list(range(0, 360, 45)),
    "colour": ["red", "blue", "green", "orange", "purple", "black"],
}


def obeys(lines: list[list[object]], attribute: str) -> bool:
    """Return whether three full lines follow one rule: an independent implementation of the documented rules."""
    if lines[0] == lines[1] == lines[2]:
        return True
    if all(len(set(line)) == 3 and set(line) == set(lines[0]) for line in lines):
        return True
    if attribute not in ("number", "angle_deg"):
        return False
    turn = 360 if attribute == "angle_deg" else 10**9
    steps = {(b - a) % turn for line in lines for a, b in pairwise(line)}  # type: ignore[operator]
    if len(steps) == 1 and steps != {0}:
        return True
    sums = all(a + b == c for a, b, c in lines), all(a - b == c for a, b, c in lines)  # type: ignore[operator]
    return attribute == "number" and any(sums)


def possible_answers(tiles: tuple[Tile, ...]) -> dict[str, list[object]]:
    """Return every value of each attribute with which all rows, or all columns, follow a rule."""
    found: dict[str, list[object]] = {}
    for attribute, candidates in CANDIDATES.items():
        eight = [getattr(tile, attribute) for tile in tiles[:8]]
        found[attribute] = []
        for candidate in candidates:
            nine = [*eight, candidate]
            rows = [nine[0:3], nine[3:6], nine[6:9]]
            columns = [nine[0::3], nine[1::3], nine[2::3]]
            if obeys(rows, attribute) or obeys(columns, attribute):
                found[attribute].append(candidate)
    return found


def check_one_answer(puzzle: Raven, params: RavenParams) -> None:
    answer = puzzle.tiles[8]
    assert possible_answers(puzzle.tiles) == {name: [getattr(answer, name)] for name in CANDIDATES}
    values = {name: [getattr(tile, name) for tile in puzzle.tiles] for name in CANDIDATES}
    changing = [name for name in CANDIDATES if len(set(values[name])) > 1]
    assert len(changing) == params.rules
    alike = {tuple(tuple(a == b for b in values[name]) for a in values[name]) for name in changing}
    assert len(alike) == len(changing), "two attributes change together"
    for tile in puzzle.tiles:
        assert tile.number in (1, 2, 3, 4) and tile.angle_deg in (0, 90, 180, 270)
        assert tile.shape in ORIENTED_SHAPES or ("angle_deg" not in changing and tile.angle_deg == 0)


@st.composite
def all_params(draw: st.DrawFn) -> RavenParams:
    kinds = tuple(draw(st.lists(st.sampled_from(KINDS), min_size=1, unique=True)))
    attributes = tuple(draw(st.lists(st.sampled_from(ATTRIBUTES), min_size=1, unique=True)))
    able = [a for a in attributes if any(rule.kind in kinds for rule in list_rules(a))]
    if not able:
        kinds, able = ("sequence", *kinds), list(attributes)
    return RavenParams(draw(st.integers(1, len(able))), tuple(dict.fromkeys(kinds)), attributes)


@quick
@given(all_params(), st.integers(0, 10**6))
def test_every_matrix_has_one_answer_and_obeys_its_params(params: RavenParams, seed: int) -> None:
    if TASK.capacity(params) == 0:
        with pytest.raises(Uncertified, match="change differently"):
            TASK.sample(Random(seed), params)
        return
    puzzle = TASK.sample(Random(seed), params)
    check_one_answer(puzzle, params)
    TASK.certify(puzzle)
    assert {rule.kind for rule in puzzle.rules} <= set(params.kinds)
    assert {rule.attribute for rule in puzzle.rules} <= set(params.attributes)
    assert from_json(Raven, json.loads(json.dumps(to_json(puzzle)))) == puzzle
    assert puzzle.seed is not None and generate_from_seed(puzzle.seed, params) == puzzle


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_a_thousand_questions_have_one_answer_are_distinct_and_mixed(difficulty: str) -> None:
    params = TASK.preset(difficulty)
    planned = plan(TASK, 1000, 42, params)
    assert len({puzzle.tiles for puzzle in planned}) == len({digest(puzzle.tiles) for puzzle in planned}) == 1000
    assert len({puzzle.tiles[:8] for puzzle in planned}) == 1000
    for puzzle in planned:
        check_one_answer(puzzle, params)
    rules = Counter(rule for puzzle in planned for rule in puzzle.rules)
    for attribute in ATTRIBUTES:
        assert sum(many for rule, many in rules.items() if rule.attribute == attribute) > 150
    for kind in params.kinds:  # the answer of a sequence copies a neighbour, so one rule is seldom a sequence
        least = 20 if kind == "sequence" and params.rules == 1 else 50
        assert sum(many for rule, many in rules.items() if rule.kind == kind) > least
    along = Counter(rule.along for rule in rules.elements() if rule.kind != "distribution")  # its lines fit both ways
    assert 2 * min(along.values()) > max(along.values())
    answers = Counter(puzzle.answer for puzzle in planned)
    assert max(answers.values()) < 50, "an answer that is right too often can be guessed"


def test_the_presets_are_harder_by_number_and_kind_of_rules() -> None:
    easy, medium, hard = (TASK.preset(name) for name in ("easy", "medium", "hard"))
    assert (easy.rules, medium.rules, hard.rules) == (1, 2, 3)
    assert set(easy.kinds) == set(medium.kinds) == {"progression", "sequence", "distribution"}
    assert "sequence" not in hard.kinds and "arithmetic" in hard.kinds


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_copying_a_neighbour_is_right_in_less_than_a_tenth_and_any_given_tile_in_half_of_the_questions(
    difficulty: str,
) -> None:
    planned = plan(TASK, 1000, 42, TASK.preset(difficulty))
    repeats = sum(puzzle.answer in (puzzle.tiles[5], puzzle.tiles[7]) for puzzle in planned)
    assert repeats < 100, "the tile above or to the left is the answer too often"
    for index in range(8):
        assert sum(puzzle.answer == puzzle.tiles[index] for puzzle in planned) <= 500, index
    if difficulty == "easy":
        for attribute in ATTRIBUTES:
            of_attribute = [puzzle for puzzle in planned if puzzle.rules[0].attribute == attribute]
            repeats = sum(puzzle.answer in (puzzle.tiles[5], puzzle.tiles[7]) for puzzle in of_attribute)
            assert 0 < repeats <= 0.45 * len(of_attribute), attribute


def test_matrices_that_all_repeat_a_neighbour_are_still_generated() -> None:
    planned = plan(TASK, 50, 1, RavenParams(1, ("sequence",)))
    assert all(puzzle.answer in (puzzle.tiles[5], puzzle.tiles[7]) for puzzle in planned)


def test_the_rule_space_is_complete() -> None:
    counts = {attribute: Counter(rule.kind for rule in list_rules(attribute)) for attribute in ATTRIBUTES}
    few = {"sequence": 2, "distribution": 2}
    assert counts == {
        "shape": few,
        "colour": few,
        "rotation": few | {"progression": 6},
        "number": few | {"progression": 4, "arithmetic": 4},
    }


def test_brute_force_over_all_grids_finds_the_same_number_progressions() -> None:
    grids = np.stack(np.meshgrid(*[np.arange(1, 5)] * 9, indexing="ij"), axis=-1).reshape(-1, 3, 3)
    rising = np.zeros(len(grids), np.bool_)
    for lines in (grids, grids.transpose(0, 2, 1)):
        for step in (1, -1):
            rising |= (np.diff(lines, axis=2) == step).all(axis=(1, 2))
    found = set()
    for grid in grids[rising]:
        tiles = tuple(Tile("star", int(number), 0, "red") for number in grid.ravel())
        if possible_answers(tiles)["number"] == [tiles[8].number]:
            found.add(tuple(int(number) for number in grid.ravel()))
    assert found == set(list_fillings("number", "progression"))


def test_capacity_is_exact_and_every_matrix_is_reached() -> None:
    params = RavenParams(1, ("progression",), ("number",))
    capacity = TASK.capacity(params)
    assert capacity == 26 * 10 * 6
    planned = plan(TASK, capacity, 3, params)
    assert len({puzzle.tiles for puzzle in planned}) == capacity
    with pytest.raises(Exhausted, match=f"only {capacity} exist"):
        plan(TASK, capacity + 1, 3, params)


def test_matrices_of_two_rules_are_counted_without_those_that_change_together() -> None:
    # Ten shapes and six colours in any order, one along rows and the other along columns, times four numbers.
    assert TASK.capacity(RavenParams(2, ("sequence",), ("shape", "colour"))) == 2 * 720 * 120 * 4
    assert TASK.capacity(RavenParams(3, ("sequence",))) == 0
    assert TASK.capacity(RavenParams(1, ("progression", "sequence"))) == 91_800
    # Twelve Latin squares of each set of three values, times the values of the attributes that do not change.
    latin = 12 * (120 * 4 * 6 + 4 * 10 * 6 + 4 * 5 * 4 * 6 + 20 * 10 * 4)
    assert TASK.capacity(TASK.preset("easy")) == 91_800 + latin
    assert min(TASK.capacity(TASK.preset(name)) for name in TASK.difficulties) >= 5_000
    with pytest.raises(Exhausted):
        plan(TASK, 1, 0, RavenParams(3, ("sequence",)))


def matrix(shapes: str = "", numbers: str = "111111111", angles: str = "000000000", colours: str = "") -> list[Tile]:
    """Return tiles by letters: shapes t a h e c (oriented) s o, numbers, quarter turns, colours r b g."""
    names = {"t": "triangle", "a": "arrow", "h": "half_disc", "e": "tee", "c": "corner", "s": "square", "o": "circle"}
    inks = {"r": "red", "b": "blue", "g": "green"}
    return [
        Tile(names[s], int(n), 90 * int(a), inks[c])
        for s, n, a, c in zip(shapes or "t" * 9, numbers, angles, colours or "r" * 9, strict=True)
    ]


@pytest.mark.parametrize(
    ("eight", "ninth"),
    [
        (matrix(shapes="tsotsotso")[:8], ("circle", 1, 0, "red")),
        (matrix(numbers="123234123")[:8], ("triangle", 3, 0, "red")),
        (matrix(angles="012012012")[:8], ("triangle", 1, 180, "red")),
        (matrix(angles="012123230")[:8], ("triangle", 1, 0, "red")),
        (matrix(colours="rbgbgrgrb")[:8], ("triangle", 1, 0, "blue")),
        (matrix(numbers="112123134")[:8], ("triangle", 4, 0, "red")),
        (matrix(numbers="112213112")[:8], ("triangle", 2, 0, "red")),
        (matrix(shapes="tttaaahhh", colours="rbgrbgrbg")[:8], ("half_disc", 1, 0, "green")),
    ],
)
def test_the_solver_finds_the_ninth_tile(eight: list[Tile], ninth: tuple[str, int, int, str]) -> None:
    assert find_answer(eight) == Tile(*ninth)
    assert complete_puzzle(eight).tiles == (*eight, Tile(*ninth))


@pytest.mark.parametrize(
    ("eight", "message"),
    [
        (matrix(shapes="tssstosto")[:8], "no rule"),
        (matrix()[:8], "all cells are equal"),
        (matrix()[:5], "eight tiles"),
        # Each row holds 1, 2 and 3, which leaves 2; or the third is the first plus the second, which gives 4.
        (matrix(numbers="123213131")[:8], "do not agree"),
        # The third is the first plus the second, but no tile shows five.
        (matrix(numbers="112314231")[:8], "do not agree"),
        (matrix(shapes="tahtahtah", colours="rbgrbgrbg")[:8], "change together"),
    ],
)
def test_invalid_matrices_are_refused(eight: list[Tile], message: str) -> None:
    with pytest.raises(Uncertified, match=message):
        complete_puzzle(eight)


def test_certify_refuses_invalid_puzzles() -> None:
    good = complete_puzzle(matrix(shapes="tsotsotso", numbers="111222333")[:8])
    TASK.certify(good)
    wrong = replace(good.answer, shape="square")
    with pytest.raises(Uncertified, match=r"shape: the rules predict circle"):
        TASK.certify(replace(good, tiles=(*good.tiles[:8], wrong)))
    with pytest.raises(Uncertified, match="unknown shape"):
        TASK.certify(replace(good, tiles=(*good.tiles[:8], replace(wrong, shape="blob"))))
    with pytest.raises(Uncertified, match="expected nine"):
        TASK.certify(replace(good, tiles=good.tiles[:8]))
    with pytest.raises(Uncertified, match="not those of its tiles"):
        TASK.certify(replace(good, rules=good.rules[:1]))
    with pytest.raises(Uncertified, match="not those of its tiles"):
        TASK.certify(replace(good, rules=(good.rules[0], AttributeRule("number", "arithmetic", "rows", 1))))
    mixed = matrix(shapes="tsotsotso", angles="102100120")
    seen = tuple(t if t.shape in ORIENTED else replace(t, angle_deg=0) for t in mixed)
    with pytest.raises(Uncertified, match="not visible"):
        TASK.certify(replace(good, tiles=seen))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"rules": 0}, "rules=0"),
        ({"rules": 5}, "4 attributes can change"),
        ({"rules": 2, "kinds": ("arithmetic",)}, "1 attributes can change"),
        ({"kinds": ()}, "0 attributes can change"),
        ({"kinds": ("progresion",)}, "did you mean 'progression'"),
        ({"attributes": ("color",)}, "did you mean 'colour'"),
    ],
)
def test_impossible_params_are_refused(params: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        RavenParams(**params)  # type: ignore[arg-type]


def test_metadata_and_prompt_follow_the_format() -> None:
    puzzle = complete_puzzle(matrix(numbers="123123123")[:8])
    assert TASK.prompt(puzzle) == PROMPT
    assert json.loads(json.dumps(TASK.metadata(puzzle))) == {
        "raven_data": {
            "rule": "number: progression by +1, along rows",
            "rule_type": "number_progression",
            "matrix_size": [3, 3],
            "seed": None,
        }
    }
    types = {TASK.metadata(puzzle)["raven_data"]["rule_type"] for puzzle in plan(TASK, 60, 1, TASK.preset("easy"))}
    assert types == {"shape_progression", "number_progression", "rotation_pattern", "color_pattern"}
    hard = TASK.metadata(plan(TASK, 1, 1, TASK.preset("hard"))[0])["raven_data"]
    assert hard["rule_type"] == "combination" and hard["rule"].count(";") == 2 and isinstance(hard["seed"], int)


def test_the_generator_of_the_specification() -> None:
    generator = RavenGenerator(seed=5)
    matrix_, rule_type = generator.generate_pattern_matrix()
    assert [len(row) for row in matrix_] == [3, 3, 3] and matrix_[2][2] is None
    assert rule_type in {"shape_progression", "number_progression", "rotation_pattern", "color_pattern"}
    image = generator.render_matrix(matrix_, hide_last=True)
    assert isinstance(image, Image.Image) and (image.size, image.mode) == ((450, 450), "RGB")
    whole = generator.complete_matrix(matrix_)
    puzzle = complete_puzzle([tile for row in matrix_ for tile in row if tile is not None])
    assert [tile for row in whole for tile in row] == list(puzzle.tiles)
    assert np.array_equal(image, TASK.first_frame(puzzle))
    assert np.array_equal(generator.render_matrix(matrix_), image)
    assert np.array_equal(generator.render_matrix(whole, hide_last=True), image)
    assert np.array_equal(generator.render_matrix(whole), TASK.final_frame(puzzle))
    again = RavenGenerator(seed=5)
    assert again.generate_pattern_matrix() == (matrix_, rule_type)
    assert again.generate_pattern_matrix() == generator.generate_pattern_matrix() != (matrix_, rule_type)
    assert RavenGenerator(difficulty="hard").generate_pattern_matrix()[1] == "combination"
    only = RavenGenerator(params=RavenParams(attributes=("rotation",)))
    assert {only.generate_pattern_matrix()[1] for _ in range(5)} == {"rotation_pattern"}
    with pytest.raises(UnknownName, match=r"did you mean .hard."):
        RavenGenerator(difficulty="hardd")
    with pytest.raises(UsageError, match="three rows of three"):
        generator.render_matrix([[None, None], [None]])
    with pytest.raises(UsageError, match="unknown tile"):
        generator.render_matrix([[Tile("square", 1, 90, "red"), None, None]] + [[None] * 3] * 2)


def test_create_dataset_writes_questions(tmp_path: Path) -> None:
    dataset = create_dataset(num_samples=6, output_dir=tmp_path)
    assert dataset["name"] == "raven_tasks"
    assert [pair["id"] for pair in dataset["pairs"]] == [f"raven_{i:04d}" for i in range(6)]
    for pair in dataset["pairs"]:
        puzzle = from_json(Raven, pair["puzzle"])
        assert pair["task_category"] == "AbstractReasoning" and pair["difficulty"] == "easy"
        assert pair["prompt"] == PROMPT == generate_prompt(puzzle)
        assert np.array_equal(read_image(tmp_path / pair["first_image_path"]), TASK.first_frame(puzzle))
        assert np.array_equal(read_image(tmp_path / pair["final_image_path"]), TASK.final_frame(puzzle))
    hard = create_dataset(num_samples=2, difficulty="hard", seed=3, output_dir=tmp_path / "hard", solutions=True)
    assert all(len(pair["puzzle"]["rules"]) == 3 for pair in hard["pairs"])
    assert (tmp_path / "hard" / "raven_task" / "raven_0001" / "solution.mp4").stat().st_size > 1000


def test_create_task_pair_takes_a_matrix_in_any_form(tmp_path: Path) -> None:
    generator = RavenGenerator()
    rows, rule_type = generator.generate_pattern_matrix()
    pair = create_task_pair(rows, "raven_mine", output_dir=tmp_path)
    assert pair["id"] == "raven_mine" and pair["raven_data"]["rule_type"] == rule_type
    again = create_task_pair(pair["puzzle"], "raven_again", output_dir=tmp_path)
    whole = create_task_pair(generator.complete_matrix(rows), "raven_whole", output_dir=tmp_path)
    made = create_task_pair(from_json(Raven, pair["puzzle"]), "raven_made", output_dir=tmp_path)
    assert again["puzzle"] == whole["puzzle"] == made["puzzle"] == pair["puzzle"]
    bad = [list(row) for row in generator.complete_matrix(rows)]
    bad[2][2] = next(tile for row in bad for tile in row if tile != bad[2][2])
    with pytest.raises(UsageError, match="by the rules it must be"):
        create_task_pair(bad, "raven_bad", output_dir=tmp_path)
    bad[0][0] = None
    with pytest.raises(UsageError, match="not a valid matrix"):
        create_task_pair(bad, "raven_bad", output_dir=tmp_path)
    with pytest.raises(UsageError, match="not a valid matrix"):
        create_task_pair({"tiles": []}, "raven_bad", output_dir=tmp_path)
    assert not list(tmp_path.rglob("raven_bad"))


def test_the_vocabulary_is_the_one_that_the_tests_use() -> None:
    assert len(VALUES["shape"]) == 10 and VALUES["number"] == (1, 2, 3, 4)
    assert VALUES["rotation"] == (0, 90, 180, 270) and len(VALUES["colour"]) == 6
    assert set(CANDIDATES["shape"]) == set(VALUES["shape"]) and set(CANDIDATES["colour"]) == set(VALUES["colour"])
