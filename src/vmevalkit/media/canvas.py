"""The canvas that all tasks draw on: anti-aliased, translucent, deterministic.

It drives the Agg rasteriser inside matplotlib directly, without figures. Agg reads a graphics context and paths
by attribute, so two small classes stand for matplotlib's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import resources
from typing import Any, Literal

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vmevalkit.media.agg import FT2Font, LoadFlags, RendererAgg
from vmevalkit.media.picture import Frame

Colour = tuple[float, float, float] | tuple[float, float, float, float] | str
"""Components from 0 to 1, or ``#rrggbb``."""
Anchor = Literal["centre", "left", "right"]

_MOVE, _LINE, _CURVE3, _CURVE4, _CLOSE = 1, 2, 3, 4, 79
_IDENTITY = np.eye(3)
_NO_ROWS = np.empty((0, 4))
_CIRCLE_K = 0.5522847498307936  # the control distance with which four cubic curves look like a circle


_SPARE: dict[tuple[int, int], list[RendererAgg]] = {}
"""Renderers of dropped canvases, to be drawn on again: a fresh one costs a millisecond of page faults."""


class _Path:
    """What Agg reads of a path."""

    __slots__ = ("codes", "should_simplify", "simplify_threshold", "vertices")

    def __init__(self, vertices: NDArray[np.float64], codes: NDArray[np.uint8]) -> None:
        self.vertices, self.codes = vertices, codes
        self.should_simplify, self.simplify_threshold = False, 0.0


class _Pen:
    """What Agg reads of a graphics context."""

    _alpha, _forced_alpha, _antialiased, _cliprect = 1.0, False, True, None
    _capstyle, _joinstyle = "round", "round"
    _dashes = (0, None)

    def __init__(self, colour: tuple[float, float, float, float] = (0, 0, 0, 0), width: float = 0.0) -> None:
        self._rgb, self._linewidth = colour, width

    def get_dashes(self) -> Any:
        return self._dashes

    def get_clip_path(self) -> tuple[None, None]:
        return None, None

    def get_snap(self) -> bool:
        return False

    def get_hatch_path(self, density: float = 6.0) -> None:
        return None

    def get_hatch_color(self) -> tuple[float, float, float, float]:
        return (0, 0, 0, 1)

    def get_hatch_linewidth(self) -> float:
        return 1.0

    def get_sketch_params(self) -> None:
        return None


@lru_cache(maxsize=1024)
def rgba(colour: Colour) -> tuple[float, float, float, float]:
    """Any colour as four components from 0 to 1."""
    if isinstance(colour, str):
        text = colour.lstrip("#")
        parts = [int(text[i : i + 2], 16) / 255 for i in range(0, len(text), 2)]
        return (parts[0], parts[1], parts[2], parts[3] if len(parts) == 4 else 1.0)
    return (colour[0], colour[1], colour[2], colour[3] if len(colour) == 4 else 1.0)


@lru_cache(maxsize=1024)
def _bytes(colour: Colour) -> NDArray[np.uint8]:
    return np.round(np.array(rgba(colour)) * 255).astype(np.uint8)


@lru_cache(maxsize=64)
def _polygon_codes(corners: int, closed: bool) -> NDArray[np.uint8]:
    codes = [_MOVE] + [_LINE] * (corners - 1) + ([_CLOSE] if closed else [])
    return np.array(codes, np.uint8)


@lru_cache(maxsize=8)
def _font(bold: bool) -> FT2Font:
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    path = resources.files("vmevalkit.media") / "fonts" / name
    font = FT2Font(str(path))
    font.set_size(64.0, 72.0)  # outlines are scaled from here; hinting is off, so the size does not matter
    return font


@lru_cache(maxsize=4096)
def _outline(text: str, bold: bool) -> tuple[NDArray[np.float64], NDArray[np.uint8], float, float, float]:
    """Vertices in em (y down, the baseline at 0) with codes; the advance width; the top and bottom of the ink."""
    font = _font(bold)
    vertices: list[NDArray[np.float64]] = []
    codes: list[NDArray[np.uint8]] = []
    pen = 0.0
    for letter in text:
        glyph = font.load_char(ord(letter), flags=LoadFlags.NO_HINTING)
        outline, kinds = font.get_path()
        if len(outline):
            vertices.append(np.asarray(outline, np.float64) / 64.0 * [1, -1] + [pen, 0])
            codes.append(np.asarray(kinds).astype(np.uint8))
        pen += glyph.linearHoriAdvance / 65536 / 64.0
    if not vertices:
        return np.empty((0, 2)), np.empty(0, np.uint8), pen, 0.0, 0.0
    points, steps = np.concatenate(vertices), np.concatenate(codes)
    ink = points[steps != _CLOSE]
    return points, steps, pen, float(ink[:, 1].min()), float(ink[:, 1].max())


class Canvas:
    """A picture under construction. Coordinates are pixels: x to the right, y down, (0, 0) the top left corner.

    A stroke or a fill covers a pixel by area. Fills that shall meet without a hairline belong on whole pixels.
    """

    def __init__(self, width: int, height: int, background: Colour = (1.0, 1.0, 1.0)) -> None:
        self.width, self.height = width, height
        spare = _SPARE.get((width, height))
        self._agg = spare.pop() if spare else RendererAgg(width, height, 72.0)
        self._pixels: NDArray[np.uint8] = np.asarray(self._agg)
        self._pixels.view(np.uint32).fill(_bytes(background).view(np.uint32)[0])  # a word a pixel: 20 times faster
        self._upright = np.array([[1.0, 0, 0], [0, -1.0, height], [0, 0, 1]])  # Agg counts y upwards

    def __del__(self) -> None:
        spare = _SPARE.setdefault((self.width, self.height), [])
        if len(spare) < 4:
            spare.append(self._agg)

    def rectangle(self, x: float, y: float, width: float, height: float, fill: Colour) -> None:
        """A filled rectangle with upright sides. On whole pixels and opaque, it is exact."""
        colour = rgba(fill)
        edges = (x, y, x + width, y + height)
        if colour[3] == 1.0 and all(float(edge).is_integer() for edge in edges):
            left, top, right, bottom = (max(0, int(edge)) for edge in edges)
            self._pixels.view(np.uint32)[top:bottom, left:right] = _bytes(fill).view(np.uint32)
            return
        self.polygon([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], fill=fill)

    def polygon(
        self, corners: ArrayLike, fill: Colour | None = None, stroke: Colour | None = None, width: float = 1.0
    ) -> None:
        points = np.asarray(corners, np.float64)
        closed = np.concatenate([points, points[:1]])
        self._draw(closed, _polygon_codes(len(points), True), fill, stroke, width)

    def polygons(
        self,
        corners: Sequence[ArrayLike] | NDArray[np.float64],
        fills: ArrayLike,
        stroke: Colour | None = None,
        width: float = 1.0,
    ) -> None:
        """Many polygons in order, each filled, then stroked: the later cover the earlier. ``fills`` is n x 4."""
        if not len(corners):
            return
        if isinstance(corners, np.ndarray):
            codes = _polygon_codes(corners.shape[1], True)
            paths = [_Path(p, codes) for p in np.concatenate([corners, corners[:, :1]], axis=1)]
        else:
            points = [np.asarray(polygon, np.float64) for polygon in corners]
            paths = [_Path(np.concatenate([p, p[:1]]), _polygon_codes(len(p), True)) for p in points]
        edges = _NO_ROWS if stroke is None else np.array([rgba(stroke)])
        self._agg.draw_path_collection(
            _Pen(), self._upright, paths, np.empty((0, 3, 3)), np.zeros((1, 2)), _IDENTITY,
            np.asarray(fills, np.float64), edges, np.array([width], np.float64), [(0, None)],
            np.array([True], np.uint8), [], "screen", hatchcolors=_NO_ROWS,
        )  # fmt: skip

    def line(self, points: ArrayLike, stroke: Colour, width: float) -> None:
        """An open polyline with round ends and joins."""
        vertices = np.asarray(points, np.float64)
        self._draw(vertices, _polygon_codes(len(vertices), False), None, stroke, width)

    def circle(
        self, x: float, y: float, radius: float, fill: Colour | None = None,
        stroke: Colour | None = None, width: float = 1.0,
    ) -> None:  # fmt: skip
        self.ellipse(x, y, radius, radius, fill, stroke, width)

    def ellipse(
        self, x: float, y: float, rx: float, ry: float, fill: Colour | None = None,
        stroke: Colour | None = None, width: float = 1.0,
    ) -> None:  # fmt: skip
        k = _CIRCLE_K
        unit = [
            (1, 0), (1, k), (k, 1), (0, 1), (-k, 1), (-1, k), (-1, 0),
            (-1, -k), (-k, -1), (0, -1), (k, -1), (1, -k), (1, 0), (1, 0),
        ]  # fmt: skip
        codes = np.array([_MOVE] + [_CURVE4] * 12 + [_CLOSE], np.uint8)
        self._draw(np.array(unit) * [rx, ry] + [x, y], codes, fill, stroke, width)

    def shape(
        self, vertices: ArrayLike, codes: ArrayLike, fill: Colour | None = None,
        stroke: Colour | None = None, width: float = 1.0,
    ) -> None:  # fmt: skip
        """An outline in matplotlib's codes (1 move, 2 line, 3 and 4 curves, 79 close), for shapes of any kind."""
        self._draw(np.asarray(vertices, np.float64), np.asarray(codes, np.uint8), fill, stroke, width)

    def text(
        self, text: str, x: float, y: float, size: float, fill: Colour = (0, 0, 0),
        bold: bool = False, anchor: Anchor = "centre",
    ) -> None:  # fmt: skip
        """``size`` pixels to the em, the ink centred on y; ``anchor`` says which part of the line stands at x."""
        points, codes, advance, top, bottom = _outline(text, bold)
        if not len(points):
            return
        left = {"centre": -advance / 2, "left": 0.0, "right": -advance}[anchor]
        offset = np.array([left, -(top + bottom) / 2])
        self._draw((points + offset) * size + np.array([x, y]), codes, fill, None, 0.0)

    def paste(self, picture: NDArray[np.uint8], x: int, y: int) -> None:
        """Lay an RGB or RGBA picture with its top left corner at (x, y); what lies outside is cut off."""
        left, top = max(0, x), max(0, y)
        right = min(self.width, x + picture.shape[1])
        bottom = min(self.height, y + picture.shape[0])
        if right <= left or bottom <= top:
            return
        part = picture[top - y : bottom - y, left - x : right - x]
        if part.shape[2] == 3:
            # Whole words: numpy takes ten times as long for three bytes of every four.
            self._pixels[top:bottom, left:right] = cv2.cvtColor(np.ascontiguousarray(part), cv2.COLOR_RGB2RGBA)
            return
        below = self._pixels[top:bottom, left:right, :3]
        alpha = part[..., 3:].astype(np.uint16)
        below[:] = ((part[..., :3] * alpha + below * (255 - alpha) + 127) // 255).astype(np.uint8)

    def frame(self) -> Frame:
        """The picture so far, as a copy."""
        return np.asarray(cv2.cvtColor(self._pixels, cv2.COLOR_RGBA2RGB), np.uint8)

    def _draw(
        self, vertices: NDArray[np.float64], codes: NDArray[np.uint8],
        fill: Colour | None, stroke: Colour | None, width: float,
    ) -> None:  # fmt: skip
        pen = _Pen(rgba(stroke), width) if stroke is not None else _Pen()
        self._agg.draw_path(pen, _Path(vertices, codes), self._upright, None if fill is None else rgba(fill))


def blend(below: Frame, above: Frame, share: float) -> Frame:
    """``share`` of the upper picture over the lower one."""
    return np.asarray(cv2.addWeighted(above, share, below, 1 - share, 0.0), np.uint8)


def side_by_side(frames: Iterable[Frame], gap: int = 4) -> Frame:
    """A strip of pictures of one height, on white."""
    pictures = list(frames)
    width = sum(p.shape[1] for p in pictures) + gap * (len(pictures) - 1)
    strip = np.full((pictures[0].shape[0], width, 3), 255, np.uint8)
    x = 0
    for picture in pictures:
        strip[:, x : x + picture.shape[1]] = picture
        x += picture.shape[1] + gap
    return strip
