"""What can and cannot be read from a table of rates, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vmevalkit.results.commands import score_command
from vmevalkit.results.items import make_items
from vmevalkit.results.reference_baselines import describe_reference_baselines
from vmevalkit.results.selection import SCORED, count_left_out, list_names, select_scorer
from vmevalkit.results.words import count, join_names, percent
from vmevalkit.stats.ranking import RankBands, rank_bands

if TYPE_CHECKING:
    import pandas as pd

Folders = tuple[Path, Path] | None
"""Folders of videos and of scores for the recommended commands; None where no command is recommended."""

FEW_QUESTIONS = 10
"""Below this number an interval is so wide that the rate says little."""


def describe_table(frame: pd.DataFrame, scorers: Sequence[str], folders: Folders) -> list[str]:
    """Return the notes below a table: what is left out, what the ranks are worth, and the reference
    baselines."""
    experiments, lines = list_names(frame, "experiment"), []
    for experiment in experiments:
        own = frame[frame["experiment"] == experiment]
        present = [scorer for scorer in scorers if (own["scorer"] == scorer).any()]
        notes = _describe_experiment(own, present, experiment, folders)
        lines += notes if len(experiments) == 1 else [f"{experiment}: {note}" for note in notes]
    return lines


def _describe_experiment(frame: pd.DataFrame, scorers: Sequence[str], experiment: str, folders: Folders) -> list[str]:
    if not scorers:
        return [f"no video is scored; run: {score_command(experiment, *folders)}" if folders else "no video is scored"]
    lines = []
    if len(scorers) > 1:
        lines.append(f"{join_names(scorers)} judge by different rules: compare rates within one scorer only")
    for scorer in scorers:
        notes = _describe_scorer(frame, scorer, experiment, folders)
        lines += notes if len(scorers) == 1 else [f"{scorer}: {note}" for note in notes]
    return lines


def _describe_scorer(frame: pd.DataFrame, scorer: str, experiment: str, folders: Folders) -> list[str]:
    videos = select_scorer(frame, scorer)
    scored = videos[videos["state"] == SCORED]
    lines = []
    left_out = count_left_out(videos)
    if left_out.total:
        remedy = ""
        if folders and (left_out.outdated or left_out.not_scored):
            remedy = f"; to score them: {score_command(experiment, *folders)}"
        lines.append(f"the rates leave out {count(left_out.total, 'video')}: {left_out}{remedy}")
    if not len(scored):
        return [*lines, "no video has a score that counts"]
    lines += _describe_scores(scored)
    lines += _describe_ranks(scored)
    return lines + describe_reference_baselines(frame, scorer, folders)


def _describe_scores(scored: pd.DataFrame) -> list[str]:
    lines = []
    questions = scored["item"].nunique()
    if (scored["success"] == 1).all():
        lines.append(f"every scored video succeeds ({len(scored)}): these questions cannot show a difference")
    elif not scored["success"].any():
        lines.append(f"no scored video succeeds ({len(scored)}): these questions cannot show a difference")
    if questions < FEW_QUESTIONS:
        lines.append(f"{count(questions, 'question')} only: the intervals are wide, and the rates say little")
    return lines


def _describe_ranks(scored: pd.DataFrame) -> list[str]:
    models = list_names(scored, "model")
    if len(models) == 1:
        return [f"one model, {models[0]}: there is nothing to rank"]
    items = make_items(scored)
    bands = rank_bands(items.success, items.model, items.question)
    lines = []
    if bands.questions_left_out:
        per_model = scored.groupby("model")["item"].nunique()
        counts = ", ".join(f"{model} {per_model[model]}" for model in models)
        lines.append(
            f"the models have scores for different questions ({counts}): their rates are not comparable, and ranks "
            "compare two models on the questions that both have"
        )
    if bands.reason:
        return [*lines, f"no ranks: {bands.reason}"]
    return [*lines, _describe_bands(bands)]


def describe_common(bands: RankBands) -> str:
    """Return how many questions pairs of models have in common, in words."""
    fewest, most = bands.common
    return (
        count(most, "common question") if fewest == most else f"{fewest:,} to {most:,} common questions of two models"
    )


def _describe_bands(bands: RankBands) -> str:
    ranks = [
        f"{model} {band.best}" if band.best == band.worst else f"{model} {band.best} to {band.worst}"
        for model, band in bands.bands.items()
    ]
    return (
        f"ranks that the data do not exclude ({percent(1 - bands.alpha)} for all together, "
        f"{describe_common(bands)}, Holm): {', '.join(ranks)}"
    )
