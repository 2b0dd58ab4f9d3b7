"""Questions, videos and scores of others become folders of ours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vmevalkit.core.errors import ConflictError, MediaError, StoreError, Unwritable, UsageError
from vmevalkit.core.jsonable import from_json
from vmevalkit.core.records import Question, Run, Score
from vmevalkit.core.verdict_check import find_contradiction
from vmevalkit.exchange.own_puzzles import check_own_puzzle, find_unreadable
from vmevalkit.exchange.read import BadRow, describe_bad_row
from vmevalkit.exchange.row import Row
from vmevalkit.exchange.sources import parse_object
from vmevalkit.exchange.upstream import find_puzzle
from vmevalkit.media.video import probe
from vmevalkit.store import layout
from vmevalkit.store.atomic import clean, file_digest, new_folder
from vmevalkit.store.foreign_file import copy_foreign_file, open_foreign_file
from vmevalkit.store.questions import load_question, load_questions, question_digest
from vmevalkit.store.records import record_bytes
from vmevalkit.store.runs import Job, find_runs, new_run
from vmevalkit.store.scores import Scored, save_score
from vmevalkit.store.video_map import read_video_map
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.dataset import CUSTOM, write_question
from vmevalkit.tasks.kit.question_pictures import PICTURES


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import."""

    questions: int = 0
    kept: int = 0
    """Questions and videos that were there already."""
    scorable: int = 0
    """New questions that rules can score."""
    unscored: tuple[str, ...] = ()
    """New questions with own pictures that rules cannot score, each with the reason."""
    videos: int = 0
    scores: int = 0
    unmatched: tuple[str, ...] = ()
    """Videos that match no question, each with the reason."""
    bad: tuple[BadRow, ...] = ()
    """Rows that were left out."""


def import_rows(
    rows: Iterable[Row | BadRow],
    questions: Path | str = layout.QUESTIONS,
    experiment: str | None = None,
    outputs: Path | str = layout.OUTPUTS,
    evaluations: Path | str = layout.EVALUATIONS,
    *,
    redraw: bool = True,
) -> Imported:
    """Write the questions of the rows, and with ``experiment`` their videos and scores.

    Where a record of others contains a whole puzzle, its frames are drawn again (``redraw``), so that they are those
    that rules read; the prompt stays. A row that cannot be used is left out and reported, the others are imported. An
    existing question with another content raises a ConflictError."""
    done = Imported()
    seen: set[tuple[str, str]] = set()
    for row in rows:
        if isinstance(row, BadRow):
            done = replace(done, bad=(*done.bad, row))
            continue
        try:
            if (row.domain, row.id) not in seen:
                done = _import_question(row, Path(questions), redraw, done)
                seen.add((row.domain, row.id))
            if row.video is not None and experiment is not None:
                done = _import_video(row, Path(questions), experiment, Path(outputs), Path(evaluations), done)
        except (ConflictError, Unwritable):
            raise
        except Exception as error:  # noqa: BLE001  - the boundary: foreign values may raise anything
            done = replace(done, bad=(*done.bad, describe_bad_row(f"{row.domain}/{row.id}", error)))
    if not seen and not done.bad:
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
    if not found.videos:
        raise UsageError(
            f"no video in {source} belongs to a question of {questions}; name each video after its question, such as "
            "maze_0007.mp4, or list the videos in a CSV file"
        )
    done = Imported(unmatched=found.unmatched)
    for video in found.videos:
        root = Path(source) if Path(source).is_dir() else video.path.parent
        try:
            open_foreign_file(root, video.path.relative_to(root)).close()
            probe(video.path)
        except (MediaError, StoreError) as error:
            done = replace(done, bad=(*done.bad, describe_bad_row(str(video.path), error)))
            continue
        is_new = _write_run(video.question, video.path, video.model, video.sample, experiment, Path(outputs))
        done = replace(done, videos=done.videos + is_new, kept=done.kept + (not is_new))
    return done


def _import_question(row: Row, root: Path, redraw: bool, done: Imported) -> Imported:
    files = make_question_files(row, redraw)
    folder = layout.question_folder(root, row.domain, row.id)
    clean(folder.parent)
    if folder.exists():
        for name, content in files.items():
            if not (folder / name).is_file() or (folder / name).read_bytes() != content:
                raise ConflictError(f"{folder} holds another question ({name} differs); choose another --questions")
        return replace(done, kept=done.kept + 1)
    if row.solution is not None:
        _check_video(row.solution)
    with new_folder(folder) as aside:
        for name, content in files.items():
            (aside / name).write_bytes(content)
    record = parse_object(files[layout.QUESTION_RECORD].decode(), "metadata")
    has_puzzle = "puzzle" in record and row.domain in TASKS
    reason = record.get(PICTURES, {}).get("unscored", "")
    if has_puzzle and PICTURES not in record:
        reason = find_unreadable(TASKS[row.domain], files, record)
    done = replace(done, questions=done.questions + 1, scorable=done.scorable + (has_puzzle and not reason))
    return replace(done, unscored=(*done.unscored, f"{row.id}: {reason}")) if reason else done


def _check_video(content: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / layout.SOLUTION
        path.write_bytes(content)
        probe(path)


def make_question_files(row: Row, redraw: bool = True) -> dict[str, bytes]:
    """Return the files of the question of a row. Those that ``generate`` made come back byte for byte."""
    metadata = parse_object(row.metadata or "{}", "metadata")
    if PICTURES in metadata and row.domain in TASKS and "unscored" not in metadata[PICTURES]:
        metadata = check_own_puzzle(TASKS[row.domain], row, metadata)
        row = replace(row, metadata=None)
    known = find_puzzle(row.domain, metadata) if redraw and "puzzle" not in metadata else None
    if known is not None:
        return _redraw(row, metadata, *known)
    names = {"id": row.id, "domain": row.domain, "prompt": row.prompt}
    # The folder of a question and its record must name the same one.
    is_consistent = all(metadata.get(key, names[key]) == names[key] for key in ("id", "domain"))
    record = row.metadata.encode() if row.metadata and is_consistent else record_bytes({**metadata, **names})
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
    if not row.model:
        raise UsageError(f"the video of {row.id} has no model; name its column with --column model=NAME")
    question = load_question(layout.question_folder(questions, row.domain, row.id))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "video.mp4"
        path.write_bytes(row.video)
        probe(path)
        digest = file_digest(path)
        is_new = _write_run(question, path, row.model, row.sample, experiment, outputs)
    scores = parse_object(row.scores or "{}", "scores")
    for name, result in scores.items():
        evaluator, _, annotator = name.partition("/")
        try:
            score = from_json(Score, {key: value for key, value in result.items() if key not in ("trace", "evidence")})
            if (problem := find_contradiction(result)) is not None:
                raise ValueError(problem)
        except (TypeError, ValueError, KeyError, AttributeError) as error:
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
        copy_foreign_file(video.parent, video.name, pending.video)
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
