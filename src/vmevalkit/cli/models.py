"""``vmevalkit models``: what models there are, and what is missing to use them here."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from vmevalkit.models.model import ModelSpec

WIDE = 1000
"""Columns of a table that goes to a file or another program: nothing is wrapped."""


def models(
    model: Annotated[list[str] | None, typer.Argument(help="Show all that is known of these.")] = None,
    family: Annotated[list[str] | None, typer.Option(help="Only families whose names contain one of these.")] = None,
    ready: Annotated[bool, typer.Option("--ready", help="Only models that can be used here and now.")] = False,
) -> None:
    """List the models with their prices, and with what is missing to use them here."""
    from rich.console import Console
    from rich.table import Table

    from vmevalkit.core.errors import UnknownName
    from vmevalkit.models.catalogue import MODELS, missing

    if model:
        for spec in [MODELS[name] for name in model]:
            typer.echo(_described(spec, missing(spec)))
        return
    families = {spec.family for spec in MODELS.values()}
    for name in family or ():
        if not any(name.lower() in known.lower() for known in families):
            raise UnknownName("family", name, families)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading, kept_whole in (
        ("model", True),
        ("family", False),
        ("status", False),
        ("price", True),
        ("here", False),
    ):
        table.add_column(heading, no_wrap=kept_whole, overflow="fold")
    for spec in MODELS.values():
        lacking = missing(spec)
        wanted = not family or any(name.lower() in spec.family.lower() for name in family)
        if wanted and not (ready and (lacking or not _usable(spec))):
            here = "ready" if not lacking else "; ".join(lacking)
            table.add_row(spec.name, spec.family, _status(spec), _price(spec), here if _usable(spec) else "-")
    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDE)
    console.print(table)
    if not table.row_count:
        console.print("no such model is ready here; without --ready they are listed with what is missing")


def _described(spec: ModelSpec, lacking: list[str]) -> str:
    """A row in full, a line a field."""
    price = _price(spec)
    if spec.price is not None:
        price += f", as of {spec.price.as_of}, by {spec.price.source}"
    fields = {
        "family": spec.family,
        "provider": spec.provider,
        "vendor id": spec.vendor_id,
        "status": _status(spec),
        "sizes": ", ".join(f"{width}x{height}" for width, height in spec.sizes) or "any",
        "lengths": ", ".join(f"{seconds:g}" for seconds in spec.durations_s) + " s" if spec.durations_s else "any",
        "fps": "unknown" if spec.fps is None else f"{spec.fps:g}",
        "price": price,
        "takes": ", ".join(sorted(spec.takes)),
        "adapter": spec.adapter,
        "here": "; ".join(lacking) or "ready",
    }
    return "\n".join([f"{spec.name}: {spec.description}", *(f"  {name:<9}  {told}" for name, told in fields.items())])


def _usable(spec: ModelSpec) -> bool:
    return spec.status != "retired" or spec.served_elsewhere


def _status(spec: ModelSpec) -> str:
    if spec.status != "retired":
        return spec.status
    since = f" {spec.retired_on}" if spec.retired_on else ""
    return f"retired{since}; use {spec.replacement}" if spec.replacement else f"retired{since}"


def _price(spec: ModelSpec) -> str:
    if not spec.charged:
        return "free"
    if spec.price is None:
        return "unknown"
    return f"${spec.price.usd:.2f} a {spec.price.per}"
