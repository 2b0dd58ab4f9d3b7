"""The charts of the report. Each takes plain rows and returns a matplotlib figure; none computes a statistic."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vmevalkit.report.figure_style import (
    BLUE,
    CATEGORIES,
    GREY,
    GRID,
    GROUND,
    INK,
    SOFT,
    figure_style,
    new_figure,
    percent_axis,
    set_labels,
)
from vmevalkit.report.label_placement import LabelledPoint, place_labels
from vmevalkit.results.words import percent

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage
    from matplotlib.text import Text

WIDTH = 7.4
"""Width of a figure in inches: two columns of a paper."""
NARROW = 4.0
"""Width of a figure for a screen of 390 pixels."""
_ROW = 0.34
_MOST_LETTERS = 34
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """One line of a chart: a share with its interval."""

    label: str
    """Name at the left."""
    value: float | None
    """The share; None draws nothing."""
    low: float | None
    """Lower bound."""
    high: float | None
    """Upper bound."""
    note: str = ""
    """Text at the right."""
    is_muted: bool = False
    """Whether the line is of a baseline, which is drawn hollow and grey."""


def shorten(label: str) -> str:
    """Return a label that fits beside a chart; names of models can be long."""
    return label if len(label) <= _MOST_LETTERS else f"{label[: _MOST_LETTERS - 1]}…"


def draw_intervals(rows: Sequence[IntervalRow], axis_label: str, width: float = WIDTH) -> Figure:
    """Draw shares as points with their intervals, the first row at the top."""
    with figure_style():
        figure, axes = new_figure(width, 0.75 + _ROW * len(rows))
        for place, row in enumerate(rows):
            if row.value is None:
                continue
            colour = GREY if row.is_muted else BLUE
            if row.low is not None and row.high is not None:
                axes.plot([row.low, row.high], [place, place], color=colour, linewidth=2.2, solid_capstyle="round")
            face = GROUND if row.is_muted else colour
            axes.plot([row.value], [place], "o", markersize=7, color=colour, markerfacecolor=face, markeredgewidth=1.6)
        _finish_rows(axes, [row.label for row in rows], axis_label)
        for place, row in enumerate(rows):
            text = f"{percent(row.value)}   {row.note}" if row.note else percent(row.value)
            axes.text(1.05, place, text, va="center", fontsize=9, color=INK, parse_math=False, clip_on=False)
        return figure


def draw_bars(rows: Sequence[IntervalRow], axis_label: str) -> Figure:
    """Draw shares as bars, each with its 95% interval."""
    with figure_style():
        figure, axes = new_figure(WIDTH, 0.75 + _ROW * 1.15 * len(rows))
        for place, row in enumerate(rows):
            axes.barh(place, row.value or 0.0, height=0.62, color=BLUE, alpha=0.85)
            if row.low is not None and row.high is not None:
                axes.plot([row.low, row.high], [place, place], color=INK, linewidth=1.8, solid_capstyle="butt")
        _finish_rows(axes, [row.label for row in rows], axis_label)
        for place, row in enumerate(rows):
            axes.text(1.05, place, percent(row.value), va="center", fontsize=9, color=INK, clip_on=False)
        return figure


def draw_heatmap(
    cells: Sequence[Sequence[float | None]],
    lines: Sequence[str],
    columns: Sequence[str],
    *,
    unit: str,
    counts: Sequence[Sequence[int | None]] | None = None,
    is_count: bool = False,
    muted: Collection[str] = (),
) -> Figure:
    """Draw shares, or counts, as coloured cells with their numbers, and a colour bar. A missing one is left empty.

    ``unit`` is what the colours mean, and ``counts`` the numbers of questions behind the shares. The names in
    ``muted``, those of baselines, are grey.
    """
    from matplotlib.colors import LinearSegmentedColormap

    values = np.array([[np.nan if cell is None else cell for cell in line] for line in cells], dtype=float)
    with figure_style():
        longest = max((len(shorten(name)) for name in columns), default=1)
        height = 0.5 + (0.52 if counts else 0.4) * len(lines) + min(1.7, 0.075 * longest)
        figure, axes = new_figure(min(WIDTH, 2.9 + 0.95 * len(columns)), max(height, 1.5))
        colours = LinearSegmentedColormap.from_list("report", ["#e9eff6", "#9cc3e6", "#3079c8", "#123f77"])
        top = max(1.0, float(np.nanmax(values))) if is_count and np.isfinite(values).any() else 1.0
        image = axes.imshow(values, cmap=colours, vmin=0, vmax=top, aspect="auto")
        for (line, column), value in np.ndenumerate(values):
            text = "–" if np.isnan(value) else f"{value:.0f}" if is_count else percent(float(value))
            colour = SOFT if np.isnan(value) else "#ffffff" if value / top > 0.45 else "#111111"
            number = counts[line][column] if counts and not np.isnan(value) else None
            lift = 0.0 if number is None else 0.14
            axes.text(column, line - lift, text, ha="center", va="center", fontsize=8.5, color=colour)
            if number is not None:
                axes.text(column, line + 0.25, f"n={number:,}", ha="center", va="center", fontsize=6.5, color=colour)
        axes.set_xticks(np.arange(-0.5, len(columns)), minor=True)
        axes.set_yticks(np.arange(-0.5, len(lines)), minor=True)
        axes.tick_params(which="minor", length=0)
        axes.grid(which="minor", color=GROUND, linewidth=1.4)
        axes.set_axisbelow(False)
        axes.spines[:].set_visible(False)
        turn = {"rotation": 28, "ha": "right", "rotation_mode": "anchor"} if longest > 7 else {}
        set_labels(axes, "x", range(len(columns)), [shorten(name) for name in columns], **turn)
        set_labels(axes, "y", range(len(lines)), [shorten(name) for name in lines])
        _mute_labels(axes.get_xticklabels(), columns, muted)
        _mute_labels(axes.get_yticklabels(), lines, muted)
        _add_colour_bar(figure, axes, image, unit, is_count)
        return figure


def _add_colour_bar(figure: Figure, axes: Axes, image: AxesImage, unit: str, is_count: bool) -> None:
    bar = figure.colorbar(image, ax=axes, fraction=0.05, pad=0.02)
    bar.outline.set_visible(False)
    bar.set_label(unit, fontsize=8.5, color=SOFT)
    bar.ax.tick_params(labelsize=8, colors=SOFT, length=0)
    if not is_count:
        bar.set_ticks([0, 0.5, 1], labels=["0%", "50%", "100%"])


def draw_stacks(
    shares: Mapping[str, Mapping[str, float]],
    colours: Mapping[str, str],
    totals: Mapping[str, str],
    muted: Collection[str] = (),
) -> Figure:
    """Draw for each line the shares of some parts as one bar. ``totals`` is the text at the right.

    The bars of ``muted`` lines, those of baselines, are thin and their names grey.
    """
    from matplotlib.patches import Patch

    with figure_style():
        figure, axes = new_figure(WIDTH, 1.05 + _ROW * len(shares))
        for place, (name_of_line, parts) in enumerate(shares.items()):
            begin = 0.0
            for name, colour in colours.items():
                share = parts.get(name, 0.0)
                axes.barh(
                    place, share, left=begin, height=0.44 if name_of_line in muted else 0.66, color=colour,
                    edgecolor=GROUND, linewidth=0.6,
                )  # fmt: skip
                if share >= 0.08:
                    axes.text(
                        begin + share / 2, place, percent(share), ha="center", va="center", fontsize=7.5,
                        color=_text_on(colour),
                    )  # fmt: skip
                begin += share
        _finish_rows(axes, list(shares), "")
        _mute_labels(axes.get_yticklabels(), list(shares), muted)
        for place, name in enumerate(shares):
            axes.text(1.05, place, totals[name], va="center", fontsize=8.5, color=SOFT, parse_math=False, clip_on=False)
        _add_legend(figure, {name: Patch(color=colour) for name, colour in colours.items()})
        return figure


def draw_scatter(points: Sequence[tuple[str, float, float, bool]], x_label: str, y_label: str) -> Figure:
    """Draw labelled points of two shares; each is a name, x, y and whether it is muted."""
    with figure_style():
        figure, axes = new_figure(WIDTH * 0.82, 4.2)
        ordered = sorted(points, key=lambda point: (point[2], point[1]))
        for _, x, y, is_muted in ordered:
            colour = GREY if is_muted else BLUE
            axes.plot([x], [y], "o", markersize=9, color=colour, markerfacecolor=GROUND if is_muted else colour,
                      markeredgewidth=1.7, clip_on=False)  # fmt: skip
        for axis in ("x", "y"):
            percent_axis(axes, axis)
            getattr(axes, f"set_{axis}lim")(-0.06, 1.1)
        axes.grid(visible=True, axis="both")
        axes.tick_params(axis="y", colors=SOFT)
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        place_labels(figure, axes, [LabelledPoint(x, y, shorten(name)) for name, x, y, _ in ordered])
        return figure


def draw_lines(
    lines: Mapping[str, Sequence[IntervalRow]], places: Sequence[str], muted: frozenset[str], y_label: str
) -> Figure:
    """Draw the shares of several models at the same places, side by side with their intervals.

    Models have colours; baselines are grey, hollow and dashed, and each has a marker of its own."""
    with figure_style():
        figure, axes = new_figure(WIDTH, 3.5)
        step = min(0.12, 0.7 / max(1, len(lines)))
        handles, of_models, of_baselines = {}, 0, 0
        for number, (name, rows) in enumerate(lines.items()):
            if name in muted:
                colour, marker, dash = GREY, _MARKERS[of_baselines % len(_MARKERS)], "dashed"
                of_baselines += 1
            else:
                colour, dash = CATEGORIES[of_models % len(CATEGORIES)], "solid"
                marker = _MARKERS[of_models // len(CATEGORIES) % len(_MARKERS)]
                of_models += 1
            face = GROUND if name in muted else colour
            shift = (number - (len(lines) - 1) / 2) * step
            known = [(place + shift, row) for place, row in enumerate(rows) if row.value is not None]
            for x, row in known:
                if row.low is not None and row.high is not None:
                    axes.plot([x, x], [row.low, row.high], color=colour, linewidth=1.8, solid_capstyle="butt")
            [handles[name]] = axes.plot(
                [x for x, _ in known], [row.value or 0.0 for _, row in known], color=colour, linewidth=1.2,
                linestyle=dash, marker=marker, markersize=5.5, markerfacecolor=face, clip_on=False,
            )  # fmt: skip
        percent_axis(axes, "y")
        axes.tick_params(axis="y", colors=SOFT)
        axes.set_ylabel(y_label)
        set_labels(axes, "x", range(len(places)), list(places))
        axes.set_xlim(-0.6, len(places) - 0.4)
        _add_legend(figure, handles)
        return figure


def _mute_labels(texts: Sequence[Text], names: Sequence[str], muted: Collection[str]) -> None:
    for text, name in zip(texts, names, strict=True):
        if name in muted:
            text.set_color(SOFT)


def _finish_rows(axes: Axes, labels: Sequence[str], axis_label: str) -> None:
    set_labels(axes, "y", range(len(labels)), [shorten(label) for label in labels])
    axes.set_ylim(len(labels) - 0.4, -0.6)
    percent_axis(axes, "x")
    axes.spines["left"].set_visible(False)
    axes.spines["bottom"].set_color(GRID)
    if axis_label:
        axes.set_xlabel(axis_label)


def _add_legend(figure: Figure, handles: Mapping[str, Artist]) -> None:
    longest = max(map(len, handles), default=0)
    legend = figure.legend(
        handles=list(handles.values()), labels=[shorten(name) for name in handles],
        loc="outside upper left", ncols=5 if longest <= 19 else 4 if longest <= 22 else 3, fontsize=8.2,
        handlelength=1.6, handleheight=0.9, handletextpad=0.5, columnspacing=1.1,
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_parse_math(False)


def _text_on(colour: str) -> str:
    red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return "#111111" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.42 else "#ffffff"
