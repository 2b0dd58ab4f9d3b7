"""The labels of each video by each scorer, side by side: rules, judges, and people together as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import TYPE_CHECKING, Literal

from vmevalkit.core.scorer import PEOPLE, RULES
from vmevalkit.results.selection import JOB

if TYPE_CHECKING:
    import pandas as pd

ESTIMATE_QUEUES = ("sample", "all")
"""Queues of annotation whose videos were drawn at random, or are all videos: only their labels serve estimates."""
Aspect = Literal["success", "solved"]


@dataclass(frozen=True, slots=True)
class VideoLabel:
    """What one scorer says of one video."""

    value: int
    """From 1 to 5; of several people the median."""
    success: bool
    """A value of 4 or 5."""
    solved: bool | None = None
    """Whether the final state is right; None where the scorer does not judge it apart."""
    judges_process: bool = True
    """Whether the way to the answer counts for this scorer."""
    is_random: bool = True
    """Whether the video was chosen for labelling by chance."""


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
    ties: int = 0
    """Videos on which people are divided equally; they have no label of people."""
    models: tuple[str, ...] = ()


def collect_labels(frame: pd.DataFrame) -> LabelTable:
    """Return the labels in a tidy table: current scores with a value."""
    current = frame[frame["value"].notna() & frame["is_current"].fillna(True).astype(bool)]
    videos: list[LabelledVideo] = []
    by_person: dict[str, dict[str, tuple[str, int]]] = {}
    ties = 0
    for job, rows in current.groupby(JOB, sort=False, dropna=False):
        _, model, domain, question, _ = job
        labels: dict[str, VideoLabel] = {}
        people = []
        for row in rows.to_dict("records"):
            if row["scorer"] == PEOPLE:
                people.append(row)
                by_person.setdefault(str(row["annotator"]), {})[repr(job)] = (domain, int(row["value"]))
            else:
                labels[row["scorer"]] = _make_label(row)
        if people:
            label = _merge_people(people)
            ties += label is None
            labels |= {} if label is None else {PEOPLE: label}
        videos.append(LabelledVideo(model, domain, question, labels))
    found = {scorer for video in videos for scorer in video.labels}
    scorers = sorted(found, key=lambda name: (name == PEOPLE, name != RULES, name))
    models = sorted({video.model for video in videos})
    return LabelTable(tuple(videos), tuple(scorers), by_person, ties, tuple(models))


def _make_label(row: Mapping[str, object]) -> VideoLabel:
    solved, passed = _flag(row["solved"]), _flag(row["passed"])
    value = int(str(row["value"]))
    return VideoLabel(value, bool(row["success"]), solved, passed is not None)


def _merge_people(rows: Sequence[Mapping[str, object]]) -> VideoLabel | None:
    """Return the majority of several people; None where they are divided equally."""
    successes = [bool(row["success"]) for row in rows]
    if 2 * sum(successes) == len(successes):
        return None
    success = 2 * sum(successes) > len(successes)
    own = [int(str(row["value"])) for row in rows if bool(row["success"]) == success]
    is_random = all(_text(row.get("queue")) in (None, *ESTIMATE_QUEUES) for row in rows)
    return VideoLabel(median_low(own), success, None, True, is_random)


def _flag(value: object) -> bool | None:
    import pandas as pd

    return None if value is None or pd.isna(value) else bool(value)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def choose_aspect(first: VideoLabel, second: VideoLabel) -> Aspect:
    """Return what two scorers can be compared on: the final state alone where one of them does not judge the way."""
    if first.judges_process and second.judges_process:
        return "success"
    return "solved" if first.solved is not None and second.solved is not None else "success"


def get_flag(label: VideoLabel, aspect: Aspect) -> bool:
    return bool(label.solved) if aspect == "solved" else label.success
