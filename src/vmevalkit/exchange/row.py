"""One row of an exported set: a question, and with an experiment a video of it and its scores."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from vmevalkit.core.errors import StoreError
from vmevalkit.core.records import Question
from vmevalkit.store import layout
from vmevalkit.store.foreign_file import read_foreign_file
from vmevalkit.store.made_elsewhere import read_videos_elsewhere
from vmevalkit.store.questions import load_question, load_questions
from vmevalkit.store.records import read_record
from vmevalkit.store.runs import find_runs, question_of
from vmevalkit.store.scores import Scored, load_scores


@dataclass(frozen=True, slots=True)
class Row:
    """A question and, in the export of an experiment, one video of it. Files are kept byte for byte."""

    domain: str
    id: str
    prompt: str
    first_frame: bytes
    """PNG."""
    final_frame: bytes | None = None
    goal: str | None = None
    """The answer as text, for a question without a final frame."""
    solution: bytes | None = None
    """The video of the reference solution."""
    metadata: str | None = None
    """question_metadata.json as text: it contains the puzzle, so rules can score videos of the question."""
    model: str | None = None
    sample: int = 0
    video: bytes | None = None
    scores: str | None = None
    """JSON: the score of each scorer, by its name."""

    @property
    def key(self) -> str:
        """A name that is unique in a set, without dots: a key of WebDataset ends at the first dot."""
        names = [self.domain, self.id] + ([] if self.model is None else [self.model, str(self.sample)])
        return "--".join(layout.folder_name(name).replace(".", "=2E") for name in names)


def read_question_row(question: Question) -> Row:
    """Return the row of a question folder."""

    def read(name: str) -> bytes | None:
        return read_foreign_file(question.folder, name) if os.path.lexists(question.folder / name) else None

    metadata, goal = read(layout.QUESTION_RECORD), read(layout.GOAL)
    first = read(layout.FIRST_FRAME)
    if first is None:
        raise StoreError(f"{question.folder} is not a question: it has no {layout.FIRST_FRAME}; add the file")
    return Row(
        question.domain, question.id, question.prompt, first, read(layout.FINAL_FRAME),
        None if goal is None else goal.decode(), read(layout.SOLUTION), None if metadata is None else metadata.decode(),
    )  # fmt: skip


def iterate_question_rows(questions: Path | str, domains: Sequence[str] | None = None) -> Iterator[Row]:
    """Yield a row for each question below a folder."""
    for question in load_questions(questions, domains):
        yield read_question_row(question)


def iterate_run_rows(experiment: str, outputs: Path | str, evaluations: Path | str) -> Iterator[Row]:
    """Yield a row for each video of an experiment with its scores, also of videos that were made elsewhere."""
    scores: dict[tuple[str, str, str, int], dict[str, object]] = {}
    found: list[Scored] = []
    if layout.experiment_folder(Path(evaluations), experiment).is_dir():
        found = load_scores(evaluations, experiment)
        for scored in found:
            record = read_record(scored.path(Path(evaluations))) or {}
            name = scored.evaluator if scored.annotator is None else f"{scored.evaluator}/{scored.annotator}"
            scores.setdefault(_job_of(scored), {})[name] = record.get("result")
    runs = [run for run in find_runs(outputs, experiment) if run.video is not None]
    jobs = {(run.model, run.domain, run.question_id, run.sample) for run in runs}
    if not runs and all(scored.video is None for scored in found):
        raise StoreError(f"the experiment {experiment!r} has no videos in {outputs}; run a model first")
    for run in runs:
        question = read_question_row(load_question(question_of(run)))
        of_run = scores.get((run.model, run.domain, run.question_id, run.sample), {})
        assert run.video is not None
        content = read_foreign_file(run.folder, run.video.relative_to(run.folder))
        yield Row(
            run.domain, run.question_id, question.prompt, question.first_frame, question.final_frame, question.goal,
            None, question.metadata, run.model, run.sample, content, json.dumps(of_run, sort_keys=True),
        )  # fmt: skip
    for video in read_videos_elsewhere(scored for scored in found if _job_of(scored) not in jobs):
        yield replace(
            read_question_row(video.question), solution=None, model=video.scored.model, sample=video.scored.sample,
            video=video.content, scores=json.dumps(scores[_job_of(video.scored)], sort_keys=True),
        )  # fmt: skip


def _job_of(scored: Scored) -> tuple[str, str, str, int]:
    return (scored.model, scored.domain, scored.question_id, scored.sample)
