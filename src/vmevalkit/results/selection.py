"""The videos of a table as one scorer sees them: each scored, or left out for a reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vmevalkit.core.errors import UnknownName
from vmevalkit.core.reference_baselines import REFERENCE_BASELINES
from vmevalkit.core.scorer import PEOPLE
from vmevalkit.results.table import REASONS
from vmevalkit.store import layout

if TYPE_CHECKING:
    import pandas as pd

JOB = ["experiment", "model", "domain", "question", "sample"]
ITEM = ["domain", "question", "puzzle_digest"]
"""What makes two questions the same: an id alone may name another puzzle in another experiment."""
SCORED, UNSCORED, OUTDATED, NOT_SCORED, WITHOUT_VIDEO = (
    "scored", "unscored", "outdated", "not scored yet", "without a video",
)  # fmt: skip

DOMAIN_LEVELS = ("domain", "group")
NO_GROUP = "(none)"
"""Group of the questions whose task states none."""
BASELINE = "baseline"
"""Family of the embedded baselines."""
ESTIMATE_QUEUES = ("sample", "all")
"""Queues of annotation whose videos were drawn at random, or are all videos."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Numbers of videos that a rate does not count."""

    unscored: int = 0
    """Videos on which the scorer has no verdict."""
    outdated: int = 0
    """Videos whose score is on an earlier video or puzzle."""
    not_scored: int = 0
    """Videos that this scorer did not score yet."""
    without_video: int = 0
    """Runs without a video."""

    @property
    def total(self) -> int:
        return self.unscored + self.outdated + self.not_scored + self.without_video

    def __str__(self) -> str:
        parts = (
            (self.unscored, UNSCORED),
            (self.outdated, OUTDATED),
            (self.not_scored, NOT_SCORED),
            (self.without_video, WITHOUT_VIDEO),
        )
        return ", ".join(f"{count} {what}" for count, what in parts if count)


def list_names(frame: pd.DataFrame, column: str) -> list[str]:
    """Return the distinct names in a column, in natural order."""
    return sorted(frame[column].dropna().unique().tolist(), key=layout.natural_key)


def require_name(frame: pd.DataFrame, column: str, name: str) -> None:
    """Raise UnknownName, with the nearest name, where no row has it."""
    known = list_names(frame, column)
    if name not in known:
        experiments = ", ".join(list_names(frame, "experiment"))
        raise UnknownName(column, name, known, f"in the results of {experiments}")


def replace_domains(frame: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return the table with what stands for the domains of a comparison or an analysis: themselves, or their groups.

    Ids of questions then have their domain before them: two domains of a group may have the same ids."""
    if by not in DOMAIN_LEVELS:
        raise UnknownName("level to compare by", by, DOMAIN_LEVELS)
    if by == "domain":
        return frame
    question = frame["domain"].astype(str) + "/" + frame["question"].astype(str)
    return frame.assign(domain=frame[by].fillna(NO_GROUP), question=question.astype("string"))


def keep_scorer(frame: pd.DataFrame, scorer: str) -> pd.DataFrame:
    """Return the rows of one scorer, and those of runs and videos that no scorer has scored."""
    require_name(frame, "scorer", scorer)
    return frame[(frame["scorer"] == scorer).fillna(True).astype(bool)]


def find_baselines(frame: pd.DataFrame) -> frozenset[str]:
    """Return the models that are embedded baselines."""
    own = set(frame.loc[(frame["family"] == BASELINE).fillna(False).astype(bool), "model"])
    return frozenset(own | ({*REFERENCE_BASELINES} & {*list_names(frame, "model")}))


def leave_out_baselines(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows without the embedded baselines, and the names of these.

    Where there is nothing else, only the trick baselines are left out; where there is nothing but these, nothing is."""
    models = set(list_names(frame, "model"))
    baselines = next(
        (own for own in (find_baselines(frame), {*REFERENCE_BASELINES} & models) if own < models), frozenset()
    )
    return frame[~frame["model"].isin(baselines)], sorted(baselines, key=layout.natural_key)


def is_chosen(frame: pd.DataFrame) -> pd.Series[bool]:
    """Return which rows are people's labels of videos that were chosen, such as those on which scorers differ most.

    They serve to look at videos. Every number, a rate or an agreement, is from the other labels."""
    chosen = (frame["scorer"] == PEOPLE) & frame["queue"].notna() & ~frame["queue"].isin(ESTIMATE_QUEUES)
    return chosen.fillna(False).astype(bool)


def select_scorer(frame: pd.DataFrame, scorer: str) -> pd.DataFrame:
    """Return one row for each video as one scorer sees it.

    The column ``state`` is ``scored``, or says why a video is left out. ``job`` and ``item`` number the videos and the
    questions. Of a video that several people labelled, ``success`` is the share of labels that are 4 or 5 and ``value``
    their mean. Labels of videos that were chosen, and scores whose run was removed, are not part of it.
    """
    import pandas as pd

    frame = frame[frame["reason"].fillna("") != REASONS["without_run"]]
    frame = frame.assign(
        job=frame.groupby(JOB, sort=False, dropna=False).ngroup(),
        item=frame.groupby(ITEM, sort=False, dropna=False).ngroup(),
    )
    is_own = (frame["scorer"] == scorer).fillna(False).astype(bool) & ~is_chosen(frame)
    own, rest = frame[is_own], frame[~is_own]
    rest = rest[~rest["job"].isin(own["job"])].drop_duplicates("job")
    has_video = (rest["status"].fillna("success") == "success").to_numpy(bool)
    state = pd.Series(SCORED, index=own.index, dtype=object)
    state[own["value"].isna()] = UNSCORED
    state[~own["is_current"].fillna(True).astype(bool)] = OUTDATED
    missing = pd.Series([NOT_SCORED if video else WITHOUT_VIDEO for video in has_video], index=rest.index, dtype=object)
    # What another scorer said of a video is not part of this scorer's table.
    rest = rest.assign(value=float("nan"), success=float("nan"), failure_mode=pd.NA).astype({"failure_mode": "string"})
    own = _merge_people(own.assign(state=state).astype({"value": "float64", "success": "float64"}))
    return pd.concat([own, rest.assign(state=missing)])


def _merge_people(own: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each video: the mean of its labels."""
    if not own["job"].duplicated().any():
        return own
    is_scored = own["state"] == SCORED
    means = own[is_scored].groupby("job")[["value", "success"]].mean()
    first = own.iloc[(~is_scored).argsort(kind="stable")].drop_duplicates("job")
    merged = first["job"].isin(means.index)
    columns = {name: first[name].where(~merged, first["job"].map(means[name])) for name in ("value", "success")}
    return first.assign(**columns)


def count_left_out(videos: pd.DataFrame) -> LeftOut:
    """Return the numbers of left-out videos among rows of ``select_scorer``."""
    rest = videos.drop_duplicates("job")["state"].value_counts()
    states: Sequence[str] = (UNSCORED, OUTDATED, NOT_SCORED, WITHOUT_VIDEO)
    return LeftOut(*(int(rest.get(state, 0)) for state in states))
