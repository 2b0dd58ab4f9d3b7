"""Frozen benchmarks: the same questions for everybody, recreated anywhere and checked by their fingerprints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vmevalkit.core.errors import StoreError
from vmevalkit.core.jsonable import to_json
from vmevalkit.core.registry import Registry
from vmevalkit.datasets.generate import GenerateSummary, generate
from vmevalkit.store.fingerprint import fingerprint
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.dataset import question_id
from vmevalkit.tasks.planning import plan


@dataclass(frozen=True, slots=True)
class FrozenSet:
    """A benchmark that never changes: the default questions of each task with one seed."""

    name: str
    seed: int
    questions: int
    """Number of questions of each task."""
    fingerprints: Mapping[str, str]
    """Fingerprints of ids, puzzles and prompts, by task: they tell whether a generator makes other questions."""


FROZEN_SETS: Registry[FrozenSet] = Registry(
    "benchmark",
    lambda: {
        "vmeval-1": FrozenSet(
            name="vmeval-1",
            seed=20261115,
            questions=100,
            fingerprints={
                "chess": "359543aad5b0b385cc36ad900acc7e4dd3ab71aed5e06d62f1adf4e66f1a5324",
                "maze": "b7e16e7eeeaaa6318412b568baf3184c6466b6c67282b8ccc691d9e5ab3d641f",
                "object_subtraction": "12afae97a54293b219c549be2e66b6307e2cb19da34325101bc89c432cc550f1",
                "raven": "0a5230d1630bb6318f5fa9f4aef986585ada706c647435cce599223ad90b10e5",
                "rotation": "24e10a89627b0b87aaccd77f88c0cf8c75af68f63934cbe3488c5160e52d7a03",
                "rotation_puzzle": "d921be9b2bbd9cb92fcc85e5ab7c77df8571cb05b7db1f4da2a829e7b87ba267",
                "sudoku": "2c9c91f718be4df07c3066dc65f56e237e320ff0625cdf16e2ae5d75229120a2",
            },
        )
    },
)


def recreate(
    name: str,
    out: Path | str,
    *,
    tasks: Sequence[str] | None = None,
    seed: int | None = None,
    workers: int = 1,
    force: bool = False,
    on_done: Callable[[int, int], None] | None = None,
) -> GenerateSummary:
    """Generate the benchmark's questions under ``out``, and verify every file of those that exist.

    Raises StoreError where the questions are not the published ones. Another ``seed`` makes a twin of the benchmark: as
    many questions of the same kind that no model has seen, with no fingerprint to compare.
    """
    frozen_set = FROZEN_SETS[name]
    chosen = list(tasks or frozen_set.fingerprints)
    made = generate(
        chosen,
        frozen_set.questions,
        seed=frozen_set.seed if seed is None else seed,
        out=out,
        workers=workers,
        force=force,
        verify=True,
        on_done=on_done,
    )
    if seed is None or seed == frozen_set.seed:
        for task in made.tasks:
            wanted = frozen_set.fingerprints.get(task.task)
            if task.fingerprint != wanted and not made.failures:
                raise StoreError(
                    f"the questions of {task.task} in {out} are not those of {name}: their fingerprint is "
                    f"{task.fingerprint[:16]}, not {(wanted or 'known')[:16]}; use the release of VMEvalKit with which "
                    "the results to compare were made"
                )
    return made


def planned_fingerprint(task_name: str, questions: int, seed: int) -> str:
    """Return the fingerprint that a task's default questions will have, without drawing them."""
    task = TASKS[task_name]
    puzzles = plan(task, questions, seed, task.preset())
    return fingerprint(
        {"id": question_id(task.name, index), "puzzle": to_json(puzzle), "prompt": task.prompt(puzzle)}
        for index, puzzle in enumerate(puzzles)
    )
