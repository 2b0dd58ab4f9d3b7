"""``vmevalkit selftest``: check an installation."""

from __future__ import annotations

import typer

from vmevalkit.cli.command import inform, report_failures


def selftest() -> None:
    """Score the videos that are part of the package, and compare their scores with the expected ones.

    It takes some seconds. The exit code is 1 where a score differs: a library of another version reads videos
    otherwise.
    """
    from vmevalkit.audit.selftest import run_selftest
    from vmevalkit.audit.trial_cache import library_versions
    from vmevalkit.eval.scorers import RuleScorer

    failures, count = [], 0
    for result in run_selftest(RuleScorer()):
        count += 1
        inform(f"{result.name}: {'as expected' if result.problem is None else result.problem}")
        if result.problem is not None:
            failures.append(f"{result.name}: {result.problem}")
    typer.echo(f"{count - len(failures)} of {count} videos have the expected scores; {library_versions()}")
    report_failures(failures)
