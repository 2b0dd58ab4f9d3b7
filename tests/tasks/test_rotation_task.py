"""Rotation questions: sculptures, views, prompts, metadata, and the examples of the specification."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise, permutations, product
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.core.errors import Uncertified, UsageError
from vmevalkit.core.jsonable import from_json, to_json
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.rotation_task import (
    TASK,
    RotationGenerator,
    RotationKnobs,
    RotationPuzzle,
    create_dataset,
    create_task_pair,
    generate_prompt,
)
from vmevalkit.tasks.rotation_task.rotation_reasoning import PALETTE, seen_voxels, spec_difficulty
from vmevalkit.tasks.rotation_task.snakes import Voxels, connected, grow_snake, mirrored, neighbours, shape_of

HAND_MADE = {
    "voxels": [(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (2, 1, 0), (2, 1, 1), (2, 2, 1), (3, 2, 1)],
    "first_view": (30, 45),
    "final_view": (30, 225),
    "angle_difference": 180.0,
    "difficulty": "easy",
    "num_voxels": 8,
}


def turned_in_every_way(voxels: Voxels) -> Iterator[tuple[int, frozenset[tuple[int, ...]]]]:
    """Every signed permutation of the axes with its determinant, moved to the origin. Written out, without numpy."""
    for order in permutations(range(3)):
        crossings = sum(order[i] > order[j] for i in range(3) for j in range(i + 1, 3))
        for signs in product((1, -1), repeat=3):
            points = [tuple(sign * voxel[axis] for axis, sign in zip(order, signs, strict=True)) for voxel in voxels]
            least = [min(point[axis] for point in points) for axis in range(3)]
            moved = frozenset(tuple(p - low for p, low in zip(point, least, strict=True)) for point in points)
            yield (-1) ** crossings * signs[0] * signs[1] * signs[2], moved


def rotations(voxels: Voxels) -> list[frozenset[tuple[int, ...]]]:
    return [moved for handedness, moved in turned_in_every_way(voxels) if handedness == 1]


def canonical(voxels: Voxels) -> tuple[tuple[int, ...], ...]:
    return min(tuple(sorted(moved)) for moved in rotations(voxels))


def flood(voxels: Voxels) -> int:
    """How many voxels are reached from the first by steps of length 1."""
    reached, edge = {voxels[0]}, [voxels[0]]
    while edge:
        here = edge.pop()
        for other in voxels:
            if other not in reached and sum(abs(a - b) for a, b in zip(here, other, strict=True)) == 1:
                reached.add(other)
                edge.append(other)
    return len(reached)


def test_a_thousand_questions_are_sound_and_all_different() -> None:
    puzzles = plan(TASK, 1000, 42, TASK.preset())
    seen = set()
    for puzzle in puzzles:
        voxels = puzzle.voxels
        assert len(voxels) in (8, 9) and len(set(voxels)) == len(voxels)
        assert flood(voxels) == len(voxels)
        assert all(len({voxel[axis] for voxel in voxels}) > 1 for axis in range(3))
        ways = rotations(voxels)
        assert len(ways) == 24 and len(set(ways)) == 24, "a rotation maps the sculpture onto itself"
        assert frozenset(mirrored(voxels)) not in {frozenset(way) for way in ways}
        assert max(sum(near in voxels for near in neighbours(voxel)) for voxel in voxels) <= 3
        assert 20 <= puzzle.elev_deg <= 40 and 0 <= puzzle.azim_deg <= 359
        assert puzzle.elev_deg.is_integer() and puzzle.azim_deg.is_integer()
        assert (puzzle.azim_deg + 180) % 360 == puzzle.final_azim_deg
        seen.add(canonical(voxels))
        TASK.certify(puzzle)
    assert len(seen) == 1000


def test_questions_depend_on_seed_and_place_alone() -> None:
    ten = plan(TASK, 10, 42, TASK.preset())
    assert plan(TASK, 4, 42, TASK.preset()) == ten[:4]
    assert not set(plan(TASK, 10, 43, TASK.preset())) & set(ten)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(seed=st.integers(0, 10**6), voxels=st.integers(4, 20), data=st.data())
def test_a_key_tells_sculptures_apart_and_rotations_not(seed: int, voxels: int, data: st.DataObject) -> None:
    snake = grow_snake(Random(seed), N=voxels)
    assert snake is not None and connected(snake)
    way = data.draw(st.sampled_from(rotations(snake)))
    turned = tuple((p[0] + 3, p[1] - 2, p[2] + 1) for p in sorted(way))
    assert shape_of(turned).key == shape_of(snake).key
    assert shape_of(snake).symmetric == (len(set(rotations(snake))) < 24)
    other = mirrored(snake)
    assert shape_of(snake).achiral == (canonical(other) == canonical(snake))
    assert (shape_of(other).key == shape_of(snake).key) == shape_of(snake).achiral
    assert shape_of((*snake, (*max(snake)[:2], max(v[2] for v in snake) + 1))).key != shape_of(snake).key


def test_snakes_obey_their_parameters() -> None:
    for seed in range(40):
        snake = grow_snake(Random(seed), N=12, Lmin=3, Lmax=3, p_branch=0.0)
        assert snake is not None
        steps = [tuple(b - a for a, b in zip(u, v, strict=True)) for u, v in pairwise(snake)]
        runs = [len(list(run)) for run in _runs(steps)]
        assert set(runs[:-1]) == {3}
        assert max(sum(near in snake for near in neighbours(voxel)) for voxel in snake) <= 3
    assert grow_snake(Random(0), N=4, Lmin=5, Lmax=5, tries=20) is None


def _runs(steps: list[tuple[int, ...]]) -> list[list[tuple[int, ...]]]:
    runs: list[list[tuple[int, ...]]] = []
    for step in steps:
        if runs and runs[-1][-1] == step:
            runs[-1].append(step)
        else:
            runs.append([step])
    return runs


@pytest.mark.parametrize("name", ["easy", "medium", "hard"])
def test_difficulties_mean_more_voxels_and_more_hidden(name: str) -> None:
    knobs = TASK.preset(name)
    for puzzle in plan(TASK, 12, 1, knobs):
        assert knobs.voxels[0] <= len(puzzle.voxels) <= knobs.voxels[1]
        share = seen_voxels(puzzle, 0.0).mean()
        assert knobs.visible[0] <= share <= knobs.visible[1]
        assert (seen_voxels(puzzle, 0.0) | seen_voxels(puzzle, 1.0)).all()
        assert spec_difficulty(puzzle.voxels) == "easy"


@pytest.mark.parametrize(
    "knobs",
    [
        RotationKnobs(voxels=(4, 4), colours=4),
        RotationKnobs(voxels=(5, 6)),
        RotationKnobs(voxels=(20, 20), visible=(0.4, 1.0)),
        RotationKnobs(angles=(90, 270, 45), colours=3),
        RotationKnobs(segments=(2, 5), voxels=(10, 12)),
    ],
    ids=["4 coloured", "5-6", "20", "angles", "long segments"],
)
def test_every_knob_can_be_turned(knobs: RotationKnobs) -> None:
    for puzzle in plan(TASK, 4, 5, knobs):
        assert knobs.voxels[0] <= len(puzzle.voxels) <= knobs.voxels[1]
        assert puzzle.angle_deg in knobs.angles
        assert len(puzzle.colours) == (0 if knobs.colours == 1 else len(puzzle.voxels))
        assert len(set(puzzle.colours)) in (0, knobs.colours) and set(puzzle.colours) <= set(PALETTE)
        first, final = TASK.first_frame(puzzle), TASK.final_frame(puzzle)
        assert np.abs(first.astype(int) - final).mean() > 3
        assert f"This is a {puzzle.angle_deg:g}-degree rotation Create" in TASK.prompt(puzzle)
        assert from_json(RotationPuzzle, json.loads(json.dumps(to_json(puzzle)))) == puzzle


@pytest.mark.parametrize(
    ("knobs", "said"),
    [
        ({"voxels": (3, 9)}, "voxels=(3, 9)"),
        ({"voxels": (9, 8)}, "voxels=(9, 8)"),
        ({"voxels": (8, 21)}, "4 to 20"),
        ({"voxels": (4, 4)}, "symmetric"),
        ({"segments": (0, 3)}, "segments=(0, 3)"),
        ({"p_branch": 1.5}, "p_branch=1.5"),
        ({"max_neighbours": 1}, "max_neighbours=1"),
        ({"elevations": (20, 90)}, "elevations=(20, 90)"),
        ({"angles": ()}, "angles=()"),
        ({"angles": (360,)}, "angles=(360,)"),
        ({"colours": 0}, "colours=0"),
        ({"visible": (0.9, 0.5)}, "visible=(0.9, 0.5)"),
        ({"tries": 0}, "tries=0"),
    ],
)
def test_impossible_knobs_are_refused(knobs: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as refused:
        RotationKnobs(**knobs)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"voxels": ((0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 2))}, "falls apart"),
        ({"voxels": ((0, 0, 0), (1, 0, 0), (1, 1, 0), (2, 1, 0))}, "flat"),
        ({"voxels": ((0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1))}, "onto itself"),
        ({"voxels": ((0, 0, 0), (1, 0, 0), (1, 0, 0), (1, 1, 1))}, "distinct"),
        ({"angle_deg": 360.0}, "ends where it began"),
        ({"colours": ("#000000",)}, "1 colours"),
    ],
)
def test_unsound_puzzles_are_not_certified(change: dict[str, Any], said: str) -> None:
    sound = to_json(plan(TASK, 1, 0, TASK.preset())[0])
    with pytest.raises(Uncertified, match=said):
        TASK.certify(RotationPuzzle(**{**sound, "voxels": tuple(map(tuple, sound["voxels"])), "colours": (), **change}))


def test_knobs_that_leave_nothing_are_uncertified() -> None:
    with pytest.raises(Uncertified, match="5 tries"):
        TASK.sample(Random(0), RotationKnobs(voxels=(5, 5), segments=(6, 6), tries=5))


# -- the examples of the specification -------------------------------------------------------------------------------


def test_the_prompt_is_the_specified_one() -> None:
    assert generate_prompt(HAND_MADE) == (
        "A 8-block sculpture sits fixed on a table. First frame: Your camera is tilted at 30° elevation, viewing from "
        "45° azimuth. Final frame: Your camera remains at 30° elevation, but rotates horizontally to 225° azimuth. "
        "This is a 180-degree rotation Create a smooth video showing the camera's horizontal rotation around the "
        "sculpture, and try to maintain the tilted viewing angle throughout."
    )


def test_a_dataset_of_other_questions_says_so(tmp_path: Path) -> None:
    knobs = RotationKnobs(voxels=(6, 6), elevations=(50, 60), angles=(90, 270))
    told = create_dataset(num_samples=8, seed=3, knobs=knobs, output_dir=tmp_path)["description"]
    assert re.fullmatch(
        r"3D mental rotation tasks with 6 voxels, tilted views \(5\d-(5\d|60)° elevation\) and 90° or 270° horizontal "
        r"rotations for video model evaluation \(8 pairs\)",
        told,
    ), told


def test_a_dataset_as_in_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    dataset = create_dataset(num_samples=5)
    assert dataset["name"] == "rotation_tasks"
    assert dataset["description"] == (
        "3D mental rotation tasks with 8-9 voxels, tilted views (20-40° elevation) and 180° horizontal rotations for "
        "video model evaluation (5 pairs)"
    )
    assert json.loads(Path("data/rotation_tasks/rotation_tasks.json").read_text("utf-8")) == dataset
    task = dataset["pairs"][0]
    assert task["id"] == "rotation_0000" and task["task_category"] == "3D Mental Rotation"
    data = task["rotation_data"]
    assert list(data) == [
        "generation_method",
        "num_voxels",
        "first_view_elev",
        "first_view_azim",
        "final_view_elev",
        "final_view_azim",
        "angle_difference",
        "structural_complexity",
    ]
    assert data["generation_method"] == "3D voxel snake with viewpoint rotation"
    assert data["structural_complexity"] == "snake_like_3d_voxels"
    assert data["num_voxels"] == len(task["voxels"]) and data["angle_difference"] == 180
    assert data["first_view_elev"] == data["final_view_elev"]
    assert task["difficulty"] == "easy" == task["spec_difficulty"]
    folder = Path("data/questions/rotation_task/rotation_0000")
    assert {path.name for path in folder.iterdir()} == {
        "first_frame.png",
        "final_frame.png",
        "prompt.txt",
        "question_metadata.json",
    }
    puzzle = from_json(RotationPuzzle, task["puzzle"])
    assert TASK.prompt(puzzle) == (folder / "prompt.txt").read_text("utf-8") == task["prompt"]


def test_the_generator_as_in_the_example() -> None:
    tasks = RotationGenerator().generate_tasks(num_tasks=100)
    assert {"voxels", "first_view", "final_view", "angle_difference", "difficulty", "num_voxels"} <= set(tasks[0])
    assert set(Counter(task["difficulty"] for task in tasks)) == {"easy"}
    assert set(Counter(task["num_voxels"] for task in tasks)) == {8, 9}
    assert all(task["angle_difference"] == 180 for task in tasks)
    assert RotationGenerator().generate_tasks(3) == tasks[:3]
    assert RotationGenerator(seed=1).generate_tasks(3) != tasks[:3]
    assert all(task["difficulty"] == "hard" for task in RotationGenerator(difficulty="hard").generate_tasks(2))
    assert RotationGenerator(knobs=RotationKnobs(voxels=(6, 6))).generate_tasks(1)[0]["num_voxels"] == 6


def test_a_question_by_hand_as_in_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pair = create_task_pair(HAND_MADE, "rotation_custom")
    assert pair["id"] == "rotation_custom" and pair["difficulty"] == "easy"
    assert pair["rotation_data"]["final_view_azim"] == 225
    assert Path("data/questions", pair["first_image_path"]).is_file()
    assert pair["prompt"] == generate_prompt(HAND_MADE)


def _process_single_task(task_id: int, task_data: dict[str, Any]) -> dict[str, Any]:
    return create_task_pair(task_data, f"rotation_{task_id:04d}")


def test_questions_in_several_processes_as_in_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tasks = RotationGenerator().generate_tasks(4)
    with get_context("spawn").Pool(2) as pool:
        pairs = pool.starmap(_process_single_task, enumerate(tasks))
    alone = create_dataset(4, output_dir=tmp_path / "alone")["pairs"]
    assert [pair["id"] for pair in pairs] == [f"rotation_{i:04d}" for i in range(4)]
    assert [pair["pixel_digests"] for pair in pairs] == [pair["pixel_digests"] for pair in alone]
    assert [pair["puzzle"] for pair in pairs] == [pair["puzzle"] for pair in alone]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"final_view": (25, 225)}, "horizontally only"),
        ({"final_view": (30, 45)}, "ends where it began"),
        ({"voxels": [(0, 0, 0), (0, 0, 2), (1, 0, 0), (0, 1, 0)]}, "falls apart"),
        ({"voxels": "none"}, "no task data"),
    ],
)
def test_task_data_that_make_no_question_are_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        generate_prompt({**HAND_MADE, **change})
