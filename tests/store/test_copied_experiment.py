"""The place of a folder names its experiment, model, domain and question; its records do not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from vmevalkit.core.errors import StoreError
from vmevalkit.datasets.generate import generate
from vmevalkit.eval.experiment import score_experiment
from vmevalkit.runs.run import RunSummary, run
from vmevalkit.store.runs import find_runs, load_run
from vmevalkit.store.scores import load_scores


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two questions, and the experiment ``a`` with a video of each by the model ``static``."""
    generate(["maze"], 2, out=tmp_path / "questions")
    run_experiment(tmp_path, "a")
    return tmp_path


def run_experiment(data: Path, experiment: str, model: str = "static") -> RunSummary:
    return run([model], data / "questions", experiment, data / "outputs", seconds=0.5)


def score(data: Path, experiment: str) -> list[bool]:
    """Return for each video whether its score was there before."""
    summary = score_experiment(experiment, data / "outputs", data / "evaluations")
    return [result.kept for result in summary.results]


def read_files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.json*"))}


@pytest.mark.slow
def test_a_copied_experiment_is_complete_and_is_scored_under_its_own_name(data: Path) -> None:
    assert score(data, "a") == [False, False]
    verdicts = read_files(data / "evaluations" / "a")
    shutil.copytree(data / "outputs" / "a", data / "outputs" / "b")
    again = run_experiment(data, "b")
    assert (again.made, again.kept) == (0, 2)
    assert {found.experiment for found in again.runs} == {"b"}
    assert score(data, "b") == [False, False]
    assert read_files(data / "evaluations" / "a") == verdicts
    assert set(read_files(data / "evaluations" / "b")) == set(verdicts)


def test_a_renamed_experiment_is_complete(data: Path) -> None:
    (data / "outputs" / "a").rename(data / "outputs" / "b")
    again = run_experiment(data, "b")
    assert (again.made, again.kept) == (0, 2)
    assert not (data / "outputs" / "a").exists()


def test_copied_scores_belong_to_the_experiment_they_are_in(data: Path) -> None:
    score(data, "a")
    shutil.copytree(data / "outputs" / "a", data / "outputs" / "b")
    shutil.copytree(data / "evaluations" / "a", data / "evaluations" / "b")
    assert {(scored.experiment, scored.model) for scored in load_scores(data / "evaluations", "b")} == {("b", "static")}
    assert score(data, "b") == [True, True]


def test_a_folder_names_model_domain_and_question(data: Path) -> None:
    score(data, "a")
    for kind in ("outputs", "evaluations"):
        model = (data / kind / "a" / "static").rename(data / kind / "a" / "my=2Fmodel")
        domain = (model / "maze_task").rename(model / "labyrinth_task")
        (domain / "maze_0000").rename(domain / "first")
    expected = [("a", "my/model", "labyrinth", "first"), ("a", "my/model", "labyrinth", "maze_0001")]
    runs = find_runs(data / "outputs", "a")
    assert [(found.experiment, found.model, found.domain, found.question_id) for found in runs] == expected
    assert all(found.video is not None and found.video.is_file() for found in runs)
    assert [load_run(found.folder) for found in runs] == runs
    scores = load_scores(data / "evaluations", "a")
    assert [(scored.experiment, scored.model, scored.domain, scored.question_id) for scored in scores] == expected


def test_a_run_outside_an_experiment_is_refused(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [found, _] = find_runs(data / "outputs", "a")
    monkeypatch.chdir(found.folder)
    assert load_run(".").question_id == found.question_id
    shutil.copytree(found.folder, data / "alone")
    with pytest.raises(StoreError, match=r"is not in the folder of an experiment; its place must be EXPERIMENT/MODEL"):
        load_run(data / "alone")
