"""A dataset of any task in one call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vmevalkit.datasets.param_overrides import override_params
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.dataset import create_task_dataset


def list_tasks() -> list[str]:
    """Return the names of all tasks: those of this package, of installed packages and of the user's files."""
    return list(TASKS)


def create_dataset(
    name: str,
    n: int = 50,
    seed: int = 42,
    *,
    difficulty: str | None = None,
    output_dir: Path | str | None = None,
    solutions: bool = False,
    force: bool = False,
    **params: Any,
) -> dict[str, Any]:
    """Generate questions of a task in this process and return {name, description, pairs}.

    ``params`` replace single params of the difficulty, such as ``side=6``. Questions go to ``output_dir``, by default
    data/questions of the working directory. Raises UnknownName for an unknown task or param.
    """
    task = TASKS[name]
    return create_task_dataset(
        task,
        n,
        seed=seed,
        params=override_params(task, difficulty, params),
        output_dir=output_dir,
        solutions=solutions,
        force=force,
    )
