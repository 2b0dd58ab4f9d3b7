"""The rule scorer on videos: as files, as arrays, and as input that is not a video."""

from __future__ import annotations

import json
import pickle
import re
import shutil
import weakref
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

import vmevalkit
from vmevalkit.core.errors import MediaError, UsageError
from vmevalkit.core.records import Question
from vmevalkit.eval.api import close_workers
from vmevalkit.eval.experiment import score_videos
from vmevalkit.eval.pipeline import score_timed_frames
from vmevalkit.media.image import Frame
from vmevalkit.media.video import TimedFrame, read_frames, write_video
from vmevalkit.store.scores import load_scores
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.dataset import write_question
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.task import AnyTask

FPS = 12.0


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> list[Question]:
    root = tmp_path_factory.mktemp("questions")
    task = TASKS["maze"]
    for index, puzzle in enumerate(plan(task, 2, 5, task.preset())):
        write_question(task, puzzle, f"maze_{index:04d}", root, difficulty="easy", seed=5)
    return vmevalkit.load_questions(root)


def puzzle_of(question: Question) -> tuple[AnyTask, object]:
    from vmevalkit.eval.question_puzzle import puzzle_of

    known = puzzle_of(question)
    assert known is not None
    return known


def solution(question: Question, seconds: float = 3.0) -> list[Frame]:
    task, puzzle = puzzle_of(question)
    total = int(seconds * FPS)
    times = [min(max((index - 3) / (total - 10), 0.0), 1.0) for index in range(total)]
    return [task.draw(puzzle, task.solution(puzzle, t)) for t in times]


@pytest.fixture(scope="module")
def video(questions: list[Question], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("video") / "maze_0000.mp4"
    write_video(path, solution(questions[0]), FPS)
    return path


def test_the_reference_solution_passes(questions: list[Question], video: Path) -> None:
    score = vmevalkit.score_video(questions[0], video)
    assert (score.value, score.passed, score.outcome) == (5, True, 1.0), score.explanation


def test_a_question_can_be_named_by_its_folder(questions: list[Question], video: Path) -> None:
    assert vmevalkit.score_video(questions[0].folder, video) == vmevalkit.score_video(questions[0], video)


def test_arrays_are_scored_without_a_file(questions: list[Question]) -> None:
    frames = np.stack(solution(questions[0]))
    score = vmevalkit.score_frames(questions[0], frames, fps=FPS)
    assert isinstance(score, vmevalkit.Score)
    assert score.passed, score.explanation


def test_a_batch_gives_a_score_for_each_video(questions: list[Question]) -> None:
    right = np.stack(solution(questions[0]))
    still = np.repeat(right[:1], len(right), axis=0)
    scores = vmevalkit.score_frames(questions[0], np.stack([right, still]), fps=FPS)
    assert isinstance(scores, list)
    assert [score.passed for score in scores] == [True, False]
    assert scores[1].outcome == 0.0
    assert scores[1].failure_mode == "static"


@pytest.mark.slow
@pytest.mark.parametrize("size", [(256, 256), (416, 240)])
def test_views_of_an_array_are_scored_like_the_array(questions: list[Question], size: tuple[int, int]) -> None:
    """A tensor that was permuted, or whose channels were reversed, is a view with other strides."""
    frames = np.stack([cv2.resize(frame, size, interpolation=cv2.INTER_AREA) for frame in solution(questions[0])])
    wanted = vmevalkit.score_frames(questions[0], frames, fps=FPS)
    permuted = np.ascontiguousarray(frames.transpose(0, 3, 1, 2)).transpose(0, 2, 3, 1)
    reversed_channels = np.ascontiguousarray(frames[..., ::-1])[..., ::-1]
    for view in (permuted, reversed_channels):
        assert vmevalkit.score_frames(questions[0], view, fps=FPS) == wanted
    assert isinstance(wanted, vmevalkit.Score) and wanted.passed, wanted.explanation


class FakeTensor:
    """What the scorer uses of a torch tensor; the tests with torch are in test_scoring_tensors.py."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array
        self.shape = array.shape

    def detach(self) -> FakeTensor:
        return self

    def cpu(self) -> FakeTensor:
        return self

    def is_floating_point(self) -> bool:
        return bool(np.issubdtype(self._array.dtype, np.floating))

    def float(self) -> FakeTensor:
        return FakeTensor(self._array.astype(np.float32))

    def numpy(self) -> np.ndarray:
        return self._array


@pytest.mark.slow
def test_every_form_of_frames_gives_the_same_score(questions: list[Question]) -> None:
    frames = np.stack(solution(questions[0]))
    wanted = vmevalkit.score_frames(questions[0], frames, fps=FPS)
    floats = (frames / 255.0).astype(np.float32)
    forms = {
        "floats": floats,
        "channels first": frames.transpose(0, 3, 1, 2),
        "floats, channels first": floats.transpose(0, 3, 1, 2),
        "channels before time": frames.transpose(3, 0, 1, 2),
        "list of arrays": list(frames),
        "list of PIL images": [Image.fromarray(frame) for frame in frames],
        "tensor": FakeTensor(floats.transpose(0, 3, 1, 2)),
    }
    for name, form in forms.items():
        assert vmevalkit.score_frames(questions[0], form, fps=FPS) == wanted, name


@pytest.mark.slow
def test_a_batch_may_have_a_question_for_each_video_and_workers(questions: list[Question]) -> None:
    videos = [np.stack(solution(question)) for question in questions[:2]]
    alone = [
        vmevalkit.score_frames(question, video, fps=FPS) for question, video in zip(questions, videos, strict=False)
    ]
    assert vmevalkit.score_frames(questions[:2], videos, fps=FPS) == alone
    assert vmevalkit.score_frames(questions[:2], videos, fps=FPS, workers=2) == alone
    [kept] = active_children()
    assert vmevalkit.score_frames(questions[:2], videos, fps=FPS, workers=2) == alone
    assert active_children() == [kept]
    close_workers()
    assert active_children() == []
    with pytest.raises(UsageError, match="3 questions were given for 2 videos"):
        vmevalkit.score_frames([*questions[:2], questions[0]], videos, fps=FPS)
    with pytest.raises(UsageError, match="2 questions were given for one video"):
        vmevalkit.score_frames(questions[:2], videos[0], fps=FPS)


def test_a_failure_does_not_lose_the_batch(questions: list[Question]) -> None:
    video = np.stack(solution(questions[0]))
    damaged = replace(questions[0], metadata={**questions[0].metadata, "puzzle": {"grid_n": 3}})
    good, bad = vmevalkit.score_frames([questions[0], damaged], [video, video], fps=FPS)
    assert good.passed
    assert bad.value is None and bad.reward == 0.0
    assert "scoring failed: UsageError: the puzzle of" in bad.explanation


def test_values_a_little_outside_are_clipped_and_a_nan_does_not_lose_the_batch(questions: list[Question]) -> None:
    video = np.stack(solution(questions[0]))
    floats = (video / 255.0).astype(np.float32)
    outside = floats.copy()
    outside[floats == 0], outside[floats == 1] = -0.04, 1.06
    broken = floats.copy()
    broken[3, 4, 5] = np.nan
    wanted = vmevalkit.score_frames(questions[0], video, fps=FPS)
    for form in ([outside, broken], np.stack([outside, broken])):
        good, bad = vmevalkit.score_frames(questions[0], form, fps=FPS)
        assert good == wanted
        assert bad.value is None and "contain NaN or infinity" in bad.explanation
    with pytest.raises(MediaError, match="contain NaN or infinity"):
        vmevalkit.score_frames(questions[0], broken, fps=FPS)
    with pytest.raises(MediaError, match=r"rescale by \(x \+ 1\) / 2"):
        vmevalkit.score_frames(questions[0], floats * 2 - 1, fps=FPS)


def test_a_task_that_is_not_found_here_replaces_no_score(
    tmp_path: Path, questions: list[Question], video: Path
) -> None:
    def tell(domain: str) -> Path:
        """Write the question under a domain: one without a task is like one whose file a setting should name."""
        root = tmp_path / domain
        place = root / f"{domain}_task" / "maze_0000"
        shutil.copytree(questions[0].folder, place)
        record = {**questions[0].metadata, "domain": domain}
        (place / "question_metadata.json").write_text(json.dumps(record))
        return root

    evaluations = tmp_path / "evaluations"
    score_videos(video.parent, tell("maze"), "mine", evaluations)
    [before] = load_scores(evaluations, "mine")
    assert before.score.passed
    (evaluations / "mine/mine/maze_task").rename(evaluations / "mine/mine/knots_task")
    summary = score_videos(video.parent, tell("knots"), "mine", evaluations)
    [failed] = summary.failed
    assert "'knots'" in str(failed.error) and "VMEVALKIT_TASKS" in str(failed.error)
    [after] = load_scores(evaluations, "mine")
    assert after.score == before.score


def test_scoring_can_be_pickled(questions: list[Question]) -> None:
    scoring = pickle.loads(pickle.dumps(vmevalkit.score_frames))
    score = scoring(pickle.loads(pickle.dumps(questions[0])), np.stack(solution(questions[0])), fps=FPS)
    assert pickle.loads(pickle.dumps(score)) == score


FORMS = "; pass uint8 from 0 to 255 or floats from 0 to 1, as (time, height, width, 3)"


@pytest.mark.parametrize(
    ("frames", "message"),
    [
        (
            np.full((4, 8, 8, 3), 200.0, np.float32),
            "floating-point frames range from 200 to 200, not from 0 to 1; divide by 255",
        ),
        (
            np.full((4, 8, 8, 3), -1.0, np.float32),
            "floating-point frames range from -1 to -1, not from 0 to 1; rescale by (x + 1) / 2",
        ),
        (np.zeros((4, 8, 8, 3), np.int64), f"frames are int64{FORMS}"),
        (np.zeros((4, 8, 8, 3), bool), f"frames are bool{FORMS}"),
        (np.zeros((8, 8, 3), np.uint8), f"frames have the shape (8, 8, 3){FORMS}"),
        (np.zeros((4, 8, 8, 4), np.uint8), f"frames have the shape (4, 8, 8, 4), in which no axis is RGB{FORMS}"),
        (np.zeros((4, 0, 8, 3), np.uint8), f"frames have the shape (4, 0, 8, 3), which holds no pixel{FORMS}"),
        ([[[[0, 0, 0]]]], f"frames are list{FORMS}"),
    ],
    ids=[
        "floats to 255",
        "floats from -1",
        "integers",
        "booleans",
        "one image",
        "four channels",
        "no height",
        "a list",
    ],
)
def test_arrays_of_another_kind_are_refused(questions: list[Question], frames: np.ndarray, message: str) -> None:
    with pytest.raises(MediaError, match=f"^{re.escape(message)}"):
        vmevalkit.score_frames(questions[0], frames)


@pytest.mark.parametrize("fps", [0, -24.0, float("nan"), float("inf"), "24", None, True])
def test_an_impossible_rate_is_refused(questions: list[Question], fps: float) -> None:
    with pytest.raises(UsageError, match=f"^fps must be a number above 0, not {fps!r}$"):
        vmevalkit.score_frames(questions[0], np.zeros((4, 8, 8, 3), np.uint8), fps=fps)


def test_a_video_of_another_question_is_not_scored_when_it_was_brought(questions: list[Question], video: Path) -> None:
    frames = np.stack([timed.frame for timed in read_frames(video)])
    for score in (
        vmevalkit.score_video(questions[1], video, own_run=False),
        vmevalkit.score_frames(questions[1], frames, FPS, own_run=False),
    ):
        assert isinstance(score, vmevalkit.Score)
        assert score.value is None
        assert "may belong to another question" in score.explanation


def test_a_video_of_another_question_is_a_1_when_it_is_our_own(questions: list[Question], video: Path) -> None:
    score = vmevalkit.score_video(questions[1], video)
    assert (score.value, score.failure_mode) == (1, "scene_broken")


@pytest.mark.parametrize("content", [b"", b"this is not a video", b"\x00" * 5000], ids=["empty", "text", "zeros"])
def test_a_file_that_cannot_be_decoded_is_unscored(questions: list[Question], tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "maze_0000.mp4"
    path.write_bytes(content)
    score = vmevalkit.score_video(questions[0], path)
    assert score.value is None
    assert str(path) in score.explanation


def test_a_missing_video_is_an_error(questions: list[Question], tmp_path: Path) -> None:
    with pytest.raises(MediaError, match=r"no video at .*nothing\.mp4"):
        vmevalkit.score_video(questions[0], tmp_path / "nothing.mp4")


def test_one_frame_is_a_still_video(questions: list[Question], tmp_path: Path) -> None:
    path = tmp_path / "one.mp4"
    write_video(path, solution(questions[0])[:1], FPS)
    score = vmevalkit.score_video(questions[0], path)
    assert (score.value, score.failure_mode) == (1, "static")


def test_a_video_with_damaged_bytes_is_still_read(questions: list[Question], video: Path, tmp_path: Path) -> None:
    """What can be decoded is judged; the rest does not stop the scorer."""
    data = bytearray(video.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 200] = bytes(200)
    path = tmp_path / "damaged.mp4"
    path.write_bytes(data)
    assert vmevalkit.score_video(questions[0], path).value is not None


def test_a_truncated_video_is_judged_by_what_can_be_read(questions: list[Question], tmp_path: Path) -> None:
    whole = tmp_path / "whole.mkv"
    write_video(whole, solution(questions[0]), FPS)
    cut = tmp_path / "cut.mkv"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    score = vmevalkit.score_video(questions[0], cut)
    assert score.value is not None
    assert not score.solved


@pytest.mark.slow
def test_ten_thousand_frames_are_read_one_at_a_time(questions: list[Question]) -> None:
    task, puzzle = puzzle_of(questions[0])
    total, alive, most = 10_000, set(), 0

    def frames() -> Iterator[TimedFrame]:
        nonlocal most
        for index in range(total):
            t = min(max((index - 100) / (total - 300), 0.0), 1.0)
            frame = task.draw(puzzle, task.solution(puzzle, round(t * 500) / 500))[::2, ::2].copy()
            alive.add(index)
            weakref.finalize(frame, alive.discard, index)
            most = max(most, len(alive))
            yield TimedFrame(index / 100, frame)

    score = score_timed_frames(task, puzzle, frames())
    assert score.passed, score.explanation
    # The opening of 0.8 s at 100 fps, and a batch of frames that were decoded ahead.
    assert most < 120, f"{most} frames were in memory at once"


def test_a_question_without_a_puzzle_cannot_be_scored_by_rules(
    questions: list[Question], video: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "riddle_task" / "riddle_0001"
    folder.mkdir(parents=True)
    (folder / "first_frame.png").write_bytes(questions[0].first_frame.read_bytes())
    (folder / "prompt.txt").write_text("Solve the riddle.")
    score = vmevalkit.score_video(folder, video)
    assert score.value is None
    assert score.explanation == "the question has no puzzle, so rules cannot read the video"


def test_a_damaged_puzzle_is_named(questions: list[Question], video: Path) -> None:
    broken = Question("maze_0000", "maze", "x", questions[0].folder, {"puzzle": {"nonsense": 1}})
    with pytest.raises(UsageError, match=r"the puzzle of maze_0000 .* is damaged"):
        vmevalkit.score_video(broken, video)
