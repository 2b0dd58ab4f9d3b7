"""Honest kinds for all tasks: the reference solution with a moving camera or another light."""

from __future__ import annotations

from math import pi, sin
from random import Random

import numpy as np

from vmevalkit.audit.kinds import effects
from vmevalkit.audit.kinds.kind import VideoKind, make_honest_kind
from vmevalkit.audit.kinds.timeline import (
    Filter,
    Moment,
    Timing,
    apply_filter,
    ease,
    filter_solution,
    rise,
)
from vmevalkit.media.image import Frame
from vmevalkit.tasks.task import Offer


def _roll_camera(rng: Random) -> Filter:
    angle_deg = rng.choice((-1, 1)) * rng.uniform(1.5, 2.4)
    return lambda frame, moment: effects.move_camera(frame, angle_deg * ease(moment.share))


def _tilt_camera(rng: Random) -> Filter:
    depth = rng.uniform(0.02, 0.028)
    corners = rng.choice((((1, 1), (-1, 1), (0, 0), (0, 0)), ((1, 1), (0, 0), (0, 0), (1, -1))))

    def tilt(frame: Frame, moment: Moment) -> Frame:
        strength = depth * ease(moment.share)
        return effects.tilt_perspective(frame, [(strength * x, strength * y) for x, y in corners])

    return tilt


def _zoom_camera(zoom: float) -> Filter:
    return lambda frame, moment: effects.move_camera(frame, zoom=1 + (zoom - 1) * ease(moment.share))


def _pan_camera(rng: Random) -> Filter:
    x, y = (rng.choice((-1, 1)) * rng.uniform(0.008, 0.014) for _ in range(2))

    def pan(frame: Frame, moment: Moment) -> Frame:
        share = ease(moment.share)
        return effects.move_camera(frame, x=share * x * frame.shape[1], y=share * y * frame.shape[0])

    return pan


def _shake_camera(rng: Random) -> Filter:
    phases = [rng.uniform(0, 2 * pi) for _ in range(2)]

    def shake(frame: Frame, moment: Moment) -> Frame:
        x, y = (0.6 * sin(speed * moment.seconds + phase) for speed, phase in zip((13.0, 17.0), phases, strict=True))
        strength = rise(moment.seconds, 0.0, 0.3)
        return effects.move_camera(frame, x=strength * x, y=strength * y)

    return shake


def _darken_corners(frame: Frame, moment: Moment) -> Frame:
    del moment
    height, width = frame.shape[:2]
    rows, columns = np.linspace(-1, 1, height)[:, None, None], np.linspace(-1, 1, width)[None, :, None]
    return effects.to_frame(frame * (1 - 0.16 * (rows**2 + columns**2)))


def _flicker(rng: Random) -> Filter:
    phase = rng.uniform(0, 2 * pi)
    return lambda frame, moment: effects.scale_levels(frame, 0.97 + 0.03 * sin(19 * moment.seconds + phase))


def _sweep_light(frame: Frame, moment: Moment) -> Frame:
    height, width = frame.shape[:2]
    x = (-0.4 + 1.8 * rise(moment.seconds, 0.3, 3.2)) * width
    mask = 0.16 * effects.make_soft_disc(frame, x, 0.3 * height, 0.2 * width, 0.5 * width)
    return effects.mix_by_mask(frame, effects.fill_like(frame, (255, 196, 120)), mask)


def _fade_from(colour: tuple[int, int, int]) -> Filter:
    def fade(frame: Frame, moment: Moment) -> Frame:
        return effects.mix(effects.fill_like(frame, colour), frame, rise(moment.seconds, 0.0, 0.5))

    return fade


_CAMERA_KINDS = (
    make_honest_kind(
        "camera_roll",
        "The camera rolls slowly by about two degrees while the puzzle is solved; everything stays visible.",
        filter_solution(_roll_camera), (Offer.FREE_CAMERA,),
    ),
    make_honest_kind(
        "perspective_tilt",
        "The picture tilts slowly into a perspective of 2 to 3 percent; the solution itself is complete.",
        filter_solution(_tilt_camera), (Offer.FREE_CAMERA,),
    ),
    make_honest_kind(
        "slow_pull_out",
        "The camera zooms out slowly by 5 percent; the border of the picture is extended.",
        apply_filter(_zoom_camera(0.95)), (Offer.FREE_CAMERA,),
    ),
    make_honest_kind(
        "slow_push_in",
        "The camera zooms in slowly by 3 percent, which cuts off nothing but margin.",
        apply_filter(_zoom_camera(1.03)), (Offer.FREE_CAMERA, Offer.MARGIN),
    ),
    make_honest_kind(
        "slow_pan",
        "The picture drifts by about one percent of its size; nothing leaves it.",
        filter_solution(_pan_camera), (Offer.FREE_CAMERA,),
    ),
    make_honest_kind(
        "subpixel_shake",
        "The picture shakes by about half a pixel, as after imperfect stabilisation.",
        filter_solution(_shake_camera),
    ),
)  # fmt: skip


_LIGHT_KINDS = (
    make_honest_kind(
        "hue_drift",
        "All hues drift by 15 degrees in the course of the video: a colour grade, in tasks without a rule of colour.",
        apply_filter(lambda frame, moment: effects.rotate_hue(frame, 15 * ease(moment.share))), (Offer.FREE_HUES,),
    ),
    make_honest_kind(
        "saturation_drift",
        "The colours fade to 60 percent saturation; each of them can still be distinguished.",
        apply_filter(lambda frame, moment: effects.change_saturation(frame, 1 - 0.4 * ease(moment.share))),
    ),
    make_honest_kind(
        "warm_white",
        "White turns slowly into a warm off-white, as with another white balance.",
        apply_filter(lambda frame, moment: effects.scale_levels(
            frame, (1.0, 1 - 0.035 * ease(moment.share), 1 - 0.1 * ease(moment.share)))),
    ),
    make_honest_kind(
        "low_contrast",
        "Black is raised and white lowered a little from the first frame on.",
        apply_filter(lambda frame, _: effects.scale_levels(frame, 0.84, 20.0)),
    ),
    make_honest_kind(
        "fade_from_black",
        "The first frame fades in from black within half a second, before the motion begins.",
        apply_filter(_fade_from((0, 0, 0))), timing=Timing(0.75, 2.9, 0.65),
    ),
    make_honest_kind(
        "fade_from_white",
        "The first frame fades in from white within half a second, before the motion begins.",
        apply_filter(_fade_from((255, 255, 255))), timing=Timing(0.75, 2.9, 0.65),
    ),
    make_honest_kind(
        "dimmed_end",
        "The light goes down to 60 percent at the end; the solved puzzle remains clearly visible.",
        apply_filter(lambda frame, moment: effects.scale_levels(
            frame, 0.6 + 0.4 * rise(moment.remaining_s, 0.2, 0.7))),
    ),
    make_honest_kind("vignette", "The corners are darker than the middle.", apply_filter(_darken_corners)),
    make_honest_kind(
        "brightness_flicker", "The brightness flickers by 3 percent.", filter_solution(_flicker),
    ),
    make_honest_kind(
        "light_leak",
        "A faint warm light moves across the picture and leaves it; everything stays visible through it.",
        apply_filter(_sweep_light),
    ),
)  # fmt: skip


CAMERA_AND_LIGHT: tuple[VideoKind, ...] = _CAMERA_KINDS + _LIGHT_KINDS
