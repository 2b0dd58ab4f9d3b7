"""Errors of judges and rates corrected for them, as tables of the section on agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vmevalkit.report.section import TablePart
from vmevalkit.results.agreement import AgreementReport, measure_agreement
from vmevalkit.results.agreement_text import make_accuracy_lines, make_rate_lines
from vmevalkit.stats.records import Estimate

if TYPE_CHECKING:
    import pandas as pd


def make_correction_tables(frame: pd.DataFrame) -> tuple[list[TablePart], tuple[str, ...]]:
    """Return the tables, and notes on what they leave out; nothing where no judge can be measured."""
    report = measure_agreement(frame)
    if not report.rates:
        return [], ()
    tables = [
        TablePart(
            "judge_errors",
            f"Errors of judges, measured by {report.reference}",
            make_accuracy_lines(report),
            _accuracy_records(report),
        ),
        TablePart(
            "corrected_rates",
            f"Success rates corrected for the errors of judges, measured by {report.reference}",
            [_shorten(line) for line in make_rate_lines(report)],
            _rate_records(report),
            "A correction is refused where the judge may know nothing; the CSV file has the reasons.",
        ),
    ]
    return [table for table in tables if table.texts], report.notes


def _shorten(line: Mapping[str, str]) -> dict[str, str]:
    """Return a line without the method, and without the reason of a refusal: both are too long for a column."""
    short = {name: text for name, text in line.items() if name != "how"}
    return short | ({"corrected": "refused"} if line["how"].startswith("refused") else {})


def _accuracy_records(report: AgreementReport) -> Sequence[Mapping[str, Any]]:
    return [
        {
            "judge": each.judge, "reference": each.reference, "domain": each.domain, "aspect": each.aspect,
            **_numbers("sensitivity", each.sensitivity), **_numbers("specificity", each.specificity),
        }
        for each in report.accuracies
    ]  # fmt: skip


def _rate_records(report: AgreementReport) -> Sequence[Mapping[str, Any]]:
    return [
        {
            "judge": each.judge, "reference": each.reference, "model": each.model, "aspect": each.aspect,
            **_numbers("raw", each.raw), **_numbers("corrected", each.corrected), "method": each.corrected.method,
            "reason": each.corrected.reason,
        }
        for each in report.rates
    ]  # fmt: skip


def _numbers(name: str, estimate: Estimate) -> dict[str, Any]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high, f"{name}_n": estimate.n}
