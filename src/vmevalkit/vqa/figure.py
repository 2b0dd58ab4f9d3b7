"""The figure: accuracy of each run by category, with intervals, and the line of chance."""

from __future__ import annotations

from io import BytesIO

from vmevalkit.vqa.results import CHANCE, OVERALL, Results, TaskResult
from vmevalkit.vqa.task_files.mmsi import CATEGORIES

COLOURS = ("#2563eb", "#f97316", "#16a34a", "#9333ea", "#dc2626", "#0891b2", "#ca8a04", "#64748b")
_SHIFT = 0.8


def draw_accuracy(results: Results) -> bytes:
    """Return the figure as a PNG file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    series: dict[tuple[str, bool], list[TaskResult]] = {}
    for task in results.tasks:
        series.setdefault((task.label, task.is_two_stage), []).append(task)
    own = sorted({task.category for task in results.tasks} - {*CATEGORIES.values(), OVERALL})
    order = [*CATEGORIES.values(), *own, OVERALL]
    shown = [name for name in order if any(task.category == name for task in results.tasks)]
    figure = Figure(figsize=(2.4 + 1.5 * len(shown), 1.9 + 0.28 * len(series) + 2.2), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    step = _SHIFT / len(series)
    for place, ((label, is_two_stage), tasks) in enumerate(series.items()):
        drawn = [task for task in tasks if task.accuracy.value is not None]
        x = [shown.index(task.category) - _SHIFT / 2 + step * (place + 0.5) for task in drawn]
        y = [100 * (task.accuracy.value or 0.0) for task in drawn]
        low = [value - 100 * (task.accuracy.low or 0.0) for value, task in zip(y, drawn, strict=True)]
        high = [100 * (task.accuracy.high or 0.0) - value for value, task in zip(y, drawn, strict=True)]
        name = f"{label}, Visual CoT" if is_two_stage else label
        axes.errorbar(
            x, y, yerr=[low, high], fmt="s" if is_two_stage else "o", markersize=5, capsize=2.5, linewidth=1.3,
            color=COLOURS[place % len(COLOURS)], label=name,
        )  # fmt: skip
    axes.axhline(100 * CHANCE, color="#64748b", linestyle="--", linewidth=1, label="chance")
    axes.set_xticks(range(len(shown)), [name.replace("_", " ") for name in shown])
    axes.set_xlim(-0.6, len(shown) - 0.4)
    axes.set_ylim(-2, 102)
    axes.set_ylabel("accuracy, %")
    axes.grid(axis="y", color="#e2e8f0", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=130, metadata={"Software": None})
    return buffer.getvalue()
