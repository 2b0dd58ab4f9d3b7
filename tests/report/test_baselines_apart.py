"""Baselines stand beside models in a report, and are never taken for models."""

from __future__ import annotations

from pathlib import Path

from vmevalkit.report.charts import draw_heatmap, draw_stacks
from vmevalkit.report.context import make_context
from vmevalkit.report.examples import ExampleChooser
from vmevalkit.report.figure_style import SOFT
from vmevalkit.report.media_files import VideoCopy
from vmevalkit.report.sections.ranking import compute_bands
from vmevalkit.report.summary import write_summary
from vmevalkit.report.video_list import VideoRows
from vmevalkit.results.columns import make_frame


def row(model: str, question: int, value: int) -> dict[str, object]:
    return {
        "experiment": "first", "model": model, "domain": "maze", "question": f"maze_{question:04d}", "sample": 0,
        "status": "success", "video": "a.mp4", "scorer": "RuleEvaluator", "is_current": True, "value": value,
        "success": value >= 4,
        "family": "baseline" if model in ("oracle", "static") else "own",
    }  # fmt: skip


def summarize(values: dict[str, int]) -> str:
    frame = make_frame([row(model, number, value) for model, value in values.items() for number in range(8)])
    context = make_context(frame, "RuleEvaluator", Path("a"), Path("b"))
    return " ".join(write_summary(context, compute_bands(context, without_baselines=True)))


def test_the_best_model_is_not_a_baseline() -> None:
    text = summarize({"oracle": 5, "mine": 5, "theirs": 1, "static": 1})
    assert "mine has the highest success rate, 100%" in text
    assert "mine is ahead of every other model" in text
    assert "The reference solutions (oracle), what a perfect model gets, reach 100%" in text


def test_a_single_model_is_not_ranked() -> None:
    text = summarize({"oracle": 5, "mine": 1, "static": 1})
    assert "mine has a success rate of 0%" in text
    assert "highest" not in text and "rank 1" not in text


def test_baselines_alone_are_compared_with_each_other() -> None:
    assert "oracle has the highest success rate" in summarize({"oracle": 5, "static": 1})


def test_names_of_baselines_are_grey() -> None:
    figure = draw_heatmap(
        [[1.0], [0.0]], ["mine", "static (baseline)"], ["maze"], unit="success", muted=["static (baseline)"]
    )
    colours = [text.get_color() for text in figure.axes[0].get_yticklabels()]
    assert [colour == SOFT for colour in colours] == [False, True]
    stacks = draw_stacks({"mine": {"a": 1.0}, "b": {"a": 1.0}}, {"a": "#3079c8"}, {"mine": "", "b": ""}, ["b"])
    own, baseline = (patch.get_height() for patch in stacks.axes[0].patches)
    assert baseline < own


def test_examples_are_of_models_where_there_are_any() -> None:
    chooser = ExampleChooser("RuleEvaluator", frozenset({"oracle"}))
    for model in ("oracle", "mine", "oracle"):
        record = {**row(model, 0, 5), "passed": True, "explanation": "Solved."}
        chooser.see("maze/maze_0000", "maze", VideoRows(model, 0, (record,)), VideoCopy(thumb="thumbs/a.jpg"))
    assert [each.model for each in chooser.chosen] == ["mine"]
