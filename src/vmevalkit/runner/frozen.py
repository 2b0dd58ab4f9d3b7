"""Frozen benchmarks: the same questions for everybody, recreated anywhere and checked by their fingerprints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vmevalkit.core.errors import StoreError
from vmevalkit.core.jsonable import to_json
from vmevalkit.core.registry import Registry
from vmevalkit.runner.generate import Summary, generate
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.dataset import fingerprint, question_id
from vmevalkit.tasks.planning import plan


@dataclass(frozen=True, slots=True)
class Frozen:
    """A benchmark that never changes: each task's default questions of one seed."""

    name: str
    seed: int
    questions: int
    """Of each task."""
    fingerprints: Mapping[str, str]
    """Of ids, puzzles and prompts, by task. A generator that makes other questions is told by it."""


FROZEN: Registry[Frozen] = Registry(
    "benchmark",
    lambda: {
        "vmeval-1": Frozen(
            name="vmeval-1",
            seed=20261115,
            questions=100,
            fingerprints={},
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
    on_done: Callable[[int, int], None] | None = None,
) -> Summary:
    """The benchmark's questions under ``out``. StoreError where they are not the published ones.

    With another ``seed`` it is a twin: as many questions of the same kind that nobody has seen, and nothing to compare
    them with.
    """
    frozen = FROZEN[name]
    chosen = list(tasks or frozen.fingerprints)
    made = generate(
        chosen, frozen.questions, seed=frozen.seed if seed is None else seed, out=out, workers=workers, on_done=on_done
    )
    if seed is None or seed == frozen.seed:
        for task in made.tasks:
            wanted = frozen.fingerprints.get(task.task)
            if task.fingerprint != wanted and not made.failures:
                raise StoreError(
                    f"the questions of {task.task} in {out} are not those of {name}: their fingerprint is "
                    f"{task.fingerprint[:16]}, not {(wanted or 'known')[:16]}; use the release of VMEvalKit that the "
                    "results to compare with were made by"
                )
    return made


def planned_fingerprint(task_name: str, questions: int, seed: int) -> str:
    """The fingerprint that a task's default questions will have, without drawing them."""
    task = TASKS[task_name]
    puzzles = plan(task, questions, seed, task.preset())
    return fingerprint(
        {"id": question_id(task.name, index), "puzzle": to_json(puzzle), "prompt": task.prompt(puzzle)}
        for index, puzzle in enumerate(puzzles)
    )
