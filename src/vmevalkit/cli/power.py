"""``vmevalkit power``: what a number of questions can show."""

from __future__ import annotations

from typing import Annotated

import typer

from vmevalkit.core.errors import UsageError


def power(
    n: Annotated[int, typer.Option("--n", help="Number of questions that both models answer.")] = 75,
    rates: Annotated[
        list[float] | None,
        typer.Option(help="Assumed success rates of the two models, or one for both.", show_default="0.5 0.4"),
    ] = None,
    correlation: Annotated[
        float, typer.Option(help="Assumed correlation of the models' successes over questions.")
    ] = 0.0,
    samples: Annotated[int, typer.Option(help="Videos of each question.")] = 1,
    noise_share: Annotated[
        float | None,
        typer.Option(
            help="Share of a video's variance that comes from sampling the same question again, 0 to 1; needed with "
            "several samples.",
            show_default=False,
        ),
    ] = None,
    alpha: Annotated[float, typer.Option(help="Level of the two-sided test.")] = 0.05,
    power: Annotated[float, typer.Option(help="Wanted chance of finding a true difference.")] = 0.8,
) -> None:
    """Say which difference of two models a number of questions can show, and how many questions a difference needs."""
    from vmevalkit.results.power import describe_power, plan_power

    assumed = rates or [0.5, 0.4]
    if len(assumed) > 2:
        raise UsageError(f"--rates has {len(assumed)} numbers; give one or two")
    plan = plan_power(
        n, (assumed[0], assumed[-1]), correlation=correlation, samples=samples, noise_share=noise_share, alpha=alpha,
        power=power,
    )  # fmt: skip
    typer.echo("\n".join(describe_power(plan)))
