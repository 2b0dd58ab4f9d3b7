"""``vmevalkit vqa-report``: write the tables and the page of an output folder again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def vqa_report(
    output_path: Annotated[Path, typer.Option("--output_path", help="Folder of the results.")] = Path("logs"),
) -> None:
    """Write tables, figure and page of the image-question track from its result files."""
    from vmevalkit.vqa.page import write_report

    typer.echo(f"page: {write_report(output_path)}")
