"""Where the numbers of a report come from: questions, runs, scorers and versions, read from the files themselves."""

from __future__ import annotations

import platform
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vmevalkit import __version__
from vmevalkit.report.certificates import CertificateNote, find_certificates
from vmevalkit.store import layout, old_keys
from vmevalkit.store.fingerprint import fingerprint
from vmevalkit.store.old_keys import rename_old_keys
from vmevalkit.store.records import read_record

if TYPE_CHECKING:
    import pandas as pd

PACKAGES = ("numpy", "scipy", "pandas", "opencv-python-headless", "av", "matplotlib")
"""Packages whose versions a report names."""


@dataclass(frozen=True, slots=True)
class DatasetNote:
    """The questions of one domain."""

    domain: str
    questions: int
    fingerprint: str | None
    """Digest of ids, puzzles and prompts; None where a question has no puzzle, such as one made by hand."""
    seeds: tuple[str, ...]
    difficulties: tuple[str, ...]
    generators: tuple[str, ...]
    """Versions of VMEvalKit and of the task that made the questions."""


@dataclass(frozen=True, slots=True)
class ModelNote:
    """How one model was run."""

    model: str
    family: str
    provider: str
    settings: tuple[str, ...]
    """Each distinct setting of the runs, as text."""
    versions: tuple[str, ...]
    """Versions of VMEvalKit that made the runs."""
    first: str
    """Day of the first run."""
    last: str
    """Day of the last run."""
    runs: int


@dataclass(frozen=True, slots=True)
class ScorerNote:
    """A scorer, its versions and its certificates."""

    scorer: str
    annotators: tuple[str, ...]
    versions: tuple[tuple[str, tuple[str, ...]], ...]
    """Domains and the versions of the scorer that scored them."""
    certificates: tuple[CertificateNote, ...]


@dataclass(frozen=True, slots=True)
class Provenance:
    """Everything that the numbers of a report depend on."""

    experiments: tuple[str, ...]
    datasets: tuple[DatasetNote, ...]
    models: tuple[ModelNote, ...]
    scorers: tuple[ScorerNote, ...]
    package: str
    """Version of VMEvalKit that made the report."""
    python: str
    libraries: tuple[str, ...]
    """Names and versions of the packages that computed the numbers."""
    table: str | None = None
    """Name and digest of the file that the scores were read from; None where they are from runs."""


def collect_provenance(frame: pd.DataFrame, certificates: Path | None = None, table: Path | None = None) -> Provenance:
    """Read questions, run records and certificates, and return what the numbers depend on. ``table`` is the file that
    the scores were read from, where there are no runs."""
    from vmevalkit.results.selection import list_names

    return Provenance(
        experiments=tuple(list_names(frame, "experiment")),
        datasets=collect_datasets(frame),
        models=_collect_models(frame),
        scorers=tuple(_describe_scorer(frame, scorer, certificates) for scorer in list_names(frame, "scorer")),
        package=__version__,
        python=platform.python_version(),
        libraries=tuple(f"{name} {version(name)}" for name in PACKAGES),
        table=None if table is None else f"{table.name}, SHA-256 {sha256(table.read_bytes()).hexdigest()}",
    )


def collect_datasets(frame: pd.DataFrame) -> tuple[DatasetNote, ...]:
    """Return the questions of each domain with their fingerprint. Each question is read once."""
    columns = ["domain", "question", "puzzle_digest", "question_folder"]
    table = frame[columns].dropna(subset=["question_folder"]).drop_duplicates(columns[:3])
    folders: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for domain, question, _, folder in table.itertuples(index=False):
        folders[domain].append((question, folder))
    return tuple(_describe_dataset(domain, folders[domain]) for domain in sorted(folders))


def _describe_dataset(domain: str, folders: list[tuple[str, str]]) -> DatasetNote:
    records = [
        rename_old_keys(read_record(Path(folder) / layout.QUESTION_RECORD) or {}, old_keys.QUESTION)
        for _, folder in sorted(folders, key=lambda pair: layout.natural_key(pair[0]))
    ]
    # Questions are listed in the order of their ids, as the generator lists them.
    is_complete = all({"id", "puzzle", "prompt"} <= record.keys() for record in records)
    return DatasetNote(
        domain,
        len(records),
        fingerprint(records) if is_complete else None,
        _distinct(record.get("seed") for record in records),
        _distinct(record.get("difficulty") for record in records),
        _distinct(_describe_generator(record.get("generator")) for record in records),
    )


def _describe_generator(generator: Any) -> str | None:
    if not isinstance(generator, Mapping):
        return None
    return f"VMEvalKit {generator.get('vmevalkit', 'unknown')}, task version {generator.get('task', 'unknown')}"


def _collect_models(frame: pd.DataFrame) -> tuple[ModelNote, ...]:
    runs = frame.dropna(subset=["run_id", "question_folder"]).drop_duplicates(["model", "run_id"])
    records: dict[str, list[dict[str, Any]]] = {name: [] for name in frame["model"].unique()}
    for model, folder in runs[["model", "question_folder"]].itertuples(index=False):
        record = read_record(Path(folder).parent / layout.RUN_RECORD)
        if record is not None:
            records[model].append(_keep_settings(record))
    return tuple(_describe_model(model, records[model]) for model in sorted(records, key=layout.natural_key))


def _keep_settings(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a report says about a run; prompts and answers stay in the record."""
    request, provider = record.get("request") or {}, record.get("provider") or {}
    parts = [f"{name} {request[name]}" for name in ("seconds", "fps", "size") if request.get(name) is not None]
    parts += [f"{name} {value}" for name, value in sorted((request.get("parameters") or {}).items())]
    parts += (
        [f"prompt variant {record['prompt_variant']}"] if record.get("prompt_variant", "default") != "default" else []
    )
    return {
        "settings": ", ".join(parts) or None,
        "family": record.get("family"),
        "provider": " ".join(str(provider[name]) for name in ("name", "model") if provider.get(name)) or None,
        "version": record.get("vmevalkit_version"),
        "day": str(record.get("created_at", ""))[:10] or None,
    }


def _describe_model(model: str, records: list[dict[str, Any]]) -> ModelNote:
    days = _distinct(record["day"] for record in records)
    return ModelNote(
        model,
        ", ".join(_distinct(record["family"] for record in records)),
        ", ".join(_distinct(record["provider"] for record in records)),
        _distinct(record["settings"] for record in records),
        _distinct(record["version"] for record in records),
        days[0] if days else "",
        days[-1] if days else "",
        len(records),
    )


def _describe_scorer(frame: pd.DataFrame, scorer: str, certificates: Path | None) -> ScorerNote:
    own = frame[(frame["scorer"] == scorer).fillna(False).astype(bool)]
    versions = tuple(
        (str(domain), _distinct(part["scorer_version"].dropna())) for domain, part in own.groupby("domain", sort=True)
    )
    return ScorerNote(
        scorer, _distinct(own["annotator"].dropna()), versions, find_certificates(certificates, scorer, versions)
    )


def _distinct(values: Iterable[Any]) -> tuple[str, ...]:
    return tuple(sorted({str(value) for value in values if value is not None}, key=layout.natural_key))
