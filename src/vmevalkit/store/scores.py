"""Score files: a verdict, and what it was made from. It is finished only as long as all of that is still the same."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import StoreError
from vmevalkit.core.jsonable import from_json, to_json
from vmevalkit.core.records import Run, Score
from vmevalkit.store import layout
from vmevalkit.store.commit import clean, file_digest, write_file
from vmevalkit.store.records import read_record, record_bytes


@dataclass(frozen=True, slots=True)
class Scored:
    """A score file."""

    experiment: str
    model: str
    domain: str
    question_id: str
    evaluator: str
    """Names the file: ``RuleEvaluator``, ``GPT4OEvaluator``, ``HumanEvaluator``."""
    score: Score
    sample: int = 0
    run_id: str | None = None
    """None for a film from elsewhere."""
    video_digest: str | None = None
    puzzle_digest: str | None = None
    annotator: str | None = None
    """Who judged, where people do: each has a file of their own."""
    film: Path | None = None
    """Where a film from elsewhere lay when it was scored; a run knows its own."""
    question_folder: Path | None = None
    """Likewise its question."""
    timestamp: str = ""

    def path(self, evaluations: Path) -> Path:
        return score_file(
            evaluations, self.experiment, self.model, self.domain, self.question_id, self.evaluator,
            sample=self.sample, annotator=self.annotator,
        )  # fmt: skip

    def made_from(self, *, video_digest: str | None, puzzle_digest: str | None, version: str) -> bool:
        """Whether scoring again could only give the same."""
        inputs = (self.video_digest, self.puzzle_digest, self.score.version)
        return None not in inputs and inputs == (video_digest, puzzle_digest, version)

    def is_of(self, run: Run) -> bool:
        """Whether this is a verdict on the film that the run has now. The records tell; a film is read only where they
        differ, since somebody may have changed it in its place before it was scored."""
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
    job = layout.job_folder(evaluations, experiment, model, domain, question_id)
    folder = layout.sample_folder(job, sample)
    if annotator is not None:
        return folder / layout.folder_name(evaluator) / f"{layout.folder_name(annotator)}.json"
    return folder / f"{layout.folder_name(evaluator)}.json"


def save_score(evaluations: Path | str, scored: Scored) -> Path:
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
        "film": _relative(scored.film, path.parent),
        "question_folder": _relative(scored.question_folder, path.parent),
    }
    clean(path.parent)
    write_file(path, record_bytes({"metadata": metadata, "result": to_json(scored.score)}))
    return path


def load_score(path: Path) -> Scored | None:
    """The score in a file; None where there is no file."""
    record = read_record(path)
    if record is None:
        return None
    try:
        about: dict[str, Any] = record["metadata"]
        return Scored(
            experiment=about["experiment"],
            model=about["model_name"],
            domain=about["task_type"].removesuffix("_task"),
            question_id=about["task_id"],
            evaluator=about["evaluator"],
            score=from_json(Score, record["result"]),
            sample=about.get("sample", 0),
            run_id=about.get("run_id"),
            video_digest=about.get("video_digest"),
            puzzle_digest=about.get("puzzle_digest"),
            annotator=about.get("annotator"),
            timestamp=about.get("timestamp", ""),
            film=_absolute(about.get("film"), path.parent),
            question_folder=_absolute(about.get("question_folder"), path.parent),
        )
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise StoreError(f"{path} is no score file ({error!r}); remove it and score again") from error


def _relative(path: Path | None, folder: Path) -> str | None:
    """As the score file names it: they may be moved together."""
    return None if path is None else Path(os.path.relpath(path.absolute(), folder.absolute())).as_posix()


def _absolute(name: str | None, folder: Path) -> Path | None:
    return None if name is None else Path(os.path.normpath(folder.absolute() / name))


def load_scores(evaluations: Path | str, experiment: str) -> list[Scored]:
    """Every score of an experiment, by model, domain, question, sample and scorer."""
    place = layout.experiment_folder(Path(evaluations), experiment)
    if not place.is_dir():
        raise StoreError(f"there are no scores in {place}; make them first: vmevalkit score --experiment {experiment}")
    loaded = (load_score(path) for path in _score_files(place))
    return [scored for scored in loaded if scored is not None]


def _score_files(experiment: Path) -> Iterator[Path]:
    for model in layout.subfolders(experiment):
        for domain in layout.subfolders(model):
            for job in layout.subfolders(domain):
                yield from _files_in(job)


def _files_in(folder: Path) -> Iterator[Path]:
    files = (path for path in folder.iterdir() if path.suffix == ".json" and not path.name.startswith("."))
    yield from sorted(files)
    for inside in layout.subfolders(folder):  # samples, and annotators of a scorer
        yield from _files_in(inside)
