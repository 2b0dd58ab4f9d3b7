"""The labels of each video by each scorer, side by side: rules, judges, and people together as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from vmevalkit.core.records import SUCCESS
from vmevalkit.core.scorer import PEOPLE, RULES
from vmevalkit.results.selection import JOB, is_chosen

if TYPE_CHECKING:
    import pandas as pd

Aspect = Literal["success", "solved", "process"]


@dataclass(frozen=True, slots=True)
class VideoLabel:
    """What one scorer says of one video; people together are one scorer."""

    values: tuple[int, ...]
    """From 1 to 5: one of a scorer, one of each person."""
    success: float
    """Share of the values that are 4 or 5."""
    solved: float | None = None
    """Share who call the final state right; None where the scorer does not judge it apart."""
    judges_process: bool = True
    """Whether this scorer judges the process."""
    process: float | None = None
    """Share who say that every move is legal and shown; None where the scorer does not judge it."""


@dataclass(frozen=True, slots=True)
class LabelledVideo:
    """One video with the labels of all scorers."""

    model: str
    domain: str
    question: str
    labels: Mapping[str, VideoLabel]
    """By scorer."""


@dataclass(frozen=True, slots=True)
class LabelTable:
    """All videos of some experiments with their labels."""

    videos: tuple[LabelledVideo, ...]
    scorers: tuple[str, ...]
    """Scorers with labels: rules first, then judges, people last."""
    by_person: Mapping[str, Mapping[str, tuple[str, int]]]
    """For each annotator the domain and value by video."""
    chosen: int = 0
    """Labels of people on videos that were chosen, not drawn at random; they are in no label."""
    models: tuple[str, ...] = ()


def collect_labels(frame: pd.DataFrame) -> LabelTable:
    """Return the labels in a tidy table: current scores with a value, without people's labels of chosen videos."""
    current = frame[frame["value"].notna() & frame["is_current"].fillna(True).astype(bool)]
    chosen = is_chosen(current)
    videos: list[LabelledVideo] = []
    by_person: dict[str, dict[str, tuple[str, int]]] = {}
    for job, rows in current[~chosen].groupby(JOB, sort=False, dropna=False):
        _, model, domain, question, _ = job
        labels: dict[str, VideoLabel] = {}
        people = []
        for row in rows.to_dict("records"):
            if row["scorer"] == PEOPLE:
                people.append(row)
                by_person.setdefault(str(row["annotator"]), {})[repr(job)] = (domain, int(row["value"]))
            else:
                labels[row["scorer"]] = _make_label([row])
        if people:
            labels[PEOPLE] = _make_label(people)
        videos.append(LabelledVideo(model, domain, question, labels))
    found = {scorer for video in videos for scorer in video.labels}
    scorers = sorted(found, key=lambda name: (name == PEOPLE, name != RULES, name))
    models = sorted({video.model for video in videos})
    return LabelTable(tuple(videos), tuple(scorers), by_person, int(chosen.sum()), tuple(models))


def _make_label(rows: Sequence[Mapping[str, object]]) -> VideoLabel:
    """Return one scorer's label, or that of several people."""
    values = tuple(int(str(row["value"])) for row in rows)
    successes = [value >= SUCCESS for value in values]
    flags = [_flag(row["solved"]) for row in rows]
    # A person who was not asked about the moves judged the final state.
    is_person = rows[0]["scorer"] == PEOPLE
    solved = [success if flag is None and is_person else flag for flag, success in zip(flags, successes, strict=True)]
    known = [flag for flag in solved if flag is not None]
    process = [float(str(row["process"])) >= 1 for row in rows if _flag(row["process"]) is not None]
    return VideoLabel(
        values,
        sum(successes) / len(successes),
        sum(known) / len(known) if known else None,
        all(_flag(row["passed"]) is not None for row in rows),
        sum(process) / len(process) if process else None,
    )


def _flag(value: object) -> bool | None:
    import pandas as pd

    return None if value is None or pd.isna(value) else bool(value)


def choose_aspect(first: VideoLabel, second: VideoLabel) -> Aspect:
    """Return what two scorers can be compared on: the final state where one of them does not judge the process."""
    if first.judges_process and second.judges_process:
        return "success"
    return "solved" if first.solved is not None and second.solved is not None else "success"


def get_share(label: VideoLabel, aspect: Aspect) -> float:
    """Return the share of a scorer's labels that are positive: 0 or 1 of one label, between them of several people."""
    if aspect == "success":
        return label.success
    return (label.solved if aspect == "solved" else label.process) or 0.0
