"""``vmevalkit vqa-dataset``: write the synthetic set of multi-image questions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def vqa_dataset(
    out: Annotated[Path, typer.Option(help="Folder of the dataset.")] = Path("data/vqa_synthetic"),
    n: Annotated[int, typer.Option(help="Questions of each of the five categories.")] = 20,
    seed: Annotated[int, typer.Option(help="The same seed gives the same questions.")] = 42,
) -> None:
    """Write a synthetic set of multi-image questions with known answers, in the form of MMSI-Bench."""
    from vmevalkit.vqa.synthetic.dataset import write_dataset

    path = write_dataset(out, n, seed)
    typer.echo(f"{5 * n} certified questions: {path}")
