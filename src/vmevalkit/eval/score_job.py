"""One video to score: whether a score exists already, and where the new one goes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vmevalkit.core.async_scorer import AnyScorer
from vmevalkit.core.errors import InvalidRecord
from vmevalkit.core.records import Placement, Question, Score
from vmevalkit.core.scorer import ScoreFiles
from vmevalkit.store.atomic import file_digest
from vmevalkit.store.questions import question_digest
from vmevalkit.store.scores import Scored, load_score, save_score


@dataclass(frozen=True, slots=True)
class ScoreJob:
    """One video to score, its question, and where the score goes. It can be sent to another process."""

    experiment: str
    model: str
    question: Question
    video: Path
    scorer: str
    evaluations: Path
    sample: int = 0
    run_id: str | None = None
    placement: Placement | None = None
    own_run: bool = True
    """Whether a run of ours generated the video for this very question."""

    def without_metadata(self) -> ScoreJob:
        """Return the job for a result: without the question's metadata, which may be large."""
        return replace(self, question=replace(self.question, metadata={}))


@dataclass(frozen=True, slots=True)
class ScoreResult:
    """The result of one job."""

    job: ScoreJob
    score: Score | None
    """None where the scorer failed."""
    kept: bool = False
    """Whether the score existed already, made from the same video, puzzle and rules."""
    error: str | None = None


def make_scored(job: ScoreJob, scorer: AnyScorer) -> Scored:
    """Return the content of the score file, still without a verdict."""
    return Scored(
        job.experiment, job.model, job.question.domain, job.question.id, scorer.evaluator,
        score=Score.unscored(scorer.evaluator, scorer.version(job.question), "not scored yet"),
        sample=job.sample, run_id=job.run_id, video_digest=file_digest(job.video),
        puzzle_digest=question_digest(job.question),
        video=None if job.own_run else job.video.absolute(),
        question_folder=None if job.own_run else job.question.folder.absolute(),
    )  # fmt: skip


def find_existing(job: ScoreJob, scored: Scored, *, retry_unscored: bool = False) -> ScoreResult | None:
    """Return the score that was made from the same video, puzzle and version of the scorer; None where there is none.

    ``retry_unscored`` is for judges: what had no verdict may have one next time."""
    try:
        existing = load_score(scored.path(job.evaluations))
    except InvalidRecord:
        return None  # it is scored again
    if existing is None or (retry_unscored and not existing.score.scored):
        return None
    is_specified = existing.details is None and existing.video_digest is None and existing.score.version == ""
    is_current = existing.is_up_to_date(
        video_digest=scored.video_digest, puzzle_digest=scored.puzzle_digest, version=scored.score.version
    )
    if not is_current and not is_specified:
        return None
    if (existing.video, existing.question_folder) != (scored.video, scored.question_folder):
        save_score(job.evaluations, replace(existing, video=scored.video, question_folder=scored.question_folder))
    return ScoreResult(job.without_metadata(), existing.score, kept=True)


def save_result(
    job: ScoreJob,
    scored: Scored,
    score: Score,
    details: dict[str, Any] | None = None,
    files: ScoreFiles | None = None,
) -> ScoreResult:
    """Write the score file and return the result."""
    save_score(job.evaluations, replace(scored, score=score, details=details), files)
    return ScoreResult(job.without_metadata(), score)
