"""What a person did, as a video of the task's own drawing, stored as a run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from vmevalkit.core.errors import UsageError
from vmevalkit.core.records import Run
from vmevalkit.media.image import Frame
from vmevalkit.media.video_writer import write_video
from vmevalkit.play.playable_question import FPS, PlayableQuestion
from vmevalkit.store.atomic import file_digest
from vmevalkit.store.questions import question_digest
from vmevalkit.store.runs import Job, load_job_runs, new_run
from vmevalkit.tasks.kit.scene import Part, Scene

FAMILY = "human"
FIRST_FRAMES, PAUSE_FRAMES, LAST_FRAMES = 6, 12, 24
"""Frames of the beginning, of a pause and of the end, in which nothing moves: longer pauses are shortened."""
MOST_SECONDS = 120.0
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


@dataclass(frozen=True, slots=True)
class ShownScene:
    """A scene, and for how many frames it was on the screen."""

    parts: tuple[Part, ...]
    frames: int


def make_model_name(person: str) -> str:
    """Return the name under which a person's videos are stored."""
    if not _NAME.fullmatch(person):
        raise UsageError(f"the name {person!r} is not valid: use up to 40 letters, digits, - and _")
    return f"human-{person}"


def parse_recording(played: PlayableQuestion, data: object) -> list[ShownScene]:
    """Return what the browser recorded, with the pauses shortened. Raises UsageError for anything else."""
    if not isinstance(data, list) or not data:
        raise UsageError("the recording is empty; do something before you finish")
    read: list[ShownScene] = []
    for row in data:
        count = row.get("frames") if isinstance(row, dict) else None
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            raise UsageError(f"a scene is on the screen for one frame or more, not {count!r:.80}")
        parts = played.parse_parts(row["parts"] if isinstance(row.get("parts"), list) else None)
        if read and read[-1].parts == parts:
            read[-1] = ShownScene(parts, read[-1].frames + count)
        else:
            read.append(ShownScene(parts, count))
    start = played.stage.start.parts
    if read[0].parts != start:
        read.insert(0, ShownScene(start, FIRST_FRAMES))
    shown = [ShownScene(each.parts, min(each.frames, PAUSE_FRAMES)) for each in read]
    shown[0] = ShownScene(shown[0].parts, FIRST_FRAMES)
    shown[-1] = ShownScene(shown[-1].parts, LAST_FRAMES)
    seconds = sum(each.frames for each in shown) / FPS
    if seconds > MOST_SECONDS:
        raise UsageError(f"the video lasts {seconds:.0f} s, and at most {MOST_SECONDS:.0f} are kept; start over")
    return shown


def draw_frames(played: PlayableQuestion, recording: Sequence[ShownScene]) -> Iterator[Frame]:
    """Yield the frames of the video."""
    for each in recording:
        frame = played.task.draw(played.puzzle, Scene(each.parts))
        for _ in range(each.frames):
            yield frame


def find_run(outputs: Path, experiment: str, model: str, played: PlayableQuestion) -> Run | None:
    """Return the run that the person made of this question earlier."""
    folder = _make_job(experiment, model, played).folder(outputs)
    runs = load_job_runs(folder) if folder.is_dir() else []
    digest = question_digest(played.question)
    return next((run for run in runs if run.status == "success" and run.question_digest == digest), None)


def save_recording(
    played: PlayableQuestion,
    recording: Sequence[ShownScene],
    experiment: str,
    model: str,
    outputs: Path,
    seconds: float,
    restarts: int,
) -> Run:
    """Write the video as a run of the person. ``seconds`` is the time that they needed."""
    job = _make_job(experiment, model, played)
    with new_run(outputs, job, played.question) as pending:
        write_video(pending.video, draw_frames(played, recording), FPS)
        run = Run(
            experiment, model, played.question.id, played.question.domain, 0, pending.run_id, "success", pending.target,
            video=pending.video, seconds=seconds, cost_usd=0.0, question_digest=question_digest(played.question),
            video_digest=file_digest(pending.video),
        )  # fmt: skip
        return pending.finish(run, {"family": FAMILY, "restarts": restarts})


def _make_job(experiment: str, model: str, played: PlayableQuestion) -> Job:
    return Job(experiment, model, played.question.domain, played.question.id)
