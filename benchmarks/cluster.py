"""Ray beside the processes of this machine: what a question and a score cost more, and whether many jobs stay linear.

Needs `make install-scale`; without Ray it is skipped, and says so. `python -m benchmarks.cluster --capacity` also
writes docs/CAPACITY.md from what it has measured.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from operator import neg
from pathlib import Path

from benchmarks.measure import Claim, report, scratch
from vmevalkit.jobs.executor import Executor, LocalExecutor, open_executor

QUESTIONS, VIDEOS, FEW, MANY = 600, 20, 1_000, 100_000
CAPACITY = Path(__file__).parent.parent / "docs" / "CAPACITY.md"


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured: wall-clock seconds with two processes, unless it is said otherwise."""

    local_question: float
    ray_question: float
    local_score: float
    ray_score: float
    few_jobs: float
    many_jobs: float
    grown_mb: float
    """Memory that this process takes more after MANY jobs than after FEW."""
    core_question: dict[str, float]
    """CPU seconds of one question of each task, in one process."""
    core_score: dict[str, float]
    """CPU seconds of one score of each task, in one process."""


def wall_seconds(function: Callable[[], object]) -> float:
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


def memory_mb() -> float:
    """Return the memory of this process that is in use now."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def measure() -> Figures:
    with scratch() as root, open_executor("ray", workers=2) as ray:
        _count_jobs(ray, FEW)  # the processes start
        few = wall_seconds(lambda: _count_jobs(ray, FEW))
        before = memory_mb()
        many = wall_seconds(lambda: _count_jobs(ray, MANY))
        grown = memory_mb() - before
        local, questions, scores = LocalExecutor(2), list[float](), list[float]()
        for name, executor in (("warm", ray), ("local", local), ("ray", ray)):
            questions.append(_time_questions(root / name, executor))
            scores.append(_time_scores(root / name, executor))
        core_questions, core_scores = _measure_core(root / "core")
    return Figures(
        questions[1], questions[2], scores[1], scores[2], few / FEW, many / MANY, grown, core_questions, core_scores
    )


def _count_jobs(executor: Executor, jobs: int) -> None:
    finished = 0

    def count(*_: object) -> None:
        nonlocal finished
        finished += 1

    executor.map(neg, iter(range(jobs)), count)
    assert finished == jobs


def _time_questions(root: Path, executor: Executor) -> float:
    """Return the time of one more question: what a call takes to start is left out."""
    from vmevalkit.datasets.generate import generate

    def make(name: str, n: int) -> float:
        return wall_seconds(lambda: generate(["maze", "chess"], n // 2, out=root / name, executor=executor))

    make("warm", 100)
    return (make("many", 100 + QUESTIONS) - make("few", 100)) / QUESTIONS


def _time_scores(root: Path, executor: Executor) -> float:
    """Return the time of one more score."""
    from vmevalkit.eval.experiment import score_experiment
    from vmevalkit.runs.run import run

    def score(name: str, videos: int) -> float:
        run(["oracle"], root / "many", name, root / "o", domains=["chess"], limit=videos, executor=executor)
        return wall_seconds(lambda: score_experiment(name, root / "o", root / "s", executor=executor))

    score("warm", 4)
    return (score("many", 4 + VIDEOS) - score("few", 4)) / VIDEOS


def _measure_core(root: Path) -> tuple[dict[str, float], dict[str, float]]:
    from vmevalkit.datasets.generate import generate
    from vmevalkit.eval.experiment import score_experiment
    from vmevalkit.runs.run import run
    from vmevalkit.tasks import TASKS

    questions, scores = dict[str, float](), dict[str, float]()
    for task in TASKS:
        for number, n in (("warm", 2), ("timed", 50)):
            begin = time.process_time()
            generate([task], n, out=root / task / number)
            questions[task] = (time.process_time() - begin) / n
        run(["oracle"], root / task / "warm", "e", root / task / "o")
        begin = time.process_time()
        score_experiment("e", root / task / "o", root / task / "s")
        scores[task] = (time.process_time() - begin) / 2
    return questions, scores


def write_capacity(figures: Figures, path: Path = CAPACITY) -> None:
    """Write the page of times and costs for a million questions and scores."""
    from benchmarks.capacity import make_page

    path.write_text(make_page(figures), "utf-8")


def main(capacity: bool = False) -> bool:
    if importlib.util.find_spec("ray") is None:
        print("\nRay: skipped, it is not installed (make install-scale)")
        return True
    figures = measure()
    if capacity:
        write_capacity(figures)
    question, score = figures.ray_question / figures.local_question, figures.ray_score / figures.local_score
    claims = [
        Claim("time of a question by Ray, to that of local processes", question, 4, "times", at_least=False),
        Claim("time of a score by Ray, to that of local processes", score, 1.25, "times", at_least=False),
        Claim(f"{MANY:,} small jobs: time of one", figures.many_jobs * 1000, 0.2, "ms", at_least=False),
        Claim(
            f"time of a job, of {MANY:,} to of {FEW:,}", figures.many_jobs / figures.few_jobs, 1.2, "", at_least=False
        ),
        Claim(f"memory after {MANY:,} jobs beyond that after {FEW:,}", figures.grown_mb, 20, "MB", at_least=False),
    ]
    return report("Ray", claims)


if __name__ == "__main__":
    sys.exit(0 if main("--capacity" in sys.argv[1:]) else 1)
