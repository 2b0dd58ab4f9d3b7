"""Prompts select the targets, questions are distinct and reproducible, and the document's names and examples work."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from object_subtraction_proof import REST, prove

from vmevalkit.core.errors import ConflictError, Exhausted, Uncertified, UnknownName, UsageError
from vmevalkit.core.jsonable import digest, from_json, to_json
from vmevalkit.media.image import read_image
from vmevalkit.runner.TASK_CATALOG import TASK_CATALOG
from vmevalkit.store.questions import load_questions
from vmevalkit.tasks.object_subtraction_task import (
    TASK,
    ObjectSubtraction,
    ObjectSubtractionGenerator,
    ObjectSubtractionParams,
    create_dataset,
    create_task_pair,
    generate_prompt,
)
from vmevalkit.tasks.object_subtraction_task.placement import place_objects, place_on_grid
from vmevalkit.tasks.object_subtraction_task.puzzle import RULE_KINDS
from vmevalkit.tasks.object_subtraction_task.scene import compute_box, measure_gap
from vmevalkit.tasks.object_subtraction_task.scene_builders import SCENE_BUILDERS
from vmevalkit.tasks.object_subtraction_task.scene_drafts import SceneSpec
from vmevalkit.tasks.planning import plan

ALL = ObjectSubtractionParams(levels=("L1", "L2", "L3", "L4"))


@pytest.mark.parametrize("level", list(RULE_KINDS))
def test_1000_prompts_of_each_level_select_their_targets(level: str) -> None:
    planned = plan(TASK, 1000, 42, ObjectSubtractionParams(levels=(level,)))
    assert len({digest(replace(puzzle, animation="fade")) for puzzle in planned}) == 1000
    prompts = [prove(puzzle) for puzzle in planned]
    kinds = Counter(puzzle.rule.kind for puzzle in planned)
    assert set(kinds) == set(RULE_KINDS[level])
    assert min(kinds.values()) >= 0.1 * 1000
    assert Counter(len(puzzle.things) for puzzle in planned).keys() == {5, 6, 7, 8}
    if level == "L3":  # every relation, of one object and of several
        several = {re.sub(r"\d", "2", prompt.removesuffix(REST)) for prompt in prompts}
        assert 35 <= len(several) <= 4 * 2 + 4 * 2 + 4 * 2 + (1 + 4 * 2) + 2 * 2


@pytest.mark.parametrize(
    "params",
    [
        replace(ALL, num_objects=(4, 4)),
        replace(ALL, num_objects=(10, 10)),
        replace(ALL, canvas=512),
        replace(ALL, canvas=300, num_objects=(9, 9)),
        replace(ALL, colours=("red", "blue"), shapes=("cube", "cone")),
        replace(ALL, levels=("L1", "L3", "L4"), colours=("green",)),
        replace(ALL, levels=("L1", "L3", "L4"), shapes=("sphere",)),
    ],
    ids=str,
)
def test_other_params(params: ObjectSubtractionParams) -> None:
    for puzzle in plan(TASK, 60, 1, params):
        prove(puzzle)
        low, high = params.num_objects
        assert low <= len(puzzle.things) <= high and puzzle.canvas == params.canvas
        assert {thing.colour for thing in puzzle.things} <= set(params.colours)
        assert {thing.shape for thing in puzzle.things} <= set(params.shapes)


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_presets(difficulty: str) -> None:
    levels = {"easy": {"L1"}, "medium": {"L2", "L3"}, "hard": {"L3", "L4"}}[difficulty]
    planned = plan(TASK, 200, 5, TASK.preset(difficulty))
    assert {puzzle.rule.level for puzzle in planned} == levels
    assert len({TASK.key(puzzle) for puzzle in planned}) == 200
    assert TASK.capacity(TASK.preset(difficulty)) is None
    for puzzle in planned:
        prove(puzzle)


def test_a_prompt_names_a_pyramid_or_a_cone_only_where_the_other_is_absent() -> None:
    named = 0
    for level in ("L1", "L2"):
        for puzzle in plan(TASK, 150, 8, ObjectSubtractionParams(levels=(level,))):
            if re.search("pyramid|cone", TASK.prompt(puzzle)):
                named += 1
                assert not {"pyramid", "cone"} <= {thing.shape for thing in puzzle.things}
    assert named > 40


def test_the_odd_one_of_a_hard_scene_is_among_objects_of_two_looks() -> None:
    looks = {}
    for difficulty in ("medium", "hard"):
        params = replace(TASK.preset(difficulty), levels=("L4",))
        looks[difficulty] = {len({(t.colour, t.shape) for t in puzzle.kept}) for puzzle in plan(TASK, 40, 8, params)}
    assert looks == {"medium": {1}, "hard": {2}}


def test_single_kinds_of_rules() -> None:
    for level, kinds in RULE_KINDS.items():
        for kind in kinds:
            planned = plan(TASK, 20, 2, ObjectSubtractionParams(levels=(level,), rules=(kind,)))
            assert {puzzle.rule.kind for puzzle in planned} == {kind}


def test_unclear_rule_falls_back_to_another() -> None:
    # Ten objects leave no room for sizes that differ much, and with one colour there is no colour rule.
    crowded = plan(TASK, 100, 3, ObjectSubtractionParams(num_objects=(10, 10)))
    assert {puzzle.rule.kind for puzzle in crowded} <= {"color", "shape", "size"}
    one_colour = plan(TASK, 60, 3, ObjectSubtractionParams(colours=("red",)))
    assert {puzzle.rule.kind for puzzle in one_colour} == {"shape", "size"}
    with pytest.raises(Exhausted):
        plan(TASK, 1, 3, ObjectSubtractionParams(colours=("red",), rules=("color",)))


def test_objects_that_do_not_fit_at_random_places_go_on_a_grid() -> None:
    looks = [("cube", 58)] * 9
    assert place_objects(Random(0), 256, looks) is not None
    on_it = place_on_grid(Random(0), 256, looks)
    assert on_it is not None
    boxes = [compute_box(shape, x, y, size) for (shape, size), (x, y) in zip(looks, on_it, strict=True)]
    assert min(measure_gap(one, other) for one, other in combinations(boxes, 2)) >= 10
    assert min(min(box[:2]) for box in boxes) >= 16 and max(max(box[2:]) for box in boxes) <= 240
    assert place_objects(Random(0), 256, [("cube", 70)] * 9) is None


def test_scene_builders_return_none_for_unclear_scenes() -> None:
    assert SCENE_BUILDERS["color"](Random(0), SceneSpec(6, ("red",), ("cube", "cone"), 256)) is None
    assert SCENE_BUILDERS["enumerated"](Random(0), SceneSpec(6, ("red",), ("cube", "cone"), 256)) is None
    tries = [
        SCENE_BUILDERS["size"](Random(seed), SceneSpec(8, ("red",), ("cube", "pyramid"), 256)) for seed in range(60)
    ]
    assert None in tries and any(draft is not None for draft in tries)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"levels": ("L5",)}, "no level of object_subtraction 'L5'"),
        ({"levels": ()}, "levels"),
        ({"levels": ("L1", "L1")}, "twice"),
        ({"rules": ("outlier",)}, "no rule of object_subtraction 'outlier'"),
        ({"colours": ("pink",)}, "no colour"),
        ({"shapes": ("cubes",)}, "did you mean 'cube'"),
        ({"num_objects": (3, 8)}, "4 to 10"),
        ({"num_objects": (8, 5)}, "smaller one first"),
        ({"canvas": 100}, "256 to 1024"),
        ({"animation": "explode"}, "no animation"),
        ({"colours": ("red",), "shapes": ("cube",)}, "look alike"),
    ],
)
def test_invalid_params_are_refused(params: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ObjectSubtractionParams(**params)


def test_certify_refuses_unclear_puzzles() -> None:
    def changed(puzzle: ObjectSubtraction, **fields: Any) -> ObjectSubtraction:
        return from_json(ObjectSubtraction, {**to_json(puzzle), **fields})

    def moved(puzzle: ObjectSubtraction, thing_id: int, **fields: Any) -> ObjectSubtraction:
        things = [{**to_json(t), **fields} if t.id == thing_id else to_json(t) for t in puzzle.things]
        return changed(puzzle, things=things)

    def ruled(puzzle: ObjectSubtraction, **fields: Any) -> ObjectSubtraction:
        return changed(puzzle, rule={**to_json(puzzle.rule), **fields})

    for level, kinds in RULE_KINDS.items():
        for kind in kinds:
            for puzzle in plan(TASK, 6, 11, ObjectSubtractionParams(levels=(level,), rules=(kind,))):
                kept, target = puzzle.kept[0], puzzle.things[puzzle.targets[0]]
                wrong = [
                    ruled(puzzle, targets=[kept.id]),
                    ruled(puzzle, targets=[]),
                    ruled(puzzle, targets=list(range(len(puzzle.things)))),
                    ruled(puzzle, value="nothing", listed=[]) if kind != "outlier" else ruled(puzzle, targets=[99]),
                    ruled(puzzle, level="L1" if level != "L1" else "L2"),
                    moved(puzzle, kept.id, x=target.x, y=target.y),
                    moved(puzzle, kept.id, x=5),
                    moved(puzzle, kept.id, colour="pink"),
                    changed(puzzle, things=to_json(puzzle.things[:3])),
                    changed(puzzle, things=to_json(puzzle.things[::-1])),
                ]
                if kind not in ("side", "corner", "center"):  # there one more target may be the next in order
                    wrong.append(ruled(puzzle, targets=sorted([*puzzle.targets, kept.id])))
                for other in wrong:
                    with pytest.raises(Uncertified):
                        TASK.certify(other)


def test_certify_refuses_ties() -> None:
    (leftmost,) = plan(TASK, 1, 4, ObjectSubtractionParams(levels=("L3",), rules=("side",)))
    unclear = ObjectSubtractionParams(levels=("L3",), rules=("side",))
    assert prove(leftmost)
    refused = 0
    for puzzle in plan(TASK, 40, 6, unclear):
        axis = "x" if puzzle.rule.value in ("leftmost", "rightmost") else "y"
        last = max((puzzle.things[i] for i in puzzle.targets), key=lambda t: getattr(t, axis))
        other = replace(puzzle.kept[0], **{axis: getattr(last, axis)})
        things = tuple(other if t.id == other.id else t for t in puzzle.things)
        with pytest.raises(Uncertified):
            TASK.certify(replace(puzzle, things=things))
        refused += 1
    assert refused == 40
    (odd,) = plan(TASK, 1, 4, ObjectSubtractionParams(levels=("L4",)))
    first = odd.kept[0]
    for field in ({"size": first.size - 2}, {"colour": "red" if first.colour != "red" else "blue"}):
        things = tuple(replace(t, **field) if t.id == first.id else t for t in odd.things)
        with pytest.raises(Uncertified, match="odd one"):
            TASK.certify(replace(odd, things=things))


def test_questions_depend_on_seed_and_not_on_their_number() -> None:
    assert plan(TASK, 4, 1, ALL) == plan(TASK, 12, 1, ALL)[:4]
    assert plan(TASK, 4, 1, ALL) != plan(TASK, 4, 2, ALL)
    puzzle = plan(TASK, 1, 1, ALL)[0]
    assert from_json(ObjectSubtraction, json.loads(json.dumps(to_json(puzzle)))) == puzzle
    assert TASK.key(puzzle) == TASK.key(replace(puzzle, animation="slide"))


@pytest.mark.parametrize("animation", ["fade", "slide", "shrink"])
def test_solution_removes_the_targets_and_nothing_else(animation: str) -> None:
    for puzzle in plan(TASK, 12, 9, replace(ALL, animation=animation)):
        start, end = TASK.solution(puzzle, 0.0), TASK.solution(puzzle, 1.0)
        assert [piece.id for piece in start.objects] == [thing.id for thing in puzzle.things]
        assert [piece.id for piece in end.objects] == [thing.id for thing in puzzle.kept]
        assert TASK.accepted(puzzle, end) and not TASK.accepted(puzzle, start)
        assert TASK.progress(puzzle, start) == 0.0
        assert not TASK.accepted(puzzle, TASK.solution(puzzle, 0.5))
        for i in range(21):
            now = TASK.solution(puzzle, i / 20)
            assert all(now.get(thing.id) == start.get(thing.id) for thing in puzzle.kept)
        final = TASK.final_frame(puzzle)
        gone = (TASK.first_frame(puzzle) != final).any(axis=2)
        outside = np.ones_like(gone)
        for target in puzzle.targets:
            left, top, right, bottom = (round(edge) for edge in puzzle.things[target].box)
            outside[top - 1 : bottom + 1, left - 1 : right + 1] = False
            assert gone[top:bottom, left:right].any()
        assert not (gone & outside).any()


def test_images_are_as_specified() -> None:
    for puzzle in plan(TASK, 20, 3, ALL):
        frame = TASK.first_frame(puzzle)
        assert frame.shape == (256, 256, 3)
        assert (frame[:16] == 255).all() and (frame[:, -16:] == 255).all()
        for thing in puzzle.things:
            colour = {
                "red": (220, 20, 60), "green": (30, 155, 60), "blue": (30, 80, 230), "yellow": (255, 230, 0),
                "orange": (255, 120, 0), "purple": (150, 40, 200),
            }[thing.colour]  # fmt: skip
            left, top, right, bottom = (round(edge) for edge in thing.box)
            ink = (frame[top - 2 : bottom + 2, left - 2 : right + 2] != 255).any(axis=2)
            assert ink.sum() == pytest.approx(thing.area, rel=0.2)
            assert tuple(int(level) for level in frame[thing.y, thing.x]) == colour


# -- usage in the document ---------------------------------------------------------------------------------------------


def test_examples_of_the_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    dataset = create_dataset(num_samples=50, levels=["L1"])
    assert set(dataset) == {"name", "description", "pairs"} and len(dataset["pairs"]) == 50
    pair = next(pair for pair in dataset["pairs"] if pair["id"] == "object_subtraction_l1_0001")
    assert pair["task_category"] == "ObjectSubtraction" and pair["level"] == "L1" and pair["difficulty"] == "easy"
    assert set(pair["object_subtraction_data"]) == {
        "objects", "rule", "remove_object_ids", "keep_object_ids", "num_objects", "num_removed", "num_kept",
    }  # fmt: skip
    assert set(pair["object_subtraction_data"]["objects"][0]) == {"id", "color", "shape", "x", "y", "size", "area"}
    folder = tmp_path / "data" / "questions" / "object_subtraction_task" / "object_subtraction_l1_0001"
    names = {"first_frame.png", "final_frame.png", "prompt.txt", "question_metadata.json"}
    assert {path.name for path in folder.iterdir()} == names
    assert (tmp_path / "data/object_subtraction_tasks/object_subtraction_tasks.json").is_file()
    assert (read_image(folder / "first_frame.png") != read_image(folder / "final_frame.png")).any()
    assert (folder / "prompt.txt").read_text() == pair["prompt"]


def test_dataset_of_all_levels(tmp_path: Path) -> None:
    levels = ["L1", "L2", "L3", "L4"]
    dataset = create_dataset(num_samples=10, levels=levels, random_seed=42, output_dir=tmp_path)
    assert Counter(pair["level"] for pair in dataset["pairs"]) == {"L1": 3, "L2": 3, "L3": 2, "L4": 2}
    ids = [pair["id"] for pair in dataset["pairs"]]
    assert ids[:4] == [f"object_subtraction_l1_000{i}" for i in range(3)] + ["object_subtraction_l2_0000"]
    again = create_dataset(num_samples=4, levels=levels, random_seed=42, output_dir=tmp_path)
    by_id = {pair["id"]: pair for pair in dataset["pairs"]}
    assert all(pair["puzzle"] == by_id[pair["id"]]["puzzle"] for pair in again["pairs"])
    assert len(load_questions(tmp_path)) == 10
    with pytest.raises(ConflictError):
        create_dataset(num_samples=4, levels=levels, random_seed=43, output_dir=tmp_path)
    with pytest.raises(UnknownName, match="L9"):
        create_dataset(num_samples=4, levels=["L9"], output_dir=tmp_path)
    with pytest.raises(UsageError, match="levels of object_subtraction is empty"):
        create_dataset(num_samples=4, levels=[], output_dir=tmp_path)
    with pytest.raises(UsageError, match="divided among 4 levels"):
        create_dataset(num_samples=3, levels=levels, output_dir=tmp_path)


def test_rule_records_have_the_keys_of_the_document() -> None:
    keys = {"color": "remove_color", "shape": "remove_shape", "size": "size_type", "enumerated": "remove_objects"}
    for puzzle in plan(TASK, 60, 8, ALL):
        rule = TASK.metadata(puzzle)["object_subtraction_data"]["rule"]
        assert (rule["level"], rule["rule_type"]) == (puzzle.rule.level, puzzle.rule.kind)
        if puzzle.rule.kind in keys:
            assert keys[puzzle.rule.kind] in rule


def test_script_of_the_document_runs(tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / "examples" / "create_questions.py"
    arguments = ["--task", "object_subtraction", "--pairs-per-domain", "5", "--output-dir", str(tmp_path)]
    subprocess.run([sys.executable, str(script), *arguments], check=True, capture_output=True)
    questions = load_questions(tmp_path)
    assert [question.id for question in questions] == [f"object_subtraction_000{i}" for i in range(5)]
    row = TASK_CATALOG["object_subtraction"]
    assert row["name"] == "Object Subtraction"
    assert row["description"] == "Selective object removal with multi-level cognitive reasoning"
    assert (row["module"], row["create_function"]) == ("vmevalkit.tasks.object_subtraction_task", "create_dataset")


def test_generated_scenes_become_questions(tmp_path: Path) -> None:
    generator = ObjectSubtractionGenerator(seed=3)
    scenes = [generator.generate_scene(level) for level in ("L1", "L2", "L3", "L4")]
    assert scenes[0] == ObjectSubtractionGenerator(seed=3).generate_scene("L1")
    for scene in scenes:
        assert generate_prompt(scene) == generate_prompt(to_json(scene)) == prove(scene)
    pair = create_task_pair(scenes[2], "mine", tmp_path)
    assert pair["level"] == "L3" and (tmp_path / "object_subtraction_task" / "mine" / "first_frame.png").is_file()
    with pytest.raises(UsageError, match="not a valid object subtraction scene"):
        create_task_pair({"canvas": 256}, "mine", tmp_path)
