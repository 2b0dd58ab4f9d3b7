"""The check of an installation: it passes here, and tells where a score or a video is not what it should be."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vmevalkit.audit.selftest import DATA, TRIALS, load_cases, run_selftest, write_cases
from vmevalkit.cli.main import make_app
from vmevalkit.core.errors import StoreError
from vmevalkit.eval.scorers import SCORERS
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.kit.scene_task import SceneTask


@pytest.mark.slow
def test_the_videos_of_the_package_have_the_expected_scores() -> None:
    """After a change of the rules: ``make selftest-scores``, and read the diff."""
    done = CliRunner().invoke(make_app(), ["selftest"])
    assert done.exit_code == 0, done.output
    assert f"{len(TRIALS)} of {len(TRIALS)} videos have the expected scores" in done.output


def test_every_task_has_a_video_that_is_right_and_one_that_is_not() -> None:
    cases = load_cases()
    assert [case.name for case in cases] == list(TRIALS)
    for task in (name for name, task in TASKS.items() if not isinstance(task, SceneTask)):
        assert {case.expected["passed"] for case in cases if case.task == task} == {True, False}
    assert sum(path.stat().st_size for path in DATA.iterdir()) < 300_000


@pytest.fixture
def two_cases(tmp_path: Path) -> Path:
    """The two fastest cases in a folder of their own."""
    records = [case for case in json.loads((DATA / "expected.json").read_text()) if case["task"] == "chess"]
    for record in records:
        shutil.copyfile(DATA / record["video"], tmp_path / record["video"])
    (tmp_path / "expected.json").write_text(json.dumps(records))
    return tmp_path


def test_another_score_and_a_damaged_video_are_told(two_cases: Path) -> None:
    records = json.loads((two_cases / "expected.json").read_text())
    records[0]["expected"] |= {"value": 4, "outcome": records[0]["expected"]["outcome"] - 0.01}
    (two_cases / "expected.json").write_text(json.dumps(records))
    with (two_cases / records[1]["video"]).open("ab") as file:
        file.write(b"x")
    first, second = run_selftest(SCORERS["rules"], two_cases)
    assert first.problem == "value is 5, expected 4"
    assert second.problem is not None and "is damaged" in second.problem


def test_scores_are_recorded_again_after_a_change_of_the_rules(two_cases: Path) -> None:
    before = json.loads((two_cases / "expected.json").read_text())
    changed = [{**record, "expected": {"value": 2}} for record in before]
    (two_cases / "expected.json").write_text(json.dumps(changed))
    write_cases(SCORERS["rules"], two_cases, scores_only=True)
    assert json.loads((two_cases / "expected.json").read_text()) == before


def test_an_installation_without_the_videos_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="install vmevalkit again"):
        load_cases(tmp_path)
