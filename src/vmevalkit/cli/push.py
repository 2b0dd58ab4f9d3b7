"""``vmevalkit push``: copy a data folder to a bucket."""

from __future__ import annotations

from typing import Annotated

import typer

from vmevalkit.cli.options import DATA, BucketUrl, Data, OneExperiment
from vmevalkit.cli.progress import progress


def push(
    url: BucketUrl,
    experiment: OneExperiment = None,
    data: Data = DATA,
    force: Annotated[bool, typer.Option("--force", help="Replace objects with another content.")] = False,
) -> None:
    """Copy a data folder, or one experiment, to a bucket. The same command resumes; nothing is sent twice.

    Credentials come from the usual AWS environment. Records are sent after their files.
    """
    with progress("files") as on_done:
        from vmevalkit.store.bucket import push as push_files

        done = push_files(data, url, experiment, force=force, on_done=on_done)
    typer.echo(f"{url}: {done.copied} files sent ({done.copied_bytes / 1e6:.1f} MB), {done.kept} there already")
