"""Generate questions of one task, of several, or of all: ``--task rotation --pairs-per-domain 50``."""

from __future__ import annotations

import argparse

from vmevalkit.core.errors import VMEvalKitError
from vmevalkit.datasets.generate import generate
from vmevalkit.store.layout import QUESTIONS
from vmevalkit.tasks import TASKS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", nargs="+", default=list(TASKS), help="one or several tasks; all if not given")
    parser.add_argument("--pairs-per-domain", type=int, default=50, help="questions of each task")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--difficulty", help="easy, medium or hard, or several: easy,medium,hard")
    parser.add_argument("--output-dir", default=str(QUESTIONS))
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--force", action="store_true", help="replace other questions in the folder")
    options = parser.parse_args()
    try:
        summary = generate(
            options.task, options.pairs_per_domain, seed=options.seed, difficulty=options.difficulty,
            out=options.output_dir, workers=options.workers, force=options.force,
        )  # fmt: skip
    except VMEvalKitError as error:
        parser.exit(1, f"error: {error}\n")
    for task in summary.tasks:
        print(f"{task.task}: {task.drawn} drawn, {task.kept} kept")
    print(f"index: {summary.index}")
    if summary.problems:
        parser.exit(1, "".join(f"error: {problem}\n" for problem in summary.problems))


if __name__ == "__main__":
    main()
