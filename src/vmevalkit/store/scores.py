"""Score files: a verdict, with the digests of the video and the puzzle and the version of the scorer.

The place of a score file names its experiment, model, domain and question (see ``layout``). Its record repeats these
names for readers; they are not read back.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import InvalidRecord, StoreError
from vmevalkit.core.jsonable import from_json, to_json
from vmevalkit.core.records import Run, Score
from vmevalkit.core.scorer import RULES, ScoreFiles
from vmevalkit.core.verdict_check import find_contradiction, find_missing_origin
from vmevalkit.store import layout, old_keys
from vmevalkit.store.atomic import clean, file_digest, os_errors, write_file
from vmevalkit.store.foreign_file import join_inside, refuse_link_out
from vmevalkit.store.old_keys import rename_old_keys
from vmevalkit.store.records import read_record, record_bytes

_log = logging.getLogger(__name__)
_SPECIFICATION_VALUE = "solution_correctness_score"
_JUDGED = ("solved", "passed", "outcome", "process", "legal_progress", "failure_mode", "ever_solved")


@dataclass(frozen=True, slots=True)
class Scored:
    """The content of a score file."""

    experiment: str
    model: str
    domain: str
    question_id: str
    evaluator: str
    """The name of the file: ``RuleEvaluator``, ``GPT4OEvaluator``, ``HumanEvaluator``."""
    score: Score
    sample: int = 0
    run_id: str | None = None
    """None for a video from elsewhere."""
    video_digest: str | None = None
    puzzle_digest: str | None = None
    annotator: str | None = None
    """The person who judged, where people do: each has a file of their own."""
    video: Path | None = None
    """The path of a video from elsewhere; None for the video of a run."""
    question_folder: Path | None = None
    """The folder of its question; None for the question of a run."""
    timestamp: str = ""
    trace: Path | None = None
    """The trace beside the score; None for a scorer that writes none."""
    evidence: Path | None = None
    """The evidence strip beside the score; None where there is none."""
    details: dict[str, Any] | None = None
    """What a judge or a person leaves beside the verdict: who was asked, when, at what price; of a person the queue,
    its probability and the time. The file has the specification's key for the value then."""

    def path(self, evaluations: Path) -> Path:
        """Return the path of the file below ``evaluations``."""
        return score_file(
            evaluations, self.experiment, self.model, self.domain, self.question_id, self.evaluator,
            sample=self.sample, annotator=self.annotator,
        )  # fmt: skip

    def is_up_to_date(self, *, video_digest: str | None, puzzle_digest: str | None, version: str) -> bool:
        """Whether scoring again would give the same: same video, same puzzle, same version of the scorer."""
        if self.evaluator == RULES and self.score.scored and self.score.legal_progress is None:
            return False  # made by an older version, which did not measure what the reward needs
        inputs = (self.video_digest, self.puzzle_digest, self.score.version)
        return None not in inputs and inputs == (video_digest, puzzle_digest, version)

    def is_of(self, run: Run) -> bool:
        """Whether this is a verdict on the video that the run has now.

        The records decide. The video is read only where they differ, since it may have been replaced before it was
        scored."""
        if run.video is None:
            return False
        puzzles = (self.puzzle_digest, run.question_digest)
        if None not in puzzles and puzzles[0] != puzzles[1]:
            return False
        if self.video_digest is None or run.video_digest is None:
            return self.run_id == run.run_id
        return self.video_digest == run.video_digest or (
            run.video.is_file() and self.video_digest == file_digest(run.video)
        )


def score_file(
    evaluations: Path, experiment: str, model: str, domain: str, question_id: str, evaluator: str,
    *, sample: int = 0, annotator: str | None = None,
) -> Path:  # fmt: skip
    """Return the path of a score file."""
    job = layout.job_folder(evaluations, experiment, model, domain, question_id)
    folder = layout.sample_folder(job, sample)
    return layout.score_file(folder, evaluator, annotator)


def save_score(evaluations: Path | str, scored: Scored, files: ScoreFiles | None = None) -> Path:
    """Write a score file, after what belongs beside it. Returns its path.

    Without ``files`` the trace and the strip that ``scored`` names are kept. All others are removed."""
    path = scored.path(Path(evaluations))
    metadata = {
        "evaluator": scored.evaluator,
        "timestamp": scored.timestamp or datetime.now(UTC).isoformat(timespec="seconds"),
        "model_name": scored.model,
        "task_type": f"{scored.domain}_task",
        "task_id": scored.question_id,
        "experiment": scored.experiment,
        "sample": scored.sample,
        "run_id": scored.run_id,
        "video_digest": scored.video_digest,
        "puzzle_digest": scored.puzzle_digest,
        "scorer_version": scored.score.version,
        "annotator": scored.annotator,
        "video": _relative(scored.video, path.parent),
        "question_folder": _relative(scored.question_folder, path.parent),
    }
    clean(path.parent)
    trace = (scored.trace, None) if files is None else (None, files.trace)
    evidence = (scored.evidence, None) if files is None else (None, files.evidence)
    beside = {"trace": (layout.trace_file(path), *trace), "evidence": (layout.evidence_file(path), *evidence)}
    result = to_json(scored.score)
    if scored.details is not None:
        result = {_SPECIFICATION_VALUE: scored.score.value, **result}
    for name, (place, kept, content) in beside.items():
        if content is not None:
            write_file(place, content)
        if content is not None or kept is not None:
            result[name] = place.name
    details = {} if scored.details is None else {"details": scored.details}
    write_file(path, record_bytes({"metadata": metadata, "result": result, **details}))
    for name, (place, _, _) in beside.items():
        if name not in result:
            with os_errors(place):
                place.unlink(missing_ok=True)
    return path


def list_files_of_score(score: Path) -> list[Path]:
    """Return the paths of the files that may be beside a score file: its trace and its evidence strip."""
    return [layout.trace_file(score), layout.evidence_file(score)]


def load_score(path: Path) -> Scored | None:
    """Return the score in a file; None where there is no file. Raises InvalidRecord where it contradicts itself."""
    record = read_record(path)
    if record is None:
        return None
    try:
        about = rename_old_keys(record["metadata"], old_keys.SCORE)
        result = dict(record["result"])
        trace, evidence = (_find_beside(result.pop(name, None), path.parent) for name in ("trace", "evidence"))
        value = result.pop(_SPECIFICATION_VALUE, None)
        if "scorer" not in result:  # a file of the specification's own form has nothing else
            result = {
                "scorer": about["evaluator"], "version": "", "value": value,
                "explanation": str(result.get("explanation") or ""),
            }  # fmt: skip
        if result["value"] is None:  # older files hold default values here, which nobody judged
            result = {name: value for name, value in result.items() if name not in _JUDGED}
        metrics = rename_old_keys(result.get("metrics", {}), old_keys.METRICS)
        problem = find_contradiction({**result, "metrics": metrics}) or find_missing_origin(about, record["result"])
        if problem is not None:
            raise InvalidRecord(f"{path} is left out: {problem}; score again")
        sample, annotator = about.get("sample", 0), about.get("annotator")
        job_folder = path.parents[(sample != 0) + (annotator is not None)]
        experiment, model, domain, question_id = layout.parse_job_folder(job_folder)
        return Scored(
            experiment=experiment,
            model=model,
            domain=domain,
            question_id=question_id,
            evaluator=about["evaluator"],
            score=from_json(Score, {**result, "metrics": metrics}),
            sample=sample,
            run_id=about.get("run_id"),
            video_digest=about.get("video_digest"),
            puzzle_digest=about.get("puzzle_digest"),
            annotator=annotator,
            timestamp=about.get("timestamp", ""),
            video=_absolute(about.get("video"), path.parent),
            question_folder=_absolute(about.get("question_folder"), path.parent),
            trace=trace,
            evidence=evidence,
            details=record.get("details"),
        )
    except (TypeError, ValueError, KeyError, AttributeError, IndexError, RecursionError) as error:
        raise StoreError(f"{path} is not a score file ({error!r}); remove it and score again") from error


def _relative(path: Path | None, folder: Path) -> str | None:
    """Return the path as the score file stores it, relative, so that both can be moved together."""
    return None if path is None else Path(os.path.relpath(path.absolute(), folder.absolute())).as_posix()


def _find_beside(name: str | None, folder: Path) -> Path | None:
    return None if name is None else join_inside(folder.absolute(), name)


def _absolute(name: str | None, folder: Path) -> Path | None:
    return None if name is None else Path(os.path.normpath(folder.absolute() / name))


def load_scores(evaluations: Path | str, experiment: str) -> list[Scored]:
    """Return every score of an experiment, sorted by model, domain, question, sample and scorer.

    One that contradicts itself is reported and left out."""
    place = layout.experiment_folder(Path(evaluations), experiment)
    if not place.is_dir():
        raise StoreError(f"there are no scores in {place}; score first: vmevalkit score --experiment {experiment}")
    found = []
    for path in _find_score_files(place):
        try:
            scored = load_score(path)
        except InvalidRecord as error:
            _log.warning("%s", error)
            continue
        if scored is not None:
            found.append(scored)
    return found


def _find_score_files(experiment: Path) -> Iterator[Path]:
    for model in layout.subfolders(experiment):
        for domain in layout.subfolders(model):
            for job in layout.subfolders(domain):
                for folder in (model, domain, job):
                    refuse_link_out(folder, experiment, experiment.parent)
                yield from _find_json_files(job)


def _find_json_files(folder: Path) -> Iterator[Path]:
    files = (path for path in folder.iterdir() if layout.is_score_file(path.name))
    yield from sorted(files)
    for inside in layout.subfolders(folder):  # of samples, and of annotators
        yield from _find_json_files(inside)
