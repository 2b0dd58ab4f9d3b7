"""Provenance as tables for the page."""

from __future__ import annotations

from pathlib import Path

from vmevalkit.report.certificates import format_bounds
from vmevalkit.report.provenance import Provenance
from vmevalkit.report.section import TablePart


def tabulate_provenance(provenance: Provenance) -> list[TablePart]:
    """Return the tables of questions, models, scorers and versions."""
    datasets = [
        {
            "domain": each.domain,
            "questions": str(each.questions),
            "seed": ", ".join(each.seeds) or "–",
            "difficulty": ", ".join(each.difficulties) or "–",
            "fingerprint": (each.fingerprint or "none: not generated from puzzles")[:32],
            "generator": "; ".join(each.generators) or "–",
        }
        for each in provenance.datasets
    ]
    models = [
        {
            "model": each.model,
            "family": each.family or "–",
            "provider": each.provider or "–",
            "settings": " | ".join(each.settings) or "–",
            "runs": str(each.runs),
            "days": each.first if each.first == each.last else f"{each.first} to {each.last}",
            "VMEvalKit": ", ".join(each.versions) or "–",
        }
        for each in provenance.models
    ]
    scorers = []
    for each in provenance.scorers:
        certificates = {note.domain: note for note in each.certificates}
        for domain, versions in each.versions:
            note = certificates.get(domain)
            text = "none given"
            if note is not None:
                text = (
                    f"{note.right:,} of {note.videos:,} trick videos right, seed {note.seed} ({Path(note.path).name}); "
                    f"{format_bounds(note)}"
                )
                text += "" if note.is_same_version else "; of another version"
            scorers.append(
                {
                    "scorer": each.scorer, "domain": domain, "version": ", ".join(versions) or "–", "certificate": text,
                    "people": ", ".join(each.annotators) or "–",
                }
            )  # fmt: skip
    versions_table = [
        {"package": name, "version": number}
        for name, number in [
            ("vmevalkit", provenance.package), ("python", provenance.python),
            *(each.rsplit(" ", 1) for each in provenance.libraries),
        ]
    ]  # fmt: skip
    parts = [
        TablePart(
            "provenance_questions",
            "Questions",
            datasets,
            [
                {**text, "fingerprint": each.fingerprint}
                for text, each in zip(datasets, provenance.datasets, strict=True)
            ],
            "The fingerprint is a digest of ids, puzzles and prompts. The same questions have the same fingerprint.",
        ),
        TablePart("provenance_models", "Models and settings", models, models, is_long=True),
        TablePart("provenance_scorers", "Scorers and certificates", scorers, scorers, is_long=True),
        TablePart("provenance_versions", "Versions", versions_table, versions_table, is_long=True),
    ]
    return [part for part in parts if part.texts]
