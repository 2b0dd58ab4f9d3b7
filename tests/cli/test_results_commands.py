"""``results``, ``compare`` and ``power`` as a user calls them, and what ``score``, ``run`` and ``experiment`` print."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner, Result

from vmevalkit.cli.main import make_app
from vmevalkit.datasets.generate import generate
from vmevalkit.eval.experiment import score_experiment
from vmevalkit.runs.experiment_file import read_experiment
from vmevalkit.runs.run import run


@pytest.fixture(scope="module")
def experiments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two mazes and sudokus with videos of ``oracle``, ``static`` and ``halfway`` (mazes only).

    The experiment ``first`` is scored, and ``raw`` is not.
    """
    root = tmp_path_factory.mktemp("experiments")
    questions, outputs = root / "data" / "questions", root / "data" / "outputs"
    generate(["maze", "sudoku"], n=2, seed=1, out=questions)
    run(["oracle", "static"], questions, "first", outputs, seconds=1.0)
    run(["halfway"], questions, "first", outputs, domains=["maze"], seconds=1.0)
    shutil.copytree(outputs / "first", outputs / "raw")
    score_experiment("first", outputs, root / "data" / "evaluations")
    return root


@pytest.fixture(autouse=True)
def in_a_copy(experiments: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(experiments / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path)


def call(line: str) -> Result:
    result = CliRunner().invoke(make_app(), line.split())
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result


def good(line: str) -> str:
    result = call(line)
    assert result.exit_code == 0, result.output
    return result.stdout


def bad(line: str) -> tuple[int, str]:
    result = call(line)
    return result.exit_code, result.stderr.strip()


@pytest.mark.slow
def test_score_ends_with_the_rates() -> None:
    lines = good("score --experiment first").splitlines()
    assert lines[0] == "first: 0 scored, 10 kept; 4 passed, 0 without a verdict"
    assert lines[1].split()[:4] == ["model", "domain", "rate", "95%"]
    assert lines[4].split() == ["oracle", "all", "100%", "51%", "to", "100%", "4", "4", "5.00"]
    notes = [line for line in lines if line.startswith("- ")]
    assert notes[1].startswith("- the models have scores for different questions (halfway 2, oracle 4, static 4)")
    assert notes[-1] == (
        "- no score of the reference baselines cut_to_final and noise; to add them: vmevalkit run --model "
        "cut_to_final noise --experiment first && vmevalkit score --experiment first"
    )
    assert lines[-1] == "next: vmevalkit report --experiment first"


@pytest.mark.slow
def test_the_named_commands_add_the_reference_baselines() -> None:
    note = good("results --experiment first").splitlines()[-1]
    run_line, score_line = note.partition("to add them: ")[2].split(" && ")
    good(run_line.removeprefix("vmevalkit ") + " --seconds 0.5")
    good(score_line.removeprefix("vmevalkit "))
    out = good("results --experiment first")
    assert "to add" not in out
    assert "- reference baselines, whose videos show no reasoning: static 0%" in out


def test_results_in_several_formats_and_groups() -> None:
    table = good("results --experiment first --by model")
    assert table.splitlines()[1].startswith("oracle")
    result = call("results --experiment first --by domain difficulty --format json")
    assert [row["domain"] for row in json.loads(result.stdout)] == ["maze", "sudoku"]
    assert "- each line pools 2 models" in result.stderr
    assert good("results --experiment first --out rates.csv") == "rates.csv: 8 rows\n"
    assert Path("rates.csv").read_text().startswith("model,domain,rate,low,high,questions,videos,")
    assert good("results --experiment first --rows --out scores.parquet") == "scores.parquet: 10 rows\n"
    assert pd.read_parquet("scores.parquet")["success"].sum() == 4
    assert good("results --experiment first --by failure_mode --format markdown").startswith("| failure_mode | share |")
    assert "\\begin{tabular}" in good("results --experiment first --format latex")


def test_mixed_scorers_have_their_own_lines() -> None:
    for path in Path("data/evaluations/first/oracle").rglob("RuleEvaluator.json"):
        record = json.loads(path.read_text())
        record["metadata"]["evaluator"] = "Judge"
        path.with_name("Judge.json").write_text(json.dumps(record))
    out = good("results --experiment first --by model")
    assert "- Judge and RuleEvaluator judge by different rules" in out
    assert "6 not scored yet" in out
    assert "Judge" not in good("results --experiment first --by model --scorer RuleEvaluator")
    assert good("results --experiment first --rows --scorer Judge --out judge.csv") == "judge.csv: 4 rows\n"
    assert good("compare oracle static --experiment first").count("oracle against static in 'first', by ") == 2


def test_compare_says_what_is_shown() -> None:
    out = good("compare oracle halfway --experiment first --margin 0.1")
    assert "2 questions have scores of both models." in out
    assert "Left out: 2 questions that only oracle has scores for." in out
    assert "sudoku: the two models have no question in common" in out
    [found] = json.loads(good("compare oracle static --experiment first --format json"))
    assert (found["overall"]["common"], found["overall"]["difference"]["value"]) == (4, 1.0)


def test_analyze_prints_every_section_and_writes_records() -> None:
    text = good("analyze --experiment first --trees 10")
    assert "Mixed model" in text and "Temporal metrics" in text and "since" in text
    assert "the baselines static are not part of it" in text
    good("analyze --experiment first --trees 10 --out analysis.json")
    [record] = json.loads(Path("analysis.json").read_text())
    assert record["scorer"] == "RuleEvaluator" and record["demand"]["domains"]["sudoku"]["complexity"]
    assert good("analyze --experiment first --trees 10 --format markdown").startswith("## Scores of RuleEvaluator")
    assert "score first: vmevalkit score --experiment raw" in bad("analyze --experiment raw")[1]
    assert "did you mean" in bad("analyze --experiment first --scorer RuleEvaluater")[1]
    assert "format of an analysis" in bad("analyze --experiment first --format xml")[1]


def test_analyze_writes_csv_and_latex_beside_its_text() -> None:
    out = good("analyze --experiment first --trees 10 --out an/analysis.md")
    assert out == "an/analysis.md, an/analysis.csv, an/analysis.tex: 1 analysis\n"
    cells = pd.read_csv("an/analysis.csv")
    assert list(cells.columns) == ["scorer", "section", "line", "column", "value"]
    rate = cells.query("section == 'Scores of RuleEvaluator' and line == 1 and column == 'rate'")["value"].item()
    assert float(rate) == 1.0
    latex = Path("an/analysis.tex").read_text()
    assert latex.count(r"\begin{table}") == latex.count(r"\end{tabular}") > 3 and r"std\_success" in latex
    assert Path("an/analysis.md").read_text().startswith("## Scores")
    assert good("analyze --experiment first --trees 10 --format csv").startswith("scorer,section,line,column,value\n")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_table_of_scores_stands_in_for_an_experiment(suffix: str) -> None:
    good(f"results --experiment first --rows --out rows.{suffix}")
    assert good(f"results --from rows.{suffix}").splitlines()[:5] == good("results --experiment first").splitlines()[:5]
    assert "vmevalkit" not in good(f"results --from rows.{suffix}")
    assert good(f"compare oracle static --from rows.{suffix}") == good("compare oracle static --experiment first")
    text = good(f"analyze --from rows.{suffix} --trees 10")
    assert "Mixed model" in text
    assert good(f"report --from rows.{suffix} --out rep") == "report: rep/index.html\n"
    for command in ("results", "compare a b", "analyze", "report"):
        code, error = bad(command)
        assert code == 2 and "--experiment, or a table of scores with --from; neither is given" in error
        assert "both are given" in bad(f"{command} --from rows.{suffix} --experiment first")[1]
        assert bad(f"{command} --from none.csv") == (1, "error: there is no file none.csv")


def test_rates_and_tests_by_cognitive_group() -> None:
    rates = good("results --experiment first --by model group --format csv")
    assert "planning" in rates and "deduction" in rates
    [found] = json.loads(good("compare oracle static --experiment first --by group --format json"))
    assert set(found["domains"]) == {"deduction", "planning"}
    good("analyze --experiment first --trees 10 --by group --out groups.json")
    [record] = json.loads(Path("groups.json").read_text())
    assert record["domains"] == ["deduction", "planning"]
    assert "did you mean 'group'" in bad("compare oracle static --experiment first --by grouped")[1]


def test_power_answers_in_sentences() -> None:
    out = good("power --n 75 --rates 0.5 0.4")
    assert "takes 387 questions" in out
    assert len(good("power --rates 0.3").splitlines()) == 3
    assert bad("power --rates 0.1 0.2 0.3") == (2, "error: --rates has 3 numbers; give one or two")
    assert bad("power --n 1")[0] == 2


def test_what_is_missing_or_misspelt_gets_one_line() -> None:
    assert bad("results --experiment frist") == (
        2, "error: no experiment 'frist' in data/outputs or data/evaluations; did you mean 'first'?",
    )  # fmt: skip
    Path("data/outputs/empty").mkdir()
    assert bad("results --experiment empty") == (
        1,
        "error: there are no runs and no scores in empty; generate videos first: "
        "vmevalkit run --model MODEL --experiment empty",
    )
    assert bad("compare a b --experiment empty")[0] == 1
    assert good("results --experiment raw") == "- no video is scored; run: vmevalkit score --experiment raw\n"
    assert bad("compare oracle static --experiment raw") == (
        1, "error: no video is scored; score first: vmevalkit score --experiment raw",
    )  # fmt: skip
    assert bad("compare orakle static --experiment first") == (
        2, "error: no model 'orakle' in the results of first; did you mean 'oracle'?",
    )  # fmt: skip
    assert bad("results --experiment first --by modle")[1].endswith("did you mean 'model'?")
    assert bad("results --experiment first --format parquet")[0] == 2
    assert bad("compare oracle static --experiment first --format xml")[0] == 2


@pytest.mark.slow
def test_baselines_run_beside_the_models_where_asked() -> None:
    out = good("run --model oracle --with-baselines --experiment second --task maze --seconds 1")
    assert out.startswith("second: 8 run, 0 kept; 8 videos")
    assert {path.name for path in Path("data/outputs/second").iterdir()} == {
        "oracle",
        "static",
        "cut_to_final",
        "noise",
    }


@pytest.mark.slow
def test_an_experiment_runs_the_baselines_unless_its_file_says_no() -> None:
    text = "name: third\nmodels: [oracle, static]\ntasks: [maze]\nn: 1\nseed: 1\nseconds: 1\nquestions: data/q\n"
    Path("third.yaml").write_text(text)
    out = good("experiment third.yaml")
    assert "third: 4 run, 0 kept" in out
    assert "- reference baselines, whose videos show no reasoning: static 0%" in out
    assert "to add" not in out
    Path("without.yaml").write_text(text.replace("third", "fourth") + "baselines: false\n")
    assert "fourth: 2 run, 0 kept" in good("experiment without.yaml")
    assert read_experiment("third.yaml").all_models == ("oracle", "static", "cut_to_final", "noise")
    Path("wrong.yaml").write_text(text + "baselines: 1\n")
    assert bad("experiment wrong.yaml") == (2, "error: wrong.yaml: baselines is 1; it must be true or false")
