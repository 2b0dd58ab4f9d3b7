from __future__ import annotations

import json
import shutil
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from dot_task import TASK, Dot, DotParams, DotTask
from vmevalkit.core.errors import ConflictError, UnknownName, UsageError
from vmevalkit.core.jsonable import to_json
from vmevalkit.datasets.generate import GenerateSummary, generate
from vmevalkit.media.image import Frame, encode_png, read_image
from vmevalkit.store.atomic import lock
from vmevalkit.store.questions import load_questions
from vmevalkit.tasks import TASKS


class Ring(DotTask):
    """Another task of the same kind."""

    name = "ring"


class Shy(DotTask):
    """Some of its puzzles cannot be drawn."""

    name = "shy"

    def draw(self, puzzle: Dot, state: float) -> Frame:
        if puzzle.level % 3 == 0:
            raise ArithmeticError(f"level {puzzle.level}")
        return super().draw(puzzle, state)


class Few(DotTask):
    """It runs out of puzzles, and does not know it beforehand."""

    name = "few"

    def sample(self, rng: Random, params: DotParams) -> Dot:
        return Dot(rng.randint(30, 34), (60,))


def make(root: Path, n: int = 6, task: DotTask = TASK, **how: Any) -> GenerateSummary:
    return generate([task], n, out=root, **how)


def records(root: Path, task: str = "dot") -> dict[str, dict[str, Any]]:
    return {question.id: question.metadata for question in load_questions(root, [task])}


def without_time(record: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != "created_at"}


def visible(root: Path) -> set[str]:
    paths = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    return {str(path) for path in paths if path.name != ".lock"}


def test_questions_depend_neither_on_workers_nor_on_n(tmp_path: Path) -> None:
    one = make(tmp_path / "one", 12)
    two = make(tmp_path / "two", 12, workers=2)
    few = make(tmp_path / "few", 5)
    grown = make(tmp_path / "few", 12, workers=2)
    assert visible(tmp_path / "one") == visible(tmp_path / "two") == visible(tmp_path / "few")
    expected = {name: without_time(record) for name, record in records(tmp_path / "one").items()}
    for other in ("two", "few"):
        assert {name: without_time(record) for name, record in records(tmp_path / other).items()} == expected
        for path in (tmp_path / "one").rglob("*.png"):
            twin = tmp_path / other / path.relative_to(tmp_path / "one")
            assert np.array_equal(read_image(path), read_image(twin))
    prints = [(s.tasks[0].fingerprint, s.tasks[0].pixel_fingerprint) for s in (one, two, grown)]
    assert len(set(prints)) == 1
    assert few.tasks[0].fingerprint != one.tasks[0].fingerprint
    assert (grown.tasks[0].drawn, grown.tasks[0].kept) == (7, 5)
    assert make(tmp_path / "seed", 12, seed=1).tasks[0].fingerprint != one.tasks[0].fingerprint


def test_what_is_there_is_kept_and_what_is_missing_is_drawn(tmp_path: Path) -> None:
    make(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.png")}
    shutil.rmtree(tmp_path / "dot_task" / "dot_0002")
    (tmp_path / "dot_task" / "dot_0004" / "question_metadata.json").write_bytes(b"")  # as a power cut leaves it
    told: list[tuple[int, int]] = []
    summary = make(tmp_path, on_done=lambda done, total: told.append((done, total)))
    assert (summary.tasks[0].drawn, summary.tasks[0].kept) == (2, 4)
    assert told == [(4, 6), (5, 6), (6, 6)]
    redrawn = {path.parent.name for path, time in before.items() if path.stat().st_mtime_ns != time}
    assert redrawn == {"dot_0002", "dot_0004"}
    assert len(records(tmp_path)) == 6


def test_fewer_than_there_are_leaves_the_rest(tmp_path: Path) -> None:
    all_six = make(tmp_path)
    three = make(tmp_path, 3).tasks[0]
    assert (three.drawn, three.kept, three.beyond) == (0, 3, 3)
    assert len(records(tmp_path)) == 6
    index = json.loads(all_six.index.read_text())
    assert index["total_pairs"] == 6
    assert three.fingerprint == make(tmp_path / "three", 3).tasks[0].fingerprint
    assert index["generation_info"]["tasks"]["dot"]["fingerprint"] == all_six.tasks[0].fingerprint


@pytest.mark.parametrize("other", [{"seed": 1}, {"difficulty": "hard"}, {"params": {"margin": 25}}])
def test_other_questions_are_refused_without_force(tmp_path: Path, other: dict[str, Any]) -> None:
    make(tmp_path)
    before = records(tmp_path)
    with pytest.raises(
        ConflictError, match=r"dot_task holds other questions \(6; dot_0000: its (seed|params) is .*--force"
    ):
        make(tmp_path, 8, **other)
    assert records(tmp_path) == before
    summary = make(tmp_path, 4, force=True, **other)
    assert summary.tasks[0].drawn == 4
    assert len(records(tmp_path)) == 4
    assert all(record["seed"] == other.get("seed", 42) for record in records(tmp_path).values())


def test_the_same_recipe_with_another_puzzle_is_refused_too(tmp_path: Path) -> None:
    make(tmp_path)
    path = tmp_path / "dot_task" / "dot_0001" / "question_metadata.json"
    record = json.loads(path.read_text())
    record["puzzle"]["level"] += 1
    path.write_text(json.dumps(record))
    with pytest.raises(ConflictError, match="dot_0001: its puzzle or prompt differs"):
        make(tmp_path)
    assert make(tmp_path, force=True).tasks[0].drawn == 1
    assert make(tmp_path).tasks[0].kept == 6


def test_questions_made_by_hand_are_left_alone(tmp_path: Path) -> None:
    for name in ("my_dot", "dot_0001"):
        folder = tmp_path / "dot_task" / name
        folder.mkdir(parents=True)
        (folder / "first_frame.png").write_bytes(b"image")
        (folder / "prompt.txt").write_text("my own")
    with pytest.raises(ConflictError, match="dot_0001: it was not generated"):
        make(tmp_path)
    shutil.rmtree(tmp_path / "dot_task" / "dot_0001")
    make(tmp_path)
    make(tmp_path, seed=5, force=True)
    assert (tmp_path / "dot_task" / "my_dot" / "prompt.txt").read_text() == "my own"
    assert len(load_questions(tmp_path)) == 7


def test_the_index_lists_every_task_in_the_folder(tmp_path: Path) -> None:
    make(tmp_path / "questions", 2, seed=7)
    summary = generate([Ring(), Ring()], 3, out=tmp_path / "questions", difficulty="hard", workers=2)
    index = json.loads(summary.index.read_text())
    assert summary.index == tmp_path / "questions" / "vmeval_dataset.json"
    assert set(index) == {"name", "description", "created_at", "total_pairs", "generation_info", "pairs"}
    assert index["total_pairs"] == 5
    assert [pair["id"] for pair in index["pairs"]] == ["dot_0000", "dot_0001", "ring_0000", "ring_0001", "ring_0002"]
    assert index["pairs"] == [question.metadata for question in load_questions(tmp_path / "questions")]
    made = index["generation_info"]["tasks"]
    assert (made["dot"]["seed"], made["ring"]["seed"]) == (7, 42)
    assert (made["ring"]["difficulty"], made["ring"]["params"]) == ("hard", {"margin": 18})
    assert made["ring"]["fingerprint"] == summary.tasks[0].fingerprint
    listed = json.loads((tmp_path / "ring_tasks" / "ring_tasks.json").read_text())
    assert listed["name"] == "ring_tasks"
    assert listed["pairs"] == index["pairs"][2:]


def test_a_damaged_index_is_made_anew(tmp_path: Path) -> None:
    summary = make(tmp_path, 2)
    summary.index.write_text("{")
    make(tmp_path, 2)
    assert json.loads(summary.index.read_text())["total_pairs"] == 2


def test_solutions_are_rendered_and_added_where_they_are_missing(tmp_path: Path) -> None:
    make(tmp_path, 1)
    make(tmp_path, 2, solutions=True, workers=2)
    videos = sorted(tmp_path.rglob("solution.mp4"))
    assert [video.parent.name for video in videos] == ["dot_0000", "dot_0001"]
    times = [video.stat().st_mtime_ns for video in videos]
    summary = make(tmp_path, 2, solutions=True)
    assert summary.tasks[0].kept == 2
    assert [video.stat().st_mtime_ns for video in videos] == times


@pytest.mark.parametrize("workers", [1, 2])
def test_a_question_that_cannot_be_drawn_costs_no_other(tmp_path: Path, workers: int) -> None:
    summary = make(tmp_path, 9, Shy(), workers=workers)
    made = summary.tasks[0]
    assert made.failures
    assert all(failure.type_name == "ArithmeticError" and "level" in str(failure) for _, failure in made.failures)
    assert made.drawn == 9 - len(made.failures) == len(records(tmp_path, "shy"))
    assert {name for name, _ in made.failures}.isdisjoint(records(tmp_path, "shy"))
    assert not [path for path in visible(tmp_path) if "/." in path]


def test_running_out_keeps_what_was_drawn(tmp_path: Path) -> None:
    [made] = make(tmp_path, 8, Few()).tasks
    assert made.drawn == 5 and "only 5 were found" in str(made.exhausted)
    assert make(tmp_path, 5, Few()).tasks[0].kept == 5


def test_bad_input_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    out = tmp_path / "questions"
    with pytest.raises(UnknownName, match="no difficulty of dot 'hrad'; did you mean 'hard'"):
        make(out, difficulty="hrad")
    with pytest.raises(UnknownName, match="no param of dot 'margn'; did you mean 'margin'"):
        make(out, params={"margn": 3})
    with pytest.raises(UsageError, match=r"margin='wide' is not of the type int"):
        make(out, params={"margin": "wide"})
    with pytest.raises(UsageError, match="0 questions"):
        make(out, 0)
    with pytest.raises(UsageError, match="number of workers is 0"):
        make(out, workers=0)
    assert not out.exists()


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    with lock(tmp_path / "dot_task"), pytest.raises(ConflictError, match="another process is writing"):
        make(tmp_path)


def damage(folder: Path, what: str) -> None:
    first, final, prompt = folder / "first_frame.png", folder / "final_frame.png", folder / "prompt.txt"
    if what == "halved":
        first.write_bytes(first.read_bytes()[: first.stat().st_size // 2])
    elif what == "deleted":
        final.unlink()
    elif what == "rewritten prompt":
        prompt.write_text("Do something else.")
    elif what == "emptied":
        first.write_bytes(b"")
    elif what == "swapped":
        data = first.read_bytes()
        first.write_bytes(final.read_bytes())
        final.write_bytes(data)
    elif what == "changed pixel":
        image = read_image(first)
        image[5, 5] ^= 1
        first.write_bytes(encode_png(image))


@pytest.mark.parametrize("what", ["halved", "deleted", "rewritten prompt", "emptied", "swapped", "changed pixel"])
def test_a_damaged_question_is_named_and_drawn_again(tmp_path: Path, what: str) -> None:
    make(tmp_path)
    before = {
        path.name: path.read_bytes() for path in (tmp_path / "dot_task/dot_0002").iterdir() if path.suffix != ".json"
    }
    damage(tmp_path / "dot_task/dot_0002", what)
    verify = what in ("swapped", "changed pixel")
    if verify:
        assert make(tmp_path).tasks[0].kept == 6  # what the cheap check cannot see
    [made] = make(tmp_path, verify=verify).tasks
    assert (made.drawn, made.kept, [name for name, _ in made.repaired]) == (1, 5, ["dot_0002"])
    after = {
        path.name: path.read_bytes() for path in (tmp_path / "dot_task/dot_0002").iterdir() if path.suffix != ".json"
    }
    assert after == before


def make_digests_old(folder: Path) -> None:
    """Replace the digests in a question's record with those that older versions wrote."""
    path = folder / "question_metadata.json"
    record = json.loads(path.read_text())
    record["pixel_digests"] = {"first_frame": "a1b2c3d4" * 2, "final_frame": "01234567" * 2}
    path.write_text(json.dumps(record))


def test_old_digests_are_replaced_where_the_images_are_right(tmp_path: Path) -> None:
    [before] = make(tmp_path).tasks
    for number in range(6):
        make_digests_old(tmp_path / f"dot_task/dot_{number:04d}")
    damage(tmp_path / "dot_task/dot_0004", "swapped")
    images = (tmp_path / "dot_task/dot_0001/first_frame.png").stat().st_mtime_ns
    with pytest.raises(ConflictError, match="nothing was changed"):
        make(tmp_path, seed=7)
    [made] = make(tmp_path).tasks
    assert (made.kept, [name for name, _ in made.repaired]) == (5, ["dot_0004"])
    assert made.pixel_fingerprint == before.pixel_fingerprint
    assert (tmp_path / "dot_task/dot_0001/first_frame.png").stat().st_mtime_ns == images
    [again] = make(tmp_path, verify=True).tasks
    assert (again.kept, again.repaired, again.pixel_fingerprint) == (6, (), before.pixel_fingerprint)


def test_a_refusal_changes_nothing(tmp_path: Path) -> None:
    make(tmp_path)
    damage(tmp_path / "dot_task/dot_0001", "emptied")
    damage(tmp_path / "dot_task/dot_0002", "halved")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and ".lock" not in path.name}
    with pytest.raises(ConflictError, match="nothing was changed"):
        make(tmp_path, seed=7)
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and ".lock" not in path.name}
    assert after == before


def test_difficulties_take_turns_in_one_folder(tmp_path: Path) -> None:
    summary = generate(["rotation_puzzle"], 7, difficulty="easy,medium,hard", out=tmp_path)
    questions = load_questions(tmp_path)
    assert [question.metadata["difficulty"] for question in questions] == ["easy", "medium", "hard"] * 2 + ["easy"]
    presets = TASKS["rotation_puzzle"].difficulties
    assert all(
        question.metadata["params"] == to_json(presets[question.metadata["difficulty"]]) for question in questions
    )
    again = generate(["rotation_puzzle"], 9, difficulty="easy,medium,hard", out=tmp_path)
    assert (again.tasks[0].kept, again.tasks[0].drawn) == (7, 2)
    alone = generate(["rotation_puzzle"], 7, difficulty="easy,medium,hard", out=tmp_path / "alone")
    assert alone.tasks[0].fingerprint == summary.tasks[0].fingerprint
    with pytest.raises(ConflictError, match="its params"):
        generate(["rotation_puzzle"], 7, difficulty="easy", out=tmp_path)
    with pytest.raises(UnknownName, match="heavy"):
        generate(["rotation_puzzle"], 7, difficulty="easy,heavy", out=tmp_path)


def test_a_task_with_too_few_questions_makes_what_it_has_and_the_others_go_on(tmp_path: Path) -> None:
    sudoku, other = generate(["sudoku", "object_subtraction"], 110, out=tmp_path).tasks
    assert (sudoku.drawn, sudoku.asked) == (108, 110) and "only 108 exist" in str(sudoku.exhausted)
    assert (other.drawn, other.exhausted) == (110, None)
    again = generate(["sudoku"], 110, out=tmp_path).tasks[0]
    assert (again.kept, again.drawn) == (108, 0) and again.exhausted
