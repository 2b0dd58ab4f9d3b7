"""What every section of a report is made from: the tidy table as one scorer sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vmevalkit.core.scorer import RULES
from vmevalkit.results.selection import SCORED, find_baselines, list_names, select_scorer
from vmevalkit.results.summary import GroupRate, summarize

if TYPE_CHECKING:
    import pandas as pd

OF_SINGLE_VIDEOS = (
    "findings", "explanation", "run_id", "video", "question_folder", "video_digest", "trace", "evidence",
)  # fmt: skip
"""Columns that no section needs."""


@dataclass(frozen=True)
class ReportContext:
    """The rows of one scorer, and the order in which models and domains are shown."""

    rows: pd.DataFrame
    """The tidy table of the experiment, all scorers."""
    frame: pd.DataFrame
    """The same without texts and paths of single videos: tables are copied often."""
    scorer: str
    """Name of the scorer that this page is about."""
    videos: pd.DataFrame
    """One row for each video or label, with ``state``, ``job`` and ``item``."""
    scored: pd.DataFrame
    """The rows of ``videos`` with a score that counts."""
    models: tuple[str, ...]
    """All models, the best success rate first."""
    domains: tuple[str, ...]
    """All domains in natural order."""
    baselines: frozenset[str]
    """The models that are embedded baselines."""
    totals: tuple[GroupRate, ...]
    """Success of each model over all domains, in the order of ``models``."""
    outputs: Path
    """Folder of the generated videos."""
    evaluations: Path
    """Folder of the scores."""
    others: tuple[pd.DataFrame, ...] = ()
    """Tables of the experiments that this one is compared with."""

    @property
    def experiment(self) -> str:
        return list_names(self.frame, "experiment")[0]

    @property
    def real_models(self) -> tuple[str, ...]:
        """The models that are not baselines; all where there are only baselines."""
        real = tuple(name for name in self.models if name not in self.baselines)
        return real or self.models

    @property
    def muted(self) -> frozenset[str]:
        """The models that figures draw in grey: all baselines, never as if they were models."""
        return self.baselines

    @property
    def muted_labels(self) -> frozenset[str]:
        """The names of the muted models as figures show them."""
        return frozenset(self.label(model) for model in self.muted)

    def label(self, model: str) -> str:
        """Return the name of a model, marked where it is a baseline."""
        return f"{model} (baseline)" if model in self.baselines else model


def choose_scorers(frame: pd.DataFrame, scorer: str | None = None) -> list[str]:
    """Return the scorers of a table: the one asked for, or the rules, first."""
    names = list_names(frame, "scorer")
    first = scorer or RULES
    return sorted(names, key=lambda name: name != first)


def make_context(
    frame: pd.DataFrame, scorer: str, outputs: Path, evaluations: Path, others: Sequence[pd.DataFrame] = ()
) -> ReportContext:
    """Return the table as one scorer sees it."""
    rows, frame = frame, frame.drop(columns=list(OF_SINGLE_VIDEOS), errors="ignore")
    videos = select_scorer(frame, scorer)
    totals = tuple(summarize(frame, ["model"], [scorer]))
    return ReportContext(
        rows=rows,
        frame=frame,
        scorer=scorer,
        videos=videos,
        scored=videos[videos["state"] == SCORED],
        models=tuple(rate.group["model"] for rate in totals),
        domains=tuple(list_names(frame, "domain")),
        baselines=find_baselines(frame),
        totals=totals,
        outputs=outputs,
        evaluations=evaluations,
        others=tuple(others),
    )
