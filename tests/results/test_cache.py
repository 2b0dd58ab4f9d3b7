"""The cache of the table: what is read again, and what happens to a damaged one."""

from __future__ import annotations

import json
import logging
import os
import shutil
from pathlib import Path
from random import Random

import pandas as pd
import pytest

from vmevalkit.results import cache
from vmevalkit.results.reader import ExperimentReader
from vmevalkit.results.table import load_results


def load(data: Path) -> pd.DataFrame:
    return load_results("first", outputs=data / "outputs", evaluations=data / "evaluations")


def count_reads(data: Path) -> int:
    """Return how many files the next call would read."""
    reader = ExperimentReader("first", data / "outputs", data / "evaluations")
    for score in reader.read_scores(runs := reader.read_runs()):
        if score.run is not None:
            reader.read_question_of_run(score.run)
    assert runs
    return reader.read_count


def cache_of(data: Path) -> Path:
    return cache.cache_file(data / "evaluations", "first")


def score_of(data: Path, model: str, question: str) -> Path:
    domain = question.split("_")[0]
    return data / "evaluations" / "first" / model / f"{domain}_task" / question / "RuleEvaluator.json"


def change_value(path: Path, value: int) -> None:
    record = json.loads(path.read_text())
    record["result"] |= {"value": value, "solved": True, "passed": True}
    path.write_text(json.dumps(record))


@pytest.mark.slow
def test_only_files_that_changed_are_read_again(data: Path) -> None:
    assert count_reads(data) == 12 + 12 + 6  # scores, runs and questions
    before = load(data)
    assert count_reads(data) == 0
    pd.testing.assert_frame_equal(load(data), before)
    change_value(score_of(data, "static", "maze_0001"), 4)
    assert count_reads(data) == 1
    after = load(data)
    changed = after["value"] != before["value"]
    assert after.loc[changed, ["model", "question", "value"]].values.tolist() == [["static", "maze_0001", 4]]


def test_a_file_of_the_same_size_and_time_is_read_again_when_it_was_replaced(data: Path) -> None:
    load(data)
    path = score_of(data, "static", "maze_0001")
    other = path.with_name("other")
    other.write_text(path.read_text().replace('"value":1', '"value":2'))
    assert other.stat().st_size == path.stat().st_size
    os.utime(other, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    other.replace(path)
    assert count_reads(data) == 1
    assert load(data).set_index(["model", "question"])["value"]["static", "maze_0001"] == 2


def test_entries_of_removed_files_go(data: Path) -> None:
    load(data)
    size = cache_of(data).stat().st_size
    shutil.rmtree(data / "evaluations/first/static")
    shutil.rmtree(data / "outputs/first/static")
    assert len(load(data)) == 6
    assert cache_of(data).stat().st_size < size
    assert count_reads(data) == 0


def test_an_unchanged_cache_is_not_written(data: Path) -> None:
    load(data)
    before = cache_of(data).stat()
    load(data)
    after = cache_of(data).stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)


@pytest.mark.parametrize("length", [0, 3, 200, 2000])
def test_a_torn_cache_is_built_again(data: Path, length: int, caplog: pytest.LogCaptureFixture) -> None:
    frame = load(data)
    path = cache_of(data)
    path.write_bytes(path.read_bytes()[:length])
    with caplog.at_level(logging.WARNING):
        pd.testing.assert_frame_equal(load(data), frame)
    assert "is damaged" in caplog.text
    assert count_reads(data) == 0


def test_a_flipped_byte_never_changes_the_table(data: Path) -> None:
    frame = load(data)
    path = cache_of(data)
    good = path.read_bytes()
    rng = Random("flips")
    for _ in range(25):
        place = rng.randrange(len(good))
        path.write_bytes(good[:place] + bytes([good[place] ^ (1 << rng.randrange(8))]) + good[place + 1 :])
        pd.testing.assert_frame_equal(load(data), frame)


def test_a_cache_of_another_version_is_built_again(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(data)
    monkeypatch.setattr(cache, "VERSION", "2")
    assert count_reads(data) == 30


def test_an_experiment_that_cannot_be_written_has_a_table(
    data: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    cache_of(data).mkdir()  # a folder in the place of the file: even root cannot replace it
    assert len(load(data)) == 12
    assert "the results are not cached" in caplog.text


def test_without_scores_nothing_is_written(data: Path) -> None:
    shutil.rmtree(data / "evaluations")
    frame = load(data)
    assert frame["reason"].tolist() == ["the video is not scored yet"] * 12
    assert not (data / "evaluations").exists()
