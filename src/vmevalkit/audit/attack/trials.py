"""Running programs: label, pixels, score, and whether they agree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np

from vmevalkit.audit.attack.drawing import draw_run
from vmevalkit.audit.attack.oracle import Label, label_program
from vmevalkit.audit.attack.program import Program, find_puzzle
from vmevalkit.audit.attack.symbolic import run_program
from vmevalkit.audit.audit import TrialSpec, write_trial_question
from vmevalkit.audit.design import PLAIN, TrialId
from vmevalkit.audit.session_trials import MadeTrials, MadeVideo, estimate_trials, judge_trials
from vmevalkit.core.async_scorer import AsyncScorer, CallOptions
from vmevalkit.core.records import Question, Score
from vmevalkit.core.scorer import FrameScorer, Scorer
from vmevalkit.jobs.executor import Executor, LocalExecutor
from vmevalkit.jobs.result import JobResult
from vmevalkit.media.image import Frame
from vmevalkit.media.video import write_video
from vmevalkit.tasks.task import Expected


@dataclass(frozen=True, slots=True)
class Trial:
    """A program with its label and the verdict that it got."""

    program: Program
    label: Label
    score: Score | None = None
    """None where the label is not sure, so that nothing was scored, or where the scorer failed."""
    error: str | None = None
    label_cpu_s: float = field(default=0.0, compare=False)
    draw_cpu_s: float = field(default=0.0, compare=False)
    score_cpu_s: float = field(default=0.0, compare=False)

    @property
    def is_scored(self) -> bool:
        """Whether the program's video was given to the scorer."""
        return self.label.is_sure

    @property
    def passed(self) -> bool:
        if self.score is None or not self.score.scored:
            return False
        return self.score.success if self.score.passed is None else self.score.passed

    @property
    def is_wrong(self) -> bool:
        """Whether the scorer's verdict is not the label. A video without a verdict is wrong."""
        if not self.is_scored:
            return False
        return self.score is None or not self.score.scored or self.passed != (self.label.verdict == "pass")

    @property
    def explanation(self) -> str:
        return f"error: {self.error}" if self.score is None else self.score.explanation


@dataclass(frozen=True, slots=True)
class TrialWorker:
    """Labels, draws and scores a program. It can be sent to another process."""

    scorer: Scorer

    def __call__(self, program: Program) -> Trial:
        final_state_only = bool(getattr(self.scorer, "final_state_only", False))
        start = process_time()
        label = label_program(program, final_state_only)
        labelled = process_time()
        if not label.is_sure:
            return Trial(program, label, label_cpu_s=labelled - start)
        run = run_program(program)
        frames = draw_run(run)
        drawn = process_time()
        score = score_frames(self.scorer, find_question(program), frames, run.fps)
        return Trial(program, label, score, None, labelled - start, drawn - labelled, process_time() - drawn)


def score_frames(scorer: Scorer, question: Question, frames: Sequence[Frame], fps: float) -> Score:
    """Return the scorer's verdict on a video, in memory where the scorer takes frames."""
    if isinstance(scorer, FrameScorer):
        return scorer.score_frames(question, np.stack(frames), fps)
    with TemporaryDirectory(prefix="vmevalkit-attack-") as folder:
        video = Path(folder) / "video.mp4"
        write_video(video, frames, fps, crf=12)
        return scorer.score(question, video, None, True)


def find_question(program: Program) -> Question:
    """Return the question of a program, written once in a process."""
    return _write_question(replace(program, operations=(), expected="", note=""))


@lru_cache(maxsize=256)
def _write_question(program: Program) -> Question:
    task, puzzle = find_puzzle(program)
    name = f"{program.task}_{program.difficulty}_{program.seed}_{program.index:04d}"
    return write_trial_question(task, puzzle, name, program.difficulty, program.seed, Path(_make_folder().name))


@lru_cache(maxsize=1)
def _make_folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="vmevalkit-attack-questions-")


def run_programs(
    programs: Sequence[Program], scorer: Scorer, executor: Executor | None = None,
    on_trial: Callable[[Trial], None] | None = None,
) -> list[Trial]:  # fmt: skip
    """Run programs and return their trials in order. A scorer that raises is recorded, and the attack goes on."""
    trials: dict[int, Trial] = {}

    def collect(number: int, result: JobResult[Program, Trial]) -> None:
        trials[number] = result.value or Trial(result.item, Label("fail", "not run"), None, str(result.error))
        if on_trial:
            on_trial(trials[number])

    (executor or LocalExecutor(1)).map(TrialWorker(scorer), programs, collect)
    return [trials[number] for number in sorted(trials)]


def judge_programs(programs: Sequence[Program], scorer: AsyncScorer, calls: CallOptions) -> tuple[list[Trial], float]:
    """Run programs over a scorer that makes calls. Returns their trials in order, and what attacks have cost so far."""
    final_state_only = bool(getattr(scorer, "final_state_only", False))
    labels = [label_program(program, final_state_only) for program in programs]
    sure = [number for number, label in enumerate(labels) if label.is_sure]
    with TemporaryDirectory(prefix="vmevalkit-attack-") as folder:
        made = tuple(_make_video(programs[number], labels[number], Path(folder) / str(number)) for number in sure)
        judged, spent_usd = judge_trials(MadeTrials(made, ()), scorer, calls) if made else ([], 0.0)
    results = dict(zip(sure, judged, strict=True))
    return [
        Trial(program, label, results[number].score, results[number].error) if number in results
        else Trial(program, label)
        for number, (program, label) in enumerate(zip(programs, labels, strict=True))
    ], spent_usd  # fmt: skip


def estimate_programs(programs: Sequence[Program], scorer: AsyncScorer, calls: CallOptions) -> tuple[int, float | None]:
    """Return the number of calls that programs with a sure label need, and the most that they cost."""
    final_state_only = bool(getattr(scorer, "final_state_only", False))
    with TemporaryDirectory(prefix="vmevalkit-attack-") as folder:
        made = [
            _make_video(program, label, Path(folder) / str(number))
            for number, program in enumerate(programs)
            if (label := label_program(program, final_state_only)).is_sure
        ]
        return estimate_trials(made, scorer, calls)


def _make_video(program: Program, label: Label, place: Path) -> MadeVideo:
    start = process_time()
    run, video = run_program(program), place / "video.mp4"
    write_video(video, draw_run(run), run.fps, crf=12)
    expected: Expected = "pass" if label.verdict == "pass" else "fail"
    spec = TrialSpec(TrialId(program.task, "attack", PLAIN, program.index), run.task, run.puzzle, program.difficulty,
                     expected, program.seed, expected == "pass")  # fmt: skip
    return MadeVideo(spec, find_question(program), video, process_time() - start)
