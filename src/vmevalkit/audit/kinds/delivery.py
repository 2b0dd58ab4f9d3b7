"""Honest kinds for all tasks: the reference solution as an encoder or an editor may deliver it."""

from __future__ import annotations

from math import pi, sin
from random import Random
from typing import Any

import numpy as np

from vmevalkit.audit.kinds import effects
from vmevalkit.audit.kinds.kind import VideoKind, make_honest_kind
from vmevalkit.audit.kinds.overlays import draw_caption, draw_cursor, draw_hand, draw_watermark
from vmevalkit.audit.kinds.timeline import (
    STANDARD,
    Filter,
    Moment,
    Painter,
    Timing,
    apply_filter,
    ease,
    filter_solution,
    paint_solution,
    repace_solution,
    rise,
)
from vmevalkit.media.image import Frame
from vmevalkit.tasks.task import AnyTask, Offer


def _add_grain(rng: Random) -> Filter:
    noise = np.random.default_rng(rng.getrandbits(32))

    def add(frame: Frame, moment: Moment) -> Frame:
        del moment
        grain = noise.normal(0.0, 7.0, (*frame.shape[:2], 1)).astype(np.float32)
        return effects.to_frame(frame + grain)

    return add


def _defocus(frame: Frame, moment: Moment) -> Frame:
    strength = sin(pi * rise(moment.seconds, 0.8, 2.2))
    return effects.blur(frame, 0.0032 * min(frame.shape[:2]) * strength)


def _box_with_blurred_sides(frame: Frame, moment: Moment) -> Frame:
    del moment
    height, width = frame.shape[:2]
    side = effects.make_even(0.22 * width)
    backdrop = effects.resize(frame, width + 2 * side, height)
    backdrop = effects.scale_levels(effects.blur(backdrop, 0.06 * height), 0.45)
    backdrop[:, side : side + width] = frame
    return backdrop


def _round_corners(frame: Frame, moment: Moment) -> Frame:
    del moment
    height, width = frame.shape[:2]
    radius, edge = 0.03 * min(height, width), 3.0
    x = np.abs(np.arange(width) - (width - 1) / 2)[None, :] - (width / 2 - radius)
    y = np.abs(np.arange(height) - (height - 1) / 2)[:, None] - (height / 2 - radius)
    distance = np.hypot(np.maximum(x, 0), np.maximum(y, 0)) + np.minimum(np.maximum(x, y), 0) - radius
    rim = np.clip(distance + edge, 0, 1).astype(np.float32)
    mask = np.clip(distance, 0, 1).astype(np.float32)
    grey = effects.mix_by_mask(frame, effects.fill_like(frame, (120, 124, 130)), rim)
    return effects.mix_by_mask(grey, effects.fill_like(frame, (18, 18, 22)), mask)


def _shift_channels(frame: Frame, moment: Moment) -> Frame:
    del moment
    moved = frame.copy()
    moved[:, 1:, 0] = frame[:, :-1, 0]
    moved[:, :-1, 2] = frame[:, 1:, 2]
    return moved


def _draw_scanlines(frame: Frame, moment: Moment) -> Frame:
    del moment
    lines = np.where(np.arange(frame.shape[0]) % 4 < 2, 1.0, 0.9)[:, None, None]
    return effects.to_frame(frame * lines)


def _rest_cursor(frame: Frame, moment: Moment) -> Frame:
    return draw_cursor(frame, 0.004, 1.1 - 0.6 * ease(rise(moment.seconds, 0.4, 1.3)))


def _reach_in(frame: Frame, moment: Moment) -> Frame:
    reach = 0.13 * (ease(rise(moment.seconds, 0.6, 1.1)) - ease(rise(moment.seconds, 1.8, 2.4)))
    return draw_hand(frame, reach)


def _show_title(frame: Frame, moment: Moment) -> Frame:
    opacity = 0.85 * (1 - rise(moment.seconds, 0.3, 0.6))
    return frame if opacity <= 0 else draw_caption(frame, "Episode 12", 0.5, 0.09, (0.1, 0.1, 0.12, opacity))


def _build_motion_blur(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    del rng

    def paint(moment: Moment) -> Frame:
        count = 3 if moment.t > 0 else 1
        step = 1 / (count * moment.fps * STANDARD.move_s)
        times = [min(moment.t + step * place, 1.0) for place in range(count)]
        frames = [task.draw(puzzle, task.solution(puzzle, t)).astype(np.float32) for t in times]
        return effects.to_frame(sum(frames[1:], frames[0]) / len(frames))

    return paint


def _build_duplicates(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    del rng
    solution = paint_solution(task, puzzle)
    kept: dict[str, Frame] = {}

    def paint(moment: Moment) -> Frame:
        if moment.index % 2 == 0 or not kept:
            kept["frame"] = solution(moment)
        return kept["frame"]

    return paint


def _stop_and_go(t: float) -> float:
    part, rest = divmod(3 * t, 1.0)
    return (part + ease(rise(rest, 0.15, 0.95))) / 3


def _stay(frame: Frame, moment: Moment) -> Frame:
    del moment
    return frame


def _resize_video(factor: float) -> Filter:
    def change(frame: Frame, moment: Moment) -> Frame:
        del moment
        return effects.resize(
            frame, effects.make_even(factor * frame.shape[1]), effects.make_even(factor * frame.shape[0])
        )

    return change


_SLOW = Timing(0.25, 3.8, 0.75)


_ENCODING_KINDS = (
    make_honest_kind("grain", "Every frame has fresh grain of the same strength.", filter_solution(_add_grain)),
    make_honest_kind(
        "jpeg_blocks",
        "Every frame was compressed strongly: slight blocks and rings around edges, all of it readable.",
        apply_filter(lambda frame, _: effects.compress_jpeg(frame, 28)),
    ),
    make_honest_kind(
        "defocus_and_back",
        "The focus is slightly lost in the middle and found again; the scene stays readable all the time.",
        apply_filter(_defocus),
    ),
    make_honest_kind("colour_fringes", "Red and blue are shifted by one pixel, as by a cheap lens.",
                     apply_filter(_shift_channels)),
    make_honest_kind("scanlines", "Every second pair of rows is a tenth darker, as on an old screen.",
                     apply_filter(_draw_scanlines)),
    make_honest_kind("upscaled", "The video is delivered at 150 percent of the size.",
                     apply_filter(_resize_video(1.5))),
    make_honest_kind("smaller_size", "The video is delivered at 70 percent of the size.",
                     apply_filter(_resize_video(0.7))),
    make_honest_kind(
        "motion_blur", "Each frame is the mean of three moments, so that what moves is slightly blurred.",
        _build_motion_blur,
    ),
    make_honest_kind(
        "duplicated_frames", "Every frame is shown twice: half the frame rate in a longer video.",
        _build_duplicates, timing=Timing(0.25, 4.0, 0.75),
    ),
)  # fmt: skip


_EDITING_KINDS = (
    make_honest_kind("letterbox", "Black bars above and below the unchanged picture, from the first frame to the last.",
                     apply_filter(lambda frame, _: effects.pad(frame, 0, effects.make_even(0.1 * frame.shape[0])))),
    make_honest_kind("pillarbox", "Grey bars to the left and right of the unchanged picture in all frames.",
                     apply_filter(lambda frame, _: effects.pad(frame, effects.make_even(0.14 * frame.shape[1]), 0,
                                                         (60, 60, 64)))),
    make_honest_kind("blurred_sides", "Dark blurred copies fill bars at both sides of the unchanged picture.",
                     apply_filter(_box_with_blurred_sides)),
    make_honest_kind("rounded_corners", "A thin grey frame and slightly rounded corners around the picture.",
                     apply_filter(_round_corners)),
    make_honest_kind("corner_watermark", "A small translucent watermark in the margin of one corner, in all frames.",
                     apply_filter(lambda frame, _: draw_watermark(frame, "made with AI"))),
    make_honest_kind("cursor_in_margin",
                     "A mouse cursor comes in along the left edge and rests in the margin, away from everything.",
                     apply_filter(_rest_cursor)),
    make_honest_kind("hand_at_edge",
                     "A hand reaches in a little at the left edge and withdraws long before the end.",
                     apply_filter(_reach_in), (Offer.STILL_EDGES,)),
    make_honest_kind("title_over_start", "A title over the first frame fades away before anything moves.",
                     apply_filter(_show_title), timing=Timing(0.7, 2.9, 0.7)),
    make_honest_kind("slow_start", "The motion starts slowly and becomes faster, without any jump.",
                     repace_solution(lambda t: t**1.5), timing=_SLOW),
    make_honest_kind("stop_and_go", "The motion pauses three times and goes on each time.",
                     repace_solution(_stop_and_go), timing=_SLOW),
    make_honest_kind("uneven_pace", "The speed rises and falls, the motion never jumps.",
                     repace_solution(lambda t: t + 0.04 * sin(4 * pi * t)), timing=_SLOW),
    make_honest_kind("quick_then_hold", "The puzzle is solved quickly, then the solved picture is held for long.",
                     apply_filter(_stay), (Offer.QUICK,), Timing(0.3, 1.9, 1.7)),
)  # fmt: skip


DELIVERY: tuple[VideoKind, ...] = _ENCODING_KINDS + _EDITING_KINDS
