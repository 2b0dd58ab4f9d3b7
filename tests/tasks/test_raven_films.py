"""Every film gets the verdict it deserves, read from its drawn frames."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from drawn_films import check_verdicts

from vmevalkit.tasks.raven_task import TASK, Tile
from vmevalkit.tasks.raven_task.raven_reasoning import ANSWER
from vmevalkit.tasks.raven_task.vocabulary import ATTRIBUTES, ORIENTED

ALWAYS = {
    "wrong_shape": "fail",
    "wrong_number": "fail",
    "wrong_colour": "fail",
    "given_copied": "fail",
    "empty_tile": "fail",
    "question_left": "fail",
    "scribbled": "fail",
    "half_faded": "fail",
    "answer_destroyed": "fail",
    "given_changed": "fail",
    "given_lost": "fail",
    "given_scribbled": "fail",
    "snaps": "pass",
    "corrected": "pass",
    "given_restored": "pass",
    "erased_first": "pass",
    "other_arrangement": "pass",
    "other_size": "pass",
}
SOMETIMES = {"wrong_rotation": "fail", "givens_swapped": "fail", "one_by_one": "pass"}


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_what_fails_is_not_solved(difficulty: str) -> None:
    check_verdicts(TASK, difficulty, puzzles=3, failing_below=1)


def test_films_begin_with_the_first_frame_and_change() -> None:
    told: Counter[str] = Counter()
    for seed in range(60):
        puzzle = TASK.sample(Random(seed), TASK.preset(("easy", "medium", "hard")[seed % 3]))
        films = TASK.films(puzzle, Random(seed))
        assert {name: film.expected for name, film in films.items()}.items() <= {**ALWAYS, **SOMETIMES}.items()
        told.update(films.keys())
        for name, film in films.items():
            assert film.why
            assert film.state_at(0.0) == TASK.solution(puzzle, 0.0), name
            assert any(film.state_at(i / 20) != film.state_at(0.0) for i in range(1, 21)), name
            assert TASK.accepted(puzzle, film.state_at(1.0)) == (film.expected == "pass"), name
    assert all(told[name] == 60 for name in ALWAYS), told
    assert all(told[name] >= 20 for name in SOMETIMES), told


def test_the_films_do_what_they_say() -> None:
    for seed in range(20):
        puzzle = TASK.sample(Random(seed), TASK.preset("hard"))
        final = {name: film.state_at(1.0) for name, film in TASK.films(puzzle, Random(seed)).items()}
        for attribute in ATTRIBUTES:
            if f"wrong_{attribute}" in final:
                shown = final[f"wrong_{attribute}"].readings[ANSWER]
                assert isinstance(shown, Tile)
                assert [name for name in ATTRIBUTES if shown.value(name) != puzzle.answer.value(name)] == [attribute]
        assert ("wrong_rotation" in final) == (puzzle.answer.shape in ORIENTED)
        assert final["given_copied"].readings[ANSWER] in puzzle.tiles[:ANSWER]
        assert final["empty_tile"].readings[ANSWER] == "empty"
        assert final["question_left"].cells[ANSWER].question == 1
        for name in ("given_changed", "given_lost", "given_scribbled"):
            readings = final[name].readings
            assert readings[ANSWER] == puzzle.answer
            assert sum(a != b for a, b in zip(readings, puzzle.tiles, strict=True)) == 1
        destroyed = TASK.films(puzzle, Random(seed))["answer_destroyed"]
        assert TASK.accepted(puzzle, destroyed.state_at(0.7))
