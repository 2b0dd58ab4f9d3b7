"""Cells of tables: text for readers that knows its numbers, so that CSV files have them in full."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from vmevalkit.results.words import p_value, percent
from vmevalkit.stats.records import Estimate

NO_NUMBER = "-"


class Cell(str):
    """The text of a cell, with the numbers that it shows."""

    numbers: Mapping[str, float | None]
    """By column of the CSV file; the key ``""`` is the column of the cell itself."""

    def __new__(cls, text: str, numbers: Mapping[str, float | None]) -> Cell:
        cell = super().__new__(cls, text)
        cell.numbers = numbers
        return cell


def number_cell(value: float | None, form: str = ".3f") -> Cell:
    """Return a number in a format, such as ``+.2f``; a dash where there is none."""
    return Cell(NO_NUMBER if value is None else f"{value:{form}}", {"": value})


def percent_cell(value: float | None, digits: int = 0) -> Cell:
    """Return a share as a percentage."""
    return Cell(percent(value, digits), {"": value})


def p_cell(value: float | None) -> Cell:
    """Return a p-value."""
    return Cell(p_value(value), {"": value})


def interval_cell(low: float | None, high: float | None, form: str, prefix: str = "") -> Cell:
    """Return an interval; ``prefix`` tells two intervals of a row apart in the CSV file."""
    text = NO_NUMBER if low is None or high is None else f"{low:{form}} to {high:{form}}"
    return Cell(text, {f"{prefix}low": low, f"{prefix}high": high})


def rate_interval(estimate: Estimate) -> Cell:
    """Return the interval of a share as percentages."""
    low, high = estimate.low, estimate.high
    return Cell(NO_NUMBER if low is None else f"{percent(low)} to {percent(high)}", {"low": low, "high": high})


def make_records(rows: Iterable[Mapping[str, str]]) -> list[dict[str, Any]]:
    """Return rows with the numbers of their cells. All records have the same keys; what a row lacks is None."""
    records = [_make_record(row) for row in rows]
    names = dict.fromkeys(name for record in records for name in record)
    return [{name: record.get(name) for name in names} for record in records]


def _make_record(row: Mapping[str, str]) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for name, cell in row.items():
        if isinstance(cell, Cell):
            record |= {key or name_column(name): number for key, number in cell.numbers.items()}
        else:
            record[name_column(name)] = cell
    return record


def name_column(title: str) -> str:
    """Return the name of a column in a CSV file: ``Cohen's d`` is ``cohens_d``."""
    return re.sub(r"[^a-z0-9]+", "_", title.lower().replace("'", "")).strip("_")
