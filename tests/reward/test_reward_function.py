"""Rewards of batches: forms of videos, broken ones, determinism, and processes."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from multiprocessing import active_children
from pathlib import Path
from random import Random

import numpy as np
import pytest

import vmevalkit
from tests.reward.solutions import FRAMES, show_solution
from vmevalkit.core.errors import UnknownName, UsageError
from vmevalkit.datasets.generate import generate
from vmevalkit.eval.video_job import VideoLimits
from vmevalkit.media.video import write_video
from vmevalkit.reward import RewardBatch, RewardFunction
from vmevalkit.tasks.puzzle_loading import load_puzzle

FPS = 12.0


@pytest.fixture(scope="module")
def reward() -> Iterator[RewardFunction]:
    with RewardFunction(tasks=["clock", "colouring"], n=2, seed=4) as function:
        yield function


@pytest.fixture(scope="module")
def solved(reward: RewardFunction) -> np.ndarray:
    return show_solution(reward, "clock_0000")


def test_a_batch_gives_rewards_with_their_parts(reward: RewardFunction, solved: np.ndarray) -> None:
    half = show_solution(reward, "clock_0000", 0.5)
    still = np.repeat(solved[:1], FRAMES, axis=0)
    cut = np.concatenate([still[:20], solved[-10:]])
    batch = reward(np.stack([solved, half, still, cut]), "clock_0000", FPS)
    assert batch.passed == [True, False, False, False]
    assert batch.rewards[0] == 1.0
    assert 0.1 < batch.rewards[1] < 0.5
    assert batch.rewards[2:] == [0.0, 0.0]
    assert batch.scored == [True] * 4
    assert batch[3].solved and batch[3].legal_progress == 0.0 and batch[3].findings
    scores = vmevalkit.score_frames(reward.questions["clock_0000"], np.stack([solved, half]), FPS)
    assert isinstance(scores, list)
    assert [score.reward for score in scores] == batch.rewards[:2]
    assert RewardBatch.from_json(batch.to_json()) == batch


def test_strict_shaping_pays_for_passes_only(reward: RewardFunction, solved: np.ndarray) -> None:
    strict = RewardFunction(list(reward.questions.values()), shaping="strict")
    half = show_solution(reward, "clock_0000", 0.5)
    batch = strict([solved, half], "clock_0000", FPS)
    assert batch.rewards == [1.0, 0.0]
    assert batch[1].legal_progress


def test_every_form_of_a_video_has_the_same_reward(reward: RewardFunction, solved: np.ndarray, tmp_path: Path) -> None:
    write_video(tmp_path / "video.mp4", list(solved), FPS)
    floats = (solved / 255).astype(np.float32)
    forms = [solved, floats, floats.transpose(0, 3, 1, 2), list(solved), tmp_path / "video.mp4"]
    forms.append(str(tmp_path / "video.mp4"))
    assert reward(forms, "clock_0000", FPS).rewards == [1.0] * len(forms)


def test_a_bad_video_never_loses_the_batch(reward: RewardFunction, solved: np.ndarray, tmp_path: Path) -> None:
    truncated = tmp_path / "truncated.mp4"
    write_video(truncated, list(solved), FPS)
    truncated.write_bytes(truncated.read_bytes()[:400])
    text = tmp_path / "text.mp4"
    text.write_text("no video")
    bad = [
        tmp_path / "missing.mp4", truncated, text, tmp_path, None, 7, "", solved[0], solved[:0], solved[None],
        np.full((4, 8, 8, 3), np.nan, np.float32), solved.astype(np.int64), [solved[0], solved[1][:50]], [], object(),
    ]  # fmt: skip
    batch = reward([*bad, solved], ["clock_0001"] * len(bad) + ["clock_0000"], FPS)
    assert batch.rewards == [0.0] * len(bad) + [1.0]
    assert batch.scored == [False] * len(bad) + [True]
    assert all(part.error for part in batch[: len(bad)])


def test_one_of_the_frames_and_other_scenes_are_scored(reward: RewardFunction, solved: np.ndarray) -> None:
    noise = np.random.default_rng(1).integers(0, 255, solved.shape, np.uint8)
    batch = reward([solved[:1], noise, np.zeros_like(solved)], "clock_0000", FPS)
    assert batch.rewards == [0.0] * 3
    assert batch.scored == [True] * 3


def test_rewards_depend_on_nothing_but_video_and_question(reward: RewardFunction, solved: np.ndarray) -> None:
    videos = [solved, show_solution(reward, "clock_0000", 0.7), show_solution(reward, "colouring_0001", 0.6)]
    names = ["clock_0000", "clock_0000", "colouring_0001"]
    alone = [reward([video], [name], FPS)[0] for video, name in zip(videos, names, strict=True)]
    assert list(reward(videos, names, FPS)) == alone
    assert list(reward(videos[::-1], names[::-1], FPS)) == alone[::-1]
    with RewardFunction(list(reward.questions.values()), workers=2) as parallel:
        assert list(parallel(videos, names, FPS)) == alone
        first = {child.pid for child in active_children()}
        assert list(parallel(videos[::-1], names[::-1], FPS)) == alone[::-1]
        assert {child.pid for child in active_children()} == first, "the processes are kept"
    assert not {child.pid for child in active_children()} & first


def test_killed_workers_lose_nothing(reward: RewardFunction, solved: np.ndarray) -> None:
    with RewardFunction(list(reward.questions.values()), workers=2) as parallel:
        before = parallel([solved] * 3, "clock_0000", FPS)
        [server] = active_children()
        workers = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
        assert len(workers) == 2
        for worker in workers:
            os.kill(int(worker), signal.SIGKILL)
        assert parallel([solved] * 3, "clock_0000", FPS) == before


def test_a_cheat_earns_no_more_than_the_video_cut_off_before_it(reward: RewardFunction) -> None:
    """On pixels; tests/eval/test_reward.py has it for every task on states."""
    question, task = reward.questions["clock_0000"], vmevalkit.TASKS["clock"]
    puzzle = load_puzzle(task, question.metadata["puzzle"], question.id)
    cheats = task.cheats(puzzle, Random(3))
    for name in ("stops_short", "returns", "part_vanishes", "twin"):
        cheat = cheats[name]
        states = [cheat.state_at(min(max((index - 3) / 20, 0.0), 1.0)) for index in range(FRAMES)]
        video = np.stack([task.draw(puzzle, state) for state in states])
        violation_s = vmevalkit.score_frames(question, video, FPS).first_violation_s
        last = 20 if violation_s is None else round(violation_s * FPS)
        whole, *cut = reward([video, *(hold(video[:end]) for end in range(4, last + 1))], question.id, FPS)
        assert not whole.passed, name
        legal = [part.reward for part in cut if not part.findings]
        assert whole.reward <= max([0.0, *legal]), (name, whole, legal)


def hold(video: np.ndarray) -> np.ndarray:
    """Return the video with its last frame held."""
    return np.concatenate([video, np.repeat(video[-1:], 8, axis=0)])


def test_what_is_wrong_with_a_call_is_said(reward: RewardFunction, solved: np.ndarray, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"no question 'clock_000O' of this reward function; did you mean 'clock_000"):
        reward([solved], "clock_000O")
    with pytest.raises(UsageError, match="there are 2 question ids for 1 videos"):
        reward([solved], ["clock_0000", "clock_0001"])
    with pytest.raises(UsageError, match="which is one video"):
        reward(solved, "clock_0000")
    with pytest.raises(UsageError, match="is one video, and a batch was expected"):
        reward("a.mp4", "clock_0000")
    with pytest.raises(UsageError, match="fps must be a number above 0, not -1"):
        reward([solved], "clock_0000", -1)
    with pytest.raises(UsageError, match="and not both"):
        RewardFunction(tmp_path, tasks=["maze"])
    with pytest.raises(UsageError, match="must be one of partial, strict"):
        RewardFunction(tasks=["clock"], shaping="dense")  # type: ignore[arg-type]


def test_planned_questions_are_those_that_generate_writes(reward: RewardFunction, tmp_path: Path) -> None:
    generate(["clock"], 2, seed=4, out=tmp_path)
    from_folder = RewardFunction(tmp_path)
    for name in ("clock_0000", "clock_0001"):
        assert from_folder.prompt(name) == reward.prompt(name)
        assert from_folder.questions[name].metadata["puzzle"] == reward.questions[name].metadata["puzzle"]
        assert np.array_equal(from_folder.draw_first_frame(name), reward.draw_first_frame(name))


def test_a_file_beyond_the_limits_is_unscored(solved: np.ndarray, tmp_path: Path) -> None:
    write_video(tmp_path / "video.mp4", list(solved), FPS)
    pixels = solved.shape[1] * solved.shape[2]
    for limits in (VideoLimits(frames=FRAMES - 1), VideoLimits(pixels=FRAMES * pixels - 1)):
        [part] = RewardFunction(tasks=["clock"], n=1, seed=4, limits=limits)([tmp_path / "video.mp4"], "clock_0000")
        assert part.error and "has more than 29 frames" in part.error
    enough = RewardFunction(tasks=["clock"], n=1, seed=4, limits=VideoLimits(FRAMES, FRAMES * pixels))
    assert enough([tmp_path / "video.mp4"], "clock_0000").rewards == [1.0]
