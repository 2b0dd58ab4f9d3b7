"""How well rules agree with people on labelled videos, and with what is known of honest videos that were changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import cv2
import numpy as np

from vmevalkit.core.errors import UsageError
from vmevalkit.core.records import Question, Score
from vmevalkit.eval.evidence_strip import make_evidence_strip
from vmevalkit.eval.labelled_videos import LabelledVideo
from vmevalkit.eval.perturbations import DRAWN, HARMFUL, HARMLESS, HonestVideo
from vmevalkit.eval.pipeline import JudgedVideo, read_and_judge, working_size
from vmevalkit.eval.question_puzzle import find_puzzle
from vmevalkit.media.image import encode_jpeg, encode_png, read_image
from vmevalkit.media.video import TimedFrame, probe, read_frames
from vmevalkit.store import layout
from vmevalkit.tasks.kit.board_pictures import BoardPictureTask
from vmevalkit.tasks.kit.board_reader import BoardState, Placed
from vmevalkit.tasks.kit.question_pictures import PICTURES

Outcome = Literal["right", "false_pass", "false_fail", "unscored", "not_counted"]


@dataclass(frozen=True, slots=True)
class ValidatedVideo:
    """A labelled video and what rules say of it."""

    labelled: LabelledVideo
    score: Score
    strip: bytes | None = None
    """The evidence strip of a disagreement, as JPEG."""

    @property
    def outcome(self) -> Outcome:
        """Whether the verdict is that of the label. Only labels that are sure count."""
        if not self.labelled.is_sure:
            return "not_counted"
        if not self.score.scored:
            return "unscored"
        if self.score.passed == self.labelled.passes:
            return "right"
        return "false_pass" if self.score.passed else "false_fail"


@dataclass(frozen=True, slots=True)
class PerturbedVideo:
    """An honest video with one change, and what rules say of it."""

    id: str
    change: str
    must_pass: bool
    score: Score

    @property
    def is_right(self) -> bool:
        return self.score.scored and self.score.passed == self.must_pass


def validate_videos(videos: Sequence[LabelledVideo], *, find_boxes: bool = False) -> Iterator[ValidatedVideo]:
    """Yield each video with its score. ``find_boxes`` ignores given boxes of boards, so that they must be found."""
    for labelled in videos:
        if labelled.task is None:
            yield ValidatedVideo(labelled, Score.unscored("rules", "-", labelled.reason))
            continue
        with TemporaryDirectory() as folder:
            yield _validate(labelled, _write_question(labelled, Path(folder), find_boxes))


def _write_question(labelled: LabelledVideo, folder: Path, find_boxes: bool) -> Question:
    (folder / layout.FIRST_FRAME).write_bytes(encode_png(read_image(labelled.first_frame)))
    pictures = {key: value for key, value in labelled.pictures.items() if key != "box" or not find_boxes}
    record = {"puzzle": dict(labelled.puzzle), PICTURES: pictures}
    assert labelled.task is not None
    return Question(labelled.id, labelled.task, labelled.prompt, folder, record)


def _validate(labelled: LabelledVideo, question: Question) -> ValidatedVideo:
    try:
        known = find_puzzle(question)
    except UsageError as error:
        known = Score.unscored("rules", "-", str(error))
    if isinstance(known, Score):
        return ValidatedVideo(labelled, known)
    task, puzzle = known
    first = task.first_frame(puzzle)
    info = probe(labelled.video)
    frames = read_frames(labelled.video, within=working_size(task, puzzle, (info.width, info.height)))
    judged = read_and_judge(task, puzzle, frames, first_frame=first)
    validated = ValidatedVideo(labelled, judged.score)
    if validated.outcome not in ("false_pass", "false_fail"):
        return validated
    strip = make_evidence_strip(task, puzzle, labelled.video, judged, None, first)
    return ValidatedVideo(labelled, judged.score, None if strip is None else encode_jpeg(strip, 80))


def perturb_videos(
    videos: Sequence[LabelledVideo], changes: Sequence[str] = (), *, find_boxes: bool = False
) -> Iterator[PerturbedVideo]:
    """Yield every change of every honest video of a board that rules pass. ``changes`` names some of them."""
    unknown = set(changes) - {*HARMLESS, *HARMFUL}
    if unknown:
        raise UsageError(f"there is no change {min(unknown)!r}; there are {', '.join((*HARMLESS, *HARMFUL))}")
    for labelled in videos:
        if labelled.task is None or not labelled.is_sure or not labelled.passes:
            continue
        with TemporaryDirectory() as folder:
            known = find_puzzle(_write_question(labelled, Path(folder), find_boxes))
        if isinstance(known, Score) or not isinstance(known[0], BoardPictureTask):
            continue
        task, puzzle = known[0], known[1]
        info = probe(labelled.video)
        # At the size at which they are read: a changed video of full size may need more memory than there is.
        frames = list(read_frames(labelled.video, within=working_size(task, puzzle, (info.width, info.height))))
        judged = read_and_judge(task, puzzle, iter(frames), first_frame=task.first)
        if not judged.score.passed:
            continue
        honest = _locate_pieces(task, frames, judged)
        moves = "camera" in " ".join(labelled.flags)
        for makers, must_pass in ((HARMLESS, True), (HARMFUL, False)):
            for name, make in makers.items():
                if (changes and name not in changes) or (moves and name in DRAWN):
                    continue
                made = make(honest)
                if made is not None:
                    score = read_and_judge(task, puzzle, iter(made), first_frame=task.first).score
                    yield PerturbedVideo(labelled.id, name, must_pass, score)


def _locate_pieces(task: BoardPictureTask, frames: Sequence[TimedFrame], judged: JudgedVideo) -> HonestVideo:
    """Return the video with the places of its pieces, in pixels."""
    height, width = frames[0].frame.shape[:2]
    across, down = width / task.picture_size[0], height / task.picture_size[1]
    box = task.record.box
    assert box is not None
    board = box[0] * across, box[1] * down, box[2] * across, box[3] * down
    wide, high = (board[2] - board[0]) / task.layout.columns, (board[3] - board[1]) / task.layout.rows

    def place(name: str, state: BoardState | None) -> tuple[float, float] | None:
        piece: Placed | None = None if state is None else state.pieces.get(name)
        return None if piece is None else (board[0] + piece.x * wide, board[1] + piece.y * high)

    mover, target = task.layout.mover, task.layout.targets[0]
    states = [reading.state for reading in judged.trace]
    cutout = task.looks.pieces.get(mover)
    mover_box = None
    start = next((point for state in states if (point := place(mover, state)) is not None), None)
    if cutout is not None and start is not None:
        rows, columns = (side / task.looks.view.cell / 2 for side in cutout.alpha.shape)
        mover_box = (
            round(start[0] - columns * wide), round(start[1] - rows * high),
            round(start[0] + columns * wide), round(start[1] + rows * high),
        )  # fmt: skip
    first = np.asarray(cv2.resize(task.first, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
    return HonestVideo(
        task.layout, board, first, frames, [place(mover, state) for state in states],
        [place(target, state) for state in states], mover_box, task.record.goal_may_change,
    )  # fmt: skip
