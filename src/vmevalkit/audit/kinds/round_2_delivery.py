"""Honest videos of the second round for several tasks: encoders, cameras, transitions and timing."""

from __future__ import annotations

from collections.abc import Callable
from math import hypot, pi, sin
from random import Random
from typing import Any

import cv2
import numpy as np

from vmevalkit.audit.kinds.effects import (
    draw_over,
    fill_like,
    make_even,
    make_soft_disc,
    mix,
    mix_by_mask,
    resize,
    to_frame,
)
from vmevalkit.audit.kinds.kind import VideoKind, make_honest_kind
from vmevalkit.audit.kinds.overlays import draw_cursor
from vmevalkit.audit.kinds.timeline import (
    LONG_END,
    BuildPainter,
    Filter,
    Moment,
    Painter,
    Timing,
    apply_filter,
    ease,
    filter_solution,
    paint_solution,
    paint_states,
    rise,
)
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.tasks.task import AnyTask, Offer

_BAYER = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]], np.float32) / 16 - 0.5


def _dither(frame: Frame, moment: Moment) -> Frame:
    del moment
    height, width = frame.shape[:2]
    pattern = np.tile(_BAYER, (height // 4 + 1, width // 4 + 1))[:height, :width, None]
    step = 255 / 11
    return to_frame(np.round(frame / step + 0.9 * pattern) * step)


def _build_interlaced(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    del rng
    solution = paint_states(task, puzzle, lambda t: task.solution(puzzle, t))

    def paint(moment: Moment) -> Frame:
        frame = solution(moment).copy()
        half = 0.5 / moment.fps / 3.0
        earlier = task.draw(puzzle, task.solution(puzzle, max(moment.t - half, 0.0) if moment.t < 1 else 1.0))
        frame[1::2] = earlier[1::2]
        return frame

    return paint


def _make_ghosting(rng: Random) -> Filter:
    del rng
    last: dict[str, Frame] = {}

    def change(frame: Frame, moment: Moment) -> Frame:
        if moment.index == 0:
            last.clear()
        shown = mix(frame, last["frame"], 0.35) if last else frame
        last["frame"] = shown
        return shown

    return change


def _build_stutter(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    del rng

    def paint(moment: Moment) -> Frame:
        back = 1 if moment.index % 5 == 4 else 0
        t = moment.t - back / moment.fps / 3.0 if 0 < moment.t < 1 else moment.t
        return task.draw(puzzle, task.solution(puzzle, max(t, 0.0)))

    return paint


def _sharpen(frame: Frame, moment: Moment) -> Frame:
    del moment
    soft = cv2.GaussianBlur(frame, (0, 0), 1.5).astype(np.float32)
    return to_frame(frame + 0.9 * (frame - soft))


def _bleed_chroma(frame: Frame, moment: Moment) -> Frame:
    del moment
    height, width = frame.shape[:2]
    yuv = cv2.cvtColor(frame, cv2.COLOR_RGB2YCrCb)
    for channel in (1, 2):
        small = cv2.resize(yuv[..., channel], (width // 4, height // 4), interpolation=cv2.INTER_AREA)
        yuv[..., channel] = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)
    return np.asarray(cv2.cvtColor(yuv, cv2.COLOR_YCrCb2RGB), np.uint8)


def _make_film_dust(rng: Random) -> Filter:
    def change(frame: Frame, moment: Moment) -> Frame:
        del moment
        height, width = frame.shape[:2]

        def draw(canvas: Canvas) -> None:
            for _ in range(3):
                grey = rng.choice((0.25, 0.95))
                canvas.circle(rng.random() * width, rng.random() * height, 1.2, fill=(grey, grey, grey, 0.7))
            if rng.random() < 0.2:
                x = rng.random() * width
                canvas.line([(x, 0), (x, height)], (0.9, 0.9, 0.9, 0.5), 1.0)

        return draw_over(frame, draw)

    return change


def _roll_refresh_band(frame: Frame, moment: Moment) -> Frame:
    rows = np.arange(frame.shape[0], dtype=np.float32) / frame.shape[0]
    distance = np.abs((rows - 0.6 * moment.seconds) % 1 - 0.5)
    gain = 1 - 0.12 * np.clip((distance - 0.3) / 0.1, 0, 1)
    return to_frame(frame * gain[:, None, None])


def _bend_lens(frame: Frame, moment: Moment) -> Frame:
    del moment
    height, width = frame.shape[:2]
    y, x = np.mgrid[:height, :width].astype(np.float32)
    dx, dy = (x - width / 2) / (width / 2), (y - height / 2) / (height / 2)
    gain = 1 + 0.012 * (dx * dx + dy * dy)
    map_x, map_y = (width / 2 + dx * gain * width / 2), (height / 2 + dy * gain * height / 2)
    bent = cv2.remap(
        frame, map_x.astype(np.float32), map_y.astype(np.float32), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(bent, np.uint8)


def _squeeze(frame: Frame, moment: Moment) -> Frame:
    del moment
    height, width = frame.shape[:2]
    return resize(frame, make_even(0.9 * width), height)


def push_slide(before: Frame, after: Frame, share: float) -> Frame:
    """Return the later picture pushing the earlier one out to the left."""
    width = before.shape[1]
    x = round(ease(share) * width)
    return np.ascontiguousarray(np.concatenate([before, after], axis=1)[:, x : x + width])


def open_iris(before: Frame, after: Frame, share: float) -> Frame:
    """Return the later picture in a growing disc over the earlier one."""
    height, width = before.shape[:2]
    if share <= 0 or share >= 1:
        return after if share >= 1 else before
    mask = make_soft_disc(before, width / 2, height / 2, share * (hypot(width, height) / 2 + 4), 2.0)
    return mix_by_mask(before, after, mask)


def cut_to_solution(transition: Callable[[Frame, Frame, float], Frame], start: float, end: float) -> BuildPainter:
    """Return a painter of the question and then the solution, with a transition between two shares of the video."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        del rng
        before, after = task.draw(puzzle, task.solution(puzzle, 0.0)), task.draw(puzzle, task.solution(puzzle, 1.0))
        return lambda moment: transition(before, after, rise(moment.t, start, end))

    return build


def _flash(frame: Frame, moment: Moment) -> Frame:
    strength = 0.75 * max(0.0, 1 - abs(moment.remaining_s - 0.9) / 0.15)
    return mix(frame, fill_like(frame, (255, 255, 255)), strength) if strength else frame


def make_confetti(rng: Random, start_s: float, lasts_s: float) -> Filter:
    """Return a filter that lets confetti fall through the picture, counted from the end of the video."""
    colours = ("#f59e0b", "#ec4899", "#06b6d4", "#8b5cf6", "#84cc16")
    bits = [(rng.random(), -0.6 * rng.random(), rng.choice(colours), rng.random()) for _ in range(45)]

    def change(frame: Frame, moment: Moment) -> Frame:
        share = (start_s - moment.remaining_s) / lasts_s
        if not 0 < share < 1:
            return frame
        height, width = frame.shape[:2]
        side = 0.016 * min(width, height)

        def draw(canvas: Canvas) -> None:
            for x, y, colour, phase in bits:
                left = (x + 0.02 * sin(2 * pi * (phase + 2 * share))) * width
                top = (y + 1.7 * share) * height
                tilt = 0.3 + 0.7 * abs(sin(2 * pi * (phase + 3 * share)))
                box = [(0, 0), (side, 0), (side, tilt * side), (0, tilt * side)]
                canvas.polygon([(left + a, top + b) for a, b in box], fill=colour)

        return draw_over(frame, draw)

    return change


def _cross_with_cursor(frame: Frame, moment: Moment) -> Frame:
    share = moment.seconds / 2.4
    return draw_cursor(frame, -0.05 + 1.15 * share, 0.95 - 0.6 * share) if share < 1 else frame


def _build_plain(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    del rng
    return paint_solution(task, puzzle)


ROUND_2_DELIVERY: tuple[VideoKind, ...] = (
    make_honest_kind(
        "long_lead",
        "The question is shown for two and a half seconds before anything moves.",
        _build_plain,
        timing=Timing(2.5, 3.0, 0.7),
    ),
    make_honest_kind(
        "slow_motion", "The whole solution takes twice the usual time.", _build_plain, timing=Timing(0.25, 6.0, 0.7)
    ),
    make_honest_kind(
        "dithered_palette",
        "All frames have a small palette of colours with ordered dithering, as in a GIF.",
        apply_filter(_dither),
    ),
    make_honest_kind(
        "interlaced_fields",
        "Every second row comes from half a frame earlier, as in interlaced video.",
        _build_interlaced,
    ),
    make_honest_kind(
        "ghosting",
        "Each frame keeps a third of the one before, as on a slow screen; the end is clean.",
        filter_solution(_make_ghosting),
    ),
    make_honest_kind(
        "stutter",
        "Every fifth frame of the motion repeats the one before, and the next one catches up.",
        _build_stutter,
    ),
    make_honest_kind(
        "sharpened", "All frames are sharpened too much: bright and dark seams along edges.", apply_filter(_sharpen)
    ),
    make_honest_kind(
        "chroma_bleed",
        "Colours have a quarter of the resolution and bleed slightly over edges.",
        apply_filter(_bleed_chroma),
    ),
    make_honest_kind(
        "film_dust",
        "Old reel: tiny specks and sometimes a thin scratch, elsewhere in every frame.",
        filter_solution(_make_film_dust),
    ),
    make_honest_kind(
        "refresh_band",
        "A slightly darker band rolls through the picture, as when a screen is recorded.",
        apply_filter(_roll_refresh_band),
    ),
    make_honest_kind(
        "lens_bulge",
        "A lens bends the picture by about one percent at the border, in all frames alike.",
        apply_filter(_bend_lens),
    ),
    make_honest_kind(
        "squeezed_aspect",
        "The video is delivered at 90 percent of the width and the full height.",
        apply_filter(_squeeze),
    ),
    make_honest_kind(
        "pushed_slide",
        "The solved picture pushes the question out to the left like a slide; only the end counts in these tasks.",
        cut_to_solution(push_slide, 0.3, 0.7),
        (Offer.FINAL_STATE,),
    ),
    make_honest_kind(
        "iris_opens",
        "The solved picture appears in a disc that grows from the middle; only the end counts in these tasks.",
        cut_to_solution(open_iris, 0.3, 0.7),
        (Offer.FINAL_STATE,),
    ),
    make_honest_kind(
        "camera_flash",
        "A photo flash whitens the solved picture for an instant, well before the end.",
        apply_filter(_flash),
        timing=LONG_END,
    ),
    make_honest_kind(
        "confetti_passes",
        "Confetti falls through the solved picture and is gone half a second before the end.",
        filter_solution(lambda rng: make_confetti(rng, 1.7, 1.1)),
        timing=Timing(0.25, 2.4, 1.8),
    ),
    make_honest_kind(
        "cursor_crosses",
        "A mouse cursor crosses the picture during the solution and leaves it.",
        apply_filter(_cross_with_cursor),
    ),
)
"""Honest videos of the second round for several tasks."""
