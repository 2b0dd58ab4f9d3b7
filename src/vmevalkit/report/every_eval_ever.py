"""Every Eval Ever 0.3: an aggregate JSON file for each model, and a JSONL file with a line for each scored video."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from vmevalkit.core.errors import StoreError
from vmevalkit.report.context import ReportContext
from vmevalkit.report.provenance import ModelNote, Provenance
from vmevalkit.results.summary import GroupRate, summarize
from vmevalkit.store import layout
from vmevalkit.store.atomic import write_file
from vmevalkit.store.questions import load_question

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = "0.3.0"
NAME = "vmevalkit"


def write_every_eval_ever(context: ReportContext, provenance: Provenance, folder: Path) -> list[Path]:
    """Write ``data/vmevalkit/DEVELOPER/MODEL/UUID.json`` and ``UUID_samples.jsonl`` for each model with scores.

    The places are those of the format's datastore."""
    paths = []
    by_domain = summarize(context.frame, ["model", "domain"], [context.scorer])
    notes = {note.model: note for note in provenance.models}
    prompts = _read_prompts(context.rows)
    for total in context.totals:
        model = total.group["model"]
        if total.rate.value is None:
            continue
        developer, name = _name_model(context, notes.get(model), model)
        own = context.rows.loc[context.scored.index[context.scored["model"] == model]]
        evaluation = f"{NAME}/{context.experiment}/{model}"
        model_id = f"{developer}/{name}"
        lines = [
            json.dumps(line, ensure_ascii=False) for line in _make_samples(context, own, evaluation, model_id, prompts)
        ]
        samples = ("\n".join(lines) + "\n").encode()
        # The same results get the same name, so writing them again adds no file.
        number = UUID(bytes=sha256(evaluation.encode() + samples).digest()[:16], version=4)
        place = f"data/{NAME}/{developer}/{name}/{number}"
        write_file(folder / f"{place}_samples.jsonl", samples)
        rates = [total, *(rate for rate in by_domain if rate.group["model"] == model and rate.rate.value is not None)]
        record = _make_record(context, provenance, notes.get(model), model, rates, evaluation)
        record["model_info"]["id"] = model_id
        record["detailed_evaluation_results"] = {
            "format": "jsonl", "file_path": f"{place}_samples.jsonl", "hash_algorithm": "sha256",
            "checksum": sha256(samples).hexdigest(), "total_rows": len(lines),
        }  # fmt: skip
        write_file(folder / f"{place}.json", json.dumps(record, indent=2, ensure_ascii=False) + "\n")
        paths += [folder / f"{place}.json", folder / f"{place}_samples.jsonl"]
    return paths


def _name_model(context: ReportContext, note: ModelNote | None, model: str) -> tuple[str, str]:
    """Return the developer and the name of a model as two parts of a path: ``org/name`` names both."""
    developer, slash, name = model.partition("/")
    if not slash:
        family = note.family if note else ""
        developer, name = NAME if model in context.baselines else family or "unknown", model
    return layout.folder_name(developer), layout.folder_name(name)


def _make_record(
    context: ReportContext,
    provenance: Provenance,
    note: ModelNote | None,
    model: str,
    rates: list[GroupRate],
    evaluation: str,
) -> dict[str, Any]:
    prints = {each.domain: each.fingerprint for each in provenance.datasets}
    scored_at = [str(time) for time in context.scored.loc[context.scored["model"] == model, "timestamp"].dropna()]
    is_baseline = model in context.baselines
    return {
        "schema_version": SCHEMA,
        "evaluation_id": evaluation,
        **({"evaluation_timestamp": max(scored_at)} if scored_at else {}),
        "retrieved_timestamp": str(int(datetime.now(UTC).timestamp())),
        "source_metadata": {
            "source_name": f"VMEvalKit experiment {context.experiment}",
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": NAME, "version": provenance.package},
        "model_info": {
            "name": model,
            **({"developer": note.family} if note and note.family else {}),
            **({"inference_platform": note.provider} if note and note.provider else {}),
            "additional_details": {
                "deployment_type": "self_deployed" if is_baseline else "unknown",
                "model_availability": "unknown",
                **({"settings": " | ".join(note.settings)} if note and note.settings else {}),
            },
        },
        "evaluation_results": [_make_result(context, rate, prints) for rate in rates],
    }


def _make_result(context: ReportContext, rate: GroupRate, prints: dict[str, str | None]) -> dict[str, Any]:
    domain = rate.group.get("domain", "all")
    details = {
        "questions": str(rate.rate.n), "videos": str(rate.videos), "left_out": str(rate.left_out) or "none",
        "scorer": context.scorer,
    }  # fmt: skip
    if rate.value.value is not None:
        details["mean_value_1_to_5"] = f"{rate.value.value:.6g}"
    uncertainty: dict[str, Any] = {"num_samples": rate.rate.n}
    if rate.rate.low is not None and rate.rate.high is not None:
        uncertainty["confidence_interval"] = {
            "lower": rate.rate.low, "upper": rate.rate.high, "confidence_level": rate.rate.confidence,
            "method": rate.rate.method,
        }  # fmt: skip
    fingerprint = (
        prints.get(domain) or sha256("".join(f"{d}{p}" for d, p in sorted(prints.items())).encode()).hexdigest()
    )
    return {
        "evaluation_result_id": f"{context.experiment}/{domain}/success",
        "evaluation_name": f"{NAME}_{domain}",
        "source_data": {
            "dataset_name": f"{NAME} {domain}", "source_type": "other",
            "additional_details": {"fingerprint": fingerprint},
        },
        "metric_config": {
            "evaluation_description": "Share of questions whose video gets a value of 4 or 5.",
            "metric_id": f"{NAME}.success_rate", "metric_name": "success rate", "metric_kind": "pass_rate",
            "metric_unit": "proportion", "lower_is_better": False, "score_type": "continuous", "min_score": 0.0,
            "max_score": 1.0,
        },
        "score_details": {"score": rate.rate.value, "details": details, "uncertainty": uncertainty},
    }  # fmt: skip


def _make_samples(
    context: ReportContext, own: pd.DataFrame, evaluation: str, model_id: str, prompts: dict[str, str]
) -> Iterator[dict[str, Any]]:
    columns = [
        "model", "domain", "question", "sample", "value", "success", "failure_mode", "difficulty", "video",
        "video_digest", "puzzle_digest", "annotator", "seconds", "explanation", "question_folder",
    ]  # fmt: skip
    plain = own[columns].astype(object).where(own[columns].notna(), None)
    for row in (dict(zip(columns, cells, strict=True)) for cells in plain.itertuples(index=False, name=None)):
        prompt = prompts.get(row["question_folder"] or "", "")
        # The video is the output: its place in the experiment and its digest say which file was judged.
        place = layout.job_folder(Path(), context.experiment, row["model"], row["domain"], row["question"]).as_posix()
        video = f"{place}/{Path(row['video']).name if row['video'] else 'unknown'}#sha256-prefix={row['video_digest']}"
        extra = {name: row[name] for name in ("failure_mode", "difficulty", "annotator", "explanation") if row[name]}
        yield {
            "schema_version": SCHEMA,
            "evaluation_id": evaluation,
            "model_id": model_id,
            "evaluation_name": f"{NAME}_{row['domain']}",
            "evaluation_result_id": f"{context.experiment}/{row['domain']}/success",
            "sample_id": f"{row['domain']}/{row['question']}/{row['sample']}",
            "sample_hash": sha256(f"{prompt}{row['puzzle_digest']}".encode()).hexdigest(),
            "interaction_type": "single_turn",
            "input": {"raw": prompt, "reference": [f"puzzle {row['puzzle_digest']}"]},
            "output": {"raw": [video]},
            "answer_attribution": [
                {
                    "turn_idx": 0, "source": "output.raw", "extracted_value": str(row["value"]),
                    "extraction_method": context.scorer, "is_terminal": True,
                }
            ],
            "evaluation": {"score": float(row["success"]), "is_correct": bool(row["success"])},
            **({"performance": {"generation_time_ms": 1000 * row["seconds"]}} if row["seconds"] is not None else {}),
            "metadata": {name: str(value) for name, value in extra.items()} | {"value_1_to_5": str(row["value"])},
        }  # fmt: skip


def _read_prompts(scored: pd.DataFrame) -> dict[str, str]:
    """Return the prompt in each question's folder; empty where its files are gone."""
    prompts = {}
    for folder in scored["question_folder"].dropna().unique():
        try:
            prompts[folder] = load_question(folder).prompt
        except StoreError:
            prompts[folder] = ""
    return prompts
