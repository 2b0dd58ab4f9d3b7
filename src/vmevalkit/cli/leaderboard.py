"""``vmevalkit leaderboard``: several experiments on one page, and submissions that can be checked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vmevalkit.cli.command import inform, report_failures, split_names
from vmevalkit.cli.completion import complete_experiments
from vmevalkit.cli.options import EVALUATIONS, OUTPUTS, QUESTIONS, Evaluations, Outputs, Questions
from vmevalkit.core.errors import UsageError

_SUBMISSION = "Submissions"


def leaderboard(
    experiments: Annotated[
        list[str] | None,
        typer.Option(
            help="Experiments on the same questions: --experiments A B C.",
            show_default=False,
            autocompletion=complete_experiments,
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the page or submission.", show_default=False)] = None,
    title: Annotated[str, typer.Option(help="Heading of the page.")] = "Leaderboard",
    scorer: Annotated[
        str | None, typer.Option(help="The scorer of the first page.", show_default="RuleEvaluator")
    ] = None,
    certificates: Annotated[
        Path | None, typer.Option(help="Folder of the scorers' certificates.", show_default="docs/certificates")
    ] = None,
    outputs: Outputs = OUTPUTS,
    evaluations: Evaluations = EVALUATIONS,
    submit: Annotated[
        str | None,
        typer.Option(
            help="Write the submission of this model instead: videos, digests, scores, versions.",
            show_default=False,
            rich_help_panel=_SUBMISSION,
        ),
    ] = None,
    verify: Annotated[
        Path | None,
        typer.Option(
            help="Check a submission: digests of all videos, scores of a sample.",
            show_default=False,
            rich_help_panel=_SUBMISSION,
        ),
    ] = None,
    questions: Questions = QUESTIONS,
    sample: Annotated[
        int, typer.Option(min=0, help="With --verify: videos that are scored again.", rich_help_panel=_SUBMISSION)
    ] = 20,
    seed: Annotated[
        int,
        typer.Option(help="With --verify: seed of the choice. Keep it secret until then.", rich_help_panel=_SUBMISSION),
    ] = 0,
) -> None:
    """Write a static page that ranks the models of several experiments, with intervals and rank bands; or write or
    check a submission.

    Experiments whose questions differ are refused. Baselines are part of the ranking. The exit code is 1 where a
    submission is not as it should be.
    """
    names = split_names(experiments)
    if verify is not None:
        from vmevalkit.eval.submission import verify_submission
        from vmevalkit.results.words import count

        found = verify_submission(verify, questions, sample, seed)
        problems = count(len(found.problems), "problem")
        inform(f"{found.model}: {found.videos} videos, {found.rescored} scored again, {problems}")
        report_failures(found.problems)
        return
    if not names or out is None:
        raise UsageError("give --experiments A B and --out FOLDER, or --verify FOLDER")
    if submit is not None:
        from vmevalkit.eval.submission import write_submission

        if len(names) != 1:
            raise UsageError(f"a submission is of one experiment, not of {', '.join(names)}")
        written = write_submission(names[0], submit, out, outputs, evaluations)
        typer.echo(f"submission: {out}, {written} videos of {submit}")
        return
    from vmevalkit.report.leaderboard import build_leaderboard

    page = build_leaderboard(names, out, outputs, evaluations, title=title, scorer=scorer, certificates=certificates)
    typer.echo(f"leaderboard: {page}")
