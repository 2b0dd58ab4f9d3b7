"""An experiment of any size, written as the commands write it: runs, questions, tiny real videos, scores and traces."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vmevalkit.core.jsonable import to_json
from vmevalkit.core.records import Finding, Score
from vmevalkit.media.image import encode_jpeg, encode_png
from vmevalkit.media.video import write_video
from vmevalkit.store import layout
from vmevalkit.store.records import record_bytes

FPS, FRAMES, SIZE = 12, 24, (96, 64)
MODES = ("none", "partial", "static", "illegal_process", "incorrect_termination", "scene_broken")


@dataclass(frozen=True, slots=True)
class MadeExperiment:
    """What is written, and the texts that are put into it."""

    questions: int
    models: tuple[str, ...] = ("alpha", "beta", "gamma", "static")
    domains: tuple[str, ...] = ("maze", "sudoku", "chess")
    scorers: tuple[str, ...] = ("RuleEvaluator",)
    name: str = "made"
    prompt: str = "Move the dot to the flag."
    explanation: str = "The dot moves through a wall."
    seed: int = 0
    """Another seed makes other puzzles with the same ids."""
    variant: str = "default"
    with_files: bool = True
    """Whether scorers wrote traces and strips."""


def write_experiment(root: Path, made: MadeExperiment) -> None:
    """Write ``outputs`` and ``evaluations`` below ``root``."""
    files = _make_files(root)
    for index in range(made.questions):
        domain = made.domains[index % len(made.domains)]
        question = f"{domain}_{index:04d}"
        metadata = {
            "id": question, "prompt": made.prompt, "domain": domain, "difficulty": ("easy", "hard")[index // 3 % 2],
            "params": {"grid_n": 3 + index % 4}, "seed": made.seed,
            f"{domain}_data": {"solution_length": index % 20, "pattern_tags": [f"tag{index % 5}"]},
            "puzzle": {"index": index, "seed": made.seed}, "generator": {"vmevalkit": "0.1.0", "task": "1"},
        }  # fmt: skip
        for number, model in enumerate(made.models):
            _write_job(root, made, model, domain, question, metadata, (index, number), files)


def _make_files(root: Path) -> dict[str, bytes]:
    """Return the bytes of a short video, of two frames and of a strip."""
    frames = []
    for number in range(FRAMES):
        frame = np.full((SIZE[1], SIZE[0], 3), 240, np.uint8)
        frame[24:40, 2 + 3 * number : 18 + 3 * number] = (20, 120, 60)
        frames.append(frame)
    root.mkdir(parents=True, exist_ok=True)
    path = root / "made.mp4"
    write_video(path, frames, FPS)
    video = path.read_bytes()
    path.unlink()
    return {
        "video": video,
        layout.FIRST_FRAME: encode_png(frames[0]),
        layout.FINAL_FRAME: encode_png(frames[-1]),
        "strip": encode_jpeg(np.concatenate(frames[::4], axis=1)),
    }


def _write_job(
    root: Path,
    made: MadeExperiment,
    model: str,
    domain: str,
    question: str,
    metadata: dict[str, Any],
    place: tuple[int, int],
    files: dict[str, bytes],
) -> None:
    run_id = f"{layout.folder_name(model)}_{question}_20261118_000000"
    folder = layout.job_folder(root / "outputs", made.name, model, domain, question) / run_id
    (folder / "question").mkdir(parents=True)
    (folder / "video").mkdir()
    (folder / "video" / f"{question}.mp4").write_bytes(files["video"])
    for name in (layout.FIRST_FRAME, layout.FINAL_FRAME):
        (folder / "question" / name).write_bytes(files[name])
    (folder / "question" / layout.PROMPT).write_text(made.prompt, "utf-8")
    (folder / "question" / layout.QUESTION_RECORD).write_bytes(record_bytes(metadata))
    digests = {
        "question_digest": f"{place[0]:08x}{made.seed:08x}",
        "video_digest": f"{place[0]:08x}{place[1]:04x}{made.seed:04x}",
    }  # fmt: skip
    run = {
        "sample": 0, "status": "success", "video": f"video/{question}.mp4", "error": None, "seconds": 30.0 + place[1],
        "cost_usd": 0.25 * place[1] or None, **digests, "prompt_variant": made.variant,
        "created_at": "2026-11-18T00:00:00+00:00", "vmevalkit_version": "0.1.0",
        "family": "baseline" if model == "static" else "Family",
        "request": {"seconds": 8.0, "fps": None, "size": None, "parameters": {"temperature": 0.7}},
        "provider": {"name": "provider", "model": model},
    }  # fmt: skip
    (folder / layout.RUN_RECORD).write_bytes(record_bytes(run))
    for number, scorer in enumerate(made.scorers):
        _write_score(root, made, model, domain, question, scorer, (*place, number), run_id, digests, files)


def choose_value(index: int, model: int, scorer: int = 0) -> int:
    """Return a value from 1 to 5 that depends on the question, the model and a little on the scorer."""
    value = 1 + (index * 7919 + model * 104729 + index * model * 31) % 23 % 5
    return 1 + value % 5 if scorer and index % 7 == 0 else value


def _write_score(
    root: Path,
    made: MadeExperiment,
    model: str,
    domain: str,
    question: str,
    scorer: str,
    place: tuple[int, int, int],
    run_id: str,
    digests: dict[str, str],
    files: dict[str, bytes],
) -> None:
    value = choose_value(*place)
    passed = value >= 4
    finding = Finding("wall_crossed", True, made.explanation, 1.25)
    score = Score(
        scorer, "1", value, passed or value == 2, passed, value / 5, 1.0 if passed else 0.6,
        findings=() if passed else (finding,),
        metrics={"path_length": 4.6, "readable_share": 1.0, "steps": float(value)},
        failure_mode="none" if passed else MODES[1 + sum(place) % 5], solved_at_s=1.5 if passed else None,
        first_violation_s=None if passed else 1.25,
        explanation="Solved, and nothing is wrong on the way." if passed else made.explanation,
    )  # fmt: skip
    about = {
        "evaluator": scorer, "timestamp": "2026-11-18T00:31:14+00:00", "model_name": model, "sample": 0,
        "run_id": run_id, "video_digest": digests["video_digest"], "puzzle_digest": digests["question_digest"],
        "scorer_version": "1", "annotator": None, "video": None, "question_folder": None,
    }  # fmt: skip
    job = layout.job_folder(root / "evaluations", made.name, model, domain, question)
    job.mkdir(parents=True, exist_ok=True)
    path = layout.score_file(job, scorer)
    path.write_bytes(record_bytes({"metadata": about, "result": to_json(score)}))
    if made.with_files:
        times = [number / FPS for number in range(FRAMES)]
        progress = [min(1.0, number / FRAMES * value / 4) for number in range(FRAMES)]
        trace = {"format": 1, "seconds": times, "status": "r" * FRAMES, "progress": progress, "states": []}
        layout.trace_file(path).write_text(json.dumps(trace))
        layout.evidence_file(path).write_bytes(files["strip"])
