"""The tidy table: one row for each score, each run without a video and each video without a score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vmevalkit.core.errors import UnknownName
from vmevalkit.core.records import SUCCESS
from vmevalkit.results.columns import make_frame
from vmevalkit.results.entries import FILES, VERDICT, Entry
from vmevalkit.results.reader import ExperimentReader, FoundRun, FoundScore
from vmevalkit.results.scan import JobPlace, list_experiments
from vmevalkit.results.verdicts import ScoreState
from vmevalkit.store import layout
from vmevalkit.store.runs import question_in

if TYPE_CHECKING:
    import pandas as pd

Row = dict[str, Any]

NOT_SCORED = "the video is not scored yet"
REASONS: dict[ScoreState, str] = {
    "outdated": "the score is on an earlier video or puzzle; score again",
    "without_run": "the run of this score was removed",
}
"""Why a score does not count."""

_VERDICT = (*VERDICT, "metrics", "findings", "solved_at_s", "held_s", "first_violation_s")
_RUN = ("family", "status", "cost_usd", "seconds")
_QUESTION_IN_RUN = str(question_in(Path()))
_PUZZLE = ("group", "difficulty", "params", "tags", "pattern_tags", "rule_type", "level", "rule")


def load_results(
    *experiments: str, outputs: Path | str = layout.OUTPUTS, evaluations: Path | str = layout.EVALUATIONS
) -> pd.DataFrame:
    """Return the tidy table of some experiments; of all where none is named.

    Each score is a row, with its run and its puzzle. ``value`` and the rest of the verdict are missing where a score
    does not count, where a run has no video and where a video has no score; ``reason`` says why. What was read is
    cached beside the scores, and only files that changed are read again.
    """
    outputs, evaluations = Path(outputs), Path(evaluations)
    known = list_experiments(outputs, evaluations)
    for name in experiments:
        if name not in known:
            raise UnknownName("experiment", name, known, f"in {outputs} or {evaluations}")
    import pandas as pd

    frames = [_read_frame(name, outputs, evaluations) for name in dict.fromkeys(experiments or known)]
    if len(frames) == 1:
        return frames[0]
    return pd.concat(frames, ignore_index=True) if frames else make_frame([])


def _read_frame(experiment: str, outputs: Path, evaluations: Path) -> pd.DataFrame:
    reader = ExperimentReader(experiment, outputs, evaluations)
    frame = make_frame(_read_rows(reader, experiment))
    reader.save_cache()
    return _sort(frame)


def _read_rows(reader: ExperimentReader, experiment: str) -> Iterator[Row]:
    runs = reader.read_runs()
    scored_jobs = set()
    for score in reader.read_scores(runs):
        if score.run is not None:
            scored_jobs.add((score.file.place, score.file.sample))
        yield {**_make_score_row(reader, score), "experiment": experiment}
    for job, run in runs.items():
        if job not in scored_jobs:
            yield {**_make_run_row(reader, run), "experiment": experiment}


def _make_score_row(reader: ExperimentReader, score: FoundScore) -> Row:
    file, entry = score.file, score.entry
    row = _make_job(file.place, file.sample)
    row |= {
        "scorer": file.evaluator,
        "annotator": file.annotator,
        "queue": entry["queue"],
        "is_current": score.state == "current",
        "explanation": entry["explanation"],
        "run_id": entry["run_id"],
        "video_digest": entry["video_digest"],
        "puzzle_digest": entry["puzzle_digest"],
        "scorer_version": entry["version"],
        "timestamp": entry["timestamp"],
    }
    if score.state == "current":
        row |= _make_verdict(entry)
        folder = file.path.rpartition("/")[0]  # here strings cost a tenth of paths
        row |= {name: f"{folder}/{entry[name]}" for name in FILES if entry[name]}
    else:
        row["reason"] = REASONS[score.state]
    if score.run is not None:
        return row | _describe_run(reader, score.run)
    if entry["video"]:  # relative to the score, so that both can be moved together
        row["video"] = str(Path(file.path).parent / entry["video"])
    if (question := reader.find_question_of_score(score)) is not None:
        row["question_folder"] = str(question)
    return row | _describe_puzzle(reader.read_question_of_score(score))


def _make_verdict(entry: Entry) -> Row:
    value = entry["value"]
    verdict = {name: entry[name] for name in _VERDICT}
    if value is None:
        return verdict | {"reason": entry["explanation"] or "the scorer gave no value"}
    return verdict | {"value": value, "success": value >= SUCCESS}


def _make_run_row(reader: ExperimentReader, run: FoundRun) -> Row:
    """Return the row of a run without a video, or of a video without a score."""
    entry = run.entry
    reason = NOT_SCORED if run.video else f"no video, {entry['status']}: {entry.get('error') or 'unknown reason'}"
    return {
        **_make_job(run.file.place, entry["sample"]),
        "reason": reason,
        "run_id": run.file.run_id,
        "video_digest": entry.get("video_digest"),
        "puzzle_digest": entry.get("question_digest"),
        **_describe_run(reader, run),
    }


def _make_job(place: JobPlace, sample: int) -> Row:
    return {**place._asdict(), "sample": sample, "metrics": {}, "findings": []}


def _describe_run(reader: ExperimentReader, run: FoundRun) -> Row:
    entry = run.entry
    return {
        **{name: entry.get(name) for name in _RUN},
        "prompt_variant": entry.get("prompt_variant") or "default",
        "video": run.video,
        "question_folder": f"{run.file.folder}/{_QUESTION_IN_RUN}",
        **_describe_puzzle(reader.read_question_of_run(run)),
    }


def _describe_puzzle(entry: Entry | None) -> Row:
    if entry is None:
        return {"params": {}, "tags": [], "pattern_tags": []}
    return {name: entry[name] for name in _PUZZLE}


def _sort(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows by model, domain, question, sample, scorer and annotator; ``maze_2`` is before ``maze_10``."""
    ranks = [frame[name].map(_ranks(frame[name])) for name in JobPlace._fields]
    names = [frame[name].fillna("").astype(object) for name in ("scorer", "annotator")]
    keys = list(zip(*ranks, frame["sample"], *names, strict=True))
    return frame.iloc[sorted(range(len(keys)), key=keys.__getitem__)].reset_index(drop=True)


def _ranks(names: Iterable[str]) -> dict[str, int]:
    return {name: rank for rank, name in enumerate(sorted(set(names), key=layout.natural_key))}
