"""Every film gets the verdict it deserves, read from its drawn frames, and some from coded films."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from drawn_films import judged

from vmevalkit.baselines.artefacts import ARTEFACTS
from vmevalkit.baselines.baseline import film as filmed
from vmevalkit.baselines.baseline import trick_for, write
from vmevalkit.core.records import Score
from vmevalkit.eval.api import score_puzzle
from vmevalkit.tasks.object_subtraction_task import TASK, ObjectSubtraction, ObjectSubtractionKnobs

ALWAYS = {
    "wrong_object": "fail",
    "one_too_many": "fail",
    "all_removed": "fail",
    "come_back": "fail",
    "half_faded": "fail",
    "kept_moved": "fail",
    "kept_recoloured": "fail",
    "kept_reshaped": "fail",
    "kept_resized": "fail",
    "repainted": "fail",
    "nudged": "pass",
    "jitter": "pass",
    "restored": "pass",
    "together": "pass",
}
SOMETIMES = {
    "one_too_few": "fail", "object_added": "fail", "other_order": "pass", "faded": "pass", "slid_out": "pass",
    "shrunk": "pass",
}  # fmt: skip
ALL = ObjectSubtractionKnobs(levels=("L1", "L2", "L3", "L4"))


@pytest.mark.parametrize("animation", ["fade", "slide", "shrink"])
def test_every_film_gets_its_verdict(animation: str) -> None:
    seen: Counter[str] = Counter()
    for seed in range(6):
        puzzle = TASK.sample(Random(seed), replace(ALL, animation=animation))
        films = TASK.films(puzzle, Random(seed))
        assert {name: films[name].expected for name in ALWAYS} == ALWAYS
        assert {name: film.expected for name, film in films.items()}.items() <= (ALWAYS | SOMETIMES).items()
        seen.update(list(films))
        for name, film in films.items():
            score = judged(TASK, puzzle, film)
            assert score.passed == (film.expected == "pass"), (seed, name, score.explanation)
    ways = {"fade": "faded", "slide": "slid_out", "shrink": "shrunk"}
    assert set(seen) == {*ALWAYS, *SOMETIMES} - {ways[animation]}


def test_films_work_on_a_large_canvas() -> None:
    puzzle = TASK.sample(Random(5), replace(ALL, canvas=512))
    for name, film in TASK.films(puzzle, Random(5)).items():
        score = judged(TASK, puzzle, film)
        assert score.passed == (film.expected == "pass"), (name, score.explanation)


@pytest.mark.parametrize(
    ("name", "finding"),
    [
        ("wrong_object", "kept_lost"),
        ("one_too_many", "kept_lost"),
        ("kept_moved", "kept_moved"),
        ("kept_recoloured", "kept_recoloured"),
        ("kept_reshaped", "kept_reshaped"),
        ("kept_resized", "kept_resized"),
        ("object_added", "object_added"),
    ],
)
def test_films_fail_for_their_own_reason(name: str, finding: str) -> None:
    told = Counter(
        found.name
        for seed in range(10)
        if name in (films := TASK.films(puzzle := TASK.sample(Random(seed), ALL), Random(seed)))
        for found in judged(TASK, puzzle, films[name]).findings
        if found.gating
    )
    assert told[finding] >= 6 and told.most_common(1)[0][0] == finding


def scored(puzzle: ObjectSubtraction, name: str, artefact: str, path: Path, fps: float = 24.0) -> Score:
    """A trick filmed, coded and scored, with registration."""
    rng = Random(f"{name}:{artefact}")
    trick = trick_for(TASK, puzzle, name, rng)
    assert trick is not None
    write(filmed(TASK, puzzle, trick, ARTEFACTS[artefact], rng, 3.0, fps), path)
    return score_puzzle(TASK, puzzle, path)


SEVERAL = TASK.sample(Random(3), ObjectSubtractionKnobs(levels=("L2",)))


@pytest.mark.parametrize(
    ("trick", "value"),
    [("oracle", 5), ("fps8", 5), ("cut_to_final", 4), ("crossfade", 4), ("static", 1), ("slid_out", 5), ("shrunk", 5)],
)
def test_values_of_coded_films(trick: str, value: int, tmp_path: Path) -> None:
    assert len(SEVERAL.targets) > 1
    score = scored(SEVERAL, trick, "plain", tmp_path / "film.mp4")
    assert score.value == value, score.explanation
    assert score.passed == (value >= 4)
    if trick == "static":
        assert score.outcome == 0.0 and score.failure_mode == "static"


@pytest.mark.parametrize("artefact", list(ARTEFACTS))
def test_the_solution_passes_and_a_moved_object_fails_through_every_artefact(artefact: str, tmp_path: Path) -> None:
    for seed, level in ((1, "L1"), (2, "L3")):
        puzzle = TASK.sample(Random(seed), ObjectSubtractionKnobs(levels=(level,)))
        right = scored(puzzle, "oracle", artefact, tmp_path / f"{seed}.mp4", 12.0)
        assert right.passed, right.explanation
        assert right.metrics["kept_object_stability"] < 2.0
        assert right.metrics["final_object_match"] > 0.93
        wrong = scored(puzzle, "kept_moved", artefact, tmp_path / f"{seed}-wrong.mp4", 12.0)
        assert not wrong.passed and wrong.value is not None
