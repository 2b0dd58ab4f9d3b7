"""Running an audit: each trick video is made, encoded, decoded and scored, and its verdict compared with the one that
it deserves by construction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from vmevalkit.audit.design import PLAIN, TrialId, assign_conditions, plan_puzzles
from vmevalkit.audit.kinds import KINDS, VideoKind, find_kinds
from vmevalkit.baselines.baseline import find_trick, render_degraded, write_degraded
from vmevalkit.baselines.degradations import DEGRADATIONS
from vmevalkit.baselines.tricks import SOLVED_TRICKS, TRICKS
from vmevalkit.core.async_scorer import AnyScorer
from vmevalkit.core.errors import UnknownName, UsageError
from vmevalkit.core.randomness import rng_for
from vmevalkit.core.records import Placement, Question, Score
from vmevalkit.core.scorer import Scorer
from vmevalkit.jobs.executor import Executor, LocalExecutor
from vmevalkit.jobs.result import JobResult
from vmevalkit.media.video_writer import write_video
from vmevalkit.store.layout import question_folder
from vmevalkit.store.questions import load_question
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.dataset import write_question
from vmevalkit.tasks.task import AnyTask, Expected, Task

SECONDS = 3.0
"""Length of an audit video of a task whose solution takes four seconds: short, to keep an audit affordable."""
FPS = 12.0


@dataclass(frozen=True, slots=True)
class TrialSpec:
    """One video to make and to score. It can be sent to another process."""

    trial_id: TrialId
    task: AnyTask
    puzzle: Any
    difficulty: str
    expected: Expected
    seed: int
    expected_solved: bool = False
    """Whether the final state is an accepted answer, whatever the way to it."""

    def find_deserved(self, scorer: AnyScorer) -> Expected:
        """Return the verdict that the scorer is held to: one that sees only final frames cannot know the way."""
        if not getattr(scorer, "final_state_only", False):
            return self.expected
        return "pass" if self.expected_solved else "fail"


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of one video."""

    trial_id: TrialId
    difficulty: str
    expected: Expected
    """The verdict that the scorer is held to."""
    score: Score | None = None
    """None where the scorer failed."""
    error: str | None = None
    video_cpu_s: float = field(default=0.0, compare=False)
    """CPU time to make the video."""
    score_cpu_s: float = field(default=0.0, compare=False)
    """CPU time to score it."""

    @property
    def scored(self) -> bool:
        return self.score is not None and self.score.scored

    @property
    def passed(self) -> bool:
        """Whether the scorer lets the video pass: with a value of 4 or 5, where it judges nothing else."""
        if self.score is None:
            return False
        return self.score.success if self.score.passed is None else self.score.passed

    @property
    def is_right(self) -> bool:
        """Whether the video got the verdict that it deserves."""
        return self.scored and self.passed == (self.expected == "pass")

    @property
    def explanation(self) -> str:
        """The scorer's explanation, or why there is none, in a line."""
        if self.score is None:
            return f"error: {self.error}"
        return self.score.explanation if self.scored else f"unscored: {self.score.explanation}"


def plan_trials(
    task: AnyTask, videos: int, seed: int, tricks: Sequence[str] = (), own_videos: int | None = None
) -> list[TrialSpec]:
    """Return the trials of one task's audit: ``videos`` of each trick, fewer where some puzzles do not have the trick.

    A task's own tricks are tried on this task alone, so they may have more videos: ``own_videos``.
    """
    own_videos = videos if own_videos is None else own_videos
    for number in (videos, own_videos):
        if number < 1:
            raise UsageError(f"an audit with {number} videos per trick proves nothing; ask for 1 or more")
    puzzles = plan_puzzles(task, max(videos, own_videos), seed)
    verdicts = [_expected_verdicts(task, puzzle, index, seed) for index, (_, puzzle) in enumerate(puzzles)]
    names = list(dict.fromkeys(name for each in verdicts for name in each))
    unknown = [name for name in tricks if name not in names]
    if unknown:
        raise UnknownName(f"trick of {task.name}", unknown[0], names)
    specs = []
    for name in tricks or names:
        candidates = verdicts[: videos if name in TRICKS else own_videos]
        indices = [index for index, each in enumerate(candidates) if name in each]
        for trial_id in assign_conditions(task.name, name, indices, seed):
            difficulty, puzzle = puzzles[trial_id.index]
            verdict = verdicts[trial_id.index][name]
            specs.append(TrialSpec(trial_id, task, puzzle, difficulty, verdict.expected, seed, verdict.is_solved))
    return specs


def plan_kind_trials(task: AnyTask, kinds: Sequence[VideoKind], videos: int, seed: int) -> list[TrialSpec]:
    """Return the trials of the kinds that a task has, ``videos`` of each, fewer where some puzzles do not have the
    kind. They have no degradation."""
    if videos < 1:
        raise UsageError(f"an audit with {videos} videos of each kind proves nothing; ask for 1 or more")
    puzzles = plan_puzzles(task, videos, seed)
    return [
        TrialSpec(
            TrialId(task.name, kind.name, PLAIN, index),
            task,
            puzzle,
            difficulty,
            kind.expected,
            seed,
            kind.expected == "pass",
        )
        for kind in kinds
        if kind.serves(task)
        for index, (difficulty, puzzle) in enumerate(puzzles)
        if kind.fits(task, puzzle)
    ]


def find_trial(trial_id: TrialId, seed: int) -> TrialSpec:
    """Return the trial of this id, to be run again."""
    task = TASKS[trial_id.task]
    difficulty, puzzle = plan_puzzles(task, trial_id.index + 1, seed)[trial_id.index]
    verdicts = _expected_verdicts(task, puzzle, trial_id.index, seed)
    kinds = [kind for kind in find_kinds(task) if kind.fits(task, puzzle)]
    verdicts |= {kind.name: _Verdict(kind.expected, kind.expected == "pass") for kind in kinds}
    if trial_id.trick not in verdicts:
        raise UnknownName(f"trick or kind of {task.name}, puzzle {trial_id.index},", trial_id.trick, verdicts)
    verdict = verdicts[trial_id.trick]
    return TrialSpec(trial_id, task, puzzle, difficulty, verdict.expected, seed, verdict.is_solved)


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What a trick video deserves."""

    expected: Expected
    is_solved: bool


def _expected_verdicts(task: AnyTask, puzzle: Any, index: int, seed: int) -> dict[str, _Verdict]:
    """Return the tricks that this puzzle has, each with the verdict that it deserves."""
    generic = {name: _Verdict(task.tricks[name], name in SOLVED_TRICKS) for name in TRICKS if name in task.tricks}
    own = {
        name: _Verdict(cheat.expected, task.accepted(puzzle, cheat.state_at(1.0)))
        for name, cheat in task.cheats(puzzle, _cheats_rng(task, index, seed)).items()
    }
    both = generic.keys() & own.keys()
    if both:
        raise UsageError(f"{task.name} has its own trick {min(both)!r}, but a generic trick has that name; rename it")
    return {name: verdict for name, verdict in (generic | own).items() if verdict.expected != "n/a"}


def _cheats_rng(task: AnyTask, index: int, seed: int) -> Random:
    return rng_for("audit", seed, task.name, "videos", index)


def render_video(spec: TrialSpec, into: Path) -> Placement | None:
    """Write the video of a trial. Returns the placement that the scorer is given."""
    trial_id = spec.trial_id
    if trial_id.trick in KINDS:
        rng = rng_for("kinds", spec.seed, trial_id.trick, trial_id.task, trial_id.index)
        write_video(into, KINDS[trial_id.trick].render(spec.task, spec.puzzle, rng, round(FPS)), FPS)
        return None
    trick = find_trick(spec.task, spec.puzzle, trial_id.trick, _cheats_rng(spec.task, trial_id.index, spec.seed))
    if trick is None:
        raise UsageError(f"{trial_id} cannot be made: its puzzle does not have the trick {trial_id.trick!r}")
    degradation = DEGRADATIONS[trial_id.condition.degradation]
    degraded = render_degraded(
        spec.task,
        spec.puzzle,
        trick,
        degradation,
        rng_for("audit", spec.seed, trial_id),
        SECONDS * spec.task.video_seconds / Task.video_seconds,
        FPS,
    )
    write_degraded(degraded, into)
    return degraded.placement if trial_id.condition.placed else None


@dataclass(frozen=True, slots=True)
class AuditWorker:
    """Makes and scores the video of one trial. It can be sent to another process."""

    scorer: Scorer

    def __call__(self, spec: TrialSpec) -> Trial:
        with TemporaryDirectory(prefix="vmevalkit-audit-") as folder:
            return self.run(spec, Path(folder) / "video.mp4")

    def run(self, spec: TrialSpec, video: Path) -> Trial:
        """Run a trial and keep its video at ``video``."""
        start = process_time()
        placement = render_video(spec, video)
        made = process_time()
        with TemporaryDirectory(prefix="vmevalkit-audit-") as folder:
            score = self.scorer.score(write_question_of(spec, Path(folder)), video, placement, own_run=True)
        scored = process_time()
        deserved = spec.find_deserved(self.scorer)
        return Trial(spec.trial_id, spec.difficulty, deserved, score, None, made - start, scored - made)


def write_question_of(spec: TrialSpec, root: Path) -> Question:
    """Write the question of a trial."""
    name = f"{spec.task.name}_{spec.trial_id.index:04d}"
    return write_trial_question(spec.task, spec.puzzle, name, spec.difficulty, spec.seed, root)


def write_trial_question(task: AnyTask, puzzle: Any, name: str, difficulty: str, seed: int, root: Path) -> Question:
    """Write a question as ``generate`` would: a scorer may need its pictures and its prompt."""
    write_question(task, puzzle, name, root, difficulty=difficulty, seed=seed)
    return load_question(question_folder(root, task.name, name))


def run_trials(
    specs: Sequence[TrialSpec],
    scorer: Scorer,
    workers: int = 1,
    on_trial: Callable[[Trial], None] | None = None,
    executor: Executor | None = None,
) -> list[Trial]:
    """Run the trials and return them in order. A scorer that raises is recorded, and the audit continues."""

    trials: dict[int, Trial] = {}

    def collect(number: int, result: JobResult[TrialSpec, Trial]) -> None:
        trials[number] = _to_trial(result, scorer)
        if on_trial:
            on_trial(trials[number])

    (executor or LocalExecutor(workers)).map(AuditWorker(scorer), specs, collect)
    return [trials[number] for number in sorted(trials)]


def _to_trial(result: JobResult[TrialSpec, Trial], scorer: Scorer) -> Trial:
    if result.value is not None:
        return result.value
    spec = result.item
    return Trial(spec.trial_id, spec.difficulty, spec.find_deserved(scorer), None, str(result.error))
