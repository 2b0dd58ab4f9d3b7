"""The videos of a table as one scorer sees them: each scored, or left out for a reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vmevalkit.core.errors import UnknownName
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


def keep_scorer(frame: pd.DataFrame, scorer: str) -> pd.DataFrame:
    """Return the rows of one scorer, and those of runs and videos that no scorer has scored."""
    require_name(frame, "scorer", scorer)
    return frame[(frame["scorer"] == scorer).fillna(True).astype(bool)]


def select_scorer(frame: pd.DataFrame, scorer: str) -> pd.DataFrame:
    """Return the rows of one scorer and one row for each other video.

    The column ``state`` is ``scored``, or says why a video is left out. ``job`` and ``item`` number the videos and the
    questions.
    Scores whose run was removed are not part of it.
    """
    import pandas as pd

    frame = frame[frame["reason"].fillna("") != REASONS["without_run"]]
    frame = frame.assign(
        job=frame.groupby(JOB, sort=False, dropna=False).ngroup(),
        item=frame.groupby(ITEM, sort=False, dropna=False).ngroup(),
    )
    is_own = (frame["scorer"] == scorer).fillna(False).astype(bool)
    own, rest = frame[is_own], frame[~is_own]
    rest = rest[~rest["job"].isin(own["job"])].drop_duplicates("job")
    has_video = (rest["status"].fillna("success") == "success").to_numpy(bool)
    state = pd.Series(SCORED, index=own.index, dtype=object)
    state[own["value"].isna()] = UNSCORED
    state[~own["is_current"].fillna(True).astype(bool)] = OUTDATED
    missing = pd.Series([NOT_SCORED if video else WITHOUT_VIDEO for video in has_video], index=rest.index, dtype=object)
    # What another scorer said of a video is not part of this scorer's table.
    rest = rest.assign(value=pd.NA, success=pd.NA, failure_mode=pd.NA).astype(
        {"value": "Int64", "success": "boolean", "failure_mode": "string"}
    )
    return pd.concat([own.assign(state=state), rest.assign(state=missing)])


def count_left_out(videos: pd.DataFrame) -> LeftOut:
    """Return the numbers of left-out videos among rows of ``select_scorer``. A video that one person scored counts."""
    scored = set(videos.loc[videos["state"] == SCORED, "job"])
    rest = videos[~videos["job"].isin(scored)].drop_duplicates("job")["state"].value_counts()
    states: Sequence[str] = (UNSCORED, OUTDATED, NOT_SCORED, WITHOUT_VIDEO)
    return LeftOut(*(int(rest.get(state, 0)) for state in states))
