"""Labels beside points, placed so that no label covers another label or a point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, hypot, pi, sin
from typing import TYPE_CHECKING, Any

from vmevalkit.report.figure_style import SOFT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MARKER = 6.0
"""Half the size of a point, in points of 1/72 inch."""
_CROWD = 60.0
"""Points nearer than this crowd each other."""
_MARGIN = 2.0
"""Room between two labels."""
_SAME = 0.02
"""Points nearer than this share a label."""
_GAP = 10.0
"""Distance of a label from the middle of its point, in points of 1/72 inch."""
_RINGS = (1.0, 1.5, 2.0, 2.6, 3.3, 4.0, 5.0, 6.0, 7.5, 9.0)
"""Distances that are tried, in gaps."""
_DIRECTIONS = tuple(
    (cos(pi * place / 8), sin(pi * place / 8)) for place in (0, 8, 12, 4, 15, 1, 9, 7, 14, 2, 10, 6, 13, 3, 11, 5)
)
"""Directions from a point, in the order in which they are tried: right, left, below, above, then between these."""


@dataclass(frozen=True, slots=True)
class LabelledPoint:
    """A point in the units of the axes, with its label."""

    x: float
    y: float
    label: str


def place_labels(figure: Figure, axes: Axes, points: Sequence[LabelledPoint], size: float = 8.5) -> None:
    """Write the labels of points; those of points at one place are one label. A label away from its point gets a
    line to it."""
    figure.draw_without_rendering()  # the layout is settled only when it is drawn
    scale = figure.dpi / 72
    groups = _group_points(points)
    middles = [_to_pixels(axes, group[0]) for group in groups]
    reach = _MARKER * scale
    every = [_to_pixels(axes, point) for point in points]
    taken = [_Box(x - reach, y - reach, x + reach, y + reach) for x, y in every]
    frame = axes.get_window_extent()
    bounds = _Box(frame.x0, frame.y0, frame.x1, frame.y1)
    crowding = [sum(hypot(x - other_x, y - other_y) < _CROWD * scale for other_x, other_y in every) for x, y in middles]
    # Labels of crowded points have the least room, so they are placed first.
    for place in sorted(range(len(groups)), key=lambda place: -crowding[place]):
        anchor, (x, y) = (groups[place][0].x, groups[place][0].y), middles[place]
        text = "\n".join(point.label for point in groups[place])
        style: dict[str, Any] = {
            "fontsize": size,
            "parse_math": False,
            "linespacing": 1.15,
            "ha": "center",
            "va": "center",
        }
        probe = axes.annotate(text, anchor, **style)
        extent, room = probe.get_window_extent(), _MARGIN * scale
        probe.remove()
        own = {(point.x, point.y) for point in groups[place]}
        others = [spot for spot, point in zip(every, points, strict=True) if (point.x, point.y) not in own]
        box, is_far = _find_place(x, y, extent.width + room, extent.height + room, taken, others, bounds, scale)
        taken.append(box)
        label = axes.annotate(
            text, anchor, xytext=((box.middle[0] - x) / scale, (box.middle[1] - y) / scale),
            textcoords="offset points", annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": SOFT, "linewidth": 0.7} if is_far else None, **style,
        )  # fmt: skip
        label.set_in_layout(False)  # or the axes would shrink, and the points move


def _to_pixels(axes: Axes, point: LabelledPoint) -> tuple[float, float]:
    x, y = axes.transData.transform((point.x, point.y))
    return float(x), float(y)


def _group_points(points: Sequence[LabelledPoint]) -> list[list[LabelledPoint]]:
    groups: list[list[LabelledPoint]] = []
    for point in points:
        near = next((g for g in groups if max(abs(g[0].x - point.x), abs(g[0].y - point.y)) < _SAME), None)
        if near is None:
            groups.append([point])
        else:
            near.append(point)
    return groups


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, other: _Box) -> float:
        """Return the area that both cover."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(0.0, width) * max(0.0, height)

    @property
    def area(self) -> float:
        return (self.right - self.left) * (self.top - self.bottom)

    @property
    def middle(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.bottom + self.top) / 2


def _find_place(
    x: float,
    y: float,
    width: float,
    height: float,
    taken: Sequence[_Box],
    others: Sequence[tuple[float, float]],
    bounds: _Box,
    scale: float,
) -> tuple[_Box, bool]:
    """Return the box of a label and whether it is away from its point: the nearest free one, else that which covers
    least. The line to it does not run through ``others``, the other points."""
    best: tuple[float, _Box, bool] | None = None
    for ring in _RINGS:
        for across, up in _DIRECTIONS:
            reach = _GAP * scale * ring
            # The edge of the box, and not its middle, is at that distance.
            middle_x = x + across * (reach + width / 2)
            middle_y = y + up * (reach + height / 2)
            box = _Box(middle_x - width / 2, middle_y - height / 2, middle_x + width / 2, middle_y + height / 2)
            covered = box.area - box.overlap(bounds) + sum(box.overlap(other) for other in taken)
            if ring > _RINGS[0]:
                near = [other for other in others if _distance(other, (x, y), box.middle) < _MARKER * scale]
                covered += len(near) * (_MARKER * scale) ** 2
            if best is None or covered < best[0]:
                best = covered, box, ring >= _RINGS[2]
            if covered <= 0:
                return box, ring >= _RINGS[2]
    assert best is not None
    return best[1], best[2]


def _distance(point: tuple[float, float], start: tuple[float, float], end: tuple[float, float]) -> float:
    """Return the distance of a point from the line between two others."""
    (x, y), (left, bottom), (right, top) = point, start, end
    dx, dy = right - left, top - bottom
    along = max(0.0, min(1.0, ((x - left) * dx + (y - bottom) * dy) / (dx * dx + dy * dy)))
    return hypot(x - left - along * dx, y - bottom - along * dy)
