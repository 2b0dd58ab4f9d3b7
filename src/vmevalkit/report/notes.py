"""What the rates of a report leave out, in lines with the remedy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from vmevalkit.results.commands import score_command
from vmevalkit.results.selection import JOB
from vmevalkit.results.table import NOT_SCORED, REASONS
from vmevalkit.store import layout

if TYPE_CHECKING:
    import pandas as pd


def list_notes(frame: pd.DataFrame, experiment: str, outputs: Path, evaluations: Path) -> list[str]:
    """Return a line for each thing that the rates leave out. Labels of people do not count as scores here."""
    reason = frame["reason"].fillna("")
    is_run = reason != REASONS["without_run"]
    runs = frame[is_run].assign(
        has_video=(frame["status"].fillna("success") == "success").astype(bool),  # one made elsewhere has no status
        is_judged=(frame["is_current"].fillna(False) & frame["annotator"].isna() & (reason != NOT_SCORED)).astype(bool),
    )
    jobs = runs.groupby(JOB, sort=False, dropna=False)[["has_video", "is_judged"]].max().reset_index()
    lines = []
    open_jobs = jobs[jobs["has_video"] & ~jobs["is_judged"]]
    if len(open_jobs):
        subject = _pluralize(len(open_jobs), "video has no current verdict", "videos have no current verdict")
        lines.append(f"{subject}: {_count_by_model(open_jobs)}; run: {score_command(experiment, outputs, evaluations)}")
    without_video = jobs[~jobs["has_video"]]
    if len(without_video):
        subject = _pluralize(len(without_video), "run has no video", "runs have no video")
        lines.append(f"{subject}: {_count_by_model(without_video)}; the rates leave them out")
    removed = int((~is_run & frame["annotator"].isna()).sum())
    if removed:
        subject = _pluralize(removed, "verdict is on a video", "verdicts are on videos")
        lines.append(f"{subject} no longer in {layout.experiment_folder(outputs, experiment)}, and not counted")
    return lines


def _pluralize(count: int, singular: str, plural: str) -> str:
    return f"{count} {singular if count == 1 else plural}"


def _count_by_model(jobs: pd.DataFrame) -> str:
    counts = jobs["model"].value_counts()
    return ", ".join(f"{model} {counts[model]}" for model in sorted(counts.index))
