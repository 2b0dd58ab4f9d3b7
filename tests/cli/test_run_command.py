"""``vmevalkit run`` on remote models, and ``vmevalkit experiment``, as a user calls them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from emulators import plain
from vmevalkit.cli.main import make_app
from vmevalkit.core.errors import UsageError
from vmevalkit.core.registry import Registry
from vmevalkit.media.video import write_video
from vmevalkit.models import catalogue
from vmevalkit.runs.experiment_file import read_experiment
from vmevalkit.store.scores import load_scores

PAPER = Path(__file__).parents[2] / "experiments" / "paper.yaml"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[plain.PlainServer]:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_BASE_URL", "GOOGLE_VERTEX_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("VMEVALKIT_MODELS", str(sys.modules[plain.__name__].__file__))
    monkeypatch.setenv("PLAIN_API_KEY", "a-key-for-tests")
    monkeypatch.setattr(catalogue, "MODELS", Registry("model", catalogue.find_models))
    write_video(tmp_path / "video.mp4", [np.full((36, 64, 3), 40 * i, np.uint8) for i in range(6)], 8)
    with plain.PlainServer((tmp_path / "video.mp4").read_bytes()).running() as running:
        monkeypatch.setenv("PLAIN_BASE_URL", running.url)
        yield running


def call(line: str) -> Result:
    result = CliRunner().invoke(make_app(), line.split())
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result


def test_a_dry_run_then_a_budget_then_the_rest(server: plain.PlainServer) -> None:
    call("generate --task maze --n 4")
    line = "run --model plain-1 --experiment first"
    estimate = call(f"{line} --dry-run --per-minute 2 --max-usd 3")
    assert estimate.exit_code == 0
    assert estimate.stdout.splitlines() == [
        "plain-1: 4 of 4 videos for $1.60, at least 2 min; all new",
        "  no support for auto_pad, temperature",
        "total $1.60; $0.00 spent before, $3.00 allowed; nothing was ordered",
    ]
    assert (server.orders, Path("data/outputs").exists()) == ({}, False)

    short = call(f"{line} --max-usd 1")
    assert short.exit_code == 1
    assert "first: 2 run, 0 kept; 2 videos, 0 failed; $0.80 spent" in short.stdout
    assert (
        "the budget is reached: $0.80 of $1.00 are spent, and 2 videos were not ordered; raise --max-usd"
        in short.stderr
    )
    assert "plain-1: no support for auto_pad, temperature" in short.stderr
    assert "2 kept" in call(f"{line} --dry-run").stdout
    assert call(f"{line} --shard 1/1 --limit 1").stdout.startswith("first: 1 run, 2 kept")
    assert call(f"{line} --size 640x360").stdout.startswith("first: 1 run, 3 kept")
    assert len(server.orders) == 4


def test_failed_and_uncertain_jobs_set_the_exit_code(server: plain.PlainServer) -> None:
    call("generate --task maze --n 1")
    server.verdict = lambda _: {"state": "refused", "reason": "not nice"}
    result = call("run --model plain-1 --experiment first")
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (1, "failed: plain-1 on maze_0000: refused: not nice")
    server.faults = lambda kind: plain.Fault(500) if kind == "order" else None
    result = call("run --model plain-1 --experiment second")
    assert result.exit_code == 1
    assert "failed: plain-1 on maze_0000: uncertain: Uncertain: answer 500; a video may have been" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--shard 5", "error: --shard '5' is not of the form I/N, such as 1/4"),
        ("--shard 3/2", "error: --shard 3/2 does not exist; shards go from 1/2 to 2/2"),
        ("--size big", "error: --size 'big' is not of the form WIDTHxHEIGHT, such as 1280x720"),
        ("--prompt-variant emty", "error: no prompt variant 'emty'; did you mean 'empty'?"),
        ("--seconds 5", "error: plain-1 does not support videos of 5 s; use one of 4, 8 s"),
        ("--max-usd -1", "error: --max-usd is -1; it must be a number of dollars, 0 or more"),
        ("--max-usd nan", "error: --max-usd is nan; it must be a number of dollars, 0 or more"),
        ("--assume-usd -0.5", "error: --assume-usd is -0.5; it must be a number of dollars, 0 or more"),
    ],
)
def test_wrong_options_are_one_line(server: plain.PlainServer, options: str, message: str) -> None:
    call("generate --task maze --n 1")
    result = call(f"run --model plain-1 --experiment first {options}")
    assert (result.exit_code, result.stderr.strip()) == (2, message)
    assert not Path("data/outputs").exists()


@pytest.mark.slow
def test_an_experiment_runs_every_stage(server: plain.PlainServer) -> None:
    Path("two.yaml").write_text(
        "name: two\nmodels: [oracle, plain-1]\ntasks: [maze]\nn: 2\nseed: 7\nsamples: 2\nscorers: [rules]\nseconds: 4\n"
        "baselines: false\n"
    )
    estimate = call("experiment two.yaml --dry-run")
    assert "plain-1: 4 of 4 videos for $0.80" in estimate.stdout
    assert server.orders == {}
    result = call("experiment two.yaml")
    assert result.exit_code == 0, result.output
    assert "two: 8 run, 0 kept; 8 videos, 0 failed; $0.80 spent" in result.stdout
    assert "two, rules: 8 scored, 0 kept; 4 passed, 0 without a verdict" in result.stdout
    assert "report: data/reports/two/index.html" in result.stdout
    assert len(load_scores("data/evaluations", "two")) == 8
    retry = call("experiment two.yaml --max-usd 0.8")
    assert "two: 0 run, 8 kept" in retry.stdout
    assert len(server.orders) == 4


@pytest.mark.slow
def test_an_experiment_continues_after_a_failure_and_sets_the_exit_code(server: plain.PlainServer) -> None:
    Path("two.yaml").write_text(
        "name: two\nmodels: [oracle, plain-1]\ntasks: [maze]\nn: 1\nscorers: [rules]\nseconds: 4\nbaselines: false\n"
    )
    server.verdict = lambda _: {"state": "refused", "reason": "not nice"}
    result = call("experiment two.yaml")
    assert result.exit_code == 1
    assert "failed: plain-1 on maze_0000: refused: not nice" in result.stderr
    assert "two, rules: 1 scored, 0 kept; 1 passed, 0 without a verdict" in result.stdout
    assert Path("data/reports/two/index.html").is_file()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: a\nmodels: [oracle]\ntasks: [maze]\nn: 1\nsampels: 2\n", "'sampels'; did you mean 'samples'?"),
        ("name: a\nmodels: [oracle]\nn: 1\n", "bad.yaml lacks tasks"),
        ("name: a\nmodels: oracle\ntasks: [maze]\nn: 1\n", "models is 'oracle'; it must be a list"),
        ("name: a\nmodels: []\ntasks: [maze]\nn: 1\n", "models is an empty list"),
        ("name: a\nmodels: [oracle]\ntasks: [maze]\nn: many\n", "n is 'many'; it must be a whole number"),
        ("name: a\nmodels: [oracle]\ntasks: [maze]\nn: true\n", "n is True; it must be a whole number"),
        ("name: a\nmodels: [1]\ntasks: [maze]\nn: 1\n", "an item of bad.yaml: models is 1; it must be text"),
        ("name: a\nmodels: [oracle]\ntasks: [mase]\nn: 1\n", "no task 'mase'; did you mean 'maze'?"),
        ("name: a\nmodels: [orakle]\ntasks: [maze]\nn: 1\n", "no model 'orakle'; did you mean 'oracle'?"),
        ("name: a\nmodels: [oracle]\ntasks: [maze]\nn: 1\nscorers: [rulez]\n", "no scorer 'rulez'"),
        ("- a\n", "bad.yaml has no keys; it needs name, models, tasks and n"),
        ("a: [\n", "bad.yaml is not YAML"),
    ],
)
def test_a_wrong_experiment_file_is_refused_before_anything_is_made(
    server: plain.PlainServer, text: str, message: str
) -> None:
    Path("bad.yaml").write_text(text)
    result = call("experiment bad.yaml")
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr
    assert result.stderr.count("\n") == 1
    assert not Path("data").exists()


def test_the_paper_s_protocol_is_six_models_five_domains_and_fifteen_questions() -> None:
    page = read_experiment(PAPER)
    assert len(page.models) * len(page.tasks) * page.n == 450
    assert set(page.models) <= set(catalogue.MODELS)
    assert set(page.tasks) == {"chess", "maze", "raven", "rotation", "sudoku"}
    retired = [name for name in page.models if catalogue.MODELS[name].status == "retired"]
    assert retired == ["openai-sora-2", "veo-3.0-generate"]
    with pytest.raises(UsageError, match="retired"):
        catalogue.MODELS["openai-sora-2"].refuse_retired()


@pytest.mark.parametrize(
    "line", [f"experiment {PAPER}", f"experiment {PAPER} --dry-run", "run --model openai-sora-2 veo-3.0-generate"]
)
def test_all_retired_models_are_named_at_once_before_anything_is_made(server: plain.PlainServer, line: str) -> None:
    result = call(f"{line} --experiment a" if line.startswith("run") else line)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "openai-sora-2 is retired by openai since 2026-09-24; use veo-3.1-generate instead" in result.stderr
    assert "veo-3.0-generate is retired by vertex since 2026-06-30; use veo-3.1-generate instead" in result.stderr
    assert "or set GOOGLE_VERTEX_BASE_URL to a service that still offers it" in result.stderr
    assert not Path("data").exists()


def test_a_model_that_needs_a_prompt_refuses_the_empty_control_before_the_run(server: plain.PlainServer) -> None:
    call("generate --task maze --n 1")
    for option in ("--dry-run", ""):
        result = call(f"run --model gemini-omni-1.2-flash --experiment a --prompt-variant empty {option}")
        assert (result.exit_code, result.stderr.strip()) == (
            2, "error: gemini-omni-1.2-flash does not accept an empty prompt; leave it out of this comparison",
        )  # fmt: skip
