"""``vmevalkit gallery``: images of every task, as a page or as one overview."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vmevalkit.cli.command import select_tasks
from vmevalkit.cli.options import Tasks


def gallery(
    out: Annotated[Path, typer.Option(help="The page to write; its images go to the folder gallery beside it.")] = Path(
        "gallery.md"
    ),
    overview: Annotated[
        Path | None,
        typer.Option(help="Write one PNG image with a tile for each task instead of the page.", show_default=False),
    ] = None,
    task: Tasks = None,
    seed: Annotated[int, typer.Option(help="Another seed shows other questions.")] = 1,
) -> None:
    """Show questions with their solutions: a page with every task at every difficulty, or one overview image."""
    from vmevalkit.datasets.gallery import write_gallery, write_overview

    tasks = select_tasks(task)
    if overview is not None:
        typer.echo(f"overview: {write_overview(overview, tasks, seed)}")
    else:
        typer.echo(f"gallery: {write_gallery(out, tasks, seed)}")
