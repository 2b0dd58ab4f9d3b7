"""The look of all figures, and their files: SVG for light and dark pages, PNG for slides, PDF for papers.

Colours of data are legible on white and on near-black and can be told apart by colour-blind readers. Text and lines
have colours of their own; in the dark variant only these are replaced.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, SOFT, GRID, GROUND = "#1f2329", "#59636f", "#d3d9e1", "#fdfdfe"
"""Text, secondary text, lines, and what is as empty as the page."""
DARK = {INK: "#e8edf4", SOFT: "#a3adba", GRID: "#3a424d", GROUND: "#171c23"}
"""What replaces them on a dark page."""
BLUE, ORANGE, GREY, TEAL = "#3079c8", "#d8741f", "#8a939f", "#1d9a86"
VALUE_COLOURS = {1: "#b8471b", 2: "#e39a5b", 3: "#b9bec6", 4: "#7db1de", 5: "#2a6db8"}
"""Scores from 1 (orange) to 5 (blue)."""
CATEGORIES = ("#3079c8", "#d8741f", "#1d9a86", "#8f6bc2", "#c9a323", "#c4568d", "#6b7785", "#7fb24a")
"""Colours of categories, in the order of use."""
PNG_DPI = 200

_FONT = "'DejaVu Sans'"
_PAGE_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
_RC = {
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "axes.edgecolor": GRID,
    "axes.labelcolor": SOFT,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "text.color": INK,
    "xtick.color": SOFT,
    "ytick.color": INK,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "pdf.fonttype": 42,  # letters that a publisher can embed and search
    "svg.hashsalt": "vmevalkit",
    "figure.facecolor": "none",
    "axes.facecolor": "none",
}


@contextmanager
def figure_style() -> Iterator[None]:
    """Apply the look to figures that are made or written in the block."""
    import matplotlib

    with matplotlib.rc_context(_RC):
        yield


def new_figure(width: float, height: float) -> tuple[Figure, Axes]:
    """Return a figure of a size in inches, and its axes. Call it inside ``figure_style``."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def set_labels(axes: Axes, axis: str, places: Any, labels: list[str], **how: Any) -> None:
    """Set tick labels as plain text: a ``$`` in a name is not a formula."""
    getattr(axes, f"set_{axis}ticks")(places, labels=labels, parse_math=False, **how)


def percent_axis(axes: Axes, axis: str = "x") -> None:
    """Make an axis of shares from 0 to 100%."""
    getattr(axes, f"set_{axis}lim")(-0.02, 1.02)
    ticks = [0, 0.25, 0.5, 0.75, 1]
    getattr(axes, f"set_{axis}ticks")(ticks, labels=[f"{100 * tick:.0f}%" for tick in ticks])
    axes.grid(axis="x" if axis == "x" else "y")


def encode_figure(figure: Figure) -> dict[str, bytes]:
    """Return the files of a figure by the end of their names: ``.svg``, ``-dark.svg``, ``.png`` and ``.pdf``."""
    with figure_style():
        light, png, pdf = BytesIO(), BytesIO(), BytesIO()
        figure.savefig(light, format="svg", metadata={"Date": None, "Creator": None})
        figure.savefig(png, format="png", dpi=PNG_DPI, facecolor="white", metadata={"Software": None})
        figure.savefig(pdf, format="pdf", metadata={"CreationDate": None, "Creator": None, "Producer": None})
    text = light.getvalue().decode().replace(_FONT, _PAGE_FONT)
    dark = text
    for own, other in DARK.items():
        dark = dark.replace(own, other)
    return {".svg": text.encode(), "-dark.svg": dark.encode(), ".png": png.getvalue(), ".pdf": pdf.getvalue()}
