"""Hugging Face's ``.eval_results``: a YAML file for each model, to be added to the model's repository."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vmevalkit.report.context import ReportContext
from vmevalkit.report.provenance import Provenance
from vmevalkit.report.words import format_interval
from vmevalkit.results.summary import GroupRate, summarize
from vmevalkit.store import layout
from vmevalkit.store.atomic import write_file

DATASET = "vmevalkit"
"""Name of the dataset until its questions are published; replace it by the id of the repository that has them."""
FOLDER = ".eval_results"


def write_eval_results(context: ReportContext, provenance: Provenance, folder: Path) -> list[Path]:
    """Write ``MODEL/.eval_results/vmevalkit.yaml`` for each model: success in percent, overall and by domain."""
    import yaml

    paths = []
    by_domain = summarize(context.frame, ["model", "domain"], [context.scorer])
    prints = {each.domain: each.fingerprint for each in provenance.datasets}
    dates = {note.model: note.last for note in provenance.models}
    for total in context.totals:
        model = total.group["model"]
        own = [rate for rate in by_domain if rate.group["model"] == model]
        entries = [
            _make_entry(context, rate, task, prints.get(task), dates.get(model, ""))
            for task, rate in [("all", total), *((rate.group["domain"], rate) for rate in own)]
            if rate.rate.value is not None
        ]
        if not entries:
            continue
        path = folder / layout.folder_name(model) / FOLDER / f"{DATASET}.yaml"
        write_file(path, yaml.safe_dump(entries, sort_keys=False, allow_unicode=True))
        paths.append(path)
    return paths


def _make_entry(
    context: ReportContext, rate: GroupRate, task: str, fingerprint: str | None, date: str
) -> dict[str, Any]:
    dataset: dict[str, Any] = {"id": DATASET, "task_id": task}
    if fingerprint:
        dataset["revision"] = fingerprint[:40]
    entry: dict[str, Any] = {"dataset": dataset, "value": round(100 * (rate.rate.value or 0.0), 2)}
    if date:
        entry["date"] = date
    left_out = f"; {rate.left_out.total} videos without a score are left out" if rate.left_out.total else ""
    entry["notes"] = (
        f"Success in percent by {context.scorer}: a value of 4 or 5. 95% interval "
        f"{format_interval(rate.rate.low, rate.rate.high)}, {rate.rate.n} questions, {rate.videos} videos{left_out}."
    )
    return entry
