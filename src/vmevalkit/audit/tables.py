"""A certificate as Markdown for a file and as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from vmevalkit.audit.audit import SECONDS
from vmevalkit.audit.certificate import MAY_PASS, MUST_PASS, Certificate, CertificateCell, ErrorBounds

if TYPE_CHECKING:
    from rich.table import Table

_COLUMNS = ("task", "trick", "deserves", "videos", "passed", "rate", "95% bounds", "ok")
_NUMBERS = ("videos", "passed", "rate", "95% bounds")
FINAL_STATE_NOTE = (
    "The scorer sees only the end of a video, so a video deserves to pass where its final state is right, whatever the "
    "way: jumps and illegal steps are not its business."
)
LISTED = 60
"""Most wrong verdicts that are listed; the JSON record has all."""


def _row(cell: CertificateCell, ok: bool) -> tuple[str, ...]:
    videos = str(cell.n) if not cell.unscored else f"{cell.n} + {cell.unscored} unscored"
    bounds = f"{100 * cell.low:.1f} - {100 * cell.high:.1f}%"
    return (
        cell.task, cell.name, cell.expected, videos, str(cell.passed), f"{cell.rate:.1%}", bounds,
        "yes" if ok else "NO",
    )  # fmt: skip


def summary(certificate: Certificate) -> str:
    """Return the certificate in a sentence or two."""
    right = certificate.videos - len(certificate.failures)
    text = f"{right} of {certificate.videos} videos got the verdict that they deserve."
    if not certificate.static_ok:
        text += f" Static videos got an outcome of 0.00 in {certificate.static_at_zero} of {certificate.static_videos}."
    return " ".join([text, *(_format_bounds(bounds) for bounds in certificate.bounds)])


def _format_bounds(bounds: ErrorBounds) -> str:
    parts = [
        f"{wrong} of {count} {what} (at most {bound:.1%})"
        for wrong, count, what, bound in (
            (bounds.wrong_passes, bounds.cheats, "cheats passed", bounds.max_wrong_pass_rate),
            (bounds.wrong_fails, bounds.honest, "honest videos failed", bounds.max_wrong_fail_rate),
        )
        if count
    ]
    return f"{bounds.task}: {', '.join(parts)}."


def command(trial_id: str, certificate: Certificate) -> str:
    """Return the command that runs one trial again and keeps its evidence."""
    return f"vmevalkit audit --only {trial_id} --seed {certificate.seed} --scorer {certificate.scorer}"


def markdown(certificate: Certificate) -> str:
    """Return the certificate as a document. It has no date: equal audits give equal documents."""
    versions = ", ".join(f"{task} {version}" for task, version in certificate.versions.items())
    parts = [
        f"# Certificate of the scorer `{certificate.scorer}`",
        summary(certificate),
        f"VMEvalKit {certificate.package}; rules: {versions}; seed {certificate.seed}; {certificate.videos} videos of "
        f'about {SECONDS:g} s, each with one trick and one degradation, encoded and decoded again. "At most" is the '
        "upper bound (95%, one-sided, Clopper-Pearson) of the error rate on such videos; a video without a verdict is "
        f"an error. A row is ok where videos that deserve to pass do so in {MUST_PASS:.0%} or more, and videos that "
        f"deserve to fail pass in {MAY_PASS:.0%} or less; its bounds are Wilson's at 95%."
        + (f" {FINAL_STATE_NOTE}" if certificate.final_state_only else ""),
        f"Static videos with an outcome of 0.00: {certificate.static_at_zero} of {certificate.static_videos}.",
        "## By trick",
        _table(_COLUMNS, (_row(cell, cell.ok) for cell in certificate.cells)),
        "## By degradation",
        "The same videos by degradation, few of each: a row is not ok where even its bounds exclude the required rate. "
        "`@placed` means that the scorer was given the placement of the image.",
        _table(
            ("task", "degradation", *_COLUMNS[2:]), (_row(cell, cell.is_plausible) for cell in certificate.degradations)
        ),
        "## Wrong verdicts",
        _failures(certificate),
    ]
    return "\n\n".join(parts) + "\n"


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _failures(certificate: Certificate) -> str:
    if not certificate.failures:
        return "None."
    listed = certificate.failures[:LISTED]
    rows = [
        (
            f"`{failure.trial_id}`",
            failure.difficulty,
            failure.expected,
            failure.got,
            " ".join(failure.explanation.split()).replace("|", "/"),
        )
        for failure in listed
    ]
    more = len(certificate.failures) - len(listed)
    return "\n\n".join(
        [
            f"Run one again, with a filmstrip: `{command('TRIAL', certificate)}`.",
            _table(("trial", "difficulty", "deserves", "got", "explanation"), rows),
            *([f"... and {more} more."] if more else []),
        ]
    )


def terminal(certificate: Certificate) -> list[Table]:
    """Return the two tables for a terminal: by trick and by degradation."""
    from rich.table import Table

    tables = []
    for title, name, cells in (
        ("By trick", "trick", [(cell, cell.ok) for cell in certificate.cells]),
        ("By degradation", "degradation", [(cell, cell.is_plausible) for cell in certificate.degradations]),
    ):
        table = Table(title=title)
        for column in ("task", name, *_COLUMNS[2:]):
            table.add_column(column, justify="right" if column in _NUMBERS else "left", no_wrap=True)
        for cell, ok in cells:
            table.add_row(*_row(cell, ok), style=None if ok else "bold red")
        tables.append(table)
    return tables
