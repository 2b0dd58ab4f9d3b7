"""A video of ten thousand frames, as a file: it gets its verdict, and is never in memory as a whole."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from vmevalkit.core.records import Question
from vmevalkit.media.fitting import resample
from vmevalkit.media.image import Frame
from vmevalkit.media.video import write_video
from vmevalkit.store.questions import load_question
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.dataset import write_question
from vmevalkit.tasks.planning import plan

TASK = TASKS["maze"]
[MAZE] = plan(TASK, 1, 5, TASK.preset())
SHORT, LONG, FPS = 600, 10_000, 100.0
SIZE = 160, 96
STATES = 300
"""So many images the whole way has: a video that is so slow shows most of them for several frames."""

SCORED = """
import sys
from pathlib import Path
from vmevalkit import score_video

for path in sys.argv[2:]:
    score = score_video(sys.argv[1], path)
    # Of this process alone: ru_maxrss begins with what the parent had.
    peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    print(score.value, score.solved_at_s, int(peak.split()[1]) // 1024)
"""


def frames(total: int) -> Iterator[Frame]:
    """A second of rest, the way, two seconds of rest."""
    image, shown = None, -1
    for index in range(total):
        state = round(min(max((index - FPS) / (total - 3 * FPS), 0.0), 1.0) * STATES)
        if image is None or state != shown:
            image, shown = resample(TASK.draw(MAZE, TASK.solution(MAZE, state / STATES)), SIZE), state
        yield image


@pytest.fixture
def question(tmp_path: Path) -> Question:
    write_question(TASK, MAZE, "maze_0000", tmp_path, difficulty="easy", seed=5)
    return load_question(tmp_path / "maze_task" / "maze_0000")


@pytest.mark.slow
def test_ten_thousand_frames_have_a_verdict_and_little_room(question: Question, tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.mp4" for name in ("short", "long")]
    for path, total in zip(paths, (SHORT, LONG), strict=True):
        write_video(path, frames(total), FPS, preset="ultrafast")
    done = subprocess.run(
        [sys.executable, "-c", SCORED, str(question.folder), *map(str, paths)],
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    [short, long] = ([float(number) for number in line.split()] for line in done.stdout.splitlines())
    assert short[0] == long[0] == 5
    assert 0.7 < long[1] / (LONG / FPS) < 0.9  # it was read to where the dot arrives
    whole_mb = LONG * SIZE[0] * SIZE[1] * 3 / 1e6
    assert long[2] - short[2] < 0.1 * whole_mb
