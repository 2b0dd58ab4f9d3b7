"""More files that others may have made or damaged: lists, caches, logs, plans, and what browsers and trainers send."""

from __future__ import annotations

import io
import json
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pytest
from fuzzing import FUZZ, ODD, PICTURE, damage, damage_bytes, make_puzzle, read_quietly, write, write_lines
from hypothesis import given
from hypothesis import strategies as st

from vmevalkit.audit.attack.program import load_programs
from vmevalkit.audit.trial_cache import read_trials
from vmevalkit.core.errors import VMEvalKitError
from vmevalkit.datasets.generate import generate
from vmevalkit.datasets.index import write_index
from vmevalkit.eval.annotation.plan import PlanOptions, open_plan
from vmevalkit.exchange.read import read_rows
from vmevalkit.play.playable_question import PlayableQuestion
from vmevalkit.play.recording import parse_recording
from vmevalkit.report.certificates import find_certificates
from vmevalkit.results.cache import EntryCache
from vmevalkit.reward.payloads import parse_npy
from vmevalkit.store import layout, vqa_layout
from vmevalkit.store.questions import load_questions
from vmevalkit.store.video_map import read_video_map
from vmevalkit.tasks import TASKS
from vmevalkit.vqa.dataset import load_questions as load_image_questions
from vmevalkit.vqa.samples import read_run, read_samples
from vmevalkit.vqa.task_file import load_task

CERTIFICATE = {"scorer": "rules", "seed": 11, "package": "1", "versions": {"maze": "1"}, "cells": [
    {"task": "maze", "trick": "static", "expected": "fail", "right": 3, "videos": 3, "wrong": []}]}  # fmt: skip
PROGRAM = [{"task": "maze", "difficulty": "easy", "seed": 1, "index": 0, "expected": "pass",
            "operations": [{"op": "rest", "s": 1}]}]  # fmt: skip
PLAN = {"queue": "all", "seed": 1, "people": 1, "gold_share": 0.1, "probability": 1.0, "salt": "s", "tokens": ["a"]}
ASKED = {"config": "c", "question_type": "MSR", "is_two_stage": False, "questions": 3}
RUN = {"label": "x", "model": "openai_chat", "model_args": "", "dataset": "d", "wording": "default", "answerer": "a",
       "tasks": {"mmsi_msr": ASKED}}  # fmt: skip
SAMPLE = {"key": "k", "purpose": "mmsi_msr", "usd": 0.1, "rejected": None, "answer": {
    "question_id": "1", "category": "msr", "status": "correct", "expected": "A", "predicted": "A", "config": "c",
    "response": "A", "usd": 0.1, "finish_reason": "stop", "rotation": 0}}  # fmt: skip
TASK_FILE = """include: _mmsi_common_yaml
task: mine
doc_to_text: !function mmsi.msr_doc_to_text
output_type: generate_until
generation_kwargs: {max_new_tokens: 100, temperature: 0}
lmms_eval_specific_kwargs:
  default: {pre_prompt: "", post_prompt: ""}
metadata: {question_type: MSR}
"""


@FUZZ
@given(st.data())
def test_fuzzed_certificates_and_programs(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    root = tmp_path_factory.mktemp("f")
    write(root / "maze.json", json.dumps(damage(data, CERTIFICATE)))
    program = write(root / "p/program.json", json.dumps(damage(data, PROGRAM)))
    read_quietly(
        lambda: find_certificates(root, "RuleEvaluator", [("maze", ("1",))]), lambda: load_programs(program)
    )  # fmt: skip


@FUZZ
@given(st.data())
def test_fuzzed_own_puzzles(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    root = tmp_path_factory.mktemp("f")
    task, puzzle = make_puzzle(data.draw(st.sampled_from(sorted(TASKS))))
    content = {"task": task.name, "puzzle": puzzle, "pictures": {"box": [1, 2, 30, 20]}}
    write(root / "a_task/a/puzzle.json", json.dumps(damage(data, content)))
    write(root / "a_task/a/first_frame.png", PICTURE)
    write(root / "a_task/a/prompt.txt", "Go.")
    read_quietly(lambda: list(read_rows(root)))


@cache
def make_questions() -> Path:
    folder = Path(mkdtemp())
    generate(["sokoban"], 1, out=folder)
    return folder


@FUZZ
@given(st.data())
def test_fuzzed_lists_of_videos(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    root = tmp_path_factory.mktemp("f")
    write(root / "a.mp4", b"x")
    content = b"path,question,model,sample\na.mp4,sokoban_0000,m,0\n"
    path = write(root / "map.csv", damage_bytes(data, content))
    read_quietly(lambda: read_video_map(path, load_questions(make_questions()), None))


@FUZZ
@given(st.data())
def test_fuzzed_recordings(data: st.DataObject) -> None:
    [question] = load_questions(make_questions())
    played = PlayableQuestion(question)
    start = [
        {"name": part.name, "look": part.look, "x": part.x, "y": part.y, "angle": part.angle, "opacity": part.opacity}
        for part in played.stage.start.parts
    ]
    read_quietly(lambda: parse_recording(played, damage(data, [{"frames": 3, "parts": start}])))


@FUZZ
@given(st.data())
def test_fuzzed_arrays(data: st.DataObject) -> None:
    buffer = io.BytesIO()
    np.save(buffer, np.zeros((2, 4, 4, 3), np.uint8))
    read_quietly(lambda: parse_npy(damage_bytes(data, buffer.getvalue())))


@FUZZ
@given(st.data())
def test_fuzzed_plans_indexes_and_caches(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    root = tmp_path_factory.mktemp("f")
    write(layout.annotation_plan(root / "evaluations", "e", "all"), json.dumps(damage(data, PLAN)))
    read_quietly(lambda: open_plan("e", root / "outputs", root / "evaluations", PlanOptions()))
    write(root / "questions" / layout.INDEX, json.dumps(damage(data, {"name": "x", "pairs": [{"id": "a"}]})))
    read_quietly(lambda: write_index(root / "questions", []))
    write(root / "trials.jsonl", "\n" + json.dumps(damage(data, {"key": "k", "trial": {"trial_id": "a"}})) + "\n")
    read_quietly(lambda: read_trials(root / "trials.jsonl"))


@FUZZ
@given(st.data())
def test_fuzzed_result_caches(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    root = tmp_path_factory.mktemp("f")
    cache_of = EntryCache(root / "results.parquet")
    cache_of.get("k", (1, 2, 3), lambda _path: {"value": 5}, "p")
    cache_of.save()
    write(root / "results.parquet", damage_bytes(data, (root / "results.parquet").read_bytes()))
    found = EntryCache(root / "results.parquet").get("k", (1, 2, 3), lambda _path: {"value": 5}, "p")
    assert found == {"value": 5}


@FUZZ
@given(st.data())
def test_fuzzed_results_of_image_questions(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    root = tmp_path_factory.mktemp("f")
    write(vqa_layout.run_record(root, "x"), json.dumps(damage(data, RUN)))
    write_lines(vqa_layout.sample_log(root, "x", "mmsi_msr"), [damage(data, SAMPLE), SAMPLE])
    read_quietly(lambda: read_run(root, "x"))
    assert "1" in {sample.question_id for sample in read_samples(root, "x", "mmsi_msr", "c")}


@FUZZ
@given(st.data())
def test_fuzzed_image_questions(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    root = tmp_path_factory.mktemp("f")
    row = {"id": "1", "images": [PICTURE], "question_type": "MSR", "question": "Which? A: a, B: b", "answer": "A"}
    odd = data.draw(st.sampled_from([*(value for value in ODD if isinstance(value, str)), PICTURE[:40]]))
    row["images"] = data.draw(st.sampled_from([[PICTURE], [odd], [{"bytes": None, "path": odd}], []]))
    table: Any = None
    with suppress(pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError):
        table = pa.Table.from_pylist([row])
    if table is not None:
        buffer = io.BytesIO()
        pq.write_table(table, buffer)
        path = write(root / "test.parquet", damage_bytes(data, buffer.getvalue()))
        read_quietly(lambda: list(load_image_questions(str(path), "MSR")))


@FUZZ
@given(st.data())
def test_fuzzed_task_files(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    root = tmp_path_factory.mktemp("f")
    write(root / "mine.yaml", damage_bytes(data, TASK_FILE.encode()))
    with suppress(VMEvalKitError):
        load_task("mine", root)
