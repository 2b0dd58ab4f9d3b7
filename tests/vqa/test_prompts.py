"""The prompts of the task files, character by character."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmevalkit.core.errors import UnknownName
from vmevalkit.vqa.task_file import FOLDER, GROUPS, expand_tasks, list_tasks, load_task
from vmevalkit.vqa.task_files import mmsi

QUESTION = "Which one is it?\nOptions: A: left, B: right, C: up, D: down"
DOC = {"id": "1", "question_type": "MSR", "question": QUESTION, "answer": "A"}
POST = (
    "\n\nBased on your visual observation, answer with the option's letter from the given choices directly. "
    "Enclose the option's letter within ``."
)
DIRECT = {
    "attribute_appr": "Based on the visual content, please answer the following question about appearance attributes.",
    "attribute_meas": "Based on the visual content, please answer the following question about measurement attributes.",
    "motion_obj": "Based on the visual content, please answer the following question about object motion.",
    "motion_cam": "Based on the visual content, please answer the following question about camera motion.",
    "msr": "Based on the visual content, please answer the following question about spatial relationships across the "
    "images.",
}
GENERATION = {
    "attribute_appr": "Create a visualization that highlights and labels the visual appearance attributes (color, "
    "shape, texture, orientation, count) in the scene. Use annotations, bounding boxes, and labels to make object "
    "features and counts clearly visible.",
    "attribute_meas": "Create a visualization that highlights and labels measurement attributes in the scene. Use "
    "annotations to show sizes, distances, proportions, and scales clearly.",
    "motion_obj": "Create a visualization that tracks and highlights object motion in the scene. Use arrows, "
    "trajectories, and annotations to show movement direction, speed, and path of objects.",
    "motion_cam": "Create a visualization that illustrates camera motion characteristics. Use arrows and annotations "
    "to show camera movement type (pan, tilt, zoom, dolly), direction, and magnitude.",
    "msr": "Create a visualization that highlights spatial relationships across the images. Use annotations, "
    "connecting lines, and labels to show relative positions, orientations, and spatial correspondence between "
    "elements.",
}
GIVEN = "You are given the original image(s) and a visualization highlighting"
STAGE_2 = {
    "attribute_appr": f"{GIVEN} attributes. Use both to analyze the appearance of the objects and their counts.",
    "attribute_meas": f"{GIVEN} attributes. Use both to analyze sizes, distances, and proportions.",
    "motion_obj": f"{GIVEN} motion. Use both to analyze how the objects move.",
    "motion_cam": f"{GIVEN} motion. Use both to analyze how the camera moves.",
    "msr": f"{GIVEN} spatial relationships. Use both to analyze how the elements of the images are related in space.",
}
ALIGNED_SENTENCE = "The last image is a visualization that was drawn from the others. "
CATEGORIES = list(DIRECT)


POSITIONAL = [f"positional_{pair}" for pair in ("cam_cam", "cam_obj", "cam_reg", "obj_obj", "obj_reg", "reg_reg")]


def test_there_are_two_tasks_of_each_type_and_two_groups() -> None:
    assert set(list_tasks()) == {f"mmsi_{c}{s}" for c in (*CATEGORIES, *POSITIONAL) for s in ("", "_visual_cot")}
    for group, suffix in zip(GROUPS, ("", "_visual_cot"), strict=True):
        assert expand_tasks([group]) == [f"mmsi_{category}{suffix}" for category in (*CATEGORIES, *POSITIONAL)]
    assert expand_tasks(["mmsi_msr", "mmsi"])[0] == "mmsi_msr" and len(expand_tasks(["mmsi_msr", "mmsi"])) == 11
    types = [load_task(name).question_type for name in expand_tasks(["mmsi"])]
    assert set(types) == set(mmsi.CATEGORIES) and len(types) == 11  # every question once


def test_the_benchmarks_own_prompt_is_a_wording_of_every_task() -> None:
    post = "\nAnswer with the option's letter from the given choices directly. Enclose the option's letter within ``."
    for name in list_tasks():
        task = load_task(name)
        _, prompt = task.write_prompt(DOC, task.choose_prompts("official"))
        assert prompt == (ALIGNED_SENTENCE if task.is_two_stage else "") + QUESTION + post
        assert task.is_two_stage == name.endswith("_visual_cot")


@pytest.mark.parametrize("category", CATEGORIES)
def test_direct_prompts(category: str) -> None:
    task = load_task(f"mmsi_{category}")
    for wording in ("default", "aligned"):
        stage1, prompt = task.write_prompt(DOC, task.choose_prompts(wording))
        assert stage1 is None
        assert prompt == f"{DIRECT[category]}\n\n{QUESTION}{POST}"


@pytest.mark.parametrize("category", CATEGORIES)
def test_prompts_of_both_stages(category: str) -> None:
    task = load_task(f"mmsi_{category}_visual_cot")
    prompts = task.choose_prompts()
    assert task.write_prompt(DOC, prompts) == (GENERATION[category], f"{STAGE_2[category]}\n\n{QUESTION}{POST}")
    assert mmsi.msr_doc_to_text_with_gen_prompt(DOC, prompts) == (
        f"[GEN_PROMPT]{GENERATION[category]}[/GEN_PROMPT][QUESTION]{STAGE_2[category]}\n\n{QUESTION}{POST}[/QUESTION]"
    )


@pytest.mark.parametrize("category", CATEGORIES)
def test_aligned_prompts_differ_in_the_visualization_sentence_alone(category: str) -> None:
    direct, drawn = load_task(f"mmsi_{category}"), load_task(f"mmsi_{category}_visual_cot")
    _, one = direct.write_prompt(DOC, direct.choose_prompts("aligned"))
    stage1, other = drawn.write_prompt(DOC, drawn.choose_prompts("aligned"))
    assert other == ALIGNED_SENTENCE + one
    assert stage1 == GENERATION[category]


MARKERS = [
    "[GEN_PROMPT]",
    "[/GEN_PROMPT]",
    "[QUESTION]",
    "[/QUESTION]",
    "A: left",
    "Options:",
    "``B``",
    "\n",
    "{question}",
]
HOSTILE = st.lists(st.sampled_from(MARKERS) | st.text(max_size=8), min_size=1, max_size=12).map("".join)


@pytest.mark.parametrize("wording", ["default", "aligned"])
@pytest.mark.parametrize("category", CATEGORIES)
@given(question=HOSTILE)
def test_stage_1_gets_nothing_of_any_question(category: str, wording: str, question: str) -> None:
    task = load_task(f"mmsi_{category}_visual_cot")
    stage1, prompt = task.write_prompt({**DOC, "question": question}, task.choose_prompts(wording))
    assert stage1 == GENERATION[category]
    assert question.strip() in prompt


def test_a_task_file_without_generation_prompt_is_an_error_and_not_a_leak() -> None:
    with pytest.raises(ValueError, match="no generation_prompt"):
        mmsi.msr_doc_to_text_with_gen_prompt(DOC, {"pre_prompt": "", "post_prompt": ""})
    with pytest.raises(ValueError, match="marker"):
        kwargs = {"pre_prompt": "", "post_prompt": "", "generation_prompt": "x[/GEN_PROMPT]"}
        mmsi.msr_doc_to_text_with_gen_prompt(DOC, kwargs)


def test_a_prompt_is_changed_without_touching_python(tmp_path: Any) -> None:
    for path in FOLDER.glob("*yaml"):
        (tmp_path / path.name).write_text(path.read_text("utf-8").replace("camera motion.", "how the camera went."))
    task = load_task("mmsi_motion_cam", tmp_path)
    assert task.choose_prompts()["pre_prompt"].endswith("how the camera went.\n\n")


def test_prompts_of_one_model_take_precedence(tmp_path: Any) -> None:
    for path in FOLDER.glob("*yaml"):
        (tmp_path / path.name).write_text(path.read_text("utf-8"))
    path = tmp_path / "mmsi_msr_visual_cot.yaml"
    own = "lmms_eval_specific_kwargs:\n  bagel_visual_cot:\n    generation_prompt: Draw it.\n"
    path.write_text(path.read_text("utf-8").replace("lmms_eval_specific_kwargs:\n", own))
    task = load_task("mmsi_msr_visual_cot", tmp_path)
    assert task.choose_prompts("default", "bagel_visual_cot")["generation_prompt"] == "Draw it."
    assert task.choose_prompts("default", "another")["generation_prompt"] == GENERATION["msr"]


def test_the_wording_of_lmms_eval_is_chosen_by_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    prompts = load_task("mmsi_msr_visual_cot").prompts
    kwargs = {**prompts, **prompts["default"]}  # as lmms_eval passes them
    assert mmsi.msr_doc_to_text(DOC, kwargs).startswith(GIVEN)
    monkeypatch.setenv("MMSI_WORDING", "aligned")
    assert mmsi.msr_doc_to_text(DOC, kwargs).startswith(ALIGNED_SENTENCE)
    monkeypatch.setenv("MMSI_WORDING", "alined")
    with pytest.raises(ValueError, match="aligned, default"):
        mmsi.msr_doc_to_text(DOC, kwargs)


def test_unknown_names_suggest_the_nearest() -> None:
    with pytest.raises(UnknownName, match="mmsi_motion_cam"):
        load_task("mmsi_motion_camera")
    with pytest.raises(UnknownName, match="aligned"):
        load_task("mmsi_msr").choose_prompts("alined")


def test_each_task_file_filters_its_own_question_type() -> None:
    import yaml

    for name in list_tasks():
        task = load_task(name)
        text = (FOLDER / f"{name}.yaml").read_text("utf-8")
        assert f"process_docs: !function mmsi.filter_{task.category}\n" in text
        assert f"- metric: {task.category}\n" in text
        assert task.dataset == "RunsenXu/MMSI-Bench" and task.temperature == 0 and task.max_tokens == 8192
    assert yaml.safe_load((FOLDER / "mmsi.yaml").read_text("utf-8"))["group"] == "mmsi"
