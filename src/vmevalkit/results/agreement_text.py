"""The agreement of scorers as tables of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vmevalkit.results.agreement import AgreementReport
from vmevalkit.results.words import percent
from vmevalkit.stats.records import Estimate

Lines = list[dict[str, str]]


def make_tables(report: AgreementReport) -> list[tuple[str, Lines]]:
    """Return the tables with their titles; those without a line are left out."""
    tables = [
        ("Agreement", _pairs(report)),
        ("Agreement among people (Krippendorff's alpha, ordinal)", _people(report)),
        (f"Errors of judges, measured by {report.reference}", make_accuracy_lines(report)),
        (f"Success rates corrected for the errors of judges, measured by {report.reference}", make_rate_lines(report)),
    ]
    return [(title, lines) for title, lines in tables if lines]


def format_share(estimate: Estimate) -> str:
    """Return a share with its interval, such as ``87% (80-92%)``; the reason where there is none."""
    if estimate.value is None:
        return "-"
    if estimate.low is None or estimate.high is None:
        return percent(estimate.value)
    return f"{percent(estimate.value)} ({100 * estimate.low:.0f}-{100 * estimate.high:.0f}%)"


def format_number(estimate: Estimate) -> str:
    """Return a coefficient with its interval, such as ``0.81 (0.73-0.89)``."""
    if estimate.value is None:
        return "-"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.2f}"
    return f"{estimate.value:.2f} ({estimate.low:.2f} to {estimate.high:.2f})"


def _pairs(report: AgreementReport) -> Lines:
    return [
        {
            "first": pair.first, "second": pair.second, "domain": pair.domain, "on": pair.aspect,
            "videos": str(pair.videos), "same": format_share(pair.percent), "kappa": format_number(pair.kappa),
            "weighted kappa, 1-5": format_number(pair.weighted_kappa),
        }
        for pair in report.pairs
    ]  # fmt: skip


def _people(report: AgreementReport) -> Lines:
    return [
        {
            "domain": each.domain,
            "people": str(each.people),
            "videos": str(each.alpha.n),
            "alpha": format_number(each.alpha),
        }
        for each in report.people
    ]


def make_accuracy_lines(report: AgreementReport) -> Lines:
    """Return the errors of judges, a line for each judge and domain."""
    return [
        {
            "judge": each.judge, "domain": each.domain, "on": each.aspect,
            "succeed": str(each.sensitivity.n), "sensitivity": format_share(each.sensitivity),
            "fail": str(each.specificity.n), "specificity": format_share(each.specificity),
        }
        for each in report.accuracies
    ]  # fmt: skip


def make_rate_lines(report: AgreementReport) -> Lines:
    """Return raw and corrected rates, a line for each judge and model."""
    return [
        {
            "judge": each.judge, "model": each.model, "on": each.aspect, "videos": str(each.raw.n),
            "labelled": str(each.reference_videos), "raw": format_share(each.raw),
            "corrected": format_share(each.corrected),
            "how": each.corrected.method if each.corrected.value is not None else f"refused: {each.corrected.reason}",
        }
        for each in report.rates
    ]  # fmt: skip


def write_markdown(lines: Sequence[Mapping[str, str]]) -> str:
    """Return a table in Markdown."""
    columns = list(lines[0])
    rows = [columns, ["---"] * len(columns), *([line[name] for name in columns] for line in lines)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)
