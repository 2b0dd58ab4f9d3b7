"""``vmevalkit pull``: copy a data folder from a bucket."""

from __future__ import annotations

from typing import Annotated

import typer

from vmevalkit.cli.command import MOST_LINES
from vmevalkit.cli.options import DATA, BucketUrl, Data, OneExperiment
from vmevalkit.cli.progress import progress


def pull(
    url: BucketUrl,
    experiment: OneExperiment = None,
    data: Data = DATA,
    force: Annotated[bool, typer.Option("--force", help="Replace files with another content.")] = False,
) -> None:
    """Copy a data folder, or one experiment, from a bucket. The same command resumes.

    Credentials come from the usual AWS environment. Every file is compared with its checksum.
    """
    with progress("files") as on_done:
        from vmevalkit.store.bucket import pull as pull_files

        done = pull_files(url, data, experiment, force=force, on_done=on_done)
    typer.echo(f"{data}: {done.copied} files received ({done.copied_bytes / 1e6:.1f} MB), {done.kept} there already")
    if done.left_out:
        typer.echo(f"left out, since a folder has the same name: {', '.join(done.left_out[:MOST_LINES])}", err=True)
