"""Names that a shell completes: models, tasks and experiments. They are looked up when the user presses Tab."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer

from vmevalkit.core.errors import VMEvalKitError


def complete_tasks(incomplete: str) -> list[str]:
    """Return the tasks that begin with the text; after a comma, the list with each further one."""
    from vmevalkit.tasks import TASKS

    return _complete_list(TASKS, incomplete)


def complete_models(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return models and baselines; where the command reads an experiment, the models with videos in it."""
    made = _list_experiment_models(ctx.params) if ctx.info_name != "run" else []
    return _complete_list(made or _list_all_models(), incomplete)


def complete_experiments(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the experiments of the folder of outputs."""
    from vmevalkit.store.layout import name_of, subfolders

    try:
        found = [name_of(folder.name) for folder in subfolders(_get_outputs(ctx.params))]
    except (OSError, VMEvalKitError):  # a shell that completes has no place for a message
        return []
    return _complete_list(found, incomplete)


def _complete_list(names: Iterable[str], incomplete: str) -> list[str]:
    """Return the completions of the last name of a list such as ``maze,ch``."""
    done, comma, last = incomplete.rpartition(",")
    return [f"{done}{comma}{name}" for name in names if name.startswith(last) and name not in done.split(",")]


def _get_outputs(params: dict[str, Any]) -> Path:
    from vmevalkit.store.layout import OUTPUTS

    return Path(params.get("outputs") or OUTPUTS)


def _list_experiment_models(params: dict[str, Any]) -> list[str]:
    from vmevalkit.store.layout import experiment_folder, name_of, subfolders

    given = params.get("experiment")
    names = [given] if isinstance(given, str) else list(given or ())
    try:
        folders = [each for name in names for each in subfolders(experiment_folder(_get_outputs(params), name))]
    except (OSError, VMEvalKitError):
        return []
    return list(dict.fromkeys(name_of(folder.name) for folder in folders))


def _list_all_models() -> list[str]:
    from vmevalkit.baselines import BASELINES
    from vmevalkit.models.catalogue import MODELS

    return list(dict.fromkeys([*MODELS, *BASELINES]))
