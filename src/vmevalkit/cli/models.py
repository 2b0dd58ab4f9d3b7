"""``vmevalkit models``: the models, and what is missing to use them here."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from vmevalkit.cli.completion import complete_models
from vmevalkit.cli.progress import output_width, print_tables

if TYPE_CHECKING:
    from vmevalkit.models.model import ModelSpec, Price

    SpecAndMissing: TypeAlias = tuple[ModelSpec, list[str]]


def models(
    model: Annotated[
        list[str] | None, typer.Argument(help="Show everything about these models.", autocompletion=complete_models)
    ] = None,
    family: Annotated[list[str] | None, typer.Option(help="Only families whose names contain one of these.")] = None,
    ready: Annotated[bool, typer.Option("--ready", help="Only models that can be used here now.")] = False,
    prices: Annotated[bool, typer.Option("--prices", help="List prices, with day and source.")] = False,
    baselines: Annotated[bool, typer.Option("--baselines", help="List the built-in baselines instead.")] = False,
) -> None:
    """List the models with their prices, and what is missing to use them here."""
    from vmevalkit.core.errors import UnknownName
    from vmevalkit.models.catalogue import MODELS, list_missing

    if baselines:
        _print_baselines()
        return
    if model:
        for spec in [MODELS[name] for name in model]:
            typer.echo(_describe(spec, list_missing(spec)))
        return
    families = {spec.family for spec in MODELS.values()}
    for name in family or ():
        if not any(name.lower() in known.lower() for known in families):
            raise UnknownName("family", name, families)
    wanted = [
        spec for spec in MODELS.values() if not family or any(name.lower() in spec.family.lower() for name in family)
    ]
    if prices:
        for spec in (spec for spec in wanted if spec.charged and _is_available(spec)):
            typer.echo(f"{spec.name}: {describe_prices(spec)}")
        return
    rows = [(spec, list_missing(spec)) for spec in wanted]
    rows = [(spec, missing) for spec, missing in rows if not ready or (_is_available(spec) and not missing)]
    if not rows:
        typer.echo("no such model is ready here; without --ready, models are listed with what is missing")
    by_family: dict[str, list[SpecAndMissing]] = {}
    for row in rows:
        by_family.setdefault(row[0].family, []).append(row)
    for name, members in by_family.items():
        heading, *lines = format_family(name, members, output_width())
        typer.secho(heading, bold=True)
        for line in lines:
            typer.echo(line)


def format_family(family: str, rows: list[SpecAndMissing], width: int) -> list[str]:
    """Return the heading of a family and the lines of its models.

    What all of the models lack is on one line below the heading. No word is broken: install commands can be copied.
    """
    common = [what for what in rows[0][1] if all(what in missing for _, missing in rows)]
    lines = [family, *_wrap("  ", "; ".join(common), width)] if common else [family]
    name_width, price_width = (max(len(cell(spec)) for spec, _ in rows) for cell in (_get_name, _format_price))
    for spec, missing in rows:
        rest = [what for what in missing if what not in common] or ([] if common else ["ready"])
        note = "; ".join([_format_status(spec), *(rest if _is_available(spec) else [])])
        lines += _wrap(f"    {spec.name:<{name_width}}  {_format_price(spec):<{price_width}}  ", note, width)
    return lines


def _wrap(start: str, text: str, width: int) -> list[str]:
    """Return the text behind its start in lines of at most ``width`` columns; only a longer word exceeds them."""
    has_room = max(map(len, text.split())) <= width - len(start)
    return wrap(
        text, width, initial_indent=start, subsequent_indent=" " * (len(start) if has_room else 6),
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _get_name(spec: ModelSpec) -> str:
    return spec.name


def _print_baselines() -> None:
    from rich.table import Table

    from vmevalkit.baselines.baseline import list_baselines

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("baseline", "video", "applies to"):
        table.add_column(heading, overflow="fold", no_wrap=heading == "baseline")
    for info in list_baselines():
        table.add_row(info.name, info.description, info.scope)
    print_tables([table])
    typer.echo("a degradation may follow, such as oracle+zoom_75")


def _describe(spec: ModelSpec, missing: list[str]) -> str:
    """Return everything about a model, one field per line."""
    fields = {
        "family": spec.family,
        "provider": spec.provider,
        "vendor id": spec.vendor_id,
        "status": _format_status(spec),
        "sizes": ", ".join(f"{width}x{height}" for width, height in spec.sizes) or "any",
        "lengths": ", ".join(f"{seconds:g}" for seconds in spec.durations_s) + " s" if spec.durations_s else "any",
        "fps": "unknown" if spec.fps is None else f"{spec.fps:g}",
        "price": describe_prices(spec) if spec.charged else "free",
        "params": ", ".join(sorted(spec.supported_params)),
        "adapter": spec.adapter,
        "here": "; ".join(missing) or "ready",
    }
    return "\n".join([f"{spec.name}: {spec.description}", *(f"  {name:<9}  {value}" for name, value in fields.items())])


def describe_prices(spec: ModelSpec) -> str:
    """Return all prices of a model that charges, those of each source with its day."""
    if not spec.all_prices:
        return "unknown"
    return "; ".join(
        f"{'; '.join(map(str, prices))} ({day}, {source})" for (day, source), prices in group_prices(spec).items()
    )


def group_prices(spec: ModelSpec) -> dict[tuple[str, str], list[Price]]:
    """Return the prices of a model by their day and source."""
    groups: dict[tuple[str, str], list[Price]] = {}
    for price in spec.all_prices:
        groups.setdefault((price.as_of, price.source), []).append(price)
    return groups


def _is_available(spec: ModelSpec) -> bool:
    return spec.status != "retired" or spec.is_served_elsewhere


def _format_status(spec: ModelSpec) -> str:
    if spec.status != "retired":
        return spec.status
    since = f" {spec.retired_on}" if spec.retired_on else ""
    return f"retired{since}; use {spec.replacement}" if spec.replacement else f"retired{since}"


def _format_price(spec: ModelSpec) -> str:
    if not spec.charged:
        return "free"
    if not spec.all_prices:
        return "unknown"
    [least, most] = [pick(price.usd for price in spec.all_prices) for pick in (min, max)]
    usd = f"${_format_usd(least)}" if least == most else f"${_format_usd(least)}-{_format_usd(most)}"
    return f"{usd} per {spec.all_prices[0].per}"


def _format_usd(usd: float) -> str:
    """Return an amount with cents, and with what is below a cent: 0.045 is not 0.04."""
    cents = f"{usd:.2f}"
    return cents if float(cents) == usd else f"{usd:g}"
