"""The results of 100,000 scores: the table from files and from its cache, rates and comparisons."""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path

from benchmarks.measure import Claim, cpu_seconds, report, scratch
from vmevalkit.core.jsonable import to_json
from vmevalkit.core.records import Score
from vmevalkit.results.comparison import compare_models
from vmevalkit.results.rate_table import make_rate_table
from vmevalkit.results.sentences import describe_comparison
from vmevalkit.results.table import load_results
from vmevalkit.store.records import record_bytes

MODELS, DOMAINS, QUESTIONS = 8, 5, 12_500
ROWS = MODELS * QUESTIONS
EXPERIMENT = "big"


def write_experiment(root: Path) -> None:
    """Write run records, questions and score files as the commands do, without videos and frames."""
    for index in range(QUESTIONS):
        domain = f"domain{index % DOMAINS}"
        question = f"{domain}_{index:05d}"
        metadata = {
            "id": question,
            "domain": domain,
            "difficulty": ("easy", "hard")[index % 2],
            "params": {"grid_n": 3 + index % 4},
            f"{domain}_data": {"solution_length": index % 20, "pattern_tags": [f"tag{index % 7}"]},
            "puzzle": {"walls": [[0, index]] * 40},
        }
        question_bytes = record_bytes(metadata)
        for number in range(MODELS):
            _write_job(root, f"provider-model-{number}", domain, question, question_bytes, _value(index, number))


def _value(index: int, number: int) -> int:
    """Return a value from 1 to 5 that depends on the question and the model."""
    return 1 + min(4, (index * 7919 % 11 + number + index * number * 31 % 3) // 3)


def _write_job(root: Path, model: str, domain: str, question: str, question_bytes: bytes, value: int) -> None:
    place = f"{EXPERIMENT}/{model}/{domain}_task/{question}"
    run_id = f"{model}_{question}_20261118_000000"
    folder = root / "outputs" / place / run_id
    (folder / "question").mkdir(parents=True)
    (folder / "question" / "question_metadata.json").write_bytes(question_bytes)
    digests = {"question_digest": f"p-{question}", "video_digest": f"v-{model}-{question}"}
    run = {
        "experiment": EXPERIMENT, "model": model, "question_id": question, "domain": domain, "sample": 0,
        "run_id": run_id, "status": "success", "video": f"video/{question}.mp4", "error": None, "seconds": 31.5,
        "cost_usd": 0.4, "placement": None, **digests, "prompt_variant": "default",
        "created_at": "2026-11-18T00:00:00+00:00", "family": "Provider",
    }  # fmt: skip
    (folder / "metadata.json").write_bytes(record_bytes(run))
    score = Score(
        "RuleEvaluator", "1", value, value >= 4, value >= 4, value / 5, 1.0,
        metrics={"path_length": 4.6, "path_efficiency": 1.0, "cells_visited": 6.0, "readable_share": 1.0},
        failure_mode="none" if value >= 4 else "partial", explanation="Solved, and nothing is wrong on the way.",
    )  # fmt: skip
    about = {
        "evaluator": "RuleEvaluator", "timestamp": "2026-11-18T00:31:14+00:00", "model_name": model, "sample": 0,
        "run_id": run_id, "video_digest": digests["video_digest"], "puzzle_digest": digests["question_digest"],
        "scorer_version": "1", "annotator": None, "video": None, "question_folder": None,
    }  # fmt: skip
    path = root / "evaluations" / place / "RuleEvaluator.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(record_bytes({"metadata": about, "result": to_json(score)}))


def main() -> bool:
    with scratch() as root:
        write_experiment(root)
        folders = {"outputs": root / "outputs", "evaluations": root / "evaluations"}
        load_results(**folders)  # the caches of the operating system are warm, and modules are loaded
        (root / "evaluations" / EXPERIMENT / "results_cache.parquet").unlink()
        cold = cpu_seconds(lambda: load_results(EXPERIMENT, **folders))
        warm = min(cpu_seconds(lambda: load_results(EXPERIMENT, **folders)) for _ in range(3))
        frame = load_results(EXPERIMENT, **folders)
    assert len(frame) == ROWS
    models = sorted(frame["model"].unique())

    def compare_all() -> None:
        for first, second in combinations(models, 2):
            for found in compare_models(frame, first, second, margin=0.1):
                describe_comparison(found)

    rates = cpu_seconds(lambda: make_rate_table(frame))
    tags = cpu_seconds(lambda: make_rate_table(frame, ["model", "tag"]))
    comparisons = cpu_seconds(compare_all)
    return report(
        "Results",
        [
            Claim("100,000 score files and runs: the table, all files read", cold, 60, "s", at_least=False),
            Claim("100,000 score files and runs: the table, from its cache", warm, 15, "s", at_least=False),
            Claim("100,000 scores: rates by model and domain, rank bands, notes", rates, 5, "s", at_least=False),
            Claim("100,000 scores: rates by model and tag", tags, 5, "s", at_least=False),
            Claim("100,000 scores: all 28 comparisons, overall and by domain", comparisons, 20, "s", at_least=False),
        ],
    )


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
