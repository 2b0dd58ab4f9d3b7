"""Frozen benchmarks: the same questions for everybody, recreated anywhere and checked by their fingerprints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import islice
from pathlib import Path

import orjson

from vmevalkit.core.errors import StoreError
from vmevalkit.core.jsonable import from_json, to_json
from vmevalkit.core.registry import Registry
from vmevalkit.datasets.damage import draw_digests
from vmevalkit.datasets.generate import GenerateSummary, generate
from vmevalkit.store.fingerprint import compute_fingerprints
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.dataset import question_id
from vmevalkit.tasks.planning import iterate_mixed_puzzles


@dataclass(frozen=True, slots=True)
class FrozenSet:
    """A benchmark that never changes: questions of each task with one seed."""

    name: str
    seed: int
    questions: int
    """Number of questions of each task."""
    fingerprints: Mapping[str, str]
    """Fingerprints of ids, puzzles and prompts, by task: they tell whether a generator makes other questions."""
    pixel_fingerprints: Mapping[str, str]
    """Fingerprints of all pixels, by task, on 64-bit x86 Linux with the versions of ``constraints.txt``."""
    difficulties: tuple[str, ...] = ()
    """Difficulties that the questions have in turn; empty where all have the task's default one."""

    @property
    def difficulty(self) -> str | None:
        """The difficulties as ``generate`` takes them."""
        return ",".join(self.difficulties) or None


VMEVAL_1 = FrozenSet(
    name="vmeval-1",
    seed=20261115,
    questions=100,
    fingerprints={
        "chess": "359543aad5b0b385cc36ad900acc7e4dd3ab71aed5e06d62f1adf4e66f1a5324",
        "maze": "b7e16e7eeeaaa6318412b568baf3184c6466b6c67282b8ccc691d9e5ab3d641f",
        "object_subtraction": "215080833112cc2c6426e8ef7776dd3d688c15ca6c8e020c98ba1a826d1c41c1",
        "raven": "97d9ad456ad1aab51dae10a5a2ba1854c59064e2148892f10e10f3e122b3bfa8",
        "rotation": "24e10a89627b0b87aaccd77f88c0cf8c75af68f63934cbe3488c5160e52d7a03",
        "rotation_puzzle": "3c0ad0df1f731dd5ebfbacccc654bc1466631d1137f87ab114997fc6f25a5cae",
        "sudoku": "2c9c91f718be4df07c3066dc65f56e237e320ff0625cdf16e2ae5d75229120a2",
    },
    pixel_fingerprints={
        "chess": "028c78138d09078cd900dd8f6087e8153b011329d93582381b4c03fb5984c306",
        "maze": "74f4a5315d8453eb72935d30d1b76e08e60d4f9123094860955f553423157dcf",
        "object_subtraction": "5ffe90b549b07f3bca7a78742614048955852144bfd4779c92bd5b83d4311404",
        "raven": "bcec935394bc690f4001890734e2214fa4fec64747457de5c898f2bc997aae36",
        "rotation": "ef88ec7357daa7542be2e0a6ce7cedf8bcb694b8590639908bd9b757a610d3dc",
        "rotation_puzzle": "da6e515a5bc8e61686f130d2cd0910023c3b81512af453fd472842bfb57a4e6d",
        "sudoku": "e314e18c57b8b68e38ab3107198b376ac90339ad6ef1c64907a5cc842cfadc94",
    },
)


def read_frozen_set(text: str) -> FrozenSet:
    """Return the benchmark that a file of the folder ``frozen`` holds."""
    return from_json(FrozenSet, orjson.loads(text))


def _load_frozen_sets() -> dict[str, FrozenSet]:
    files = sorted(resources.files("vmevalkit.datasets").joinpath("frozen").iterdir(), key=lambda file: file.name)
    found = [VMEVAL_1, *(read_frozen_set(file.read_text("utf-8")) for file in files if file.name.endswith(".json"))]
    return {each.name: each for each in found}


FROZEN_SETS: Registry[FrozenSet] = Registry("benchmark", _load_frozen_sets)


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
        difficulty=frozen_set.difficulty,
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


def freeze(
    name: str,
    tasks: Sequence[str],
    questions: int,
    seed: int,
    difficulties: Sequence[str],
    known: FrozenSet | None = None,
) -> FrozenSet:
    """Return a benchmark of these tasks, to be written once. What ``known`` has already is not computed again."""
    found = {
        task: (known.fingerprints[task], known.pixel_fingerprints[task])
        if known is not None and task in known.fingerprints
        else planned_fingerprints(task, questions, seed, difficulties)
        for task in sorted(tasks)
    }
    return FrozenSet(
        name,
        seed,
        questions,
        {task: puzzles for task, (puzzles, _) in found.items()},
        {task: pixels for task, (_, pixels) in found.items()},
        tuple(difficulties),
    )


def planned_fingerprints(
    task_name: str, questions: int, seed: int, difficulties: Sequence[str] = ()
) -> tuple[str, str]:
    """Return the fingerprint and the pixel fingerprint that a task's questions will have. Raises Exhausted where there
    are fewer."""
    task = TASKS[task_name]
    choices = [task.preset(difficulty) for difficulty in difficulties or (None,)]
    puzzles = islice(iterate_mixed_puzzles(task, seed, choices), questions)
    return compute_fingerprints(
        {
            "id": question_id(task.name, index),
            "puzzle": to_json(puzzle),
            "prompt": task.prompt(puzzle),
            "pixel_digests": draw_digests(task, puzzle),
        }
        for index, puzzle in enumerate(puzzles)
    )
