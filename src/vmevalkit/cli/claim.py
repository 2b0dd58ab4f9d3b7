"""``vmevalkit claim``: an order whose answer was lost, looked up by a person."""

from __future__ import annotations

from typing import Annotated

import typer

from vmevalkit.cli.options import OUTPUTS, Outputs


def claim(
    job: Annotated[str, typer.Argument(help="EXPERIMENT/MODEL/DOMAIN/QUESTION, with /SAMPLE for a later sample.")],
    order_id: Annotated[str, typer.Argument(help="The provider's id of the order, from your account there.")],
    outputs: Outputs = OUTPUTS,
) -> None:
    """Assign an order at a provider to a video that is uncertain. The next run downloads it without paying."""
    from vmevalkit.runs.claim import claim_order

    claim_order(job, order_id, outputs)
    typer.echo(f"{job} has the order {order_id}; vmevalkit run, with the same options as before, gets its video")
