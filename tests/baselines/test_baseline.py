"""Baselines as models: names, films, placements."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vmevalkit.baselines import ARTEFACTS, BASELINES, TRICKS, BaselineRequest
from vmevalkit.baselines.tricks import own_tricks
from vmevalkit.core.errors import ModelError, UnknownName
from vmevalkit.core.randomness import rng_for
from vmevalkit.core.records import Request
from vmevalkit.media.video import last_frame, probe, read_frames
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.planning import plan

NAMES = sorted(TASKS)


def asked(task: str = "maze", sample: int = 0, seconds: float = 1.5, **more: Any) -> BaselineRequest:
    puzzle = plan(TASKS[task], 1, 3, TASKS[task].preset())[0]
    request = Request(f"{task}_0000", "Solve it.", Path("first_frame.png"), seconds, sample=sample, **more)
    return BaselineRequest(request, task, puzzle)


@pytest.mark.parametrize("task", NAMES)
def test_every_task_says_what_every_generic_trick_deserves(task: str) -> None:
    assert set(TASKS[task].tricks) == set(TRICKS)
    assert set(TASKS[task].tricks.values()) <= {"pass", "fail", "n/a"}


@pytest.mark.parametrize("task", NAMES)
def test_a_tasks_own_films_have_names_of_their_own(task: str) -> None:
    made = TASKS[task]
    for index, puzzle in enumerate(plan(made, 3, 11, made.preset())):
        own = own_tricks(made, puzzle, rng_for(index))
        assert own
        assert not own.keys() & TRICKS.keys()
        assert not any("+" in name or "/" in name for name in own)


def test_names() -> None:
    assert set(TRICKS) < set(BASELINES)
    assert "through_wall" in BASELINES
    assert "oracle+letterbox_black" in BASELINES
    assert "oracle+sepia" not in BASELINES
    assert "luma-ray-2" not in BASELINES
    assert BASELINES["oracle+plain"].name == "oracle"
    assert BASELINES["through_wall+crf35"].name == "through_wall+crf35"


def test_each_is_named_as_a_stand_in() -> None:
    for name in (*BASELINES, "oracle+zoom_75"):
        spec = BASELINES[name].spec
        assert spec.name == name
        assert spec.family == "baseline"
        assert spec.description.startswith("Stand-in: ")
    assert BASELINES["static+blur"].spec.description.endswith("; a blur of 1 to 2 pixels")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("orcale", "no model 'orcale'; did you mean 'oracle'"),
        ("orcale+blur", "no model 'orcale'; did you mean 'oracle'"),
        ("oracle+blurr", "no artefact 'blurr'; did you mean 'blur'"),
        ("oracle+", "no artefact ''"),
    ],
)
def test_unknown_names_get_the_nearest_one(name: str, told: str) -> None:
    with pytest.raises(UnknownName, match=told.replace("+", r"\+")):
        BASELINES[name]


@pytest.mark.parametrize("name", ["oracle", "noise", "through_wall", "oracle+hand"])
def test_a_film_depends_on_name_question_and_sample_alone(name: str, tmp_path: Path) -> None:
    first, again, other = (tmp_path / f"{which}.mp4" for which in ("first", "again", "other"))
    BASELINES[name].generate(asked(), first)
    BASELINES[name].generate(asked(), again)
    assert first.read_bytes() == again.read_bytes()
    BASELINES[name].generate(asked(sample=1), other)
    if name in ("noise", "oracle+hand"):
        assert first.read_bytes() != other.read_bytes()


@pytest.mark.parametrize("task", NAMES)
def test_the_oracle_ends_solved(task: str, tmp_path: Path) -> None:
    wanted = asked(task)
    assert BASELINES["oracle"].generate(wanted, tmp_path / "film.mp4") is None
    final = TASKS[task].final_frame(wanted.puzzle).astype(int)
    assert np.abs(last_frame(tmp_path / "film.mp4").astype(int) - final).mean() < 4
    info = probe(tmp_path / "film.mp4")
    assert info.fps == 24
    assert info.seconds == pytest.approx(1.5, abs=0.05)


def test_length_rate_and_size_are_as_asked(tmp_path: Path) -> None:
    placement = BASELINES["static"].generate(asked(seconds=2.0, fps=10.0, size=(640, 480)), tmp_path / "film.mp4")
    info = probe(tmp_path / "film.mp4")
    assert (info.width, info.height, info.fps) == (640, 480, 10)
    assert len(list(read_frames(tmp_path / "film.mp4"))) == 20
    assert placement is not None
    assert placement.canvas == (640, 480)


def test_a_fitted_film_returns_its_placement(tmp_path: Path) -> None:
    for name, artefact in ARTEFACTS.items():
        if artefact.fits:
            placement = BASELINES[f"static+{name}"].generate(asked(seconds=0.2), tmp_path / f"{name}.mp4")
            info = probe(tmp_path / f"{name}.mp4")
            assert placement is not None
            assert placement.canvas == (info.width, info.height)


def test_another_tasks_trick_does_not_apply(tmp_path: Path) -> None:
    baseline, wanted = BASELINES["through_wall"], asked("rotation")
    assert baseline.applies(asked("maze"))
    assert not baseline.applies(wanted)
    assert BASELINES["static"].applies(wanted)
    with pytest.raises(ModelError, match=r"'through_wall' has no film of rotation_0000: it is no trick of rotation"):
        baseline.generate(wanted, tmp_path / "film.mp4")
    assert not list(tmp_path.iterdir())
