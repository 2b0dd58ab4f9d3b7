"""Random attack programs: videos that are scored for each second and core, with and without making them."""

from __future__ import annotations

import sys

from benchmarks.measure import Claim, report
from vmevalkit.audit.attack.sampling import make_random_program
from vmevalkit.audit.attack.trials import TrialWorker
from vmevalkit.eval.scorers import RuleScorer

TASKS = ("sokoban", "hanoi", "n_queens", "colouring", "clock", "mirrors", "maze")
PROGRAMS, SEED = 84, 1
SCORED_PER_S, MADE_AND_SCORED_PER_S = 7.0, 3.5


def main() -> bool:
    worker = TrialWorker(RuleScorer())
    programs = [make_random_program(TASKS, SEED, index) for index in range(PROGRAMS)]
    for program in programs[: len(TASKS)]:
        worker(program)  # looks, paths and questions are made once
    trials = [worker(program) for program in programs]
    scored = [trial for trial in trials if trial.is_scored]
    score_s = sum(trial.score_cpu_s for trial in scored)
    whole_s = score_s + sum(trial.draw_cpu_s for trial in scored) + sum(trial.label_cpu_s for trial in trials)
    print(f"  ({len(scored)} of {len(trials)} programs have a label)")
    return report(
        "Attack",
        [
            Claim("videos scored", len(scored) / score_s, SCORED_PER_S, "a CPU second"),
            Claim("videos labelled, drawn and scored", len(scored) / whole_s, MADE_AND_SCORED_PER_S, "a CPU second"),
        ],
    )


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
