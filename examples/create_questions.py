"""Make questions for one task, for several, or for all: ``--task rotation --pairs-per-domain 50``."""

from __future__ import annotations

import argparse

from vmevalkit.core.errors import VMEvalKitError
from vmevalkit.runner.generate import generate
from vmevalkit.tasks import TASKS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", nargs="+", default=list(TASKS), help="one task or several; all if not given")
    parser.add_argument("--pairs-per-domain", type=int, default=50, help="questions of each task")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--difficulty", help="easy, medium or hard")
    parser.add_argument("--output-dir", default="data/questions")
    parser.add_argument("--workers", type=int, default=1)
    asked = parser.parse_args()
    try:
        summary = generate(
            asked.task, asked.pairs_per_domain, seed=asked.seed, difficulty=asked.difficulty, out=asked.output_dir,
            workers=asked.workers,
        )  # fmt: skip
    except VMEvalKitError as error:
        parser.exit(1, f"error: {error}\n")
    for made in summary.tasks:
        print(f"{made.task}: {made.drawn} drawn, {made.kept} kept")
    print(f"the index is at {summary.index}")
    if summary.failures:
        parser.exit(1, "".join(f"error: {name}: {failure}\n" for name, failure in summary.failures))


if __name__ == "__main__":
    main()
