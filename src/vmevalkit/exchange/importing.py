"""Questions, videos and scores of others become folders of ours."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vmevalkit.core.errors import ConflictError, StoreError, UsageError
from vmevalkit.core.jsonable import from_json
from vmevalkit.core.records import Question, Run, Score
from vmevalkit.exchange.row import Row
from vmevalkit.exchange.upstream import find_puzzle
from vmevalkit.store import layout
from vmevalkit.store.atomic import clean, file_digest, new_folder
from vmevalkit.store.questions import load_question, load_questions, question_digest
from vmevalkit.store.records import record_bytes
from vmevalkit.store.runs import Job, find_runs, new_run
from vmevalkit.store.scores import Scored, save_score
from vmevalkit.store.video_map import read_video_map
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.dataset import CUSTOM, write_question


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import."""

    questions: int = 0
    kept: int = 0
    """Questions and videos that were there already."""
    scorable: int = 0
    """New questions that rules can score."""
    videos: int = 0
    scores: int = 0
    unmatched: tuple[str, ...] = ()
    """Videos that match no question, each with the reason."""


def import_rows(
    rows: Iterable[Row],
    questions: Path | str = layout.QUESTIONS,
    experiment: str | None = None,
    outputs: Path | str = layout.OUTPUTS,
    evaluations: Path | str = layout.EVALUATIONS,
    *,
    redraw: bool = True,
) -> Imported:
    """Write the questions of the rows, and with ``experiment`` their videos and scores.

    Where a record of others contains a whole puzzle, its frames are drawn again (``redraw``), so that they are those
    that rules read; the prompt stays. An existing question with another content raises a ConflictError."""
    done = Imported()
    seen: set[tuple[str, str]] = set()
    for row in rows:
        if (row.domain, row.id) not in seen:
            seen.add((row.domain, row.id))
            done = _import_question(row, Path(questions), redraw, done)
        if row.video is not None and experiment is not None:
            done = _import_video(row, Path(questions), experiment, Path(outputs), Path(evaluations), done)
    if not seen:
        raise UsageError("the set is empty; there is nothing to import")
    return done


def import_videos(
    source: Path | str,
    questions: Path | str,
    experiment: str,
    name: str | None = None,
    outputs: Path | str = layout.OUTPUTS,
) -> Imported:
    """Make runs of videos that were made elsewhere: a folder, or the CSV file that ``score --videos`` takes."""
    found = read_video_map(Path(source), load_questions(questions), name)
    videos = kept = 0
    for video in found.videos:
        is_new = _write_run(video.question, video.path, video.model, video.sample, experiment, Path(outputs))
        videos, kept = videos + is_new, kept + (not is_new)
    return Imported(videos=videos, kept=kept, unmatched=found.unmatched)


def _import_question(row: Row, root: Path, redraw: bool, done: Imported) -> Imported:
    files = make_question_files(row, redraw)
    folder = layout.question_folder(root, row.domain, row.id)
    clean(folder.parent)
    if folder.exists():
        for name, content in files.items():
            if not (folder / name).is_file() or (folder / name).read_bytes() != content:
                raise ConflictError(f"{folder} holds another question ({name} differs); choose another --questions")
        return replace(done, kept=done.kept + 1)
    with new_folder(folder) as aside:
        for name, content in files.items():
            (aside / name).write_bytes(content)
    has_puzzle = b'"puzzle"' in files[layout.QUESTION_RECORD] and row.domain in TASKS
    return replace(done, questions=done.questions + 1, scorable=done.scorable + has_puzzle)


def make_question_files(row: Row, redraw: bool = True) -> dict[str, bytes]:
    """Return the files of the question of a row. Those that ``generate`` made come back byte for byte."""
    metadata: dict[str, Any] = json.loads(row.metadata or "{}")
    known = find_puzzle(row.domain, metadata) if redraw and "puzzle" not in metadata else None
    if known is not None:
        return _redraw(row, metadata, *known)
    names = {"id": row.id, "domain": row.domain, "prompt": row.prompt}
    record = row.metadata.encode() if row.metadata else record_bytes(names)
    files = {layout.FIRST_FRAME: row.first_frame, layout.PROMPT: row.prompt.encode(), layout.QUESTION_RECORD: record}
    optional = {layout.FINAL_FRAME: row.final_frame, layout.SOLUTION: row.solution}
    files |= {name: content for name, content in optional.items() if content is not None}
    return files if row.goal is None else {**files, layout.GOAL: row.goal.encode()}


def _redraw(row: Row, metadata: dict[str, Any], task: Any, puzzle: Any) -> dict[str, bytes]:
    with TemporaryDirectory() as root:
        record = write_question(
            task, puzzle, row.id, root, difficulty=CUSTOM, seed=None, created_at=str(metadata.get("created_at", ""))
        )
        folder = layout.question_folder(Path(root), task.name, row.id)
        files = {path.name: path.read_bytes() for path in folder.iterdir()}
    files[layout.PROMPT] = row.prompt.encode()
    files[layout.QUESTION_RECORD] = record_bytes({**record, "prompt": row.prompt, "imported": metadata})
    return files


def _import_video(
    row: Row, questions: Path, experiment: str, outputs: Path, evaluations: Path, done: Imported
) -> Imported:
    assert row.video is not None
    if row.model is None:
        raise UsageError(f"the video of {row.id} has no model; name its column with --column model=NAME")
    question = load_question(layout.question_folder(questions, row.domain, row.id))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "video.mp4"
        path.write_bytes(row.video)
        digest = file_digest(path)
        is_new = _write_run(question, path, row.model, row.sample, experiment, outputs)
    scores: dict[str, Any] = json.loads(row.scores or "{}")
    for name, result in scores.items():
        evaluator, _, annotator = name.partition("/")
        values = {key: value for key, value in result.items() if key not in ("trace", "evidence")}
        try:
            score = from_json(Score, values)
        except (TypeError, ValueError, KeyError) as error:
            raise StoreError(f"the score {name!r} of {row.id} is not one of ours ({error}); leave it out") from error
        scored = Scored(
            experiment, row.model, row.domain, row.id, evaluator, score, row.sample, None, digest,
            question_digest(question), annotator or None,
        )  # fmt: skip
        save_score(evaluations, scored)
    added = replace(done, scores=done.scores + len(scores))
    return replace(added, videos=done.videos + 1) if is_new else replace(added, kept=done.kept + 1)


def _write_run(question: Question, video: Path, model: str, sample: int, experiment: str, outputs: Path) -> bool:
    """Write a run that has the video; False where it exists already."""
    job = Job(experiment, model, question.domain, question.id, sample)
    digest = file_digest(video)
    for run in find_job_runs(outputs, job):
        if run.video_digest == digest:
            return False
        raise ConflictError(f"{run.folder} holds another video of {model} on {question.id}; use another --experiment")
    with new_run(outputs, job, question) as pending:
        shutil.copyfile(video, pending.video)
        run = Run(
            experiment, model, question.id, question.domain, sample, pending.run_id, "success", pending.target,
            video=pending.video, question_digest=question_digest(question), video_digest=digest,
        )  # fmt: skip
        pending.finish(run, {"family": "imported"})
    return True


def find_job_runs(outputs: Path, job: Job) -> list[Run]:
    """Return the finished runs of one job."""
    if not job.folder(outputs).is_dir():
        return []
    return [run for run in find_runs(outputs, job.experiment, [job.model]) if Job.of(run) == job]
