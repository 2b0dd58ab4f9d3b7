"""Videos that were made elsewhere, and which question each of them answers.

A folder maps its videos by their names, a CSV file by its columns. This is the only reader of such maps.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vmevalkit.core.errors import StoreError, UsageError
from vmevalkit.core.records import Question
from vmevalkit.store import layout

VIDEO_SUFFIXES = (".mp4", ".mov", ".mkv", ".webm", ".avi", ".m4v")
COLUMNS = ("path", "question", "model", "sample")
"""Columns of a CSV map. ``path`` and ``question`` are required; ``question`` is an id or ``domain/id``."""

_SAMPLE = re.compile(r"sample[_-]?(\d+)", re.IGNORECASE)
_SEPARATORS = "_-. "

QuestionsById = Mapping[str, Sequence[Question]]


@dataclass(frozen=True, slots=True)
class MappedVideo:
    """One video with the question that it answers."""

    path: Path
    question: Question
    model: str
    sample: int = 0


@dataclass(frozen=True, slots=True)
class VideoMap:
    """The videos of a folder or of a CSV file."""

    videos: tuple[MappedVideo, ...]
    unmatched: tuple[str, ...] = ()
    """Videos that match no question, each with the reason."""


def read_video_map(source: Path, questions: Sequence[Question], model: str | None) -> VideoMap:
    """Return the videos of a folder, or those that a CSV file lists.

    In a folder a video is named after its question: ``maze_0007.mp4``, ``maze_0007_seed3.mp4`` or
    ``maze_0007/anything.mp4``. Several videos of a question are its samples, by ``sampleK`` in their names or in the
    order of their names. ``model`` is the model of all videos of a folder, and of CSV rows without one.
    """
    by_id: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        by_id[question.id].append(question)
    if source.is_dir():
        if model is None:
            raise UsageError(f"the videos in {source} need the name of their model: --name MODEL")
        found = _map_folder(source, by_id, model)
    elif source.is_file() and source.suffix.lower() == ".csv":
        found = VideoMap(tuple(_read_csv(source, by_id, model)))
    else:
        raise UsageError(f"{source} is neither a folder with videos nor a CSV file that lists them")
    _refuse_repeats(found.videos)
    return found


def _map_folder(folder: Path, by_id: QuestionsById, model: str) -> VideoMap:
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() in VIDEO_SUFFIXES and path.is_file())
    matched: dict[tuple[str, str], list[tuple[Path, Question]]] = defaultdict(list)
    unmatched = []
    for path in paths:
        question = _find_question(path, folder, by_id)
        if question is None:
            unmatched.append(
                f"{path.relative_to(folder)}: neither its name nor its folder's begins with a question's id"
            )
        else:
            matched[question.domain, question.id].append((path, question))
    videos = [
        MappedVideo(path, question, model, sample)
        for group in matched.values()
        for (path, question), sample in zip(group, _number_samples([path for path, _ in group]), strict=True)
    ]
    return VideoMap(tuple(videos), tuple(unmatched))


def _find_question(path: Path, root: Path, by_id: QuestionsById) -> Question | None:
    """Return the question whose id is the video's name or begins it, or is the name of its folder."""
    name = _longest_id(path.stem, by_id) or _longest_id(path.parent.name if path.parent != root else "", by_id)
    return None if name is None else _choose_domain(path, root, by_id[name])


def _longest_id(stem: str, by_id: QuestionsById) -> str | None:
    if stem in by_id:
        return stem
    ends = [end for end in range(len(stem) - 1, 0, -1) if stem[end] in _SEPARATORS and stem[:end] in by_id]
    return stem[: ends[0]] if ends else None


def _choose_domain(path: Path, root: Path, candidates: Sequence[Question]) -> Question:
    if len(candidates) == 1:
        return candidates[0]
    folders = {root.absolute().name, *path.relative_to(root).parent.parts}
    fitting = [question for question in candidates if layout.domain_folder(question.domain) in folders]
    if len(fitting) != 1:
        wanted = " or ".join(layout.domain_folder(question.domain) for question in candidates)
        raise UsageError(
            f"{path} may answer any of {len(candidates)} questions with the id {candidates[0].id!r}; "
            f"put it in a folder {wanted}"
        )
    return fitting[0]


def _number_samples(paths: Sequence[Path]) -> list[int]:
    """Number the videos of one question: by ``sampleK`` in all of their names, else by the order of the names."""
    named = [_SAMPLE.search(path.stem) for path in paths]
    numbers = [int(match[1]) for match in named if match]
    return numbers if len(numbers) == len(paths) and len(set(numbers)) == len(paths) else list(range(len(paths)))


def _read_csv(source: Path, by_id: QuestionsById, model: str | None) -> Iterator[MappedVideo]:
    try:
        with source.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            unknown = [name for name in reader.fieldnames or () if name not in COLUMNS]
            lacking = [name for name in COLUMNS[:2] if name not in (reader.fieldnames or ())]
            if unknown or lacking:
                problem = f"has the unknown column {unknown[0]!r}" if unknown else f"has no column {lacking[0]!r}"
                raise UsageError(f"{source} {problem}; its columns are {', '.join(COLUMNS)}")
            for row in reader:
                yield _parse_row(row, f"{source}, line {reader.line_num}", source.parent, by_id, model)
    except OSError as error:
        raise StoreError(f"cannot read {source}: {error.strerror}") from error
    except (csv.Error, UnicodeDecodeError) as error:
        raise UsageError(f"{source} is not a CSV file: {error}") from error


def _parse_row(
    row: Mapping[str, str | None], place: str, base: Path, by_id: QuestionsById, model: str | None
) -> MappedVideo:
    path = base / (row.get("path") or "")
    if not path.is_file():
        raise UsageError(f"{place}: there is no video {path}")
    name = row.get("model") or model
    if not name:
        raise UsageError(f"{place}: no model is given; add a column model, or --name MODEL for all")
    sample = row.get("sample") or "0"
    if not sample.isdecimal():
        raise UsageError(f"{place}: the sample is {sample!r}; write a whole number from 0 on")
    return MappedVideo(path, _question_of_row(row.get("question") or "", place, by_id), name, int(sample))


def _question_of_row(text: str, place: str, by_id: QuestionsById) -> Question:
    domain, slash, name = text.rpartition("/")
    candidates = [question for question in by_id.get(name, ()) if not slash or question.domain == domain]
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        raise UsageError(f"{place}: no question has the id {text!r}")
    choices = " or ".join(f"{question.domain}/{question.id}" for question in candidates)
    raise UsageError(f"{place}: several questions have the id {text!r}; write {choices}")


def _refuse_repeats(videos: Sequence[MappedVideo]) -> None:
    seen: dict[tuple[str, str, str, int], Path] = {}
    for video in videos:
        key = (video.model, video.question.domain, video.question.id, video.sample)
        other = seen.setdefault(key, video.path)
        if other != video.path:
            raise UsageError(
                f"two videos are sample {video.sample} of {video.model} on {video.question.id}: {other} and "
                f"{video.path}; number the samples or remove one"
            )
