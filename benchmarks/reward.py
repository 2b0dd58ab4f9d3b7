"""Rewards: scoring a clip in memory beside decoding it, and two workers beside one, which share their memory.

A clip has 81 frames of 832x480, without noise. Machines differ, and so does their load: what counts are ratios of one
run. Two workers are timed by the clock, so that claim needs an idle machine with two cores; their CPU time does not.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.measure import Claim, interleaved, report
from vmevalkit import RewardFunction, score_frames
from vmevalkit.core.records import Question
from vmevalkit.media.fitting import fit
from vmevalkit.media.video import write_video
from vmevalkit.media.video_reader import decode_all, open_video
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.puzzle_loading import load_puzzle

FRAMES, FPS, SIZE = 81, 24, (832, 480)
TIMES_DECODING = 9.3
"""0.12 s where decoding, without a conversion to RGB, takes 0.013 s."""
BATCH = 16


def draw_clip(question: Question) -> np.ndarray:
    """Return the reference solution."""
    task = TASKS[question.domain]
    puzzle = load_puzzle(task, question.metadata["puzzle"], question.id)
    times = [min(max((index - 6) / (FRAMES - 18), 0.0), 1.0) for index in range(FRAMES)]
    images = [task.draw(puzzle, task.solution(puzzle, t)) for t in times]
    return np.stack([fit(image, SIZE, "letterbox", (128, 128, 128))[0] for image in images])


def compare_with_decoding(root: Path) -> list[Claim]:
    ratios = {}
    for name in TASKS:
        [question] = RewardFunction(tasks=[name], n=1, seed=5).questions.values()
        clip, path = draw_clip(question), root / f"{name}.mp4"
        write_video(path, list(clip), FPS)

        def decode(path: Path = path) -> None:
            with open_video(path) as (container, stream):
                for _ in decode_all(container, stream):
                    pass

        def score(question: Question = question, clip: np.ndarray = clip) -> None:
            assert score_frames(question, clip, FPS).passed

        score()
        seconds = interleaved({"decode": decode, "score": score}, rounds=3)
        ratios[name] = seconds["score"] / seconds["decode"]
        print(f"  ({name}: {seconds['score']:.3f} s, decoding {seconds['decode']:.3f} s)")
    middle = median(ratios.values())
    return [Claim("a clip in memory beside decoding it, median over tasks", middle, TIMES_DECODING, "times", False)]


def compare_workers() -> list[Claim]:
    [question] = RewardFunction(tasks=["maze"], n=1, seed=5).questions.values()
    clip = draw_clip(question)
    batch = [clip.copy() for _ in range(BATCH)]

    def measure(workers: int) -> tuple[float, float]:
        begin, cpu = time.perf_counter(), count_cpu_seconds()
        scores = score_frames(question, batch, FPS, workers=workers)
        assert all(score.passed for score in scores)
        return time.perf_counter() - begin, count_cpu_seconds() - cpu

    measure(2)  # the processes start
    rounds = [(measure(1), measure(2)) for _ in range(3)]
    clock = median(one[0] / two[0] for one, two in rounds)
    work = median(two[1] / one[1] for one, two in rounds)
    return [
        Claim("two workers: videos per second, by the clock", clock, 1.7, "times"),
        Claim("two workers: CPU time of a video", work, 1.15, "times", False),
    ]


def count_cpu_seconds() -> float:
    """Return the CPU time of this process and of those that it has started, while they run."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    return own.ru_utime + own.ru_stime + sum(map(_read_cpu_seconds, _list_descendants("self")))


def _list_descendants(pid: str) -> list[str]:
    found: list[str] = []
    for thread in Path(f"/proc/{pid}/task").iterdir():
        for child in (thread / "children").read_text().split():
            found += [child, *_list_descendants(child)]
    return found


def _read_cpu_seconds(pid: str) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def main() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        return report("Rewards", [*compare_with_decoding(Path(folder)), *compare_workers()])


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
