"""``vmevalkit gallery``: every task at every difficulty, on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def gallery(
    out: Annotated[Path, typer.Option(help="The page; its pictures go to a folder beside it.")] = Path(
        "docs/GALLERY.md"
    ),
    task: Annotated[list[str] | None, typer.Option(help="Only these tasks.", show_default="all")] = None,
    seed: Annotated[int, typer.Option(help="Another seed shows other questions.")] = 1,
) -> None:
    """Show a question of every task at every difficulty, with a strip of its solution."""
    from vmevalkit.runner.gallery import write_gallery

    typer.echo(f"the gallery is at {write_gallery(out, task, seed)}")
