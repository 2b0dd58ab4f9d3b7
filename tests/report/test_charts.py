"""Figures: labels that do not collide, one kind of error bar, colour bars, numbers of questions, all formats."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from vmevalkit.report.charts import IntervalRow, draw_bars, draw_heatmap, draw_lines, draw_scatter
from vmevalkit.report.figure_style import encode_figure

NAMES = ("Veo 3.1 Fast", "Sora 2 Pro", "Kling 2.6 Pro", "Runway Gen-4 Turbo", "Luma Ray 2", "Wan 2.5", "Hailuo 02")
BASELINES = [
    ("static", 0.0, 0.0, True), ("noise", 0.0, 0.0, True), ("solved_then_destroyed", 0.19, 1.0, True),
    ("halfway", 0.47, 1.0, True), ("oracle", 1.0, 1.0, True), ("cut_to_final", 1.0, 0.6, True),
]  # fmt: skip


def labels_of(figure: Figure) -> list[Annotation]:
    return [each for each in figure.axes[0].texts if isinstance(each, Annotation)]


@pytest.mark.parametrize("seed", range(5))
def test_labels_of_a_scatter_cover_neither_each_other_nor_a_point(seed: int) -> None:
    rng = Random(seed)
    models = [(name, rng.uniform(0.05, 0.45), rng.uniform(0.6, 1.0), False) for name in NAMES]
    figure = draw_scatter([*models, *BASELINES], "mean outcome", "mean process")
    figure.draw_without_rendering()
    axes, labels = figure.axes[0], labels_of(figure)
    shown = "\n".join(label.get_text() for label in labels).splitlines()
    assert sorted(shown) == sorted([*NAMES, *(name for name, *_ in BASELINES)])
    boxes = [label.get_bbox_patch() or super(Annotation, label).get_window_extent() for label in labels]
    for (first, a), (second, b) in combinations(zip(labels, boxes, strict=True), 2):
        assert not a.overlaps(b), (first.get_text(), second.get_text())
    for label, box in zip(labels, boxes, strict=True):
        for name, x, y, _ in [*models, *BASELINES]:
            assert not box.contains(*axes.transData.transform((x, y))), (label.get_text(), name)
        assert box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1, "it leaves the figure"


def test_the_halfway_label_does_not_cover_a_baseline() -> None:
    figure = draw_scatter(BASELINES, "mean outcome", "mean process")
    texts = [label.get_text() for label in labels_of(figure)]
    assert "static\nnoise" in texts, "points at one place share a label"


def test_a_heatmap_has_a_colour_bar_and_the_number_of_questions() -> None:
    figure = draw_heatmap([[0.5, None]], ["m"], ["maze", "chess"], unit="success rate", counts=[[12, None]])
    assert [text.get_text() for text in figure.axes[0].texts] == ["50%", "n=12", "–"]
    assert len(figure.axes) == 2 and figure.axes[1].get_ylabel() == "success rate"


def test_bars_have_one_kind_of_error_bar_which_is_named_and_not_cut_off() -> None:
    figure = draw_bars([IntervalRow("maze", 0.97, 0.9, 1.0)], "success rate and 95% interval")
    axes = figure.axes[0]
    [line] = axes.lines
    low, high = line.get_xdata()
    assert (low, high) == (0.9, 1.0) and axes.get_xlim()[1] > 1.0 and line.get_marker() in ("", "None", None)
    assert axes.get_xlabel() == "success rate and 95% interval"


def test_baselines_are_told_apart_by_their_markers() -> None:
    rows = [IntervalRow("easy", 0.5, 0.2, 0.8), IntervalRow("hard", 0.2, 0.1, 0.4)]
    figure = draw_lines({"veo": rows, "static": rows, "noise": rows}, ["easy", "hard"], frozenset({"static", "noise"}),
                        "success rate")  # fmt: skip
    drawn = [line for line in figure.axes[0].lines if line.get_marker() not in ("None", "", None)]
    assert len({(line.get_color(), line.get_marker(), str(line.get_markerfacecolor())) for line in drawn}) == 3
    assert figure.axes[0].get_ylabel() == "success rate"


def test_figures_have_all_formats_and_the_same_bytes_again() -> None:
    row = IntervalRow("maze", 0.5, 0.3, 0.7)
    first, second = (encode_figure(draw_bars([row], "success rate and 95% interval")) for _ in range(2))
    assert set(first) == {".svg", "-dark.svg", ".png", ".pdf"} and first == second
    assert first[".pdf"].startswith(b"%PDF")
