from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from vmevalkit.core.errors import StoreError, UnknownName
from vmevalkit.store.questions import load_question, load_questions, question_digest


def write_question(
    folder: Path, prompt: str | None = "Do it.", metadata: dict[str, Any] | None = None, **files: str
) -> Path:
    folder.mkdir(parents=True)
    (folder / "first_frame.png").write_bytes(b"image")
    if prompt is not None:
        (folder / "prompt.txt").write_text(prompt + "\n")
    if metadata is not None:
        (folder / "question_metadata.json").write_text(json.dumps(metadata))
    for name, content in files.items():
        (folder / f"{name}.txt").write_text(content)
    return folder


def test_a_question_by_hand_needs_a_picture_and_a_prompt(tmp_path: Path) -> None:
    question = load_question(write_question(tmp_path / "doors_task" / "my_door", goal="The door is open."))
    assert (question.id, question.domain, question.prompt) == ("my_door", "doors", "Do it.")
    assert question.goal == "The door is open."
    assert question.final_frame is None
    assert question.metadata == {}


def test_a_record_names_the_question_in_any_folder(tmp_path: Path) -> None:
    record = {"id": "maze_0003", "domain": "maze", "prompt": "Go.", "puzzle": {"size": 3}}
    question = load_question(write_question(tmp_path / "run" / "question", prompt=None, metadata=record))
    assert (question.id, question.domain, question.prompt) == ("maze_0003", "maze", "Go.")
    assert question.metadata["puzzle"] == {"size": 3}


def test_a_relative_folder_has_a_domain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_question(tmp_path / "doors_task" / "one")
    monkeypatch.chdir(tmp_path / "doors_task")
    assert load_question("one").domain == "doors"


def test_all_questions_by_domain_and_number(tmp_path: Path) -> None:
    for name in ("b_task/b_10", "b_task/b_9", "a_task/a_1", "b_task/.new-1-0-b_3", "other/c_1"):
        write_question(tmp_path / name)
    assert [question.id for question in load_questions(tmp_path)] == ["a_1", "b_9", "b_10"]
    assert [question.id for question in load_questions(tmp_path, ["b"])] == ["b_9", "b_10"]
    with pytest.raises(UnknownName, match=r"no domain in .* 'bb'; did you mean 'b'"):
        load_questions(tmp_path, ["bb"])


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"no folder .*nowhere; generate questions first: vmevalkit generate"):
        load_questions(tmp_path / "nowhere")
    write_question(tmp_path / "a_task" / "a_1", prompt=None)
    with pytest.raises(StoreError, match=r"a_1 is not a question: it has no prompt.txt"):
        load_questions(tmp_path)
    (tmp_path / "b_task" / "b_1").mkdir(parents=True)
    with pytest.raises(StoreError, match=r"b_1 is not a question: it has no first_frame.png"):
        load_question(tmp_path / "b_task" / "b_1")


@pytest.mark.parametrize("text", ["{", "[1]", "\xff"])
def test_a_damaged_record_is_named(tmp_path: Path, text: str) -> None:
    folder = write_question(tmp_path / "a_task" / "a_1")
    (folder / "question_metadata.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(StoreError, match=r"question_metadata.json .*repair it, or move its folder elsewhere"):
        load_question(folder)


def test_two_questions_with_one_id_are_refused(tmp_path: Path) -> None:
    write_question(tmp_path / "a_task" / "one", metadata={"id": "a_1"})
    write_question(tmp_path / "a_task" / "two", metadata={"id": "a_1"})
    with pytest.raises(StoreError, match="two questions have the id 'a_1'"):
        load_questions(tmp_path)


def test_the_digest_depends_on_the_content_of_the_question(tmp_path: Path) -> None:
    one = question_digest(load_question(write_question(tmp_path / "a_task" / "one")))
    assert one == question_digest(load_question(write_question(tmp_path / "b_task" / "two")))
    assert one != question_digest(load_question(write_question(tmp_path / "a_task" / "three", prompt="Do that.")))
    assert one != question_digest(load_question(write_question(tmp_path / "a_task" / "four", goal="It is done.")))
    puzzles = [{"puzzle": {"size": 3}, "created_at": "now"}, {"puzzle": {"size": 3}}, {"puzzle": {"size": 4}}]
    same, also, other = (
        question_digest(load_question(write_question(tmp_path / "c_task" / str(i), metadata=m)))
        for i, m in enumerate(puzzles)
    )
    assert same == also != other
