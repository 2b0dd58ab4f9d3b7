"""``vmevalkit serve``: rewards over HTTP for trainers on other machines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vmevalkit.cli.command import inform, select_tasks
from vmevalkit.cli.options import WORKERS, Workers
from vmevalkit.core.errors import UsageError


def serve(
    questions: Annotated[
        Path | None, typer.Option(help="Folder of the questions.", show_default="those of --task")
    ] = None,
    task: Annotated[
        list[str] | None,
        typer.Option("--task", help="Without --questions: plan questions of these tasks, without a file."),
    ] = None,
    n: Annotated[int, typer.Option("--n", help="Questions of each task.")] = 64,
    seed: Annotated[int, typer.Option(help="Seed of these questions.")] = 0,
    difficulty: Annotated[
        str | None, typer.Option(help="Difficulty of these questions.", show_default="the task's own")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Pay 1 for a pass and 0 for anything else.")] = False,
    workers: Workers = WORKERS,
    host: Annotated[
        str, typer.Option(help="Address to serve on; any but this machine's own needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port.", min=0, max=65535)] = 8791,
    waiting: Annotated[int, typer.Option(help="Requests at once; a further one gets status 429.", min=1)] = 16,
    batch: Annotated[int, typer.Option(help="Most videos of a request.", min=1)] = 64,
    max_mb: Annotated[int, typer.Option(help="Most megabytes of a request.", min=1)] = 2000,
) -> None:
    """Answer requests for the rewards of batches of videos.

    The setting VMEVALKIT_REWARD_TOKEN is the token that clients must send. docs/TRAINING.md has the requests.
    """
    from vmevalkit.core.settings import setting
    from vmevalkit.reward.reward_function import RewardFunction
    from vmevalkit.reward.service import ServiceLimits, check_address, make_app, run_app

    token = setting("VMEVALKIT_REWARD_TOKEN")
    check_address(host, token)
    if (questions is None) == (not task):
        raise UsageError("pass the folder of --questions, or the names of --task, and not both")
    reward = RewardFunction(
        questions, tasks=None if questions is not None else select_tasks(task), n=n, seed=seed,
        difficulty=difficulty, workers=workers, shaping="strict" if strict else "partial", own_process=True,
    )  # fmt: skip
    limits = ServiceLimits(batch=batch, body_bytes=max_mb * 1_000_000, waiting=waiting)
    inform(
        f"{len(reward.questions)} questions; POST http://{host}:{port}/rewards" + (", with the token" if token else "")
    )
    run_app(make_app(reward, token=token, limits=limits), host, port)
