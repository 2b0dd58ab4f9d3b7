"""Rates of groups: their intervals, what they leave out, and the notes below the table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from made_frames import make_rows, make_scores

from vmevalkit.core.errors import UnknownName
from vmevalkit.results.columns import make_frame
from vmevalkit.results.rate_table import RateTable, make_rate_table
from vmevalkit.results.selection import LeftOut
from vmevalkit.results.summary import GroupRate, summarize
from vmevalkit.results.table import NOT_SCORED, REASONS
from vmevalkit.stats.intervals import wilson

SORA = {"sudoku": 14, "raven": 11, "maze": 13, "rotation": 2, "chess": 11}
VEO = {"sudoku": 15, "raven": 9, "maze": 8, "rotation": 3, "chess": 0}


def successes(counts: dict[str, int], n: int = 15) -> dict[str, list[int]]:
    return {domain: [5] * count + [1] * (n - count) for domain, count in counts.items()}


def by_name(rates: list[GroupRate], *names: str) -> dict[tuple[str, ...], GroupRate]:
    return {tuple(rate.group[name] for name in names): rate for rate in rates}


def notes_of(frame: pd.DataFrame, **given: str) -> str:
    return "\n".join(make_rate_table(frame, **given).notes)  # type: ignore[arg-type]


def test_the_published_rates_and_their_intervals() -> None:
    frame = make_scores({"veo-3": successes(VEO), "sora-2": successes(SORA)})
    models = summarize(frame, ["model"])
    assert [rate.group["model"] for rate in models] == ["sora-2", "veo-3"]  # the best is first
    assert models[0].rate.value == pytest.approx(51 / 75)
    assert (models[0].rate.low, models[0].rate.high) == pytest.approx(wilson(51, 75))
    assert (models[0].rate.n, models[0].videos) == (75, 75)
    cells = by_name(summarize(frame, ["model", "domain"]), "model", "domain")
    assert cells["veo-3", "chess"].rate.value == 0.0
    assert (cells["sora-2", "maze"].rate.low, cells["sora-2", "maze"].rate.high) == pytest.approx(wilson(13, 15))


def test_samples_of_one_question_are_not_more_questions() -> None:
    rows = [row for sample in range(4) for row in make_rows({"m": {"maze": [5, 5, 1, 1]}}, sample=sample)]
    [rate] = summarize(make_frame(rows), ["model"])
    assert (rate.rate.n, rate.videos) == (4, 16)
    assert (rate.rate.low, rate.rate.high) == pytest.approx(wilson(2, 4))


def test_what_is_left_out_is_counted_by_reason() -> None:
    rows = make_rows({"m": {"maze": [5, 1, None, 5, 5, 5]}})
    rows[3] |= {"is_current": False, "value": None, "success": None, "reason": REASONS["outdated"]}
    rows[4] |= {"scorer": None, "is_current": None, "value": None, "success": None, "reason": NOT_SCORED}
    rows[5] |= {"scorer": None, "is_current": None, "value": None, "success": None, "status": "failed", "reason": "x"}
    removed = make_rows({"m": {"doors": [5]}})
    removed[0] |= {"is_current": False, "value": None, "success": None, "reason": REASONS["without_run"]}
    frame = make_frame(rows + removed)
    [rate] = summarize(frame, ["model"])
    assert (rate.rate.value, rate.videos, rate.left_out) == (0.5, 2, LeftOut(1, 1, 1, 1))
    assert str(rate.left_out) == "1 unscored, 1 outdated, 1 not scored yet, 1 without a video"
    assert (rate.attempted.total, rate.attempted.lowest) == (6, pytest.approx(1 / 6))
    assert rate.attempted.highest == pytest.approx(4 / 6)  # a run without a video is a failure
    notes = notes_of(frame)
    assert f"the rates leave out 4 videos: {rate.left_out}; to score them: vmevalkit score --experiment first" in notes


def test_each_scorer_has_its_own_rates() -> None:
    rules = make_rows({"m": {"maze": [5, 5, 1]}})
    judge = make_rows({"m": {"maze": [1, 5]}}, scorer="Judge")
    frame = make_frame(rules + judge)
    found = {rate.scorer: rate for rate in summarize(frame, ["model"])}
    assert (found["RuleEvaluator"].rate.value, found["Judge"].rate.value) == (pytest.approx(2 / 3), 0.5)
    assert found["Judge"].left_out == LeftOut(not_scored=1)
    table = make_rate_table(frame)
    assert [row["scorer"] for row in table.texts] == ["Judge", "RuleEvaluator"]
    assert table.notes[0] == "Judge and RuleEvaluator judge by different rules: compare rates within one scorer only"
    only = make_rate_table(frame, scorer="Judge")
    assert [rate.scorer for rate in only.rates] == ["Judge"]
    assert "scorer" not in only.texts[0]
    assert only.rates[0].left_out == LeftOut(not_scored=1)
    with pytest.raises(UnknownName, match="did you mean 'Judge'"):
        make_rate_table(frame, scorer="Juge")


def test_labels_of_several_people_are_of_one_video() -> None:
    rows = [row | {"annotator": name} for name in ("Ann", "Bob", "Eve") for row in make_rows({"m": {"maze": [5, 1]}})]
    rows[0] |= {"value": 1, "success": False}  # Ann disagrees
    [rate] = summarize(make_frame(rows), ["model"])
    assert (rate.rate.n, rate.videos) == (2, 2)
    assert rate.rate.value == pytest.approx((2 / 3 + 0) / 2)
    assert rate.attempted.lowest == pytest.approx(rate.rate.value)


def test_groups_by_tag_and_by_failure_mode() -> None:
    rows = make_rows({"m": {"chess": [5, 1, 1]}})
    rows[0]["tags"], rows[1]["tags"] = ["rook", "back_rank"], ["rook"]
    frame = make_frame(rows)
    tags = by_name(summarize(frame, ["tag"]), "tag")
    assert {tag: rate.rate.value for (tag,), rate in tags.items()} == {"(none)": 0.0, "back_rank": 1.0, "rook": 0.5}
    modes = by_name(summarize(frame, ["model", "failure_mode"]), "failure_mode")
    assert {mode: rate.rate.value for (mode,), rate in modes.items()} == {
        "none": pytest.approx(1 / 3), "partial": pytest.approx(2 / 3),
    }  # fmt: skip
    table = make_rate_table(frame, ["failure_mode"])
    assert "share" in table.texts[0]
    assert table.records[0]["rate"] == pytest.approx(1 / 3)


def test_the_table_has_a_line_for_all_domains_after_each_model() -> None:
    frame = make_scores({"b": successes({"maze": 1, "chess": 1}, 3), "a": successes({"maze": 3, "chess": 2}, 3)})
    lines = [(row["model"], row["domain"], row["rate"]) for row in make_rate_table(frame).texts]
    assert lines == [
        ("a", "chess", "67%"), ("a", "maze", "100%"), ("a", "all", "83%"),
        ("b", "chess", "33%"), ("b", "maze", "33%"), ("b", "all", "33%"),
    ]  # fmt: skip
    two = make_frame(make_rows({"a": {"maze": [5]}}) + make_rows({"a": {"maze": [1]}}, experiment="second"))
    assert [row["experiment"] for row in make_rate_table(two).texts] == ["first", "second"]


def test_an_unknown_group_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="no group 'dificulty'; did you mean 'difficulty'"):
        summarize(make_scores({"m": {"maze": [5]}}), ["dificulty"])


def test_notes_about_small_and_extreme_results() -> None:
    assert "one model, m: there is nothing to rank" in notes_of(make_scores({"m": {"maze": [5, 1]}}))
    assert "2 questions only" in notes_of(make_scores({"m": {"maze": [5, 1]}}))
    assert "every scored video succeeds (6)" in notes_of(make_scores({"a": {"maze": [5] * 3}, "b": {"maze": [4] * 3}}))
    assert "no scored video succeeds (2)" in notes_of(make_scores({"m": {"maze": [1, 3]}}))
    assert "no video has a score that counts" in notes_of(make_scores({"m": {"maze": [None]}}))
    table = make_rate_table(make_scores({"m": {"maze": [None]}}))
    [line] = table.texts
    assert (line["rate"], line["95% interval"], line["left out"]) == ("-", "-", "1 unscored")
    one = make_scores({"a": {"maze": [5]}, "b": {"maze": [1]}})
    assert "no ranks: a ranking needs two questions that two models have scores for, there are 1" in notes_of(one)
    pooled = make_rate_table(make_scores({"a": {"maze": [5, 1]}, "b": {"maze": [1, 1]}}), ["domain"])
    assert pooled.notes[0] == "each line pools 2 models"


def test_baselines_and_experiments_are_not_pooled() -> None:
    values: dict[str, Any] = {"a": {"maze": [5, 5, 1]}, "static": {"maze": [1, 1, 1]}}
    table = make_rate_table(make_scores(values), ["domain"])
    assert [rate.rate.value for rate in table.rates] == [pytest.approx(2 / 3)]
    assert table.notes[0] == "the lines are without the baselines static; --by model shows them"
    assert "reference baselines, whose videos show no reasoning: static 0%" in "\n".join(table.notes)
    only = make_rate_table(make_scores({"static": {"maze": [1, 5]}}), ["domain"])
    assert [rate.rate.value for rate in only.rates] == [0.5]
    rows = [*make_rows({"a": {"maze": [5, 5]}}), *make_rows({"a": {"maze": [1, 1]}}, experiment="second")]
    apart = make_rate_table(make_frame(rows), ["domain"])
    assert [(rate.group["experiment"], rate.rate.value) for rate in apart.rates] == [("first", 1.0), ("second", 0.0)]
    assert apart.notes[0].startswith("the experiments are kept apart")


def test_ranks_are_bands_on_the_common_questions() -> None:
    frame = make_scores({"a": {"maze": [5] * 12}, "b": {"maze": [1] * 12}, "c": {"maze": [1] * 9 + [5]}})
    notes = notes_of(frame)
    assert (
        "the models have scores for different questions (a 12, b 12, c 10): their rates are not comparable, and ranks "
        "compare two models on the questions that both have" in notes
    )
    assert "(95% for all together, 10 to 12 common questions of two models, Holm): a 1, c 2 to 3, b 2 to 3" in notes


def test_nothing_scored_is_a_sentence() -> None:
    rows = make_rows({"m": {"maze": [5, 5]}})
    for row in rows:
        row |= {"scorer": None, "value": None, "success": None, "is_current": None, "reason": NOT_SCORED}
    table = make_rate_table(make_frame(rows), outputs="o", evaluations="e")
    assert table == RateTable(
        ("model", "domain"), (),
        ("no video is scored; run: vmevalkit score --experiment first --outputs o --evaluations e",), False,
    )  # fmt: skip


def test_the_reference_baselines_name_the_commands_that_add_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    models = {"m": {"maze": [5, 1]}, "static": {"maze": [1, 1]}}
    frame = make_scores(models)
    notes = notes_of(frame).splitlines()
    assert notes[-2] == "reference baselines, whose videos show no reasoning: static 0% (0% to 66%)"
    assert notes[-1] == (
        "no score of the reference baselines cut_to_final and noise; to add them: vmevalkit run --model "
        "cut_to_final noise --experiment first --questions DIR && vmevalkit score --experiment first"
    )
    for question in ("maze_task/maze_0000", "maze_task/maze_0001", "chess_task/chess_0000"):
        (tmp_path / "data" / "questions" / question).mkdir(parents=True)
    assert "noise --experiment first --task maze && " in notes_of(frame)
    (tmp_path / "data/questions/chess_task").rename(tmp_path / "away")
    several = make_frame(make_rows(models) + make_rows(models, sample=1))
    assert "noise --experiment first --samples 2 && " in notes_of(several)
    full = make_scores(models | {"noise": {"maze": [1, 1]}, "cut_to_final": {"maze": [5, 1]}})
    assert "to add" not in notes_of(full)
    assert "cut_to_final 50% (9% to 91%)" in notes_of(full)
    unscored = make_rows({"noise": {"maze": [5]}, "cut_to_final": {"maze": [5]}})
    for row in unscored:
        row |= {"scorer": None, "value": None, "success": None, "is_current": None, "reason": NOT_SCORED}
    assert notes_of(make_frame(make_rows(models) + unscored)).endswith(
        "to add them: vmevalkit score --experiment first"
    )
