"""Scoring a video beside decoding it: an 8-second 720p video at about 11 Mbit/s, in one run."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np

from benchmarks.measure import Claim, interleaved, report
from vmevalkit.eval.pipeline import score_timed_frames, working_size
from vmevalkit.media.fitting import fit
from vmevalkit.media.image import Frame
from vmevalkit.media.video import read_frames, write_video
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.planning import plan

SECONDS, FPS, SIZE = 8, 24, (1280, 720)
WANTED = {"rotation": 3.0}
MEGABITS = 11.0
QUALITIES = range(16, 27)


def video(name: str) -> tuple[object, Iterator[Frame]]:
    """The reference solution in 720p with grain, as coders see camera images: that is what takes 11 Mbit/s."""
    task = TASKS[name]
    puzzle = plan(task, 1, 3, task.preset())[0]
    noise = np.random.default_rng(0)
    grain = [noise.normal(0, 7, (SIZE[1], SIZE[0], 1)).astype(np.float32) for _ in range(7)]

    def frames() -> Iterator[Frame]:
        total = SECONDS * FPS
        for index in range(total):
            t = min(max((index - 12) / (total - 36), 0.0), 1.0)
            image, _ = fit(task.draw(puzzle, task.solution(puzzle, t)), SIZE, "letterbox", (128, 128, 128))
            yield np.clip(image + grain[Random(index).randrange(7)], 0, 255).astype(np.uint8)

    return puzzle, frames()


def coded(name: str, path: Path) -> tuple[object, float]:
    """The video at the quality whose rate is nearest the wanted one: its puzzle, and its rate in Mbit/s."""
    puzzle, frames = video(name)
    excerpt = list(islice(frames, FPS, 2 * FPS))

    def megabits(shown: Iterable[Frame], seconds: float, crf: int) -> float:
        write_video(path, shown, FPS, crf=crf, preset="veryfast")
        return path.stat().st_size * 8 / seconds / 1e6

    crf = min(QUALITIES, key=lambda crf: abs(megabits(excerpt, 1.0, crf) - MEGABITS))
    return puzzle, megabits(video(name)[1], SECONDS, crf)


def speed(name: str, root: Path) -> list[Claim]:
    task = TASKS[name]
    path = root / f"{name}.mp4"
    puzzle, megabits = coded(name, path)
    size = working_size(task, puzzle, SIZE)
    verdicts = []

    def decode() -> None:
        for _ in read_frames(path):
            pass

    def score() -> None:
        verdicts.append(score_timed_frames(task, puzzle, read_frames(path, within=size)))

    decode(), score()
    seconds = interleaved({"decode": decode, "score": score})
    assert all(verdict.passed for verdict in verdicts), verdicts[-1].explanation
    print(f"  ({name}: {megabits:.1f} Mbit/s; decode {seconds['decode']:.2f} s, score {seconds['score']:.2f} s)")
    ratio = seconds["score"] / seconds["decode"]
    return [Claim(f"{name}: scoring beside decoding", ratio, WANTED.get(name, 2.0), "times", at_least=False)]


def main() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        return report("Scoring", [claim for name in TASKS for claim in speed(name, Path(folder))])


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
