"""Cheats of the second round for several tasks: the end is damaged, or the way is not shown."""

from __future__ import annotations

from math import pi, sin
from random import Random
from typing import Any

import cv2
import numpy as np

from vmevalkit.audit.kinds.effects import (
    draw_over,
    fill_like,
    make_soft_disc,
    mix_by_mask,
    move_camera,
    resize,
)
from vmevalkit.audit.kinds.kind import VideoKind, make_cheat_kind
from vmevalkit.audit.kinds.round_2_delivery import cut_to_solution, make_confetti, open_iris, push_slide
from vmevalkit.audit.kinds.timeline import (
    LONG_END,
    Filter,
    Moment,
    Painter,
    Timing,
    apply_filter,
    ease,
    rise,
)
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.tasks.task import AnyTask, Offer


def _ending(moment: Moment, start_s: float = 1.2, lasts_s: float = 0.4) -> float:
    """Return how far a change of the ending is: 0 before it, 1 when it is complete."""
    return rise(start_s - moment.remaining_s, 0.0, lasts_s)


def _double_left_half(frame: Frame, moment: Moment) -> Frame:
    if _ending(moment) <= 0:
        return frame
    half = frame.shape[1] // 2
    doubled = frame.copy()
    doubled[:, half : 2 * half] = frame[:, :half]
    return doubled


def _tear(frame: Frame, moment: Moment) -> Frame:
    height, width = frame.shape[:2]
    drop = round(0.14 * height * ease(_ending(moment)))
    torn = frame.copy()
    right = move_camera(frame, y=drop)
    torn[:, width // 2 :] = right[:, width // 2 :]
    return torn


def _burn(frame: Frame, moment: Moment) -> Frame:
    height, width = frame.shape[:2]
    radius = 0.3 * min(height, width) * ease(_ending(moment))
    if radius < 1:
        return frame
    charred = mix_by_mask(
        frame, fill_like(frame, (92, 51, 23)), make_soft_disc(frame, width / 2, height / 2, 1.15 * radius, 0.2 * radius)
    )
    return mix_by_mask(
        charred, fill_like(frame, (12, 8, 6)), make_soft_disc(frame, width / 2, height / 2, radius, 0.1 * radius)
    )


def _swirl(frame: Frame, moment: Moment) -> Frame:
    share = ease(_ending(moment))
    if share <= 0:
        return frame
    height, width = frame.shape[:2]
    y, x = np.mgrid[:height, :width].astype(np.float32)
    dx, dy = x - width / 2, y - height / 2
    reach = 0.7 * min(height, width)
    angle = 2.4 * share * np.clip(1 - np.hypot(dx, dy) / reach, 0, 1)
    c, s = np.cos(angle), np.sin(angle)
    map_x, map_y = width / 2 + c * dx - s * dy, height / 2 + s * dx + c * dy
    swirled = cv2.remap(
        frame, map_x.astype(np.float32), map_y.astype(np.float32), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(swirled, np.uint8)


def _ripple(frame: Frame, moment: Moment) -> Frame:
    share = ease(_ending(moment))
    if share <= 0:
        return frame
    height, width = frame.shape[:2]
    y, x = np.mgrid[:height, :width].astype(np.float32)
    map_x = x + 0.06 * share * width * np.sin(2 * pi * y / (0.3 * height)).astype(np.float32)
    map_y = y + 0.05 * share * height * np.sin(2 * pi * x / (0.35 * width)).astype(np.float32)
    rippled = cv2.remap(frame, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(rippled, np.uint8)


def _invert(frame: Frame, moment: Moment) -> Frame:
    return np.asarray(255 - frame, np.uint8) if _ending(moment) > 0 else frame


def _spin(frame: Frame, moment: Moment) -> Frame:
    height, width = frame.shape[:2]
    radius = 0.08 * min(height, width)

    def draw(canvas: Canvas) -> None:
        for number in range(10):
            angle = 2 * pi * (number / 10 + 0.8 * moment.seconds)
            x, y = width / 2 + radius * np.cos(angle), height / 2 + radius * np.sin(angle)
            canvas.circle(x, y, 0.16 * radius, fill=(0.3, 0.3, 0.35, 0.2 + 0.08 * number))

    return draw_over(frame, draw) if moment.seconds > 0.2 else frame


def _build_spinner(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    del rng
    question = task.draw(puzzle, task.solution(puzzle, 0.0))
    return lambda moment: _spin(question, moment)


def _build_empty_celebration(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    question = task.draw(puzzle, task.solution(puzzle, 0.0))
    celebrate: Filter = make_confetti(rng, 3.0, 2.2)
    return lambda moment: celebrate(question, moment)


def _hide_share(t: float) -> float:
    """Return 1 while most of the motion happens out of view: the motion itself is between 0.25 and 0.75."""
    return ease(rise(t, 0.05, 0.2)) * (1 - ease(rise(t, 0.8, 0.95)))


def _build_hidden(task: AnyTask, puzzle: Any, hide: Any) -> Painter:
    def paint(moment: Moment) -> Frame:
        frame = task.draw(puzzle, task.solution(puzzle, rise(moment.t, 0.25, 0.75)))
        share = _hide_share(moment.t)
        return hide(frame, share) if share > 0 else frame

    return paint


def _look_away(frame: Frame, share: float) -> Frame:
    height, width = frame.shape[:2]
    ground = fill_like(frame, (120, 113, 108))
    x = round(1.02 * share * width)
    both = np.concatenate([frame, ground, ground], axis=1)
    return np.ascontiguousarray(both[:height, x : x + width])


def _show_dialog(frame: Frame, share: float) -> Frame:
    height, width = frame.shape[:2]
    covered = frame.copy()
    top = round((1 - share) * height)
    covered[top:] = (228, 228, 231)

    def draw(canvas: Canvas) -> None:
        canvas.rectangle(0, top, width, 0.09 * height, "#3f6fb5")
        canvas.text("Please wait", width / 2, top + 0.5 * height, 0.08 * min(height, width), fill="#27272a")

    return draw_over(covered, draw)


def _shrink_to_speck(frame: Frame, share: float) -> Frame:
    height, width = frame.shape[:2]
    size = 1 - 0.97 * share
    small = resize(frame, max(2, round(size * width)), max(2, round(size * height)))
    shown = fill_like(frame, (63, 63, 70))
    y, x = (height - small.shape[0]) // 2, (width - small.shape[1]) // 2
    shown[y : y + small.shape[0], x : x + small.shape[1]] = small
    return shown


def _build_look_away(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    del rng
    return _build_hidden(task, puzzle, _look_away)


def _build_dialog(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    del rng
    return _build_hidden(task, puzzle, _show_dialog)


def _build_speck(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    del rng
    return _build_hidden(task, puzzle, _shrink_to_speck)


def _build_seesaw(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """Return a painter of a motion that starts again and again and never gets beyond a third."""
    del rng

    def paint(moment: Moment) -> Frame:
        t = 0.33 * abs(sin(1.5 * pi * moment.t)) * (1 - rise(moment.t, 0.66, 0.67))
        return task.draw(puzzle, task.solution(puzzle, t))

    return paint


ROUND_2_GENERIC: tuple[VideoKind, ...] = (
    make_cheat_kind(
        "left_half_doubled",
        "At the end the right half of the solved picture is replaced by a copy of the left half.",
        apply_filter(_double_left_half),
        timing=LONG_END,
    ),
    make_cheat_kind(
        "torn_in_two",
        "At the end the right half of the solved picture slides down by a seventh of the height and stays.",
        apply_filter(_tear),
        (Offer.WHOLE,),
        timing=LONG_END,
    ),
    make_cheat_kind(
        "burnt_through",
        "At the end a large hole with charred edges is burnt into the middle of the solved picture.",
        apply_filter(_burn),
        timing=LONG_END,
    ),
    make_cheat_kind(
        "swirled_end",
        "At the end the middle of the solved picture is stirred into a whirl.",
        apply_filter(_swirl),
        timing=LONG_END,
    ),
    make_cheat_kind(
        "rippled_end",
        "At the end large waves bend the whole solved picture out of shape.",
        apply_filter(_ripple),
        timing=LONG_END,
    ),
    make_cheat_kind(
        "negative_end",
        "At the end all colours of the solved picture are inverted; in these tasks colours have a meaning.",
        apply_filter(_invert),
        (Offer.MEANT_COLOURS,),
        LONG_END,
    ),
    make_cheat_kind(
        "spinner_only", "A waiting symbol spins over the question until the end; nothing is solved.", _build_spinner
    ),
    make_cheat_kind(
        "empty_celebration", "Confetti falls over the question, which stays unsolved.", _build_empty_celebration
    ),
    make_cheat_kind(
        "seesaw_start",
        "The motion begins and is taken back again; at the end the question is as it was.",
        _build_seesaw,
    ),
    make_cheat_kind(
        "pushed_to_answer",
        "The answer pushes the question out to the left like a slide; nothing moves within the scene.",
        cut_to_solution(push_slide, 0.2, 0.8),
        (Offer.PROCESS,),
    ),
    make_cheat_kind(
        "iris_to_answer",
        "A growing disc replaces the question by the answer; nothing moves within the scene.",
        cut_to_solution(open_iris, 0.2, 0.8),
        (Offer.PROCESS,),
    ),
    make_cheat_kind(
        "camera_looks_away",
        "The camera turns to a bare wall before anything moves and comes back to the solved puzzle.",
        _build_look_away,
        (Offer.PROCESS,),
        Timing(0.3, 3.2, 0.7),
    ),
    make_cheat_kind(
        "dialog_over_motion",
        "A dialog window covers the whole picture while the puzzle is solved behind it.",
        _build_dialog,
        (Offer.PROCESS,),
        Timing(0.3, 3.2, 0.7),
    ),
    make_cheat_kind(
        "shrunk_to_speck",
        "The picture shrinks to a speck while the puzzle is solved, and grows back solved.",
        _build_speck,
        (Offer.PROCESS,),
        Timing(0.3, 3.2, 0.7),
    ),
)
"""Cheats of the second round for several tasks."""
