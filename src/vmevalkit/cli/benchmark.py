"""``vmevalkit benchmark``: recreate a frozen benchmark and check that it is the published one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vmevalkit.cli.command import failures
from vmevalkit.cli.progress import progress


def benchmark(
    name: Annotated[str, typer.Argument(help="Such as vmeval-1.")] = "vmeval-1",
    out: Annotated[Path | None, typer.Option(help="Where questions go.", show_default="data/NAME")] = None,
    task: Annotated[list[str] | None, typer.Option(help="Only these tasks.", show_default="all")] = None,
    seed: Annotated[
        int | None, typer.Option(help="Another seed: a twin that nobody has seen.", show_default="the frozen one")
    ] = None,
    workers: Annotated[int, typer.Option(help="Processes that draw.")] = 1,
) -> None:
    """Recreate a frozen benchmark, the same everywhere, and check its fingerprints. What is there already is kept."""
    with progress("questions") as on_done:
        from vmevalkit.runner.frozen import FROZEN, recreate

        frozen = FROZEN[name]
        place = out or Path("data") / (name if seed is None else f"{name}-seed-{seed}")
        made = recreate(name, place, tasks=task, seed=seed, workers=workers, on_done=on_done)
    for each in made.tasks:
        typer.echo(f"{each.task}: {each.asked} questions; fingerprint {each.fingerprint[:16]}")
    failures([f"{question}: {failure}" for question, failure in made.failures])
    same = seed is None or seed == frozen.seed
    typer.echo(f"{place} holds {name}, as published" if same else f"{place} holds a twin of {name} with seed {seed}")
