"""Certificates of scorers, found in the files that ``vmevalkit audit`` writes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

CERTIFICATES = Path("docs/certificates")
"""Folder that is searched unless another one is given."""
EVALUATORS = {"rules": "RuleEvaluator"}
"""Names in certificates and the names of score files where the two differ."""

_SCORER = re.compile(r"^# Certificate of the scorer `([^`]+)`", re.MULTILINE)
_COUNTS = re.compile(r"(\d[\d,]*) of (\d[\d,]*) videos got the verdict")
_ABOUT = re.compile(r"VMEvalKit (\S+); rules: ([^;]+); seed (\d+)")


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
    is_same_version: bool
    """Whether the audited version of the scorer is the one that made the scores."""


def find_certificates(
    folder: Path | None, scorer: str, versions: Sequence[tuple[str, tuple[str, ...]]]
) -> tuple[CertificateNote, ...]:
    """Return for each domain the certificate with the most videos, preferring one of the version that scored."""
    found: dict[str, CertificateNote] = {}
    used = dict(versions)
    for path in sorted((folder or CERTIFICATES).glob("*.md")):
        for note in _read_certificate(path, scorer, used):
            other = found.get(note.domain)
            if other is None or (note.is_same_version, note.videos) > (other.is_same_version, other.videos):
                found[note.domain] = note
    return tuple(found[domain] for domain in sorted(found))


def _read_certificate(path: Path, scorer: str, used: dict[str, tuple[str, ...]]) -> list[CertificateNote]:
    text = path.read_text("utf-8", "replace")
    name, counts, about = _SCORER.search(text), _COUNTS.search(text), _ABOUT.search(text)
    if not name or not counts or not about or EVALUATORS.get(name[1], name[1]) != scorer:
        return []
    right, videos = (int(number.replace(",", "")) for number in counts.groups())
    audited = dict(part.strip().rsplit(" ", 1) for part in about[2].split(",") if " " in part.strip())
    return [
        CertificateNote(domain, str(path), right, videos, int(about[3]), about[1], {version} == set(used[domain]))
        for domain, version in audited.items()
        if domain in used
    ]
