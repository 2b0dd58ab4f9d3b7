"""The data of the gallery and of the questions' pages, as scripts that call one function.

A page that was opened from a file may not read JSON files, but it may load scripts. So each data file is a call with
JSON as its argument. Files are small and are loaded when they are needed: the gallery works with 10,000 videos.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from vmevalkit.core.errors import StoreError
from vmevalkit.report.media_files import QuestionCopy, VideoCopy
from vmevalkit.report.trace_data import read_timeline
from vmevalkit.report.video_list import QuestionRows, Row, VideoRows, find_score_file
from vmevalkit.store.atomic import write_file
from vmevalkit.store.questions import load_question

DATA = "data"
ROWS_PER_FILE = 1000
"""Videos in one file of the gallery."""
VIDEOS_PER_FILE = 60
"""Videos after which a file of questions ends."""


@dataclass
class NameTable:
    """Names and their numbers, so that rows repeat numbers and not names."""

    names: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    def number(self, name: str) -> int:
        if name not in self.numbers:
            self.numbers[name] = len(self.names)
            self.names.append(name)
        return self.numbers[name]


class GalleryWriter:
    """Writes the data files while questions come one by one. Memory holds one file of each kind."""

    def __init__(self, out: Path, evaluations: Path, models: Sequence[str], scorers: Sequence[str]) -> None:
        self._out, self._evaluations = out, evaluations
        self._models, self._domains = NameTable(), NameTable()
        self._judges, self._modes, self._levels, self._tags = NameTable(), NameTable(), NameTable(), NameTable()
        self._prompts = NameTable()
        for model in models:
            self._models.number(model)
        for scorer in scorers:
            self._judges.number(scorer)
        self._questions: list[list[Any]] = []
        self._rows: list[list[Any]] = []
        self._details: list[dict[str, Any]] = []
        self._files, self._row_count = {"videos": 0, "questions": 0}, 0
        self._ids: set[str] = set()
        self.size = 0
        """Bytes written so far."""

    def add(self, question: QuestionRows, copy: QuestionCopy) -> str:
        """Add a question with all its videos. Returns its key in URLs."""
        number = len(self._questions)
        first = question.first
        texts = _read_texts(question.folder)
        key = f"{question.domain}/{question.question}"
        if key in self._ids:  # the question was replaced during the experiment
            key = f"{key}~{question.digest[:8]}"
        self._ids.add(key)
        self._questions.append(
            [
                self._domains.number(question.domain),
                key,
                self._files["questions"],
                self._prompts.number(texts[0]),
                self._levels.number(first["difficulty"] or ""),
                [self._tags.number(tag) for tag in first["tags"] or ()],
            ]
        )
        for video, files in zip(question.videos, copy.videos, strict=True):
            self._rows.append(self._make_row(number, video, files))
            if len(self._rows) == ROWS_PER_FILE:
                self._flush_rows()
        self._details.append(self._make_detail(key, question, copy, texts))
        if sum(len(each["videos"]) for each in self._details) >= VIDEOS_PER_FILE:
            self._flush_details()
        return key

    def finish(self, about: dict[str, Any]) -> None:
        """Write what is left, and the index last: it names the number of files."""
        self._flush_rows()
        self._flush_details()
        self._write(
            "index",
            {
                **about,
                "models": self._models.names,
                "domains": self._domains.names,
                "judges": self._judges.names,
                "modes": self._modes.names,
                "levels": self._levels.names,
                "tags": self._tags.names,
                "prompts": self._prompts.names,
                "questions": self._questions,
                "files": self._files,
                "videos": self._row_count,
            },
        )

    def _make_row(self, number: int, video: VideoRows, files: VideoCopy) -> list[Any]:
        width, height = files.size or (16, 9)
        return [
            number,
            self._models.number(video.model),
            video.sample,
            files.thumb or 0,
            files.video or 0,
            round(width / height, 3),
            [self._make_verdict(row) for row in video.rows if row["scorer"]],
            "" if any(row["value"] is not None for row in video.rows) else video.first["reason"] or files.problem or "",
        ]

    def _make_verdict(self, row: Row) -> list[Any]:
        judge = row["scorer"] if row["annotator"] is None else f"{row['scorer']} · {row['annotator']}"
        passed = row["passed"] if row["passed"] is not None else row["success"]
        return [
            self._judges.number(judge),
            row["value"] and int(row["value"]),
            -1 if passed is None or row["value"] is None else int(passed),
            self._modes.number(row["failure_mode"] or ""),
            -1 if row["outcome"] is None else round(float(row["outcome"]), 3),
            (row["explanation"] if row["value"] is not None else row["reason"]) or "",
        ]

    def _make_detail(
        self, key: str, question: QuestionRows, copy: QuestionCopy, texts: tuple[str, str | None]
    ) -> dict[str, Any]:
        first = question.first
        return {
            "key": key,
            "prompt": texts[0],
            "goal": texts[1],
            "first": copy.first_frame,
            "final": copy.final_frame,
            "size": copy.frame_size,
            "difficulty": first["difficulty"],
            "tags": first["tags"] or [],
            "params": first["params"] or {},
            "videos": [
                self._describe_video(video, files) for video, files in zip(question.videos, copy.videos, strict=True)
            ],
        }

    def _describe_video(self, video: VideoRows, files: VideoCopy) -> dict[str, Any]:
        first = video.first
        return {
            "model": video.model,
            "sample": video.sample,
            "video": files.video,
            "thumb": files.thumb,
            "strips": files.strips,
            "fps": files.fps,
            "seconds": files.seconds,
            "size": files.size,
            "problem": files.problem,
            "note": files.note,
            "status": first["status"],
            "variant": first["prompt_variant"],
            "cost": first["cost_usd"],
            "took": first["seconds"],
            "reason": None if any(row["value"] is not None for row in video.rows) else first["reason"],
            "verdicts": [self._describe_verdict(row) for row in video.rows if row["scorer"]],
        }

    def _describe_verdict(self, row: Row) -> dict[str, Any]:
        names = (
            "scorer", "annotator", "value", "solved", "passed", "outcome", "process", "failure_mode", "metrics",
            "findings", "explanation", "solved_at_s", "held_s", "first_violation_s", "reason", "scorer_version",
        )  # fmt: skip
        timeline = read_timeline(find_score_file(row, self._evaluations)) if row["value"] is not None else None
        return {name: row[name] for name in names} | {"timeline": timeline}

    def _flush_rows(self) -> None:
        if self._rows:
            self._write(f"videos-{self._files['videos']:03d}", self._rows)
            self._files["videos"] += 1
            self._row_count += len(self._rows)
            self._rows = []

    def _flush_details(self) -> None:
        if self._details:
            self._write(f"questions-{self._files['questions']:03d}", self._details)
            self._files["questions"] += 1
            self._details = []

    def _write(self, name: str, content: Any) -> None:
        text = orjson.dumps(content, default=_plain, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY)
        data = b"vmevalkitData(" + orjson.dumps(name) + b"," + text + b");\n"
        write_file(self._out / DATA / f"{name}.js", data)
        self.size += len(data)


def _read_texts(folder: str | None) -> tuple[str, str | None]:
    """Return the prompt and the goal in words; empty where the question's files are gone."""
    if folder is None:
        return "", None
    try:
        question = load_question(folder)
    except StoreError:  # the page still has the verdicts
        return "", None
    return question.prompt, question.goal


def _plain(value: Any) -> Any:
    """Return what JSON has no type for as text or a plain number."""
    if hasattr(value, "item"):
        return value.item()
    return str(value)
