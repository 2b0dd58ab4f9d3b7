"""Scoring many videos: those of an experiment, or those that were made elsewhere. Existing scores are kept."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from vmevalkit.core.async_scorer import AnyScorer, AsyncScorer, CallOptions, is_async, require_sync
from vmevalkit.core.errors import StoreError, UnknownName, Unwritable, UsageError
from vmevalkit.core.records import Run
from vmevalkit.core.scorer import ScoreFiles, TracingScorer
from vmevalkit.eval.score_job import ScoreJob, ScoreResult, find_existing, make_scored, save_result
from vmevalkit.eval.scorers import SCORERS, find_scorer
from vmevalkit.eval.session_scoring import CallEstimate, estimate_calls, score_by_calls
from vmevalkit.jobs.executor import Executor, LocalExecutor
from vmevalkit.jobs.portable import Move, Output, PortableJob
from vmevalkit.jobs.result import JobResult
from vmevalkit.store import layout
from vmevalkit.store.atomic import clean, lock
from vmevalkit.store.questions import list_question_files, load_question, load_questions
from vmevalkit.store.runs import iter_runs, question_of
from vmevalkit.store.scores import Scored, list_files_of_score
from vmevalkit.store.video_map import MappedVideo, read_video_map


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    """The results of one call."""

    results: tuple[ScoreResult, ...]
    """All results; with ``keep_results=False`` only those of ``failed`` and ``unscored``."""
    scored: int = 0
    """Number of videos with a score, also one without a verdict."""
    kept: int = 0
    """How many of these scores existed already."""
    passed: int = 0
    without_video: tuple[str, ...] = ()
    """Runs that made no video, each with the reason."""
    unmatched: tuple[str, ...] = ()
    """Videos that match no question, each with the reason."""
    spent_usd: float | None = None
    """What a scorer that makes calls has cost in this experiment, earlier calls included."""

    @property
    def failed(self) -> tuple[ScoreResult, ...]:
        return tuple(result for result in self.results if result.error is not None)

    @property
    def unscored(self) -> tuple[ScoreResult, ...]:
        """Videos on which the scorer has no verdict; their scores have the reason."""
        return tuple(result for result in self.results if result.score is not None and not result.score.scored)


def require_models_with_runs(models: Sequence[str], experiment: str, outputs: Path | str = layout.OUTPUTS) -> None:
    """Raise UnknownName for a model without runs in an experiment that has runs of others."""
    folder = layout.experiment_folder(Path(outputs), experiment)
    # A model's folder may hold a journal alone: its videos are ordered, but none has arrived.
    with_runs = [model for model in layout.subfolders(folder) if next(layout.subfolders(model), None) is not None]
    known = [layout.name_of(model.name) for model in with_runs]
    unknown = [model for model in models if model not in known]
    if known and unknown:
        raise UnknownName("model", unknown[0], known, f"with runs in {folder}")


def score_experiment(
    experiment: str,
    outputs: Path | str = layout.OUTPUTS,
    evaluations: Path | str = layout.EVALUATIONS,
    scorer: str | AsyncScorer = "rules",
    models: Sequence[str] | None = None,
    workers: int = 1,
    on_done: Callable[[int, int], None] | None = None,
    executor: Executor | None = None,
    *,
    keep_results: bool = True,
    calls: CallOptions | None = None,
) -> ScoreSummary:
    """Score every video of an experiment, or those of ``models``. ``on_done`` gets the numbers of finished and of all
    videos. Without ``keep_results`` the summary has no results of videos with a verdict: memory does not grow with
    the experiment.

    A scorer that makes calls, such as a judge, is given by name or as an object; ``calls`` says how it may call."""
    found = _find(scorer)  # an unknown name is refused before anything is read
    jobs, total, missing = _list_jobs(experiment, Path(outputs), Path(evaluations), scorer, models)
    collector = _Collector(total - len(missing), keep_results, on_done)
    place = layout.experiment_folder(Path(evaluations), experiment)
    calls = _with_purpose(calls, experiment, found)
    _score_all(found, jobs, place, executor or LocalExecutor(workers), collector, calls)
    return replace(collector.summarize(), without_video=missing)


def estimate_experiment(
    experiment: str,
    outputs: Path | str = layout.OUTPUTS,
    evaluations: Path | str = layout.EVALUATIONS,
    scorer: str | AsyncScorer = "gpt-4o",
    models: Sequence[str] | None = None,
    calls: CallOptions | None = None,
) -> CallEstimate:
    """Return what scoring an experiment by calls would cost. Nothing is sent."""
    found = _find(scorer)
    if not is_async(found):
        raise UsageError(f"the scorer {scorer} makes no calls, so scoring with it costs nothing")
    jobs, _, _ = _list_jobs(experiment, Path(outputs), Path(evaluations), scorer, models)
    return estimate_calls(found, jobs, _with_purpose(calls, experiment, found))


def _find(scorer: str | AsyncScorer) -> AnyScorer:
    return find_scorer(scorer) if isinstance(scorer, str) else scorer


def _name_of(scorer: str | AsyncScorer) -> str:
    """Return the name by which workers find a scorer. One that makes calls is not sent to them."""
    return scorer if isinstance(scorer, str) else scorer.evaluator


def _with_purpose(calls: CallOptions | None, experiment: str, scorer: AnyScorer) -> CallOptions:
    """Return the options with a budget of this experiment and scorer."""
    calls = calls or CallOptions()
    return calls if calls.purpose else replace(calls, purpose=f"{experiment}/{scorer.evaluator}")


def _list_jobs(
    experiment: str, outputs: Path, evaluations: Path, scorer: str | AsyncScorer, models: Sequence[str] | None
) -> tuple[Iterator[ScoreJob], int, tuple[str, ...]]:
    """Return a job for each video of an experiment, the number of all runs, and a line for each without a video."""
    wanted = list(models) if models else None
    total, missing = 0, list[str]()
    for run in iter_runs(outputs, experiment, wanted):
        total += 1
        if run.video is None:
            missing.append(f"{run.model} on {run.question_id}: {run.error or run.status}")
    if not total:
        raise StoreError(
            f"there are no runs in {layout.experiment_folder(outputs, experiment)}; "
            f"generate videos first: {_run_command(experiment, outputs, models)}"
        )
    runs = iter_runs(outputs, experiment, wanted)
    jobs = (_job_of_run(run, _name_of(scorer), evaluations) for run in runs if run.video is not None)
    return jobs, total, tuple(missing)


def score_videos(
    videos: Path | str,
    questions: Path | str,
    name: str | None = None,
    evaluations: Path | str = layout.EVALUATIONS,
    experiment: str | None = None,
    scorer: str | AsyncScorer = "rules",
    workers: int = 1,
    on_done: Callable[[int, int], None] | None = None,
    executor: Executor | None = None,
    calls: CallOptions | None = None,
) -> ScoreSummary:
    """Score videos that were made elsewhere: those in a folder, or those that a CSV file lists.

    ``vmevalkit.store.video_map`` says how videos and questions are matched. ``name`` is the model; the scores belong
    to ``experiment``, by default one with the name of the model.
    """
    by = _find(scorer)
    source = Path(videos)
    found = read_video_map(source, load_questions(questions), name)
    if not found.videos:
        raise UsageError(
            f"no video in {source} belongs to a question of {questions}; name each video after its question, "
            "such as maze_0007.mp4, or list the videos in a CSV file"
        )
    place = experiment or name or source.stem
    jobs = (_job_of_video(video, place, _name_of(scorer), Path(evaluations)) for video in found.videos)
    collector = _Collector(len(found.videos), keep_results=True, on_done=on_done)
    folder = layout.experiment_folder(Path(evaluations), place)
    _score_all(by, jobs, folder, executor or LocalExecutor(workers), collector, _with_purpose(calls, place, by))
    return replace(collector.summarize(), unmatched=found.unmatched)


def _run_command(experiment: str, outputs: Path, models: Sequence[str] | None) -> str:
    words = ["vmevalkit", "run", "--model", *(models or ["MODEL"]), "--experiment", experiment]
    return shlex.join(words if outputs == layout.OUTPUTS else [*words, "--outputs", str(outputs)])


def _job_of_run(run: Run, scorer: str, evaluations: Path) -> ScoreJob:
    assert run.video is not None
    # The folder's place names the question: its record may be older than a renamed folder.
    question = replace(load_question(question_of(run)), id=run.question_id, domain=run.domain)
    return ScoreJob(
        run.experiment, run.model, question, run.video, scorer, evaluations,
        sample=run.sample, run_id=run.run_id, placement=run.placement,
    )  # fmt: skip


def _job_of_video(video: MappedVideo, experiment: str, scorer: str, evaluations: Path) -> ScoreJob:
    return ScoreJob(
        experiment, video.model, video.question, video.path, scorer, evaluations, sample=video.sample, own_run=False
    )


class _Collector:
    """Counts the results of a call, and keeps those that are asked for."""

    def __init__(self, total: int, keep_results: bool, on_done: Callable[[int, int], None] | None) -> None:
        self._total, self._keep_results, self._on_done = total, keep_results, on_done
        self._finished = self._scored = self._kept = self._passed = 0
        self._results: list[ScoreResult] = []
        self.spent_usd: float | None = None

    def collect(self, _: int, done: JobResult[ScoreJob, ScoreResult]) -> None:
        if done.error is not None and done.error.is_a(Unwritable):
            raise Unwritable(done.error.message)  # every further score would fail the same way
        reason = None if done.error is None else done.error.describe()
        self.add(done.value or ScoreResult(done.item.without_metadata(), None, error=reason))

    def add(self, result: ScoreResult) -> None:
        self._finished += 1
        if result.score is not None:
            self._scored += 1
            self._kept += result.kept
            self._passed += bool(result.score.success)
        if self._keep_results or result.score is None or not result.score.scored:
            self._results.append(result)
        if self._on_done:
            self._on_done(self._finished, self._total)

    def summarize(self) -> ScoreSummary:
        return ScoreSummary(tuple(self._results), self._scored, self._kept, self._passed, spent_usd=self.spent_usd)


def _score_all(
    scorer: AnyScorer, jobs: Iterable[ScoreJob], folder: Path, executor: Executor, collector: _Collector,
    calls: CallOptions,
) -> None:  # fmt: skip
    with lock(folder):
        if is_async(scorer):
            collector.spent_usd = score_by_calls(scorer, jobs, calls, collector.add)
        else:
            executor.map(VideoScorer(), jobs, collector.collect)


@dataclass(frozen=True, slots=True)
class VideoScorer(PortableJob[ScoreJob, ScoreResult]):
    """Scores one video: ``score_one``, and what has to be known to score it on another machine."""

    def __call__(self, item: ScoreJob) -> ScoreResult:
        return score_one(item)

    def find_value(self, item: ScoreJob) -> ScoreResult | None:
        """Return the result of a video whose score is up to date: such a video is not sent."""
        return find_existing(item, _draft_score(item))

    def list_inputs(self, item: ScoreJob) -> Iterable[Path]:
        return [item.video, *list_question_files(item.question)]

    def move_item(self, item: ScoreJob, to: Move) -> ScoreJob:
        question = replace(item.question, folder=to(item.question.folder))
        return replace(item, question=question, video=to(item.video), evaluations=to(item.evaluations))

    def move_value(self, value: ScoreResult, to: Move) -> ScoreResult:
        return replace(value, job=self.move_item(value.job, to))

    def list_outputs(self, item: ScoreJob, value: ScoreResult) -> Sequence[Path]:
        record = _draft_score(item).path(item.evaluations)
        return [*(path for path in list_files_of_score(record) if path.exists()), record]

    def publish(self, item: ScoreJob, outputs: Sequence[Output]) -> None:
        clean(outputs[-1].path.parent)
        PortableJob.publish(self, item, outputs)
        written = {output.path for output in outputs}
        for path in list_files_of_score(outputs[-1].path):
            if path not in written:  # of an earlier score
                path.unlink(missing_ok=True)


def score_one(job: ScoreJob) -> ScoreResult:
    """Score a video and write the score, unless one made from the same video, puzzle and rules exists."""
    scorer, scored = require_sync(SCORERS[job.scorer], job.scorer), _draft_score(job)
    existing = find_existing(job, scored)
    if existing is not None:
        return existing
    inputs = (job.question, job.video, job.placement, job.own_run)
    if isinstance(scorer, TracingScorer):
        score, files = scorer.score_with_files(*inputs)
    else:
        score, files = scorer.score(*inputs), ScoreFiles()
    return save_result(job, scored, score, files=files)


def _draft_score(job: ScoreJob) -> Scored:
    return make_scored(job, SCORERS[job.scorer])
