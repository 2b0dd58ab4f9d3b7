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
            fingerprints={
                "chess": "09950b6beceb53f956f648bb0a2f883d93466cb8879429c955287ba42f45ddc1",
                "maze": "b7e16e7eeeaaa6318412b568baf3184c6466b6c67282b8ccc691d9e5ab3d641f",
                "object_subtraction": "12afae97a54293b219c549be2e66b6307e2cb19da34325101bc89c432cc550f1",
                "raven": "ba7ec05dd01f04f4cc8a8b8f5d80c5bf5da05121fcbfe04cc354d9385fb63c19",
                "rotation": "d9ca01ac1ecc5a09058af518e270c2bca74d77bdc6899af0828b4794cfd38a51",
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
