"""The trick baselines in a table, and the commands that add the missing ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from vmevalkit.core.reference_baselines import REFERENCE_BASELINES
from vmevalkit.results.commands import format_command, score_command
from vmevalkit.results.selection import SCORED, list_names, select_scorer
from vmevalkit.results.words import join_names, percent
from vmevalkit.stats.rates import success_rate
from vmevalkit.store import layout

if TYPE_CHECKING:
    import pandas as pd


def describe_reference_baselines(frame: pd.DataFrame, scorer: str, folders: tuple[Path, Path] | None) -> list[str]:
    """Return what the trick baselines of one experiment reach, and which commands add those without a score.

    ``folders`` of videos and scores are for the commands; None where the scores were made elsewhere."""
    videos = select_scorer(frame, scorer)
    scored = videos[videos["state"] == SCORED]
    reached, missing = [], []
    for name in REFERENCE_BASELINES:
        own = scored[scored["model"] == name]
        rate = success_rate(own["success"].to_numpy(float), own["item"].to_numpy())
        if rate.value is None:
            missing.append(name)
        else:
            reached.append(f"{name} {percent(rate.value)} ({percent(rate.low)} to {percent(rate.high)})")
    lines = []
    if reached:
        lines.append(f"reference baselines, whose videos show no reasoning: {', '.join(reached)}")
    if missing and folders:
        commands = " && ".join(_commands(frame, missing, *folders))
        subject, them = ("baseline", "it") if len(missing) == 1 else ("baselines", "them")
        lines.append(f"no score of the reference {subject} {join_names(missing)}; to add {them}: {commands}")
    return lines


def _commands(frame: pd.DataFrame, missing: list[str], outputs: Path, evaluations: Path) -> list[str]:
    [experiment] = list_names(frame, "experiment")
    with_videos = set(frame.loc[frame["status"] == "success", "model"])
    to_run = [name for name in missing if name not in with_videos]
    commands = [score_command(experiment, outputs, evaluations)]
    if to_run:
        samples = int(frame["sample"].max()) + 1
        words = ["run", "--model", *to_run, "--experiment", experiment, *_question_options(frame)]
        words += ["--samples", str(samples)] if samples > 1 else []
        commands.insert(0, format_command(words, outputs))
    return commands


def _question_options(frame: pd.DataFrame) -> list[str]:
    """Return the options that select the experiment's questions; ``DIR`` where they are not in the default folder."""
    questions = frame[["domain", "question"]].drop_duplicates()
    root = layout.QUESTIONS
    if not all(layout.question_folder(root, *each).is_dir() for each in questions.itertuples(index=False)):
        return ["--questions", "DIR"]
    domains = {layout.domain_of(folder.name) for folder in layout.subfolders(root) if folder.name.endswith("_task")}
    own = list_names(frame, "domain")
    return [] if domains == set(own) else ["--task", *own]
