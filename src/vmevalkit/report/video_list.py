"""The videos of an experiment by question, from the tidy table: what is copied, and what the pages show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vmevalkit.report.media_files import QuestionSource, VideoSource
from vmevalkit.results.selection import BASELINE
from vmevalkit.store import layout

if TYPE_CHECKING:
    import pandas as pd

NOISE = "noise"
"""The baseline whose videos are not copied."""
Row = dict[str, Any]
"""A row of the tidy table with None for everything that is missing."""


@dataclass(frozen=True, slots=True)
class VideoRows:
    """All rows of one video: one for each scorer and annotator."""

    model: str
    sample: int
    rows: tuple[Row, ...]

    @property
    def first(self) -> Row:
        return self.rows[0]

    @property
    def video(self) -> str | None:
        """Path of the video; None where the run has none."""
        return next((row["video"] for row in self.rows if row["video"]), None)


@dataclass(frozen=True, slots=True)
class QuestionRows:
    """One question and its videos."""

    domain: str
    question: str
    digest: str
    """Digest of the puzzle; empty where it is not known."""
    videos: tuple[VideoRows, ...]

    @property
    def first(self) -> Row:
        return self.videos[0].first

    @property
    def folder(self) -> str | None:
        """Folder of the question's files; None where no row names one."""
        return next(
            (row["question_folder"] for video in self.videos for row in video.rows if row["question_folder"]), None
        )


def list_questions(frame: pd.DataFrame) -> Iterator[QuestionRows]:
    """Yield every question with its videos, in the order of the table.

    Rows are made when their question comes, so memory does not hold the table twice.
    """
    import pandas as pd

    keys = frame[["domain", "question", "puzzle_digest"]].fillna("")
    groups: dict[tuple[str, str, str], list[int]] = {}
    for place, key in enumerate(keys.itertuples(index=False, name=None)):
        groups.setdefault(key, []).append(place)
    order = sorted(groups, key=lambda key: (layout.natural_key(key[0]), layout.natural_key(key[1]), key[2]))
    names = list(frame.columns)
    columns = [frame[name].array for name in names]
    objects = {name for name in names if frame[name].dtype == object}

    def read(place: int) -> Row:
        cells = ((name, column[place]) for name, column in zip(names, columns, strict=True))
        return {name: cell if name in objects else None if pd.isna(cell) else cell for name, cell in cells}

    for domain, question, digest in order:
        videos: dict[tuple[str, int], list[Row]] = {}
        for place in groups[domain, question, digest]:
            row = read(place)
            videos.setdefault((row["model"], int(row["sample"])), []).append(row)
        yield QuestionRows(
            domain, question, digest, tuple(VideoRows(*job, tuple(rows)) for job, rows in videos.items())
        )  # fmt: skip


def find_media(question: QuestionRows, evaluations: Path) -> QuestionSource:
    """Return what is copied for a question."""
    place = f"{layout.domain_folder(question.domain)}/{layout.folder_name(question.question)}"
    stem = f"{place}-{question.digest[:8]}" if question.digest else place
    return QuestionSource(
        stem, question.folder, tuple(_find_video(question, each, evaluations) for each in question.videos)
    )


def _find_video(question: QuestionRows, video: VideoRows, evaluations: Path) -> VideoSource:
    place = f"{layout.folder_name(video.model)}/{layout.domain_folder(question.domain)}"
    name = layout.folder_name(question.question) + (f"-sample{video.sample}" if video.sample else "")
    digest = next((row["video_digest"] for row in video.rows if row["video_digest"]), "")
    strips = tuple(
        (row["scorer"], str(strip))
        for row in video.rows
        if row["scorer"] and (strip := layout.evidence_file(find_score_file(row, evaluations))).is_file()
    )
    is_noise = video.first["family"] == BASELINE and video.model.partition("+")[0] == NOISE
    stem = f"{place}/{name}-{digest[:12]}" if digest else f"{place}/{name}"
    is_elsewhere = all(row["run_id"] is None for row in video.rows)
    return VideoSource(stem, video.video, strips, is_noise, digest if is_elsewhere else None)


def find_score_file(row: Row, evaluations: Path) -> Path:
    """Return the path of the score file that a row was read from."""
    job = layout.job_folder(evaluations, row["experiment"], row["model"], row["domain"], row["question"])
    return layout.score_file(layout.sample_folder(job, int(row["sample"])), row["scorer"], row["annotator"])
