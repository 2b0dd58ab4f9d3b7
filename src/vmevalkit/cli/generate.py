"""``vmevalkit generate``: questions whose answers are known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from vmevalkit.cli.command import inform, print_capped, report_failures, select_tasks
from vmevalkit.cli.options import QUESTIONS, WORKERS, Address, ExecutorName, Shared, Tasks, Workers
from vmevalkit.cli.progress import progress


def generate(
    task: Tasks = None,
    n: Annotated[int, typer.Option(help="Questions of each task.")] = 10,
    seed: Annotated[int, typer.Option(help="Another seed gives other questions.")] = 42,
    difficulty: Annotated[
        str | None,
        typer.Option(
            help="easy, medium or hard; several take turns: easy,medium,hard.", show_default="the task's default"
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="Set single parameters: NAME=VALUE; see vmevalkit tasks NAME.", show_default=False),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of the questions.")] = QUESTIONS,
    solutions: Annotated[bool, typer.Option("--solutions", help="Render a video of each solution too.")] = False,
    workers: Workers = WORKERS,
    force: Annotated[bool, typer.Option("--force", help="Replace other questions in the folder.")] = False,
    verify: Annotated[bool, typer.Option("--verify", help="Compare every pixel of existing questions.")] = False,
    executor: ExecutorName = "local",
    address: Address = None,
    shared: Shared = False,
) -> None:
    """Generate questions. Existing ones are kept, damaged ones are drawn again; the same command resumes."""
    with progress("questions") as on_done:
        from vmevalkit.datasets.generate import generate as generate_questions
        from vmevalkit.jobs.executor import open_executor
        from vmevalkit.tasks import TASKS

        names = select_tasks(task) or list(TASKS)
        params = _parse_params(names, set_ or [])
        with open_executor(executor, workers=workers, address=address, shared=shared) as place:
            summary = generate_questions(
                names, n, seed=seed, difficulty=difficulty, params=params, out=out,
                solutions=solutions, force=force, verify=verify, executor=place, on_done=on_done,
            )  # fmt: skip
    for made in summary.tasks:
        beyond = f", {made.beyond} more kept" if made.beyond else ""
        inform(f"{made.task}: {made.drawn} drawn, {made.kept} kept{beyond}; fingerprint {made.fingerprint[:16]}")
        print_capped([f"drawn again: {name}: {damage}" for name, damage in made.repaired], "drawn again: {} more")
    inform(f"index: {summary.index}")
    if select_tasks(task) is None:
        print_capped(TASKS.list_missing(), "{} more tasks need packages")
    report_failures(summary.problems)


def _parse_params(tasks: list[str], texts: list[str]) -> dict[str, Any]:
    """Return the values of ``--set``. With several tasks each of them must have the param."""
    from vmevalkit.datasets.param_overrides import parse_overrides
    from vmevalkit.tasks import TASKS

    values: dict[str, Any] = {}
    for name in tasks if texts else ():
        values = parse_overrides(TASKS[name], texts)
    return values
