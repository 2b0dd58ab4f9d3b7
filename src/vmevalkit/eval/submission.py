"""Submissions to a leaderboard: a model's videos with their digests, scores and versions, which anybody can check.

A submission is a folder: ``submission.json`` and the videos that it names. The checker has the
questions, compares every digest, scores a random sample of the videos again, and compares the verdicts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from vmevalkit import __version__
from vmevalkit.core.errors import StoreError, UsageError
from vmevalkit.core.jsonable import from_json, to_json
from vmevalkit.core.records import Placement, Question, Score
from vmevalkit.core.scorer import RULES
from vmevalkit.eval.api import score_video
from vmevalkit.store import layout
from vmevalkit.store.atomic import file_digest, new_folder, write_file
from vmevalkit.store.foreign_file import copy_foreign_file, join_inside, open_foreign_file
from vmevalkit.store.made_elsewhere import read_videos_elsewhere
from vmevalkit.store.questions import load_questions, question_digest
from vmevalkit.store.records import read_record, record_bytes
from vmevalkit.store.runs import find_runs
from vmevalkit.store.scores import Scored, load_score, load_scores, score_file

SUBMISSION, FORMAT = "submission.json", 1
COMPARED = ("value", "passed", "solved", "failure_mode")
"""Fields of a score that must be the same when it is made again."""


@dataclass(frozen=True, slots=True)
class SubmittedVideo:
    """One video of a submission."""

    domain: str
    question: str
    sample: int
    file: str
    """Path of the video inside the folder."""
    video_digest: str
    question_digest: str
    score: Mapping[str, Any]
    """The fields of ``COMPARED``, with ``version``, the scorer's."""
    placement: Placement | None = None
    """Where the model's input image stood on its canvas, where the run knows it."""


@dataclass(frozen=True, slots=True)
class Verification:
    """What the check of a submission found."""

    model: str
    videos: int
    rescored: int
    problems: tuple[str, ...]
    """What is missing, was changed, or is scored otherwise here."""


def write_submission(experiment: str, model: str, out: Path | str, outputs: Path, evaluations: Path) -> int:
    """Write the submission of a model into a new folder. Returns the number of videos.

    Raises UsageError where a video has no score by rules, or an older one: a submission is complete."""
    runs = [run for run in find_runs(outputs, experiment, [model]) if run.video is not None]
    elsewhere = [
        scored
        for scored in _load_scores(evaluations, experiment)
        if scored.model == model and scored.evaluator == RULES
    ]
    if not runs and all(scored.video is None for scored in elsewhere):
        raise UsageError(f"{experiment} has no videos of {model}; name a model of the experiment: --submit MODEL")
    with new_folder(Path(out)) as aside:
        lines = []
        for run in runs:
            assert run.video is not None
            path = score_file(evaluations, experiment, model, run.domain, run.question_id, RULES, sample=run.sample)
            scored = load_score(path)
            if scored is None or not scored.is_of(run):
                raise UsageError(
                    f"the video of {model} on {run.question_id} has no score; score first: "
                    f"vmevalkit score --experiment {experiment} --model {model}"
                )
            file = _place_video(aside, run.domain, run.question_id, run.sample, run.video.suffix)
            copy_foreign_file(run.folder, run.video.relative_to(run.folder), aside / file)
            lines.append(
                SubmittedVideo(
                    run.domain, run.question_id, run.sample, file, file_digest(aside / file),
                    run.question_digest or "", _describe_score(scored.score), run.placement,
                )
            )  # fmt: skip
        lines += _copy_videos_elsewhere(elsewhere, {(run.domain, run.question_id, run.sample) for run in runs}, aside)
        record = {"format": FORMAT, "vmevalkit": __version__, "model": model, "scorer": RULES, "videos": to_json(lines)}
        write_file(aside / SUBMISSION, record_bytes(record))
    return len(lines)


def _load_scores(evaluations: Path, experiment: str) -> list[Scored]:
    has_scores = layout.experiment_folder(evaluations, experiment).is_dir()
    return load_scores(evaluations, experiment) if has_scores else []


def _copy_videos_elsewhere(
    scores: Iterable[Scored], known: Collection[tuple[str, str, int]], aside: Path
) -> Iterator[SubmittedVideo]:
    """Copy the videos that were scored in a folder of their own; they have no run."""
    others = (each for each in scores if (each.domain, each.question_id, each.sample) not in known)
    for video in read_videos_elsewhere(others):
        scored = video.scored
        file = _place_video(aside, scored.domain, scored.question_id, scored.sample, video.suffix)
        write_file(aside / file, video.content)
        yield SubmittedVideo(
            scored.domain, scored.question_id, scored.sample, file, file_digest(aside / file),
            scored.puzzle_digest or "", _describe_score(scored.score),
        )  # fmt: skip


def _place_video(aside: Path, domain: str, question: str, sample: int, suffix: str) -> str:
    """Return the name of a video's copy, whose folder exists then."""
    name = layout.folder_name(question) + (f"-sample{sample}" if sample else "")
    file = f"videos/{layout.domain_folder(domain)}/{name}{suffix}"
    (aside / file).parent.mkdir(parents=True, exist_ok=True)
    return file


def verify_submission(folder: Path | str, questions: Path, sample: int, seed: int) -> Verification:
    """Check a submission against one's own questions: every digest, and the scores of a random sample of its videos."""
    place = Path(folder)
    model, lines = _read_submission(place)
    own = {(question.domain, question.id): question for question in load_questions(questions)}
    chosen = set(Random(seed).sample(range(len(lines)), min(sample, len(lines))))
    problems: list[str] = []
    rescored = 0
    for number, line in enumerate(lines):
        found = list(_check_files(place, line, own))
        problems += found
        if number in chosen and not found:
            rescored += 1
            score = score_video(own[line.domain, line.question], place / line.file, placement=line.placement)
            problems += _compare(line, _describe_score(score))
    missing = own.keys() - {(line.domain, line.question) for line in lines}
    problems += [f"{domain}/{name}: the submission has no video" for domain, name in sorted(missing)]
    return Verification(model, len(lines), rescored, tuple(problems))


def _read_submission(place: Path) -> tuple[str, Sequence[SubmittedVideo]]:
    open_foreign_file(place, SUBMISSION).close()  # not a link that leads elsewhere
    record = read_record(place / SUBMISSION) or {}
    try:
        if record["format"] != FORMAT:
            raise ValueError(f"its format is {record['format']!r}, and this version reads {FORMAT}")
        lines = [from_json(SubmittedVideo, line) for line in record["videos"]]
        keys = {(line.domain, line.question, line.sample) for line in lines}
        if len(keys) < len(lines):
            raise ValueError("it has two videos of one question and sample")
        return str(record["model"]), lines
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"{place / SUBMISSION} is not a submission ({error}); write it with --submit") from error


def _check_files(place: Path, line: SubmittedVideo, own: Mapping[tuple[str, str], Question]) -> Iterator[str]:
    name = f"{line.domain}/{line.question}" + (f" sample {line.sample}" if line.sample else "")
    question = own.get((line.domain, line.question))
    if question is None:
        yield f"{name}: there is no such question here"
    elif question_digest(question) != line.question_digest:
        yield f"{name}: the video was made for another question of this name"
    try:
        join_inside(place, line.file)
        open_foreign_file(place, line.file).close()
    except (StoreError, ValueError, OSError) as error:
        yield f"{name}: the video cannot be read ({error})"
        return
    if file_digest(place / line.file) != line.video_digest:
        yield f"{name}: the video is not the one that was scored"


def _compare(line: SubmittedVideo, score: Mapping[str, Any]) -> Iterator[str]:
    name = f"{line.domain}/{line.question}" + (f" sample {line.sample}" if line.sample else "")
    if line.score.get("version") != score["version"]:
        yield f"{name}: scored by version {line.score.get('version')} of the scorer, and here is {score['version']}"
        return
    for field in COMPARED:
        if line.score.get(field) != score[field]:
            yield f"{name}: {field} is {line.score.get(field)!r} in the submission and {score[field]!r} here"


def _describe_score(score: Score) -> dict[str, Any]:
    return {"version": score.version, **{name: getattr(score, name) for name in COMPARED}}
