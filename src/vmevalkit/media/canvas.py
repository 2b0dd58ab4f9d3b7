"""The canvas that all tasks draw on: anti-aliased, translucent, deterministic.

It calls matplotlib's Agg rasteriser directly, without figures. Agg reads the attributes of a graphics context and of
paths, so two small classes replace matplotlib's own.
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
from vmevalkit.media.image import Frame

Colour = tuple[float, float, float] | tuple[float, float, float, float] | str
"""Components from 0 to 1, or ``#rrggbb``."""
Anchor = Literal["centre", "left", "right"]

_MOVE, _LINE, _CURVE3, _CURVE4, _CLOSE = 1, 2, 3, 4, 79
_IDENTITY = np.eye(3)
_NO_ROWS = np.empty((0, 4))
_CIRCLE_K = 0.5522847498307936  # control distance with which four cubic curves approximate a circle

_SPARE_RENDERERS: dict[tuple[int, int], list[RendererAgg]] = {}
"""Renderers of deleted canvases, by size, for reuse: a new one costs a millisecond of page faults."""
_MAX_SPARE = 4


class _AggPath:
    """The attributes of a path that Agg reads."""

    __slots__ = ("codes", "should_simplify", "simplify_threshold", "vertices")

    def __init__(self, vertices: NDArray[np.float64], codes: NDArray[np.uint8]) -> None:
        self.vertices, self.codes = vertices, codes
        self.should_simplify, self.simplify_threshold = False, 0.0


class _GraphicsContext:
    """The attributes and methods of a graphics context that Agg reads."""

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
    """Return a colour as four components from 0 to 1."""
    if isinstance(colour, str):
        text = colour.lstrip("#")
        parts = [int(text[i : i + 2], 16) / 255 for i in range(0, len(text), 2)]
        return (parts[0], parts[1], parts[2], parts[3] if len(parts) == 4 else 1.0)
    return (colour[0], colour[1], colour[2], colour[3] if len(colour) == 4 else 1.0)


@lru_cache(maxsize=1024)
def _to_bytes(colour: Colour) -> NDArray[np.uint8]:
    return np.round(np.array(rgba(colour)) * 255).astype(np.uint8)


@lru_cache(maxsize=64)
def _make_codes(corners: int, is_closed: bool) -> NDArray[np.uint8]:
    """Return the path codes of a polygon or a polyline."""
    codes = [_MOVE] + [_LINE] * (corners - 1) + ([_CLOSE] if is_closed else [])
    return np.array(codes, np.uint8)


@lru_cache(maxsize=8)
def _load_font(bold: bool) -> FT2Font:
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    path = resources.files("vmevalkit.media") / "fonts" / name
    font = FT2Font(str(path))
    font.set_size(64.0, 72.0)  # outlines are scaled from here; hinting is off, so the size does not matter
    return font


@lru_cache(maxsize=4096)
def _trace_text(text: str, bold: bool) -> tuple[NDArray[np.float64], NDArray[np.uint8], float, float, float]:
    """Return vertices in em (y down, baseline at 0) and codes, the advance width, and the top and bottom of the ink."""
    font = _load_font(bold)
    vertices: list[NDArray[np.float64]] = []
    codes: list[NDArray[np.uint8]] = []
    advance = 0.0
    for letter in text:
        glyph = font.load_char(ord(letter), flags=LoadFlags.NO_HINTING)
        outline, kinds = font.get_path()
        if len(outline):
            vertices.append(np.asarray(outline, np.float64) / 64.0 * [1, -1] + [advance, 0])
            codes.append(np.asarray(kinds).astype(np.uint8))
        advance += glyph.linearHoriAdvance / 65536 / 64.0
    if not vertices:
        return np.empty((0, 2)), np.empty(0, np.uint8), advance, 0.0, 0.0
    points, steps = np.concatenate(vertices), np.concatenate(codes)
    ink = points[steps != _CLOSE]
    return points, steps, advance, float(ink[:, 1].min()), float(ink[:, 1].max())


class Canvas:
    """An image to draw on. Coordinates are pixels: x to the right, y down, (0, 0) is the top left corner.

    A stroke or a fill covers a pixel by area. Put fills on whole pixels where they must meet without a thin line.
    """

    def __init__(self, width: int, height: int, background: Colour = (1.0, 1.0, 1.0)) -> None:
        self.width, self.height = width, height
        spare = _SPARE_RENDERERS.get((width, height))
        self._agg = spare.pop() if spare else RendererAgg(width, height, 72.0)
        self._pixels: NDArray[np.uint8] = np.asarray(self._agg)
        # One word per pixel: 20 times faster.
        self._pixels.view(np.uint32).fill(_to_bytes(background).view(np.uint32)[0])
        self._upright = np.array([[1.0, 0, 0], [0, -1.0, height], [0, 0, 1]])  # Agg counts y upwards

    def __del__(self) -> None:
        renderer = getattr(self, "_agg", None)
        if renderer is None:  # an exception, such as Ctrl-C, has ended ``__init__``
            return
        spare = _SPARE_RENDERERS.setdefault((self.width, self.height), [])
        if len(spare) < _MAX_SPARE:
            spare.append(renderer)

    def rectangle(self, x: float, y: float, width: float, height: float, fill: Colour) -> None:
        """Fill a rectangle with horizontal and vertical sides. It is exact on whole pixels in an opaque colour."""
        colour = rgba(fill)
        edges = (x, y, x + width, y + height)
        if colour[3] == 1.0 and all(float(edge).is_integer() for edge in edges):
            left, top, right, bottom = (max(0, int(edge)) for edge in edges)
            self._pixels.view(np.uint32)[top:bottom, left:right] = _to_bytes(fill).view(np.uint32)
            return
        self.polygon([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], fill=fill)

    def polygon(
        self, corners: ArrayLike, fill: Colour | None = None, stroke: Colour | None = None, width: float = 1.0
    ) -> None:
        """Fill a polygon, then draw its edge."""
        points = np.asarray(corners, np.float64)
        closed = np.concatenate([points, points[:1]])
        self._draw(closed, _make_codes(len(points), True), fill, stroke, width)

    def polygons(
        self,
        corners: Sequence[ArrayLike] | NDArray[np.float64],
        fills: ArrayLike,
        stroke: Colour | None = None,
        width: float = 1.0,
    ) -> None:
        """Draw polygons in order, each filled and then stroked: later ones cover earlier ones. ``fills`` is n x 4."""
        if not len(corners):
            return
        if isinstance(corners, np.ndarray):
            codes = _make_codes(corners.shape[1], True)
            paths = [_AggPath(p, codes) for p in np.concatenate([corners, corners[:, :1]], axis=1)]
        else:
            points = [np.asarray(polygon, np.float64) for polygon in corners]
            paths = [_AggPath(np.concatenate([p, p[:1]]), _make_codes(len(p), True)) for p in points]
        edges = _NO_ROWS if stroke is None else np.array([rgba(stroke)])
        # Without hatchcolors, which matplotlib 3.10 does not have and later versions do not need.
        self._agg.draw_path_collection(
            _GraphicsContext(), self._upright, paths, np.empty((0, 3, 3)), np.zeros((1, 2)), _IDENTITY,
            np.asarray(fills, np.float64), edges, np.array([width], np.float64), [(0, None)],
            np.array([True], np.uint8), [], "screen",
        )  # fmt: skip

    def line(self, points: ArrayLike, stroke: Colour, width: float) -> None:
        """Draw an open polyline with round ends and joins."""
        vertices = np.asarray(points, np.float64)
        self._draw(vertices, _make_codes(len(vertices), False), None, stroke, width)

    def circle(
        self, x: float, y: float, radius: float, fill: Colour | None = None,
        stroke: Colour | None = None, width: float = 1.0,
    ) -> None:  # fmt: skip
        """Draw a circle around (x, y)."""
        self.ellipse(x, y, radius, radius, fill, stroke, width)

    def ellipse(
        self, x: float, y: float, rx: float, ry: float, fill: Colour | None = None,
        stroke: Colour | None = None, width: float = 1.0,
    ) -> None:  # fmt: skip
        """Draw an ellipse around (x, y)."""
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
        """Draw an outline with matplotlib's codes: 1 move, 2 line, 3 and 4 curves, 79 close."""
        self._draw(np.asarray(vertices, np.float64), np.asarray(codes, np.uint8), fill, stroke, width)

    def text(
        self, text: str, x: float, y: float, size: float, fill: Colour = (0, 0, 0),
        bold: bool = False, anchor: Anchor = "centre",
    ) -> None:  # fmt: skip
        """Draw a line of text, ``size`` pixels per em, with the ink centred on y and its ``anchor`` at x."""
        points, codes, advance, top, bottom = _trace_text(text, bold)
        if not len(points):
            return
        left = {"centre": -advance / 2, "left": 0.0, "right": -advance}[anchor]
        offset = np.array([left, -(top + bottom) / 2])
        self._draw((points + offset) * size + np.array([x, y]), codes, fill, None, 0.0)

    def paste(self, image: NDArray[np.uint8], x: int, y: int) -> None:
        """Paste an RGB or RGBA image with its top left corner at (x, y). Parts outside of the canvas are cut off."""
        left, top = max(0, x), max(0, y)
        right = min(self.width, x + image.shape[1])
        bottom = min(self.height, y + image.shape[0])
        if right <= left or bottom <= top:
            return
        part = image[top - y : bottom - y, left - x : right - x]
        if part.shape[2] == 3:
            # Whole words: numpy takes ten times as long for three of every four bytes.
            self._pixels[top:bottom, left:right] = cv2.cvtColor(np.ascontiguousarray(part), cv2.COLOR_RGB2RGBA)
            return
        below = self._pixels[top:bottom, left:right, :3]
        alpha = part[..., 3:].astype(np.uint16)
        below[:] = ((part[..., :3] * alpha + below * (255 - alpha) + 127) // 255).astype(np.uint8)

    def frame(self) -> Frame:
        """Return a copy of the image."""
        return np.asarray(cv2.cvtColor(self._pixels, cv2.COLOR_RGBA2RGB), np.uint8)

    def _draw(
        self, vertices: NDArray[np.float64], codes: NDArray[np.uint8],
        fill: Colour | None, stroke: Colour | None, width: float,
    ) -> None:  # fmt: skip
        context = _GraphicsContext(rgba(stroke), width) if stroke is not None else _GraphicsContext()
        self._agg.draw_path(context, _AggPath(vertices, codes), self._upright, None if fill is None else rgba(fill))


def blend(below: Frame, above: Frame, share: float) -> Frame:
    """Return a mixture of two images, with ``share`` of the upper one."""
    return np.asarray(cv2.addWeighted(above, share, below, 1 - share, 0.0), np.uint8)


def side_by_side(frames: Iterable[Frame], gap: int = 4) -> Frame:
    """Return a strip of images of one height, on white."""
    images = list(frames)
    width = sum(p.shape[1] for p in images) + gap * (len(images) - 1)
    strip = np.full((images[0].shape[0], width, 3), 255, np.uint8)
    x = 0
    for image in images:
        strip[:, x : x + image.shape[1]] = image
        x += image.shape[1] + gap
    return strip
