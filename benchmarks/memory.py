"""Memory by the size of the dataset: generate, its resume, a dry run and score's resume must not grow with it.

Each step runs in a process of its own, once with few questions and once with many. The peak of its memory is compared.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.measure import Claim, report, scratch

FEW = int(os.environ.get("FEW_QUESTIONS", "1000"))
MANY = int(os.environ.get("MANY_QUESTIONS", "100000"))
LIMIT_MB = 50.0
TASK, MODEL, EXPERIMENT = "object_subtraction", "static", "memory"

STEPS = ("generate", "generate again", "dry run", "score again")


def run_step(step: str, root: Path, n: int) -> None:
    """Run one step in this process."""
    from vmevalkit.datasets.generate import generate
    from vmevalkit.eval.experiment import score_experiment
    from vmevalkit.runs.cost_estimate import estimate_cost

    questions, outputs, evaluations = root / "questions", root / "outputs", root / "evaluations"
    match step:
        case "generate":
            assert generate([TASK], n, out=questions).tasks[0].drawn == n
        case "generate again":
            assert generate([TASK], n, out=questions).tasks[0].kept == n
        case "dry run":
            [estimate] = estimate_cost([MODEL], questions, EXPERIMENT, outputs).models
            assert estimate.begin == n
        case "score again":
            summary = score_experiment(EXPERIMENT, outputs, evaluations, keep_results=False)
            assert (summary.kept, summary.scored) == (n, n)


def write_runs_and_scores(root: Path) -> None:
    """Write a finished run and an up-to-date score for each question, with one video for all."""
    from vmevalkit.core.records import Score
    from vmevalkit.eval.scorers import SCORERS
    from vmevalkit.media.image import read_image
    from vmevalkit.media.video import write_video
    from vmevalkit.store.atomic import file_digest
    from vmevalkit.store.questions import load_question, question_digest, question_folders
    from vmevalkit.store.records import record_bytes
    from vmevalkit.store.runs import Job
    from vmevalkit.store.scores import Scored, save_score

    video, scorer, digest = root / "video.mp4", SCORERS["rules"], ""
    for folder in question_folders(root / "questions"):
        question = load_question(folder)
        if not digest:
            write_video(video, [read_image(question.first_frame)] * 2, 8)
            digest = file_digest(video)
        job = Job(EXPERIMENT, MODEL, question.domain, question.id)
        run = job.folder(root / "outputs") / "run"
        (run / "video").mkdir(parents=True)
        os.link(video, run / "video" / "video.mp4")
        (run / "question").mkdir()
        for file in folder.iterdir():
            os.link(file, run / "question" / file.name)
        names = {"experiment": EXPERIMENT, "model": MODEL, "question_id": question.id, "domain": question.domain}
        digests = {"question_digest": question_digest(question), "video_digest": digest}
        record = {**names, "sample": 0, "run_id": "run", "status": "success", "video": "video/video.mp4", **digests}
        (run / "metadata.json").write_bytes(record_bytes(record))
        score = Score(
            scorer.evaluator, scorer.version(question), 1, metrics={"objects_left": 3.0}, failure_mode="static",
            explanation="The video does not change: " + "the scene stays as it was. " * 4,
        )  # fmt: skip
        save_score(
            root / "evaluations",
            Scored(
                EXPERIMENT, MODEL, question.domain, question.id, scorer.evaluator, score, run_id="run",
                video_digest=digest, puzzle_digest=digests["question_digest"],
            ),
        )  # fmt: skip


def measure_peak_mb(code: str) -> float:
    """Run code in a new process and return the peak of its memory."""
    text = f"import resource\nfrom pathlib import Path\nfrom benchmarks import memory\n{code}\n"
    text += "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return float(json.loads(done.stdout.splitlines()[-1]))


def measure_steps(n: int) -> dict[str, float]:
    """Return the peak of memory of each step, in megabytes."""
    peaks = {}
    with scratch() as root:
        for step in STEPS:
            if step == "score again":
                measure_peak_mb(f"memory.write_runs_and_scores(Path({str(root)!r}))")
            peaks[step] = measure_peak_mb(f"memory.run_step({step!r}, Path({str(root)!r}), {n})")
    return peaks


def main() -> bool:
    few, many = measure_steps(FEW), measure_steps(MANY)
    claims = [
        Claim(
            f"{step}: growth from {FEW:,} to {MANY:,} questions", many[step] - few[step], LIMIT_MB, "MB", at_least=False
        )
        for step in STEPS
    ]
    return report("Memory", claims)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
