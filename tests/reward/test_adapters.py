"""Adapters, called as their trainers call them: the signatures are in their docstrings, with repository and commit."""

from __future__ import annotations

import base64
import json
from inspect import signature
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.reward.solutions import show_solution
from vmevalkit.core.errors import MediaError, UsageError
from vmevalkit.media.image import encode_png
from vmevalkit.media.video import write_video
from vmevalkit.reward import RewardFunction
from vmevalkit.reward.adapters import find_question_id, mark_prompt
from vmevalkit.reward.adapters.dance_grpo import DanceGrpoReward
from vmevalkit.reward.adapters.flow_factory import find_names, parse_compute
from vmevalkit.reward.adapters.flow_grpo import make_flow_grpo_reward
from vmevalkit.reward.adapters.trl import make_trl_reward
from vmevalkit.reward.adapters.verl import make_compute_score

FPS = 12.0
NAME = "clock_0000"


@pytest.fixture(scope="module")
def reward() -> RewardFunction:
    return RewardFunction(tasks=["clock"], n=2, seed=4)


@pytest.fixture(scope="module")
def solved(reward: RewardFunction) -> np.ndarray:
    return show_solution(reward, NAME)


@pytest.fixture(scope="module")
def still(solved: np.ndarray) -> np.ndarray:
    return np.repeat(solved[:1], len(solved), axis=0)


def test_trl(reward: RewardFunction, solved: np.ndarray, still: np.ndarray) -> None:
    """As ``GRPOTrainer`` calls it: ids, columns of the dataset and settings come as further keywords."""

    def render(completion: str, question_id: str) -> np.ndarray:
        return {"right": solved, "still": still}[completion]

    function = make_trl_reward(reward, render, FPS)
    assert function.__name__ == "vmevalkit_reward", "the trainer logs it by its name"
    rewards = function(
        prompts=["p"] * 3, completions=["right", "still", "nonsense"], completion_ids=[[1], [2], [3]],
        question_id=[NAME] * 3, trainer_state=None, log_extra=print, log_metric=print,
    )  # fmt: skip
    assert rewards == [1.0, 0.0, 0.0]


def test_flow_grpo(reward: RewardFunction, solved: np.ndarray, still: np.ndarray) -> None:
    """As its training scripts call it: positionally, with floats of (batch, time, channels, height, width)."""
    function = make_flow_grpo_reward(reward, FPS)
    assert list(signature(function).parameters) == ["images", "prompts", "metadata", "ref_images", "only_strict"]
    videos = (np.stack([solved, still]) / 255).astype(np.float32).transpose(0, 1, 4, 2, 3)
    rewards, extra = function(videos, ["p", "p"], [{"question_id": NAME}] * 2, only_strict=True)
    assert rewards["avg"] == [1.0, 0.0] and rewards["passed"] == [1.0, 0.0] and extra == {}
    assert all(len(values) == 2 for values in rewards.values())


def test_dance_grpo(reward: RewardFunction, solved: np.ndarray, tmp_path: Path) -> None:
    write_video(tmp_path / "hunyuan_0_0.mp4", list(solved), FPS)
    caption = mark_prompt(reward.prompt(NAME), NAME)
    inferencer = DanceGrpoReward(reward)
    answer = inferencer.reward([str(tmp_path / "hunyuan_0_0.mp4")], [caption], use_norm=True)
    assert answer[0]["VQ"] == 1.0 and answer[0]["MQ"] == 1.0


def test_verl(reward: RewardFunction, solved: np.ndarray, still: np.ndarray, tmp_path: Path) -> None:
    write_video(tmp_path / "video.mp4", list(solved), FPS)
    function = make_compute_score(reward, FPS)
    path = str(tmp_path / "video.mp4")
    answer = function(data_source="clock", solution_str=path, ground_truth=NAME, extra_info=None)
    assert answer["reward"] == answer["score"] == answer["passed"] == 1.0
    image = (still / 255).astype(np.float32).transpose(0, 3, 1, 2)
    answer = function(solution_image=image, ground_truth="", extra_info={"question_id": NAME}, reward_router_address="")
    assert answer["score"] == 0.0
    with pytest.raises(UsageError, match="neither solution_image"):
        function(ground_truth=NAME)


def test_flow_factory(reward: RewardFunction, solved: np.ndarray, still: np.ndarray) -> None:
    """Its remote client sends PNG images in base64, and the dataset's metadata as JSON texts."""
    frames = [[base64.b64encode(encode_png(frame)).decode() for frame in video] for video in (solved, still)]
    metadata = [json.dumps({"question_id": NAME, "level": 3})] * 2
    payload = {
        "prompt": ["p", "p"], "image": None, "video": [*frames], "condition_images": None, "condition_videos": None,
        "kwargs": {"metadata": metadata},
    }  # fmt: skip
    videos, names = parse_compute(reward, json.loads(json.dumps(payload)))
    assert names == [NAME] * 2
    assert reward(videos, names, FPS).rewards == [1.0, 0.0]
    assert find_names(reward, ["p", "p"], metadata[0]) == [NAME] * 2
    pictures = [Image.fromarray(frame) for frame in solved]
    assert reward([pictures], NAME, FPS).rewards == [1.0], "and in its own process PIL images"


def test_flow_factory_payloads_are_checked(reward: RewardFunction) -> None:
    kwargs = {"metadata": json.dumps({"question_id": NAME})}
    for bad in (None, [], {}, {"video": None}, {"video": [[]], "prompt": []}, {"video": [[]], "prompt": "p"}):
        with pytest.raises(UsageError):
            parse_compute(reward, bad)
    huge = np.zeros((6000, 6000, 3), np.uint8)
    large = base64.b64encode(encode_png(huge)).decode()
    for video in ("text", [3], ["@@"], [base64.b64encode(b"GIF89a").decode()], 7, [large] * 20):
        [broken], _ = parse_compute(reward, {"video": [video], "prompt": ["p"], "kwargs": kwargs})
        assert isinstance(broken, MediaError)


def test_the_question_of_a_sample_is_found_or_asked_for(reward: RewardFunction) -> None:
    prompt = reward.prompt(NAME)
    assert find_question_id(reward, prompt, {"question_id": "clock_0001"}) == "clock_0001"
    assert find_question_id(reward, mark_prompt(prompt, "clock_0001")) == "clock_0001"
    alone = RewardFunction([reward.questions[NAME]])
    assert find_question_id(alone, f" {prompt}\n") == NAME
    with pytest.raises(UsageError, match="0 questions have the prompt 'fly'"):
        find_question_id(reward, "fly")
