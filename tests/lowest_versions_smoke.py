"""Smoke test of an installed package: every task from question to report, by the command line.

    python tests/lowest_versions_smoke.py FOLDER

``tools/lowest_versions.py`` calls it in an environment that has no pytest, so it is a plain program.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from vmevalkit import TASKS
from vmevalkit.store.scores import load_scores

EXPERIMENT = "smoke"
QUESTIONS = 2
EXPECTED = {"oracle": True, "static": False}
"""Each baseline, and whether its videos pass."""
COMMANDS = ("generate", "run", "score", "report")


def call(command: str, *options: str) -> None:
    """Run a command of the package. Raises CalledProcessError when it fails."""
    subprocess.run([sys.executable, "-m", "vmevalkit", command, *options], check=True, stdout=subprocess.DEVNULL)


def find_failures(evaluations: Path) -> list[str]:
    """Return a line for each score with a wrong verdict, and one where scores are missing."""
    scores = load_scores(evaluations, EXPERIMENT)
    failures = [
        f"{scored.model} on {scored.question_id}: passed is {scored.score.passed}, {scored.score.explanation}"
        for scored in scores
        if scored.score.passed is not EXPECTED[scored.model]
    ]
    expected = len(TASKS) * QUESTIONS * len(EXPECTED)
    if len(scores) != expected:
        failures.append(f"{len(scores)} scores instead of {expected}")
    return failures


def main(folder: Path) -> int:
    questions, outputs, evaluations, report = (folder / n for n in ("questions", "outputs", "evaluations", "report"))
    runs = ("--experiment", EXPERIMENT, "--outputs", str(outputs))
    workers = ("--workers", "2")
    for command in COMMANDS:
        call(command, "--help")
    call("generate", "--task", *TASKS, "--n", str(QUESTIONS), "--out", str(questions), *workers)
    call("run", "--model", *EXPECTED, "--questions", str(questions), *runs, *workers)
    call("score", *runs, "--evaluations", str(evaluations), *workers)
    call("report", *runs, "--evaluations", str(evaluations), "--out", str(report))
    failures = find_failures(evaluations)
    if not (report / "index.html").is_file():
        failures.append(f"no page at {report / 'index.html'}")
    for failure in failures:
        sys.stderr.write(f"{failure}\n")
    sys.stdout.write(f"{len(TASKS)} tasks, {len(EXPECTED)} baselines: {len(failures)} failures\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
