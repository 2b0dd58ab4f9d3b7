"""Input that should never be there: one error each, in bounded time, and no traceback."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from fuzzing import FUZZ
from hypothesis import given
from hypothesis import strategies as st
from plain_runs import make_video, run_plain, serve, write_questions

from emulators.plain import ROW, Fault
from vmevalkit.core.errors import StoreError, UsageError, VMEvalKitError
from vmevalkit.core.jsonable import from_json
from vmevalkit.core.records import Run, Score
from vmevalkit.media.image import read_image
from vmevalkit.media.integrity import check_video
from vmevalkit.models._errors import ErrorResponse, parse_retry_after
from vmevalkit.runs.cost_estimate import estimate_cost
from vmevalkit.runs.experiment_file import read_experiment
from vmevalkit.runs.inference_runner import run_inference
from vmevalkit.runs.plan import BudgetOptions
from vmevalkit.store.journal import read_entries
from vmevalkit.store.records import read_record
from vmevalkit.store.runs import load_all_runs

DEEP = 100_000
HEAD = "name: x\nmodels: [static]\ntasks: [maze]\nn: 1\n"
LAUGHS = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12))


@pytest.mark.parametrize(
    "text",
    [
        "[" * DEEP,
        HEAD + "seconds: " + "[" * DEEP + "]" * DEEP,
        HEAD + "seed: !!timestamp zz",
        HEAD + "seed: !!python/object:os.system x",
        HEAD + "models: " + "{a: " * 500 + "x" + "}" * 500,
        LAUGHS + HEAD + "scorers: *a11",
        HEAD + "x" * 200_000,
        "\0",
    ],
)
def test_hostile_experiment_files(tmp_path: Path, text: str) -> None:
    (tmp_path / "e.yaml").write_text(text)
    with pytest.raises(VMEvalKitError) as caught:
        read_experiment(tmp_path / "e.yaml")
    assert len(str(caught.value)) < 2000


def test_an_experiment_file_has_a_size(tmp_path: Path) -> None:
    (tmp_path / "e.yaml").write_text(HEAD + "size: 1280x720")
    assert read_experiment(tmp_path / "e.yaml").size == "1280x720"


@pytest.mark.parametrize("data", [b"[" * DEEP, b'{"a":' * DEEP, b"\xff", b"", b"[]", b"NaN"])
def test_hostile_json_records(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "r.json").write_bytes(data)
    with pytest.raises(StoreError):
        read_record(tmp_path / "r.json")


def test_a_journal_line_nested_too_deeply_is_named(tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").write_bytes(b"[" * DEEP + b"\n{}\n")
    with pytest.raises(StoreError, match="line 1"):
        read_entries([tmp_path / "journal.jsonl"])


@pytest.mark.parametrize("run_id", ["a\0b", "a\ud800", "../x", ".x", "a/b", "a b", "x" * 300])
def test_hostile_run_ids(tmp_path: Path, run_id: str) -> None:
    write_questions(tmp_path, 1)
    image = tmp_path / "questions" / "doors_task" / "door_000" / "first_frame.png"
    with pytest.raises(UsageError):
        run_inference("static", image, "Go.", tmp_path / "out", inference_id=run_id)


def test_question_data_that_is_not_json(tmp_path: Path) -> None:
    write_questions(tmp_path, 1)
    image = tmp_path / "questions" / "doors_task" / "door_000" / "first_frame.png"
    with pytest.raises(UsageError, match="cannot be written as JSON"):
        run_inference("static", image, "Go.", tmp_path / "out", {"f": object()})
    with pytest.raises(UsageError, match="no file name can have"):
        estimate_cost(["static"], tmp_path / "questions", "a\ud800", tmp_path)


def test_more_samples_than_anybody_wants_are_refused_at_once(tmp_path: Path) -> None:
    write_questions(tmp_path, 2)
    with pytest.raises(UsageError, match="100000000"):
        estimate_cost(["static"], tmp_path / "questions", "first", tmp_path, samples=100_000_000)


def test_a_link_that_leads_outside_its_question_is_refused(tmp_path: Path) -> None:
    questions = write_questions(tmp_path, 1)
    (tmp_path / "secret.txt").write_text("secret")
    folder = questions / "doors_task" / "door_000"
    (folder / "inside.txt").symlink_to(folder / "prompt.txt")
    (folder / "notes.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(StoreError, match=r"notes\.txt leads outside"):
        run_plain(tmp_path, "static", catalogue={})
    assert not any(b"secret" in path.read_bytes() for path in (tmp_path / "outputs").rglob("*.txt"))
    (folder / "notes.txt").unlink()
    [done] = run_plain(tmp_path, "static", catalogue={}).runs
    assert (done.folder / "question" / "inside.txt").read_text() == "Open door 0."


def test_few_file_handles_are_one_line(tmp_path: Path) -> None:
    write_questions(tmp_path, 2)
    line = ["run", "--model", "static", "--experiment", "e", "--questions", "questions", "--workers", "2"]
    done = subprocess.run(
        [sys.executable, "-m", "vmevalkit", *line], cwd=tmp_path, capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (12, 12)), env=os.environ,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    if done.returncode:
        assert done.stderr.startswith("error: ")


def test_the_python_api_can_allow_a_resubmission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 1)
    image = tmp_path / "questions" / "doors_task" / "door_000" / "first_frame.png"
    faults = [Fault(0)]

    def run(**how: Any) -> dict[str, Any]:
        return run_inference(
            "plain-1", image, "Go.", tmp_path / "out", inference_id="a", catalogue={"plain-1": ROW}, **how
        )

    with serve(tmp_path, monkeypatch, lists=False, faults=lambda _: faults.pop() if faults else None) as server:
        assert [run()["status"], run()["status"]] == ["uncertain"] * 2
        assert run(resubmit_uncertain=True)["status"] == "success"
        assert len(server.orders) == 1


def test_a_kill_between_folder_and_journal_leaves_one_uncertain_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_questions(tmp_path, 1)
    faults = [Fault(0)]
    with serve(tmp_path, monkeypatch, lists=False, faults=lambda _: faults.pop() if faults else None):
        run_plain(tmp_path)
        journal = next((tmp_path / "outputs").rglob("journal.jsonl"))
        lines = journal.read_text().splitlines(keepends=True)
        assert '"settled"' in lines[-1]
        journal.write_text("".join(lines[:-1]))  # as if the process had been killed before the last line
        run_plain(tmp_path)
    assert [run.status for run in load_all_runs(tmp_path / "outputs", "first")] == ["uncertain"]
    assert '"settled"' in journal.read_text()


def test_a_dry_run_says_how_many_videos_the_budget_allows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 10)
    monkeypatch.setenv("PLAIN_API_KEY", "a-key-for-tests")
    for usd, allowed in ((1.3, 3), (0.0, 0), (100.0, 10), (None, 10)):
        estimate = estimate_cost(
            ["plain-1"], tmp_path / "questions", "first", tmp_path, catalogue={"plain-1": ROW},
            budget_options=BudgetOptions(usd),
        )  # fmt: skip
        assert estimate.affordable == allowed


def test_a_video_much_shorter_than_requested_gets_a_remark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_questions(tmp_path, 1)
    with serve(tmp_path, monkeypatch):
        summary = run_plain(tmp_path)
    assert [run.status for run in summary.runs] == ["success"]
    assert summary.remarks == ("plain-1 on door_000: the video lasts 0.75 s, and 8 s were requested",)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(max_size=8), inside, max_size=4),
    max_leaves=12,
)


@FUZZ
@given(st.binary(max_size=300) | st.binary(max_size=100).map(lambda tail: b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + tail))
def test_fuzzed_images(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "a.png"
    path.write_bytes(data)
    with suppress(VMEvalKitError):
        read_image(path)


@FUZZ
@given(st.data())
def test_fuzzed_videos(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("fuzz")
    whole = bytearray(make_video(folder, 3))
    for _ in range(data.draw(st.integers(0, 20))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path = folder / "v.mp4"
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
    with suppress(VMEvalKitError):
        check_video(path)


@FUZZ
@given(values, st.sampled_from([Run, Score]))
def test_fuzzed_records(value: Any, kind: type) -> None:
    with suppress(TypeError, ValueError, KeyError, AttributeError):
        from_json(kind, value)


@FUZZ
@given(values, st.text(max_size=20))
def test_fuzzed_provider_answers(body: Any, wait: str) -> None:
    response = ErrorResponse.parse(429, {"retry-after": wait}, body)
    assert isinstance(response.message, str)
    pause = parse_retry_after({"retry-after": wait, "retry-after-ms": wait})
    assert pause is None or pause >= 0


@FUZZ
@given(st.text(max_size=200))
def test_fuzzed_experiment_files(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "e.yaml"
    path.write_bytes(text.encode("utf-8", "replace"))
    with suppress(VMEvalKitError):
        read_experiment(path)
