"""Results in the formats of others: Hugging Face's ``.eval_results`` and Every Eval Ever 0.3."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from vmevalkit.core.errors import UnknownName
from vmevalkit.report.context import ReportContext
from vmevalkit.report.every_eval_ever import write_every_eval_ever
from vmevalkit.report.huggingface import write_eval_results
from vmevalkit.report.provenance import Provenance

EXPORTS: dict[str, Callable[[ReportContext, Provenance, Path], list[Path]]] = {
    "huggingface": write_eval_results,
    "every-eval-ever": write_every_eval_ever,
}
"""Names of the formats, and what writes them below a folder."""


def check_exports(names: Sequence[str]) -> None:
    """Raise UnknownName, with the nearest format, before work is spent."""
    for name in names:
        if name not in EXPORTS:
            raise UnknownName("export", name, EXPORTS)


def write_exports(names: Sequence[str], context: ReportContext, provenance: Provenance, folder: Path) -> list[Path]:
    """Write some formats below ``folder`` and return the files."""
    return [path for name in names for path in EXPORTS[name](context, provenance, folder / name)]
