"""Questions per second and core, beside the specification's way of drawing, in one run."""

from __future__ import annotations

import subprocess
import sys
from itertools import count
from pathlib import Path
from shutil import rmtree

from benchmarks import spec_way
from benchmarks.measure import Claim, interleaved, report, scratch
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.dataset import write_question
from vmevalkit.tasks.planning import plan

WANTED_PER_SECOND = {"rotation": 200}
WANTED_RATIO = {"raven": 5}
OURS, THEIRS = 200, 4


def speed(name: str, root: Path) -> list[Claim]:
    task = TASKS[name]
    params = task.preset()
    number = min(OURS, task.capacity(params) or OURS)
    runs = count()

    def ours() -> None:
        place = root / name / f"ours-{next(runs)}"
        for index, puzzle in enumerate(plan(task, number, next(runs), params)):
            write_question(task, puzzle, f"{name}_{index:04d}", place, difficulty="easy", seed=0)

    def theirs() -> None:
        place = root / name / f"theirs-{next(runs)}"
        for index, puzzle in enumerate(plan(task, THEIRS, 7, params)):
            spec_way.write_question(name, puzzle, task.prompt(puzzle), task.metadata(puzzle), place / str(index))

    ours(), theirs()  # imports and caches
    # Where the files of all rounds and tasks piled up in memory, later tasks were a tenth slower.
    seconds = interleaved({"ours": ours, "theirs": theirs}, rounds=9, between=lambda: rmtree(root / name))
    each, spec_each = seconds["ours"] / number, seconds["theirs"] / THEIRS
    return [
        Claim(f"{name}: questions per second and core", 1 / each, WANTED_PER_SECOND.get(name, 500), "/s"),
        Claim(f"{name}: times the specification's way", spec_each / each, WANTED_RATIO.get(name, 40), "times"),
    ]


A_JOB = """
import sys, time
from vmevalkit.datasets.generate import generate
place, workers = sys.argv[1], int(sys.argv[2])
generate(["rotation"], n=20, out=place + "/warm")
begin = time.perf_counter()
generate(["rotation"], n=1500, difficulty="hard", out=place, workers=workers)
print(time.perf_counter() - begin)
"""


def two_workers(root: Path) -> list[Claim]:
    """What a second worker brings, beside one worker, and beside what a second core brings: on a shared machine two
    busy cores are not twice as fast as one. Two jobs side by side keep both busy; one job with two workers takes half
    as long where nothing is lost. Sums over rounds in turn: a machine that is faster for a while is so for all three,
    and the least times would compare one core on its best moment with two that seldom have theirs together."""
    runs = count()

    def seconds(jobs: int, workers: int) -> float:
        places = [root / f"workers-{next(runs)}" for _ in range(jobs)]
        commands = [[sys.executable, "-c", A_JOB, str(place), str(workers)] for place in places]
        started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
        took = max(float(process.communicate()[0]) for process in started)
        for place in places:
            rmtree(place)
        return took

    rounds = [(seconds(1, 1), seconds(1, 2), seconds(2, 1)) for _ in range(8)]
    for one, two, side in rounds:
        print(f"  (1,500 hard rotations: one worker {one:.1f} s, two {two:.1f} s, two jobs at once {side:.1f} s)")
    one, two, side = (sum(times) for times in zip(*rounds, strict=True))
    return [
        Claim("rotation, 1,500 hard questions: two workers beside one", one / two, 1.8, "times"),
        Claim("rotation: two jobs side by side beside one with two workers", side / two, 1.8, "times"),
    ]


def peak_memory(root: Path) -> Claim:
    code = (
        "import resource; from pathlib import Path; from vmevalkit.datasets.generate import generate; "
        f"generate(['maze', 'rotation'], n=300, seed=1, out=Path({str(root / 'memory')!r}), workers=1); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return Claim("generate: peak memory", int(done.stdout.split()[-1]) / 1024, 250, "MB", at_least=False)


def main() -> bool:
    with scratch() as root:
        claims = [claim for name in spec_way.DRAW if name in TASKS for claim in speed(name, root)]
        print(f"  (the specification's chess boards are drawn by {spec_way.chess_way()})")
        return report("Questions", [*claims, *two_workers(root), peak_memory(root)])


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
