"""Baselines as models: names, videos, placements, and questions without a puzzle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vmevalkit.baselines import BASELINES, DEGRADATIONS, TRICKS, BaselineRequest, list_baselines
from vmevalkit.baselines.tricks import build_task_tricks
from vmevalkit.core.errors import ModelError, UnknownName
from vmevalkit.core.randomness import rng_for
from vmevalkit.core.records import Request
from vmevalkit.media.image import encode_png
from vmevalkit.media.video import last_frame, probe, read_frames
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.planning import plan

NAMES = sorted(TASKS)


def make_request(task: str = "maze", sample: int = 0, seconds: float = 1.5, **more: Any) -> BaselineRequest:
    puzzle = plan(TASKS[task], 1, 3, TASKS[task].preset())[0]
    request = Request(f"{task}_0000", "Solve it.", Path("first_frame.png"), seconds, sample=sample, **more)
    return BaselineRequest(request, task, puzzle)


@pytest.mark.parametrize("task", NAMES)
def test_every_task_has_a_verdict_for_every_generic_trick(task: str) -> None:
    assert set(TASKS[task].tricks) == set(TRICKS)
    assert set(TASKS[task].tricks.values()) <= {"pass", "fail", "n/a"}


@pytest.mark.parametrize("task", NAMES)
def test_the_names_of_a_tasks_own_tricks_are_not_those_of_generic_tricks(task: str) -> None:
    puzzles = plan(TASKS[task], 3, 11, TASKS[task].preset())
    for index, puzzle in enumerate(puzzles):
        own = build_task_tricks(TASKS[task], puzzle, rng_for(index))
        assert own
        assert not own.keys() & TRICKS.keys()
        assert not any("+" in name or "/" in name for name in own)


def test_tricks_and_combinations_with_degradations_are_known_names() -> None:
    assert set(TRICKS) < set(BASELINES)
    assert "through_wall" in BASELINES
    assert "oracle+letterbox_black" in BASELINES
    assert "oracle+sepia" not in BASELINES
    assert "luma-ray-2" not in BASELINES
    assert BASELINES["oracle+plain"].name == "oracle"
    assert BASELINES["through_wall+crf35"].name == "through_wall+crf35"


def test_the_description_says_that_it_is_a_baseline() -> None:
    for name in (*BASELINES, "oracle+zoom_75"):
        spec = BASELINES[name].spec
        assert spec.name == name
        assert spec.family == "baseline"
        assert spec.description.startswith("Baseline: ")
    assert BASELINES["static+blur"].spec.description.endswith("; a blur of 1 to 2 pixels")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("orcale", "no model 'orcale'; did you mean 'oracle'"),
        ("orcale+blur", "no model 'orcale'; did you mean 'oracle'"),
        ("oracle+blurr", "no degradation 'blurr'; did you mean 'blur'"),
        ("oracle+", "no degradation ''"),
    ],
)
def test_an_unknown_name_gets_the_nearest_known_one(name: str, message: str) -> None:
    with pytest.raises(UnknownName, match=message.replace("+", r"\+")):
        BASELINES[name]


@pytest.mark.parametrize("name", ["oracle", "noise", "through_wall", "oracle+hand"])
def test_a_video_depends_only_on_name_question_and_sample(name: str, tmp_path: Path) -> None:
    first, again, other = (tmp_path / f"{which}.mp4" for which in ("first", "again", "other"))
    BASELINES[name].generate(make_request(), first)
    BASELINES[name].generate(make_request(), again)
    assert first.read_bytes() == again.read_bytes()
    BASELINES[name].generate(make_request(sample=1), other)
    if name in ("noise", "oracle+hand"):
        assert first.read_bytes() != other.read_bytes()


@pytest.mark.parametrize("task", NAMES)
def test_the_oracle_ends_with_the_final_frame(task: str, tmp_path: Path) -> None:
    request = make_request(task)
    assert BASELINES["oracle"].generate(request, tmp_path / "video.mp4") is None
    final = TASKS[task].final_frame(request.puzzle).astype(int)
    assert np.abs(last_frame(tmp_path / "video.mp4").astype(int) - final).mean() < 4
    info = probe(tmp_path / "video.mp4")
    assert info.fps == 24
    assert info.seconds == pytest.approx(1.5, abs=0.05)


def test_length_frame_rate_and_size_are_those_of_the_request(tmp_path: Path) -> None:
    placement = BASELINES["static"].generate(
        make_request(seconds=2.0, fps=10.0, size=(640, 480)), tmp_path / "video.mp4"
    )
    info = probe(tmp_path / "video.mp4")
    assert (info.width, info.height, info.fps) == (640, 480, 10)
    assert len(list(read_frames(tmp_path / "video.mp4"))) == 20
    assert placement is not None
    assert placement.canvas == (640, 480)


def test_a_fitted_video_returns_its_placement(tmp_path: Path) -> None:
    for name, degradation in DEGRADATIONS.items():
        if degradation.choose_fit:
            placement = BASELINES[f"static+{name}"].generate(make_request(seconds=0.2), tmp_path / f"{name}.mp4")
            info = probe(tmp_path / f"{name}.mp4")
            assert placement is not None
            assert placement.canvas == (info.width, info.height)


def test_the_trick_of_another_task_does_not_apply(tmp_path: Path) -> None:
    baseline, request = BASELINES["through_wall"], make_request("rotation")
    assert baseline.applies_to(make_request("maze"))
    assert not baseline.applies_to(request)
    assert BASELINES["static"].applies_to(request)
    with pytest.raises(ModelError, match=r"'through_wall' has no video of rotation_0000: rotation has no such trick"):
        baseline.generate(request, tmp_path / "video.mp4")
    assert not list(tmp_path.iterdir())


@pytest.fixture
def photo(tmp_path: Path) -> BaselineRequest:
    """A request of a user's own question: an image of any size, and no puzzle."""
    image = np.zeros((90, 122, 3), np.uint8)
    image[20:60, 30:70] = (200, 30, 30)
    (tmp_path / "first_frame.png").write_bytes(encode_png(image))
    return BaselineRequest(Request("my_door", "Open it.", tmp_path / "first_frame.png", 1.0))


def test_static_shows_the_first_frame_of_any_question(photo: BaselineRequest, tmp_path: Path) -> None:
    assert BASELINES["static"].applies_to(photo)
    assert BASELINES["static"].generate(photo, tmp_path / "video.mp4") is None
    frames = [timed.frame.astype(int) for timed in read_frames(tmp_path / "video.mp4")]
    assert len(frames) == 24
    for frame in (frames[0], frames[-1]):
        assert frame.shape == (90, 122, 3)
        assert frame[40, 50] == pytest.approx([200, 30, 30], abs=8)
        assert frame[80, 100].max() < 8


def test_noise_works_on_any_question(photo: BaselineRequest, tmp_path: Path) -> None:
    assert BASELINES["noise"].applies_to(photo)
    BASELINES["noise"].generate(photo, tmp_path / "video.mp4")
    last = last_frame(tmp_path / "video.mp4")
    assert last.shape == (90, 122, 3)
    assert last[70:, 80:].std() > 40  # where the question's image is black


def test_a_degradation_works_on_any_question(photo: BaselineRequest, tmp_path: Path) -> None:
    placement = BASELINES["static+letterbox_grey"].generate(photo, tmp_path / "video.mp4")
    assert placement is not None
    info = probe(tmp_path / "video.mp4")
    assert placement.canvas == (info.width, info.height) != (122, 90)
    BASELINES["static+fps8"].generate(photo, tmp_path / "slow.mp4")
    assert probe(tmp_path / "slow.mp4").fps == 8


@pytest.mark.parametrize("name", ["oracle", "through_wall", "oracle+blur"])
def test_other_tricks_need_a_puzzle_and_say_so(photo: BaselineRequest, name: str, tmp_path: Path) -> None:
    assert not BASELINES[name].applies_to(photo)
    with pytest.raises(ModelError) as caught:
        BASELINES[name].generate(photo, tmp_path / "video.mp4")
    assert str(caught.value) == (
        f"the baseline {name!r} needs a puzzle, and my_door has none; use static, noise or a real model"
    )
    assert not (tmp_path / "video.mp4").exists()


def test_the_list_of_baselines_says_what_each_applies_to() -> None:
    infos = {info.name: info for info in list_baselines()}
    assert list(infos) == list(BASELINES)
    assert infos["static"].scope == infos["noise"].scope == "any image"
    assert infos["oracle"].scope == "every task"
    assert infos["through_wall"].scope == "maze"
    assert all(info.description and info.tasks for info in infos.values())
    for name, info in infos.items():
        assert info.description == BASELINES[name].description
        assert info.needs_puzzle == BASELINES[name].needs_puzzle
