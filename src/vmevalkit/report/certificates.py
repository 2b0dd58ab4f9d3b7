"""Certificates of scorers, found in the records that ``vmevalkit audit --json`` writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import StoreError
from vmevalkit.core.scorer import RULES
from vmevalkit.stats.intervals import upper_bound
from vmevalkit.store.records import read_record

CERTIFICATES = Path("docs/certificates")
"""Folder that is searched unless another one is given."""
EVALUATORS = {"rules": RULES}
"""Names in certificates and the names of score files where the two differ."""


@dataclass(frozen=True, slots=True)
class CertificateNote:
    """What a certificate says of a scorer in one domain."""

    domain: str
    path: str
    """Path of the file."""
    right: int
    """Videos that got the verdict that they deserve."""
    videos: int
    seed: int
    package: str
    """Version of VMEvalKit that was audited."""
    max_wrong_pass_rate: float
    """Upper bound (95%) of the rate at which videos pass that deserve to fail."""
    max_wrong_fail_rate: float
    """Upper bound (95%) of the rate at which videos fail that deserve to pass."""
    is_same_version: bool
    """Whether the audited version of the scorer is the one that made the scores."""


def find_certificates(
    folder: Path | None, scorer: str, versions: Sequence[tuple[str, tuple[str, ...]]]
) -> tuple[CertificateNote, ...]:
    """Return for each domain the certificate with the most videos, preferring one of the version that scored."""
    found: dict[str, CertificateNote] = {}
    used = dict(versions)
    for path in sorted((folder or CERTIFICATES).glob("*.json")):
        for note in _read_certificate(path, scorer, used):
            other = found.get(note.domain)
            if other is None or (note.is_same_version, note.videos) > (other.is_same_version, other.videos):
                found[note.domain] = note
    return tuple(found[domain] for domain in sorted(found))


def _read_certificate(path: Path, scorer: str, used: Mapping[str, tuple[str, ...]]) -> list[CertificateNote]:
    """Return what a record says of each domain; nothing where it is a record of another kind or scorer."""
    record = read_record(path)
    if record is None or "cells" not in record:
        return []
    try:
        if EVALUATORS.get(record["scorer"], record["scorer"]) != scorer:
            return []
        return [_make_note(path, record, domain, used[domain]) for domain in record["versions"] if domain in used]
    except (KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"{path} is not a certificate that `vmevalkit audit --json` wrote: {error!r}") from error


def _make_note(path: Path, record: Mapping[str, Any], domain: str, used: Sequence[str]) -> CertificateNote:
    cells = [cell for cell in record["cells"] if cell["task"] == domain]
    passes, cheats = _count_errors(cell for cell in cells if cell["expected"] == "fail")
    fails, honest = _count_errors(cell for cell in cells if cell["expected"] == "pass")
    return CertificateNote(
        domain, str(path), cheats + honest - passes - fails, cheats + honest, record["seed"], record["package"],
        ceil(1000 * upper_bound(passes, cheats)) / 1000, ceil(1000 * upper_bound(fails, honest)) / 1000,
        is_same_version={record["versions"][domain]} == set(used),
    )  # fmt: skip


def _count_errors(cells: Iterable[Mapping[str, Any]]) -> tuple[int, int]:
    """Return how many videos of these cells got a wrong verdict or none, and how many there are."""
    wrong = videos = 0
    for cell in cells:
        wrong += cell["unscored"] + (cell["n"] - cell["passed"] if cell["expected"] == "pass" else cell["passed"])
        videos += cell["n"] + cell["unscored"]
    return wrong, videos


def format_bounds(note: CertificateNote) -> str:
    """Return the bounds as a text."""
    return (
        f"wrong passes at most {note.max_wrong_pass_rate:.1%}, wrong fails at most {note.max_wrong_fail_rate:.1%} (95%)"
    )
