"""Damaged and hostile files of every kind: one error of ours or a remark, in bounded time, and no traceback.

Each example replaces one value somewhere in a valid record, or bytes of a valid archive."""

from __future__ import annotations

import io
import json
import math
import os
import tarfile
from contextlib import suppress
from typing import Any

import pytest
from fuzzing import FUZZ, PICTURE, damage, damage_bytes, make_puzzle, read_quietly, write, write_lines
from hypothesis import given
from hypothesis import strategies as st

from vmevalkit.core.errors import VMEvalKitError
from vmevalkit.eval.annotation.labels import LabelLog
from vmevalkit.eval.labelled_videos import load_labelled_videos
from vmevalkit.eval.submission import _read_submission
from vmevalkit.exchange.importing import make_question_files
from vmevalkit.exchange.read import read_rows
from vmevalkit.exchange.row import Row
from vmevalkit.report.trace_data import read_timeline
from vmevalkit.results.entries import read_question_entry, read_run_entry, read_score_entry
from vmevalkit.runs.claim import list_uncertain_orders
from vmevalkit.store import layout
from vmevalkit.store.answer_log import AnswerLog
from vmevalkit.store.journal import read_entries, sum_spent_usd
from vmevalkit.store.questions import load_question, load_questions, question_digest
from vmevalkit.store.runs import find_runs
from vmevalkit.store.scores import load_score, load_scores
from vmevalkit.store.traces import read_trace
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.puzzle_loading import load_puzzle

JOB = "e/m/maze_task/maze_0000"
SCORE = {
    "metadata": {"evaluator": "RuleEvaluator", "sample": 0, "run_id": "r", "video_digest": "v", "puzzle_digest": "p",
                 "timestamp": "2026", "annotator": None, "video": "../v.mp4", "question_folder": "../q",
                 "scorer_version": "1"},
    "result": {"scorer": "RuleEvaluator", "version": "1", "value": 5, "solved": True, "passed": True, "outcome": 1.0,
               "process": 1.0, "legal_progress": 1.0, "findings": [{"kind": "a", "gates": False, "detail": "b"}],
               "metrics": {"moves": 2.0}, "failure_mode": "none", "explanation": "x",
               "trace": "RuleEvaluator.trace.json"},
    "details": {"queue": "all", "probability": 1.0, "seconds": 2.0},
}  # fmt: skip
RUN = {"sample": 0, "run_id": "r", "status": "success", "video": "video/a.mp4", "created_at": "2026", "cost_usd": 0.4,
       "seconds": 2.0, "question_digest": "q", "video_digest": "v", "prompt_variant": "default", "family": "baseline",
       "placement": {"canvas": [48, 32], "content": [0, 0, 48, 32], "colour": [0, 0, 0]}, "error": None}  # fmt: skip
JOURNAL = [
    {"what": "intent", "job": ["maze", "maze_0000", 0], "at": "2026-01-01T00:00:00+00:00", "key": "k", "prompt": "Go.",
     "input_digest": "d", "usd": 0.4, "request_digest": "r"},
    {"what": "ticket", "job": ["maze", "maze_0000", 0], "at": "2026-01-01T00:00:00+00:00",
     "ticket": {"id": "1", "sent": {}}},
    {"what": "settled", "job": ["maze", "maze_0000", 0], "at": "2026-01-01T00:00:00+00:00", "status": "success",
     "closed": True, "usd": 0.4},
    {"what": "void", "job": ["maze", "maze_0001", 0], "at": "2026-01-01T00:00:00+00:00"},
]  # fmt: skip
TRACE = {"format": 1, "seconds": [0.0, 0.1, 0.2], "progress": [0.0, 0.5, 1.0], "status": "rrc",
         "states": [{"a": [1, {"b": 2}]}, {"a/1/b": 3}, {"": {"a": []}}]}  # fmt: skip
LABEL = {"action": "label", "token": "t", "queue": "all", "value": 5, "explanation": "", "seconds": 2.0, "at": "2026"}
ANSWER = {"key": "k", "request": {}, "purpose": "p", "answer": {"a": 1}, "usd": 0.1, "rejected": None}
SUBMISSION = {"format": 1, "vmevalkit": "1", "model": "m", "scorer": "RuleEvaluator", "videos": [
    {"domain": "maze", "question": "maze_0000", "sample": 0, "file": "videos/a.mp4", "video_digest": "v",
     "question_digest": "q", "score": {"value": 5}, "placement": None}]}  # fmt: skip
LABELLED = [{"video": "a.mp4", "first_frame": "a.png", "kind": "maze", "label": "pass", "confidence": "high"}]


def damage_lines(data: st.DataObject, lines: list[Any]) -> list[Any]:
    damaged = damage(data, lines)
    return [*damaged, lines[-1]] if isinstance(damaged, list) else [damaged, lines[-1]]


@FUZZ
@given(st.data())
def test_fuzzed_score_files(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    root = tmp_path_factory.mktemp("f")
    path = write(root / JOB / "RuleEvaluator.json", json.dumps(damage(data, SCORE)))
    read_quietly(lambda: load_score(path), lambda: read_score_entry(path), lambda: load_scores(root, "e"))


@FUZZ
@given(st.data())
def test_fuzzed_run_records(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    root = tmp_path_factory.mktemp("f")
    write(root / JOB / "r/metadata.json", json.dumps(damage(data, RUN)))
    read_quietly(lambda: find_runs(root, "e"), lambda: read_run_entry(root / JOB / "r"))


@FUZZ
@given(st.data())
def test_fuzzed_journals(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    root = tmp_path_factory.mktemp("f")
    path = write_lines(layout.journal_file(root / "e/m"), damage_lines(data, JOURNAL)[:9])
    read_quietly(lambda: list_uncertain_orders(root, "e", ["m"]))
    with suppress(VMEvalKitError):
        assert all(intent.time for entry in read_entries([path]).values() for intent in entry.unanswered_intents)
        assert math.isfinite(sum_spent_usd([path]))


@FUZZ
@given(st.data())
def test_fuzzed_traces(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    score = tmp_path_factory.mktemp("f") / "RuleEvaluator.json"
    path = write(layout.trace_file(score), json.dumps(damage(data, TRACE)))
    read_quietly(lambda: read_trace(path), lambda: read_timeline(score))


@FUZZ
@given(st.data())
def test_fuzzed_questions(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    root = tmp_path_factory.mktemp("f")
    task, puzzle = make_puzzle(data.draw(st.sampled_from(sorted(TASKS))))
    record = {"id": "a", "domain": task.name, "prompt": "Go.", "puzzle": puzzle, "params": {"n": 1}, "seed": 1}
    folder = root / f"{task.name}_task/a"
    damaged = damage(data, record)
    text = json.dumps(damaged)
    write(folder / "question_metadata.json", text)
    write(folder / "first_frame.png", PICTURE)
    read_quietly(
        lambda: load_questions(root), lambda: question_digest(load_question(folder)),
        lambda: read_question_entry(folder), lambda: list(read_rows(root)),
        lambda: load_puzzle(task, damaged.get("puzzle") if isinstance(damaged, dict) else damaged, "a"),
        lambda: make_question_files(Row(task.name, "a", "Go.", PICTURE, metadata=text)),
    )  # fmt: skip


@FUZZ
@given(st.data())
def test_fuzzed_logs_and_lists(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    root = tmp_path_factory.mktemp("f")
    write_lines(layout.annotation_log(root, "e", "Ann"), damage(data, LABEL))
    assert len(LabelLog(root, "e", "Ann").list_labels("all")) <= 1
    path = write_lines(root / "answers.jsonl", damage(data, ANSWER))
    log = AnswerLog(path)
    log.find("k")
    assert 0 <= log.spent_usd("p") < math.inf
    os.close(log._handle)
    write(root / "submission.json", json.dumps(damage(data, SUBMISSION)))
    write(root / "labels.json", json.dumps(damage(data, LABELLED)))
    read_quietly(lambda: _read_submission(root), lambda: load_labelled_videos(root))


@FUZZ
@given(st.data())
def test_fuzzed_sets_of_others(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    root = tmp_path_factory.mktemp("f")
    cells = damage(data, {"id": "a", "prompt": "Go.", "domain": "maze", "goal": "g", "sample": 0, "model": "m",
                          "metadata": {"id": "a"}, "scores": "{}", "first_frame": {"path": "a.png"}})  # fmt: skip
    write(root / "a.png", PICTURE)
    kind = data.draw(st.sampled_from(["tar", "jsonl", "parquet"]))
    if kind == "jsonl":
        line = {**cells, "file_name": "a.png", "first_frame": "a.png"} if isinstance(cells, dict) else cells
        write_lines(root / "metadata.jsonl", line)
    elif kind == "tar":
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as tar:
            for name, content in (("a.json", json.dumps(cells).encode()), ("a.first_frame.png", PICTURE)):
                member = tarfile.TarInfo(name)
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
        write(root / "a.tar", damage_bytes(data, buffer.getvalue()))
    else:
        write(root / "a.parquet", damage_bytes(data, make_parquet()))
    read_quietly(lambda: list(read_rows(root)))


def make_parquet() -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    table = pa.table({"id": ["a", "b"], "prompt": ["Go.", "Go."], "first_frame": [PICTURE, PICTURE]})
    pq.write_table(table, buffer)
    return buffer.getvalue()
