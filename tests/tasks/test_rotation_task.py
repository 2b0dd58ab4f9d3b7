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
    RotationParams,
    VoxelPuzzle,
    create_dataset,
    create_task_pair,
    generate_prompt,
)
from vmevalkit.tasks.rotation_task.params import PALETTE
from vmevalkit.tasks.rotation_task.sampling import find_visible_voxels, generate_horizontal_rotation
from vmevalkit.tasks.rotation_task.snakes import (
    Voxels,
    describe_shape,
    grow_snake,
    is_connected,
    list_neighbours,
    mirror_voxels,
)
from vmevalkit.tasks.rotation_task.text import grade_difficulty

HAND_MADE = {
    "voxels": [(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (2, 1, 0), (2, 1, 1), (2, 2, 1), (3, 2, 1)],
    "first_view": (30, 45),
    "final_view": (30, 225),
    "angle_difference": 180.0,
    "difficulty": "easy",
    "num_voxels": 8,
}


def list_orientations(voxels: Voxels) -> Iterator[tuple[int, frozenset[tuple[int, ...]]]]:
    """Yield each signed permutation of the axes: its determinant, and the voxels moved to the origin. No numpy here."""
    for order in permutations(range(3)):
        crossings = sum(order[i] > order[j] for i in range(3) for j in range(i + 1, 3))
        for signs in product((1, -1), repeat=3):
            points = [tuple(sign * voxel[axis] for axis, sign in zip(order, signs, strict=True)) for voxel in voxels]
            least = [min(point[axis] for point in points) for axis in range(3)]
            moved = frozenset(tuple(p - low for p, low in zip(point, least, strict=True)) for point in points)
            yield (-1) ** crossings * signs[0] * signs[1] * signs[2], moved


def rotations(voxels: Voxels) -> list[frozenset[tuple[int, ...]]]:
    return [moved for handedness, moved in list_orientations(voxels) if handedness == 1]


def canonical(voxels: Voxels) -> tuple[tuple[int, ...], ...]:
    return min(tuple(sorted(moved)) for moved in rotations(voxels))


def count_reached(voxels: Voxels) -> int:
    """Return how many voxels can be reached from the first by steps of length 1."""
    reached, edge = {voxels[0]}, [voxels[0]]
    while edge:
        here = edge.pop()
        for other in voxels:
            if other not in reached and sum(abs(a - b) for a, b in zip(here, other, strict=True)) == 1:
                reached.add(other)
                edge.append(other)
    return len(reached)


@pytest.mark.slow
def test_a_thousand_questions_are_sound_and_all_different() -> None:
    puzzles = plan(TASK, 1000, 42, TASK.preset())
    seen = set()
    for puzzle in puzzles:
        voxels = puzzle.voxels
        assert len(voxels) in (8, 9) and len(set(voxels)) == len(voxels)
        assert count_reached(voxels) == len(voxels)
        assert all(len({voxel[axis] for voxel in voxels}) > 1 for axis in range(3))
        ways = rotations(voxels)
        assert len(ways) == 24 and len(set(ways)) == 24, "a rotation maps the sculpture onto itself"
        assert frozenset(mirror_voxels(voxels)) not in {frozenset(way) for way in ways}
        assert max(sum(near in voxels for near in list_neighbours(voxel)) for voxel in voxels) <= 3
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


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), voxels=st.integers(4, 20), data=st.data())
def test_a_key_is_equal_for_rotations_only(seed: int, voxels: int, data: st.DataObject) -> None:
    snake = grow_snake(Random(seed), N=voxels)
    assert snake is not None and is_connected(snake)
    orientation = data.draw(st.sampled_from(rotations(snake)))
    rotated = tuple((p[0] + 3, p[1] - 2, p[2] + 1) for p in sorted(orientation))
    assert describe_shape(rotated).key == describe_shape(snake).key
    assert describe_shape(snake).is_symmetric == (len(set(rotations(snake))) < 24)
    other = mirror_voxels(snake)
    assert describe_shape(snake).is_achiral == (canonical(other) == canonical(snake))
    assert (describe_shape(other).key == describe_shape(snake).key) == describe_shape(snake).is_achiral
    assert describe_shape((*snake, (*max(snake)[:2], max(v[2] for v in snake) + 1))).key != describe_shape(snake).key


def test_snakes_obey_their_parameters() -> None:
    for seed in range(40):
        snake = grow_snake(Random(seed), N=12, Lmin=3, Lmax=3, p_branch=0.0)
        assert snake is not None
        steps = [tuple(b - a for a, b in zip(u, v, strict=True)) for u, v in pairwise(snake)]
        runs = [len(list(run)) for run in _runs(steps)]
        assert set(runs[:-1]) == {3}
        assert max(sum(near in snake for near in list_neighbours(voxel)) for voxel in snake) <= 3
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
    params = TASK.preset(name)
    for puzzle in plan(TASK, 12, 1, params):
        assert params.voxels[0] <= len(puzzle.voxels) <= params.voxels[1]
        share = find_visible_voxels(puzzle, 0.0).mean()
        assert params.visible[0] <= share <= params.visible[1]
        assert (find_visible_voxels(puzzle, 0.0) | find_visible_voxels(puzzle, 1.0)).all()
        assert grade_difficulty(puzzle.voxels) == "easy"


@pytest.mark.parametrize(
    "params",
    [
        RotationParams(voxels=(4, 4), colours=4),
        RotationParams(voxels=(5, 6)),
        RotationParams(voxels=(20, 20), visible=(0.4, 1.0)),
        RotationParams(angles=(90, 270, 45), colours=3),
        RotationParams(segments=(2, 5), voxels=(10, 12)),
    ],
    ids=["4 coloured", "5-6", "20", "angles", "long segments"],
)
def test_every_param_has_an_effect(params: RotationParams) -> None:
    for puzzle in plan(TASK, 4, 5, params):
        assert params.voxels[0] <= len(puzzle.voxels) <= params.voxels[1]
        assert puzzle.angle_deg in params.angles
        assert len(puzzle.colours) == (0 if params.colours == 1 else len(puzzle.voxels))
        assert len(set(puzzle.colours)) in (0, params.colours) and set(puzzle.colours) <= set(PALETTE)
        first, final = TASK.first_frame(puzzle), TASK.final_frame(puzzle)
        assert np.abs(first.astype(int) - final).mean() > 3
        assert f"This is a {puzzle.angle_deg:g}-degree rotation Create" in TASK.prompt(puzzle)
        assert from_json(VoxelPuzzle, json.loads(json.dumps(to_json(puzzle)))) == puzzle


@pytest.mark.parametrize(
    ("params", "message"),
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
def test_impossible_params_are_refused(params: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        RotationParams(**params)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"voxels": ((0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 2))}, "not connected"),
        ({"voxels": ((0, 0, 0), (1, 0, 0), (1, 1, 0), (2, 1, 0))}, "flat"),
        ({"voxels": ((0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1))}, "onto itself"),
        ({"voxels": ((0, 0, 0), (1, 0, 0), (1, 0, 0), (1, 1, 1))}, "distinct"),
        ({"angle_deg": 360.0}, "ends at the first view"),
        ({"colours": ("#000000",)}, "1 colours"),
    ],
)
def test_unsound_puzzles_are_not_certified(change: dict[str, Any], message: str) -> None:
    sound = to_json(plan(TASK, 1, 0, TASK.preset())[0])
    with pytest.raises(Uncertified, match=message):
        TASK.certify(VoxelPuzzle(**{**sound, "voxels": tuple(map(tuple, sound["voxels"])), "colours": (), **change}))


def test_params_without_puzzles_are_uncertified() -> None:
    with pytest.raises(Uncertified, match="5 tries"):
        TASK.sample(Random(0), RotationParams(voxels=(5, 5), segments=(6, 6), tries=5))


def test_a_horizontal_rotation_keeps_the_elevation() -> None:
    for seed in range(50):
        (elev1, azim1), (elev2, azim2) = generate_horizontal_rotation(Random(seed))
        assert 20 <= elev1 == elev2 <= 40
        assert 0 <= azim1 <= 359 and azim2 == (azim1 + 180) % 360
    (elev1, azim1), (elev2, azim2) = generate_horizontal_rotation(Random(1), (50, 50), (90,))
    assert elev1 == elev2 == 50 and azim2 == (azim1 + 90) % 360
    assert len({generate_horizontal_rotation() for _ in range(20)}) > 1


# -- the examples of the specification -------------------------------------------------------------------------------


def test_the_prompt_is_that_of_the_specification() -> None:
    assert generate_prompt(HAND_MADE) == (
        "A 8-block sculpture sits fixed on a table. First frame: Your camera is tilted at 30° elevation, viewing from "
        "45° azimuth. Final frame: Your camera remains at 30° elevation, but rotates horizontally to 225° azimuth. "
        "This is a 180-degree rotation Create a smooth video showing the camera's horizontal rotation around the "
        "sculpture, and try to maintain the tilted viewing angle throughout."
    )


def test_a_dataset_of_other_questions_says_so(tmp_path: Path) -> None:
    params = RotationParams(voxels=(6, 6), elevations=(50, 60), angles=(90, 270))
    description = create_dataset(num_samples=8, seed=3, params=params, output_dir=tmp_path)["description"]
    assert re.fullmatch(
        r"3D mental rotation tasks with 6 voxels, tilted views \(5\d-(5\d|60)° elevation\) and 90° or 270° horizontal "
        r"rotations for video model evaluation \(8 pairs\)",
        description,
    ), description


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
    puzzle = from_json(VoxelPuzzle, task["puzzle"])
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
    assert RotationGenerator(params=RotationParams(voxels=(6, 6))).generate_tasks(1)[0]["num_voxels"] == 6


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
    ("change", "message"),
    [
        ({"final_view": (25, 225)}, "horizontally only"),
        ({"final_view": (30, 45)}, "ends at the first view"),
        ({"voxels": [(0, 0, 0), (0, 0, 2), (1, 0, 0), (0, 1, 0)]}, "not connected"),
        ({"voxels": "none"}, "not valid task data"),
    ],
)
def test_invalid_task_data_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        generate_prompt({**HAND_MADE, **change})
