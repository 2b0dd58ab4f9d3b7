"""Buckets over real HTTP: errors, slow answers and resets; a push that is killed continues; results are the same."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from vmevalkit.core.errors import ConflictError, SetupError, StoreError, UsageError
from vmevalkit.datasets.generate import generate
from vmevalkit.eval.experiment import score_experiment
from vmevalkit.runs.run import run
from vmevalkit.store import layout

pytestmark = [
    pytest.mark.scale,
    # A connection that the server has reset stays open at our end until it is collected.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    from scale.s3_server import FaultyS3

    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    server = FaultyS3()
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
    import boto3

    boto3.client("s3").create_bucket(Bucket="videos")
    yield server
    server.close()


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with questions, runs and scores."""
    root = tmp_path_factory.mktemp("data")
    generate(["chess"], 6, out=root / "questions")
    run(["oracle", "static"], root / "questions", "first", root / "outputs")
    score_experiment("first", root / "outputs", root / "evaluations")
    (root / "outputs/first/.new-1-leftover").mkdir()
    (root / "outputs/first/.new-1-leftover/half").write_text("half")
    return root


def visible_files(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file())
    names = {path.relative_to(root): path.read_bytes() for path in files}
    return {str(name): content for name, content in names.items() if not any(p.startswith(".") for p in name.parts)}


def call(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "vmevalkit", *words], capture_output=True, text=True, **options)


def check(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_killed_push_continues_and_elsewhere_the_results_are_the_same(
    server: Any, data: Path, tmp_path: Path
) -> None:
    server.faults = {"error": 17, "reset": 31, "slow": 61}
    words = ["push", "s3://videos/team", "--data", str(data)]
    process = subprocess.Popen([sys.executable, "-m", "vmevalkit", *words])
    while len(server.stored) < 30:
        assert process.poll() is None, "it was finished before it was killed"
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = set(server.stored)
    server.stored.clear()
    everything = visible_files(data)
    assert len(before) < len(everything)
    check(call(*words))
    # What was on its way when the process was killed may have been stored without being told.
    assert len(before & set(server.stored)) <= 8
    assert len(before | set(server.stored)) == len(everything)
    assert "0 files sent" in check(call(*words))
    server.faults = {"error": 17, "reset": 31, "slow": 61, "break": 41}
    other = tmp_path / "elsewhere"
    check(call("pull", "s3://videos/team", "--data", str(other)))
    assert visible_files(other) == everything
    assert set(server.injected) == {"error", "reset", "slow", "break"}
    server.faults = {}
    environment = {**os.environ, "VMEVALKIT_DATA": str(other)}
    assert "12 kept; 6 passed" in check(call("score", "--experiment", "first", env=environment))
    check(call("report", "--experiment", "first", env=environment))
    for path in (other / "evaluations").rglob("*.json"):
        path.unlink()
    check(call("score", "--experiment", "first", env=environment))
    here, there = (call("results", "--experiment", "first", env={**environment, "VMEVALKIT_DATA": str(root)})
                   for root in (data, other))  # fmt: skip
    assert check(here) == check(there)


def test_records_are_stored_after_all_of_their_files(server: Any, data: Path) -> None:
    from vmevalkit.store.bucket import push

    push(data, "s3://videos/order")
    names = [name.removeprefix("/videos/order/") for name in server.stored]
    last_file = max(i for i, name in enumerate(names) if name.endswith((".png", ".mp4", ".txt")))
    first_record = min(i for i, name in enumerate(names) if name.endswith(layout.QUESTION_RECORD))
    last_question = max(i for i, name in enumerate(names) if name.endswith(layout.QUESTION_RECORD))
    first_run = min(i for i, name in enumerate(names) if name.endswith("/" + layout.RUN_RECORD))
    last_run = max(i for i, name in enumerate(names) if name.endswith("/" + layout.RUN_RECORD))
    first_score = min(i for i, name in enumerate(names) if name.endswith("RuleEvaluator.json"))
    assert last_file < first_record and last_question < first_run and last_run < first_score
    assert names[-1] == "questions/vmeval_dataset.json" or names[-2] == "questions/vmeval_dataset.json"
    assert not any("/." in name for name in names)


def test_one_experiment_and_conflicts(server: Any, data: Path, tmp_path: Path) -> None:
    from vmevalkit.store.bucket import pull, push

    push(data, "s3://videos/x", "first")
    assert all("/first/" in name for name in server.stored)
    pull("s3://videos/x", tmp_path, "first")
    score = next((tmp_path / "evaluations").rglob("RuleEvaluator.json"))
    original = score.read_bytes()
    score.write_text("{}")
    with pytest.raises(ConflictError, match=r"1 files in .* another content"):
        pull("s3://videos/x", tmp_path)
    with pytest.raises(ConflictError, match=r"1 objects below .* another content"):
        push(tmp_path, "s3://videos/x", "first")
    assert pull("s3://videos/x", tmp_path, force=True).copied == 1
    assert score.read_bytes() == original
    with pytest.raises(StoreError, match="no experiment 'second'"):
        pull("s3://videos/x", tmp_path, "second")
    with pytest.raises(StoreError, match="check the name of the bucket"):
        push(data, "s3://missing/x")
    with pytest.raises(UsageError, match="s3://BUCKET/PREFIX"):
        push(data, "gs://videos/x")


def test_a_large_file_in_several_parts_is_compared_by_its_digest(server: Any, tmp_path: Path) -> None:
    from vmevalkit.store.bucket import pull, push

    large = tmp_path / "here/outputs/e/video.mp4"
    large.parent.mkdir(parents=True)
    large.write_bytes(os.urandom(1 << 20) * 60)
    push(tmp_path / "here", "s3://videos/large")
    assert push(tmp_path / "here", "s3://videos/large").kept == 1
    pull("s3://videos/large", tmp_path / "there")
    assert (tmp_path / "there/outputs/e/video.mp4").read_bytes() == large.read_bytes()


def test_an_object_cannot_leave_the_data_folder(server: Any, tmp_path: Path) -> None:
    import boto3

    from vmevalkit.store.bucket import pull

    for key in ("odd/../../evil.txt", "odd/.hidden/a.txt", "odd/outputs/good.txt"):
        boto3.client("s3").put_object(Bucket="videos", Key=key, Body=b"1")
    pull("s3://videos/odd", tmp_path / "data")
    assert list(visible_files(tmp_path)) == ["data/outputs/good.txt"]


def test_missing_credentials_are_told(server: Any, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from vmevalkit.store.bucket import push

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(SetupError, match="set AWS_ACCESS_KEY_ID"):
        push(data, "s3://videos/x")
