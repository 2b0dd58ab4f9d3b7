"""Every film gets the verdict it deserves, read from its drawn frames."""

from __future__ import annotations

from random import Random

import pytest
from drawn_films import gold, judged, still

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.rotation_puzzle_task import TASK, RotationPuzzleKnobs, Scene
from vmevalkit.tasks.task import Film

ALWAYS = {
    "repainted": "fail",
    "one_jumps": "fail",
    "fades_away_and_back": "fail",
    "travels": "fail",
    "square_moved": "fail",
    "pipe_vanishes": "fail",
    "pipe_added": "fail",
    "colour_changed": "fail",
    "turned_too_little": "fail",
    "overturned": "fail",
    "pipe_reshaped": "fail",
    "overshoot_settles": "pass",
    "other_way_round": "pass",
    "all_at_once": "pass",
    "other_order": "pass",
}
KNOBS = {
    "medium": TASK.preset("medium"),
    "kinds": RotationPuzzleKnobs(2, 2, ("L", "I", "T"), 1, 3),
    "nine": RotationPuzzleKnobs(3, 3, ("L", "I", "T"), 2, 4),
}


@pytest.mark.parametrize("name", KNOBS)
def test_every_film_gets_its_verdict(name: str) -> None:
    for seed, puzzle in enumerate(plan(TASK, 2, 11, KNOBS[name])):
        films = TASK.films(puzzle, Random(seed))
        assert {film: films[film].expected for film in ALWAYS} == ALWAYS
        assert set(films) - set(ALWAYS) <= {"another_answer", "one_short"}
        assert ("one_short" in films) == (len(puzzle.to_turn) > 1)
        for film_name, film in films.items():
            assert judged(TASK, puzzle, film).passed == (film.expected == "pass"), (film_name, seed, puzzle)


@pytest.mark.parametrize("name", KNOBS)
@pytest.mark.parametrize(("seconds", "fps"), [(2.0, 8.0), (4.0, 24.0)])
def test_gold_passes_and_a_still_film_and_a_cut_do_not(name: str, seconds: float, fps: float) -> None:
    puzzle = plan(TASK, 1, 7, KNOBS[name])[0]
    assert judged(TASK, puzzle, gold(TASK, puzzle), seconds, fps).passed
    assert not judged(TASK, puzzle, still(TASK, puzzle), seconds, fps).passed
    cut: Film[Scene] = Film(lambda t: TASK.solution(puzzle, float(t > 0.5)), "fail", "cut")
    assert not judged(TASK, puzzle, cut, seconds, fps).passed


def test_films_begin_with_the_first_frame_and_change() -> None:
    for knobs in KNOBS.values():
        for seed, puzzle in enumerate(plan(TASK, 6, 3, knobs)):
            first = TASK.solution(puzzle, 0.0)
            for name, film in TASK.films(puzzle, Random(seed)).items():
                assert film.state_at(0.0) == first, name
                assert film.why
                assert any(film.state_at(i / 20) != first for i in range(1, 21)), name


def test_the_films_do_what_they_say() -> None:
    others = 0
    for seed, puzzle in enumerate(plan(TASK, 30, 5, TASK.preset("medium"))):
        films = TASK.films(puzzle, Random(seed))
        end = {name: film.state_at(1.0) for name, film in films.items()}
        right = {name for name, film in films.items() if film.expected == "pass"}
        assert all(TASK.accepted(puzzle, end[name]) for name in right)
        on_the_way = {"repainted", "one_jumps", "fades_away_and_back", "travels"}
        assert all(TASK.accepted(puzzle, end[name]) for name in on_the_way)
        assert not any(TASK.accepted(puzzle, end[name]) for name in set(films) - right - on_the_way)
        assert any(TASK.accepted(puzzle, films["overturned"].state_at(i / 60)) for i in range(61))
        assert max(len(films["repainted"].state_at(i / 60).pipes) for i in range(61)) == 5
        assert len(end["pipe_added"].new) == 1 and len(end["pipe_vanishes"].pipes) == 3
        if "another_answer" in films:
            others += 1
            assert end["another_answer"] != TASK.solution(puzzle, 1.0)
    assert others == 30


def test_the_middle_of_a_solution_is_no_answer_yet() -> None:
    for knobs in KNOBS.values():
        for puzzle in plan(TASK, 30, 9, knobs):
            assert not any(TASK.accepted(puzzle, TASK.solution(puzzle, k / 60)) for k in range(45))
