"""A certificate to be read: as Markdown for a file, as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from vmevalkit.audit.audit import SECONDS
from vmevalkit.audit.certificate import MAY_PASS, MUST_PASS, Cell, Certificate

if TYPE_CHECKING:
    from rich.table import Table

_COLUMNS = ("task", "trick", "deserves", "films", "passed", "rate", "95% bounds", "ok")
_NUMBERS = ("films", "passed", "rate", "95% bounds")
LISTED = 60
"""How many failures are listed; the JSON record has them all."""


def _row(cell: Cell, ok: bool) -> tuple[str, ...]:
    films = str(cell.n) if not cell.unscored else f"{cell.n} + {cell.unscored} unscored"
    bounds = f"{100 * cell.low:.1f} - {100 * cell.high:.1f}%"
    return (
        cell.task, cell.name, cell.expected, films, str(cell.passed), f"{cell.rate:.1%}", bounds,
        "yes" if ok else "NO",
    )  # fmt: skip


def summary(certificate: Certificate) -> str:
    """The certificate in a sentence or two."""
    right = certificate.films - len(certificate.failures)
    fallen = [f"{cell.task}/{cell.name}" for cell in certificate.fallen]
    if not certificate.static_ok:
        zero = f"{certificate.static_at_zero} of {certificate.static_films}"
        fallen.append(f"the outcome of static films (0.00 in {zero})")
    verdict = "The certificate stands." if certificate.ok else f"The certificate falls: {', '.join(fallen)}."
    return f"{right} of {certificate.films} films got the verdict that they deserve. {verdict}"


def command(recipe: str, certificate: Certificate) -> str:
    """How to make one film again, with its evidence."""
    return f"vmevalkit audit --only {recipe} --seed {certificate.seed} --scorer {certificate.scorer}"


def markdown(certificate: Certificate) -> str:
    """The certificate as a document. It holds no date: equal audits give equal documents."""
    versions = ", ".join(f"{task} {version}" for task, version in certificate.versions.items())
    parts = [
        f"# Certificate of the scorer `{certificate.scorer}`",
        summary(certificate),
        f"VMEvalKit {certificate.package}; rules: {versions}; seed {certificate.seed}; {certificate.films} films of "
        f"about {SECONDS:g} s, each made by one trick, passed through one artefact, encoded and decoded again. Films "
        f"that deserve to pass must do so in {MUST_PASS:.0%} or more, films that deserve to fail may pass in "
        f"{MAY_PASS:.0%} or less; bounds are Wilson's at 95%. A film without a verdict counts neither way, and the "
        "certificate falls with it.",
        f"Static films with an outcome of 0.00: {certificate.static_at_zero} of {certificate.static_films}.",
        "## By trick",
        _table(_COLUMNS, (_row(cell, cell.ok) for cell in certificate.cells)),
        "## By artefact",
        "The same films, few of each artefact: a row is not ok where even its bounds lie outside the range asked for. "
        "`@placed` means that the scorer was told how the picture had been fitted.",
        _table(("task", "artefact", *_COLUMNS[2:]), (_row(cell, cell.tenable) for cell in certificate.artefacts)),
        "## Films with another verdict than they deserve",
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
            f"`{failure.recipe}`",
            failure.difficulty,
            failure.expected,
            failure.got,
            " ".join(failure.told.split()).replace("|", "/"),
        )
        for failure in listed
    ]
    more = len(certificate.failures) - len(listed)
    return "\n\n".join(
        [
            f"Each is made again, with a filmstrip, by `{command('RECIPE', certificate)}`.",
            _table(("recipe", "difficulty", "deserves", "got", "the scorer's words"), rows),
            *([f"... and {more} more."] if more else []),
        ]
    )


def terminal(certificate: Certificate) -> list[Table]:
    """The two tables for a terminal: by trick, by artefact."""
    from rich.table import Table

    tables = []
    for title, name, cells in (
        ("By trick", "trick", [(cell, cell.ok) for cell in certificate.cells]),
        ("By artefact", "artefact", [(cell, cell.tenable) for cell in certificate.artefacts]),
    ):
        table = Table(title=title)
        for column in ("task", name, *_COLUMNS[2:]):
            table.add_column(column, justify="right" if column in _NUMBERS else "left", no_wrap=True)
        for cell, ok in cells:
            table.add_row(*_row(cell, ok), style=None if ok else "bold red")
        tables.append(table)
    return tables
