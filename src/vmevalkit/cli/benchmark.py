"""``vmevalkit benchmark``: recreate a frozen benchmark and check that it is the published one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vmevalkit.cli.command import inform, print_capped, report_failures, select_tasks
from vmevalkit.cli.options import WORKERS, Tasks, Workers
from vmevalkit.cli.progress import progress
from vmevalkit.store.layout import DATA


def benchmark(
    name: Annotated[str, typer.Argument(help="Name of the benchmark.")] = "vmeval-1",
    out: Annotated[Path | None, typer.Option(help="Folder of the questions.", show_default=f"{DATA}/NAME")] = None,
    task: Tasks = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Another seed: a twin that no model has seen.", show_default="the benchmark's"),
    ] = None,
    workers: Workers = WORKERS,
    force: Annotated[bool, typer.Option("--force", help="Replace other questions in the folder.")] = False,
) -> None:
    """Recreate a frozen benchmark, the same everywhere, and check its fingerprints and every pixel."""
    with progress("questions") as on_done:
        from vmevalkit.datasets.frozen_sets import FROZEN_SETS, recreate

        frozen_set = FROZEN_SETS[name]
        place = out or DATA / (name if seed is None else f"{name}-seed-{seed}")
        made = recreate(name, place, tasks=select_tasks(task), seed=seed, workers=workers, force=force, on_done=on_done)
    for each in made.tasks:
        inform(f"{each.task}: {each.asked} questions; fingerprint {each.fingerprint[:16]}")
        print_capped([f"drawn again: {name}: {damage}" for name, damage in each.repaired], "drawn again: {} more")
    report_failures([f"{question}: {failure}" for question, failure in made.failures])
    is_published = seed is None or seed == frozen_set.seed
    typer.echo(f"{place}: {name}, as published" if is_published else f"{place}: a twin of {name} with seed {seed}")
